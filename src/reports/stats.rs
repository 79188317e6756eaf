//! How many reports there were: over time, by fault, by cause, by status.
//!
//! Periods are chosen so that the whole history fits: weeks, months, quarters or years. Each report counts once in each
//! group: under the primary fault of its error texts, the first root cause that it tells of, and its status.

use std::collections::BTreeMap;

use jiff::civil::{Date, Weekday};

use serde::Serialize;

use super::occurrences::Met;
use super::record::{ParsedReport, Record};
use crate::book::Book;
use crate::render::chart::{Chart, Group, Row};
use crate::reports::status::Stage;

/// Rows of a group; the rest is counted together.
const ROWS: usize = 8;

/// Counts, ready to be drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stats {
    /// The counts.
    pub chart: Chart,
    /// `week`, `month`, `quarter`, `year`.
    pub period: &'static str,
    /// How many reports were counted.
    pub reports: usize,
    /// How many of them nobody can date: they are in the totals only.
    pub undated: usize,
    /// How often their failures happened, further occurrences included.
    pub occurrences: usize,
    /// Reports that happened more than once or came back after they were solved, the most frequent first.
    pub recurring: Vec<Recurring>,
    /// Those that wait for somebody; `None` where none is open and dated.
    pub waiting: Option<Waiting>,
}

/// A report that happened more than once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Recurring {
    pub id: String,
    pub title: String,
    pub times: usize,
    pub first_seen: String,
    pub last_seen: String,
    /// The hosts, GPUs, drivers and versions that it was met with.
    pub met: Vec<Met>,
    /// Whether it came back after it had been solved.
    pub returned: bool,
}

/// How long open reports have been open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Waiting {
    /// How many are open.
    pub reports: usize,
    /// Half of them have been open for longer.
    pub median_days: i64,
    /// The oldest one.
    pub oldest: String,
    /// Its day.
    pub since: String,
}

impl Recurring {
    fn all(told: &[ParsedReport]) -> Vec<Self> {
        let records = told.iter().map(|one| &one.record).filter(|record| record.times() > 1 || record.returned);
        let mut all: Vec<Self> = records
            .map(|record| Self {
                id: record.id.clone(),
                title: record.title.clone(),
                times: record.times(),
                first_seen: record.first_seen(),
                met: record.met(),
                last_seen: record.last_seen(),
                returned: record.returned,
            })
            .collect();
        all.sort_by(|a, b| {
            b.times.cmp(&a.times).then_with(|| b.last_seen.cmp(&a.last_seen)).then_with(|| a.id.cmp(&b.id))
        });
        all
    }
}

impl Waiting {
    fn new(told: &[ParsedReport], today: Date) -> Option<Self> {
        let open = told.iter().map(|one| &one.record).filter(|record| record.stage == Some(Stage::Open));
        let age = |day: Date| day.until(today).map_or(0, |span| i64::from(span.get_days())).max(0);
        let mut open: Vec<(i64, &Record)> =
            open.filter_map(|record| Some((age(record.moment.as_ref()?.date()), record))).collect();
        open.sort_by(|(age, one), (other_age, other)| other_age.cmp(age).then_with(|| one.path.cmp(&other.path)));
        let (_, oldest) = open.first()?;
        let (median, _) = open.get(open.len() / 2)?;
        Some(Self { reports: open.len(), median_days: *median, oldest: oldest.id.clone(), since: oldest.day() })
    }
}

/// A stretch of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Period {
    Week,
    Month,
    Quarter,
    Year,
}

impl Period {
    /// The shortest one of which the days between two days are not too many.
    fn between(first: Date, last: Date) -> Self {
        let days = i64::from(first.until(last).map_or(0, |span| span.get_days()));
        match days {
            ..113 => Self::Week,
            113..1101 => Self::Month,
            1101..4401 => Self::Quarter,
            _ => Self::Year,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Week => "week",
            Self::Month => "month",
            Self::Quarter => "quarter",
            Self::Year => "year",
        }
    }

    /// Its number, counted without gaps.
    fn number(self, day: Date) -> i64 {
        let months = i64::from(day.year()) * 12 + i64::from(day.month()) - 1;
        match self {
            // Weeks begin on a Monday; the first day of year 1 was one.
            Self::Week => Date::constant(1, 1, 1).until(day).map_or(0, |span| i64::from(span.get_days())).div_euclid(7),
            Self::Month => months,
            Self::Quarter => months.div_euclid(3),
            Self::Year => months.div_euclid(12),
        }
    }

