//! Book, signatures and index in one hand, opened once and shared by every front end.
//!
//! Opening is lazy: a traceback that the book knows, in a project without reports, never touches the index.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::files::ReportFile;
use super::index::{self, Found, Opened, What};
use super::{budget, files};
use crate::book::Book;
use crate::book::report::Report;
use crate::diagnosis::{FoundReport, Library, NearPage, Query, Search};
use crate::incident;
use crate::matching::{Owner, SignatureSet};
use crate::text;

/// Where knowledge is looked for.
#[derive(Debug, Clone)]
pub struct Places {
    /// The report files of the project.
    pub reports: Vec<ReportFile>,
    /// The folders they were found in: they name the cache.
    pub roots: Vec<PathBuf>,
    /// Where caches live; `None` keeps the index in memory.
    pub cache: Option<PathBuf>,
    /// Whether the cache is thrown away first.
    pub rebuild: bool,
}

/// Called while reports are indexed, with how many are done of how many.
pub type Progress = dyn Fn(usize, usize) + Send + Sync;

/// Called for every report that is left out because it takes too long, with its path and why.
pub type LeftOut = dyn Fn(&Path, &str) + Send + Sync;

/// All knowledge of one run.
pub struct Knowledge {
    /// Fault pages, codes, tables.
    pub book: Arc<Book>,
    /// The scanner for them.
    pub signatures: Arc<SignatureSet>,
    places: Places,
    progress: Box<Progress>,
    left_out: Box<LeftOut>,
    index: OnceLock<Option<Opened>>,
    /// The index built again, after the engine stumbled over the first one.
    again: OnceLock<Option<Opened>>,
}

impl Knowledge {
    /// Prepares the scanner; reads no report yet.
    pub fn new(book: Book, places: Places, progress: Box<Progress>) -> Self {
        let signatures = Arc::new(SignatureSet::of_book(&book));
        let (index, again) = (OnceLock::new(), OnceLock::new());
        Self { book: Arc::new(book), signatures, places, progress, left_out: Box::new(|_, _| {}), index, again }
    }

    /// Who hears of reports that are left out because they take too long.
    #[must_use]
    pub fn telling(self, left_out: Box<LeftOut>) -> Self {
        Self { left_out, ..self }
    }

    /// The index, opened and refreshed at the first call; `None` when not even memory could hold one.
    pub fn index(&self) -> Option<&Opened> {
        let index = self.index.get_or_init(|| self.open().ok()).as_ref();
        match index {
            Some(index) if index.is_damaged() => self.again.get_or_init(|| self.open().ok()).as_ref(),
            index => index,
        }
    }

    /// What a diagnosis consults.
    pub fn library(&self) -> Library<'_> {
        Library { book: &self.book, signatures: &self.signatures, search: self }
    }

    fn open(&self) -> Result<Opened, index::Error> {
        let (book, signatures) = (Arc::clone(&self.book), Arc::clone(&self.signatures));
        let sources = index::Sources {
            files: &self.places.reports,
            roots: &self.places.roots,
            book: &self.book,
            read: Arc::new(|path| files::read_unbounded(path).ok()),
            faults: Arc::new(move |report| faults_of(report, &book, &signatures)),
            per_file: budget::PER_FILE,
            progress: &*self.progress,
        };
        let opened = index::open(&sources, self.places.cache.as_deref(), self.places.rebuild)?;
        opened.left_out().for_each(|(path, why)| (self.left_out)(path, why));
        Ok(opened)
    }
}

/// The fault pages that a report's own error texts match: the primary one of its first error text in front.
fn faults_of(report: &Report, book: &Book, signatures: &SignatureSet) -> Vec<String> {
    let mut faults: Vec<String> = Vec::new();
    for text in &report.errors {
        let transcript = text::read(text.as_bytes());
        let incident = incident::read(&transcript);
        for hit in signatures.scan(&transcript, &incident.roles) {
            let Owner::Fault(index) = hit.owner else { continue };
            let id = &book.faults[index].id;
            if !faults.contains(id) {
                faults.push(id.clone());
            }
        }
    }
    faults
}

impl Search for Knowledge {
    fn has_reports(&self) -> bool {
        !self.places.reports.is_empty()
    }

    fn reports(&self, query: &Query, limit: usize) -> Vec<FoundReport> {
        /// Most files of a real folder are copies of others.
        const COPIES: usize = 4;
        let Some(mut index) = self.index() else { return Vec::new() };
        let mut nearest = index.near(query, limit * COPIES);
        if nearest.is_err()
            && let Some(again) = self.index()
        {
            index = again;
            nearest = index.near(query, limit * COPIES);
        }
        let mut found: Vec<FoundReport> = Vec::new();
        for near in nearest.unwrap_or_default() {
            let Some(entry) = index.entry(&near.path).map(|entry| index.living(entry)) else { continue };
            if found.iter().any(|known| known.path == entry.path) {
                continue;
            }
            if found.len() == limit {
                break;
            }
            found.push(FoundReport {
                path: entry.path.clone(),
                faults: entry.faults.clone(),
                copies: index.copies(entry).map(|copy| copy.path.clone()).collect(),
                evidence: near.evidence,
            });
        }
        found
    }

    fn report(&self, path: &Path) -> Option<Report> {
        files::read_report(path).ok()
    }

    fn rarity(&self, word: &str) -> f64 {
        self.index().map_or(1.0, |index| index.rarity(word))
    }

