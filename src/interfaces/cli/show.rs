//! `faultbook show ID|CODE`: a page, a recipe, a report, or what a code means, for reading.

use std::collections::BTreeSet;

use crate::book::codes::Code;
use crate::book::contents::Entry;
use crate::book::page::Recipe;
use crate::book::report::Report;
use crate::book::schema::FrontMatter;
use crate::render::article;
use crate::render::layout::{Paragraph, Sheet};
use crate::render::style::{COMMAND, FAINT, FAULT, PLAIN, STRONG};
use crate::render::words;
use crate::reports::knowledge::Knowledge;
use crate::reports::lookup::{self, Found};
use crate::reports::occurrences::Met;
use crate::reports::record::Record;
use crate::truth;
use clap::Args;
use serde::Serialize;

use super::common::Common;
use super::exit::Exit;
use super::failure::{Failure, Result};
use super::format::{Format, FormatArg};
use super::output::{Output, json};
use super::{list, open, search, why};

#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// An id (`cudnn-no-engine`, `BUG-20251110-003`) or a code (`700`, `CUDNN_STATUS_EXECUTION_FAILED`, `Xid 79`).
    #[arg(required = true, value_name = "ID|CODE")]
    id: Vec<String>,

    /// Show how the page ranks its causes: the author's estimate, counted cases, the weight of each piece of evidence.
    #[arg(long)]
    why: bool,

    #[command(flatten)]
    pub(crate) format: FormatArg<Format>,
}

impl Options {
    /// Shows what words name.
    pub(super) fn of(words: &str) -> Self {
        Self { id: vec![words.to_owned()], why: false, format: FormatArg::default() }
    }
}

/// The JSON (`faultbook/show/1`).
#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    asked: &'a str,
    found: Vec<Thing<'a>>,
}

/// A page, a recipe, a report or a code; for a code, `text` is its meaning and `fault` its page.
#[derive(Serialize)]
struct Thing<'a> {
    kind: &'static str,
    id: String,
    title: &'a str,
    status: &'a str,
    fault: Option<&'a str>,
    path: String,
    text: String,
    /// Where copies of a report lie; omitted if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    copies: Vec<String>,
    /// When and where a report's failure happened; only of the project's reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    seen: Option<Seen>,
}

/// The occurrences of a report.
#[derive(Serialize)]
struct Seen {
    times: usize,
    first: String,
    last: String,
    /// Whether it came back after it was solved.
    returned: bool,
    /// The hosts, GPUs, drivers and versions.
    met: Vec<Met>,
}

impl Seen {
    fn of(record: &Record) -> Self {
        let (times, returned) = (record.times(), record.returned);
        Self { times, first: record.first_seen(), last: record.last_seen(), returned, met: record.met() }
    }
}

pub(crate) fn run(options: &Options, common: &Common) -> Result<Exit> {
    let output = &Output::new(common, options.format)?;
    let query = &options.id.join(" ");
    let knowledge = open::knowledge(common, false)?;
    let found = lookup::find(&knowledge, query, !common.no_builtin)?;
    if found.is_empty() {
        return nothing(&knowledge, query, output);
    }
    if options.why {
        return why::run(&knowledge.book, &found, query, output);
    }
    let text = match output.format {
        Format::Json => {
            let found = found.iter().map(|found| thing(&knowledge, found)).collect();
            json(&Answer { schema: "faultbook/show/1", asked: query, found })?
        }
        Format::Markdown => {
            found.iter().map(|found| lookup::markdown(&knowledge, found)).collect::<Vec<_>>().join("\n")
        }
        Format::Terminal => terminal(&knowledge, &found, output),
    };
    output.page(&text, common)?;
    Ok(Exit::Found)
}

/// Says that there is no such id, and which are similar.
fn nothing(knowledge: &Knowledge, query: &str, output: &Output) -> Result<Exit> {
    if output.format == Format::Json {
        output.write(&json(&Answer { schema: "faultbook/show/1", asked: query, found: Vec::new() })?)?;
    }
    let mut near: Vec<String> = Vec::new();
    for hit in search::hits(knowledge, query, 3).unwrap_or_default() {
        let command = format!("`faultbook show {}`", hit.id);
        // Two reports may have one id.
        if !near.contains(&command) {
            near.push(command);
        }
    }
    let hint = match near.is_empty() {
        true => "`faultbook list --pages` lists everything".to_owned(),
        false => format!("similar: {}", near.join(", ")),
    };
    super::complain(&Failure::new(format!("no page, report or code `{query}`")).hint(hint));
    Ok(Exit::None)
}

