//! The answer for an issue tracker: headings, tables, fenced text. Shows everything in a diagnosis.
//!
//! Text from logs and reports is escaped, so that it neither breaks a table nor notifies a user called `@property`; the
//! book's sentences are markdown already and only lose links that work nowhere else.

mod page;

pub use page::{address, cell, escape, sentence};

use super::{plot, words};
use crate::diagnosis::{Action, Diagnosis, Fault, LikeCase, PrimaryError, RankedCause, ReportHit, Verdict};
use crate::facts;
use crate::span::Span;
use crate::text::words::capital;
use page::{Page, code};

/// The answer as markdown.
pub fn render(diagnosis: &Diagnosis) -> String {
    let mut page = Page::default();
    match (diagnosis.verdict, &diagnosis.fault) {
        (Verdict::NoError, _) => page.heading(1, "No failure found"),
        (_, Some(fault)) => known(&mut page, fault),
        (_, None) => page.heading(1, "Not a failure in the book"),
    }
    if diagnosis.verdict == Verdict::OrdinaryError {
        page.paragraph(words::ORDINARY);
    }
    if diagnosis.verdict == Verdict::NoError {
        page.paragraph(&format!("{} read.", words::counted(diagnosis.lines_read.into(), "line", "lines")));
    }
    if let Some(error) = &diagnosis.error {
        primary_error(&mut page, error, diagnosis.fault.as_ref());
    }
    causes(&mut page, diagnosis);
    lookalikes(&mut page, diagnosis.fault.as_ref());
    reports(&mut page, &diagnosis.reports);
    nearest(&mut page, diagnosis);
    silent(&mut page, diagnosis);
    cascade(&mut page, diagnosis);
    notices(&mut page, diagnosis);
    if let Some(picture) = &diagnosis.picture {
        page.heading(2, "The run over time");
        page.fence("text", &plot::text(picture));
    }
    environment(&mut page, diagnosis);
    probe(&mut page, diagnosis);
    page.list("Notes", &diagnosis.notes.iter().map(|note| escape(note)).collect::<Vec<_>>());
    page.finish()
}

fn known(page: &mut Page, fault: &Fault) {
    page.heading(1, &sentence(&fault.title));
    let mut parts = vec![format!("`{}`", fault.id), format!("confidence {}", share(fault.confidence))];
    parts.extend(fault.rank.map(|rank| format!("rank {rank}")));
    parts.extend(fault.circumstances.iter().map(|part| escape(part)));
    parts.push(code(&fault.page));
    page.paragraph(&parts.join(" · "));
    page.paragraph(&format!("{}:", capital(&place(fault.span))));
    page.fence("text", &fault.text);
}

fn primary_error(page: &mut Page, error: &PrimaryError, fault: Option<&Fault>) {
    let text = match (error.type_name.as_str(), error.message.as_str()) {
        ("", message) => message.to_owned(),
        (name, "") => name.to_owned(),
        (name, message) if message.starts_with(name) => message.to_owned(),
        (name, message) => format!("{name}: {message}"),
    };
    if fault.is_none_or(|fault| fault.span != error.span || fault.text.trim() != text.trim()) {
        let rank = error.rank.map(|rank| format!(", rank {rank}")).unwrap_or_default();
        page.paragraph(&format!("The error as the text has it ({}{rank}):", place(error.span)));
        page.fence("text", &text);
    }
    if let Some(frame) = &error.frame {
        let line = if frame.line > 0 { format!(":{}", frame.line) } else { String::new() };
        let function = if frame.function.is_empty() { String::new() } else { format!(" in {}", code(&frame.function)) };
        page.paragraph(&format!("Raised through {}{function}", code(&format!("{}{line}", frame.file))));
    }
}

fn causes(page: &mut Page, diagnosis: &Diagnosis) {
    if diagnosis.causes.is_empty() {
        return actions(page, &diagnosis.actions);
    }
    page.heading(2, "Causes");
    page.table(
        &["", "Cause", "Status"],
        diagnosis.causes.iter().map(|cause| {
            vec![share(cause.probability), format!("{} ({})", sentence(&cause.title), code(&cause.id)), status(cause)]
        }),
    );
    if let Some(next) = &diagnosis.next_check {
        page.paragraph(&format!("**Next best check.** {}", sentence(&next.says)));
        page.fences(next.command.as_slice());
    }
    actions(page, &diagnosis.actions);
    like_cases(page, &diagnosis.like_cases);
    page.heading(2, "The causes in detail");
    for cause in &diagnosis.causes {
        one_cause(page, cause, &diagnosis.actions);
    }
}

