//! The causes: the best in full, one next step, the others with what distinguishes them.

use textwrap::core::display_width;

use crate::book::cause_section::first_sentence;
use crate::diagnosis::{Action, CauseStatus, Diagnosis, RankedCause, Reason};
use crate::facts::Source;
use crate::render::clean;
use crate::render::inline;
use crate::render::layout::{Paragraph, Sheet, piece};
use crate::render::style::{AGAINST, COMMAND, FAINT, FOR, PLAIN, STRONG};
use crate::render::words::{mid_sentence, open_ended, percent, precedents};

/// The number of other causes that are listed.
const OTHERS: usize = 3;

/// The number of further actions for the best cause.
const FURTHER_ACTIONS: usize = 3;

/// The number of lines for the check of another cause.
const CHECK_LINES: usize = 2;

/// The most probable cause with its reasons.
pub(super) fn best(sheet: &mut Sheet, diagnosis: &Diagnosis) {
    let Some(cause) = diagnosis.causes.first() else { return };
    sheet.blank();
    // With a single cause, a percentage means nothing.
    let share = percent(cause.probability).filter(|_| diagnosis.causes.len() > 1);
    let right = [status_word(cause.status).map(str::to_owned), share].into_iter().flatten().collect::<Vec<_>>();
    let lead = if cause.tied { "Perhaps: " } else { "Most likely: " };
    let title = Paragraph::new(inline::plain(&cause.title)).style(STRONG).lead(STRONG, lead).indent(2);
    sheet.paragraph(&title.right(STRONG, right.join("  ")));
    let tied = diagnosis.causes.iter().skip(1).filter(|other| other.tied).count();
    if tied > 0 {
        let words = match tied {
            1 => "the text does not separate it from the next cause below".to_owned(),
            _ => format!("the text does not separate it from the next {tied} causes below"),
        };
        sheet.paragraph(&Paragraph::new(words).lead(FAINT, "  = ").indent(4));
    }
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

/// The first action, and the checks that would confirm the best cause.
pub(super) fn next_step(sheet: &mut Sheet, diagnosis: &Diagnosis) {
    if let Some((first, rest)) = diagnosis.actions.split_first() {
        sheet.blank();
        action(sheet, "Do this next: ", first);
        if let Some(other) = for_another_cause(diagnosis, first) {
            let title = inline::plain(open_ended(&other.title));
            sheet.paragraph(&Paragraph::new(title).lead(FAINT, "  Helps if the cause is: ").indent(2));
        }
        further_actions(sheet, rest);
    }
    if let Some(cause) = diagnosis.causes.first() {
        checks(sheet, diagnosis, cause);
    }
}

/// The cause that the first action is for, unless it is the best one: all fixes of that may be applied already.
fn for_another_cause<'d>(diagnosis: &'d Diagnosis, action: &Action) -> Option<&'d RankedCause> {
    let best = diagnosis.causes.first()?;
    let id = action.causes.first().filter(|_| !action.causes.contains(&best.id))?;
    diagnosis.causes.iter().find(|cause| cause.id == *id)
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
    if let Some(solved) = &action.solved {
        sheet.paragraph(&Paragraph::new(precedents(solved)).lead(FAINT, "  ").indent(2).style(FAINT));
    }
    if !action.trade_offs.is_empty() {
        let costs: Vec<String> = action.trade_offs.iter().map(|cost| inline::plain(open_ended(cost))).collect();
        sheet.paragraph(&Paragraph::new(format!("{}.", costs.join("; "))).lead(FAINT, "  Trade-off: ").indent(2));
    }
}

fn further_actions(sheet: &mut Sheet, further: &[Action]) {
    if sheet.in_full {
        for next in further {
            sheet.blank();
            action(sheet, "If that is not enough: ", next);
        }
        return;
    }
    let title = |action: &Action| mid_sentence(&inline::plain(open_ended(&action.title)));
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

/// How to confirm the best cause, and what would distinguish it from the others if that is something else.
fn checks(sheet: &mut Sheet, diagnosis: &Diagnosis, cause: &RankedCause) {
    if cause.tied && diagnosis.next_check.is_some() {
        let next = diagnosis.next_check.as_ref();
        return next.map_or((), |next| check(sheet, "To decide: ", &next.says, next.command.as_deref()));
    }
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

/// The next causes, in one or two lines each.
pub(super) fn others(sheet: &mut Sheet, diagnosis: &Diagnosis) {
    let Some((_, others)) = diagnosis.causes.split_first() else { return };
    if others.is_empty() {
        return;
    }
    sheet.blank();
    sheet.at_right_edge(&[piece(STRONG, "Other causes")], &piece(FAINT, "how to check"));
    let most = sheet.most(OTHERS);
    for cause in others.iter().take(most) {
        let said = diagnosis.next_check.as_ref().is_some_and(|next| next.says == cause.check);
        other(sheet, cause, said);
    }
    if let Some(more) = others.len().checked_sub(most).filter(|more| *more > 0) {
        let words = if more == 1 { "and 1 less likely one".to_owned() } else { format!("and {more} less likely ones") };
        sheet.paragraph(&Paragraph::new(words).style(FAINT).lead(PLAIN, "        "));
    }
}

/// One cause; `said` if its check was shown before.
fn other(sheet: &mut Sheet, cause: &RankedCause, said: bool) {
    let lead = format!("{:>6}  ", percent(cause.probability).unwrap_or_default());
    let title = clean::line(&inline::plain(&cause.title));
    let check = if said { "the check above".to_owned() } else { clean::line(&what_distinguishes(cause)) };
    if lead.len() + display_width(&title) + 3 + display_width(&check) <= sheet.width() {
        return sheet.paragraph(&Paragraph::new(title).lead(PLAIN, lead).right(FAINT, check));
    }
    let indent = lead.len();
    sheet.paragraph(&Paragraph::new(title).lead(PLAIN, lead));
    if !check.is_empty() {
        let room = sheet.width().saturating_sub(indent + 2).saturating_mul(sheet.most(CHECK_LINES));
        let check = sentences_within(&check, room).to_owned();
        sheet.paragraph(&Paragraph::new(check).style(FAINT).lead(PLAIN, " ".repeat(indent + 2)));
    }
}

/// The sentences that fit so many columns; the first in any case, because half an instruction is none.
fn sentences_within(text: &str, columns: usize) -> &str {
    let (first, mut rest) = first_sentence(text);
    let mut fitting = first;
    while !rest.is_empty() {
        let after = first_sentence(rest).1;
        let longer = text[..text.len() - after.len()].trim_end();
        if display_width(longer) > columns {
            break;
        }
        (fitting, rest) = (longer, after);
    }
    open_ended(fitting)
}

/// The machine's evidence on a cause, otherwise how to find out.
fn what_distinguishes(cause: &RankedCause) -> String {
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

/// The sentence about the status, unless a reason says it already.
fn unsaid_status(cause: &RankedCause) -> Option<&str> {
    let says = cause.status_says.as_deref()?;
    (!cause.reasons.iter().any(|reason| reason.says == says)).then_some(says)
}

/// The status, if a measured value decided it.
fn status_word(status: CauseStatus) -> Option<&'static str> {
    (status != CauseStatus::Unverified).then(|| status.word())
}

/// The source of a reason: a line of the text, or the kind of source.
fn origin(reason: &Reason) -> String {
    match (reason.source, reason.span) {
        (Source::Text, Some(span)) => format!("line {}", span.start.line),
        (source, _) => source.word().to_owned(),
    }
}
