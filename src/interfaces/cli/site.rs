//! `faultbook site OUT`: the book and the project's reports as plain files, for any host of pages.

use std::path::PathBuf;

use clap::Args;

use super::common::Common;
use super::exit::Exit;
use super::failure::{Failure, Result};
use super::open::shown;
use super::output::{Output, remark};
use super::servers::{here, settings};
use crate::interfaces::web::{SiteError, StaticSite, Written, export};
use crate::interfaces::workspace::Workspace;
use crate::render::words::counted;

/// Below the options.
pub(crate) const HELP: &str = "\
Reports are written as they are: look for secrets with `faultbook check` before you publish them. A later run replaces
what changed and removes its own pages that are no longer there; other files in the folder are left alone.
docs/site.md shows how to publish on GitHub Pages.";

#[derive(Debug, Clone, Args)]
pub(crate) struct SiteOptions {
    /// The folder to write into; it is made if it is not there.
    #[arg(value_name = "OUT")]
    folder: PathBuf,

    /// The address that the site will have, for the feed, previews of links and sitemap.xml.
    #[arg(long, value_name = "URL")]
    url: Option<String>,

    /// Leave out the book: only the project's reports.
    #[arg(long)]
    reports_only: bool,

    /// Write into a folder that has files of others, and replace those with the same name.
    #[arg(long)]
    force: bool,
}

/// Writes the site.
pub(crate) fn run(options: &SiteOptions, common: &Common) -> Result<Exit> {
    let output = Output::new(common, common.format)?;
    let workspace = Workspace::open(&here(), &settings(common));
    workspace.notes.iter().for_each(|note| remark(note));
    let site = StaticSite {
        folder: options.folder.clone(),
        url: options.url.clone(),
        reports_only: options.reports_only,
        force: options.force,
    };
    let Written { files, reports, changed, removed } = export(&workspace, &site).map_err(|error| {
        let failure = Failure::new(error.to_string());
        match error {
            SiteError::Foreign(_) => failure.hint("name another folder, or say --force to write beside them"),
            SiteError::Url(_) => failure.hint("for example `--url https://team.github.io/project`"),
            _ => failure,
        }
    })?;
    let gone = if removed > 0 { format!(", {removed} removed") } else { String::new() };
    output.write(&format!(
        "{}: {} with {}, {changed} new or changed{gone}\n",
        shown(&options.folder),
        counted(files as u64, "file", "files"),
        counted(reports as u64, "report", "reports"),
    ))?;
    Ok(Exit::Found)
}
