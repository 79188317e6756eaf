//! Book, signatures and index in one hand, opened once and shared by every front end.
//!
//! Opening is lazy: a traceback that the book knows, in a project without reports, never touches the index.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::index::{self, Found, Opened, What};
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
    pub reports: Vec<PathBuf>,
    /// The folders they were found in: they name the cache.
    pub roots: Vec<PathBuf>,
    /// Where caches live; `None` keeps the index in memory.
    pub cache: Option<PathBuf>,
    /// Whether the cache is thrown away first.
    pub rebuild: bool,
}

/// Called while reports are indexed, with how many are done of how many.
pub type Progress = dyn Fn(usize, usize) + Send + Sync;

/// All knowledge of one run.
pub struct Knowledge {
    /// Fault pages, codes, tables.
    pub book: Book,
    /// The scanner for them.
    pub signatures: SignatureSet,
    places: Places,
    progress: Box<Progress>,
    index: OnceLock<Option<Opened>>,
}

impl Knowledge {
    /// Prepares the scanner; reads no report yet.
    pub fn new(book: Book, places: Places, progress: Box<Progress>) -> Self {
        let signatures = SignatureSet::of_book(&book);
        Self { book, signatures, places, progress, index: OnceLock::new() }
    }

    /// The index, opened and refreshed at the first call; `None` when not even memory could hold one.
    pub fn index(&self) -> Option<&Opened> {
        self.index.get_or_init(|| self.open().ok()).as_ref()
    }

    /// What a diagnosis consults.
    pub fn library(&self) -> Library<'_> {
        Library { book: &self.book, signatures: &self.signatures, search: self }
    }

    fn open(&self) -> Result<Opened, index::Error> {
        let sources = index::Sources {
            files: &self.places.reports,
            roots: &self.places.roots,
            book: &self.book,
            read: &read_report,
            faults: &|report| self.faults_of(report),
            progress: &*self.progress,
        };
        index::open(&sources, self.places.cache.as_deref(), self.places.rebuild)
    }

    /// The fault pages that a report's own error texts match: the primary one of its first error text in front.
    fn faults_of(&self, report: &Report) -> Vec<String> {
        let mut faults: Vec<String> = Vec::new();
        for text in &report.errors {
            let transcript = text::read(text.as_bytes());
            let incident = incident::read(&transcript);
            for hit in self.signatures.scan(&transcript, &incident.roles) {
                let Owner::Fault(index) = hit.owner else { continue };
                let id = &self.book.faults[index].id;
                if !faults.contains(id) {
                    faults.push(id.clone());
                }
            }
        }
        faults
    }
}

impl Search for Knowledge {
    fn has_reports(&self) -> bool {
        !self.places.reports.is_empty()
    }

    fn reports(&self, query: &Query, limit: usize) -> Vec<FoundReport> {
        let Some(index) = self.index() else { return Vec::new() };
        // Pages are in the same index and of no interest here.
        let found = index.find(query, limit * 3).unwrap_or_default();
        found
            .into_iter()
            .filter_map(|found| match found.what {
                What::Report(path) => {
                    let faults = index.entry(&path)?.faults.clone();
                    Some(FoundReport { report: read_report(&path)?, faults })
                }
                What::Page(_) => None,
            })
            .take(limit)
            .collect()
    }

    fn pages(&self, words: &str) -> Vec<NearPage> {
        const SHOWN: usize = 3;
        let Some(index) = self.index() else { return Vec::new() };
        let found = index.search(words, 20).unwrap_or_default();
        let best = found.first().map_or(1.0, |found| found.score);
        found
            .into_iter()
            .filter_map(|Found { what, score }| match what {
                What::Page(id) => {
                    let title = self.book.faults[self.book.find(&id)?].matter.title.clone();
                    Some(NearPage { id, title, score: f64::from(score / best) })
                }
                What::Report(_) => None,
            })
            .take(SHOWN)
            .collect()
    }
}

/// Reads one report; `None` when the file is gone or cannot be read.
fn read_report(path: &Path) -> Option<Report> {
    let bytes = std::fs::read(path).ok()?;
    Some(super::reading::read(path, &String::from_utf8_lossy(&bytes)))
}
