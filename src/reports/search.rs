//! What a question in somebody's own words finds: the project's reports first, then the book's pages.

use std::path::PathBuf;

use super::index::{Entry, Error, Found, Opened, Question, What};
use super::knowledge::Knowledge;
use super::lookup::has_part;
use super::reading::comparable;

/// A report or a page that answers a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// What it is.
    pub kind: HitKind,
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Where it is.
    pub path: String,
    /// Where copies of a report lie.
    pub copies: Vec<String>,
    /// How well it fits: comparable among the reports of one answer, and among its pages.
    pub score: f64,
}

/// What a hit is.
#[derive(Debug, Clone, PartialEq)]
pub enum HitKind {
    /// A report of the project.
    Report {
        /// Its status as written.
        status: String,
        /// Its date as written.
        date: String,
        /// How often it happened, as far as the report says.
        occurrences: usize,
        /// The sentence that fits the question best.
        sentence: Option<String>,
    },
    /// A page of the book.
    Page,
}

/// The score of a report that the question names.
const NAMED: f32 = f32::MAX;
/// The share of the best report's score below which a report is not worth a line.
const WORTH_SHOWING: f32 = 0.2;

/// Reports and pages that answer a question, at most `limit` together; reports come first, and leave room for pages.
///
/// # Errors
/// When the index cannot be built or read.
pub fn search(knowledge: &Knowledge, words: &str, limit: usize) -> Result<Vec<Hit>, Error> {
    let Some(index) = knowledge.index() else { return Ok(Vec::new()) };
    match of_index(knowledge, index, words, limit) {
        // The engine stumbled over its files: they are built again, once.
        Err(_) if index.is_damaged() => match knowledge.index() {
            Some(again) if !std::ptr::eq(again, index) => of_index(knowledge, again, words, limit),
            _ => Ok(Vec::new()),
        },
        found => found,
    }
}

fn of_index(knowledge: &Knowledge, index: &Opened, words: &str, limit: usize) -> Result<Vec<Hit>, Error> {
    /// How many places pages may have where there are more reports than fit.
    const PAGES: usize = 3;
    let question = Question::new(index, words)?;
    let pages = index.ask(&question, false, limit)?;
    let mut files: Vec<Found> = named(index, words);
    files.extend(index.ask(&question, true, limit)?);
    let room = limit - pages.len().min(PAGES.min(limit / 3));
    let best = files.iter().map(|found| found.score).filter(|score| *score < NAMED).fold(0.0, f32::max);
    files.retain(|found| found.score >= WORTH_SHOWING * best);
    let mut reports: Vec<(Hit, PathBuf)> = Vec::new();
    for found in files {
        let What::Report(path) = found.what else { continue };
        let Some(entry) = index.entry(&path).map(|entry| index.living(entry)) else { continue };
        if reports.len() < room && !reports.iter().any(|(_, other)| *other == entry.path) {
            reports.push((report(index, entry, found.score), entry.path.clone()));
        }
    }
    let mut hits: Vec<Hit> = reports.into_iter().map(|(hit, path)| with_text(hit, &path, &question)).collect();
    for found in pages.into_iter().take(limit - hits.len()) {
        let What::Page(id) = found.what else { continue };
        if let Some(place) = knowledge.book.find(&id) {
            let page = &knowledge.book.faults[place];
            let (title, path) = (page.matter().title.clone(), page.path.clone());
            hits.push(Hit { kind: HitKind::Page, id, title, path, copies: Vec::new(), score: f64::from(found.score) });
        }
    }
    Ok(hits)
}

fn report(index: &Opened, entry: &Entry, score: f32) -> Hit {
    let record = index.record(entry);
    let date = if entry.date.is_empty() { record.day() } else { entry.date.clone() };
    let occurrences = record.times();
    let kind = HitKind::Report { status: record.status, date, occurrences, sentence: None };
    let path = entry.path.to_string_lossy().into_owned();
    let copies = index.copies(entry).map(|copy| copy.path.to_string_lossy().into_owned()).collect();
    Hit { kind, id: entry.id.clone(), title: entry.title.clone(), path, copies, score: f64::from(score) }
}

/// The hit with what only the report itself says.
fn with_text(mut hit: Hit, path: &std::path::Path, question: &Question) -> Hit {
    if let (HitKind::Report { sentence, .. }, Ok(bytes)) = (&mut hit.kind, std::fs::read(path)) {
        let text = String::from_utf8_lossy(&bytes);
        let said = question.sentence(&text).filter(|said| !said.contains(hit.title.as_str()));
        *sentence = said.map(|said| shortened(&said));
    }
    hit
}

fn shortened(sentence: &str) -> String {
    /// Two lines of a terminal.
    const LONGEST: usize = 160;
    match sentence.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", sentence[..end].trim_end()),
        None => sentence.to_owned(),
    }
}

/// Reports that a word of the question is an id of, or a part of an id with numbers in it.
fn named(index: &Opened, words: &str) -> Vec<Found> {
    /// What is part of more ids is a year.
    const MOST: usize = 12;
    let is_number = |word: &String| word.bytes().any(|byte| byte.is_ascii_digit());
    let parts: Vec<String> = words.split_whitespace().map(comparable).filter(is_number).collect();
    let having = |is: &dyn Fn(&Entry, &str) -> bool| -> Vec<Found> {
        let meant = index.entries().filter(|entry| parts.iter().any(|part| is(entry, part)));
        meant.map(|entry| Found { what: What::Report(entry.path.clone()), score: NAMED }).collect()
    };
    let exact =
        having(&|entry, part| std::iter::once(&entry.id).chain(&entry.aliases).any(|id| comparable(id) == part));
    if !exact.is_empty() || parts.is_empty() {
        return exact;
    }
    let part = having(&has_part);
    if part.len() > MOST { Vec::new() } else { part }
}
