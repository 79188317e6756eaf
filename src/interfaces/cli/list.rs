//! `faultbook list`: every page and every report with its status; with a filter, the project's reports that fit it.

use crate::diagnosis::Search as _;
use std::path::Path;

use crate::book::schema::{PageStatus, Severity};
use crate::render::layout::{Paragraph, Sheet};
use crate::render::style::{FAINT, STRONG};
use crate::render::words::counted;
use crate::reports::knowledge::Knowledge;
use crate::reports::reading;
use crate::reports::record::Record;
use clap::Args;
use serde::Serialize;

use super::common::Common;
use super::exit::Exit;
use super::failure::Result;
use super::filter::Filters;
use super::format::{Format, FormatArg};
use super::open;
use super::output::{Output, json, table};

#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    #[command(flatten)]
    filters: Filters,

    #[command(flatten)]
    pub(crate) format: FormatArg<Format>,
}

/// One page or report, also an item of the JSON (`faultbook/list/1`).
#[derive(Debug, Serialize)]
struct Row {
    id: String,
    title: String,
    status: String,
    severity: String,
    path: String,
    /// When a report was written; omitted if unknown.
    #[serde(skip_serializing_if = "String::is_empty")]
    date: String,
    /// Fault pages that a report's error texts match.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    faults: Vec<String>,
    /// Where copies of a report lie; omitted if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    copies: Vec<String>,
}

#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    pages: &'a [Row],
    reports: &'a [Row],
}

pub(crate) fn run(args: &Options, common: &Common) -> Result<Exit> {
    let output = &Output::new(common, args.format)?;
    let knowledge = open::knowledge(common, false)?;
    let filter = args.filters.read(&knowledge.book)?;
    if !filter.is_empty() {
        let wanted = open::records(&knowledge).into_iter().filter(|record| filter.wants(record));
        return filtered(&wanted.map(of_record).collect::<Vec<_>>(), output);
    }
    let pages = pages(&knowledge);
    let mut reports = reports(&knowledge);
    if !common.no_builtin {
        reports.extend(builtin_reports(&knowledge));
    }
    let head = ["Id", "Title", "Status"];
    let row = |row: &Row| vec![row.id.clone(), row.title.clone(), row.status.clone()];
    let text = match output.format {
        Format::Json => json(&Answer { schema: "faultbook/list/1", pages: &pages, reports: &reports })?,
        Format::Markdown => {
            let (pages, reports) = (table(&head, pages.iter().map(row)), table(&head, reports.iter().map(row)));
            format!("## Fault pages\n\n{pages}\n## Bug reports\n\n{reports}")
        }
        Format::Terminal => {
            let mut sheet = output.sheet();
            rows(&mut sheet, &counted(pages.len() as u64, "fault page", "fault pages"), &pages, false);
            rows(&mut sheet, &counted(reports.len() as u64, "bug report", "bug reports"), &reports, false);
            sheet.finish()
        }
    };
    output.write(&text)?;
    Ok(if pages.is_empty() && reports.is_empty() { Exit::None } else { Exit::Found })
}

/// Prints the reports that match a filter.
fn filtered(reports: &[Row], output: &Output) -> Result<Exit> {
    let text = match output.format {
        Format::Json => json(&Answer { schema: "faultbook/list/1", pages: &[], reports })?,
        Format::Markdown => {
            let cells = |row: &Row| {
                let faults = row.faults.join(", ");
                vec![
                    row.id.clone(),
                    row.title.clone(),
                    row.status.clone(),
                    row.severity.clone(),
                    row.date.clone(),
                    faults,
                ]
            };
            table(&["Id", "Title", "Status", "Severity", "Date", "Fault"], reports.iter().map(cells))
        }
        Format::Terminal => {
            let mut sheet = output.sheet();
            match reports.is_empty() {
                true => sheet.paragraph(&Paragraph::new("No report of the project fits.")),
                false => rows(&mut sheet, &counted(reports.len() as u64, "bug report", "bug reports"), reports, true),
            }
            sheet.finish()
        }
    };
    output.write(&text)?;
    Ok(if reports.is_empty() { Exit::None } else { Exit::Found })
}

fn of_record(record: Record) -> Row {
    Row {
        date: record.day(),
        severity: record.severity.unwrap_or_default().to_owned(),
        status: record.status,
        id: record.id,
        title: record.title,
        path: open::shown(&record.path),
        faults: record.faults,
        copies: record.copies.iter().map(|path| open::shown(path)).collect(),
    }
}

fn pages(knowledge: &Knowledge) -> Vec<Row> {
    let row = |page: &crate::book::contents::Entry| Row {
        id: page.id.clone(),
        title: page.matter.title.clone(),
        status: status_word(page.matter.status).to_owned(),
        severity: severity_word(page.matter.severity).to_owned(),
        path: page.path.clone(),
        date: String::new(),
        faults: Vec::new(),
        copies: Vec::new(),
    };
    knowledge.book.faults.iter().map(row).collect()
}

fn reports(knowledge: &Knowledge) -> Vec<Row> {
    if !knowledge.has_reports() {
        return Vec::new();
    }
    let entries = knowledge.index().into_iter().flat_map(|index| index.entries());
    let row = |entry: &crate::reports::index::Entry| Row {
        id: entry.id.clone(),
        title: entry.title.clone(),
        status: entry.status.clone(),
        severity: entry.severity.clone(),
        path: entry.path.display().to_string(),
        date: entry.date.clone(),
        faults: entry.faults.clone(),
        copies: Vec::new(),
    };
    entries.map(row).collect()
}

/// The reports in the book.
fn builtin_reports(knowledge: &Knowledge) -> Vec<Row> {
    let row = |(path, text): (&str, &str)| {
        let report = reading::read(Path::new(path), text);
        let (id, title, status, severity) = (report.id, report.title, report.status, report.severity);
        Row {
            id,
            title,
            status,
            severity,
            path: path.to_owned(),
            date: report.date,
            faults: Vec::new(),
            copies: Vec::new(),
        }
    };
    knowledge.book.reports().map(row).collect()
}

fn rows(sheet: &mut Sheet, heading: &str, rows: &[Row], in_full: bool) {
    /// Widest column of ids: longer ones are on the line above their title.
    const ID: usize = 26;
    if rows.is_empty() {
        return;
    }
    sheet.blank();
    sheet.paragraph(&Paragraph::new(heading).style(STRONG));
    let column = rows.iter().map(|row| row.id.chars().count()).filter(|wide| *wide <= ID).max().unwrap_or(0);
    for row in rows {
        let id = format!("  {:<column$}  ", row.id);
        let title = Paragraph::new(&row.title).lead(crate::render::style::PLAIN, id).indent(column + 4);
        let known = [&row.severity, &row.status, &row.date].map(String::as_str);
        let known: Vec<&str> = known.into_iter().filter(|words| !words.is_empty()).collect();
        sheet.paragraph(&title.right(FAINT, if in_full { known.join("  ") } else { row.status.clone() }));
    }
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
