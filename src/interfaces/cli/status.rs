//! `faultbook status ID WORD [--commit REV]`: changes a report's status and keeps every other byte of its file.

use crate::reports::draft::{git, status};
use crate::reports::status::canonical;
use clap::Args;
use serde::Serialize;

use super::common::Common;
use super::exit::Exit;
use super::failure::Result;
use super::format::{Format, FormatArg};
use super::open;
use super::output::{Output, json};

#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// The report's id or file.
    id: String,

    /// The new status: open, in_progress, resolved, closed, wontfix, duplicate, ...
    #[arg(value_parser = word)]
    word: String,

    /// The commit that caused the change, recorded in the front matter.
    #[arg(long, value_name = "REV")]
    commit: Option<String>,

    #[command(flatten)]
    pub(crate) format: FormatArg<Format>,
}

/// The JSON (`faultbook/status/1`).
#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    id: &'a str,
    path: String,
    before: &'a str,
    after: &'a str,
    commit: Option<&'a str>,
}

pub(crate) fn run(args: &Options, common: &Common) -> Result<Exit> {
    let output = &Output::new(common, args.format)?;
    let knowledge = open::knowledge(common, false)?;
    let report = open::one_report(&knowledge, &args.id)?;
    open::may_write(common, &report.path)?;
    let folder =
        report.path.parent().filter(|folder| !folder.as_os_str().is_empty()).map_or_else(open::here, Into::into);
    let commit = args.commit.as_deref().map(|revision| git::commit(&folder, revision)).transpose()?;
    let short = commit.as_ref().map(|commit| git::short(&commit.hash));
    let changed = status::set(&report.path, &args.word, short)?;
    let path = open::shown(&report.path);
    let by = short.map(|short| format!(" by {short}")).unwrap_or_default();
    let before = if changed.before.is_empty() { "no status".to_owned() } else { changed.before.clone() };
    output.write(&match output.format {
        Format::Json => json(&Answer {
            schema: "faultbook/status/1",
            id: &report.id,
            path,
            before: &changed.before,
            after: &changed.after,
            commit: short,
        })?,
        Format::Terminal | Format::Markdown => format!("{}: {before} -> {}{by} ({path})\n", report.id, changed.after),
    })?;
    Ok(Exit::Found)
}

/// A status in the format's spelling.
pub(crate) fn word(text: &str) -> Result<String, String> {
    let known = "open, in_progress, investigating, resolved, closed, wontfix, duplicate, archived, ...";
    canonical(text).map(str::to_owned).ok_or_else(|| format!("a status is one of {known}"))
}
