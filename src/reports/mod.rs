//! A project's own bug reports: finding and reading them, searching them, drafting new ones, following them to the end.
//!
//! Reading is lenient: whatever people write is taken. Writing is careful: files are written whole or not at all.

pub mod config;
pub mod dates;
pub mod draft;
mod error;
pub mod files;
pub mod filter;
pub mod graph;
pub mod index;
pub mod index_page;
pub mod knowledge;
pub mod links;
pub mod lookup;
pub mod mentions;
pub mod naming;
pub mod own_pages;
pub mod project;
pub mod reading;
pub mod record;
pub mod refs;
pub mod stats;
pub mod status;

pub use error::Error;
