//! The analysis of a log, with every position as the document counts it.
//!
//! A long log is read at its start and its end; a note names the lines left out. The core's columns count
//! cleaned characters, so positions are looked up again in the document's own line.

use std::borrow::Cow;

use lsp_types::{FoldingRange, FoldingRangeKind, Range};

use super::text::{Text, number};
use crate::diagnosis::Diagnosis;
use crate::diagnosis::{Measured, diagnose};
use crate::incident;
use crate::incident::Incident;
use crate::reports::knowledge::Knowledge;
use crate::text;
use crate::text::Transcript;

/// Longer documents are read in part: no more than this is read of any, and an answer takes a second or two.
const WHOLE: usize = START + END;
/// How much of the start is read then: versions, the command line, first failures.
const START: usize = 8 << 20;
/// How much of the end: where runs die.
const END: usize = 24 << 20;

/// Editors show so many places in an outline and fold so many stretches (VS Code's own limit).
const MOST_PLACES: usize = 5_000;

/// A log, analysed.
#[derive(Debug)]
pub(super) struct Analysis {
    /// The answer; lines count as in the document, from 1.
    pub(super) diagnosis: Diagnosis,
    /// Foldable stretches: tracebacks, and what one rank wrote in a row.
    pub(super) folds: Vec<FoldingRange>,
    /// Errors, in the order of the text: first line from 0, last line, words.
    pub(super) errors: Vec<(u32, u32, String)>,
}

/// Reads a log.
pub(super) fn read(text: &Text, knowledge: &Knowledge) -> Analysis {
    let (shown, excerpt) = read_part(text);
    let transcript = text::read_excerpt(shown.as_bytes(), &excerpt);
    let incident = incident::read(&transcript);
    let diagnosis = diagnose(&transcript, &incident, knowledge.library(), &Measured::default());
    let (folds, errors) = (folds(&transcript, &incident), errors(&transcript, &incident));
    Analysis { diagnosis, folds, errors }
}

/// What is read of a document, and which of its lines that are.
pub(super) fn read_part(text: &Text) -> (Cow<'_, str>, text::Excerpt) {
    match Cut::of(text) {
        Some(cut) => (Cow::Owned(cut.excerpt(text)), cut.excerpt_of(text)),
        None => (Cow::Borrowed(text.as_str()), text::Excerpt::default()),
    }
}

/// The range of some words of a line (counted from 1) in the document; the whole line if it does not contain them.
pub(super) fn place(text: &Text, line: u32, words: &str) -> Range {
    let line = usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1);
    let range = text.line_range(line);
    let shown = text.line(line);
    let words = words.trim();
    if !words.is_empty()
        && let Some(at) = shown.find(words)
    {
        return text.range(&(range.start + at..range.start + at + words.len()));
    }
    let indent = shown.len() - shown.trim_start().len();
    text.range(&(range.start + indent..range.end.max(range.start + indent)))
}

/// The lines left out in the middle of a document.
#[derive(Debug)]
struct Cut {
    /// The first line left out, from 0.
    from: usize,
    /// The first line read again, from 0.
    to: usize,
}

impl Cut {
    fn of(text: &Text) -> Option<Self> {
        Self::with(text, WHOLE, START, END)
    }

    fn with(text: &Text, whole: usize, start: usize, end: usize) -> Option<Self> {
        let length = text.as_str().len();
        if length <= whole {
            return None;
        }
        let (from, to) = (text.line_of(start), text.line_of(length - end) + 1);
        (from < to).then_some(Self { from, to })
    }

    fn excerpt(&self, text: &Text) -> String {
        let (from, to) = (text.line_range(self.from).start, text.line_range(self.to).start);
        let whole = text.as_str();
        [whole.get(..from).unwrap_or_default(), whole.get(to..).unwrap_or_default()].concat()
    }

