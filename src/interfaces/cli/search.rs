//! `faultbook search WORDS...`: pages and reports whose words come near, best first.

use crate::render::layout::Paragraph;
use crate::render::style::{FAINT, STRONG};
use crate::reports::index::What;
use crate::reports::knowledge::Knowledge;
use clap::Args;
use serde::Serialize;

use super::common::Common;
use super::exit::Exit;
use super::failure::{Failure, Result};
use super::format::{Format, FormatArg};
use super::open;
use super::output::{Output, json, table};

/// What `search` takes.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Any words: of an error, a function, a code, a title.
    #[arg(required = true, value_name = "WORDS")]
    words: Vec<String>,

    /// Most hits to show.
    #[arg(long, default_value_t = 10, value_name = "N")]
    limit: usize,

    #[command(flatten)]
    pub(crate) format: FormatArg<Format>,
}

/// One hit, also the shape of the JSON (`faultbook/search/1`).
#[derive(Debug, Serialize)]
pub(crate) struct Hit {
    kind: &'static str,
    /// What `show` takes.
    pub(crate) id: String,
    title: String,
    path: String,
    score: f64,
}

#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    words: &'a str,
    hits: &'a [Hit],
}

/// Prints the hits.
pub(crate) fn run(asked: &Options, common: &Common) -> Result<Exit> {
    let output = &Output::new(common, asked.format)?;
    let words = &asked.words.join(" ");
    let knowledge = open::knowledge(common, false)?;
    let hits = hits(&knowledge, words, asked.limit)?;
    let text = match output.format {
        Format::Json => json(&Answer { schema: "faultbook/search/1", words, hits: &hits })?,
        Format::Markdown => table(
            &["Kind", "Id", "Title", "Score"],
            hits.iter()
                .map(|hit| vec![hit.kind.to_owned(), hit.id.clone(), hit.title.clone(), format!("{:.2}", hit.score)]),
        ),
        Format::Terminal => terminal(&hits, output),
    };
    output.write(&text)?;
    Ok(if hits.is_empty() { Exit::None } else { Exit::Found })
}

/// What the index finds.
pub(crate) fn hits(knowledge: &Knowledge, words: &str, limit: usize) -> Result<Vec<Hit>> {
    let index = knowledge.index().ok_or_else(|| Failure::new("could not build the search index"))?;
    let found = index.search(words, limit)?;
    let hit = |found: crate::reports::index::Found| {
        let score = f64::from(found.score);
        match found.what {
            What::Page(id) => {
                let page = &knowledge.book.faults[knowledge.book.find(&id)?];
                Some(Hit { kind: "page", title: page.matter.title.clone(), path: page.path.clone(), id, score })
            }
            What::Report(path) => {
                let entry = index.entry(&path)?;
                let (id, title) = (entry.id.clone(), entry.title.clone());
                Some(Hit { kind: "report", id, title, path: path.display().to_string(), score })
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
    }
    sheet.finish()
}
