//! What an id or a code refers to: a page, a recipe, reports, codes; and each of them as markdown.
//!
//! Nothing is guessed: the most literal meaning alone is given where there is one. Two reports can carry one id, and a
//! number can be a code of several libraries: then all of them are given. Copies of one report are one report.

use crate::diagnosis::Search as _;
use std::path::{Path, PathBuf};

use crate::book::codes::Code;
use crate::book::page::Recipe;
use crate::book::report::Report;
use crate::reports::Error;
use crate::reports::files;
use crate::reports::index::Entry;
use crate::reports::knowledge::Knowledge;
use crate::reports::reading::{self, comparable};
use crate::reports::record::Record;

/// Something that has the id.
#[derive(Debug)]
pub(crate) enum Found<'k> {
    /// A fault page, by its place in the book.
    Page(usize),
    Recipe(Box<Recipe>),
    /// A report of the project or of the book.
    Report(Box<Report>),
    /// A vendor's code.
    Code(&'k Code),
}

/// Everything that `asked` may mean. A code that leads to one page brings the page along.
///
/// # Errors
/// When a report that is called so cannot be read.
pub(crate) fn find<'k>(knowledge: &'k Knowledge, query: &str, builtin: bool) -> Result<Vec<Found<'k>>, Error> {
    let query = query.trim();
    if let Some(page) = page(knowledge, query) {
        return Ok(vec![Found::Page(page)]);
    }
    if let Some(recipe) = knowledge.book.recipe(query) {
        return Ok(vec![Found::Recipe(Box::new(recipe))]);
    }
    let reports = reports(knowledge, query, builtin)?;
    if !reports.is_empty() {
        return Ok(reports.into_iter().map(|report| Found::Report(Box::new(report))).collect());
    }
    let codes = codes(knowledge, query);
    let parts = by_part(knowledge, query);
    let one_id = parts.windows(2).all(|pair| pair[0].id == pair[1].id);
    if parts.is_empty() || !one_id || !codes.is_empty() {
        return Ok(codes);
    }
    let read = |entry: &&Entry| files::read_report(&entry.path).map(|report| Found::Report(Box::new(report)));
    parts.iter().map(read).collect()
}

/// The page with an id, in any case.
pub(crate) fn page(knowledge: &Knowledge, id: &str) -> Option<usize> {
    knowledge.book.find(id).or_else(|| knowledge.book.find(&id.to_ascii_lowercase()))
}

/// All reports of the project.
pub(crate) fn entries(knowledge: &Knowledge) -> impl Iterator<Item = &Entry> {
    let index = if knowledge.has_reports() { knowledge.index() } else { None };
    index.into_iter().flat_map(|index| index.entries())
}

/// The project's reports that are called so: by id, by another id, by path or file name.
pub(crate) fn entries_named<'k>(knowledge: &'k Knowledge, query: &str) -> impl Iterator<Item = &'k Entry> {
    let (query, key) = (query.to_owned(), comparable(query));
    entries(knowledge).filter(move |entry| {
        let names = std::iter::once(&entry.id).chain(&entry.aliases);
        names.into_iter().any(|name| comparable(name) == key) || is_path(&entry.path, &query)
    })
}

/// The project's reports that a part of their id names, with its numbers: `20251110-002` is `BUG-20251110-002`.
pub(crate) fn by_part<'k>(knowledge: &'k Knowledge, query: &str) -> Vec<&'k Entry> {
    let part = comparable(query);
    living(knowledge).filter(|entry| has_part(entry, &part)).collect()
}

/// Whether a part of an id with numbers in it, as [`comparable`] writes it, names a report.
pub(crate) fn has_part(entry: &Entry, part: &str) -> bool {
    /// Fewer digits are part of too much.
    const FEWEST: usize = 3;
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    // It ends where a number of the id ends: `1110-002`, `20251110` and `1110` of `BUG-20251110-002`.
    let ends = |id: &str| id.match_indices(part).any(|(at, _)| !is_digit(id.as_bytes().get(at + part.len())));
    digits >= FEWEST && std::iter::once(&entry.id).chain(&entry.aliases).any(|id| ends(&comparable(id)))
}

/// All reports of the project that are no copies of another one.
pub(crate) fn living(knowledge: &Knowledge) -> impl Iterator<Item = &Entry> {
    entries(knowledge).filter(|entry| entry.copy_of.is_none())
}

/// The project's reports that somebody means who says so: of copies the one that people work with, unless the words are
/// the path of another one.
pub(crate) fn entries_meant<'k>(knowledge: &'k Knowledge, query: &str) -> Vec<&'k Entry> {
    let mut meant: Vec<&Entry> = Vec::new();
    let index = if knowledge.has_reports() { knowledge.index() } else { None };
    for entry in entries_named(knowledge, query) {
        let entry = match index {
            Some(index) if !is_at(&entry.path, query) => index.living(entry),
            _ => entry,
        };
        if !meant.iter().any(|known| known.path == entry.path) {
            meant.push(entry);
        }
    }
    // Words that are a path mean that file, even where they are another one's name.
    match meant.iter().position(|entry| is_at(&entry.path, query)) {
        Some(at) => vec![meant.swap_remove(at)],
        None => meant,
    }
}