    fn pages(&self, words: &str) -> Vec<NearPage> {
        const SHOWN: usize = 3;
        let found = self.likely_pages(words);
        let best = found.first().map_or(1.0, |page| page.score);
        let near = found.into_iter().filter(|page| page.likeness >= NEAR).take(SHOWN);
        near.map(|page| {
            let entry = &self.book.faults[page.index];
            let (id, title) = (entry.id.clone(), entry.matter().title.clone());
            NearPage { id, title, score: f64::from(page.score / best) }
        })
        .collect()
    }
}

/// A page that shares words with an error.
struct LikelyPage {
    index: usize,
    /// The search engine's score, comparable within one query only.
    score: f32,
    /// How much of one of its signatures the error has, from 0 to 1.
    likeness: f64,
}

/// A page is near an error that has so much of one of its signatures.
///
/// Measured by `cargo test --lib how_near -- --ignored --nocapture`: of the messages of known faults that lost every
/// third word, 80 of 100 still find their page; of errors that have no page, 27 of 100 are shown one, instead of all.
const NEAR: f64 = 0.6;

impl Knowledge {
    /// Pages that share words with an error, best first.
    fn likely_pages(&self, words: &str) -> Vec<LikelyPage> {
        /// How many documents are looked at.
        const LOOKED_AT: usize = 20;
        let Some(index) = self.index() else { return Vec::new() };
        let said = telling_words(words);
        let likely = |found: Found| match found.what {
            What::Page(id) => {
                let index = self.book.find(&id)?;
                Some(LikelyPage { index, score: found.score, likeness: self.likeness(index, &said) })
            }
            What::Report(_) => None,
        };
        index.pages(words, LOOKED_AT).unwrap_or_default().into_iter().filter_map(likely).collect()
    }

    /// The largest share of a signature's words that were said, by their letters; the signature has at least two.
    fn likeness(&self, page: usize, said: &BTreeSet<String>) -> f64 {
        let letters = |words: &mut dyn Iterator<Item = &String>| words.map(String::len).sum::<usize>() as f64;
        let shares = self.book.faults[page].matter().signatures.iter().filter_map(|signature| {
            let words = telling_words(&signature.contains.0.join(" "));
            let shared = letters(&mut words.intersection(said));
            (words.len() > 1).then(|| shared / letters(&mut words.iter()))
        });
        shares.fold(0.0, f64::max)
    }
}

/// The words of an error without numbers and short ones, which are everywhere.
fn telling_words(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    text::words::words(text, |_, word| {
        if word.len() > 3 && !word.bytes().any(|byte| byte.is_ascii_digit()) && !word.ends_with("error") {
            found.insert(word.to_owned());
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnosis::{Measured, diagnose};

    fn knowledge() -> Knowledge {
        let places = Places { reports: Vec::new(), roots: Vec::new(), cache: None, rebuild: false };
        Knowledge::new(Book::new(true), places, Box::new(|_, _| {}))
    }

    /// What an error says, and the page that it belongs to.
    fn error(knowledge: &Knowledge, text: &str) -> Option<(String, Option<String>)> {
        let transcript = text::read(text.as_bytes());
        let incident = incident::read(&transcript);
        let answer = diagnose(&transcript, &incident, knowledge.library(), &Measured::default());
        let error = answer.error?;
        Some((format!("{} {}", error.type_name, error.message), answer.fault.map(|fault| fault.id)))
    }

    /// The likeness of the best page: for messages of known faults of which every third word is lost (the right page, and a
    /// wrong one), and for errors that have no page.
    #[expect(clippy::print_stdout, reason = "the table is for people")]
    #[test]
    #[ignore = "prints what the threshold for near pages was chosen by"]
    fn how_near() {
        let knowledge = knowledge();
        let texts = std::fs::read_dir("tests/corpus")
            .expect("the corpus")
            .flatten()
            .filter_map(|folder| std::fs::read_dir(folder.path()).ok());
        let texts = texts.flat_map(|files| files.flatten()).filter_map(|file| std::fs::read(file.path()).ok());
        let mut texts: Vec<String> = texts.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect();
        texts.extend(include_str!("../../tests/it/lines/failures.txt").lines().map(str::to_owned));
        let (mut right, mut wrong, mut unlisted) = (Vec::new(), Vec::new(), Vec::new());
        for (words, fault) in texts.iter().filter_map(|text| error(&knowledge, text)) {
            let kept: Vec<&str> =
                words.split_whitespace().enumerate().filter(|(n, _)| n % 3 != 2).map(|(_, word)| word).collect();
            let asked = if fault.is_some() { kept.join(" ") } else { words.clone() };
            let pages = knowledge.likely_pages(&asked);
            let Some(page) = pages.first() else { continue };
            let id = &knowledge.book.faults[page.index].id;
            let of_kind = match fault {
                Some(fault) if fault == *id => &mut right,
                Some(_) => &mut wrong,
                None => &mut unlisted,
            };
            of_kind.push(page.likeness);
        }
        for threshold in (0..20).map(|n| f64::from(n) / 20.0) {
            let share = |scores: &[f64]| {
                let shown = scores.iter().filter(|score| **score >= threshold).count();
                100 * shown / scores.len().max(1)
            };
            let (right, wrong, unlisted) = (share(&right), share(&wrong), share(&unlisted));
            println!("{threshold:4.2}  right page {right:3} %  wrong page {wrong:3} %  no page {unlisted:3} %");
        }
        println!("{} right, {} wrong, {} without a page", right.len(), wrong.len(), unlisted.len());
    }
}
