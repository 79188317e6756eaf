//! The page: a diagnosis to look at, the book and the reports to browse, in a browser on the same machine.
//!
//! Four folders hold the kinds of pages, each a module that turns values into a template of `templates/web`; nothing here
//! decides anything about a failure. `answer` is for texts that people send, `book` for the book and the reports, `machine`
//! for this machine, and `site` writes pages as files. What they stand on is here: `server` has what all requests
//! share, `connections` accepts and ends them, `guard` says whom it answers, and `limits` how much it does at a time; `frame`
//! is what every page has around it, `failed` the page of an error, `html` and `weave` make HTML of markdown, `assets` are
//! the style and the scripts.

mod answer;
mod assets;
mod book;
mod connections;
mod failed;
mod frame;
mod guard;
mod html;
mod limits;
#[cfg(feature = "machine")]
mod machine;
mod server;
mod site;
mod weave;

pub(crate) use guard::{Exposure, Token};
pub(crate) use server::listen;
pub(crate) use site::{Error as SiteError, Site as StaticSite, Written, export};

/// A text's answer, its marked lines and the text read as markdown, as the page shows them: for fuzzers.
#[cfg(feature = "fuzzing")]
pub(super) fn shown(bytes: &[u8], library: crate::diagnosis::Library<'_>) -> String {
    answer::shown(bytes, library) + &html::document(&String::from_utf8_lossy(bytes), &html::Links::NONE, 1)
}
