//! Bug reports from crash to closed: writing them, numbering them, adding to them, following them.
//!
//! A report is filled from a diagnosis and the facts around it; what is unknown is an explicit `TODO`, never a guess.
//! Writes are atomic, and no existing file is overwritten.

pub(crate) mod code;
mod comparison;
pub(crate) mod context;
pub(crate) mod duplicates;
mod environment;
mod error;
pub(crate) mod fill;
mod filters;
pub(crate) mod git;
mod headline;
pub(crate) mod ids;
mod log;
pub(crate) mod moment;
pub(crate) mod noninteractive;
pub(crate) mod occurrence;
mod plan;
pub(crate) mod related;
pub(crate) mod report;
pub(crate) mod report_config;
pub(crate) mod scheme;
#[cfg(feature = "machine")]
pub(crate) mod software;
pub(crate) mod status;
mod summary;
pub(crate) mod templates;
mod write;

pub(crate) use error::Error;
