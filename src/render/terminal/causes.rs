//! The causes: the best in full, one next step, the others with what tells them apart.

use textwrap::core::display_width;

use crate::diagnosis::{Action, CauseStatus, Diagnosis, RankedCause, Reason};
use crate::facts::Source;
use crate::render::clean;
use crate::render::inline;
use crate::render::layout::{Paragraph, Sheet, piece};
use crate::render::style::{AGAINST, COMMAND, FAINT, FOR, PLAIN, STRONG};
use crate::render::words::{mid_sentence, open_ended, percent};

/// Other causes that get lines of their own.
const OTHERS: usize = 3;

/// Further actions against the best cause that are named.
const FURTHER_ACTIONS: usize = 3;

/// Lines that a check of another cause may take.
const CHECK_LINES: usize = 2;

/// The most probable cause with its reasons.
pub(super) fn best(sheet: &mut Sheet, diagnosis: &Diagnosis) {
    let Some(cause) = diagnosis.causes.first() else { return };
    sheet.blank();
    // With one cause on the page there is nothing that a share could be a share of.
    let share = percent(cause.probability).filter(|_| diagnosis.causes.len() > 1);
    let right = [status_word(cause.status).map(str::to_owned), share].into_iter().flatten().collect::<Vec<_>>();
    let title = Paragraph::new(inline::plain(&cause.title)).style(STRONG).lead(STRONG, "Most likely: ").indent(2);
    sheet.paragraph(&title.right(STRONG, right.join("  ")));
    for reason in &cause.reasons {
        let (sign, style) = if reason.supports { ("  + ", FOR) } else { ("  - ", AGAINST) };
        let says = inline::plain(open_ended(&reason.says));
        sheet.paragraph(&Paragraph::new(says).lead(style, sign).right(FAINT, origin(reason)));
    }
    if let Some(says) = unsaid_status(cause) {
        let word = status_word(cause.status).unwrap_or("not checked");
        sheet.paragraph(&Paragraph::new(inline::plain(open_ended(says))).lead(FAINT, format!("  {word}: ")).indent(4));
    }
}

/// The first action, and the checks that would make sure of the best cause.
pub(super) fn next_step(sheet: &mut Sheet, diagnosis: &Diagnosis) {
    let Some(cause) = diagnosis.causes.first() else { return };
    if let Some((first, rest)) = diagnosis.actions.split_first() {
        sheet.blank();
        // Every fix of the best cause may be in force already.
        let for_best = first.causes.contains(&cause.id);
        action(sheet, if for_best { "Do this next: " } else { "Against another cause: " }, first);
        let further: Vec<&Action> = rest.iter().filter(|action| action.causes.contains(&cause.id)).collect();
        further_actions(sheet, &further);
    }
    checks(sheet, diagnosis, cause);
}

fn action(sheet: &mut Sheet, lead: &str, action: &Action) {
    let title = mid_sentence(&inline::plain(open_ended(&action.title)));
    sheet.paragraph(&Paragraph::new(title).style(STRONG).lead(STRONG, lead).indent(2));
    if !action.detail.trim().is_empty() {
        sheet.paragraph(&Paragraph::new(inline::plain(&action.detail)).lead(PLAIN, "  "));
    }
    for (place, command) in action.commands.iter().enumerate() {
        if place > 0 {
            sheet.blank();
        }
        sheet.command(command, 2, COMMAND);
    }
    if !action.trade_offs.is_empty() {
        let costs: Vec<String> = action.trade_offs.iter().map(|cost| inline::plain(open_ended(cost))).collect();
        sheet.paragraph(&Paragraph::new(format!("{}.", costs.join("; "))).lead(FAINT, "  Trade-off: ").indent(2));
    }
}

fn further_actions(sheet: &mut Sheet, further: &[&Action]) {
    let title = |action: &&Action| mid_sentence(&inline::plain(open_ended(&action.title)));
    let mut named: Vec<String> = further.iter().take(FURTHER_ACTIONS).map(title).collect();
    if further.len() > FURTHER_ACTIONS {
        named.push(format!("{} more", further.len() - FURTHER_ACTIONS));
    }
    if !named.is_empty() {
        sheet.paragraph(
            &Paragraph::new(format!("{}.", named.join("; "))).lead(FAINT, "  If that is not enough: ").indent(2),
        );
    }
}

