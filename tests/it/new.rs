//! `faultbook new`, `status` and `templates` as processes: what is written, under which id, and what is left out.

mod again;
mod code;
mod crowd;
#[cfg(unix)]
mod questions;
mod redaction;
mod report;
mod templates;
mod wording;
