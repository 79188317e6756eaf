//! The answer on one screen, for a user under stress: the fault and its line, the best cause, one next step.
//!
//! Works without colour and from 20 columns up. The best cause is shown in full, others in a line or two. The remaining
//! entries of a list are counted, never silently dropped; the other formats contain them.

mod causes;
mod head;
mod reports;
mod rest;

use crate::diagnosis::{Diagnosis, Verdict};
use crate::render::layout::Sheet;
use crate::render::plot;

/// The terminal's capabilities.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    /// In columns.
    pub width: usize,
    /// Whether to write escape sequences for colour.
    pub color: bool,
}

impl Default for Terminal {
    fn default() -> Self {
        Self { width: 80, color: false }
    }
}

/// The answer as text for a terminal.
pub fn render(diagnosis: &Diagnosis, terminal: Terminal) -> String {
    written(diagnosis, Sheet::new(terminal.width, terminal.color))
}

/// The same with every item of its lists: all causes, actions with their commands, consequences.
pub fn render_in_full(diagnosis: &Diagnosis, terminal: Terminal) -> String {
    let mut sheet = Sheet::new(terminal.width, terminal.color);
    sheet.in_full = true;
    written(diagnosis, sheet)
}

fn written(diagnosis: &Diagnosis, mut sheet: Sheet) -> String {
    // PowerShell continues a line after a backquote, cmd after a caret.
    sheet.breaks_commands = diagnosis.environment.text("run.platform") != Some("windows");
    match diagnosis.verdict {
        Verdict::KnownFault | Verdict::OrdinaryError => known_fault(&mut sheet, diagnosis),
        Verdict::UnlistedError => unlisted_error(&mut sheet, diagnosis),
        Verdict::NoError => no_error(&mut sheet, diagnosis),
    }
    if let Some(picture) = &diagnosis.picture {
        plot::draw(picture, &mut sheet);
    }
    sheet.finish()
}

fn known_fault(sheet: &mut Sheet, diagnosis: &Diagnosis) {
    head::fault(sheet, diagnosis);
    causes::best(sheet, diagnosis);
    causes::next_step(sheet, diagnosis);
    reports::met_before(sheet, &diagnosis.reports, "Your team met this before");
    causes::others(sheet, diagnosis);
    reports::silent_pages(sheet, &diagnosis.silent);
    rest::probe(sheet, diagnosis);
    rest::asides(sheet, diagnosis);
}

fn unlisted_error(sheet: &mut Sheet, diagnosis: &Diagnosis) {
    head::unlisted(sheet, diagnosis);
    causes::next_step(sheet, diagnosis);
    reports::met_before(sheet, &diagnosis.reports, "Nearest in your reports");
    reports::nearest_pages(sheet, &diagnosis.nearest);
    reports::silent_pages(sheet, &diagnosis.silent);
    rest::probe(sheet, diagnosis);
    rest::asides(sheet, diagnosis);
}

fn no_error(sheet: &mut Sheet, diagnosis: &Diagnosis) {
    head::healthy(sheet, diagnosis);
    rest::notice_rows(sheet, &diagnosis.notices);
    reports::met_before(sheet, &diagnosis.reports, "Nearest in your reports");
    reports::silent_pages(sheet, &diagnosis.silent);
    rest::probe(sheet, diagnosis);
    sheet.blank();
    rest::notes(sheet, diagnosis);
}
