//! The rest: consequences, harmless lines, dead ends, how the machine was probed, where to read more.

use textwrap::core::display_width;

use super::head;
use crate::diagnosis::cascade::{BEFORE, REPEATED};
use crate::diagnosis::{Consequence, Diagnosis, NoticeHit, ProbeSummary};
use crate::render::clean;
use crate::render::inline;
use crate::render::layout::{Paragraph, Sheet, piece};
use crate::render::style::{FAINT, PLAIN, STRONG};
use crate::render::words::{counted, mid_sentence, open_ended};

/// The number of different consequences that are named.
const ECHOES: usize = 4;

/// The number of lines listed per consequence.
const PLACES: usize = 3;

/// The number of harmless lines shown next to a failure.
const NOTICES: usize = 3;

/// A final block with one paragraph per subject.
pub(super) fn asides(sheet: &mut Sheet, diagnosis: &Diagnosis) {
    sheet.blank();
    cascade(sheet, &diagnosis.cascade);
    lookalike(sheet, diagnosis);
    dead_ends(sheet, diagnosis);
    harmless(sheet, &diagnosis.notices);
    notes(sheet, diagnosis);
    more(sheet, diagnosis);
}

/// The consequences of the primary fault.
fn cascade(sheet: &mut Sheet, echoes: &[Consequence]) {
    let words = match echoes {
        [] => return,
        [echo] => format!("line {}, {}; {}.", echo.span.start.line, title(echo), standing(&echo.why)),
        echoes => format!("{} that follow: {}.", counted(echoes.len() as u64, "line", "lines"), grouped(echoes, sheet)),
    };
    sheet.paragraph(&Paragraph::new(words).lead(STRONG, "Not the cause: ").indent(2));
}

/// How a line stands to the failure. Not every line that is no cause is a consequence.
fn standing(why: &str) -> String {
    match why {
        REPEATED => "it repeats this failure".to_owned(),
        BEFORE => "it was printed before, and the run went on".to_owned(),
        why => format!("it follows{}", bracketed(why)),
    }
}

/// The fault that is most often mistaken for this one.
fn lookalike(sheet: &mut Sheet, diagnosis: &Diagnosis) {
    let Some(fault) = &diagnosis.fault else { return };
    for one in fault.lookalikes.iter().take(sheet.most(1)) {
        sheet.paragraph(&Paragraph::new(inline::plain(one)).lead(STRONG, "Easily confused with: ").indent(2));
    }
}

/// Consequences of one kind with their lines.
fn grouped(echoes: &[Consequence], sheet: &Sheet) -> String {
    let (echo_count, place_count) = (sheet.most(ECHOES), sheet.most(PLACES));
    let mut groups: Vec<(&Consequence, Vec<u32>)> = Vec::new();
    for echo in echoes {
        match groups.iter_mut().find(|(first, _)| first.id == echo.id && first.why == echo.why) {
            Some((_, lines)) => lines.push(echo.span.start.line),
            None => groups.push((echo, vec![echo.span.start.line])),
        }
    }
    let mut named: Vec<String> = groups
        .iter()
        .take(echo_count)
        .map(|(echo, lines)| {
            let mut places: Vec<String> = lines.iter().take(place_count).map(u32::to_string).collect();
            if lines.len() > place_count {
                places.push(format!("{} more", lines.len() - place_count));
            }
            format!("{}, line {}{}", title(echo), places.join(", "), bracketed(&echo.why))
        })
        .collect();
    let rest: usize = groups.iter().skip(echo_count).map(|(_, lines)| lines.len()).sum();
    if rest > 0 {
        named.push(format!("{rest} more"));
    }
    named.join("; ")
}

fn title(echo: &Consequence) -> String {
    mid_sentence(&inline::plain(&echo.title))
}

/// Harmless lines next to a failure.
fn harmless(sheet: &mut Sheet, notices: &[NoticeHit]) {
    if notices.is_empty() {
        return;
    }
    let most = sheet.most(NOTICES);
    let mut named: Vec<String> = notices
        .iter()
        .take(most)
        .map(|notice| {
            let times = if notice.count > 1 { format!(" ({}x)", notice.count) } else { String::new() };
            format!("line {}, {}{times}", notice.line, inline::plain(open_ended(&notice.title)))
        })
        .collect();
    if notices.len() > most {
        named.push(format!("{} more", notices.len() - most));
    }
    sheet.paragraph(
        &Paragraph::new(format!("{}.", named.join("; "))).lead(STRONG, "Looks bad, is harmless: ").indent(2),
    );
}

