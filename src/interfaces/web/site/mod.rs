//! The book and the reports as plain files: `export` writes them, with a `feed` of new reports and a `listing` of everything
//! that the search without a server can find.

mod export;
mod feed;
mod listing;

pub(crate) use export::{Error, Site, Written, export};
