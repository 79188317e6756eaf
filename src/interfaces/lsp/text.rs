//! A document's text with its lines, and places in it as the protocol counts them: lines from 0, UTF-16 units.
//!
//! Positions that do not exist mean the nearest one that does, as the protocol asks; inside a surrogate pair that
//! is the character's beginning. A lone `\r` ends a line too, because clients count it so.

use std::ops::Range;

use lsp_types::{Position, TextDocumentContentChangeEvent};

/// A text whose lines are known.
#[derive(Debug, Clone, Default)]
pub(super) struct Text {
    text: String,
    /// Where lines begin, in bytes: no message is so long that these have more than 32 bits.
    starts: Vec<u32>,
}

impl Text {
    pub(super) fn new(text: String) -> Self {
        let starts = starts(&text);
        Self { text, starts }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// How many lines there are, an empty one after the last line end included.
    pub(super) fn lines(&self) -> usize {
        self.starts.len()
    }

    /// The byte at which a line begins.
    fn start(&self, line: usize) -> Option<usize> {
        self.starts.get(line).map(|start| *start as usize)
    }

    /// The bytes of a line, counted from 0, without its end.
    pub(super) fn line_range(&self, line: usize) -> Range<usize> {
        let Some(start) = self.start(line) else { return self.text.len()..self.text.len() };
        let end = self.start(line + 1).unwrap_or(self.text.len());
        let words = self.text.get(start..end).unwrap_or_default().trim_end_matches(['\r', '\n']);
        start..start + words.len()
    }

    /// A line, counted from 0, without its end.
    pub(super) fn line(&self, line: usize) -> &str {
        self.text.get(self.line_range(line)).unwrap_or_default()
    }

    /// The line, counted from 0, that contains a byte.
    pub(super) fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start as usize <= offset).saturating_sub(1)
    }

    /// The byte at a place.
    pub(super) fn offset(&self, place: Position) -> usize {
        let line = usize::try_from(place.line).unwrap_or(usize::MAX);
        let range = self.line_range(line);
        let words = self.text.get(range.clone()).unwrap_or_default();
        let wanted = usize::try_from(place.character).unwrap_or(usize::MAX);
        if words.is_ascii() {
            return range.start + wanted.min(words.len());
        }
        let mut units = 0;
        for (at, c) in words.char_indices() {
            units += c.len_utf16();
            if units > wanted {
                return range.start + at;
            }
        }
        range.end
    }

    /// The place of a byte.
    pub(super) fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let line = self.line_of(offset);
        let start = self.start(line).unwrap_or(0);
        // An offset inside a character counts as its beginning.
        let before = (start..=offset).rev().find_map(|end| self.text.get(start..end)).unwrap_or_default();
        let character = if before.is_ascii() { before.len() } else { before.chars().map(char::len_utf16).sum() };
        Position { line: number(line), character: number(character) }
    }

    /// The places of a stretch of bytes.
    pub(super) fn range(&self, range: &Range<usize>) -> lsp_types::Range {
        lsp_types::Range { start: self.position(range.start), end: self.position(range.end) }
    }

    /// Applies an edit.
    pub(super) fn change(&mut self, change: TextDocumentContentChangeEvent) {
        let Some(range) = change.range else {
            *self = Self::new(change.text);
            return;
        };
        let start = self.offset(range.start);
        let end = self.offset(range.end).max(start);
        self.text.replace_range(start..end, &change.text);
        // Lines before the edit stay; what comes after is counted again from the line of the edit on.
        let first = self.line_of(start);
        // A `\n` typed at a line's beginning may join a `\r` before it.
        let first = first.saturating_sub(1);
        let base = self.start(first).unwrap_or(0);
        self.starts.truncate(first);
        self.starts
            .extend(starts(self.text.get(base..).unwrap_or_default()).into_iter().map(|start| start + number(base)));
    }
}

/// A count as the protocol carries it.
pub(super) fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn starts(text: &str) -> Vec<u32> {
    let bytes = text.as_bytes();
    let ends = memchr::memchr2_iter(b'\n', b'\r', bytes);
    let ends = ends.filter(|at| bytes.get(*at) == Some(&b'\n') || bytes.get(at + 1) != Some(&b'\n'));
    let mut starts: Vec<u32> = std::iter::once(0).chain(ends.map(|at| number(at + 1))).collect();
    starts.shrink_to_fit();
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn places_are_counted_in_utf_16() {
        let text = Text::new("a😀b\r\né\rz\n".to_owned());
        assert_eq!(text.lines(), 4);
        for (place, offset) in [
            (at(0, 0), 0),
            (at(0, 1), 1),
            (at(0, 2), 1),
            (at(0, 3), 5),
            (at(0, 4), 6),
            (at(0, 99), 6),
            (at(1, 1), 10),
            (at(2, 0), 11),
            (at(3, 0), 13),
            (at(9, 9), 13),
        ] {
            assert_eq!(text.offset(place), offset, "{place:?}");
        }
        assert_eq!((text.position(5), text.position(3)), (at(0, 3), at(0, 1)));
        assert_eq!((text.position(13), text.position(99)), (at(3, 0), at(3, 0)));
        assert_eq!((text.line(0), text.line(1), text.line(2), text.line(3)), ("a😀b", "é", "z", ""));
    }

    #[test]
    fn edits_leave_the_same_as_a_new_text() {
        let mut state = 7_u64;
        let mut roll = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % n
        };
        let mut text = Text::new("one\ntwo😀\r\nthree\n".to_owned());
        for _ in 0..2000 {
            let mut place = || at(u32::try_from(roll(6)).unwrap_or(0), u32::try_from(roll(9)).unwrap_or(0));
            let (one, two) = (place(), place());
            let (start, end) = if one <= two { (one, two) } else { (two, one) };
            let words = ["", "x", "\n", "\r", "\r\n", "é\n😀", "end"][usize::try_from(roll(7)).unwrap_or(0)];
            text.change(TextDocumentContentChangeEvent {
                range: Some(lsp_types::Range { start, end }),
                range_length: None,
                text: words.to_owned(),
            });
            assert_eq!(text.starts, starts(&text.text), "{:?}", text.text);
            if text.text.len() > 200 {
                text = Text::new("a\r\nb".to_owned());
            }
        }
    }
}
