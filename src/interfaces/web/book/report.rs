//! One report's page: what it says, what it is about, and what other reports have to do with it.

use std::path::Path;

use askama::Template;

use super::contents::{PageLink, page_link};
use super::relations::Relations;
use super::reports::{ReportLink, report_link, summary, title};
use super::shelf::{Shelf, Told};
use crate::interfaces::web::frame::{Frame, Section, report_address, report_file};
use crate::interfaces::web::html::{self, Links};
use crate::interfaces::web::weave::woven;
use crate::render::clean;
use crate::reports::occurrences::Met;
use crate::reports::reading;
use crate::reports::record::{ParsedReport, Record};

/// The page of a report.
#[derive(Template)]
#[template(path = "book/report.html")]
pub(crate) struct Page {
    pub frame: Frame,
    pub link: ReportLink,
    /// As written, where that is not the word of the label.
    pub status: String,
    /// Where its file is.
    pub path: String,
    pub copies: Vec<String>,
    /// Front matter: key and value.
    pub front: Vec<(String, String)>,
    pub body: String,
    pub faults: Vec<PageLink>,
    /// Reports that it has to do with, by what they have.
    pub relations: Relations,
    /// The same as a picture.
    pub drawing: Option<String>,
    /// "3 times, 2025-11-10 to 2026-01-02, came back after it was solved".
    pub seen: Option<String>,
    pub occurrences: Vec<(String, String)>,
    pub met: Vec<String>,
    /// Whether it comes with the book, as an example.
    pub is_example: bool,
}

/// The page of the project's report at that index.
pub(crate) fn page(shelf: &Shelf<'_>, index: usize) -> Page {
    let one = &shelf.told.reports[index];
    let link = report_link(shelf, index);
    let relations = Relations::of(shelf, index);
    view(shelf, one, link, relations, Some(index))
}

/// Reports that come with the book: address and title.
pub(crate) fn examples(shelf: &Shelf<'_>) -> Vec<(String, String)> {
    let reports = shelf.book().reports().map(|(path, text)| reading::read(Path::new(path), text));
    reports.map(|report| (report_address(&report.id), clean::line(&report.title))).collect()
}

/// The page of a report that comes with the book.
pub(crate) fn example(shelf: &Shelf<'_>, name: &str) -> Option<Page> {
    let mut reports = shelf.book().reports().map(|(path, text)| reading::read(Path::new(path), text));
    let report = reports.find(|report| report_file(&report.id) == name)?;
    let record = Record::of_report(&report, Vec::new());
    let lone = Told::new(vec![ParsedReport { record, report }]);
    Some(Page { is_example: true, ..page(&Shelf::beside(shelf, lone), 0) })
}

fn view(shelf: &Shelf<'_>, one: &ParsedReport, link: ReportLink, relations: Relations, own: Option<usize>) -> Page {
    let record = &one.record;
    let heading = title(record);
    let frame = shelf.frame(&link.address, Section::Reports, &heading, &summary(one));
    let (front, body) = reading::parts(&one.report.text);
    let place = |values: &[(String, String)]| {
        let values: Vec<String> = values.iter().map(|(label, value)| format!("{label} {value}")).collect();
        clean::line(&values.join(", "))
    };
    let status = clean::line(&record.status);
    Page {
        status: if status.eq_ignore_ascii_case(&link.status) { String::new() } else { status },
        path: shown(shelf, &record.path),
        copies: record.copies.iter().map(|path| shown(shelf, path)).collect(),
        front: front
            .into_iter()
            .map(|(key, value)| (clean::line(&key.replace('_', " ")), clean::line(&value)))
            .collect(),
        body: prose(shelf, &frame, one, own, &without_title(&body, record)),
        faults: link.faults.iter().filter_map(|(id, _)| shelf.book().find(id)).map(|at| page_link(shelf, at)).collect(),
        seen: record.seen(),
        occurrences: record.occurrences.iter().map(|one| (clean::line(&one.at), place(&one.place))).collect(),
        met: if record.times() > 1 {
            record.met().iter().map(|met| clean::line(&Met::words(met))).collect()
        } else {
            Vec::new()
        },
        is_example: false,
        drawing: relations.drawing(&link.id),
        relations,
        link,
        frame,
    }
}

/// A path below the project's folder; of one elsewhere only the file's name, so that a site tells nothing of a machine.
fn shown(shelf: &Shelf<'_>, path: &Path) -> String {
    let root = std::path::absolute(shelf.root).unwrap_or_default();
    let whole = std::path::absolute(path).unwrap_or_default();
    let below = whole.strip_prefix(&root).ok().map(|path| path.to_string_lossy().replace('\\', "/"));
    let name = || path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    clean::line(&below.unwrap_or_else(name))
}

/// The body after a first heading that says what the page's heading says.
fn without_title(body: &str, record: &Record) -> String {
    let start = body.trim_start();
    let Some((first, rest)) = start.strip_prefix("# ").map(|rest| rest.split_once('\n').unwrap_or((rest, ""))) else {
        return start.to_owned();
    };
    let is_title = first.contains(record.title.trim()) || first.contains(record.id.as_str());
    if is_title { rest.to_owned() } else { start.to_owned() }
}

/// The report's own words: headings below the page's, links to other reports and pages as links, names of them too.
fn prose(shelf: &Shelf<'_>, frame: &Frame, one: &ParsedReport, own: Option<usize>, markdown: &str) -> String {
    let root = frame.root.as_ref();
    let at = |index: usize| format!("{root}{}", shelf.told.addresses[index]);
    let links = Links { resolve: &|target| shelf.told.linked(&one.record.path, target).map(at) };
    // The report's highest headings are one level below the page's.
    let html = html::document(markdown, &links, 1);
    let html = if html.contains("<h1 ") { html::document(markdown, &links, 2) } else { html };
    woven(&html, &|text, is_code| {
        let pages = shelf.page_names(root, text, is_code);
        if !pages.is_empty() {
            return pages;
        }
        let others = shelf.told.mentioned(text).into_iter().filter(|(_, index)| Some(*index) != own);
        others.map(|(range, index)| (range, at(index))).collect()
    })
}
