//! Finds every fault in logs of any length, in memory that does not grow with them.
//!
//! Bytes come in chunks. [`Finder`] looks at all of them and marks the few lines that may report something
//! ([`prefilter`]); it works on any chunk by itself, so several threads may. [`LogScan`] takes the chunks in their order:
//! a marked line that by itself cannot be evidence is dropped, of any other the lines around it are read as `diagnose`
//! reads a text ([`window`]), and what they report is counted ([`tally`]). A line that was read before, up to its numbers,
//! is only counted: a log of nothing but errors is parsed no more than one with a few of them. Where too many lines differ
//! in words, only those are read that may report a fault for the first time ([`evidence`]).

mod evidence;
mod finder;
mod kept;
mod key;
mod log;
mod prefilter;
mod report;
mod since;
mod tally;
#[cfg(test)]
mod tests;
mod window;

pub(crate) use finder::{Finder, LOOKAHEAD, Marked};
pub(crate) use log::{LogScan, Scanned};
pub(crate) use prefilter::Prefilter;
pub(crate) use report::{FaultReport, Report, SCHEMA};
pub(crate) use since::Since;
pub(crate) use tally::{Place, Tally, Totals};
