//! `faultbook list`: every page and every report with its status.

use std::path::Path;

use faultbook::book::lenient;
use faultbook::book::schema::{PageStatus, Severity};
use faultbook::knowledge::Knowledge;
use faultbook::render::layout::{Paragraph, Sheet};
use faultbook::render::style::{FAINT, STRONG};
use faultbook::render::words::counted;
use serde::Serialize;

use super::args::{Common, Format};
use super::exit::Exit;
use super::open;
use super::output::{Output, json, table};

/// One page or report, also the shape of the JSON (`faultbook/list/1`).
#[derive(Debug, Serialize)]
struct Row {
    id: String,
    title: String,
    status: String,
    severity: String,
    path: String,
}

#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    pages: &'a [Row],
    reports: &'a [Row],
}

/// Prints the list.
pub(crate) fn run(common: &Common, output: &Output) -> anyhow::Result<Exit> {
    let knowledge = open::knowledge(common, false)?;
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
            rows(&mut sheet, &counted(pages.len() as u64, "fault page", "fault pages"), &pages);
            rows(&mut sheet, &counted(reports.len() as u64, "bug report", "bug reports"), &reports);
            sheet.finish()
        }
    };
    output.write(&text)?;
    Ok(if pages.is_empty() && reports.is_empty() { Exit::None } else { Exit::Found })
}

fn pages(knowledge: &Knowledge) -> Vec<Row> {
    let row = |page: &faultbook::book::shelf::Entry| Row {
        id: page.id.clone(),
        title: page.matter.title.clone(),
        status: status_word(page.matter.status).to_owned(),
        severity: severity_word(page.matter.severity).to_owned(),
        path: page.path.clone(),
    };
    knowledge.book.faults.iter().map(row).collect()
}

fn reports(knowledge: &Knowledge) -> Vec<Row> {
    if !knowledge.has_reports() {
        return Vec::new();
    }
    let entries = knowledge.index().into_iter().flat_map(|index| index.entries());
    let row = |entry: &faultbook::index::Entry| Row {
        id: entry.id.clone(),
        title: entry.title.clone(),
        status: entry.status.clone(),
        severity: entry.severity.clone(),
        path: entry.path.display().to_string(),
    };
    entries.map(row).collect()
}

/// The reports that come with the book.
fn builtin_reports(knowledge: &Knowledge) -> Vec<Row> {
    let row = |(path, text): (&str, &str)| {
        let report = lenient::read(Path::new(path), text);
        let (id, title, status, severity) = (report.id, report.title, report.status, report.severity);
        Row { id, title, status, severity, path: path.to_owned() }
    };
    knowledge.book.reports().map(row).collect()
}

fn rows(sheet: &mut Sheet, heading: &str, rows: &[Row]) {
    /// Widest column of ids: longer ones stand above their title.
    const ID: usize = 26;
    if rows.is_empty() {
        return;
    }
    sheet.blank();
    sheet.paragraph(&Paragraph::new(heading).style(STRONG));
    let column = rows.iter().map(|row| row.id.chars().count()).filter(|wide| *wide <= ID).max().unwrap_or(0);
    for row in rows {
        let id = format!("  {:<column$}  ", row.id);
        let title = Paragraph::new(&row.title).lead(faultbook::render::style::PLAIN, id).indent(column + 4);
        sheet.paragraph(&title.right(FAINT, &row.status));
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
