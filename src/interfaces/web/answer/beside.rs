//! A text beside a report of the team: do they have the same failure, and where do their environments differ?

use askama::Template;

use super::log::{self, LogView, Margin, Part};
use super::page::{analyse, gone};
use super::view::AnswerView;
use crate::facts::{self, Facts};
use crate::interfaces::web::failed::{Failed, not_found};
use crate::interfaces::web::frame::{self, Frame, Section};
use crate::interfaces::web::html;
use crate::interfaces::web::server::Site;
use crate::interfaces::workspace::Workspace;
use crate::render::clean;
use crate::reports::reading;
use crate::text;

/// The page of a text and a report.
#[derive(Template)]
#[template(path = "answer/beside.html")]
pub(super) struct BesidePage {
    frame: Frame,
    /// The address of the answer, below the root.
    answer: String,
    found: String,
    report: String,
    report_address: String,
    report_title: String,
    status: String,
    rows: Vec<Row>,
    /// How many of them differ.
    differing: usize,
    log: LogView,
    body: String,
}

/// One fact of both.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    name: String,
    here: String,
    there: String,
    /// Whether both are known and differ.
    differs: bool,
}

/// The text with that place beside the report with that id.
pub(super) fn page(
    site: &Site,
    workspace: &Workspace,
    id: &str,
    place: usize,
    report: &str,
) -> Result<BesidePage, Failed> {
    let pasted = site.kept.get(id).ok_or_else(gone)?;
    let text = pasted.texts.get(place).ok_or_else(not_found)?;
    let report = workspace.reports_named(report).into_iter().next().ok_or_else(not_found)?;
    let analysis = analyse(workspace, text, None);
    let view = AnswerView::new(&analysis.diagnosis);
    let rows = rows(&analysis.diagnosis.environment, &report.environment);
    let book = &workspace.knowledge.book;
    let margin = Margin::new(&analysis.diagnosis, &analysis.incident, &analysis.transcript, book);
    let title = format!("{} beside {}", view.found, report.id);
    Ok(BesidePage {
        frame: site.frame("../../../../", Section::Diagnose, title),
        answer: if place == 0 { format!("d/{id}") } else { format!("d/{id}/{place}") },
        found: view.found,
        report_address: frame::report_address(&report.id),
        report_title: clean::line(&report.title),
        status: clean::line(&report.status),
        differing: rows.iter().filter(|row| row.differs).count(),
        rows,
        log: log::view(&text::decoded(&text.bytes), &analysis.transcript, &margin, None),
        body: html::document(&reading::parts(&report.text).1, &html::Links::NONE, 2),
        report: report.id,
    })
}

/// The facts of both, those that differ first.
fn rows(here: &Facts, there: &Facts) -> Vec<Row> {
    let value = |facts: &Facts, name: &str| {
        facts.get(name).map(|fact| clean::line(&facts::words(name, &fact.value))).unwrap_or_default()
    };
    let mut names: Vec<&str> = there.iter().chain(here.iter()).map(|(name, _)| name).collect();
    names.sort_unstable();
    names.dedup();
    let mut rows: Vec<Row> = names
        .into_iter()
        .map(|name| {
            let (here, there) = (value(here, name), value(there, name));
            let differs = !here.is_empty() && !there.is_empty() && here != there;
            Row { name: clean::line(&facts::label(name)), here, there, differs }
        })
        .filter(|row| !row.there.is_empty() || row.differs)
        .collect();
    rows.sort_by_key(|row| !row.differs);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Source, Value};

    #[test]
    fn differing_facts_come_first_and_what_only_the_text_knows_is_left_out() {
        let facts = |pairs: &[(&str, &str)]| {
            let mut facts = Facts::default();
            for (name, value) in pairs {
                facts.add(*name, Value::Text((*value).to_owned()), Source::Text, None);
            }
            facts
        };
        let here = facts(&[("torch.version", "2.8.0"), ("python.version", "3.11"), ("gpu.name", "A100")]);
        let there = facts(&[("torch.version", "2.7.1"), ("python.version", "3.11"), ("driver.version", "570")]);
        let shown: Vec<(String, String, bool)> =
            rows(&here, &there).into_iter().map(|row| (row.here, row.there, row.differs)).collect();
        let row = |here: &str, there: &str, differs| (here.to_owned(), there.to_owned(), differs);
        assert_eq!(shown, [row("2.8.0", "2.7.1", true), row("", "570", false), row("3.11", "3.11", false)]);
        assert_eq!(reading::parts("---\na: b\n---\n# T\n").1, "# T\n");
    }
}