/// Harmless lines of a healthy text, one row each.
pub(super) fn notice_rows(sheet: &mut Sheet, notices: &[NoticeHit]) {
    for notice in notices {
        let times = if notice.count > 1 { format!("{}x", notice.count) } else { String::new() };
        let title = Paragraph::new(inline::plain(&notice.title));
        sheet.paragraph(&title.lead(FAINT, head::place(notice.line)).right(FAINT, times));
    }
}

/// Probability of a cause from which on it is said what does not help with it: it may well help with another cause.
const RATHER_LIKELY: f64 = 0.6;

/// What does not help with the best cause.
fn dead_ends(sheet: &mut Sheet, diagnosis: &Diagnosis) {
    let best = diagnosis.causes.first().filter(|cause| cause.probability >= RATHER_LIKELY);
    let Some(cause) = best.filter(|cause| !cause.dead_ends.is_empty()) else { return };
    let named: Vec<String> = cause
        .dead_ends
        .iter()
        .map(|end| if sheet.in_full { end } else { inline::before_reason(end) })
        .map(|end| mid_sentence(&inline::plain(open_ended(end))))
        .collect();
    sheet.paragraph(&Paragraph::new(format!("{}.", named.join("; "))).lead(STRONG, "Does not help: ").indent(2));
}

/// The results of the probe.
pub(super) fn probe(sheet: &mut Sheet, diagnosis: &Diagnosis) {
    let Some(ProbeSummary { level, findings }) = &diagnosis.probe else { return };
    sheet.blank();
    let heading = if level == "saved" {
        "The machine, from saved facts".to_owned()
    } else {
        format!("This machine, asked just now ({level})")
    };
    sheet.paragraph(&Paragraph::new(heading).style(STRONG));
    if findings.is_empty() {
        sheet.paragraph(&Paragraph::new("no problems found").lead(PLAIN, "  "));
    }
    for finding in findings {
        sheet.paragraph(&Paragraph::new(inline::plain(finding)).lead(PLAIN, "  "));
    }
}

/// How the text was read, if the user should know.
pub(super) fn notes(sheet: &mut Sheet, diagnosis: &Diagnosis) {
    for note in &diagnosis.notes {
        sheet.paragraph(&Paragraph::new(note).style(FAINT).lead(FAINT, "Note: ").indent(2));
    }
}

/// Where to read more: the page, and the best report.
fn more(sheet: &mut Sheet, diagnosis: &Diagnosis) {
    let fault = diagnosis.fault.as_ref().map(|fault| show(&fault.id));
    let report = diagnosis.reports.first().map(|report| show(&report.id));
    match (fault, report) {
        (Some(first), Some(second)) if display_width(&first) + display_width(&second) + 9 > sheet.width() => {
            sheet.line(&[piece(STRONG, "More: "), piece(PLAIN, first)]);
            sheet.line(&[piece(PLAIN, "      "), piece(PLAIN, second)]);
        }
        (Some(first), Some(second)) => {
            sheet.at_right_edge(&[piece(STRONG, "More: "), piece(PLAIN, first)], &piece(PLAIN, second));
        }
        (Some(only), None) | (None, Some(only)) => {
            sheet.line(&[piece(STRONG, "More: "), piece(PLAIN, only)]);
        }
        (None, None) => {}
    }
}

/// The command with an id, ready to type: ids of reports can be file names with spaces.
fn show(id: &str) -> String {
    let id = clean::line(id);
    let harmless = |c: char| c.is_alphanumeric() || "-_./".contains(c);
    let word =
        if id.starts_with('-') || !id.chars().all(harmless) { format!("'{}'", id.replace('\'', "'\\''")) } else { id };
    format!("faultbook show {word}")
}

fn bracketed(why: &str) -> String {
    let why = clean::line(why);
    if why.is_empty() { String::new() } else { format!(" ({why})") }
}