    /// Which lines of the document the excerpt holds.
    fn excerpt_of(&self, text: &Text) -> text::Excerpt {
        let line = |index: usize| u64::from(number(index)) + 1;
        let stretches = [(1, 1), (line(self.from), line(self.to))];
        text::Excerpt::of(u64::from(number(text.lines())), stretches, self.note())
    }

    fn note(&self) -> String {
        format!("this log is long: lines {} to {} were not read", self.from + 1, self.to)
    }
}

/// Tracebacks, and stretches that one rank wrote.
fn folds(transcript: &Transcript, incident: &Incident) -> Vec<FoldingRange> {
    let fold = |first: u32, last: u32, kind: Option<FoldingRangeKind>, words: Option<String>| FoldingRange {
        start_line: first.saturating_sub(1),
        end_line: last.saturating_sub(1),
        start_character: None,
        end_character: None,
        kind,
        collapsed_text: words,
    };
    let mut folds = Vec::new();
    let mut open: Option<(u32, u32, u32)> = None;
    let mut close = |open: Option<(u32, u32, u32)>| {
        if let Some((rank, first, last)) = open
            && last > first
            && folds.len() < MOST_PLACES
        {
            folds.push(fold(first, last, Some(FoldingRangeKind::Region), Some(format!("rank {rank}"))));
        }
    };
    for line in transcript.lines() {
        open = match (open, line.prefix.rank) {
            (Some((rank, first, _)), Some(same)) if rank == same => Some((rank, first, line.number)),
            (before, rank) => {
                close(before);
                rank.map(|rank| (rank, line.number, line.number))
            }
        };
    }
    close(open);
    for error in incident.errors.iter().take(MOST_PLACES) {
        let (Some(first), Some(last)) = (number_of(transcript, error.lines.start), last_of(transcript, &error.lines))
        else {
            continue;
        };
        if last > first {
            folds.push(fold(first, last, None, None));
        }
    }
    folds.sort_by_key(|fold| (fold.start_line, fold.end_line));
    folds.dedup_by_key(|fold| (fold.start_line, fold.end_line));
    folds.truncate(MOST_PLACES);
    folds.shrink_to_fit();
    folds
}

fn errors(transcript: &Transcript, incident: &Incident) -> Vec<(u32, u32, String)> {
    let mut out = Vec::new();
    for error in incident.errors.iter().take(MOST_PLACES) {
        let Some(first) = number_of(transcript, error.headline) else { continue };
        let last = last_of(transcript, &error.lines).unwrap_or(first).max(first);
        let words = transcript.line(error.headline).text.trim().chars().take(120).collect();
        out.push((first.saturating_sub(1), last.saturating_sub(1), words));
    }
    out
}

fn number_of(transcript: &Transcript, line: usize) -> Option<u32> {
    (line < transcript.len()).then(|| transcript.line(line).number)
}

fn last_of(transcript: &Transcript, lines: &std::ops::Range<usize>) -> Option<u32> {
    number_of(transcript, lines.end.min(transcript.len()).checked_sub(1)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hole_keeps_the_numbers() {
        let text = Text::new((0..100).map(|i| format!("line {i}\n")).collect());
        let cut = Cut::with(&text, 100, 40, 40).expect("long");
        let (excerpt, places) = (cut.excerpt(&text), cut.excerpt_of(&text));
        for (index, line) in excerpt.lines().enumerate() {
            assert_eq!(line, format!("line {}", places.original(number(index) + 1) - 1));
        }
        assert!(excerpt.lines().count() < 15 && excerpt.ends_with("line 99\n"));
        assert!(Cut::with(&text, 10_000, 40, 40).is_none());
    }

    #[test]
    fn words_are_found_behind_their_prefix() {
        let text = Text::new("ok\n[rank1]: 😀 RuntimeError: no\n".to_owned());
        let range = place(&text, 2, "RuntimeError: no");
        assert_eq!((range.start.character, range.end.character), (12, 28));
        assert_eq!(place(&text, 2, "absent").start.character, 0);
        assert_eq!(place(&text, 99, "absent").start.line, 2);
    }
}
