//! A project's reports as a list: filtered, counted over time, with those that come back.

use std::collections::BTreeSet;

use askama::Template;
use serde::Deserialize;

use super::report;
use super::shelf::Shelf;
use crate::hint::Hint as _;
use crate::interfaces::web::frame::{Frame, Section, encoded};
use crate::interfaces::web::html;
use crate::render::chart::{self, Group};
use crate::render::clean;
use crate::render::inline;
use crate::render::words::counted;
use crate::reports::draft::moment::Moment;
use crate::reports::filter::{Filter, FilterOptions};
use crate::reports::occurrences::Met;
use crate::reports::order::Order;
use crate::reports::record::{ParsedReport, Record};
use crate::reports::stats::Stats;
use crate::reports::status::Stage;

/// A report in a list.
#[derive(Debug, Default)]
pub(crate) struct ReportLink {
    pub id: String,
    pub title: String,
    /// Below the root.
    pub address: String,
    pub status: String,
    /// `open`, `solved`, `other`.
    pub stage: &'static str,
    /// Empty where nobody can tell.
    pub severity: &'static str,
    pub date: String,
    /// The faults that it matches: id and address, the primary one first.
    pub faults: Vec<(String, String)>,
    pub times: usize,
    pub returned: bool,
    pub copies: usize,
}

/// The list.
#[derive(Template)]
#[template(path = "book/reports.html")]
pub(crate) struct List {
    pub frame: Frame,
    pub rows: Vec<ReportLink>,
    /// How many there are without filters.
    pub total: usize,
    pub asked: Asked,
    /// Whether the form with filters works here.
    pub can_filter: bool,
    pub statuses: Vec<&'static str>,
    pub severities: Vec<&'static str>,
    pub faults: Vec<String>,
    /// What was wrong with a filter.
    pub note: Option<String>,
    /// The picture's address below the root, and what it shows in words.
    pub chart: Option<(String, String)>,
    pub periods: Vec<String>,
    pub groups: Vec<Group>,
    pub recurring: Vec<Recurring>,
    /// How many are open, and since when.
    pub waiting: Option<(String, ReportLink)>,
    pub undated: Option<String>,
    /// Where the project has no reports: those that come with the book.
    pub examples: Vec<(String, String)>,
}

/// A report that came back or happened often.
#[derive(Debug)]
pub(crate) struct Recurring {
    pub report: ReportLink,
    pub last_seen: String,
    pub met: String,
}

/// The filters of an address.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Asked {
    pub words: String,
    pub status: String,
    pub severity: String,
    pub fault: String,
    pub since: String,
}

impl Asked {
    pub(crate) fn is_empty(&self) -> bool {
        [&self.words, &self.status, &self.severity, &self.fault, &self.since]
            .iter()
            .all(|value| value.trim().is_empty())
    }

    /// As the query of an address.
    fn query(&self) -> String {
        let all = [
            ("words", &self.words),
            ("status", &self.status),
            ("severity", &self.severity),
            ("fault", &self.fault),
            ("since", &self.since),
        ];
        let given = all.into_iter().filter(|(_, value)| !value.trim().is_empty());
        let parts: Vec<String> = given.map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        parts.join("&")
    }

    /// The reports that it asks for, the newest first; an error says what is wrong with it.
    fn select(&self, shelf: &Shelf<'_>) -> Result<Vec<usize>, String> {
        let list = |value: &str| -> Vec<String> {
            value.split(',').map(str::trim).filter(|value| !value.is_empty()).map(str::to_owned).collect()
        };
        let (statuses, severities, faults) = (list(&self.status), list(&self.severity), list(&self.fault));
        let since = Some(self.since.trim()).filter(|since| !since.is_empty());
        let options = FilterOptions { statuses: &statuses, severities: &severities, since, faults: &faults };
        let filter = Filter::new(&options, shelf.book()).map_err(|error| match error.hint() {
            Some(hint) => format!("{error}: {hint}"),
            None => error.to_string(),
        })?;
        let words = list(&self.words);
        let all = shelf.told.reports.iter().map(|one| &one.record).enumerate();
        let wanted = all.filter(|(_, record)| filter.wants(record) && record.has_words(&words));
        Ok(newest_first(wanted.map(|(index, record)| (index, record.clone())).collect()))
    }
}

fn newest_first(found: Vec<(usize, Record)>) -> Vec<usize> {
    let places: std::collections::HashMap<_, _> =
        found.iter().map(|(index, record)| (record.path.clone(), *index)).collect();
    let mut records: Vec<Record> = found.into_iter().map(|(_, record)| record).collect();
    Order::Date.sort(&mut records);
    records.iter().filter_map(|record| places.get(&record.path).copied()).collect()
}

