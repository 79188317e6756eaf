//! The page: a diagnosis to look at, the book and the reports to browse, in a browser on the same machine.
//!
//! `server` has the routes and limits, `guard` says whom it answers, `intake` reads what people send, `kept` remembers it
//! under an address. `machine`, `panel` and `verify` ask this machine, `draft` makes reports. Each kind of page is a module that turns values into a template of `templates/web`; nothing here
//! decides anything about a failure. Pages of the book and the reports are made from a `shelf`, `browse` has their routes,
//! and `site` writes the same pages as files.

mod answer;
mod assets;
mod beside;
mod book;
mod browse;
mod codes;
mod compared;
mod draft;
mod fault;
mod feed;
mod frame;
#[cfg(feature = "machine")]
mod gpus;
mod guard;
mod html;
mod intake;
mod kept;
mod listing;
mod log;
#[cfg(feature = "machine")]
mod machine;
#[cfg(feature = "machine")]
mod panel;
mod report;
mod reports;
mod search;
mod server;
mod shelf;
mod site;
mod stop;
#[cfg(feature = "machine")]
mod verify;
mod view;
mod weave;

pub(crate) use guard::{Exposure, Token};
pub(crate) use server::listen;
pub(crate) use site::{Error as SiteError, Site as StaticSite, Written, export};

/// A text's answer, its marked lines and the text read as markdown, as the page shows them: for fuzzers.
#[cfg(feature = "fuzzing")]
pub(super) fn shown(bytes: &[u8], library: crate::diagnosis::Library<'_>) -> String {
    answer::shown(bytes, library) + &html::document(&String::from_utf8_lossy(bytes), &html::Links::NONE, 1)
}
