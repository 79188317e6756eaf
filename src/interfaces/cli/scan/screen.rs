//! The answer of `faultbook scan` on a screen.

use std::path::Path;

use crate::render::layout::{Paragraph, Sheet};
use crate::render::style::{FAINT, FAULT, HEALTHY, STRONG, UNLISTED};
use crate::render::words::{counted, thousands};
use crate::scan::{FaultReport, Report};

/// The answer on a screen.
pub(super) fn terminal(report: &Report, mut sheet: Sheet) -> String {
    /// Errors without a page that are shown.
    const UNLISTED_SHOWN: usize = 10;
    let read = format!(
        "{}, {} MB, {}",
        counted(report.logs, "log", "logs"),
        thousands(report.bytes.div_ceil(1_000_000)),
        counted(report.lines, "line", "lines")
    );
    sheet.paragraph(&Paragraph::new(read).style(FAINT));
    let (known, unlisted): (Vec<_>, Vec<_>) = report.faults.iter().partition(|fault| fault.fault.is_some());
    if known.is_empty() && unlisted.is_empty() {
        sheet.blank();
        sheet.paragraph(&Paragraph::new("No fault was found.").style(HEALTHY));
    }
    for fault in &known {
        sheet.blank();
        heading(fault, &mut sheet);
        details(fault, report.logs > 1, &mut sheet);
    }
    if !unlisted.is_empty() {
        sheet.blank();
        sheet.paragraph(&Paragraph::new("Errors without a page").style(UNLISTED));
        for fault in unlisted.iter().take(UNLISTED_SHOWN) {
            sheet.paragraph(&Paragraph::new(&fault.title).lead(STRONG, "  ").at_most(1));
            details(fault, report.logs > 1, &mut sheet);
        }
        let more = unlisted.len().saturating_sub(UNLISTED_SHOWN) as u64;
        if more > 0 {
            sheet.paragraph(
                &Paragraph::new(format!("and {} more; `--format json` has all", thousands(more))).lead(FAINT, "  "),
            );
        }
    }
    if let Some(note) = not_read(report.lines_only_counted, report.lines_not_read) {
        sheet.blank();
        sheet.paragraph(&Paragraph::new(note).style(FAINT));
    }
    if let Some(first) = known.first() {
        sheet.blank();
        let file = if first.first.file == "-" { "FILE" } else { &first.first.file };
        let says = format!(
            "`faultbook diagnose {file}` says why, `faultbook show {}` what the page says.",
            first.fault.as_deref().unwrap_or_default()
        );
        sheet.paragraph(&Paragraph::new(says).style(FAINT));
    }
    sheet.finish()
}

pub(super) fn heading(fault: &FaultReport, sheet: &mut Sheet) {
    let style = if fault.fault.is_some() { FAULT } else { UNLISTED };
    let right = fault.fault.clone().unwrap_or_default();
    sheet.paragraph(&Paragraph::new(&fault.title).style(style).right(FAINT, right));
}

fn details(fault: &FaultReport, is_one_of_several: bool, sheet: &mut Sheet) {
    const NAMED: usize = 8;
    let mut says = Vec::new();
    match fault.primary_in {
        0 if fault.survived => says.push("the run went on".to_owned()),
        0 => {}
        1 if !is_one_of_several => says.push("the primary failure".to_owned()),
        many => says.push(format!("the primary failure of {}", counted(many, "log", "logs"))),
    }
    says.push(counted(fault.count, "line", "lines"));
    if fault.logs > 1 {
        says.push(format!("in {}", counted(fault.logs, "log", "logs")));
    }
    let named = |what: &str, names: Vec<String>| match names.len() {
        0 => None,
        many => {
            let more = if many > NAMED { format!(" and {} more", many - NAMED) } else { String::new() };
            let shown: Vec<String> = names.into_iter().take(NAMED).collect();
            Some(format!("{what} {}{more}", shown.join(", ")))
        }
    };
    says.extend(named(
        if fault.ranks.len() == 1 { "rank" } else { "ranks" },
        fault.ranks.iter().map(u32::to_string).collect(),
    ));
    says.extend(named("on", fault.nodes.clone()));
    let indented = |words: &str| Paragraph::new(words).lead(FAINT, "  ");
    sheet.paragraph(&indented(&says.join(", ")));
    let first = format!("first {}", place(&fault.first));
    let last = if fault.count > 1 { format!(", last {}", place(&fault.last)) } else { String::new() };
    sheet.paragraph(&indented(&(first + &last)));
    if fault.fault.is_some() {
        sheet.paragraph(&indented(&fault.text).style(FAINT).at_most(2));
    }
}

/// `train.log:1234 (2026-11-21T03:15:22)`.
pub(super) fn place(place: &crate::scan::Place) -> String {
    let file = if Path::new(&place.file) == Path::new("-") { "standard input" } else { &place.file };
    let time = place.time.as_ref().map(|time| format!(" ({time})")).unwrap_or_default();
    format!("{file}:{}{time}", place.line)
}

/// What was left out of logs with too many different lines.
pub(super) fn not_read(guessed: u64, unread: u64) -> Option<String> {
    (guessed + unread > 0).then(|| {
        format!(
            "Very many different lines may report something: {} only counted as what others like them are, {} not read. \
             Every line was searched for faults that were not found before.",
            counted(guessed, "line was", "lines were"),
            counted(unread, "was", "were")
        )
    })
}