    fn name(self, number: i64) -> String {
        match self {
            Self::Week => {
                let days = jiff::Span::new().try_days(number * 7);
                let monday = days.and_then(|days| Date::constant(1, 1, 1).checked_add(days));
                monday.map_or_else(
                    |_| String::new(),
                    |monday| {
                        debug_assert_eq!(monday.weekday(), Weekday::Monday);
                        let week = monday.iso_week_date();
                        format!("{}-W{:02}", week.year(), week.week())
                    },
                )
            }
            Self::Month => format!("{:04}-{:02}", number.div_euclid(12), number.rem_euclid(12) + 1),
            Self::Quarter => format!("{:04}-Q{}", number.div_euclid(4), number.rem_euclid(4) + 1),
            Self::Year => format!("{number:04}"),
        }
    }
}

impl Stats {
    /// Counts reports.
    pub(crate) fn new(told: &[ParsedReport], book: &Book, today: Date) -> Self {
        let days: Vec<Option<Date>> =
            told.iter().map(|one| one.record.moment.as_ref().map(|moment| moment.date())).collect();
        let known = || days.iter().flatten().copied();
        let (first, last) = (known().min(), known().max());
        let period = first.zip(last).map_or(Period::Month, |(first, last)| Period::between(first, last));
        let start = first.map_or(0, |day| period.number(day));
        let count = last.map_or(0, |day| period.number(day) - start + 1);
        let periods: Vec<String> = (0..count).map(|index| period.name(start + index)).collect();
        let at = |day: Option<Date>| day.and_then(|day| usize::try_from(period.number(day) - start).ok());
        let places: Vec<Option<usize>> = days.iter().map(|day| at(*day)).collect();
        let group = |title: &str, name: &dyn Fn(&ParsedReport) -> String| Group {
            title: title.to_owned(),
            rows: rows(told.iter().map(name).zip(places.iter().copied()), periods.len()),
        };
        let groups = vec![
            group("Fault", &|one| one.record.faults.first().cloned().unwrap_or_else(|| "no known fault".to_owned())),
            group("Cause", &|one| cause(one, book).unwrap_or_else(|| "no known cause".to_owned())),
            group("Status", &|one| one.record.status_word.unwrap_or("no known status").to_owned()),
        ];
        let reports = if told.len() == 1 { "1 report".to_owned() } else { format!("{} reports", told.len()) };
        let title = match (periods.first(), periods.last()) {
            (Some(first), Some(last)) if first != last => format!("{reports} by {}, {first} to {last}", period.word()),
            (Some(only), _) => format!("{reports} in {only}"),
            _ => reports,
        };
        let undated = days.iter().filter(|day| day.is_none()).count();
        Self {
            chart: Chart { title, periods, groups },
            period: period.word(),
            reports: told.len(),
            undated,
            // A duplicate is among the occurrences of the report that it names.
            occurrences: told
                .iter()
                .filter(|one| one.record.duplicate_of.is_none())
                .map(|one| one.record.times())
                .sum(),
            recurring: Recurring::all(told),
            waiting: Waiting::new(told, today),
        }
    }
}

/// The first root cause that the report tells of, from the closed list; those of its fault's page before others.
fn cause(told: &ParsedReport, book: &Book) -> Option<String> {
    let page = told.record.faults.first().and_then(|id| book.find(id)).and_then(|index| book.faults.get(index));
    let own = page.into_iter().flat_map(|page| page.matter().causes.iter().map(|cause| cause.id.as_str()));
    let all = book.vocabulary.causes().iter().map(|cause| cause.id.as_str());
    let candidates: Vec<&str> = own.chain(all).collect();
    let of = |sentence: &String| candidates.iter().find(|id| book.vocabulary.is_about(id, sentence));
    told.report.root_causes.iter().find_map(of).map(|id| (*id).to_owned())
}

