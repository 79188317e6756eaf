//! `faultbook index-page [DIR]`: writes a folder's INDEX.md, or checks that it is up to date.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use crate::files;
use crate::reports::copies;
use crate::reports::files as report_files;
use crate::reports::index_page;
use crate::reports::project::Project;
use crate::reports::record::{self, ParsedReport};
use clap::Args;
use serde::Serialize;

use super::common::Common;
use super::exit::Exit;
use super::failure::{Failure, Result, reason};
use super::format::{Format, FormatArg};
use super::open;
use super::output::{Output, json};

#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// The reports folder (default: all reports folders of the project).
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,

    /// Write nothing, and exit with 1 if a page is out of date; for CI.
    #[arg(long)]
    check: bool,

    /// Overwrite a page that Faultbook did not write.
    #[arg(long, conflicts_with = "check")]
    force: bool,

    #[command(flatten)]
    pub(crate) format: FormatArg<Format>,
}

/// One page, also an item of the JSON (`faultbook/index-page/1`).
#[derive(Debug, Serialize)]
struct Page {
    path: String,
    reports: usize,
    /// `written`, `unchanged`; with `--check` `current`, `outdated`, `missing`.
    state: &'static str,
}

#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    pages: &'a [Page],
}

/// Writes or checks the pages.
pub(crate) fn run(args: &Options, common: &Common) -> Result<Exit> {
    let output = &Output::new(common, args.format)?;
    let (project, knowledge) = open::project(common, false)?;
    let folders = match &args.folder {
        Some(folder) => vec![folder.clone()],
        None => project.roots.clone(),
    };
    let told = open::told(&project, &knowledge);
    let folders: Vec<PathBuf> = folders.into_iter().filter(|folder| !folder.is_file()).collect();
    if folders.is_empty() {
        return Err(Failure::new("no reports folder was found").hint("name one: `faultbook index-page DIR`"));
    }
    let mut pages = Vec::new();
    for folder in &folders {
        if args.folder.is_none() && !args.check {
            open::may_write(common, &index_page::file(folder))?;
        }
        pages.push(page(folder, &project, &told, args)?);
    }
    output.write(&match output.format {
        Format::Json => json(&Answer { schema: "faultbook/index-page/1", pages: &pages })?,
        Format::Terminal | Format::Markdown => {
            pages.iter().map(|page| format!("{}: {}\n", page.path, page.state)).collect()
        }
    })?;
    let behind = pages.iter().any(|page| matches!(page.state, "outdated" | "missing"));
    Ok(if behind { Exit::None } else { Exit::Found })
}

/// The reports of a folder. One that has its copies or its living report elsewhere in the project is with it there.
fn reports(folder: &Path, project: &Project, told: &[ParsedReport]) -> Result<Vec<ParsedReport>> {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (found, _) = report_files::report_files(folder)?;
    let files: Vec<PathBuf> = found.into_iter().map(|file| file.path).collect();
    let known: BTreeSet<PathBuf> = project.paths().map(|path| absolute(path)).collect();
    if files.iter().any(|path| !known.contains(&absolute(path))) {
        return Ok(copies::grouped(record::read(&files, |_| None)));
    }
    let here: BTreeSet<PathBuf> = files.iter().map(|path| absolute(path)).collect();
    Ok(told.iter().filter(|one| here.contains(&absolute(&one.record.path))).cloned().collect())
}

fn page(folder: &Path, project: &Project, told: &[ParsedReport], args: &Options) -> Result<Page> {
    let told = reports(folder, project, told)?;
    let text = index_page::page(folder, &told);
    let path = index_page::file(folder);
    let there = match std::fs::read(&path) {
        Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(Failure::reading(&path, &error)),
    };
    let shown = open::shown(&path);
    let same = there.as_ref().is_some_and(|there| index_page::is_same(there, &text));
    let state = match (&there, same, args.check) {
        (Some(_), true, true) => "current",
        (Some(_), true, false) => "unchanged",
        (Some(_), false, true) => "outdated",
        (None, _, true) => "missing",
        (Some(there), false, false) if !index_page::is_ours(there) && !args.force => {
            return Err(Failure::new(format!("`{shown}` was not written by Faultbook"))
                .hint("move it, or use --force to overwrite it"));
        }
        (_, _, false) => {
            files::replace(&path, text.as_bytes())
                .map_err(|error| Failure::new(format!("could not write `{shown}`: {}", reason(&error))))?;
            "written"
        }
    };
    Ok(Page { path: shown, reports: told.len(), state })
}