/// All reports but the one at a path and its copies.
pub(crate) fn others<'k>(knowledge: &'k Knowledge, path: Option<&Path>) -> impl Iterator<Item = &'k Entry> {
    let living = |entry: &Entry| entry.copy_of.clone().unwrap_or_else(|| entry.path.clone());
    let index = if knowledge.has_reports() { knowledge.index() } else { None };
    let own = path.map(|path| index.and_then(|index| index.entry(path)).map_or_else(|| path.to_owned(), living));
    entries(knowledge).filter(move |entry| own.as_ref() != Some(&living(entry)))
}

/// The report that the one at a path is a copy of.
pub(crate) fn copy_of(knowledge: &Knowledge, path: &Path) -> Option<PathBuf> {
    let index = if knowledge.has_reports() { knowledge.index() } else { None };
    index?.entry(path)?.copy_of.clone()
}

/// What lists show of the report at a path; `None` for one that is not the project's.
pub(crate) fn record(knowledge: &Knowledge, path: &Path) -> Option<Record> {
    let index = if knowledge.has_reports() { knowledge.index() } else { None }?;
    Some(index.record(index.entry(path)?))
}

/// Where copies of the report at a path lie.
pub(crate) fn copies(knowledge: &Knowledge, path: &Path) -> Vec<PathBuf> {
    let index = if knowledge.has_reports() { knowledge.index() } else { None };
    let entry = index.and_then(|index| Some((index, index.entry(path)?)));
    entry.map(|(index, entry)| index.copies(entry).map(|copy| copy.path.clone()).collect()).unwrap_or_default()
}

/// The project's reports that are called so, else those that come with the book.
///
/// # Errors
/// When one of the project's cannot be read.
pub(crate) fn reports(knowledge: &Knowledge, query: &str, builtin: bool) -> Result<Vec<Report>, Error> {
    let meant = entries_meant(knowledge, query);
    let own: Vec<Report> = meant.iter().map(|entry| files::read_report(&entry.path)).collect::<Result<_, _>>()?;
    if !own.is_empty() || !builtin {
        return Ok(own);
    }
    let key = comparable(query);
    let built_in = knowledge.book.reports().map(|(path, text)| reading::read(Path::new(path), text));
    let called_so = |report: &Report| {
        let names = std::iter::once(&report.id).chain(&report.aliases);
        names.into_iter().any(|name| comparable(name) == key) || is_path(&report.path, query)
    };
    Ok(built_in.filter(called_so).collect())
}

fn codes<'k>(knowledge: &'k Knowledge, query: &str) -> Vec<Found<'k>> {
    let book = &knowledge.book;
    let codes = book.codes().find(query);
    let mut pages: Vec<usize> = codes.iter().filter_map(|code| book.find(code.fault()?)).collect();
    let named = |page: &usize| book.faults[*page].matter().codes.iter().any(|code| code.eq_ignore_ascii_case(query));
    // A bare number belongs to several libraries: only the tables know them apart.
    if codes.is_empty() {
        pages.extend((0..book.faults.len()).filter(named));
    }
    pages.sort_unstable();
    pages.dedup();
    let mut found: Vec<Found<'k>> = codes.into_iter().map(Found::Code).collect();
    match pages.as_slice() {
        [page] => found.push(Found::Page(*page)),
        pages if found.is_empty() => found.extend(pages.iter().map(|page| Found::Page(*page))),
        _ => {}
    }
    found
}

/// Whether the words are a file's path, its name, or its name without extension.
fn is_path(path: &Path, query: &str) -> bool {
    let name = |part: Option<&std::ffi::OsStr>| part.is_some_and(|part| part.eq_ignore_ascii_case(query));
    name(path.file_name()) || name(path.file_stem()) || is_at(path, query)
}

/// Whether the words are the very path of a file.
fn is_at(path: &Path, query: &str) -> bool {
    match (std::path::absolute(path), std::path::absolute(query)) {
        (Ok(path), Ok(query)) => path == query,
        _ => false,
    }
}

/// The markdown that a thing was made from.
pub(crate) fn markdown(knowledge: &Knowledge, found: &Found<'_>) -> String {
    let text = match found {
        Found::Page(page) => knowledge.book.faults[*page].body().trim_start().to_owned(),
        Found::Recipe(recipe) => {
            let mut text = format!("# {}\n\n{}\n", recipe.title, recipe.detail.trim());
            recipe.commands.iter().for_each(|command| text.push_str(&format!("\n```\n{}\n```\n", command.trim_end())));
            recipe.trade_offs.iter().for_each(|cost| text.push_str(&format!("\nTrade-off: {cost}\n")));
            text
        }
        Found::Report(report) => report.text.clone(),
        Found::Code(code) => {
            let number = code.number.map(|number| format!("{number}, ")).unwrap_or_default();
            let page = code.fault().map(|fault| format!("\nFault page: `{fault}`\n")).unwrap_or_default();
            format!("## {} ({number}{})\n\n{}\n{page}", code.label(), code.library, sentences(code).join("\n\n"))
        }
    };
    text.trim_end().to_owned() + "\n"
}

/// What a table says of a code.
pub(crate) fn sentences(code: &Code) -> Vec<String> {
    let mut sentences = Vec::new();
    if code.is_event() && !code.name().is_empty() {
        sentences.push(code.name().to_owned());
    }
    if !code.message().is_empty() {
        sentences.push(format!("\"{}\"", code.message()));
    }
    if !code.meaning().is_empty() {
        sentences.push(code.meaning().to_owned());
    }
    if code.is_sticky() {
        sentences.push("Every later GPU call of the process fails with it too; only a new process helps.".to_owned());
    }
    sentences
}
