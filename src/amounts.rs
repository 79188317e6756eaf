//! Sizes, counts, durations and dates as people write them.

use std::time::Duration;

/// A size in bytes: "15.1 MiB", "12.0 GiB".
pub(crate) fn size(bytes: f64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes;
    let mut unit = 0;
    while value.abs() >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{value:.0} B") } else { format!("{value:.1} {}", units[unit]) }
}

/// A duration: "0.4 s", "12 s".
pub(crate) fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 10.0 { format!("{seconds:.1} s") } else { format!("{seconds:.0} s") }
}

/// A longer duration: "12 s", "29 min", "2 h 5 min", "3 days".
pub(crate) fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..10 => format!("{} s", (seconds * 10.0).round() / 10.0),
        10..120 => format!("{whole} s"),
        120..7200 => format!("{} min", (seconds / 60.0).round()),
        7200..172_800 => {
            let minutes = (seconds / 60.0).round() as u64;
            if minutes.is_multiple_of(60) {
                format!("{} h", minutes / 60)
            } else {
                format!("{} h {} min", minutes / 60, minutes % 60)
            }
        }
        _ => format!("{} days", (seconds / 86400.0).round()),
    }
}

/// A count with thousands separators: `5,298`.
pub(crate) fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Seconds since 1970 as `2026-11-21T03:15:22`.
pub(crate) fn date(seconds: i64) -> String {
    const DAY: i64 = 86_400;
    let (days, second) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    // Days of the Gregorian calendar, counted from a first of March.
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
}

/// Days from 1970-01-01 to a date of the Gregorian calendar.
pub(crate) fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_people_write_them() {
        assert_eq!(size(12.0 * 1024.0 * 1024.0 * 1024.0), "12.0 GiB");
        assert_eq!(size(900.0), "900 B");
        assert_eq!(seconds(Duration::from_millis(400)), "0.4 s");
        assert_eq!(seconds(Duration::from_secs(20)), "20 s");
        assert_eq!([3.0, 2.54, 90.0, 1800.0].map(duration), ["3 s", "2.5 s", "90 s", "30 min"]);
        assert_eq!([7200.0, 7500.0, 200_000.0].map(duration), ["2 h", "2 h 5 min", "2 days"]);
        assert_eq!([0, 999, 1000, 5_298_000].map(thousands), ["0", "999", "1,000", "5,298,000"]);
    }

    #[test]
    fn dates_and_days() {
        for (text, second) in [
            ("1970-01-01T00:00:00", 0),
            ("2024-01-29T10:02:31", 1_706_522_551),
            ("2024-02-28T23:59:59", 1_709_164_799),
            ("2000-02-29T00:00:00", 951_782_400),
        ] {
            assert_eq!(date(second), text);
            let part = |range: std::ops::Range<usize>| text[range].parse::<i64>().expect("digits");
            assert_eq!(days(part(0..4), part(5..7), part(8..10)), second / 86_400);
        }
    }
}
