//! `faultbook list`: the project's reports, those that come first in front; on request the pages and reports of the book.
//!
//! Copies are shown with the report that they are copies of. The JSON holds the pages in any case.

use std::path::Path;

use crate::book::schema::{PageStatus, Severity};
use crate::render::layout::Paragraph;
use crate::render::words::copies;
use crate::reports::filter::Filter;
use crate::reports::knowledge::Knowledge;
use crate::reports::occurrences::Met;
use crate::reports::order::Order;
use crate::reports::reading;
use crate::reports::record::Record;
use clap::Args;
use serde::Serialize;

use super::common::Common;
use super::exit::Exit;
use super::failure::Result;
use super::filter::Filters;
use super::format::{Format, FormatArg};
use super::output::{Output, json, table};
use super::{listed, open};

#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Only reports that have all these words in their id, title, status, path or fault.
    #[arg(value_name = "WORDS")]
    words: Vec<String>,

    #[command(flatten)]
    filters: Filters,

    /// The order of the reports.
    #[arg(long, value_enum, default_value_t = Order::Date, value_name = "KEY")]
    sort: Order,

    /// The maximum number of reports.
    #[arg(long, value_name = "N")]
    limit: Option<usize>,

    /// Also list the fault pages and the reports that come with the book.
    #[arg(long)]
    pages: bool,

    /// Print only the ids, one per line.
    #[arg(long)]
    ids: bool,

    #[command(flatten)]
    pub(crate) format: FormatArg<Format>,
}

/// One page or report, also an item of the JSON (`faultbook/list/1`).
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) status: String,
    pub(crate) severity: String,
    pub(crate) path: String,
    /// When a report was written; omitted if unknown.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) date: String,
    /// Fault pages that a report's error texts match.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    faults: Vec<String>,
    /// Where copies of a report lie; omitted if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) copies: Vec<String>,
    /// How often it happened, the report itself included; omitted for once.
    #[serde(skip_serializing_if = "is_once")]
    pub(crate) times: usize,
    /// When it happened last; omitted for a report of one occurrence.
    #[serde(skip_serializing_if = "String::is_empty")]
    last_seen: String,
    /// The hosts, GPUs, drivers and versions of a report that happened more than once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    met: Vec<Met>,
    /// Whether it came back after it was solved; omitted where it did not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    returned: bool,
    /// The status in the format's spelling, where it can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status_word: Option<&'static str>,
}

fn is_once(times: &usize) -> bool {
    *times < 2
}

#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    pages: &'a [Row],
    reports: &'a [Row],
    /// Reports that come with the book, as examples.
    examples: &'a [Row],
    /// How many reports there were before `--limit`.
    found: usize,
}

/// What is listed.
pub(crate) struct Listed {
    pub(crate) reports: Vec<Row>,
    /// How many there were before the limit.
    pub(crate) found: usize,
    pub(crate) pages: Vec<Row>,
    pub(crate) examples: Vec<Row>,
    /// Whether reports were asked for by a filter.
    pub(crate) is_filtered: bool,
}

pub(crate) fn run(args: &Options, common: &Common) -> Result<Exit> {
    let output = &Output::new(common, args.format)?;
    let knowledge = open::knowledge(common, false)?;
    let filter = args.filters.read(&knowledge.book)?;
    let listed = listed(args, common, &knowledge, &filter, output.format);
    let text = match output.format {
        Format::Json => json(&Answer {
            schema: "faultbook/list/1",
            pages: &listed.pages,
            reports: &listed.reports,
            examples: &listed.examples,
            found: listed.found,
        })?,
        Format::Terminal | Format::Markdown if args.ids => {
            let all = [&listed.reports, &listed.pages, &listed.examples];
            all.into_iter().flatten().map(|row| format!("{}\n", row.id)).collect()
        }
        Format::Markdown => markdown(&listed),
        Format::Terminal => listed::terminal(&listed, output, common.verbose),
    };
    output.page(&text, common)?;
    let is_empty = listed.reports.is_empty() && listed.pages.is_empty() && listed.examples.is_empty();
    Ok(if is_empty { Exit::None } else { Exit::Found })
}

