//! A transcript with changes: lines joined that a terminal, a mail or a forum wrapped, words respelled.
//!
//! Only for a second reading of a text in which nothing was found: a line that is joined wrongly costs nothing there.

use std::ops::Range;

use unicode_width::UnicodeWidthStr;

use super::wrapped::{can_join, is_inside_word};
use super::{Line, Record, Transcript, small, streams};

/// New words for a part of [`Transcript::text`], which may span lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) range: Range<usize>,
    pub(crate) words: String,
}

/// Widths at which terminals, mails and forums wrap, in columns.
const WIDTHS: std::ops::RangeInclusive<usize> = 40..=200;
/// Longer texts are files, which nothing wrapped.
const MOST_LINES: usize = 2000;

impl Transcript {
    /// The transcript after `edits`, which are sorted and do not overlap. Each line keeps the place of its beginning.
    pub(crate) fn edited(&self, edits: &[Edit]) -> Self {
        let mut changed = Self {
            clean: String::with_capacity(self.clean.len()),
            prefixes: self.prefixes.clone(),
            sources: self.sources.clone(),
            notes: self.notes.clone(),
            physical_lines: self.physical_lines,
            ..Self::default()
        };
        let mut edits = edits.iter().peekable();
        // Where the old text goes on after the last edit.
        let (mut resume, mut joined) = (0, false);
        let mut begins = Vec::with_capacity(self.records.len());
        for (index, record) in self.records.iter().enumerate() {
            match changed.records.last_mut().filter(|_| joined) {
                Some(open) => open.origin.end = open.origin.end.max(record.origin.end),
                None => {
                    let start = small(changed.clean.len());
                    changed.records.push(Record { text: start..start, ..record.clone() });
                    begins.push(index);
                    resume = record.text().start;
                }
            }
            let end = record.text().end;
            while let Some(edit) = edits.next_if(|edit| edit.range.start <= end) {
                changed.clean.push_str(self.clean.get(resume..edit.range.start).unwrap_or_default());
                changed.clean.push_str(&edit.words);
                resume = edit.range.end;
            }
            joined = resume > end && index + 1 < self.records.len();
            if !joined {
                changed.clean.push_str(self.clean.get(resume..end).unwrap_or_default());
                if let Some(open) = changed.records.last_mut() {
                    open.text.end = small(changed.clean.len());
                }
                changed.clean.push('\n');
            }
        }
        let places = changed.records.iter().zip(begins).enumerate();
        // What was longer than its physical line before stays so.
        let is_longer =
            |new: &Record, old: usize| new.text.len() > self.records[old].text.len() || self.narrow.contains_key(&old);
        let narrow = places.filter(|(_, (new, old))| is_longer(new, *old)).map(|(at, (_, old))| {
            let width = self.width(old, self.line(old).text.chars().count());
            (at, small(width))
        });
        changed.narrow = narrow.collect();
        changed.streams = streams::group(&changed);
        changed
    }

    /// Joins lines that may be parts of one: the next one's first word had no room on them. Lines that `is_kept` names
    /// stay as they are. Whether words were cut is a guess, so that both ways are given, the more likely one first.
    pub(crate) fn unwrapping(&self, is_kept: impl Fn(usize) -> bool) -> [Vec<Edit>; 2] {
        if self.records.len() > MOST_LINES {
            return Default::default();
        }
        // A prefix that was removed took columns too; it is ASCII.
        let width = |line: Line<'_>| line.text.width() + line.origin.len().saturating_sub(line.text.len());
        let widths: Vec<usize> = self.lines().map(width).collect();
        // A single word that is too long is never broken.
        let breakable =
            self.lines().zip(&widths).filter(|(line, _)| line.text.trim().contains(' ') && !is_kept(line.index));
        let Some(width) = breakable.map(|(_, width)| *width).filter(|width| WIDTHS.contains(width)).max() else {
            return Default::default();
        };
        let first = |index: usize| self.line(index).text.split_whitespace().next().unwrap_or_default();
        let full = |index: &usize| {
            let next = first(index + 1);
            !next.is_empty()
                && !is_kept(*index)
                && !is_kept(index + 1)
                && widths[*index] + 1 + next.width() > width
                && can_join(self.line(*index).text, self.line(index + 1).text)
        };
        let full: Vec<usize> = (0..self.len().saturating_sub(1)).filter(full).collect();
        // A terminal fills every line; mails and forums break between words.
        let inside_words =
            full.len() > 1 && 2 * full.iter().filter(|index| widths[**index] == width).count() >= full.len();
        let join = |index: usize, inside_words: bool| {
            let (one, two) = (self.line(index).text, self.line(index + 1).text);
            let cut = inside_words && widths[index] == width && is_inside_word(one, two);
            let indent = two.len() - two.trim_start().len();
            let range = self.range_of(index).end..self.range_of(index + 1).start + indent;
            Edit { range, words: if cut { String::new() } else { " ".to_owned() } }
        };
        [inside_words, !inside_words].map(|inside| full.iter().map(|index| join(*index, inside)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(transcript: &Transcript) -> Vec<(u32, &str)> {
        transcript.lines().map(|line| (line.number, line.text)).collect()
    }

    #[test]
    fn edits_join_lines_and_keep_places() {
        let transcript = crate::text::read(b"one\ntwo\nthree\nfour\n");
        let edit = |range, words: &str| Edit { range, words: words.to_owned() };
        let changed = transcript.edited(&[edit(0..1, "O"), edit(7..8, " "), edit(10..15, "T+f")]);
        assert_eq!(lines(&changed), [(1, "One"), (2, "two thT+four")]);
        assert_eq!(lines(&transcript.edited(&[])), lines(&transcript));
    }

    #[test]
    fn a_mails_lines_are_joined() {
        let text =
            "When I start it I always get RuntimeError: CUDA error: an illegal\nmemory access was encountered\nHelp!\n";
        let transcript = crate::text::read(text.as_bytes());
        let [likely, _] = transcript.unwrapping(|_| false);
        let changed = transcript.edited(&likely);
        assert_eq!(lines(&changed).len(), 2, "{:?}", lines(&changed));
        assert!(lines(&changed)[0].1.ends_with("illegal memory access was encountered"));
    }
}
