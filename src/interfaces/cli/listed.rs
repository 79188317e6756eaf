//! A list of reports on a terminal: one line each, in columns that fit.

use textwrap::core::display_width;

use crate::render::clean;
use crate::render::inline;
use crate::render::layout::{Paragraph, Piece, Sheet, piece, shorten_end};
use crate::render::style::{AGAINST, FAINT, FOR, NOTABLE, PLAIN, STRONG};
use crate::render::words::counted;
use crate::reports::status::{self, Stage};
use anstyle::Style;

use super::list::{self, Listed, Row};
use super::output::Output;

/// Columns of a date and of a severity in short.
const DATE: usize = 10;
const SEVERITY: usize = 4;
/// The widest column of statuses on a narrow and on a wide page: "investigating", "partially resolved".
const STATUS: [usize; 2] = [13, 18];
/// The column of ids on a narrow and on a wide page; a longer id has a line of its own.
const ID: [usize; 2] = [20, 28];
const WIDE: usize = 100;
/// A narrower page has no columns of dates and severities.
const NARROW: usize = 60;

pub(super) fn terminal(listed: &Listed, output: &Output, in_full: bool) -> String {
    let mut sheet = output.sheet();
    sheet.in_full = in_full;
    match listed.reports.is_empty() {
        true => sheet.paragraph(&list::nothing(listed.is_filtered)),
        false => {
            sheet.paragraph(&Paragraph::new(heading(listed)).style(STRONG));
            rows(&mut sheet, &listed.reports);
        }
    }
    for (name, rows) in [
        (("fault page", "fault pages"), &listed.pages),
        (("example from the book", "examples from the book"), &listed.examples),
    ] {
        if !rows.is_empty() {
            sheet.blank();
            sheet.paragraph(&Paragraph::new(counted(rows.len() as u64, name.0, name.1)).style(STRONG));
            book(&mut sheet, rows);
        }
    }
    sheet.finish()
}

/// "49 bug reports: 12 open, 30 solved; 17 copies"; with a limit "the first 20 of 49 bug reports".
fn heading(listed: &Listed) -> String {
    let count = counted(listed.found as u64, "bug report", "bug reports");
    if listed.reports.len() < listed.found {
        return format!("The first {} of {count}", listed.reports.len());
    }
    let stage = |wanted: Stage| {
        listed.reports.iter().filter(|row| row.status_word.and_then(status::stage) == Some(wanted)).count()
    };
    let known = [(stage(Stage::Open), "open"), (stage(Stage::Solved), "solved")];
    let known: Vec<String> =
        known.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    let copies: usize = listed.reports.iter().map(|row| row.copies.len()).sum();
    let copies =
        if copies > 0 { format!("; {} not shown", counted(copies as u64, "copy", "copies")) } else { String::new() };
    match known.is_empty() {
        true => format!("{count}{copies}"),
        false => format!("{count}: {}{copies}", known.join(", ")),
    }
}

fn rows(sheet: &mut Sheet, rows: &[Row]) {
    let most = ID[usize::from(sheet.width() >= WIDE)];
    let wide = |row: &Row| display_width(&clean::line(&row.id));
    let column = rows.iter().map(wide).filter(|wide| *wide <= most).max().unwrap_or(0);
    let in_full = sheet.width() >= NARROW;
    let status_word =
        |row: &Row| row.status_word.map_or_else(|| clean::line(&row.status), str::to_owned).replace('_', " ");
    let widest = rows.iter().map(|row| display_width(&status_word(row))).max().unwrap_or(0);
    let status_column = widest.min(STATUS[usize::from(sheet.width() >= WIDE)]);
    for row in rows {
        let id = clean::line(&row.id);
        let mut pieces: Vec<Piece> = Vec::new();
        if wide(row) > column {
            sheet.verbatim(&id, 0, STRONG);
            pieces.push(piece(PLAIN, " ".repeat(column + 2)));
        } else {
            pieces.push(piece(STRONG, format!("{id}{}  ", " ".repeat(column - wide(row)))));
        }
        let mut used = column + 2 + status_column + 2;
        if in_full {
            let severity = if row.severity == "medium" { "med" } else { &row.severity };
            let severity: String = severity.chars().take(SEVERITY).collect();
            pieces.push(piece(FAINT, format!("{:<DATE$}  ", row.date)));
            pieces.push(piece(severity_style(&row.severity), format!("{severity:<SEVERITY$}  ")));
            used += DATE + 2 + SEVERITY + 2;
        }
        let shown = shorten_end(&status_word(row), status_column);
        let blanks = " ".repeat(status_column.saturating_sub(display_width(&shown)) + 2);
        pieces.push(piece(status_style(row.status_word), format!("{shown}{blanks}")));
        let mut more = if row.times > 1 { format!("  {}x", row.times) } else { String::new() };
        if !row.copies.is_empty() {
            more.push_str(&format!("  +{}", row.copies.len()));
        }
        let room = sheet.width().saturating_sub(used + display_width(&more)).max(8);
        pieces.push(piece(PLAIN, shorten_end(&clean::line(&inline::plain(&row.title)), room)));
        pieces.push(piece(FAINT, more));
        sheet.line(&pieces);
        if sheet.in_full {
            let places = std::iter::once(&row.path).chain(&row.copies);
            places.for_each(|path| sheet.verbatim(&clean::line(path), column + 2, FAINT));
        }
    }
}

/// Pages and examples: id and title.
fn book(sheet: &mut Sheet, rows: &[Row]) {
    let most = ID[1];
    let column = rows.iter().map(|row| display_width(&row.id)).filter(|wide| *wide <= most).max().unwrap_or(0);
    for row in rows {
        let title = Paragraph::new(&row.title).lead(PLAIN, format!("  {:<column$}  ", row.id)).indent(column + 4);
        sheet.paragraph(&title.right(FAINT, &row.status));
    }
}

fn severity_style(severity: &str) -> Style {
    match severity {
        "critical" | "high" => AGAINST,
        "medium" => NOTABLE,
        _ => FAINT,
    }
}

fn status_style(word: Option<&'static str>) -> Style {
    match word.and_then(status::stage) {
        Some(Stage::Open) => NOTABLE,
        Some(Stage::Solved) => FOR,
        _ => FAINT,
    }
}