/// What to do, each action with the causes that it addresses.
fn actions(page: &mut Page, actions: &[Action]) {
    if actions.is_empty() {
        return;
    }
    page.heading(2, "What to do, in this order");
    for (number, action) in (1..).zip(actions) {
        let causes: Vec<String> = action.causes.iter().map(|cause| code(cause)).collect();
        let purpose = if causes.is_empty() { String::new() } else { format!(", for {}", causes.join(", ")) };
        page.paragraph(&format!("{number}\\. **{}** ({}{purpose})", bold(action), code(&action.id)));
        action_body(page, action);
    }
}

/// Public threads in which the same was solved.
fn like_cases(page: &mut Page, cases: &[LikeCase]) {
    if cases.is_empty() {
        return;
    }
    page.heading(2, "Resolved cases with like clues");
    for case in cases {
        let with = if case.with.is_empty() { String::new() } else { format!("{}: ", sentence(&case.with)) };
        let clues: Vec<String> = case.clues.iter().map(|clue| sentence(clue)).collect();
        let (clues, cause, solved) = (clues.join("; "), code(&case.cause), sentence(&case.solved_by));
        page.item(&format!("{with}{clues}. Cause: {cause}. Solved: {solved} <{}>", case.at));
    }
    page.blank();
}

fn action_body(page: &mut Page, action: &Action) {
    if !action.detail.trim().is_empty() {
        page.paragraph(&sentence(&action.detail));
    }
    page.fences(&action.commands);
    if let Some(solved) = &action.solved {
        page.item(&words::precedents(solved));
    }
    for cost in &action.trade_offs {
        page.item(&format!("trade-off: {}", sentence(cost)));
    }
    page.blank();
}

fn bold(action: &Action) -> String {
    sentence(&action.title).replace("**", "")
}

fn one_cause(page: &mut Page, cause: &RankedCause, actions: &[Action]) {
    page.heading(3, &format!("{}: {}", code(&cause.id), sentence(&cause.title)));
    if cause.cases > 0 {
        let cases = words::counted(cause.cases as u64, "known case", "known cases");
        page.paragraph(&format!("The cause of {cases}."));
    }
    for reason in &cause.reasons {
        let sign = if reason.supports { "for" } else { "against" };
        let at = reason.span.map(|span| format!(", {}", place(span))).unwrap_or_default();
        page.item(&format!("**{sign}** ({}{at}): {}", reason.source.word(), sentence(&reason.says)));
    }
    page.blank();
    if !cause.check.trim().is_empty() || cause.check_command.is_some() {
        page.paragraph(&format!("**Check.** {}", sentence(&cause.check)));
        page.fences(cause.check_command.as_slice());
    }
    if !cause.fixes.is_empty() {
        page.paragraph("**Fix**, cheapest first.");
        for fix in &cause.fixes {
            page.item(&format!("{} ({})", sentence(&fix.title), code(&fix.id)));
            // The text so far names it in a likelier cause, or not at all.
            if !actions.contains(fix) {
                action_body(page, fix);
            }
        }
        page.blank();
    }
    if !cause.dead_ends.is_empty() {
        page.paragraph("**Does not help.**");
        for end in &cause.dead_ends {
            page.item(&sentence(end));
        }
        page.blank();
    }
}

fn lookalikes(page: &mut Page, fault: Option<&Fault>) {
    let items: Vec<String> = fault.iter().flat_map(|fault| &fault.lookalikes).map(|words| sentence(words)).collect();
    page.list("Easily confused with", &items);
}