/// How to make sure of the best cause, and what would separate it from the others when that is something else.
fn checks(sheet: &mut Sheet, diagnosis: &Diagnosis, cause: &RankedCause) {
    if cause.status != CauseStatus::Confirmed {
        check(sheet, "To be sure: ", &cause.check, cause.check_command.as_deref());
    }
    if let Some(next) = &diagnosis.next_check
        && next.says != cause.check
    {
        check(sheet, "Check that separates the causes: ", &next.says, next.command.as_deref());
    }
}

fn check(sheet: &mut Sheet, lead: &str, says: &str, command: Option<&str>) {
    if says.trim().is_empty() && command.is_none() {
        return;
    }
    sheet.blank();
    sheet.paragraph(&Paragraph::new(mid_sentence(&inline::plain(says))).lead(STRONG, lead).indent(2));
    if let Some(command) = command {
        sheet.command(command, 2, COMMAND);
    }
}

/// The next causes in one or two lines each.
pub(super) fn others(sheet: &mut Sheet, diagnosis: &Diagnosis) {
    let Some((_, others)) = diagnosis.causes.split_first() else { return };
    if others.is_empty() {
        return;
    }
    sheet.blank();
    sheet.at_right_edge(&[piece(STRONG, "Other causes")], &piece(FAINT, "to tell apart"));
    for cause in others.iter().take(OTHERS) {
        let said = diagnosis.next_check.as_ref().is_some_and(|next| next.says == cause.check);
        other(sheet, cause, said);
    }
    if let Some(more) = others.len().checked_sub(OTHERS).filter(|more| *more > 0) {
        let words = if more == 1 { "and 1 less likely one".to_owned() } else { format!("and {more} less likely ones") };
        sheet.paragraph(&Paragraph::new(words).style(FAINT).lead(PLAIN, "        "));
    }
}

/// One cause; `said` when its check stands above already.
fn other(sheet: &mut Sheet, cause: &RankedCause, said: bool) {
    let lead = format!("{:>6}  ", percent(cause.probability).unwrap_or_default());
    let title = clean::line(&inline::plain(&cause.title));
    let apart = if said { "the check above".to_owned() } else { clean::line(&what_tells_apart(cause)) };
    if lead.len() + display_width(&title) + 3 + display_width(&apart) <= sheet.width() {
        return sheet.paragraph(&Paragraph::new(title).lead(PLAIN, lead).right(FAINT, apart));
    }
    let indent = lead.len();
    sheet.paragraph(&Paragraph::new(title).lead(PLAIN, lead));
    if !apart.is_empty() {
        let words = Paragraph::new(apart).style(FAINT).lead(PLAIN, " ".repeat(indent + 2));
        sheet.paragraph(&words.at_most(CHECK_LINES));
    }
}

/// What the machine said of a cause, else how to find out.
fn what_tells_apart(cause: &RankedCause) -> String {
    let says = cause.status_says.as_deref().map(|says| inline::plain(open_ended(says)));
    match (cause.status, says) {
        (CauseStatus::Refuted | CauseStatus::Confirmed | CauseStatus::Supported, Some(says)) => {
            format!("{}: {says}", status_word(cause.status).unwrap_or_default())
        }
        (CauseStatus::Refuted, None) => "refuted".to_owned(),
        _ if !cause.check.trim().is_empty() => inline::plain(open_ended(&cause.check)),
        _ => cause.check_command.clone().unwrap_or_default(),
    }
}

/// The sentence about the status that no reason says already.
fn unsaid_status(cause: &RankedCause) -> Option<&str> {
    let says = cause.status_says.as_deref()?;
    (!cause.reasons.iter().any(|reason| reason.says == says)).then_some(says)
}

/// The word, where a measured value said anything.
fn status_word(status: CauseStatus) -> Option<&'static str> {
    (status != CauseStatus::Unverified).then(|| status.word())
}

/// Where a reason comes from: the line of the text, or the kind of source.
fn origin(reason: &Reason) -> String {
    match (reason.source, reason.span) {
        (Source::Text, Some(span)) => format!("line {}", span.start.line),
        (source, _) => source.word().to_owned(),
    }
}
