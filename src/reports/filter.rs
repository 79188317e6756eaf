//! Which reports somebody wants to see: by status, severity, age and fault. Every filter that is given must hold.

use jiff::civil::{Date, DateTime};
use jiff::{Span, Unit};

use super::record::Record;
use crate::book::Book;
use crate::reports::draft::Error;
use crate::reports::draft::moment::Moment;
use crate::reports::reading::comparable;
use crate::reports::status::{self, Stage};

/// What reports must be like; of several values of one kind, one must hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Filter {
    statuses: Vec<Status>,
    severities: Vec<&'static str>,
    since: Option<DateTime>,
    faults: Vec<String>,
}

/// A status asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    /// All words of bugs that are open, or of those that are solved.
    Stage(Stage),
    /// This very word.
    Word(&'static str),
}

/// A filter as typed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FilterOptions<'a> {
    /// `open`, `in_progress`.
    pub statuses: &'a [String],
    /// `high`.
    pub severities: &'a [String],
    /// `30d`, `2025-11-01`.
    pub since: Option<&'a str>,
    /// `oom`, `no-engine`.
    pub faults: &'a [String],
}

impl Filter {
    /// Understands what was typed.
    ///
    /// # Errors
    /// When a word means nothing, or several things.
    pub(crate) fn new(asked: &FilterOptions<'_>, book: &Book) -> Result<Self, Error> {
        Ok(Self {
            statuses: asked.statuses.iter().map(|word| status(word)).collect::<Result<_, _>>()?,
            severities: asked.severities.iter().map(|word| severity(word)).collect::<Result<_, _>>()?,
            since: asked.since.map(|words| since(words, Moment::now().datetime())).transpose()?,
            faults: asked.faults.iter().map(|word| fault(word, book)).collect::<Result<_, _>>()?,
        })
    }

    /// Whether it lets everything through.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a report is wanted. What nobody knows of a report does not fit what was asked for.
    pub(crate) fn wants(&self, record: &Record) -> bool {
        let status = |asked: &Status| match asked {
            Status::Stage(stage) => record.stage == Some(*stage),
            Status::Word(word) => record.status_word == Some(*word),
        };
        let recent = |since: DateTime| record.moment.as_ref().is_some_and(|moment| moment.end() >= since);
        (self.statuses.is_empty() || self.statuses.iter().any(status))
            && (self.severities.is_empty() || self.severities.iter().any(|word| record.severity == Some(*word)))
            && self.since.is_none_or(recent)
            && (self.faults.is_empty() || self.faults.iter().any(|fault| record.faults.contains(fault)))
    }
}

fn refuse(message: String, hint: impl Into<String>) -> Error {
    Error::Report { message, hint: hint.into() }
}

/// `open` and `closed` stand for all words of their kind; every other word for itself, in any spelling.
fn status(word: &str) -> Result<Status, Error> {
    match status::canonical(word) {
        Some("open") => Ok(Status::Stage(Stage::Open)),
        Some("closed") => Ok(Status::Stage(Stage::Solved)),
        Some(word) => Ok(Status::Word(word)),
        None => Err(refuse(
            format!("`{word}` is not a status"),
            "open (anything unsolved), closed (anything solved), or a word such as in_progress, resolved, wontfix, duplicate",
        )),
    }
}

fn severity(word: &str) -> Result<&'static str, Error> {
    status::severity(word)
        .ok_or_else(|| refuse(format!("`{word}` is not a severity"), "critical, high, medium, low, info"))
}

/// `30d`, `12h`, `4w`, `6mo`, `1y` before `now`; `2025-11-01`; `2025-11`.
fn since(words: &str, now: DateTime) -> Result<DateTime, Error> {
    let wrong = || {
        let hint = "an age such as 12h, 30d, 4w, 6mo, 1y, or a day such as 2025-11-01";
        refuse(format!("`{words}` is neither an age nor a day"), hint)
    };
    let words = words.trim();
    let day = words.parse::<Date>().or_else(|_| format!("{words}-01").parse::<Date>());
    if let Some(day) = day.ok().filter(|_| words.contains('-') && words.starts_with(|c: char| c.is_ascii_digit())) {
        return Ok(day.at(0, 0, 0, 0));
    }
    let span: Span = words.parse().map_err(|_| wrong())?;
    let small = span.get_minutes() != 0 || span.get_seconds() != 0 || span.get_milliseconds() != 0;
    if small || span.is_negative() || span.is_zero() {
        return Err(wrong());
    }
    let start = now.checked_sub(span).map_err(|_| wrong())?;
    // Days are whole days: a report of 30 days ago counts, whatever the time.
    let whole_days = span.get_hours() == 0;
    Ok(if whole_days { start.round(Unit::Day).map_or(start, |_| start.date().at(0, 0, 0, 0)) } else { start })
}

