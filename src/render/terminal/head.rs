//! The first lines of an answer: which fault, where, under which circumstances.

use crate::diagnosis::{Diagnosis, PrimaryError, Verdict};
use crate::render::clean;
use crate::render::inline;
use crate::render::layout::{Paragraph, Sheet, piece, shorten_middle};
use crate::render::style::{FAINT, FAULT, HEALTHY, PLAIN, STRONG, UNLISTED};
use crate::render::words::{ORDINARY, counted, mid_sentence};

/// Lines of an unknown error message; the rest of a longer one is in the text itself.
const MESSAGE_LINES: usize = 4;

/// Title and id, the line that shows it, circumstances.
pub(super) fn fault(sheet: &mut Sheet, diagnosis: &Diagnosis) {
    let Some(fault) = &diagnosis.fault else { return unlisted(sheet, diagnosis) };
    let title = Paragraph::new(inline::plain(&fault.title)).style(FAULT).right(FAINT, &fault.id);
    sheet.paragraph(&title);
    let lead = place(fault.span.start.line);
    let room = sheet.width().saturating_sub(lead.len());
    let words = shorten_middle(&clean::line(&fault.text), room);
    sheet.line(&[piece(FAINT, &lead), piece(STRONG, words)]);
    let frame = diagnosis.error.as_ref().and_then(frame_words);
    circumstances(sheet, lead.len(), frame, &fault.circumstances, fault.rank);
    if diagnosis.verdict == Verdict::OrdinaryError {
        sheet.paragraph(&Paragraph::new(ORDINARY).lead(PLAIN, "  ").style(FAINT));
    }
}

/// The error as printed in the text, when the book has no page for it.
pub(super) fn unlisted(sheet: &mut Sheet, diagnosis: &Diagnosis) {
    let Some(error) = &diagnosis.error else {
        return sheet.paragraph(&Paragraph::new("Not a failure in the book").style(UNLISTED));
    };
    let words = if error.type_name.is_empty() || error.message.starts_with(&error.type_name) {
        error.message.clone()
    } else if error.message.is_empty() {
        error.type_name.clone()
    } else {
        format!("{}: {}", error.type_name, error.message)
    };
    let title = Paragraph::new(words).lead(UNLISTED, "Not a failure in the book: ").indent(2);
    sheet.paragraph(&title.style(STRONG).at_most(MESSAGE_LINES));
    let lead = place(error.span.start.line);
    let place = frame_words(error).unwrap_or_default();
    let rank = error.rank.map(|rank| format!("(rank {rank})")).unwrap_or_default();
    sheet.paragraph(&Paragraph::new(place).lead(FAINT, lead).right(FAINT, rank));
}

/// The answer for a healthy text.
pub(super) fn healthy(sheet: &mut Sheet, diagnosis: &Diagnosis) {
    if diagnosis.lines_read == 0 {
        return sheet.paragraph(&Paragraph::new("Nothing to diagnose: the text is empty.").style(STRONG));
    }
    let lines = counted(diagnosis.lines_read.into(), "line", "lines");
    let found = format!("No failure found in {lines}.");
    let harmless = match diagnosis.notices.len() {
        0 => String::new(),
        1 => "1 warning that looks alarming but is harmless:".to_owned(),
        many => format!("{many} warnings that look alarming but are harmless:"),
    };
    sheet.paragraph(&Paragraph::new(harmless).lead(HEALTHY, found).lead(PLAIN, " ").indent(0));
}

/// Frame, phase, rank: on one line if they fit, otherwise on one line each.
fn circumstances(sheet: &mut Sheet, indent: usize, frame: Option<String>, said: &[String], rank: Option<u32>) {
    let mut parts: Vec<String> = frame.into_iter().collect();
    parts.extend(said.iter().map(|part| mid_sentence(&clean::line(&inline::plain(part)))));
    parts.extend(rank.map(|rank| format!("rank {rank}")));
    parts.retain(|part| !part.is_empty());
    if !parts.is_empty() {
        sheet.paragraph(&Paragraph::new(parts.join(", ")).lead(PLAIN, " ".repeat(indent)));
    }
}

/// The column before quoted text: `  line 88   `.
pub(super) fn place(line: u32) -> String {
    format!("  line {line:<3}  ")
}

/// `ocr/data/collate.py:41 in collate_fn`.
fn frame_words(error: &PrimaryError) -> Option<String> {
    /// Columns of a path; its file name and the folders next to it matter most.
    const PATH: usize = 48;
    let frame = error.frame.as_ref()?;
    let file = shorten_path(&clean::line(&frame.file), PATH);
    let place = if frame.line > 0 && !file.is_empty() { format!("{file}:{}", frame.line) } else { file };
    let function = shorten_middle(&clean::line(&frame.function), PATH);
    let function = if function.is_empty() { function } else { format!("in {function}") };
    let words = [place, function].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    (!words.is_empty()).then_some(words)
}

/// The end of a path, from the start of a folder: `.../ocr/data/collate.py`.
fn shorten_path(path: &str, most: usize) -> String {
    let count = path.chars().count();
    if count <= most {
        return path.to_owned();
    }
    let end: String = path.chars().skip(count - (most - 4)).collect();
    let from = end.find(['/', '\\']).unwrap_or(0);
    format!("...{}", &end[from..])
}
