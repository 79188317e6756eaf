//! The book and the project's reports.
//!
//! All pages are made from a `shelf`: `contents`, `fault` and `codes` show the book, `reports` and `report` the reports,
//! `search` finds in both, `names` says what a name in a text means. `routes` serves them; [`site`](super::site) writes the same pages as files.

pub(super) mod codes;
pub(super) mod contents;
pub(super) mod fault;
pub(super) mod names;
mod relations;
pub(super) mod report;
pub(super) mod reports;
mod routes;
pub(super) mod search;
pub(super) mod shelf;

pub(super) use routes::routes;
pub(super) use shelf::Remembered;
