//! What a scan finds: one hit for each page, line and meaning.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::Origin;
use crate::book::schema::SignatureRole;

/// What a signature belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Owner {
    /// A fault page, by its index in the book.
    Fault(usize),
    /// A notice of harmless lines, by its index in the book.
    Notice(usize),
}

/// One match of a signature on one line.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The page that the signature belongs to.
    pub owner: Owner,
    /// Index of the transcript line.
    pub line: usize,
    /// Where the first literal begins, in bytes of the line.
    pub at: u32,
    /// Length of the literals together: the longer, the more specific.
    pub specificity: u32,
    /// The line's role in the failure.
    pub standing: SignatureRole,
    /// Whether a run ends with it.
    pub fatal: bool,
    /// Who wrote the signature.
    pub origin: Origin,
}

/// What a scan finds.
#[derive(Default)]
pub(super) struct Hits {
    /// Each with the length of its literal and the number of its signature.
    pub(super) found: Vec<(Reverse<u32>, u32, Hit)>,
    /// Lines on which a page's author says that they do not mean its fault.
    pub(super) cancelled: HashSet<(usize, Owner)>,
}

impl Hits {
    /// Adds a hit. Of those of one page on one line that say the same, only the most specific counts.
    pub(super) fn add(&mut self, length: Reverse<u32>, number: u32, hit: Hit) {
        let says = |hit: &Hit| (hit.owner, hit.standing, hit.fatal, hit.origin);
        let place = |(length, number, hit): &(Reverse<u32>, u32, Hit)| {
            (Reverse(hit.specificity), hit.at + length.0, *length, *number)
        };
        let mut of_line = self.found.iter_mut().rev().take_while(|(.., old)| old.line == hit.line);
        let is_fault = matches!(hit.owner, Owner::Fault(_));
        let old = of_line.find(|(.., old)| is_fault && says(old) == says(&hit));
        let new = (length, number, hit);
        match old {
            Some(old) if place(old) <= place(&new) => {}
            Some(old) => *old = new,
            None => self.found.push(new),
        }
    }
}
