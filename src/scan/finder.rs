//! Marks the lines of a chunk that may report something.

use std::collections::{BTreeMap, HashMap};

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
    /// Whether the whole line was seen.
    pub(super) is_whole: bool,
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
    /// By literal.
    needs: Vec<Need>,
}

/// What else must be on a line with a literal; one of these is enough.
#[derive(Debug, Default)]
struct Need {
    /// Nothing: it is a word of alarm.
    is_alarm: bool,
    /// For each of its signatures, their other literals.
    others: Vec<Vec<String>>,
    /// A status code as a number.
    is_numbered: bool,
}

impl Need {
    /// Whether only the line's own words say that the literal means anything.
    fn is_only_numbered(&self) -> bool {
        self.is_numbered && !self.is_alarm && self.others.is_empty()
    }

    fn allows(&self, line: &[u8]) -> bool {
        // What JSON writes otherwise is not looked for.
        let is_there = |other: &String| {
            other.contains(['"', '\\']) || incident::find_folded_bytes(line, other.as_bytes()).is_some()
        };
        self.is_alarm
            || self.others.iter().any(|others| others.iter().all(is_there))
            || self.is_numbered && incident::numbers::gives_code(line)
    }
}

impl Finder {
    /// Knows the signatures of faults, and words by which any program reports a failure.
    pub(crate) fn new(signatures: &SignatureSet) -> Self {
        let alarms = wording::alarms();
        let mut known: BTreeMap<&str, Need> = BTreeMap::new();
        for anchor in signatures.anchors() {
            let owned = |others: Vec<&str>| others.into_iter().map(str::to_owned).collect();
            known.entry(anchor.literal).or_default().others.extend(anchor.others.into_iter().map(owned));
        }
        for word in &alarms.reported {
            known.entry(word).or_default().is_alarm = true;
        }
        for word in &alarms.numbered {
            known.entry(word).or_default().is_numbered = true;
        }
        let (literals, needs): (Vec<String>, _) = known.into_iter().map(|(word, need)| (word.to_owned(), need)).unzip();
        Self { prefilter: Prefilter::new(&literals, &alarms.ordinary), needs }
    }

    /// Marks the lines of a chunk that goes on with a line whose beginning was given out before: with its last bytes before
    /// the chunk, a literal that lies on both sides is found.
    pub(crate) fn mark_on(&self, before: &[u8], bytes: Vec<u8>) -> Marked {
        let own = before.len() + bytes.len();
        let mut marked = self.mark([before, &bytes].concat(), own);
        marked.candidates.retain(|candidate| candidate.end > before.len());
        for candidate in &mut marked.candidates {
            candidate.start = candidate.start.saturating_sub(before.len());
            candidate.end -= before.len();
        }
        marked.bytes = bytes;
        marked
    }

    /// Whether a line may report something: for one that was marked when only a part of it was seen.
    pub(super) fn marks(&self, line: &[u8]) -> bool {
        let mut is_marked = false;
        self.prefilter.find(line, |literal, _| is_marked |= self.needs[literal].allows(line));
        is_marked
    }

    /// Marks the lines of the first `own` bytes; what follows them belongs to the next chunk.
    pub(crate) fn mark(&self, bytes: Vec<u8>, own: usize) -> Marked {
        let mut found: Vec<(usize, usize, bool)> = Vec::new();
        // By literal, the line for which it was looked at: one may be on a line thousands of times.
        let mut tried: HashMap<usize, usize> = HashMap::new();
        self.prefilter.find(&bytes, |literal, at| {
            if at >= own || found.last().is_some_and(|&(start, end, _)| (start..end).contains(&at)) {
                return;
            }
            if tried.get(&literal).is_some_and(|&end| at < end) {
                return;
            }
            let from = at.saturating_sub(LINE);
            let start = memchr::memrchr(b'\n', &bytes[from..at]).map_or(from, |place| from + place + 1);
            let to = (at + LINE).min(bytes.len());
            let end = memchr::memchr(b'\n', &bytes[at..to]).map_or(to, |place| at + place);
            let need = &self.needs[literal];
            let is_cut = start == from || end == to;
            if is_cut && !need.is_only_numbered() || need.allows(&bytes[start..end]) {
                found.push((start, end, !is_cut));
            } else {
                tried.insert(literal, end);
            }
        });
        found.sort_unstable();
        found.dedup_by_key(|(start, ..)| *start);
        let mut line = 0;
        let mut at = 0;
        let mut candidates = Vec::with_capacity(found.len());
        let mut breaks = |to: usize| {
            line += memchr::memchr_iter(b'\n', &bytes[at..to.max(at)]).count() as u64;
            at = to.max(at);
            line
        };
        for (start, end, is_whole) in found {
            let line = breaks(start);
            candidates.push(Candidate { start, end, line, key: key::of(&bytes[start..end]), is_whole });
        }
        let breaks = breaks(own);
        let mut bytes = bytes;
        bytes.truncate(own);
        Marked { bytes, candidates, breaks }
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

    #[test]
    fn status_codes_by_number_are_marked() {
        let text = "cudaGetDeviceCount returned 35\ncudaMalloc failed with code 2\ncuInit returned 999\nNCCL error 2\n\
                    cuLaunchKernel(f, 1) failed: 719\nhipMalloc returned 200\nRMM failure at: cudaErr cuda error code 9\n";
        assert_eq!(lines(text, 1000), [0, 1, 2, 3, 4, 5, 6]);
        let healthy = "cudaGetDeviceCount returned 8\nepoch 3 failed 0 times\nhttp status 200\ncuda:0 status ok, code 3 files\n\
                       CUDA error count: none\nthe result 17 of 35\n";
        assert_eq!(lines(healthy, 1000), [4]);
    }

    #[test]
    fn a_literal_on_both_sides_of_what_was_given_out() {
        let finder = Finder::new(&SignatureSet::of_book(&Book::new(true)));
        let whole = "ERROR: RuntimeError: CUDA error: an illegal memory access was encountered";
        for cut in 1..whole.len() {
            let rest = format!("{}\nstep 1\nExceptions: 0\n", &whole[cut..]);
            let marked = finder.mark_on(&whole.as_bytes()[..cut], rest.clone().into_bytes());
            let places: Vec<_> = marked.candidates.iter().map(|one| (one.start, one.end, one.line)).collect();
            assert_eq!(places, [(0, whole.len() - cut, 0)], "cut at {cut}");
            assert_eq!((marked.breaks, marked.bytes), (3, rest.into_bytes()));
        }
    }
}
