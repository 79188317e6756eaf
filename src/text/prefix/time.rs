//! Time stamps at the start of a line, in all the orders that loggers print, on one clock.
//!
//! A stamp must be complete and well-formed. A stamp without year or date takes it from the dates seen elsewhere in the
//! text, so that all lines share one clock.

use crate::amounts::days;

/// A time stamp as written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stamp {
    /// Year, when written.
    pub(crate) year: Option<i64>,
    /// Month and day, when written.
    pub(crate) day: Option<(i64, i64)>,
    /// Seconds of the day, or of the epoch or the machine's start when `absolute`.
    pub(crate) seconds: f64,
    /// Whether `seconds` does not count from midnight.
    pub(crate) absolute: bool,
}

/// A cursor over the start of a line.
pub(crate) struct Scan<'a> {
    bytes: &'a [u8],
    /// How far it has read.
    pub(crate) at: usize,
}

impl<'a> Scan<'a> {
    /// Starts at the head of `text`.
    pub(crate) fn new(text: &'a str) -> Self {
        Self { bytes: text.as_bytes(), at: 0 }
    }

    /// The byte to be read next.
    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Reads one byte if it is one of `any`.
    pub(crate) fn one(&mut self, any: &[u8]) -> Option<u8> {
        let byte = self.peek().filter(|b| any.contains(b))?;
        self.at += 1;
        Some(byte)
    }

    /// Reads between `least` and `most` digits, no more following.
    pub(crate) fn digits(&mut self, least: usize, most: usize) -> Option<i64> {
        let rest = self.bytes.get(self.at..)?;
        let count = rest.iter().take(most + 1).take_while(|b| b.is_ascii_digit()).count();
        if count < least || count > most {
            return None;
        }
        self.at += count;
        Some(rest[..count].iter().fold(0, |n, b| n * 10 + i64::from(b - b'0')))
    }

    /// Reads a fraction `.123` or `,123456`.
    fn fraction(&mut self, marks: &[u8]) -> Option<f64> {
        let before = self.at;
        self.one(marks)?;
        let rest = self.bytes.get(self.at..)?;
        let count = rest.iter().take(10).take_while(|b| b.is_ascii_digit()).count();
        if count == 0 || count > 9 {
            self.at = before;
            return None;
        }
        self.at += count;
        Some(rest[..count].iter().rev().fold(0.0, |n, b| (n + f64::from(b - b'0')) / 10.0))
    }

    /// Reads `HH:MM:SS` with or without a fraction; seconds of the day, and whether there was a fraction.
    fn clock(&mut self, marks: &[u8]) -> Option<(f64, bool)> {
        let hour = self.digits(1, 2).filter(|h| *h < 24)?;
        self.one(b":")?;
        let minute = self.digits(2, 2).filter(|m| *m < 60)?;
        self.one(b":")?;
        let second = self.digits(2, 2).filter(|s| *s <= 60)?;
        let fraction = self.fraction(marks);
        Some(((hour * 3600 + minute * 60 + second) as f64 + fraction.unwrap_or(0.0), fraction.is_some()))
    }
}

/// How a stamp was written, which decides what may follow it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `2026-11-21T02:46:05.896Z`: written by a platform around a program's own line, or by Rust.
    Platform,
    /// Any other stamp with a date.
    Dated,
    /// `Nov 21 03:15:22`.
    Syslog,
    /// `09:02:11` with a fraction.
    Clock,
    /// `09:02:11` alone.
    BareClock,
    /// `1699999999.123`.
    Epoch,
}

/// Reads a stamp at the head of `text`: it, its form and its length.
pub(crate) fn stamp(text: &str) -> Option<(Stamp, Form, usize)> {
    let bytes = text.as_bytes();
    match bytes.first()? {
        b'0'..=b'9' => dated(text).or_else(|| short_date(text)).or_else(|| clock(text)).or_else(|| epoch(text)),
        b'A'..=b'Z' => named(text),
        _ => None,
    }
}

