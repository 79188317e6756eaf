//! When a report is written: date and time in the user's own time zone, because the report's id contains the date.
//!
//! A date given without a time means midnight, with no zone.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

/// A day, a time, and the zone's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Moment {
    at: DateTime,
    /// `KST`; empty if unknown.
    zone: String,
    /// Whether the time of day is known.
    timed: bool,
}

impl Moment {
    /// Now, in the zone of this machine.
    pub(crate) fn now() -> Self {
        Self::of(SystemTime::now())
    }

    /// A time of the system's clock; one that no calendar has is the last or first that there is.
    fn of(time: SystemTime) -> Self {
        let limit = if time < UNIX_EPOCH { Timestamp::MIN } else { Timestamp::MAX };
        let now = Timestamp::try_from(time).unwrap_or(limit).to_zoned(TimeZone::system());
        Self { at: now.datetime(), zone: now.strftime("%Z").to_string(), timed: true }
    }

    /// `2025-11-10`, `2025-11-10 18:08`, `2025-11-10 18:08 (KST)`; `None` for anything else.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let day: Date = text.get(..10)?.parse().ok()?;
        let rest = text.get(10..)?.trim_start_matches(['T', ' ', ',']);
        let hour = rest.get(..2).and_then(|hour| hour.parse::<i8>().ok()).filter(|hour| (0..24).contains(hour));
        let minute =
            rest.get(2..5).and_then(|rest| rest.strip_prefix(':')).and_then(|minute| minute.parse::<i8>().ok());
        let zone = rest.split_once('(').and_then(|(_, zone)| zone.strip_suffix(')')).unwrap_or_default().to_owned();
        match hour.zip(minute.filter(|minute| (0..60).contains(minute))) {
            Some((hour, minute)) => Some(Self { at: day.at(hour, minute, 0, 0), zone, timed: true }),
            None => Some(Self { at: day.at(0, 0, 0, 0), zone, timed: false }),
        }
    }

    /// Its day and time of day.
    pub(crate) fn datetime(&self) -> DateTime {
        self.at
    }

    /// The last time that it can mean: a day without a time ends at midnight.
    pub(crate) fn end(&self) -> DateTime {
        if self.timed { self.at } else { self.at.date().at(23, 59, 59, 0) }
    }

    /// The day.
    pub(crate) fn date(&self) -> Date {
        self.at.date()
    }

    /// `2025-11-10`.
    pub(crate) fn day(&self) -> String {
        self.at.date().to_string()
    }

    /// `2025-11-10 18:08`.
    pub(crate) fn minute(&self) -> String {
        self.at.strftime("%Y-%m-%d %H:%M").to_string()
    }

    /// `2025-11-10`, or `2025-11-10 18:08` where the time is known.
    pub(crate) fn text(&self) -> String {
        if self.timed { self.minute() } else { self.day() }
    }

    /// `20251110`.
    pub(crate) fn compact(&self) -> String {
        self.day().replace('-', "")
    }

    /// `1808`.
    pub(crate) fn clock(&self) -> String {
        format!("{:02}{:02}", self.at.hour(), self.at.minute())
    }

    /// `2025-11-10 18:08 (KST)`, as reports have it.
    pub(crate) fn stamp(&self) -> String {
        let zone = if self.zone.is_empty() { String::new() } else { format!(" ({})", self.zone) };
        match self.timed {
            true => format!("{} {:02}:{:02}{zone}", self.day(), self.at.hour(), self.at.minute()),
            false => self.day(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_clock_that_is_wrong_by_ages_is_no_failure() {
        for seconds in [400_000_000_000, 1 << 60] {
            let far = Duration::from_secs(seconds);
            assert!(Moment::of(UNIX_EPOCH + far).day().starts_with("9999-"));
        }
        assert_eq!(Moment::of(UNIX_EPOCH + Duration::from_secs(86_400 * 40)).compact().get(..4), Some("1970"));
    }

    #[test]
    fn dates_as_reports_have_them() {
        for (text, stamp, clock) in [
            ("2025-12-06 18:08 (KST)", Some("2025-12-06 18:08 (KST)"), "1808"),
            ("2025-12-06", Some("2025-12-06"), "0000"),
            ("2025-12-06T07:30:00Z", Some("2025-12-06 07:30"), "0730"),
            ("2025-13-06", None, ""),
            ("yesterday", None, ""),
            ("", None, ""),
            ("2025-12-06 99:99", Some("2025-12-06"), "0000"),
        ] {
            let moment = Moment::parse(text);
            assert_eq!(moment.as_ref().map(Moment::stamp).as_deref(), stamp, "{text}");
            assert_eq!(moment.map(|moment| moment.clock()).unwrap_or_default(), clock, "{text}");
        }
    }
}
