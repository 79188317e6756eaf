//! What a line must contain for a signature to match, for scans that look at bytes before anything is cleaned.

use super::scanned::ScannedLine;
use super::{Owner, Part, SignatureSet};
use crate::text::Transcript;

/// A literal that a line must contain for one of its signatures to match.
#[derive(Debug)]
pub(crate) struct Anchor<'s> {
    /// In lower case.
    pub(crate) literal: &'s str,
    /// For each of its signatures, what else the line must contain.
    pub(crate) others: Vec<Vec<&'s str>>,
}

impl SignatureSet {
    /// The literals of all signatures of faults.
    pub(crate) fn anchors(&self) -> impl Iterator<Item = Anchor<'_>> {
        let literals = self.parts.iter().flat_map(|part| (0..part.table.literal_count()).map(move |at| (part, at)));
        literals.filter_map(|(part, literal)| {
            let of_faults = || {
                let owned = part.of_literal(literal).filter(|(_, owner)| matches!(owner, Owner::Fault(_)));
                owned.map(|(number, _)| part.signature(number))
            };
            let literal = of_faults().next()?.literals.iter().max_by_key(|literal| literal.len())?;
            let others = of_faults()
                .map(|signature| signature.literals.as_slice())
                .map(|literals| literals.iter().filter(|other| *other != literal).map(String::as_str).collect());
            Some(Anchor { literal, others: others.collect() })
        })
    }

    /// The faults of which lines by themselves may be evidence, sorted: what their signatures ask of the lines around is
    /// left out.
    pub(crate) fn possible_faults(&self, transcript: &Transcript) -> Vec<usize> {
        let mut faults = Vec::new();
        if !transcript.is_empty() {
            self.parts.iter().for_each(|part| part.possible_faults(transcript, &mut faults));
        }
        faults.sort_unstable();
        faults
    }
}

impl Part {
    fn possible_faults(&self, transcript: &Transcript, faults: &mut Vec<usize>) {
        self.table.literals.find(transcript.text(), |literal, place| {
            let mut line = ScannedLine::new(transcript, &[], place.start);
            if place.end > line.range.end {
                return;
            }
            let place = place.start - line.range.start..place.end - line.range.start;
            for (number, owner) in self.of_literal(literal) {
                let Owner::Fault(fault) = owner else { continue };
                let signature = self.signature(number);
                if !faults.contains(&fault)
                    && signature.guard.allows(&mut line, &place)
                    && signature.allows(line.text).is_none()
                {
                    faults.push(fault);
                }
            }
        });
    }
}
