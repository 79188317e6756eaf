//! A project's own bug reports: finding and reading them, searching them, drafting new ones, following them to the end.
//!
//! Reading is lenient: whatever people write is taken. Writing is careful: files are written whole or not at all.

pub(crate) mod bounds;
pub(crate) mod budget;
pub mod config;
pub(crate) mod copies;
pub(crate) mod dates;
pub(crate) mod draft;
mod error;
pub mod files;
pub(crate) mod filter;
pub(crate) mod graph;
pub(crate) mod index;
pub(crate) mod index_page;
pub mod knowledge;
pub(crate) mod links;
pub(crate) mod lookup;
pub(crate) mod mentions;
pub(crate) mod naming;
pub(crate) mod occurrences;
pub(crate) mod order;
pub mod own_pages;
pub(crate) mod project;
pub mod reading;
pub(crate) mod record;
pub(crate) mod refs;
pub mod search;
pub(crate) mod stamp;
pub(crate) mod stats;
pub(crate) mod status;

pub use error::Error;
