//! Calls of the search engine, which trusts its files: where they are not what it wrote, it may panic. A panic is an
//! error here, and the index is built again.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::Error;
use crate::reports::budget;

thread_local! {
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// What the work gives; a panic is an error.
pub(super) fn caught<T, E: Into<Error>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, Error> {
    let before = CAUGHT.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    CAUGHT.set(before);
    done.map_err(|_| Error::Engine)?.map_err(Into::into)
}

/// Whether a panic of this thread is one that the index gets over, so that nobody needs to hear of it.
pub(crate) fn is_caught() -> bool {
    let thread = std::thread::current();
    CAUGHT.get()
        || thread.name().is_some_and(|name| {
            name == budget::THREAD || name.starts_with("thrd-tantivy") || name.starts_with("merge_thread")
        })
}
