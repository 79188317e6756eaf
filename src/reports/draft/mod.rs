//! Bug reports from crash to closed: writing them, numbering them, adding to them, following them.
//!
//! A report is filled from a diagnosis and the facts around it; what is unknown is an explicit `TODO`, never a guess.
//! Files are written whole or not at all, and no existing file is overwritten.

mod comparison;
pub mod context;
pub mod duplicates;
mod environment;
mod error;
pub mod fill;
mod filters;
pub mod git;
mod headline;
pub mod ids;
mod log;
pub mod moment;
pub mod noninteractive;
pub mod occurrence;
mod plan;
mod related;
pub mod report;
pub mod report_config;
pub mod scheme;
#[cfg(feature = "machine")]
pub mod software;
pub mod status;
mod summary;
pub mod templates;
mod write;

pub use error::Error;
