//! A moment before which nothing is wanted.

use crate::text::{Clock, Heading};

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

impl Since {
    /// Whether a line with this heading was written before.
    pub(super) fn excludes(self, heading: &Heading<'_>, clock: &mut Clock) -> Option<bool> {
        let time = dated(heading, clock)?;
        Some(time < if heading.is_zoned { self.utc } else { self.local })
    }
}

/// Seconds since 1970 of a line with a complete stamp; a stamp without a date takes that of the lines before.
pub(super) fn dated(heading: &Heading<'_>, clock: &mut Clock) -> Option<f64> {
    let stamp = heading.stamp.as_ref()?;
    Some(clock.seconds(stamp)).filter(|time| *time > FIRST_DATE)
}
