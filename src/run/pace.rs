//! How soon to look again at a child that writes line after line.
//!
//! Somebody who waits at the other end is woken by every line, which costs the child as much as printing it. So small
//! pieces that come close together are left to gather for a moment that nobody can see; a piece that comes alone, such
//! as the echo of a key, is passed on at once.

use std::time::{Duration, Instant};

/// Pieces of this many bytes or more are worth their wakening.
const LARGE: usize = 1024;
/// Pieces that follow each other sooner than this come in a stream.
const CLOSE: Duration = Duration::from_millis(1);
/// How long a stream is left to gather: far below a frame of any screen. A pty and a pipe hold what comes meanwhile.
const GATHER: Duration = Duration::from_micros(100);

/// When something came last.
#[derive(Debug, Default)]
pub(super) struct Pace {
    last: Option<Instant>,
}

impl Pace {
    /// Waits a moment where that is worth it, after a piece of so many bytes was passed on.
    pub(super) fn gather(&mut self, bytes: usize) {
        let now = Instant::now();
        if self.is_stream(bytes, now) {
            std::thread::sleep(GATHER);
        }
        // What comes while we sleep follows closely.
        self.last = Some(Instant::now());
    }

    fn is_stream(&self, bytes: usize, now: Instant) -> bool {
        bytes < LARGE && self.last.is_some_and(|last| now.duration_since(last) < CLOSE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_small_pieces_that_follow_closely_gather() {
        let start = Instant::now();
        let after = |micros: u64, bytes: usize| {
            Pace { last: Some(start) }.is_stream(bytes, start + Duration::from_micros(micros))
        };
        assert!(after(10, 17));
        // A line now and then, a key's echo: at once.
        assert!(!after(5_000, 17));
        // A full piece: the next is there already.
        assert!(!after(10, 4_095));
        assert!(!Pace::default().is_stream(17, start));
    }
}
