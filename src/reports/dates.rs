//! Dates as people write them: which can be read, and which can be rewritten as `YYYY-MM-DD` without guessing.
//!
//! Only a date with one possible reading is rewritten: "12/06/2025" may be June or December and is left to its author.

use crate::wording;

/// What a date's words are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// `YYYY-MM-DD` with or without a time.
    Fine,
    /// Readable in one way only; this is the format's spelling.
    Mendable(String),
    /// Not readable, or in several ways.
    Bad,
}

/// The date that some words mean in one way only, beginning with `YYYY-MM-DD`.
pub(crate) fn reading(value: &str) -> Option<String> {
    match judge(value) {
        Judgement::Fine => Some(value.trim().to_owned()),
        Judgement::Mendable(right) => Some(right),
        Judgement::Bad => dotted(value.trim()),
    }
}

/// `06.12.2025`: where people put dots, the day comes first. Sure enough for a list, not to rewrite somebody's words.
fn dotted(value: &str) -> Option<String> {
    let end = value.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(value.len());
    let (date, rest) = value.split_at(end);
    let parts: Option<Vec<u32>> = date.trim_end_matches('.').split('.').map(|part| part.parse().ok()).collect();
    match parts.as_deref() {
        Some(&[day, month, year]) if is_day(year, month, day) && is_time(rest) => {
            Some(format!("{year:04}-{month:02}-{day:02}{rest}"))
        }
        _ => None,
    }
}

/// Judges the words of a date.
pub(crate) fn judge(value: &str) -> Judgement {
    let value = value.trim();
    if let Some(rest) = iso(value) {
        return if is_time(rest) { Judgement::Fine } else { Judgement::Bad };
    }
    match numbers(value).or_else(|| named(value)) {
        Some((year, month, day, rest)) if is_day(year, month, day) && is_time(rest) => {
            Judgement::Mendable(format!("{year:04}-{month:02}-{day:02}{rest}"))
        }
        _ => Judgement::Bad,
    }
}

/// What follows a valid `YYYY-MM-DD`.
fn iso(value: &str) -> Option<&str> {
    let day = value.get(..10)?;
    let mut parts = day.split('-');
    let (year, month, date) = (parts.next()?, parts.next()?, parts.next()?);
    let right = year.len() == 4 && month.len() == 2 && date.len() == 2;
    let valid = is_day(year.parse().ok()?, month.parse().ok()?, date.parse().ok()?);
    (right && valid && day.bytes().all(|b| b.is_ascii_digit() || b == b'-')).then(|| value.get(10..)).flatten()
}

/// A time, a zone, words in brackets, or nothing.
fn is_time(rest: &str) -> bool {
    let trimmed = rest.trim_start();
    if trimmed.is_empty() || (rest.starts_with(' ') && trimmed.starts_with(['(', ',', '-', '~'])) {
        return true;
    }
    if !rest.starts_with([' ', 'T', 't', '_', ',']) {
        return false;
    }
    let words = rest.get(1..).unwrap_or_default().trim_start();
    let mut digits = words.split(|c: char| !c.is_ascii_digit());
    let hour = digits.next().and_then(|hour| hour.parse::<u32>().ok());
    let minute = digits.next().and_then(|minute| minute.parse::<u32>().ok());
    match hour {
        Some(hour) => hour < 25 && minute.is_none_or(|minute| minute < 60),
        None => words.chars().all(|c| c.is_alphabetic() || c == ' ' || c == ','),
    }
}

/// `2025/12/06`, `2025.12.6`, `20251206`, and `31/12/2025` where one reading is possible.
fn numbers(value: &str) -> Option<(u32, u32, u32, &str)> {
    let end = value.find(|c: char| !(c.is_ascii_digit() || matches!(c, '/' | '.' | '-'))).unwrap_or(value.len());
    let (date, rest) = value.split_at(end);
    if date.len() == 8 && date.bytes().all(|b| b.is_ascii_digit()) {
        return Some((date.get(..4)?.parse().ok()?, date.get(4..6)?.parse().ok()?, date.get(6..)?.parse().ok()?, rest));
    }
    let separator = date.chars().find(|c| !c.is_ascii_digit())?;
    let mut parts = date.trim_end_matches(separator).split(separator);
    let (first, second, third) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let (a, b, c): (u32, u32, u32) = (first.parse().ok()?, second.parse().ok()?, third.parse().ok()?);
    if first.len() == 4 {
        return Some((a, b, c, rest));
    }
    match (third.len() == 4, a > 12, b > 12) {
        (true, true, false) => Some((c, b, a, rest)),
        (true, false, true) => Some((c, a, b, rest)),
        _ => None,
    }
}

