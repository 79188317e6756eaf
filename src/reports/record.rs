//! A report as lists, charts and graphs see it: its words brought into one spelling, its date read.

use std::path::{Path, PathBuf};

use crate::book::report::Report;
use crate::reports::dates;
use crate::reports::draft::moment::Moment;
use crate::reports::files;
use crate::reports::index::{Entry, duplicate_of};
use crate::reports::occurrences::{self, Met, Occurrence, Occurrences, Place};
use crate::reports::reading::{self, comparable};
use crate::reports::status::{self, Stage};

/// A report in short.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Record {
    /// Its id.
    pub id: String,
    /// Other ids that stand for it.
    pub aliases: Vec<String>,
    /// Its title.
    pub title: String,
    /// Where it lies.
    pub path: PathBuf,
    /// Its status as written.
    pub status: String,
    /// Its status in the format's spelling; `None` where nobody can tell.
    pub status_word: Option<&'static str>,
    /// What the status says of the work.
    pub stage: Option<Stage>,
    /// critical, high, medium, low, info; `None` where nobody can tell.
    pub severity: Option<&'static str>,
    /// When it was written: its date, else the day in its id.
    pub moment: Option<Moment>,
    /// Fault pages that its error texts match, the primary one first.
    pub faults: Vec<String>,
    /// Host, GPU, driver and versions of what it was written about.
    pub place: Place,
    /// Further occurrences, in order.
    pub occurrences: Vec<Occurrence>,
    /// Whether it came back after it had been solved.
    pub returned: bool,
    /// The id of the report that it says to be a duplicate of, and whose occurrence it is.
    pub duplicate_of: Option<String>,
    /// The report that this one is a copy of.
    pub copy_of: Option<PathBuf>,
    /// The copies of this one, where [`copies::living`](crate::reports::copies::living) put them together.
    pub copies: Vec<PathBuf>,
}

/// A report with its record.
#[derive(Debug, Clone)]
pub(crate) struct ParsedReport {
    /// In short.
    pub record: Record,
    /// In full.
    pub report: Report,
}

impl Record {
    /// The record of a report that the index knows.
    pub(crate) fn of(entry: &Entry) -> Self {
        let record = Self::new(
            (entry.id.clone(), entry.aliases.clone(), entry.title.clone(), entry.path.clone()),
            (&entry.status, &entry.severity, &entry.date),
            entry.faults.clone(),
        );
        let (occurrences, returned) = (entry.occurrences.clone(), entry.returned);
        let (copy_of, place) = (entry.copy_of.clone(), entry.place.clone());
        let duplicate_of = entry.duplicate_of.clone();
        Self { copy_of, place, duplicate_of, ..record }.with_occurrences(occurrences, returned)
    }

    /// The record of a report and the fault pages it matches.
    pub(crate) fn of_report(report: &Report, faults: Vec<String>) -> Self {
        Self::new(
            (report.id.clone(), report.aliases.clone(), report.title.clone(), report.path.clone()),
            (&report.status, &report.severity, &report.date),
            faults,
        )
        .with_occurrences_of(report)
    }

    fn with_occurrences_of(self, report: &Report) -> Self {
        let Occurrences { place, later, returned } = occurrences::read(report);
        Self { place, duplicate_of: duplicate_of(report), ..self }.with_occurrences(later, returned)
    }

    /// The record with further occurrences; one that several copies tell of counts once, and a history that begins with the
    /// report's own day begins with the report.
    pub(crate) fn with_occurrences(mut self, later: Vec<Occurrence>, returned: bool) -> Self {
        let first = self.day();
        let later = later.into_iter().filter(|one| one.appended || one.day() != first).collect();
        self.occurrences = occurrences::merged(self.occurrences, later);
        self.returned |= returned || self.status_word == Some("reopened");
        self
    }

    /// How often it happened, the report itself included.
    pub(crate) fn times(&self) -> usize {
        self.occurrences.len() + 1
    }

    /// The day when it happened last.
    pub(crate) fn last_seen(&self) -> String {
        let days = self.occurrences.iter().map(|one| one.day().to_owned()).chain(Some(self.day()));
        days.filter(|day| !day.is_empty()).max().unwrap_or_default()
    }

    /// The day when it happened first.
    pub(crate) fn first_seen(&self) -> String {
        let days = self.occurrences.iter().map(|one| one.day().to_owned()).chain(Some(self.day()));
        days.filter(|day| !day.is_empty()).min().unwrap_or_default()
    }

    /// The machines and versions that it was met with.
    pub(crate) fn met(&self) -> Vec<Met> {
        occurrences::tally(std::iter::once(&self.place).chain(self.occurrences.iter().map(|one| &one.place)))
    }

    /// "3 times, 2025-11-10 to 2026-01-02, came back after it was solved"; nothing for once.
    pub(crate) fn seen(&self) -> Option<String> {
        if self.times() < 2 && !self.returned {
            return None;
        }
        let (first, last) = (self.first_seen(), self.last_seen());
        let days = if first == last { first } else { format!("{first} to {last}") };
        let days = if days.is_empty() { days } else { format!(", {days}") };
        let times = if self.times() == 1 { "once".to_owned() } else { format!("{} times", self.times()) };
        Some(format!("{times}{days}{}", if self.returned { ", came back after it was solved" } else { "" }))
    }

