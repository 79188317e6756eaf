//! `faultbook refs ID`: every mention of a report in code, other reports and commit messages.

use std::path::{Path, PathBuf};

use crate::render::layout::{Paragraph, Sheet};
use crate::render::style::{FAINT, PLAIN, STRONG};
use crate::render::words::counted;
use crate::reports::draft::git;
use crate::reports::refs::{self, CommitMention, Mention};
use crate::reports::{lookup, mentions};
use clap::Args;
use serde::Serialize;

use super::common::Common;
use super::exit::Exit;
use super::failure::Result;
use super::format::{Format, FormatArg};
use super::open;
use super::output::{self, Output, json, table};

#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// The report's id, in any spelling.
    id: String,

    #[command(flatten)]
    pub(crate) format: FormatArg<Format>,
}

/// The JSON (`faultbook/refs/1`).
#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    id: &'a str,
    reports: Vec<String>,
    mentions: Vec<Place<'a>>,
    commits: Vec<Commit<'a>>,
}

#[derive(Serialize)]
struct Place<'a> {
    kind: &'static str,
    path: String,
    line: u32,
    column: u32,
    text: &'a str,
}

#[derive(Serialize)]
struct Commit<'a> {
    hash: &'a str,
    day: &'a str,
    subject: &'a str,
    text: &'a str,
}

pub(crate) fn run(options: &Options, common: &Common) -> Result<Exit> {
    let output = &Output::new(common, options.format)?;
    let query = options.id.as_str();
    let (project, knowledge) = open::project(common, false)?;
    let called: Vec<_> = lookup::entries_named(&knowledge, query).collect();
    let id = called.first().map_or(query, |report| report.id.as_str());
    let names = called.iter().flat_map(|report| std::iter::once(&report.id).chain(&report.aliases));
    let ids = mentions::spellings(id, names);
    let own: Vec<PathBuf> = called.iter().map(|report| report.path.clone()).collect();

    let root = root(&project.config.path);
    let mut folders = vec![root.clone()];
    folders.extend(project.roots.iter().cloned());
    let found = refs::in_files(&folders, &ids, &own, &project.paths().cloned().collect::<Vec<_>>());
    let commits = match git::root(&root) {
        Some(top) => refs::in_commits(&top, &ids).unwrap_or_else(|error| {
            output::remark(&format!("the commits were not searched: {error}"));
            Vec::new()
        }),
        None => Vec::new(),
    };
    if called.is_empty() {
        output::remark(&format!("the project has no report `{query}`, but these places mention it"));
    }
    let paths: Vec<String> = own.iter().map(|path| open::shown(path)).collect();
    output.write(&match output.format {
        Format::Json => json(&answer(id, paths, &found, &commits))?,
        Format::Markdown => markdown(&found, &commits),
        Format::Terminal => terminal(id, &found, &commits, output),
    })?;
    Ok(if found.is_empty() && commits.is_empty() { Exit::None } else { Exit::Found })
}

/// The folder to search: the repository, otherwise that of the configuration, otherwise the current one.
fn root(config: &Path) -> PathBuf {
    let here = open::here();
    let above = here.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_owned);
    let config = config.parent().filter(|folder| !folder.as_os_str().is_empty()).map(Path::to_owned);
    above.or(config).unwrap_or(here)
}

fn answer<'a>(id: &'a str, reports: Vec<String>, found: &'a [Mention], commits: &'a [CommitMention]) -> Answer<'a> {
    let place = |one: &'a Mention| Place {
        kind: if one.in_report { "report" } else { "file" },
        path: open::shown(&one.path),
        line: one.line,
        column: one.column,
        text: &one.text,
    };
    let commit = |one: &'a CommitMention| Commit {
        hash: &one.commit.hash,
        day: &one.commit.day,
        subject: &one.commit.subject,
        text: &one.text,
    };
    Answer {
        schema: "faultbook/refs/1",
        id,
        reports,
        mentions: found.iter().map(place).collect(),
        commits: commits.iter().map(commit).collect(),
    }
}

fn markdown(found: &[Mention], commits: &[CommitMention]) -> String {
    let places = found.iter().map(|one| vec![place(one), one.text.clone()]);
    let commits = commits.iter().map(|one| vec![git::short(&one.commit.hash).to_owned(), one.text.clone()]);
    table(&["Place", "Line"], places.chain(commits))
}

fn place(one: &Mention) -> String {
    format!("{}:{}:{}", open::shown(&one.path), one.line, one.column)
}

fn terminal(id: &str, found: &[Mention], commits: &[CommitMention], output: &Output) -> String {
    let mut sheet = output.sheet();
    if found.is_empty() && commits.is_empty() {
        sheet.paragraph(&Paragraph::new(format!("Nothing else mentions {id}.")));
    }
    let (reports, files): (Vec<&Mention>, Vec<&Mention>) = found.iter().partition(|one| one.in_report);
    mentions_of(&mut sheet, &counted(files.len() as u64, "place in files", "places in files"), &files);
    mentions_of(&mut sheet, &counted(reports.len() as u64, "place in reports", "places in reports"), &reports);
    if !commits.is_empty() {
        sheet.blank();
        sheet.paragraph(
            &Paragraph::new(counted(commits.len() as u64, "line in commits", "lines in commits")).style(STRONG),
        );
        for one in commits {
            let line = format!("{} {}  {}", git::short(&one.commit.hash), one.commit.day, one.text);
            sheet.verbatim(&line, 0, PLAIN);
        }
    }
    sheet.finish()
}

fn mentions_of(sheet: &mut Sheet, heading: &str, found: &[&Mention]) {
    if found.is_empty() {
        return;
    }
    sheet.blank();
    sheet.paragraph(&Paragraph::new(heading).style(STRONG));
    let mut last = None;
    for one in found {
        // A link names a report twice; its line is reported once.
        if last.replace((&one.path, one.line)) == Some((&one.path, one.line)) {
            continue;
        }
        // At the start of the line, so that terminals and editors turn it into a link.
        sheet.verbatim(&place(one), 0, FAINT);
        sheet.verbatim(&one.text, 4, PLAIN);
    }
}
