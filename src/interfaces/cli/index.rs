//! `faultbook index [--rebuild]`: updates the index of the project's reports and summarises it.

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

#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Delete the index and rebuild it.
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

pub(crate) fn run(args: &Options, common: &Common) -> Result<Exit> {
    let output = &Output::new(common, args.format)?;
    let knowledge = open::knowledge(common, args.rebuild)?;
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
                    "No reports folder was found. Name one with --reports DIR, or in faultbook.toml.",
                ));
            }
            sheet.finish()
        }
    };
    output.write(&text)?;
    Ok(Exit::Found)
}
