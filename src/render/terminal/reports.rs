//! Matching reports of the project, and similar pages.

use textwrap::core::display_width;

use crate::diagnosis::{NearPage, ReportHit};
use crate::render::clean;
use crate::render::inline;
use crate::render::layout::{Paragraph, Sheet};
use crate::render::style::{COMMAND, FAINT, PLAIN, STRONG};
use crate::render::words::{copies, mid_sentence, open_ended};

/// The widest column of ids; longer ids get a line of their own.
const ID: usize = 20;

/// The number of lines of a report's command; the rest is in the report.
const LINES: usize = 8;

/// Matching reports, the first with its fix.
pub(super) fn met_before(sheet: &mut Sheet, reports: &[ReportHit], heading: &str) {
    if reports.is_empty() {
        return;
    }
    sheet.blank();
    sheet.paragraph(&Paragraph::new(heading).style(STRONG));
    let column = id_column(reports.iter().map(|report| report.id.as_str()), sheet.width());
    for (place, report) in reports.iter().enumerate() {
        let status = clean::line(&report.status);
        let right = if status.is_empty() { score(report.score) } else { format!("{status}  {}", score(report.score)) };
        row(sheet, column, &report.id, &report.title, &right);
        let indent = column.map_or(4, |column| column + 4);
        if !report.why.is_empty() {
            let why: Vec<String> = report.why.iter().map(|why| inline::plain(open_ended(why))).collect();
            sheet.paragraph(&Paragraph::new(why.join(", ")).style(FAINT).lead(PLAIN, " ".repeat(indent)));
        }
        if !report.copies.is_empty() {
            let place = format!("{} ({})", report.path, copies(report.copies.len()));
            sheet.paragraph(&Paragraph::new(place).style(FAINT).lead(PLAIN, " ".repeat(indent)));
        }
        if place == 0 {
            way_out(sheet, report, indent);
        }
    }
}

fn way_out(sheet: &mut Sheet, report: &ReportHit, indent: usize) {
    let lead = " ".repeat(indent);
    if let Some(solution) = report.solution.as_deref().filter(|words| !words.trim().is_empty()) {
        let words = Paragraph::new(mid_sentence(&inline::plain(solution)));
        sheet.paragraph(&words.lead(PLAIN, &lead).lead(PLAIN, "its fix: ").indent(indent + 2));
    }
    if let Some(command) = &report.command {
        // A command needs the width; it is shown in its column only if it fits.
        let mut lines = clean::lines(command);
        let more = lines.len().saturating_sub(LINES);
        if more > 1 {
            lines.truncate(LINES);
        }
        let widest = lines.iter().map(|line| display_width(line)).max().unwrap_or(0);
        let indent = if indent + 2 + widest <= sheet.width() { indent + 2 } else { 4 };
        sheet.command(&lines.join("\n"), indent, COMMAND);
        if more > 1 {
            let rest = format!("... {more} more lines in the report");
            sheet.paragraph(&Paragraph::new(rest).style(FAINT).lead(PLAIN, " ".repeat(indent)));
        }
    }
}

/// Pages similar to an error that the book does not contain.
pub(super) fn nearest_pages(sheet: &mut Sheet, nearest: &[NearPage]) {
    if nearest.is_empty() {
        return;
    }
    // The scores are relative to the best page, so that percentages would suggest too much.
    pages(sheet, "Nearest pages of the book, none of them certain", nearest);
}

/// Faults that print nothing.
pub(super) fn silent_pages(sheet: &mut Sheet, silent: &[NearPage]) {
    if silent.is_empty() {
        return;
    }
    pages(sheet, "Known to go wrong silently with these versions and operations", silent);
}

fn pages(sheet: &mut Sheet, heading: &str, pages: &[NearPage]) {
    sheet.blank();
    sheet.paragraph(&Paragraph::new(heading).style(STRONG));
    let column = id_column(pages.iter().map(|page| page.id.as_str()), sheet.width());
    for page in pages {
        row(sheet, column, &page.id, &page.title, "");
    }
}

/// Id, title, and something at the right edge.
fn row(sheet: &mut Sheet, column: Option<usize>, id: &str, title: &str, right: &str) {
    let id = clean::line(id);
    let title = Paragraph::new(inline::plain(title)).right(FAINT, right);
    let wide = display_width(&id);
    match column {
        Some(column) if wide <= column => {
            let lead = format!("  {id}{}  ", " ".repeat(column - wide));
            sheet.paragraph(&title.lead(STRONG, lead));
        }
        _ => {
            sheet.paragraph(&Paragraph::new(id).style(STRONG).lead(PLAIN, "  "));
            let indent = column.map_or(4, |column| column + 4);
            sheet.paragraph(&title.lead(PLAIN, " ".repeat(indent)));
        }
    }
}

/// The width of the id column; `None` if the page is too narrow for columns.
fn id_column<'a>(ids: impl Iterator<Item = &'a str>, width: usize) -> Option<usize> {
    let widest = ids.map(|id| display_width(&clean::line(id))).filter(|wide| *wide <= ID).max();
    widest.filter(|wide| width >= wide + 40)
}

fn score(score: f64) -> String {
    if score.is_finite() { format!("{score:.2}") } else { String::new() }
}
