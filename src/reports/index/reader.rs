//! What the index is made from, and how a report is read for it.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tantivy::TantivyDocument;
use xxhash_rust::xxh3::xxh3_64;

use super::catalogue::Entry;
use super::fields::{self, Fields};
use crate::book::Book;
use crate::book::report::Report;
use crate::reports::budget::{self, Exceeded};
use crate::reports::copies::{self, Sketch};
use crate::reports::files::ReportFile;

/// Reads a report; `None` when it cannot be read any more.
pub(crate) type Read = dyn Fn(&Path) -> Option<Report> + Send + Sync;

/// The fault pages that a report's own error texts match.
pub(crate) type Faults = dyn Fn(&Report) -> Vec<String> + Send + Sync;

/// What the index is made from.
pub(crate) struct Sources<'a> {
    /// The report files found now.
    pub files: &'a [ReportFile],
    /// The folders they were found in.
    pub roots: &'a [PathBuf],
    /// The book, for its pages.
    pub book: &'a Arc<Book>,
    /// How a report is read.
    pub read: Arc<Read>,
    /// How its fault pages are found.
    pub faults: Arc<Faults>,
    /// How long reading and indexing one report may take.
    pub per_file: Duration,
    /// Called after every report that is read, with how many are done of how many.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

/// Of how many pages that a report's errors match the report gets the words.
const PAGES: usize = 2;

/// The terms of the book's pages, found when the first report matches one.
pub(super) struct Hints {
    book: Arc<Book>,
    of: Vec<OnceLock<String>>,
}

impl Hints {
    pub(super) fn new(book: &Arc<Book>) -> Arc<Self> {
        let of = book.faults.iter().map(|_| OnceLock::new()).collect();
        Arc::new(Self { book: Arc::clone(book), of })
    }

    fn of(&self, page: &str) -> Option<&str> {
        let index = self.book.find(page)?;
        Some(self.of.get(index)?.get_or_init(|| fields::hints(&self.book.faults[index])))
    }
}

/// What the index takes of one report.
pub(super) struct Indexed {
    pub(super) document: TantivyDocument,
    pub(super) sketch: Sketch,
    pub(super) entry: Entry,
}

/// What the index takes of a report; `None` when it cannot be read any more.
pub(super) fn indexed(
    sources: &Sources<'_>,
    fields: Fields,
    hints: &Arc<Hints>,
    path: &Path,
) -> Result<Option<Indexed>, Exceeded> {
    let (read, faults, hints) = (Arc::clone(&sources.read), Arc::clone(&sources.faults), Arc::clone(hints));
    let path = path.to_owned();
    budget::within(sources.per_file, move || {
        let report = read(&path)?;
        let faults = faults(&report);
        let pages = faults.iter().take(PAGES).filter_map(|page| hints.of(page));
        let sketch = copies::sketch(&report);
        Some(Indexed {
            document: fields.report(&key_of(&path), &report, &sketch, pages),
            sketch,
            entry: Entry::of(&report, faults),
        })
    })
}

/// A hash of a file's bytes; that of a file that cannot be read is one of its path.
pub(super) fn bytes_of(path: &Path) -> u64 {
    fs::read(path).map_or_else(|_| xxh3_64(path.as_os_str().as_encoded_bytes()), |bytes| xxh3_64(&bytes))
}

/// The key of a report: its path, or the bytes of a path that is not UTF-8.
pub(super) fn key_of(path: &Path) -> Cow<'_, str> {
    path.to_str().map_or_else(
        || {
            path.as_os_str()
                .as_encoded_bytes()
                .iter()
                .fold(BYTES.to_owned(), |key, byte| format!("{key}{byte:02x}"))
                .into()
        },
        Cow::Borrowed,
    )
}

/// What the key of a path that is not UTF-8 begins with.
pub(super) const BYTES: &str = "bytes:";
