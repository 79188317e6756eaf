//! Marks the lines of a chunk that may report something.

use std::collections::HashMap;

use super::key;
use super::prefilter::Prefilter;
use crate::incident;
use crate::matching::SignatureSet;
use crate::wording;

/// How many bytes a finder sees beyond the chunk that it looks at: a literal may begin at its end.
pub(crate) const LOOKAHEAD: usize = 4096;

/// Of a longer line, so much around what was found is looked at.
pub(super) const LINE: usize = 16 * 1024;

/// A line that may report something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Candidate {
    /// Where it begins in its chunk, and where it ends in the chunk and what was seen beyond.
    pub(super) start: usize,
    pub(super) end: usize,
    /// How many line breaks of the chunk precede it.
    pub(super) line: u64,
    /// What it has in common with its repetitions.
    pub(super) key: u64,
}

/// A chunk with its marked lines.
#[derive(Debug)]
pub(crate) struct Marked {
    pub(crate) bytes: Vec<u8>,
    pub(super) candidates: Vec<Candidate>,
    pub(super) breaks: u64,
}

/// Looks for the literals of a whole book.
#[derive(Debug)]
pub(crate) struct Finder {
    prefilter: Prefilter,
    /// By literal: what else its signatures ask of the line; nothing for a word of alarm.
    others: Vec<Vec<Vec<String>>>,
}

impl Finder {
    /// Knows the signatures of faults, and words by which any program reports a failure.
    pub(crate) fn new(signatures: &SignatureSet) -> Self {
        let mut numbers: HashMap<String, usize> = HashMap::new();
        let (mut literals, mut others) = (Vec::new(), Vec::<Vec<Vec<String>>>::new());
        for anchor in signatures.anchors() {
            numbers.insert(anchor.literal.to_owned(), literals.len());
            literals.push(anchor.literal.to_owned());
            let owned = |others: Vec<&str>| others.into_iter().map(str::to_owned).collect();
            others.push(anchor.others.into_iter().map(owned).collect());
        }
        for &word in &wording::alarms().reported {
            match numbers.get(word) {
                Some(&number) => others[number].clear(),
                None => {
                    literals.push(word.to_owned());
                    others.push(Vec::new());
                }
            }
        }
        Self { prefilter: Prefilter::new(&literals, &wording::alarms().ordinary), others }
    }

    /// Marks the lines of the first `own` bytes; what follows them belongs to the next chunk.
    pub(crate) fn mark(&self, bytes: Vec<u8>, own: usize) -> Marked {
        let mut found: Vec<(usize, usize)> = Vec::new();
        // By literal, the line for which it was looked at: one may be on a line thousands of times.
        let mut tried: HashMap<usize, usize> = HashMap::new();
        self.prefilter.find(&bytes, |literal, at| {
            if at >= own || found.last().is_some_and(|&(start, end)| (start..end).contains(&at)) {
                return;
            }
            if tried.get(&literal).is_some_and(|&end| at < end) {
                return;
            }
            let from = at.saturating_sub(LINE);
            let start = memchr::memrchr(b'\n', &bytes[from..at]).map_or(from, |place| from + place + 1);
            let to = (at + LINE).min(bytes.len());
            let end = memchr::memchr(b'\n', &bytes[at..to]).map_or(to, |place| at + place);
            let is_cut = start == from || end == to;
            if is_cut || self.may_match(literal, &bytes[start..end]) {
                found.push((start, end));
            } else {
                tried.insert(literal, end);
            }
        });
        found.sort_unstable();
        found.dedup_by_key(|(start, _)| *start);
        let mut line = 0;
        let mut at = 0;
        let mut candidates = Vec::with_capacity(found.len());
        let mut breaks = |to: usize| {
            line += memchr::memchr_iter(b'\n', &bytes[at..to.max(at)]).count() as u64;
            at = to.max(at);
            line
        };
        for (start, end) in found {
            let line = breaks(start);
            candidates.push(Candidate { start, end, line, key: key::of(&bytes[start..end]) });
        }
        let breaks = breaks(own);
        let mut bytes = bytes;
        bytes.truncate(own);
        Marked { bytes, candidates, breaks }
    }

    /// Whether one of a literal's signatures has its other literals on the line too.
    fn may_match(&self, literal: usize, line: &[u8]) -> bool {
        let others = &self.others[literal];
        if others.is_empty() || others.iter().any(Vec::is_empty) {
            return true;
        }
        // What JSON writes otherwise is not looked for.
        let is_there = |other: &String| {
            other.contains(['"', '\\']) || incident::find_folded_bytes(line, other.as_bytes()).is_some()
        };
        others.iter().any(|others| others.iter().all(is_there))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Book;

    fn lines(text: &str, chunk: usize) -> Vec<u64> {
        let finder = Finder::new(&SignatureSet::of_book(&Book::new(true)));
        let (mut lines, mut before) = (Vec::new(), 0);
        for start in (0..text.len()).step_by(chunk) {
            let own = chunk.min(text.len() - start);
            let seen = &text.as_bytes()[start..(start + own + LOOKAHEAD).min(text.len())];
            let marked = finder.mark(seen.to_vec(), own);
            lines.extend(marked.candidates.iter().map(|candidate| before + candidate.line));
            before += marked.breaks;
        }
        lines.dedup();
        lines
    }

    #[test]
    fn faults_are_marked_wherever_a_chunk_ends() {
        let text = "step 1\nRuntimeError: CUDA error: an illegal memory access was encountered\nstep 2\n\
                    {\"msg\": \"torch.OutOfMemoryError: CUDA out of memory. Tried\"}\nstep 3, loss 2.1\n";
        for chunk in [7, 16, 61, 1000] {
            assert_eq!(lines(text, chunk), [1, 3], "{chunk}");
        }
        assert!(lines("epoch 1, loss 0.3, 5 errors ignored\n", 1000).is_empty());
    }
}
