//! The book: fault pages, recipes, notices, code tables and bug reports, from markdown to checked values.
//!
//! Fault pages are strict (`page_reader`): an author gets every mistake with its position. Bug reports are lenient
//! (`reports::reading`): whatever people write is read, nothing fails. The built-in pages are parsed by `build.rs`; at
//! run time only the front matter is decoded, and a page's body is read when it is needed.

pub(crate) mod blocks;
mod body_check;
pub(crate) mod builtin;
pub mod cases;
pub(crate) mod cause_section;
pub(crate) mod code_rows;
pub(crate) mod codes;
pub(crate) mod contents;
pub(crate) mod entries;
pub mod errors;
pub(crate) mod framework_builds;
pub(crate) mod hardware;
mod lazy_rows;
pub(crate) mod matter;
pub(crate) mod matter_check;
pub(crate) mod packed;
pub mod page;
pub mod page_reader;
pub(crate) mod pages;
pub mod problem;
pub mod report;
pub mod schema;
pub(crate) mod sections;
pub(crate) mod vocabulary;
pub(crate) mod wheels;

pub use contents::Book;