fn listed(args: &Options, common: &Common, knowledge: &Knowledge, filter: &Filter, format: Format) -> Listed {
    let mut records = open::records(knowledge);
    records.retain(|record| filter.wants(record) && record.has_words(&args.words));
    args.sort.sort(&mut records);
    let found = records.len();
    records.truncate(args.limit.unwrap_or(usize::MAX));
    let is_filtered = !filter.is_empty() || !args.words.is_empty();
    // A program that asks for JSON may read the pages there.
    let with_book = !is_filtered && (args.pages || format == Format::Json);
    Listed {
        reports: records.into_iter().map(of_record).collect(),
        found,
        pages: if with_book { pages(knowledge) } else { Vec::new() },
        examples: if with_book && !common.no_builtin { examples(knowledge) } else { Vec::new() },
        is_filtered,
    }
}

fn markdown(listed: &Listed) -> String {
    let mut out = String::new();
    let reports = listed.reports.iter().map(|row| {
        let path = if row.copies.is_empty() {
            row.path.clone()
        } else {
            format!("{} ({})", row.path, copies(row.copies.len()))
        };
        let faults = row.faults.join(", ");
        vec![
            row.id.clone(),
            row.title.clone(),
            row.status.clone(),
            row.severity.clone(),
            row.date.clone(),
            faults,
            path,
        ]
    });
    out.push_str(&table(&["Id", "Title", "Status", "Severity", "Date", "Fault", "Path"], reports));
    for (heading, rows) in [("Fault pages", &listed.pages), ("Examples from the book", &listed.examples)] {
        if !rows.is_empty() {
            let rows = rows.iter().map(|row| vec![row.id.clone(), row.title.clone(), row.status.clone()]);
            out.push_str(&format!("\n## {heading}\n\n{}", table(&["Id", "Title", "Status"], rows)));
        }
    }
    out
}

fn of_record(record: Record) -> Row {
    Row {
        times: record.times(),
        met: if record.times() > 1 { record.met() } else { Vec::new() },
        returned: record.returned,
        last_seen: if record.times() > 1 { record.last_seen() } else { String::new() },
        date: record.day(),
        severity: record.severity.unwrap_or_default().to_owned(),
        status: record.status,
        id: record.id,
        title: record.title,
        path: open::shown(&record.path),
        faults: record.faults,
        copies: record.copies.iter().map(|path| open::shown(path)).collect(),
        status_word: record.status_word,
    }
}

fn pages(knowledge: &Knowledge) -> Vec<Row> {
    let row = |page: &crate::book::contents::Entry| Row {
        id: page.id.clone(),
        title: page.matter().title.clone(),
        status: status_word(page.matter().status).to_owned(),
        severity: severity_word(page.matter().severity).to_owned(),
        path: page.path.clone(),
        date: String::new(),
        faults: Vec::new(),
        copies: Vec::new(),
        times: 1,
        last_seen: String::new(),
        met: Vec::new(),
        returned: false,
        status_word: None,
    };
    knowledge.book.faults.iter().map(row).collect()
}

/// The reports in the book.
fn examples(knowledge: &Knowledge) -> Vec<Row> {
    let row = |(path, text): (&str, &str)| {
        let report = reading::read(Path::new(path), text);
        Row { path: path.to_owned(), ..of_record(Record::of_report(&report, Vec::new())) }
    };
    knowledge.book.reports().map(row).collect()
}

/// The word for a page's status.
pub(crate) fn status_word(status: PageStatus) -> &'static str {
    match status {
        PageStatus::Draft => "draft",
        PageStatus::Stable => "stable",
        PageStatus::Withdrawn => "withdrawn",
    }
}

/// The word for a fault's severity.
pub(crate) fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Low => "low",
        Severity::Medium => "medium",
        Severity::High => "high",
        Severity::Critical => "critical",
    }
}

/// What is said where no report fits.
pub(crate) fn nothing(is_filtered: bool) -> Paragraph {
    Paragraph::new(match is_filtered {
        true => "No report in this project matches.",
        false => "This project has no reports. `faultbook list --pages` lists the fault pages.",
    })
}