/// `2024-01-29 10:02:31,400`, `2024/01/29-10:02:31`, `2024-01-29T10:02:31.4+08:00`, `2024-01-29, 10:02:31 UTC`.
fn dated(text: &str) -> Option<(Stamp, Form, usize)> {
    let mut scan = Scan::new(text);
    let year = scan.digits(4, 4).filter(|y| (1970..2200).contains(y))?;
    let mark = scan.one(b"-/")?;
    let month = scan.digits(1, 2).filter(|m| (1..=12).contains(m))?;
    scan.one(&[mark])?;
    let day = scan.digits(1, 2).filter(|d| (1..=31).contains(d))?;
    let between = scan.one(b" T_|,-")?;
    if between == b',' || between == b' ' {
        scan.one(b" ");
        if scan.one(b"-").is_some() {
            scan.one(b" ");
        }
    }
    let (mut seconds, _) = scan.clock(b".,:")?;
    let shift = zone(&mut scan, text);
    seconds -= shift.unwrap_or(0.0);
    let form = if between == b'T' && shift.is_some() { Form::Platform } else { Form::Dated };
    Some((Stamp { year: Some(year), day: Some((month, day)), seconds, absolute: false }, form, scan.at))
}

/// Reads a time zone; seconds to subtract.
fn zone(scan: &mut Scan<'_>, text: &str) -> Option<f64> {
    let before = scan.at;
    if scan.one(b"Z").is_some() {
        return Some(0.0);
    }
    scan.one(b" ");
    if let Some(sign) = scan.one(b"+-") {
        let rest = text.as_bytes().get(scan.at..).unwrap_or_default();
        let hours = if rest.get(2) == Some(&b':') { scan.digits(2, 2) } else { None };
        let offset = if let Some(hours) = hours {
            scan.one(b":");
            scan.digits(2, 2).map(|minutes| hours * 60 + minutes)
        } else {
            scan.digits(4, 4).map(|n| n / 100 * 60 + n % 100)
        };
        if let Some(minutes) = offset.filter(|m| *m <= 14 * 60) {
            return Some(if sign == b'+' { 1.0 } else { -1.0 } * minutes as f64 * 60.0);
        }
    } else if scan.at > before {
        let name = text.as_bytes().get(scan.at..).unwrap_or_default();
        let letters = name.iter().take(6).take_while(|b| b.is_ascii_uppercase()).count();
        let zone = &name[..letters];
        if [
            &b"UTC"[..],
            b"GMT",
            b"CET",
            b"CEST",
            b"EST",
            b"EDT",
            b"CST",
            b"PST",
            b"PDT",
            b"MST",
            b"JST",
            b"KST",
            b"IST",
            b"BST",
            b"MSK",
            b"EET",
            b"EEST",
        ]
        .contains(&zone)
        {
            scan.at += letters;
            return Some(0.0);
        }
    }
    scan.at = before;
    None
}

/// `01/29/2024 10:02:31`, `11/21/26 02:46:51`, `01/29 10:02:31`, `02-11 09:14:40`.
fn short_date(text: &str) -> Option<(Stamp, Form, usize)> {
    let mut scan = Scan::new(text);
    let month = scan.digits(2, 2)?;
    let mark = scan.one(b"-/")?;
    let day = scan.digits(2, 2)?;
    let mut year = None;
    if scan.one(&[mark]).is_some() {
        year = scan.digits(4, 4).or_else(|| scan.digits(2, 2).map(|y| 2000 + y));
        year?;
    }
    scan.one(b" -")?;
    let (seconds, _) = scan.clock(b".,")?;
    let (month, day) = if month > 12 { (day, month) } else { (month, day) };
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    Some((Stamp { year, day: Some((month, day)), seconds, absolute: false }, Form::Dated, scan.at))
}

/// `10:02:31.400`, `10:02:31`, `12:20:01-551020`.
fn clock(text: &str) -> Option<(Stamp, Form, usize)> {
    let mut scan = Scan::new(text);
    if text.as_bytes().get(2) != Some(&b':') {
        return None;
    }
    let (seconds, mut exact) = scan.clock(b".,")?;
    if !exact && text.as_bytes().get(scan.at) == Some(&b'-') {
        exact = scan.fraction(b"-").is_some();
    }
    let form = if exact { Form::Clock } else { Form::BareClock };
    Some((Stamp { year: None, day: None, seconds, absolute: false }, form, scan.at))
}

/// `1699999999.123`: ten digits and a fraction.
fn epoch(text: &str) -> Option<(Stamp, Form, usize)> {
    let mut scan = Scan::new(text);
    let whole = scan.digits(10, 10).filter(|n| (1_000_000_000..4_000_000_000).contains(n))?;
    let fraction = scan.fraction(b".")?;
    let stamp = Stamp { year: None, day: None, seconds: whole as f64 + fraction, absolute: true };
    Some((stamp, Form::Epoch, scan.at))
}

const MONTHS: [&[u8]; 12] =
    [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];

