//! What stands below: consequences, harmless lines, dead ends, how the machine was asked, where to read on.

use crate::diagnosis::{Diagnosis, Echo, NoticeHit};
use crate::render::layout::{Paragraph, Sheet};
use crate::render::style::{FAINT, PLAIN, STRONG};
use crate::render::words::{counted, mid_sentence, open_ended};
use crate::render::{clean, inline};

/// Different consequences that get a row.
const ECHOES: usize = 4;

/// Line numbers named per consequence.
const PLACES: usize = 3;

/// Harmless lines named beside a real failure.
const NOTICES: usize = 3;

/// What followed from the primary fault.
pub(super) fn cascade(sheet: &mut Sheet, diagnosis: &Diagnosis) {
    match diagnosis.cascade.as_slice() {
        [] => {}
        [echo] => {
            sheet.blank();
            let title = mid_sentence(&inline::plain(&echo.title));
            let words = format!("line {}, {title}{}: it follows.", echo.span.start.line, bracketed(&echo.why));
            sheet.paragraph(&Paragraph::new(words).lead(STRONG, "Not the cause: ").indent(2));
        }
        echoes => {
            sheet.blank();
            let lead = format!("{} that followed", counted(echoes.len() as u64, "line", "lines"));
            sheet.paragraph(&Paragraph::new(lead).lead(STRONG, "Not the cause: ").indent(2));
            echo_rows(sheet, echoes);
        }
    }
}

/// Consequences of one kind share a row.
fn echo_rows(sheet: &mut Sheet, echoes: &[Echo]) {
    let mut groups: Vec<(&Echo, Vec<u32>)> = Vec::new();
    for echo in echoes {
        match groups.iter_mut().find(|(first, _)| first.id == echo.id && first.why == echo.why) {
            Some((_, lines)) => lines.push(echo.span.start.line),
            None => groups.push((echo, vec![echo.span.start.line])),
        }
    }
    for (echo, lines) in groups.iter().take(ECHOES) {
        let named: Vec<String> = lines.iter().take(PLACES).map(u32::to_string).collect();
        let more = lines.len().saturating_sub(PLACES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let place = format!("  line {}{more}  ", named.join(", "));
        let words = format!("{}{}", inline::plain(&echo.title), bracketed(&echo.why));
        sheet.paragraph(&Paragraph::new(words).lead(FAINT, place));
    }
    if groups.len() > ECHOES {
        let rest: usize = groups[ECHOES..].iter().map(|(_, lines)| lines.len()).sum();
        sheet.paragraph(&Paragraph::new(format!("and {rest} more")).style(FAINT).lead(PLAIN, "  "));
    }
}

/// Harmless lines beside a real failure.
pub(super) fn notices(sheet: &mut Sheet, notices: &[NoticeHit]) {
    if notices.is_empty() {
        return;
    }
    sheet.blank();
    sheet.paragraph(&Paragraph::new("Looks alarming, is harmless").style(STRONG));
    notice_rows(sheet, notices.get(..NOTICES).unwrap_or(notices));
    if let Some(more) = notices.len().checked_sub(NOTICES).filter(|more| *more > 0) {
        sheet.paragraph(&Paragraph::new(format!("and {more} more")).style(FAINT).lead(PLAIN, "  "));
    }
}

/// Harmless lines, one row each.
pub(super) fn notice_rows(sheet: &mut Sheet, notices: &[NoticeHit]) {
    for notice in notices {
        let lead = format!("  line {:<4} ", notice.line);
        let times = if notice.count > 1 { format!("{}x", notice.count) } else { String::new() };
        sheet.paragraph(&Paragraph::new(inline::plain(&notice.title)).lead(FAINT, lead).right(FAINT, times));
    }
}

/// What does not help against the best cause.
pub(super) fn dead_ends(sheet: &mut Sheet, diagnosis: &Diagnosis) {
    let Some(cause) = diagnosis.causes.first().filter(|cause| !cause.dead_ends.is_empty()) else { return };
    let named: Vec<String> = cause
        .dead_ends
        .iter()
        .map(|end| mid_sentence(&inline::plain(open_ended(inline::before_reason(end)))))
        .collect();
    sheet.blank();
    sheet.paragraph(&Paragraph::new(format!("{}.", named.join("; "))).lead(STRONG, "Does not help: ").indent(2));
}

/// What the machine said.
pub(super) fn probe(sheet: &mut Sheet, diagnosis: &Diagnosis) {
    let Some(probe) = &diagnosis.probe else { return };
    sheet.blank();
    sheet.paragraph(&Paragraph::new(format!("This machine, asked just now ({})", probe.level)).style(STRONG));
    for finding in &probe.findings {
        sheet.paragraph(&Paragraph::new(inline::plain(finding)).lead(PLAIN, "  "));
    }
}

/// How the text was read, where somebody should know.
pub(super) fn notes(sheet: &mut Sheet, diagnosis: &Diagnosis) {
    for (place, note) in diagnosis.notes.iter().enumerate() {
        if place == 0 {
            sheet.blank();
        }
        sheet.paragraph(&Paragraph::new(note).style(FAINT).lead(FAINT, "Note: ").indent(2));
    }
}

/// Where to read on.
pub(super) fn more(sheet: &mut Sheet, diagnosis: &Diagnosis) {
    let fault = diagnosis.fault.as_ref().map(|fault| fault.id.as_str());
    let report = diagnosis.reports.first().map(|report| report.id.as_str());
    let shown: Vec<String> = fault.into_iter().chain(report).map(|id| format!("faultbook show {}", shell_word(id))).collect();
    if shown.is_empty() {
        return;
    }
    sheet.blank();
    sheet.paragraph(&Paragraph::new(shown.join(", ")).lead(STRONG, "More: ").indent(2));
}

/// An id as it can be typed: ids of reports can be file names with blanks.
fn shell_word(id: &str) -> String {
    let id = clean::line(id);
    let harmless = |c: char| c.is_alphanumeric() || "-_./".contains(c);
    if !id.is_empty() && id.chars().all(harmless) { id } else { format!("'{}'", id.replace('\'', "'\\''")) }
}

fn bracketed(why: &str) -> String {
    let why = clean::line(why);
    if why.is_empty() { String::new() } else { format!(" ({why})") }
}
