//! `faultbook index [--rebuild]`: brings the index of the project's reports up to date and says what it holds.

use crate::diagnosis::Search as _;
use crate::render::layout::Paragraph;
use crate::render::words::counted;
use clap::Args;
use serde::Serialize;

use super::common::Common;
use super::exit::Exit;
use super::failure::{Failure, Result};
use super::format::{Format, FormatArg};
use super::open;
use super::output::{Output, json};

/// What `index` takes.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Throw the index away and build it again.
    #[arg(long)]
    rebuild: bool,

    #[command(flatten)]
    pub(crate) format: FormatArg<Format>,
}

/// The JSON (`faultbook/index/1`).
#[derive(Serialize)]
struct Answer {
    schema: &'static str,
    reports: usize,
    read: usize,
    pages: usize,
}

/// Refreshes or rebuilds.
pub(crate) fn run(asked: &Options, common: &Common) -> Result<Exit> {
    let output = &Output::new(common, asked.format)?;
    let knowledge = open::knowledge(common, asked.rebuild)?;
    let index = knowledge.index().ok_or_else(|| Failure::new("could not build the search index"))?;
    let (reports, read, pages) = (index.entries().count(), index.refreshed(), knowledge.book.faults.len());
    let says = format!(
        "{} and {} indexed, {} read because they were new or changed.",
        counted(reports as u64, "report", "reports"),
        counted(pages as u64, "page", "pages"),
        counted(read as u64, "report", "reports"),
    );
    let text = match output.format {
        Format::Json => json(&Answer { schema: "faultbook/index/1", reports, read, pages })?,
        Format::Markdown => format!("{says}\n"),
        Format::Terminal => {
            let mut sheet = output.sheet();
            sheet.paragraph(&Paragraph::new(says));
            if !knowledge.has_reports() {
                sheet.paragraph(&Paragraph::new(
                    "No folder of reports was found: name one with --reports DIR, or in faultbook.toml.",
                ));
            }
            sheet.finish()
        }
    };
    output.write(&text)?;
    Ok(Exit::Found)
}
