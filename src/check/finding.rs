//! One finding of the linter: where, which rule, what is wrong, what to do, and the edit that fixes it if one is safe.
//!
//! Columns count Unicode scalar values, edits count bytes. A finding is on one line, so that it can be shown under that
//! line; an edit may span several.

use std::fmt;
use std::ops::Range;

use super::catalogue;
use crate::book::problem::Problem;

/// A problem in a page or a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The document's path as given.
    pub path: String,
    /// Line of the file, from 1.
    pub line: u32,
    /// First column, from 1, in Unicode scalar values.
    pub column: u32,
    /// The column after the marked words, on the same line.
    pub end: u32,
    /// The rule's name: `unknown-cause`.
    pub rule: &'static str,
    /// From the catalogue, unless overridden.
    pub severity: Severity,
    /// The message: what is wrong, and with what.
    pub message: String,
    /// What to do next; empty if the message says it all.
    pub help: String,
    /// The edit that `--fix` applies; only if it cannot lose anything.
    pub fix: Option<Edit>,
}

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; a check that finds nothing worse is clean.
    Info,
    /// Should be fixed.
    Warning,
    /// The page cannot be used as it is, or the report says something untrue.
    Error,
}

impl Severity {
    /// The word that is printed.
    pub fn word(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A change of a document's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that are replaced; empty for an insertion.
    pub range: Range<usize>,
    /// The replacement.
    pub replacement: String,
}

impl Finding {
    /// Adds the next thing to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    /// Adds the edit that fixes it.
    #[must_use]
    pub fn fix(mut self, range: Range<usize>, replacement: impl Into<String>) -> Self {
        self.fix = Some(Edit { range, replacement: replacement.into() });
        self
    }

    /// Overrides the severity from the catalogue.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}  {}: {}", self.path, self.line, self.column, self.rule, self.message)
    }
}

/// A document's text with an index of its lines, to convert byte offsets to positions.
#[derive(Debug)]
pub(super) struct Source<'t> {
    /// The path as given.
    pub path: &'t str,
    pub text: &'t str,
    line_starts: Vec<usize>,
    /// How many letters there are before each block of the text, so that a place in a long line is found at once.
    letters: Vec<usize>,
}

/// Bytes of a block.
const BLOCK: usize = 4096;

impl<'t> Source<'t> {
    /// Indexes the lines of `text`.
    pub(super) fn new(path: &'t str, text: &'t str) -> Self {
        let line_starts =
            std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|i| i + 1)).collect();
        let is_letter = |byte: &&u8| !matches!(**byte, 0x80..=0xbf);
        let blocks = text.as_bytes().chunks(BLOCK).scan(0, |sum, block| {
            let before = *sum;
            *sum += block.iter().filter(is_letter).count();
            Some(before)
        });
        Self { path, text, line_starts, letters: blocks.collect() }
    }

    /// How many letters begin between two places of the text.
    fn letters(&self, start: usize, end: usize) -> usize {
        let upto = |at: usize| {
            let block = at / BLOCK;
            let rest = self.text.as_bytes().get(block * BLOCK..at).unwrap_or_default();
            let before = self.letters.get(block).copied();
            before.unwrap_or_else(|| self.text.chars().count())
                + rest.iter().filter(|byte| !matches!(**byte, 0x80..=0xbf)).count()
        };
        upto(end).saturating_sub(upto(start))
    }

    /// A finding over `range`, cut to its first line.
    pub(super) fn finding(&self, range: Range<usize>, rule: &'static str, message: impl Into<String>) -> Finding {
        let index = self.line_starts.partition_point(|start| *start <= range.start).max(1) - 1;
        let start = self.line_starts.get(index).copied().unwrap_or(0);
        let words = self.line(index);
        let width = |end: usize| self.letters(start, end.clamp(start, start + words.len()));
        let column = number(width(range.start)) + 1;
        let end = number(width(range.end.max(range.start))) + 1;
        self.at(number(index) + 1, column, end.max(column + 1), rule, message.into())
    }

    /// A finding over the text of a line, counted from 1.
    pub(super) fn finding_on_line(&self, line: u32, rule: &'static str, message: impl Into<String>) -> Finding {
        let words = self.line((line as usize).saturating_sub(1));
        let indent = words.chars().take_while(|c| c.is_whitespace()).count();
        let width = words.trim_end().chars().count().max(indent + 1);
        self.at(line.max(1), number(indent) + 1, number(width) + 1, rule, message.into())
    }

    /// A problem from the strict reader, marked to the end of its words.
    pub(super) fn problem(&self, problem: Problem) -> Finding {
        let words = self.line((problem.line as usize).saturating_sub(1));
        let width = number(words.trim_end().chars().count());
        let end = (width + 1).max(problem.column + 1);
        let mut finding = self.at(problem.line, problem.column, end, problem.rule, problem.message);
        finding.help = problem.help;
        finding
    }

    /// The text of a line, counted from 0, without the line break.
    pub(super) fn line(&self, index: usize) -> &'t str {
        let Some(&start) = self.line_starts.get(index) else { return "" };
        let end = self.line_starts.get(index + 1).map_or(self.text.len(), |next| next - 1);
        self.text.get(start..end).unwrap_or_default().trim_end_matches('\r')
    }

    /// The number, from 1, of the line that contains a byte.
    pub(super) fn line_of(&self, offset: usize) -> u32 {
        number(self.line_starts.partition_point(|start| *start <= offset).max(1))
    }

    /// The line break that the document uses.
    pub(super) fn line_break(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    fn at(&self, line: u32, column: u32, end: u32, rule: &'static str, message: String) -> Finding {
        Finding {
            path: self.path.to_owned(),
            line,
            column,
            end,
            rule,
            severity: catalogue::severity(rule),
            message,
            help: String::new(),
            fix: None,
        }
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX - 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_and_stay_on_one_line() {
        let source = Source::new("a.md", "요약: x\r\nsecond\n");
        let at = |range: Range<usize>| {
            let finding = source.finding(range, "placeholder", "");
            (finding.line, finding.column, finding.end)
        };
        assert_eq!(at(8..9), (1, 5, 6));
        assert_eq!(at(0..500), (1, 1, 6));
        assert_eq!(at(11..17), (2, 1, 7));
        assert_eq!(at(900..901), (3, 1, 2));
        assert_eq!(source.line(0), "요약: x");
        assert_eq!((source.line(9), source.line_of(12)), ("", 2));
        assert_eq!(source.finding_on_line(2, "placeholder", "").end, 7);
    }
}