/// The id of the one fault page that is meant: by its id, a former one, or a part that no other id has.
///
/// # Errors
/// When none or several are meant.
pub(crate) fn fault(word: &str, book: &Book) -> Result<String, Error> {
    const SHOWN: usize = 8;
    let key = comparable(word);
    if let Some(entry) = book.find(&key).and_then(|index| book.faults.get(index)) {
        return Ok(entry.id.clone());
    }
    let ids = || book.faults.iter().map(|entry| entry.id.as_str()).filter(|id| !key.is_empty() && id.contains(&key));
    // `no-engine` is a part of `cudnn-no-engine` between its hyphens; `engine-x` would not be.
    let whole: Vec<&str> = ids().filter(|id| format!("-{id}-").contains(&format!("-{key}-"))).collect();
    let any: Vec<&str> = ids().collect();
    match (whole.as_slice(), any.as_slice()) {
        ([one], _) | ([], [one]) => Ok((*one).to_owned()),
        ([], []) => Err(refuse(
            format!("no fault page has `{word}` in its id"),
            format!("`faultbook list --pages` lists them all; `faultbook search {key}` finds them by words"),
        )),
        ([], several) | (several, _) => {
            let mut names = several.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
            if several.len() > SHOWN {
                names.push_str(", ...");
            }
            Err(refuse(format!("`{word}` can mean {} fault pages", several.len()), format!("one of {names}")))
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::hint::Hint as _;
    use crate::reports::reading;

    #[test]
    fn ages_and_days() {
        let now = "2025-12-01T10:30:00".parse::<DateTime>().unwrap();
        for (words, start) in [
            ("30d", Some("2025-11-01T00:00:00")),
            ("12h", Some("2025-11-30T22:30:00")),
            ("4w", Some("2025-11-03T00:00:00")),
            ("6mo", Some("2025-06-01T00:00:00")),
            ("2025-11-01", Some("2025-11-01T00:00:00")),
            ("2025-11", Some("2025-11-01T00:00:00")),
            ("3m", None),
            ("-3d", None),
            ("0d", None),
            ("2025-13-01", None),
            ("yesterday", None),
            ("99999999999d", None),
            ("", None),
        ] {
            assert_eq!(since(words, now).ok(), start.map(|start| start.parse().unwrap()), "{words}");
        }
    }

    #[test]
    fn faults_are_named_by_a_part() {
        let book = Book::new(true);
        for (word, id) in [
            ("oom", "oom"),
            ("no-engine", "cudnn-no-engine"),
            ("No_Engine", "cudnn-no-engine"),
            ("shm", "shm-exhausted"),
        ] {
            assert_eq!(fault(word, &book).unwrap(), id, "{word}");
        }
        assert!(fault("cudnn", &book).unwrap_err().hint().unwrap().contains("cudnn-no-engine"));
        assert!(fault("no-such-thing", &book).unwrap_err().hint().unwrap().contains("faultbook list"));
        assert!(fault("", &book).is_err());
    }

    #[test]
    fn every_filter_must_hold() {
        let text = "---\nstatus: In Progress\nseverity: major\ndate: 2025-11-10\n---\n";
        let record = Record::of_report(&reading::read(Path::new("a.md"), text), vec!["oom".to_owned()]);
        let book = Book::new(true);
        let wants = |statuses: &[&str], severities: &[&str], since: Option<&str>, faults: &[&str]| {
            let own = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
            let (statuses, severities, faults) = (own(statuses), own(severities), own(faults));
            let asked = FilterOptions { statuses: &statuses, severities: &severities, since, faults: &faults };
            Filter::new(&asked, &book).map(|filter| filter.wants(&record))
        };
        assert!(wants(&[], &[], None, &[]).unwrap());
        assert!(wants(&["open"], &["high", "low"], Some("2025-11-10"), &["oom"]).unwrap());
        assert!(wants(&["wip"], &["MAJOR"], None, &[]).unwrap());
        assert!(!wants(&["closed"], &[], None, &[]).unwrap());
        assert!(!wants(&["open"], &["low"], None, &[]).unwrap());
        assert!(!wants(&["open"], &[], Some("2025-11-11"), &[]).unwrap());
        assert!(!wants(&["open"], &[], None, &["no-engine"]).unwrap());
        assert!(wants(&["sleeping"], &[], None, &[]).is_err() && wants(&[], &["awful"], None, &[]).is_err());
    }
}
