//! What a line by itself may be evidence of, and what such lines turned out to be.

use std::collections::HashMap;

use super::tally::{Kind, Tally};
use super::window;
use crate::diagnosis::{Library, possible_faults};
use crate::incident;
use crate::text;

/// What a line by itself may be evidence of.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// The pages, sorted.
    faults: Vec<usize>,
    /// Its errors, as they are counted where they have no page.
    errors: Vec<Kind>,
}

impl Evidence {
    pub(super) fn of(line: &str, library: Library<'_>) -> Self {
        let transcript = text::read(line.as_bytes());
        let incident = incident::read(&transcript);
        let errors = incident.errors.iter().map(|error| window::unlisted(&window::named(error))).collect();
        Self { faults: possible_faults(&transcript, &incident, library), errors }
    }

    pub(super) fn is_none(&self) -> bool {
        self.faults.is_empty() && self.errors.is_empty()
    }
}

/// What lines turned out to be, by the pages of which they may be evidence.
#[derive(Debug, Default)]
pub(super) struct Outcomes(HashMap<Vec<usize>, OutcomeOfLines>);

#[derive(Debug, Default)]
struct OutcomeOfLines {
    kinds: Vec<Kind>,
    /// How many lines could have reported a fault that was not found yet.
    chances: u32,
}

/// So many sets of pages are told from each other.
const MOST: usize = 4096;

impl Outcomes {
    /// Whether a line must be read however much was read before, because it may report a fault that was not found yet.
    /// Of many such lines in vain, ever fewer are read.
    pub(super) fn may_be_new(&mut self, evidence: &Evidence, tally: &Tally) -> bool {
        let is_new = evidence.faults.iter().any(|fault| !tally.groups.contains_key(&Kind::Fault(*fault)));
        match self.0.get_mut(&evidence.faults) {
            Some(known) if is_new => {
                known.chances = known.chances.saturating_add(1);
                known.chances.is_power_of_two()
            }
            Some(_) => false,
            None => !evidence.faults.is_empty() && self.0.len() < MOST,
        }
    }

    /// Remembers what a line turned out to be.
    pub(super) fn learn(&mut self, evidence: Evidence, kinds: &[Kind]) {
        if !evidence.faults.is_empty() && (self.0.len() < MOST || self.0.contains_key(&evidence.faults)) {
            self.0.entry(evidence.faults).or_default().kinds = kinds.to_vec();
        }
    }

    /// What a line most probably is that is not read.
    pub(super) fn guess(&self, evidence: &Evidence, tally: &Tally) -> Vec<Kind> {
        let kinds = match self.0.get(&evidence.faults) {
            Some(known) => &known.kinds,
            None => &evidence.errors,
        };
        kinds.iter().copied().filter(|kind| tally.groups.contains_key(kind)).collect()
    }
}
