//! Reduces a huge text to what a diagnosis needs: the start, the end, and the lines around error words.
//!
//! Works on a stream and stays within its limits. Lines keep their numbers: [`Selection::excerpt`] maps kept lines to
//! the lines of the complete text.

mod lines;

use std::collections::VecDeque;

pub(crate) use lines::alarms_in;
use lines::{Stretch, counted, is_blank, is_end};

use crate::render::words::thousands;
use crate::text::{Excerpt, MOST_BLANK};

const MIB: usize = 1024 * 1024;

/// How much is kept, in bytes and lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Bytes of the start: versions, command line, first failures.
    pub(crate) start: usize,
    /// Bytes of the end: where runs die.
    pub(crate) end: usize,
    /// Bytes of context around suspicious lines in between.
    pub(crate) middle: usize,
    /// Lines kept before a suspicious line.
    pub(crate) before: usize,
    /// Lines kept after a suspicious line: a traceback comes after its first line.
    pub(crate) after: u64,
    /// Longest line; of a longer one (a progress bar without newlines) both ends are kept.
    pub(crate) line: usize,
    /// What a line that may belong to the end takes beside its bytes.
    pub(crate) overhead: usize,
}

/// The memory that a short line takes beside its bytes once it is read.
pub(crate) const OVERHEAD: usize = 72;

impl Default for Limits {
    fn default() -> Self {
        Self {
            // Together less than `text::read` takes whole, so that it leaves out nothing of the middle.
            start: 4 * MIB,
            end: 12 * MIB,
            middle: 8 * MIB,
            before: 40,
            after: 200,
            line: MIB / 4,
            overhead: OVERHEAD,
        }
    }
}

/// Which lines of the complete text were kept.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    /// First lines of the kept stretches: in the selection and in the complete text, both from 1, ascending.
    stretches: Vec<(u64, u64)>,
    pub(crate) lines: u64,
    pub(crate) skipped: u64,
    pub(crate) bytes: u64,
}

impl Selection {
    /// The same, for the reader of the kept lines.
    pub(crate) fn excerpt(&self) -> Excerpt {
        Excerpt::of(self.lines, self.stretches.iter().copied(), self.note())
    }

    /// The remark in the answer.
    pub(crate) fn note(&self) -> String {
        format!(
            "the text is too long to be read whole ({} MiB): {} of {} lines were skipped, the start, the end and \
             the surroundings of error lines were read",
            thousands(self.bytes / MIB as u64),
            thousands(self.skipped),
            thousands(self.lines)
        )
    }
}

/// Accepts a text piece by piece.
#[derive(Debug)]
pub(crate) struct Reducer {
    limits: Limits,
    kept: Vec<u8>,
    kept_lines: u64,
    /// Everything up to here is kept: the number of the last kept line in the complete text.
    last_kept: u64,
    start_is_full: bool,
    /// How many of the latest lines are blank.
    blank: usize,
    middle: usize,
    /// A line of which the end has not come yet.
    current: Vec<u8>,
    waiting: VecDeque<Stretch>,
    /// What the lines that wait take.
    waiting_bytes: usize,
    keep_until: u64,
    selection: Selection,
    /// A buffer that is no longer needed.
    spare: Vec<u8>,
}

/// Lines are looked at together up to so many bytes.
const BLOCK: usize = 64 * 1024;

