//! What is kept of a running command's output: the start, the end, and pieces in between with error words.
//!
//! Nothing is parsed while the command runs: bytes are copied, and only if there are too many are the oldest searched,
//! one piece at a time. They are split into lines after a failure. The two streams are then separated at line ends, so
//! that a warning on one does not split a traceback on the other.

use std::collections::VecDeque;

use crate::runner::Stream;
use aho_corasick::AhoCorasick;

use super::input::Input;
use super::reduce::{Limits, OVERHEAD, Reducer};

const MIB: usize = 1024 * 1024;

/// Enough for a run of days: its start and its end matter.
const LIMITS: Limits =
    Limits { start: MIB, end: 16 * MIB, middle: 15 * MIB, before: 40, after: 200, line: MIB / 8, overhead: OVERHEAD };

/// Bytes of a piece: the unit that is copied, kept or dropped.
const PIECE: usize = 64 * 1024;

/// The longest part of a line that is buffered until its end arrives.
const LONGEST: usize = 64 * 1024;

pub(crate) struct Tail {
    limits: Limits,
    /// Kept for good, in order.
    kept: Vec<Part>,
    start: usize,
    middle: usize,
    /// May still be dropped.
    recent: VecDeque<Piece>,
    bytes: usize,
    alarming: AhoCorasick,
    /// Whether the previous piece was kept for its words: the next one belongs to it.
    follows: bool,
}

/// Bytes of one stream.
#[derive(Debug)]
struct Piece {
    stream: Stream,
    bytes: Vec<u8>,
}

/// A kept piece, or the size of a gap.
#[derive(Debug)]
enum Part {
    Piece(Piece),
    Gap { lines: u64, bytes: u64 },
}

impl Tail {
    pub(crate) fn new() -> Self {
        Self::with(LIMITS)
    }

    fn with(limits: Limits) -> Self {
        Self {
            limits,
            kept: Vec::new(),
            start: 0,
            middle: 0,
            recent: VecDeque::new(),
            bytes: 0,
            alarming: AhoCorasick::new(&crate::wording::alarms().printed).expect("a few short words"),
            follows: false,
        }
    }

    /// Adds output of the command.
    pub(crate) fn push(&mut self, stream: Stream, bytes: &[u8]) {
        self.bytes += bytes.len();
        match self.recent.back_mut() {
            Some(last) if last.stream == stream && last.bytes.len() + bytes.len() <= PIECE => {
                last.bytes.extend_from_slice(bytes);
            }
            _ => self.begin(stream, bytes),
        }
    }

    /// Starts a piece, which replaces the oldest one if there are enough.
    fn begin(&mut self, stream: Stream, bytes: &[u8]) {
        let mut buffer = Vec::new();
        while self.bytes > self.limits.end
            && let Some(oldest) = self.recent.pop_front()
        {
            self.bytes -= oldest.bytes.len();
            buffer = self.keep(oldest).unwrap_or_default();
        }
        buffer.clear();
        buffer.reserve(PIECE.max(bytes.len()));
        buffer.extend_from_slice(bytes);
        self.recent.push_back(Piece { stream, bytes: buffer });
    }

    /// Keeps a piece of the start or with error words; reuses the memory of any other.
    fn keep(&mut self, piece: Piece) -> Option<Vec<u8>> {
        let length = piece.bytes.len();
        if self.start + length <= self.limits.start {
            self.start += length;
            self.kept.push(Part::Piece(piece));
            return None;
        }
        // The start ends where the first gap begins.
        self.start = self.limits.start;
        if self.middle + length <= self.limits.middle {
            let alarming = self.alarming.is_match(&piece.bytes);
            if alarming || std::mem::replace(&mut self.follows, alarming) {
                self.follows = alarming;
                self.middle += length;
                self.kept.push(Part::Piece(piece));
                return None;
            }
        }
        let more = memchr::memchr_iter(b'\n', &piece.bytes).count() as u64;
        match self.kept.last_mut() {
            Some(Part::Gap { lines, bytes }) => (*lines, *bytes) = (*lines + more, *bytes + length as u64),
            _ => self.kept.push(Part::Gap { lines: more, bytes: length as u64 }),
        }
        Some(piece.bytes)
    }

    /// The text to diagnose.
    pub(crate) fn finish(self) -> Input {
        let mut lines = Lines { kept: Reducer::new(self.limits), output: Vec::new(), error: Vec::new() };
        for part in self.kept.into_iter().chain(self.recent.into_iter().map(Part::Piece)) {
            match part {
                Part::Piece(piece) => lines.push(piece.stream, &piece.bytes),
                Part::Gap { lines: left_out, bytes } => {
                    lines.release("");
                    lines.kept.skip(left_out, bytes);
                }
            }
        }
        lines.release("\n");
        let (bytes, selection) = lines.kept.finish();
        Input { bytes, selection: (selection.skipped > 0).then_some(selection), note: None }
    }
}

