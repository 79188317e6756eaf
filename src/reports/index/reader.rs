//! Reads reports for the index, on all processors.

use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use tantivy::TantivyDocument;

use super::cache::{Faults, Read, Sources, key_of};
use super::catalogue::{Entry, Stamp};
use super::fields::Fields;
use crate::book::Book;
use crate::reports::budget::{self, Exceeded};
use crate::reports::copies::Sketch;

/// Of how many pages that a report's errors match the report gets the words.
const PAGES: usize = 2;

/// What the index takes of one report.
pub(super) struct Indexed {
    pub(super) document: TantivyDocument,
    pub(super) sketch: Sketch,
    pub(super) entry: Entry,
}

/// Reads reports for the index, on any thread.
pub(super) struct Reader {
    read: Arc<Read>,
    faults: Arc<Faults>,
    book: Arc<Book>,
    per_file: Duration,
}

impl Reader {
    pub(super) fn of(sources: &Sources<'_>) -> Self {
        Self {
            read: Arc::clone(&sources.read),
            faults: Arc::clone(&sources.faults),
            book: Arc::clone(sources.book),
            per_file: sources.per_file,
        }
    }

    /// What the index takes of a report; `None` when it cannot be read any more.
    pub(super) fn indexed(
        &self,
        fields: Fields,
        (path, stamp): &(PathBuf, Stamp),
    ) -> Result<Option<Indexed>, Exceeded> {
        let (read, faults, book) = (Arc::clone(&self.read), Arc::clone(&self.faults), Arc::clone(&self.book));
        let (path, stamp) = (path.to_owned(), *stamp);
        budget::within(self.per_file, move || {
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
