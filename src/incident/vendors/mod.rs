//! What the tools of one vendor print, a folder per vendor. Words and names are in kb/vendors; what needs a parser is here.

mod nvidia;

use std::fmt::Debug;

use super::context::ParserContext;
use crate::facts::Facts;

/// All vendors.
pub(super) static ALL: &[&dyn Formats] = &[&nvidia::Nvidia];

/// The formats of one vendor's tools. A vendor implements what its tools print.
pub(super) trait Formats: Sync {
    /// Reads a line of the kernel log; returns the position after it.
    fn kernel_log(&self, _r: &mut ParserContext<'_>, _at: usize) -> Option<usize> {
        None
    }

    /// The tables of its tools.
    fn tables(&self) -> Option<Box<dyn Table>> {
        None
    }

    /// Reads what software was built for; returns whether the line compares versions, so that no other version on it is
    /// an installed one.
    fn builds(&self, _words: &str, _line: u32, _facts: &mut Facts) -> bool {
        false
    }

    /// Versions that no name of a package precedes, with their facts, on a line about installed software.
    fn versions<'w>(&self, _words: &'w str) -> Vec<(&'static str, &'w str)> {
        Vec::new()
    }

    /// Reads versions in an error message.
    fn in_message(&self, _message: &str, _line: u32, _facts: &mut Facts) {}

    /// Records a version that was found under a fact's name; returns whether that fact is this vendor's.
    fn record(&self, _fact: &str, _found: &str, _words: &str, _line: u32, _facts: &mut Facts) -> bool {
        false
    }

    /// Facts that paths suggest.
    fn in_paths(&self, _words: &str, _suggest: &mut dyn FnMut(&'static str, String)) {}

    /// Reads architectures: what a GPU is, and what a build targets.
    fn architectures(&self, _words: &str, _line: u32, _facts: &mut Facts) {}

    /// A GPU's name as its driver prints it, from the short form that people write.
    fn full_name(&self, _name: &str) -> Option<String> {
        None
    }
}

/// A table that stretches over several lines.
pub(super) trait Table: Debug {
    /// Whether it is being read, so that every line matters.
    fn open(&self) -> bool;

    /// Reads a line; returns whether it belongs to the table.
    fn read(&mut self, words: &str, line: u32, facts: &mut Facts) -> bool;
}
