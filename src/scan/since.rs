//! A moment before which nothing is wanted.

use crate::text::{self, Clock, Heading};

/// The earliest time of interest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Since {
    /// Seconds since 1970 in UTC, for stamps that name their zone.
    pub(crate) utc: f64,
    /// The same moment on the clock of the wall here, for stamps without a zone.
    pub(crate) local: f64,
}

/// Times before this are no dates: a log's clock without one, or the seconds since a machine started.
const FIRST_DATE: f64 = 5e8;
/// So much of a line is looked at for its stamp.
const HEAD: usize = 400;

impl Since {
    /// Whether a line with this heading was written before.
    fn excludes(self, heading: &Heading<'_>, clock: &mut Clock) -> Option<bool> {
        let time = dated(heading, clock)?;
        Some(time < if heading.is_zoned { self.utc } else { self.local })
    }
}

/// Seconds since 1970 of a line with a complete stamp; a stamp without a date takes that of the lines before.
pub(super) fn dated(heading: &Heading<'_>, clock: &mut Clock) -> Option<f64> {
    let stamp = heading.stamp.as_ref()?;
    Some(clock.seconds(stamp)).filter(|time| *time > FIRST_DATE)
}

/// Which lines of one log were written before a moment.
#[derive(Debug)]
pub(super) struct Dates {
    since: Since,
    /// Up to where the log was looked at, and whether the last line with a date there was written before.
    at: u64,
    is_before: Option<bool>,
}

impl Dates {
    pub(super) fn new(since: Since) -> Self {
        Self { since, at: 0, is_before: None }
    }

    /// Whether a line was written before: by its own stamp, or by that of the last line above it that has a date. Lines
    /// are asked about in their order; `above` gives what is known of the text between a place and the line.
    pub(super) fn excludes(
        &mut self,
        line: &[u8],
        start: u64,
        clock: &mut Clock,
        above: impl FnOnce(u64) -> Vec<u8>,
    ) -> bool {
        if start < self.at {
            return self.is_before == Some(true);
        }
        // A stamp that is only a clock needs the lines since the last date.
        let decides = |line: &str, clock: &Clock| {
            let stamp = text::heading(line).stamp;
            (stamp.is_some(), stamp.is_some_and(|stamp| clock.can_date(&stamp)))
        };
        let head = |line: &[u8]| String::from_utf8_lossy(&line[..line.len().min(HEAD)]).into_owned();
        let mut stamped = Vec::new();
        let own = head(line);
        let (has_stamp, is_dated) = decides(&own, clock);
        stamped.extend(has_stamp.then_some(own));
        if !is_dated {
            let mut text = above(self.at);
            if (text.len() as u64) < start - self.at {
                // What lies between is no longer known, and what is known may begin within a line.
                self.is_before = None;
                let begins = memchr::memchr(b'\n', &text).map_or(text.len(), |at| at + 1);
                text.drain(..begins);
            }
            for line in text.rsplit(|byte| *byte == b'\n') {
                let line = head(line);
                let (has_stamp, is_dated) = decides(&line, clock);
                stamped.extend(has_stamp.then_some(line));
                if is_dated {
                    break;
                }
            }
        }
        for line in stamped.iter().rev() {
            self.is_before = self.since.excludes(&text::heading(line), clock).or(self.is_before);
        }
        self.at = start + line.len() as u64;
        self.is_before == Some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of a log since noon of 2026-11-21: of the lines in question those that are not excluded.
    fn left(log: &str, asked: &[usize], reach: u64) -> Vec<usize> {
        let noon = 1_795_262_400.0;
        let (mut dates, mut clock) = (Dates::new(Since { utc: noon, local: noon }), Clock::default());
        let mut start = 0u64;
        let mut left = Vec::new();
        for (number, line) in log.lines().enumerate() {
            let above =
                |from: u64| log.as_bytes()[from.max(start.saturating_sub(reach)) as usize..start as usize].into();
            if asked.contains(&number) && !dates.excludes(line.as_bytes(), start, &mut clock, above) {
                left.push(number);
            }
            start += line.len() as u64 + 1;
        }
        left
    }

    #[test]
    fn lines_count_as_the_last_one_above_that_has_a_date() {
        let log = "2026-11-20 03:00:00 start\na\nb\n2026-11-21 13:00:00 restart\nc\n2026-11-20 14:00:00 late\nd\n";
        assert_eq!(left(log, &[0, 1, 2, 3, 4, 5, 6], 1000), [3, 4]);
        assert_eq!(left(log, &[2, 4, 6], 1000), [4]);
        // Of what lies between two of them nothing is known.
        assert_eq!(left(log, &[2, 4, 6], 3), [2, 4, 6]);
    }

    #[test]
    fn a_clock_has_the_date_of_the_lines_before() {
        let log = "2026-11-20 22:00:00 start\n23:59:00.100 a\n00:10:00.100 b\n11:00:00.000 c\n12:30:00.000 d\n";
        for asked in [&[1, 2, 3, 4][..], &[4], &[3, 4], &[2, 4]] {
            assert_eq!(left(log, asked, 1000), [4], "{asked:?}");
        }
    }
}
