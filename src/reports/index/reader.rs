//! What the index is made from, and how its reports are read: on all processors.

use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use tantivy::TantivyDocument;

use super::catalogue::{Entry, Stamp};
use super::fields::Fields;
use crate::book::Book;
use crate::book::report::Report;
use crate::reports::budget::{self, Exceeded};
use crate::reports::copies::Sketch;

/// Reads a report; `None` when it cannot be read any more.
pub(crate) type Read = dyn Fn(&Path) -> Option<Report> + Send + Sync;

/// The fault pages that a report's own error texts match.
pub(crate) type Faults = dyn Fn(&Report) -> Vec<String> + Send + Sync;

/// What the index is made from.
pub(crate) struct Sources<'a> {
    /// The report files found now.
    pub files: &'a [PathBuf],
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
    (path, stamp): &(PathBuf, Stamp),
) -> Result<Option<Indexed>, Exceeded> {
    let (read, faults, book) = (Arc::clone(&sources.read), Arc::clone(&sources.faults), Arc::clone(sources.book));
    let (path, stamp) = (path.to_owned(), *stamp);
    budget::within(sources.per_file, move || {
        let report = read(&path)?;
        let faults = faults(&report);
        let pages = faults.iter().take(PAGES).filter_map(|id| book.find(id));
        let pages: Vec<_> = pages.map(|index| &book.faults[index]).collect();
        Some(Indexed {
            document: fields.report(&key_of(&path), &report, &pages),
            sketch: Sketch::of(&report.text),
            entry: Entry::of(&report, faults, stamp),
        })
    })
}

/// Does the work on each item, on as many threads as the machine has processors; the results are in the order of the items.
pub(super) fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(items.len());
    if threads < 2 {
        return items.iter().map(work).collect();
    }
    let (next, work) = (&AtomicUsize::new(0), &work);
    let take = move || {
        let numbers = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&at| at < items.len()));
        numbers.map(|at| (at, work(&items[at]))).collect::<Vec<_>>()
    };
    let mut done: Vec<(usize, R)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(take)).collect();
        let joined = threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        joined.flatten().collect()
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

/// The key of a report: its path, or the bytes of a path that is not UTF-8.
pub(super) fn key_of(path: &Path) -> String {
    match path.to_str() {
        Some(path) => path.to_owned(),
        None => {
            path.as_os_str().as_encoded_bytes().iter().fold(BYTES.to_owned(), |key, byte| format!("{key}{byte:02x}"))
        }
    }
}

/// What the key of a path that is not UTF-8 begins with.
pub(super) const BYTES: &str = "bytes:";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..200).collect();
        let work = |item: &u64| {
            thread::sleep(Duration::from_micros(200 - item));
            item * 2
        };
        assert_eq!(in_parallel(&items, work), items.iter().map(|item| item * 2).collect::<Vec<_>>());
        assert_eq!(in_parallel(&items[..1], work), [0]);
        assert!(in_parallel(&items[..0], work).is_empty());
    }
}