/// Kinds with their counts, the largest first; small ones together at the end.
fn rows(told: impl Iterator<Item = (String, Option<usize>)>, periods: usize) -> Vec<Row> {
    let mut kinds: BTreeMap<String, Row> = BTreeMap::new();
    for (name, place) in told {
        let row = kinds.entry(name.clone()).or_insert_with(|| Row { name, counts: vec![0; periods], total: 0 });
        row.total += 1;
        if let Some(count) = place.and_then(|place| row.counts.get_mut(place)) {
            *count += 1;
        }
    }
    let mut rows: Vec<Row> = kinds.into_values().collect();
    rows.sort_by(|a, b| b.total.cmp(&a.total).then_with(|| a.name.cmp(&b.name)));
    if rows.len() > ROWS + 1 {
        let rest = rows.split_off(ROWS);
        let mut others = Row { name: format!("{} others", rest.len()), counts: vec![0; periods], total: 0 };
        for row in &rest {
            others.total += row.total;
            others.counts.iter_mut().zip(&row.counts).for_each(|(sum, count)| *sum += count);
        }
        rows.push(others);
    }
    rows
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::reports::reading;

    fn told(date: &str, status: &str, cause: &str, fault: Option<&str>) -> ParsedReport {
        let text = format!("---\ntitle: x\ndate: {date}\nstatus: {status}\n---\n# x\n\n## Root Cause\n{cause}\n");
        let report = reading::read(Path::new("a.md"), &text);
        ParsedReport { record: Record::of_report(&report, fault.map(str::to_owned).into_iter().collect()), report }
    }

    fn seen(group: &Group) -> Vec<(&str, &[u32], u32)> {
        group.rows.iter().map(|row| (row.name.as_str(), row.counts.as_slice(), row.total)).collect()
    }

    #[test]
    fn every_report_counts_once_in_each_group() {
        let book = Book::new(true);
        let all = [
            told("2025-11-10", "open", "The workspace memory was exhausted.", Some("oom")),
            told("Nov 30, 2025", "Resolved", "NaNs/Infs in the input.", Some("oom")),
            told("2026-02-01", "open", "nobody knows", None),
            told("some day", "sleeping", "", Some("xid")),
        ];
        let stats = Stats::new(&all, &book, Date::constant(2026, 2, 11));
        assert_eq!((stats.period, stats.reports, stats.undated), ("week", 4, 1));
        assert_eq!(stats.chart.title, "4 reports by week, 2025-W46 to 2026-W05");
        assert_eq!(stats.chart.periods.len(), 12);
        let [fault, cause, status] = stats.chart.groups.as_slice() else { panic!("three groups") };
        assert_eq!(
            fault.rows.iter().map(|row| (row.name.as_str(), row.total)).collect::<Vec<_>>(),
            [("oom", 2), ("no known fault", 1), ("xid", 1)]
        );
        assert_eq!(
            cause.rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(),
            ["no known cause", "bad-values", "memory-exhausted"]
        );
        assert_eq!(
            status.rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(),
            ["open", "no known status", "resolved"]
        );
        let waiting = stats.waiting.clone().map(|waiting| (waiting.reports, waiting.median_days, waiting.since));
        assert_eq!(waiting, Some((2, 10, "2025-11-10".to_owned())));
        for group in &stats.chart.groups {
            assert_eq!(group.rows.iter().map(|row| row.total).sum::<u32>(), 4);
            assert_eq!(group.rows.iter().flat_map(|row| &row.counts).sum::<u32>(), 3, "the undated one has no place");
        }
    }

    #[test]
    fn periods_have_no_gaps() {
        let book = Book::new(true);
        let periods = |first: &str, last: &str| {
            let stats = Stats::new(
                &[told(first, "open", "", None), told(last, "open", "", None)],
                &book,
                Date::constant(2026, 2, 11),
            );
            (stats.period, stats.chart.periods.len(), stats.chart.periods.last().cloned().unwrap_or_default())
        };
        assert_eq!(periods("2024-12-29", "2025-01-06"), ("week", 3, "2025-W02".to_owned()));
        assert_eq!(periods("2024-11-30", "2025-11-01"), ("month", 13, "2025-11".to_owned()));
        assert_eq!(periods("2020-01-01", "2025-12-31"), ("quarter", 24, "2025-Q4".to_owned()));
        assert_eq!(periods("1999-01-01", "2025-12-31"), ("year", 27, "2025".to_owned()));
        let empty = Stats::new(&[], &book, Date::constant(2026, 2, 11));
        assert_eq!((empty.chart.periods.len(), empty.reports), (0, 0));
    }

    #[test]
    fn small_kinds_come_together() {
        let kinds = (0..12_usize).flat_map(|kind| std::iter::repeat_n((format!("kind {kind:02}"), Some(0)), 12 - kind));
        let group = Group { title: String::new(), rows: rows(kinds, 1) };
        assert_eq!(seen(&group).len(), ROWS + 1);
        assert_eq!(seen(&group).last(), Some(&("4 others", &[10_u32][..], 10)));
    }

    #[test]
    fn what_came_back_is_named() {
        let text = "---\ntitle: x\ndate: 2025-11-10\nstatus: open\n---\n# x\n\n## Occurrences\n\n### 2025-12-01\n\n- **Came back:** y\n\n### 2025-12-01 10:00\n";
        let report = reading::read(Path::new("a.md"), text);
        let all = [
            ParsedReport { record: Record::of_report(&report, Vec::new()), report },
            told("2025-11-10", "open", "", None),
        ];
        let stats = Stats::new(&all, &Book::new(true), Date::constant(2026, 1, 1));
        assert_eq!((stats.occurrences, stats.recurring.len()), (4, 1));
        let one = &stats.recurring[0];
        assert_eq!((one.times, one.last_seen.as_str(), one.returned), (3, "2025-12-01", true));
    }
}
