//! The book: fault pages, recipes, notices, code tables and bug reports, from markdown to checked values.
//!
//! Fault pages are strict (`page_reader`): an author gets every mistake with its place. Bug reports are lenient
//! (`lenient`): whatever people write is taken, nothing fails. The built-in pages are parsed by `build.rs`; at run
//! time only the front matter is decoded, and a page's body is read when somebody asks for it.

pub mod blocks;
pub mod builtin;
pub mod cause_section;
pub mod code_rows;
pub mod codes;
pub mod contents;
pub mod hardware;
pub mod matter;
pub mod matter_check;
pub mod packed;
pub mod page;
pub mod page_reader;
pub mod pages;
pub mod problem;
pub mod report;
pub mod schema;
pub mod sections;
pub mod vocabulary;

pub use contents::Book;