impl Reducer {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            kept: Vec::new(),
            kept_lines: 0,
            last_kept: 0,
            start_is_full: false,
            blank: 0,
            middle: 0,
            current: Vec::new(),
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            keep_until: 0,
            selection: Selection::default(),
            spare: Vec::new(),
        }
    }

    /// Adds the next bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.push_searched(bytes, &alarms_in(bytes));
    }

    /// The same with the places of their alarms.
    pub(crate) fn push_searched(&mut self, bytes: &[u8], alarms: &[usize]) {
        self.selection.bytes += bytes.len() as u64;
        let (mut at, mut alarms) = (0, alarms);
        while at < bytes.len() {
            let rest = &bytes[at..];
            // No line of a block is too long, because no block is.
            let block = &rest[..rest.len().min(BLOCK).min(self.limits.line)];
            let whole = if self.current.is_empty() { memchr::memrchr(b'\n', block) } else { None };
            let length = whole.or_else(|| memchr::memchr(b'\n', rest)).map_or(rest.len(), |end| end + 1);
            let (here, later) = alarms.split_at(alarms.partition_point(|alarm| *alarm < at + length));
            match whole {
                Some(_) => self.block(&rest[..length], here, at),
                None => self.part(&rest[..length]),
            }
            (at, alarms) = (at + length, later);
        }
    }

    /// Skips a stretch that was not stored, given its number of newlines and bytes. The line before it ends here and
    /// the next one starts in the middle, unless the stretch contains no newline.
    pub(crate) fn skip(&mut self, lines: u64, bytes: u64) {
        self.selection.bytes += bytes;
        if lines == 0 {
            return;
        }
        let begun = u64::from(!self.current.is_empty());
        if begun > 0 {
            self.part(b"\n");
        }
        // The context still to be kept was around lines that are gone.
        self.keep_until = 0;
        self.selection.lines += lines - begun;
        self.selection.skipped += lines - begun;
        // Even if there is room: what comes next does not follow what was kept.
        self.start_is_full = true;
    }

    /// The kept lines, and which lines they are.
    pub(crate) fn finish(mut self) -> (Vec<u8>, Selection) {
        if !self.current.is_empty() {
            self.end_line();
        }
        for stretch in std::mem::take(&mut self.waiting) {
            self.keep(stretch.number, stretch.lines, stretch.text());
        }
        (self.kept, self.selection)
    }

    /// Adds a part of a line, perhaps its end.
    fn part(&mut self, bytes: &[u8]) {
        self.current.extend_from_slice(bytes);
        if bytes.ends_with(b"\n") {
            self.end_line();
        } else if self.current.len() > self.limits.line * 2 {
            shorten(&mut self.current, self.limits.line);
        }
    }

    /// The line whose parts were put together is complete.
    fn end_line(&mut self) {
        let mut line = std::mem::take(&mut self.current);
        shorten(&mut line, self.limits.line);
        self.block(&line, &alarms_in(&line), 0);
        line.clear();
        self.current = line;
    }

    /// Adds whole lines, none of them too long: all at once where nothing is to be said of any. The places of alarms are
    /// counted from `start` bytes before them.
    fn block(&mut self, text: &[u8], alarms: &[usize], start: usize) {
        let (lines, is_dense) = counted(text);
        let kept_anyway = !self.start_is_full || self.selection.lines < self.keep_until;
        if alarms.is_empty() && !kept_anyway && !is_dense && self.blank == 0 {
            let number = self.selection.lines + 1;
            self.selection.lines += lines;
            self.blank = text.split_inclusive(is_end).rev().take_while(|line| is_blank(line)).count();
            return self.wait(number, lines, text, false);
        }
        let (mut alarms, mut at) = (alarms.iter().peekable(), start);
        for line in text.split_inclusive(is_end) {
            at += line.len();
            let mut wanted = false;
            while alarms.next_if(|alarm| **alarm < at).is_some() {
                wanted = true;
            }
            self.line(line, wanted);
        }
    }

    fn line(&mut self, bytes: &[u8], wanted: bool) {
        self.selection.lines += 1;
        let number = self.selection.lines;
        self.blank = if is_blank(bytes) { self.blank + 1 } else { 0 };
        if self.blank > MOST_BLANK {
            self.selection.skipped += 1;
            return;
        }
        if wanted {
            self.keep_until = number + self.limits.after;
        }
        if !self.start_is_full && self.kept.len() + bytes.len() <= self.limits.start {
            return self.keep(number, 1, bytes);
        }
        self.start_is_full = true;
        if wanted {
            self.want_before();
        }
        self.wait(number, 1, bytes, number <= self.keep_until);
    }

    /// The latest lines that wait are the context of an error.
    fn want_before(&mut self) {
        let mut missing = self.limits.before as u64;
        for index in (0..self.waiting.len()).rev() {
            let stretch = &mut self.waiting[index];
            if stretch.lines > missing && !stretch.wanted {
                let latest = stretch.split_off(missing);
                self.waiting.insert(index + 1, latest);
                return;
            }
            stretch.wanted = true;
            missing = missing.saturating_sub(stretch.lines);
            if missing == 0 {
                return;
            }
        }
    }

    /// Adds lines that may belong to the end, and lets those go that no longer do.
    fn wait(&mut self, number: u64, lines: u64, text: &[u8], wanted: bool) {
        self.waiting_bytes += text.len() + lines as usize * self.limits.overhead;
        match self.waiting.back_mut() {
            Some(last) if last.is_followed_by(number, wanted) && last.text.len() + text.len() <= BLOCK => {
                last.text.extend_from_slice(text);
                last.lines += lines;
            }
            _ => {
                let mut own = std::mem::take(&mut self.spare);
                own.clear();
                own.extend_from_slice(text);
                self.waiting.push_back(Stretch { number, lines, text: own, gone: 0, wanted });
            }
        }
        while self.waiting_bytes > self.limits.end
            && let Some(mut first) = self.waiting.pop_front()
        {
            self.release(&mut first);
            match first.lines {
                0 => self.spare = first.text,
                _ => self.waiting.push_front(first),
            }
        }
    }

    /// Lets the first lines of a stretch go, as many as are too many; all of them where they are few.
    fn release(&mut self, stretch: &mut Stretch) {
        /// What is kept of the end may lack one part in so many.
        const PART: usize = 64;
        let whole = stretch.text().len() + stretch.lines as usize * self.limits.overhead;
        if !stretch.wanted && whole <= self.limits.end / PART {
            self.waiting_bytes -= whole;
            self.selection.skipped += std::mem::take(&mut stretch.lines);
            return;
        }
        while stretch.lines > 0 && self.waiting_bytes > self.limits.end {
            let rest = stretch.text();
            let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
            self.waiting_bytes -= length + self.limits.overhead;
            if stretch.wanted && self.middle + length <= self.limits.middle {
                self.middle += length;
                self.keep(stretch.number, 1, &rest[..length]);
            } else {
                self.selection.skipped += 1;
            }
            stretch.gone += length;
            stretch.number += 1;
            stretch.lines -= 1;
        }
    }

    /// Keeps lines in a row.
    fn keep(&mut self, number: u64, lines: u64, text: &[u8]) {
        self.kept.extend_from_slice(text);
        if number != self.last_kept + 1 || self.kept_lines == 0 {
            self.selection.stretches.push((self.kept_lines + 1, number));
        }
        self.kept_lines += lines;
        self.last_kept = number + lines - 1;
    }
}

