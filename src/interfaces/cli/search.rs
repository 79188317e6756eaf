//! `faultbook search WORDS...`: the pages and reports that match best.

use std::path::Path;

use crate::render::layout::Paragraph;
use crate::render::style::{FAINT, STRONG};
use crate::render::words;
use crate::reports::knowledge::Knowledge;
use crate::reports::search::{self, HitKind};
use clap::Args;
use serde::Serialize;

use super::common::Common;
use super::exit::Exit;
use super::failure::{Failure, Result};
use super::format::{Format, FormatArg};
use super::open;
use super::output::{Output, json, table};

/// Hits that are shown if nobody says how many.
const MOST: usize = 10;

#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Any words, for example from an error, a function name, a code or a title.
    #[arg(required = true, value_name = "WORDS")]
    words: Vec<String>,

    /// The maximum number of hits.
    #[arg(long, default_value_t = MOST, value_name = "N")]
    limit: usize,

    #[command(flatten)]
    pub(crate) format: FormatArg<Format>,
}

impl Options {
    /// Searches words.
    pub(super) fn of(words: &str) -> Self {
        Self { words: vec![words.to_owned()], limit: MOST, format: FormatArg::default() }
    }
}

/// One hit, also an item of the JSON (`faultbook/search/1`).
#[derive(Debug, Serialize)]
pub(crate) struct Hit {
    kind: &'static str,
    /// The argument for `show`.
    pub(crate) id: String,
    title: String,
    path: String,
    score: f64,
    /// Where copies of a report lie; omitted if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    copies: Vec<String>,
    /// What only a report has.
    #[serde(flatten)]
    report: Option<ReportFields>,
}

/// What a report has and a page has not.
#[derive(Debug, Serialize)]
struct ReportFields {
    status: String,
    date: String,
    occurrences: usize,
    sentence: Option<String>,
}

#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    words: &'a str,
    hits: &'a [Hit],
}

pub(crate) fn run(args: &Options, common: &Common) -> Result<Exit> {
    let output = &Output::new(common, args.format)?;
    let words = &args.words.join(" ");
    let knowledge = open::knowledge(common, false)?;
    let hits = hits(&knowledge, words, args.limit)?;
    let text = match output.format {
        Format::Json => json(&Answer { schema: "faultbook/search/1", words, hits: &hits })?,
        Format::Markdown => table(
            &["Kind", "Id", "Title", "Score"],
            hits.iter()
                .map(|hit| vec![hit.kind.to_owned(), hit.id.clone(), hit.title.clone(), format!("{:.2}", hit.score)]),
        ),
        Format::Terminal => terminal(&hits, output),
    };
    output.page(&text, common)?;
    Ok(if hits.is_empty() { Exit::None } else { Exit::Found })
}

/// The hits from the index, reports first.
pub(crate) fn hits(knowledge: &Knowledge, words: &str, limit: usize) -> Result<Vec<Hit>> {
    if knowledge.index().is_none() {
        return Err(Failure::new("could not build the search index"));
    }
    let found = search::search(knowledge, words, limit)?;
    Ok(found.into_iter().map(hit).collect())
}

fn hit(found: search::Hit) -> Hit {
    let (kind, report) = match found.kind {
        HitKind::Page => ("page", None),
        HitKind::Report { status, date, occurrences, sentence } => {
            ("report", Some(ReportFields { status, date, occurrences, sentence }))
        }
    };
    Hit { kind, id: found.id, title: found.title, path: found.path, score: found.score, copies: found.copies, report }
}

fn terminal(hits: &[Hit], output: &Output) -> String {
    let mut sheet = output.sheet();
    if hits.is_empty() {
        sheet.paragraph(&Paragraph::new("Nothing found."));
    }
    let column = hits.iter().map(|hit| hit.id.chars().count()).max().unwrap_or(0).min(24);
    for hit in hits {
        let lead = format!("{:<6}  ", hit.kind);
        let id = format!("{:<column$}  ", hit.id);
        let indent = lead.len() + column + 2;
        sheet.paragraph(&Paragraph::new(&hit.title).lead(FAINT, &lead).lead(STRONG, id).indent(indent));
        let Some(report) = &hit.report else { continue };
        let below = |words: &str| Paragraph::new(words).lead(FAINT, " ".repeat(lead.len())).at_most(2);
        if let Some(sentence) = &report.sentence {
            sheet.paragraph(&below(sentence));
        }
        let times = (report.occurrences > 1).then(|| format!("{} times", report.occurrences));
        let copies = (!hit.copies.is_empty()).then(|| words::copies(hit.copies.len()));
        let about = [Some(near(&hit.path)), copies, Some(report.status.clone()), Some(report.date.clone()), times];
        let about: Vec<String> = about.into_iter().flatten().filter(|one| !one.is_empty()).collect();
        sheet.paragraph(&below(&about.join(", ")).style(FAINT));
    }
    sheet.finish()
}

/// A path below the working folder as people type it there.
fn near(path: &str) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    Path::new(path).strip_prefix(here).map_or_else(|_| path.to_owned(), |path| path.display().to_string())
}