fn reports(page: &mut Page, reports: &[ReportHit]) {
    if reports.is_empty() {
        return;
    }
    page.heading(2, "Matching reports");
    page.table(
        &["Report", "Title", "Status", "Likeness", "Why"],
        reports.iter().map(|report| {
            let why: Vec<String> = report.why.iter().map(|why| escape(why)).collect();
            let more = if report.copies.is_empty() {
                String::new()
            } else {
                format!(", {}", words::copies(report.copies.len()))
            };
            let id = format!("{} ({}{more})", escape(&report.id), code(&report.path));
            vec![id, escape(&report.title), escape(&report.status), figure(report.score), why.join(", ")]
        }),
    );
    for report in reports {
        if let Some(solution) = &report.solution {
            page.paragraph(&format!("{}: {}", escape(&report.id), escape(solution)));
        }
        page.fences(report.command.as_slice());
        if !report.copies.is_empty() {
            let places: Vec<String> = report.copies.iter().map(|path| code(path)).collect();
            page.paragraph(&format!("Copies of {}: {}", escape(&report.id), places.join(", ")));
        }
    }
}

fn nearest(page: &mut Page, diagnosis: &Diagnosis) {
    if diagnosis.nearest.is_empty() {
        return;
    }
    page.heading(2, "Nearest pages of the book");
    page.table(
        &["Page", "Title", "Relative likeness"],
        diagnosis.nearest.iter().map(|near| vec![code(&near.id), sentence(&near.title), figure(near.score)]),
    );
}

fn silent(page: &mut Page, diagnosis: &Diagnosis) {
    if diagnosis.silent.is_empty() {
        return;
    }
    page.heading(2, "Known to go wrong silently with these versions and operations");
    page.table(&["Page", "Title"], diagnosis.silent.iter().map(|near| vec![code(&near.id), sentence(&near.title)]));
}

fn cascade(page: &mut Page, diagnosis: &Diagnosis) {
    if diagnosis.cascade.is_empty() {
        return;
    }
    page.heading(2, "Followed from it");
    page.table(
        &["Line", "Fault", "Why", "Text"],
        diagnosis.cascade.iter().map(|echo| {
            vec![
                echo.span.start.line.to_string(),
                format!("{} ({})", sentence(&echo.title), code(&echo.id)),
                escape(&echo.why),
                code(&echo.text),
            ]
        }),
    );
}

fn notices(page: &mut Page, diagnosis: &Diagnosis) {
    if diagnosis.notices.is_empty() {
        return;
    }
    page.heading(2, "Looks alarming, is harmless");
    page.table(
        &["Line", "Times", "What it says"],
        diagnosis
            .notices
            .iter()
            .map(|notice| vec![notice.line.to_string(), notice.count.to_string(), sentence(&notice.title)]),
    );
}

fn environment(page: &mut Page, diagnosis: &Diagnosis) {
    let environment = &diagnosis.environment;
    if environment.is_empty() && environment.unknowns().next().is_none() {
        return;
    }
    page.heading(2, "Environment");
    let row =
        |name: &str, value: &str, from: String| vec![escape(&facts::label(name)), escape(value), from, code(name)];
    let known = environment.iter().map(|(name, fact)| {
        let line = fact.line.map(|line| format!(", line {line}")).unwrap_or_default();
        row(name, &facts::words(name, &fact.value), format!("{}{line}", fact.source.word()))
    });
    let unknown = environment.unknowns().map(|(name, why)| row(name, "unknown", escape(why)));
    page.table(&["Fact", "Value", "From", "Name"], known.chain(unknown));
}

fn probe(page: &mut Page, diagnosis: &Diagnosis) {
    let Some(probe) = &diagnosis.probe else { return };
    page.heading(2, &format!("The machine ({})", escape(&probe.level)));
    for finding in &probe.findings {
        page.item(&escape(finding));
    }
    page.blank();
}

fn status(cause: &RankedCause) -> String {
    let word = cause.status.word();
    match &cause.status_says {
        Some(says) => format!("{word}: {}", sentence(says)),
        None => word.to_owned(),
    }
}

fn share(probability: f64) -> String {
    words::percent(probability).unwrap_or_default().replace('<', "&lt;").replace('>', "&gt;")
}

fn figure(score: f64) -> String {
    if score.is_finite() { format!("{score:.2}") } else { String::new() }
}

fn place(span: Span) -> String {
    if span.end.line > span.start.line {
        format!("lines {}-{}", span.start.line, span.end.line)
    } else {
        format!("line {}", span.start.line)
    }
}
