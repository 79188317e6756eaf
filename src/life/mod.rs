//! The life of reports after they are written: which are open, what they have to do with each other, where they are
//! mentioned, how many there were.
//!
//! Reads files and asks git; writes one file, a folder's own index page.

pub mod filter;
pub mod graph;
pub mod index_page;
pub mod mentions;
pub mod record;
pub mod refs;
pub mod stats;
