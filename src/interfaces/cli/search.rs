//! `faultbook search WORDS...`: the pages and reports that match best.

use crate::render::layout::Paragraph;
use crate::render::style::{FAINT, PLAIN, STRONG};
use crate::render::words;
use crate::reports::index::What;
use crate::reports::knowledge::Knowledge;
use std::path::Path;

use clap::Args;
use serde::Serialize;

use super::common::Common;
use super::exit::Exit;
use super::failure::{Failure, Result};
use super::format::{Format, FormatArg};
use super::open;
use super::output::{Output, json, table};

#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Any words: of an error, a function, a code, a title.
    #[arg(required = true, value_name = "WORDS")]
    words: Vec<String>,

    /// The maximum number of hits.
    #[arg(long, default_value_t = 10, value_name = "N")]
    limit: usize,

    #[command(flatten)]
    pub(crate) format: FormatArg<Format>,
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

/// The hits from the index.
pub(crate) fn hits(knowledge: &Knowledge, words: &str, limit: usize) -> Result<Vec<Hit>> {
    let index = knowledge.index().ok_or_else(|| Failure::new("could not build the search index"))?;
    let found = index.search(words, limit)?;
    let hit = |found: crate::reports::index::Found| {
        let score = f64::from(found.score);
        match found.what {
            What::Page(id) => {
                let page = &knowledge.book.faults[knowledge.book.find(&id)?];
                Some(Hit {
                    kind: "page",
                    title: page.matter.title.clone(),
                    path: page.path.clone(),
                    id,
                    score,
                    copies: Vec::new(),
                })
            }
            What::Report(path) => {
                let entry = index.entry(&path)?;
                let (id, title) = (entry.id.clone(), entry.title.clone());
                let copies = index.copies(entry).map(|copy| copy.path.display().to_string()).collect();
                Some(Hit { kind: "report", id, title, path: path.display().to_string(), score, copies })
            }
        }
    };
    Ok(found.into_iter().filter_map(hit).collect())
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
        let title = Paragraph::new(&hit.title).lead(FAINT, &lead).lead(STRONG, id).indent(lead.len() + column + 2);
        sheet.paragraph(&title.right(FAINT, format!("{:.2}", hit.score)));
        if !hit.copies.is_empty() {
            let place = format!("{} ({})", open::shown(Path::new(&hit.path)), words::copies(hit.copies.len()));
            sheet.paragraph(&Paragraph::new(place).style(FAINT).lead(PLAIN, " ".repeat(lead.len())));
        }
    }
    sheet.finish()
}
