//! What is kept of a running command's output: the start, the end and the surroundings of error lines, whole lines.
//!
//! Two streams are taken apart at line ends, so that a warning on one does not cut a traceback on the other in two.

use faultbook::run::Stream;

use super::input::Input;
use super::reduce::{Limits, Reducer};

const MIB: usize = 1024 * 1024;

/// A run of days fits: what matters of it is its start and its end.
const LIMITS: Limits = Limits { start: MIB, end: 16 * MIB, middle: 15 * MIB, before: 40, after: 200, line: MIB / 8 };

/// Longest part of a line that is held back until its end comes.
const LONGEST: usize = 64 * 1024;

/// The tail of an output.
pub(crate) struct Tail {
    kept: Reducer,
    output: Vec<u8>,
    error: Vec<u8>,
}

impl Tail {
    /// Nothing yet.
    pub(crate) fn new() -> Self {
        Self { kept: Reducer::new(LIMITS), output: Vec::new(), error: Vec::new() }
    }

    /// Takes what a command wrote.
    pub(crate) fn push(&mut self, stream: Stream, bytes: &[u8]) {
        let held = match stream {
            Stream::Output => &mut self.output,
            Stream::Error => &mut self.error,
        };
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let (whole, rest) = bytes.split_at(end);
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

    /// The text to diagnose.
    pub(crate) fn finish(mut self) -> Input {
        for held in [&self.output, &self.error] {
            if !held.is_empty() {
                self.kept.push(held);
                self.kept.push(b"\n");
            }
        }
        let (bytes, selection) = self.kept.finish();
        Input { bytes, selection: (selection.skipped > 0).then_some(selection) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let input = tail.finish();
        assert!(input.bytes.len() < 40 * MIB && input.bytes.ends_with(b"RuntimeError: the end\n"));
        assert!(input.selection.is_some());
    }
}
