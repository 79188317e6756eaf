//! What an id or a code stands for: a page, a recipe, reports, codes.

use std::path::{Path, PathBuf};

use faultbook::book::codes::Code;
use faultbook::book::lenient::{self, comparable};
use faultbook::book::page::Recipe;
use faultbook::book::report::Report;
use faultbook::knowledge::Knowledge;

use super::failure::Failure;

/// Something to show.
pub(crate) enum Found<'k> {
    /// A fault page, by its place in the book.
    Page(usize),
    /// A recipe.
    Recipe(Recipe),
    /// A report of the project or of the book.
    Report(Box<Report>),
    /// A vendor's code.
    Code(&'k Code),
}

/// Everything that `asked` may mean, the most literal meaning alone where there is one.
///
/// Two reports can carry one id, and a number can be a code of several libraries: all of them are given. A code that
/// leads to one page brings the page along.
pub(crate) fn find<'k>(knowledge: &'k Knowledge, asked: &str, builtin: bool) -> anyhow::Result<Vec<Found<'k>>> {
    let asked = asked.trim();
    let page = knowledge.book.find(asked).or_else(|| knowledge.book.find(&asked.to_ascii_lowercase()));
    if let Some(page) = page {
        return Ok(vec![Found::Page(page)]);
    }
    if let Some(recipe) = knowledge.book.recipe(asked) {
        return Ok(vec![Found::Recipe(recipe)]);
    }
    let reports = reports(knowledge, asked, builtin)?;
    if !reports.is_empty() {
        return Ok(reports.into_iter().map(|report| Found::Report(Box::new(report))).collect());
    }
    Ok(codes(knowledge, asked))
}

/// The files of the project's reports that are called so: by id, by another id, by path or file name.
pub(crate) fn report_paths(knowledge: &Knowledge, asked: &str) -> anyhow::Result<Vec<PathBuf>> {
    if !knowledge.has_reports() {
        return Ok(Vec::new());
    }
    let key = comparable(asked);
    let index = knowledge.index().ok_or_else(|| Failure::new("could not build the search index"))?;
    let asked_for = |entry: &&faultbook::index::Entry| {
        let names = std::iter::once(&entry.id).chain(&entry.aliases);
        names.into_iter().any(|name| comparable(name) == key) || is_path(&entry.path, asked)
    };
    Ok(index.entries().filter(asked_for).map(|entry| entry.path.clone()).collect())
}

fn reports(knowledge: &Knowledge, asked: &str, builtin: bool) -> anyhow::Result<Vec<Report>> {
    let key = comparable(asked);
    let mut found = Vec::new();
    for path in report_paths(knowledge, asked)? {
        found.push(read(&path)?);
    }
    if found.is_empty() && builtin {
        let reports = knowledge.book.reports().map(|(path, text)| lenient::read(Path::new(path), text));
        found = reports
            .filter(|report| {
                let names = std::iter::once(&report.id).chain(&report.aliases);
                names.into_iter().any(|name| comparable(name) == key) || is_path(&report.path, asked)
            })
            .collect();
    }
    Ok(found)
}

fn read(path: &PathBuf) -> anyhow::Result<Report> {
    let bytes = std::fs::read(path).map_err(|error| Failure::reading(path, &error))?;
    Ok(lenient::read(path, &String::from_utf8_lossy(&bytes)))
}

fn codes<'k>(knowledge: &'k Knowledge, asked: &str) -> Vec<Found<'k>> {
    let book = &knowledge.book;
    let codes = book.codes().find(asked);
    let mut pages: Vec<usize> = codes.iter().filter_map(|code| book.find(code.fault()?)).collect();
    let named =
        |page: &faultbook::book::shelf::Entry| page.matter.codes.iter().any(|code| code.eq_ignore_ascii_case(asked));
    // A bare number belongs to several libraries: only the tables know them apart.
    if codes.is_empty() {
        pages.extend((0..book.faults.len()).filter(|page| named(&book.faults[*page])));
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

/// Whether somebody asked for a file by its path, its name, or its name without extension.
fn is_path(path: &Path, asked: &str) -> bool {
    let name = |part: Option<&std::ffi::OsStr>| part.is_some_and(|part| part.eq_ignore_ascii_case(asked));
    path == Path::new(asked) || name(path.file_name()) || name(path.file_stem())
}