/// `December 6, 2025`, `6 Dec 2025`, `14/Mar/2025`, `6 de diciembre de 2025`, `2025년 12월 6일`, `2025年12月6日`.
fn named(value: &str) -> Option<(u32, u32, u32, &str)> {
    for [year_mark, month_mark, day_mark] in [['년', '월', '일'], ['年', '月', '日']] {
        if let Some((year, rest)) = value.split_once(year_mark) {
            let (month, rest) = rest.split_once(month_mark)?;
            let (day, rest) = rest.split_once(day_mark)?;
            return Some((year.trim().parse().ok()?, month.trim().parse().ok()?, day.trim().parse().ok()?, rest));
        }
    }
    let particles = &wording::states().date_particles;
    let mut words = value
        .split([' ', ',', '/', '-', '\u{a0}'])
        .filter(|word| !word.is_empty() && !particles.contains(&word.to_lowercase().as_str()));
    let (first, second, third) = (words.next()?, words.next()?, words.next()?);
    let number =
        |word: &str| word.trim_end_matches(['t', 'h', 's', 'n', 'd', 'r', '.', 'e', 'º', 'ª']).parse::<u32>().ok();
    let (month, day) = match (month(first), month(second)) {
        (Some(month), _) => (month, number(second)?),
        (None, Some(month)) => (month, number(first)?),
        _ => return None,
    };
    let year = third.parse().ok().filter(|_| third.len() == 4)?;
    let end = value.find(third)? + third.len();
    Some((year, month, day, value.get(end..)?))
}

/// The month that a word is a name of, or the beginning of the names of one month only.
fn month(word: &str) -> Option<u32> {
    let word = word.trim_end_matches('.').to_lowercase();
    let months = &wording::states().months;
    let of = |is: &dyn Fn(&str) -> bool| {
        let mut found = months.iter().zip(1..).filter(|(names, _)| names.iter().any(|name| is(name)));
        found.next().filter(|_| found.next().is_none()).map(|(_, number)| number)
    };
    of(&|name| name == word)
        .or_else(|| if word.chars().count() < 3 { None } else { of(&|name| name.starts_with(&word)) })
}

fn is_day(year: u32, month: u32, day: u32) -> bool {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1990..2200).contains(&year) && (1..=days).contains(&day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_one_way_or_not_at_all() {
        for (value, judgement) in [
            ("2025-12-06", Some("")),
            ("2025-12-06 18:08 (KST)", Some("")),
            ("2025-12-06T18:08:00+09:00", Some("")),
            ("2025-12-06 (updated)", Some("")),
            ("2025-11-10 UTC", Some("")),
            ("2025-12-06 25:99", None),
            ("2025-13-06", None),
            ("2025-02-29", None),
            ("2025/12/06 18:08", Some("2025-12-06 18:08")),
            ("2025.12.6", Some("2025-12-06")),
            ("20251206", Some("2025-12-06")),
            ("31/12/2025", Some("2025-12-31")),
            ("12/31/2025", Some("2025-12-31")),
            ("12/06/2025", None),
            ("December 6, 2025", Some("2025-12-06")),
            ("6 Dec. 2025 10:00", Some("2025-12-06 10:00")),
            ("2025년 12월 6일", Some("2025-12-06")),
            ("2025年12月6日", Some("2025-12-06")),
            ("6 décembre 2025", Some("2025-12-06")),
            ("6 de diciembre de 2025", Some("2025-12-06")),
            ("6. Dezember 2025", Some("2025-12-06")),
            ("06/Dec/2025 10:00", Some("2025-12-06 10:00")),
            ("7 jui 2025", None),
            ("06.12.2025", None),
            ("yesterday", None),
            ("December 2025", None),
            ("2025-12-6", Some("2025-12-06")),
            ("", None),
        ] {
            let expected = match judgement {
                Some("") => Judgement::Fine,
                Some(right) => Judgement::Mendable(right.to_owned()),
                None => Judgement::Bad,
            };
            assert_eq!(judge(value), expected, "{value}");
            if let Judgement::Mendable(right) = judge(value) {
                assert_eq!(judge(&right), Judgement::Fine, "{right}");
            }
        }
        assert_eq!(reading("06.12.2025 18:08").as_deref(), Some("2025-12-06 18:08"));
        assert_eq!(wording::states().months.len(), 12);
    }
}