/// `Nov 21 03:15:22`, `Tue Nov 11 16:41:52 2014`.
fn named(text: &str) -> Option<(Stamp, Form, usize)> {
    let mut scan = Scan::new(text);
    let bytes = text.as_bytes();
    let weekday = [&b"Mon "[..], b"Tue ", b"Wed ", b"Thu ", b"Fri ", b"Sat ", b"Sun "].contains(&bytes.get(..4)?);
    if weekday {
        scan.at = 4;
    }
    let name = bytes.get(scan.at..scan.at + 3)?;
    let month = MONTHS.iter().position(|m| *m == name)? as i64 + 1;
    scan.at += 3;
    scan.one(b" ")?;
    scan.one(b" ");
    let day = scan.digits(1, 2).filter(|d| (1..=31).contains(d))?;
    scan.one(b" ")?;
    let (seconds, _) = scan.clock(b".")?;
    let mut year = None;
    if weekday {
        let before = scan.at;
        scan.one(b" ");
        year = scan.digits(4, 4);
        if year.is_none() {
            scan.at = before;
        }
    }
    let form = if weekday { Form::Dated } else { Form::Syslog };
    Some((Stamp { year, day: Some((month, day)), seconds, absolute: false }, form, scan.at))
}

/// Turns stamps into seconds on one clock.
#[derive(Debug, Clone, Default)]
pub(crate) struct Clock {
    /// Year of the last date that had one.
    year: Option<i64>,
    /// Days since 1970 of the last date.
    day: Option<i64>,
    last: f64,
}

impl Clock {
    /// Whether it knows the date of a stamp without the lines before.
    pub(crate) fn can_date(&self, stamp: &Stamp) -> bool {
        stamp.absolute || stamp.year.is_some() || stamp.day.is_some() && self.year.is_some()
    }

    /// Seconds of the stamp; since 1970 (UTC) when the text has dates with years.
    pub(crate) fn seconds(&mut self, stamp: &Stamp) -> f64 {
        if stamp.absolute {
            return stamp.seconds;
        }
        if stamp.year.is_some() {
            self.year = stamp.year;
        }
        let day = match stamp.day {
            Some((month, day)) => days(self.year.unwrap_or(1970), month, day),
            None => {
                let today = self.day.unwrap_or(0);
                // A clock without a date that falls back by half a day has passed midnight.
                if (today as f64).mul_add(86400.0, stamp.seconds) < self.last - 43200.0 { today + 1 } else { today }
            }
        };
        self.day = Some(day);
        self.last = (day as f64).mul_add(86400.0, stamp.seconds);
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_of_every_order() {
        for (text, length, seconds) in [
            ("2024-01-29 10:02:31,400 - x", 23, 1_706_522_551.4),
            ("2024-01-29T10:02:31.400Z x", 24, 1_706_522_551.4),
            ("2024-01-29T10:02:31.4+08:00 x", 27, 1_706_493_751.4),
            ("2024-01-29 10:02:31 -0300] x", 25, 1_706_533_351.0),
            ("2024/01/29 10:02:31 x", 19, 1_706_522_551.0),
            ("2024/01/29 - 10:02:31 x", 21, 1_706_522_551.0),
            ("2024-01-29|10:02:31|x", 19, 1_706_522_551.0),
            ("2024-01-29, 10:02:31 UTC] x", 24, 1_706_522_551.0),
            ("01/29/2024 10:02:31 x", 19, 1_706_522_551.0),
            ("01/29/24 10:02:31 x", 17, 1_706_522_551.0),
            ("1706522551.400000 x", 17, 1_706_522_551.4),
            ("Mon Jan 29 10:02:31 2024] x", 24, 1_706_522_551.0),
        ] {
            let (stamp, _, len) = stamp(text).expect(text);
            assert_eq!(len, length, "{text}");
            let got = Clock::default().seconds(&stamp);
            assert!((got - seconds).abs() < 1e-3, "{text}: {got}");
        }
    }

    #[test]
    fn no_stamps() {
        for text in [
            "2024-13-29 10:02:31",
            "10:02",
            "1:02:03 left",
            "1706522551",
            "Nov 21 is a day",
            "192.168.1.1:80",
            "3.11.7",
            "Märchen",
            "1/8 [=>]",
        ] {
            assert_eq!(stamp(text), None, "{text}");
        }
    }

    #[test]
    fn one_clock() {
        let mut clock = Clock::default();
        let mut at = |text: &str| clock.seconds(&stamp(text).expect(text).0);
        let dated = at("2024-01-29 10:02:31");
        assert_eq!(at("01-29 10:02:32") - dated, 1.0);
        assert_eq!(at("23:59:59") - dated, 50248.0);
        assert_eq!(at("00:00:01") - dated, 50250.0);
    }
}