    fn new(
        (id, aliases, title, path): (String, Vec<String>, String, PathBuf),
        (status, severity, date): (&str, &str, &str),
        faults: Vec<String>,
    ) -> Self {
        let status_word = status::reading(status);
        Self {
            status: status.to_owned(),
            status_word,
            stage: status_word.and_then(status::stage),
            severity: status::severity(severity),
            moment: moment(date).or_else(|| moment(&day_in(&id)?)).or_else(|| moment(&day_in_name(&path)?)),
            id,
            aliases,
            title,
            path,
            faults,
            place: Place::new(),
            occurrences: Vec::new(),
            returned: false,
            duplicate_of: None,
            copy_of: None,
            copies: Vec::new(),
        }
    }

    /// Whether somebody who says `asked` means this report: its id or another one, its path or its file's name.
    pub(crate) fn is_called(&self, asked: &str) -> bool {
        let key = comparable(asked);
        let mut names = std::iter::once(&self.id).chain(&self.aliases);
        let file = |part: Option<&std::ffi::OsStr>| part.is_some_and(|part| part.eq_ignore_ascii_case(asked));
        names.any(|name| comparable(name) == key)
            || self.path == Path::new(asked)
            || file(self.path.file_name())
            || file(self.path.file_stem())
    }

    /// Whether its id, title, status, path or faults have all these words.
    pub(crate) fn has_words(&self, words: &[String]) -> bool {
        if words.is_empty() {
            return true;
        }
        let path = self.path.to_string_lossy();
        let own = [self.id.as_str(), &self.title, &self.status, self.status_word.unwrap_or_default(), &path];
        let all = own.into_iter().chain(self.aliases.iter().chain(&self.faults).map(String::as_str));
        let all = all.map(comparable).collect::<Vec<_>>().join("\n");
        words.iter().flat_map(|words| words.split_whitespace()).all(|word| all.contains(&comparable(word)))
    }

    /// `2025-11-10`; empty where nobody knows.
    pub(crate) fn day(&self) -> String {
        self.moment.as_ref().map(Moment::day).unwrap_or_default()
    }
}

/// Reads reports in the order of their paths; what cannot be read is left out. `known` gives what the index has of a path.
pub(crate) fn read<'i>(files: &[impl AsRef<Path>], known: impl Fn(&Path) -> Option<&'i Entry>) -> Vec<ParsedReport> {
    reread(files, known, |_| None)
}

/// [`read`], but what `kept` has of a path is not read again.
pub(crate) fn reread<'i>(
    files: &[impl AsRef<Path>],
    known: impl Fn(&Path) -> Option<&'i Entry>,
    kept: impl Fn(&Path) -> Option<Report>,
) -> Vec<ParsedReport> {
    let left_out = |path: &Path| known(path).is_some_and(Entry::is_left_out);
    let reports = files.iter().map(AsRef::as_ref).filter(|path| !left_out(path));
    let reports = reports.filter_map(|path| kept(path).or_else(|| files::read_report(path).ok()));
    let with_record = |report: Report| {
        let known = known(&report.path);
        let faults = known.map(|entry| entry.faults.clone()).unwrap_or_default();
        let copy_of = known.and_then(|entry| entry.copy_of.clone());
        ParsedReport { record: Record { copy_of, ..Record::of_report(&report, faults) }, report }
    };
    reports.map(with_record).collect()
}

/// A date as reports have it, in whatever spelling that has one meaning.
fn moment(date: &str) -> Option<Moment> {
    Moment::parse(&dates::reading(date)?)
}

/// The day in an id: `BUG-20251110-003` is of 2025-11-10.
fn day_in(id: &str) -> Option<String> {
    let normal = reading::normal_id(id)?;
    let day = normal.split('-').nth(1).filter(|day| day.len() == 8)?;
    Some(day.to_owned())
}

/// The day in a file's name: `2025-11-10_1808_BUG_003_slug.md`, `20251110-nan.md`.
fn day_in_name(path: &Path) -> Option<String> {
    let stem = path.file_stem()?.to_string_lossy().replace('_', "-");
    let starts = stem.char_indices().filter(|(at, c)| {
        c.is_ascii_digit() && !stem.get(..*at).is_some_and(|before| before.ends_with(|c: char| c.is_ascii_digit()))
    });
    let days = starts.filter_map(|(at, _)| {
        let rest = stem.get(at..)?;
        let long = rest.get(..10).filter(|day| day.bytes().filter(|b| *b == b'-').count() == 2);
        let short = rest.get(..8).filter(|day| day.bytes().all(|b| b.is_ascii_digit()));
        let end = |day: &str| !rest.get(day.len()..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        long.or(short).filter(|day| end(day)).and_then(dates::reading)
    });
    days.into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(status: &str, severity: &str, date: &str) -> Record {
        let text = format!(
            "---\nbug_id: BUG-20251110-003\nstatus: \"{status}\"\nseverity: \"{severity}\"\ndate: \"{date}\"\n---\n"
        );
        Record::of_report(&reading::read(Path::new("docs/a.md"), &text), Vec::new())
    }

    #[test]
    fn words_come_to_one_spelling() {
        let seen = record("✅ Resolved", "BLOCKER", "Nov 12, 2025");
        assert_eq!(
            (seen.status_word, seen.stage, seen.severity),
            (Some("resolved"), Some(Stage::Solved), Some("critical"))
        );
        assert_eq!(seen.day(), "2025-11-12");
        assert_eq!(record("sleeping", "", "some day").day(), "2025-11-10", "the day in the id");
        assert_eq!(record("sleeping", "", "").status_word, None);
        for name in ["bug_20251110_003", "BUG-20251110-003", "a", "a.md", "docs/a.md"] {
            assert!(seen.is_called(name), "{name}");
        }
        assert!(!seen.is_called("BUG-20251110-004"));
    }
}