fn terminal(knowledge: &Knowledge, found: &[Found<'_>], output: &Output) -> String {
    let mut sheet = output.sheet();
    for found in found {
        sheet.blank();
        match found {
            Found::Page(page) => page_terminal(&mut sheet, &knowledge.book.faults[*page]),
            Found::Recipe(recipe) => recipe_terminal(&mut sheet, recipe),
            Found::Report(report) => report_terminal(&mut sheet, report, lookup::record(knowledge, &report.path)),
            Found::Code(code) => code_terminal(&mut sheet, code),
        }
    }
    let codes = found.iter().filter_map(|found| if let Found::Code(code) = found { code.fault() } else { None });
    let pages: BTreeSet<&str> = codes.collect();
    if pages.len() > 1 {
        sheet.blank();
        sheet.paragraph(&Paragraph::new("Several libraries use it; the surrounding lines of the log show which one."));
    }
    sheet.finish()
}

fn page_terminal(sheet: &mut Sheet, page: &Entry) {
    let matter = page.matter();
    sheet.paragraph(&Paragraph::new(&matter.title).style(FAULT).right(FAINT, &page.id));
    sheet.paragraph(&Paragraph::new(about(matter).join(", ")).style(FAINT));
    if let Some(releases) = checked(page) {
        sheet.paragraph(&Paragraph::new(format!("Checked with {releases}")).style(FAINT));
    }
    if !matter.codes.is_empty() {
        sheet.paragraph(&Paragraph::new(matter.codes.join(", ")).style(FAINT).lead(FAINT, "codes: "));
    }
    sheet.blank();
    article::write(sheet, without_title(page.body()));
    if !matter.references.is_empty() {
        sheet.blank();
        sheet.paragraph(&Paragraph::new("# References").style(STRONG));
        matter.references.iter().for_each(|address| sheet.verbatim(address, 0, PLAIN));
    }
}

/// Severity, status, packages, day of the last review.
fn about(matter: &FrontMatter) -> Vec<String> {
    let mut parts = vec![format!("{} severity", list::severity_word(matter.severity))];
    parts.push(list::status_word(matter.status).to_owned());
    parts.extend(matter.affects.iter().map(|affected| format!("{} {}", affected.package, affected.versions)));
    parts.extend(matter.reviewed.iter().map(|day| format!("reviewed {day}")));
    parts
}

/// The releases in which the names of a page of the book were looked up.
fn checked(page: &Entry) -> Option<String> {
    page.path.starts_with("kb/").then(|| truth::builtin().checked(page.body())).flatten()
}

/// The body after its first heading, because the title is printed already.
fn without_title(body: &str) -> &str {
    let body = body.trim_start();
    match body.strip_prefix("# ") {
        Some(rest) => rest.split_once('\n').map_or("", |(_, rest)| rest),
        None => body,
    }
}

fn recipe_terminal(sheet: &mut Sheet, recipe: &Recipe) {
    sheet.paragraph(&Paragraph::new(&recipe.title).style(STRONG).right(FAINT, &recipe.id));
    sheet.blank();
    article::write(sheet, &recipe.detail);
    for command in &recipe.commands {
        sheet.blank();
        command.lines().for_each(|line| sheet.verbatim(line, 4, COMMAND));
    }
    for cost in &recipe.trade_offs {
        sheet.blank();
        sheet.paragraph(&Paragraph::new(cost).lead(STRONG, "Trade-off: ").indent(2));
    }
}

fn report_terminal(sheet: &mut Sheet, report: &Report, record: Option<Record>) {
    let title = if report.title.is_empty() { &report.id } else { &report.title };
    sheet.paragraph(&Paragraph::new(title).style(STRONG).right(FAINT, &report.id));
    sheet.verbatim(&report.path.display().to_string(), 0, FAINT);
    let record = record.unwrap_or_default();
    let copies = &record.copies;
    if !copies.is_empty() {
        let places: Vec<String> = copies.iter().map(|path| open::shown(path)).collect();
        let lead = format!("{}: ", words::copies(copies.len()));
        sheet.paragraph(&Paragraph::new(places.join(", ")).style(FAINT).lead(FAINT, lead).indent(2));
    }
    if let Some(seen) = record.seen() {
        let met: Vec<String> = record.met().iter().map(Met::words).collect();
        let on = if met.is_empty() { String::new() } else { format!("; {}", met.join(", ")) };
        sheet.paragraph(&Paragraph::new(format!("{seen}{on}")).style(FAINT).lead(FAINT, "seen ").indent(2));
    }
    sheet.blank();
    article::write(sheet, &report.text);
}

fn code_terminal(sheet: &mut Sheet, code: &Code) {
    let number = code.number.map(|number| format!("{number}, ")).unwrap_or_default();
    sheet.paragraph(&Paragraph::new(code.label()).style(STRONG).right(FAINT, format!("{number}{}", code.library)));
    for sentence in lookup::sentences(code) {
        sheet.paragraph(&Paragraph::new(sentence).lead(PLAIN, "  "));
    }
    if let Some(fault) = code.fault() {
        sheet.paragraph(&Paragraph::new(format!("faultbook show {fault}")).style(COMMAND).lead(PLAIN, "  "));
    }
}

fn thing<'a>(knowledge: &'a Knowledge, found: &'a Found<'a>) -> Thing<'a> {
    let text = match found {
        Found::Code(code) => lookup::sentences(code).join("\n"),
        other => lookup::markdown(knowledge, other),
    };
    match found {
        Found::Page(page) => {
            let page = &knowledge.book.faults[*page];
            let (status, fault) = (list::status_word(page.matter().status), Some(page.id.as_str()));
            let (id, path) = (page.id.clone(), page.path.clone());
            Thing {
                kind: "page",
                id,
                title: &page.matter().title,
                status,
                fault,
                path,
                text,
                copies: Vec::new(),
                seen: None,
            }
        }
        Found::Recipe(recipe) => {
            let path = format!("kb/fixes/{}.md", recipe.id);
            Thing {
                kind: "recipe",
                id: recipe.id.clone(),
                title: &recipe.title,
                status: "",
                fault: None,
                path,
                text,
                copies: Vec::new(),
                seen: None,
            }
        }
        Found::Report(report) => {
            let (id, path) = (report.id.clone(), report.path.display().to_string());
            let record = lookup::record(knowledge, &report.path);
            let copies =
                record.iter().flat_map(|record| &record.copies).map(|path| path.display().to_string()).collect();
            let (title, status) = (&report.title, &report.status);
            let seen = record.as_ref().map(Seen::of);
            Thing { kind: "report", id, title, status, fault: None, path, text, copies, seen }
        }
        Found::Code(code) => {
            let path = format!("kb/codes/{}.csv", code.library);
            let id = code.label().into_owned();
            Thing {
                kind: "code",
                id,
                title: code.message(),
                status: "",
                fault: code.fault(),
                path,
                text,
                copies: Vec::new(),
                seen: None,
            }
        }
    }
}