/// Cuts the middle out of a line.
fn shorten(line: &mut Vec<u8>, to: usize) {
    let half = to / 2;
    if line.len() > half * 2 {
        line.drain(half..line.len() - half);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Limits = Limits { start: 30, end: 30, middle: 60, before: 1, after: 1, line: 20, overhead: 0 };

    fn reduce(text: &str, chunk: usize) -> (String, Selection) {
        let mut reducer = Reducer::new(SMALL);
        text.as_bytes().chunks(chunk).for_each(|chunk| reducer.push(chunk));
        let (kept, selection) = reducer.finish();
        (String::from_utf8(kept).expect("ascii"), selection)
    }

    #[test]
    fn start_end_and_errors_are_kept_with_their_numbers() {
        let text: String =
            (1..=200).map(|n| if n == 100 { "fatal 100\n".into() } else { format!("line {n}\n") }).collect();
        for chunk in [1, 7, 4096] {
            let (kept, selection) = reduce(&text, chunk);
            let lines: Vec<&str> = kept.lines().collect();
            let excerpt = selection.excerpt();
            assert_eq!(lines.first(), Some(&"line 1"));
            assert_eq!(lines.last(), Some(&"line 200"));
            for (place, line) in (1..).zip(&lines) {
                let number: u32 = line.rsplit(' ').next().expect("a word").parse().expect("a number");
                assert_eq!(excerpt.original(place), number, "{line}");
            }
            for wanted in ["line 99", "fatal 100", "line 101"] {
                assert!(lines.contains(&wanted), "{wanted} in {lines:?}");
            }
            assert!(!lines.contains(&"line 98") && !lines.contains(&"line 102"));
            assert_eq!(selection.lines, 200);
            assert_eq!(selection.skipped as usize, 200 - lines.len());
        }
    }

    #[test]
    fn lines_without_end_are_cut_in_the_middle() {
        let text = format!("{}END\n{}", "x".repeat(100_000), "tail\n");
        let (kept, selection) = reduce(&text, 512);
        assert!(kept.len() < 40, "{}", kept.len());
        assert!(kept.contains("END\n") && kept.ends_with("tail\n"));
        assert_eq!(selection.lines, 2);
    }

    #[test]
    fn memory_stays_bounded_when_every_line_is_suspicious() {
        let (kept, selection) = reduce(&"error: x\n".repeat(10_000), 4096);
        assert!(kept.len() <= 30 + 30 + 60);
        assert!(selection.note().contains("of 10,000 lines"), "{}", selection.note());
    }

    #[test]
    fn of_blank_lines_in_a_row_no_more_are_kept_than_are_read() {
        let (kept, selection) = reduce(&format!("a\n{}\r\nb\n", "\n".repeat(1000)), 7);
        assert_eq!(kept, format!("a\n{}b\n", "\n".repeat(MOST_BLANK)));
        assert_eq!((selection.lines, selection.skipped as usize), (1003, 1001 - MOST_BLANK));
        assert_eq!(selection.excerpt().original(MOST_BLANK as u32 + 2), 1003);
    }

    #[test]
    fn an_empty_text() {
        let (kept, selection) = reduce("", 1);
        assert_eq!((kept.as_str(), selection.lines), ("", 0));
        assert_eq!(selection.excerpt().original(1), 1);
    }
}
