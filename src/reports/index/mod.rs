//! Full text over the project's reports and the book's pages, with a cache that keeps itself fresh.
//!
//! `tokenizer` splits words as engineers write them, `fields` is the tantivy schema, `catalogue` the list of reports
//! as last seen, `reader` reads a report, `grouping` finds copies, `cache` opens, refreshes and repairs the index on
//! disk, `seal` says whether it is whole. The cache is never an answer's only hope: when it cannot be read or written the index is built in memory.

mod cache;
mod catalogue;
#[cfg(test)]
mod damaged;
pub(crate) mod engine;
mod fields;
mod folded;
#[cfg(test)]
mod fresh;
mod grouping;
mod query;
mod question;
mod reader;
mod seal;
#[cfg(test)]
mod slow;
mod terms;
mod tokenizer;

pub(crate) use cache::{Opened, open};
pub(crate) use catalogue::{Entry, duplicate_of};
pub(crate) use query::{Found, What};
pub(crate) use question::Question;
pub(crate) use reader::Sources;

/// Failures of the index that no fallback could hide.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// tantivy refused.
    #[error("the search index could not be built")]
    Tantivy(#[from] tantivy::TantivyError),
    /// The cache folder could not be used.
    #[error("the cache folder `{path}` could not be used")]
    Cache {
        /// The folder or file.
        path: std::path::PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Another process holds the index for too long.
    #[error("another process is using the search index")]
    Busy,
    /// tantivy panicked.
    #[error("the search index is damaged; it will be rebuilt at the next query")]
    Engine,
}

impl crate::hint::Hint for Error {}