/// Joins pieces of two streams to complete lines.
struct Lines {
    kept: Reducer,
    output: Vec<u8>,
    error: Vec<u8>,
}

impl Lines {
    fn push(&mut self, stream: Stream, bytes: &[u8]) {
        let held = match stream {
            Stream::Output => &mut self.output,
            Stream::Error => &mut self.error,
        };
        let (whole, rest) = bytes.split_at(memchr::memrchr(b'\n', bytes).map_or(0, |at| at + 1));
        if !whole.is_empty() {
            self.kept.push(held);
            held.clear();
            self.kept.push(whole);
        }
        held.extend_from_slice(rest);
        if held.len() > LONGEST {
            self.kept.push(held);
            held.clear();
        }
    }

    /// Flushes an unfinished line, with an `end` that it does not have.
    fn release(&mut self, end: &str) {
        for held in [&mut self.output, &mut self.error] {
            if !held.is_empty() {
                self.kept.push(held);
                self.kept.push(end.as_bytes());
                held.clear();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_lines_count_with_the_memory_that_they_take() {
        let mut tail = Tail::new();
        for _ in 0..64 {
            tail.push(Stream::Output, "a\n".repeat(PIECE / 2).as_bytes());
        }
        let kept = tail.finish().bytes.len();
        assert!(kept <= LIMITS.start + 2 * LIMITS.end / OVERHEAD, "{kept}");
    }

    #[test]
    fn lines_of_two_streams_stay_whole() {
        let mut tail = Tail::new();
        for (stream, bytes) in [
            (Stream::Output, "step 1 lo"),
            (Stream::Error, "Traceback (most "),
            (Stream::Output, "ss 2\nstep 2"),
            (Stream::Error, "recent call last):\n"),
            (Stream::Error, "KeyError"),
        ] {
            tail.push(stream, bytes.as_bytes());
        }
        let input = tail.finish();
        assert_eq!(
            String::from_utf8_lossy(&input.bytes),
            "step 1 loss 2\nTraceback (most recent call last):\nstep 2\nKeyError\n"
        );
        assert!(input.selection.is_none());
    }

    #[test]
    fn memory_is_bounded() {
        let mut tail = Tail::new();
        let line = format!("step {}\n", "x".repeat(1000));
        let many = line.repeat(1000);
        for _ in 0..60 {
            tail.push(Stream::Output, many.as_bytes());
        }
        tail.push(Stream::Error, b"RuntimeError: the end\n");
        let held: usize = tail.recent.iter().map(|piece| piece.bytes.len()).sum();
        assert!(held <= LIMITS.end + many.len() && tail.kept.len() < 40, "{held} {}", tail.kept.len());
        let input = tail.finish();
        assert!(input.bytes.len() < 40 * MIB && input.bytes.ends_with(b"RuntimeError: the end\n"));
        assert!(input.selection.is_some());
    }

    #[test]
    fn an_early_failure_is_kept_and_lines_keep_their_numbers() {
        let limits =
            Limits { start: 200_000, end: 400_000, middle: 400_000, before: 2, after: 4, line: 1000, overhead: 0 };
        // Chunks that end in the middle of lines, like reads do.
        for chunk in [999, 4093, 60_001] {
            let text: String =
                (1..=400_000)
                    .map(|n| {
                        if n == 100_000 { "Traceback (most recent call last):\n".into() } else { format!("line {n}\n") }
                    })
                    .collect();
            let mut tail = Tail::with(limits);
            text.as_bytes().chunks(chunk).for_each(|bytes| tail.push(Stream::Output, bytes));
            let Input { bytes, selection, .. } = tail.finish();
            let selection = selection.expect("something was left out");
            assert_eq!(selection.lines, 400_000, "{chunk}");
            assert_eq!(selection.bytes, text.len() as u64);
            let kept = String::from_utf8(bytes).expect("ascii");
            let all: Vec<&str> = text.lines().collect();
            let excerpt = selection.excerpt();
            let mut same = 0;
            for (place, line) in (1..).zip(kept.lines()) {
                let number = excerpt.original(place);
                let whole = all.get(number as usize - 1).copied().unwrap_or_default();
                // A line at the edge of a gap may be incomplete.
                assert!(
                    whole == line || whole.starts_with(line) || whole.ends_with(line),
                    "{number}: {line:?} {whole:?}"
                );
                same += u32::from(whole == line);
            }
            assert!(same + 10 > u32::try_from(kept.lines().count()).expect("few"), "{chunk}: {same}");
            assert!(kept.contains("\nline 99999\nTraceback (most recent call last):\nline 100001\n"), "{chunk}");
            assert!(kept.starts_with("line 1\n") && kept.ends_with("line 400000\n"));
            assert!(kept.len() < 1_200_000 && selection.skipped > 100_000);
        }
    }
}