/// All reports, the newest first.
pub(crate) fn newest(shelf: &Shelf<'_>) -> Vec<usize> {
    newest_first(shelf.told.reports.iter().map(|one| one.record.clone()).enumerate().collect())
}

/// The link to the report at that index.
pub(crate) fn report_link(shelf: &Shelf<'_>, index: usize) -> ReportLink {
    let record = &shelf.told.reports[index].record;
    ReportLink {
        id: clean::line(&record.id),
        title: title(record),
        address: shelf.told.addresses[index].clone(),
        status: record.status_word.map_or_else(|| clean::line(&record.status), |word| word.replace('_', " ")),
        stage: match record.stage {
            Some(Stage::Open) => "open",
            Some(Stage::Solved) => "solved",
            Some(Stage::Other) | None => "other",
        },
        severity: record.severity.unwrap_or_default(),
        date: record.day(),
        faults: record.faults.iter().filter_map(|id| Some((id.clone(), shelf.fault(id)?))).collect(),
        times: record.times(),
        returned: record.returned,
        copies: record.copies.len(),
    }
}

/// A report's title without markup.
pub(crate) fn title(record: &Record) -> String {
    let title = if record.title.trim().is_empty() { &record.id } else { &record.title };
    clean::line(&inline::plain(title))
}

/// The list of those that were asked for.
pub(crate) fn list(shelf: &Shelf<'_>, asked: Asked) -> List {
    let (selected, note) = match asked.select(shelf) {
        Ok(selected) => (selected, None),
        Err(note) => (Vec::new(), Some(note)),
    };
    let stats = stats(shelf, &selected);
    let records = || shelf.told.reports.iter().map(|one| &one.record);
    let total = shelf.told.reports.len();
    let description = format!(
        "{}, with their status, faults and how often they happened.",
        counted(total as u64, "report", "reports")
    );
    let statuses: BTreeSet<&str> = records().filter_map(|record| record.status_word).collect();
    let used: BTreeSet<&str> = records().filter_map(|record| record.severity).collect();
    let faults: BTreeSet<&String> = records().flat_map(|record| &record.faults).collect();
    let query = asked.query();
    let address = format!("reports/chart.svg{}{query}", if query.is_empty() { "" } else { "?" });
    let recurring = stats.recurring.iter().filter_map(|one| {
        let index = shelf.told.with_id(&one.id)?;
        let met: Vec<String> = one.met.iter().map(Met::words).collect();
        let last_seen = one.last_seen.clone();
        Some(Recurring { report: report_link(shelf, index), last_seen, met: clean::line(&met.join(", ")) })
    });
    let waiting = stats.waiting.as_ref().and_then(|waiting| {
        let oldest = shelf.told.with_id(&waiting.oldest)?;
        Some((counted(waiting.reports as u64, "report is open", "reports are open"), report_link(shelf, oldest)))
    });
    let undated =
        (stats.undated > 0).then(|| counted(stats.undated as u64, "report has no date", "reports have no date"));
    List {
        rows: selected.iter().map(|index| report_link(shelf, *index)).collect(),
        total,
        can_filter: shelf.can.diagnose,
        statuses: statuses.into_iter().collect(),
        severities: ["critical", "high", "medium", "low", "info"]
            .into_iter()
            .filter(|word| used.contains(word))
            .collect(),
        faults: faults.into_iter().cloned().collect(),
        note,
        chart: (stats.chart.periods.len() > 1).then(|| (address, clean::line(&stats.chart.title))),
        periods: stats.chart.periods.clone(),
        groups: if stats.reports > 0 { stats.chart.groups.clone() } else { Vec::new() },
        recurring: recurring.collect(),
        waiting,
        undated,
        examples: if total == 0 && shelf.can.diagnose && shelf.builtin { report::examples(shelf) } else { Vec::new() },
        asked,
        frame: shelf.frame("reports/index.html", Section::Reports, "Reports", &description),
    }
}

fn stats(shelf: &Shelf<'_>, selected: &[usize]) -> Stats {
    let selected: BTreeSet<usize> = selected.iter().copied().collect();
    let told: Vec<ParsedReport> = selected.iter().map(|index| shelf.told.reports[*index].clone()).collect();
    Stats::new(&told, shelf.book(), Moment::now().date())
}

/// The counts over time as a picture.
pub(crate) fn picture(shelf: &Shelf<'_>, asked: &Asked) -> String {
    chart::svg(&stats(shelf, &asked.select(shelf).unwrap_or_default()).chart)
}

/// A report's first sentences as text.
pub(crate) fn summary(one: &ParsedReport) -> String {
    clean::line(&inline::plain(&one.report.summary))
}

/// Text of a report on one line of HTML.
pub(crate) fn words(text: &str) -> String {
    html::sentence_of_text(&clean::line(text))
}
