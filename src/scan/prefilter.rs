//! Which places of a text may hold one of thousands of literals, whatever their case: about a nanosecond for four bytes.
//!
//! The text is looked at in steps of 8 bytes. A literal of at least 13 bytes holds the first 6 bytes of one step,
//! wherever it begins; one of at least 7 bytes holds a half step. Two Bloom filters know every such group of every
//! literal, and where one of them says yes, the literals that have the group are compared. Of a long literal those bytes
//! are chosen that fewest other literals share. A literal is compared only as far as JSON around it would not write it
//! otherwise. The filters are small enough for the fastest cache, and ask for two bits without shifting by a variable,
//! which is slow on processors that programs are usually compiled for.

use std::collections::HashMap;
use std::ops::Range;

use aho_corasick::AhoCorasick;

/// How many bytes are looked at together.
const STEP: usize = 8;
/// The group of a long literal, and the bytes of which one group lies in every text with it.
const LONG: usize = 6;
const LONG_SPAN: usize = STEP + LONG - 1;
/// The same for a short one: half a step.
const SHORT: usize = STEP / 2;
const SHORT_SPAN: usize = STEP / 2 + SHORT - 1;
/// Of shorter ones that are no shorter than this, the filter knows every group that may follow their last bytes.
const SHORTEST: usize = 6;

/// Bytes that JSON or a Python repr writes otherwise.
const ESCAPED: &[u8] = b"\"\\\n\t";

/// Finds literals.
#[derive(Debug)]
pub(crate) struct Prefilter {
    literals: Vec<Literal>,
    long: Groups<8192>,
    short: Groups<1024>,
    /// Literals whose last bytes share a group with any others, and their groups, which `short` knows too.
    loose: Vec<Loose>,
    of_loose: Groups<512>,
    /// Literals too short for groups, which a book has none of.
    tiny: Option<(AhoCorasick, Vec<usize>)>,
}

/// A literal, and the part of it that is compared.
#[derive(Debug)]
struct Literal {
    bytes: Vec<u8>,
    compared: Range<usize>,
}

/// The groups of literals: a Bloom filter of two bits in one of so many words, which are a power of two, and lists of what
/// they belong to.
#[derive(Debug)]
struct Groups<const WORDS: usize> {
    words: Box<[u64; WORDS]>,
    /// By hash, the number of the first entry plus one.
    heads: Vec<u32>,
    entries: Vec<Entry>,
}

/// One group of one literal.
#[derive(Debug)]
struct Entry {
    group: u64,
    literal: u32,
    /// Where the group begins in the literal.
    offset: u32,
    /// The next entry with the same hash, plus one.
    next: u32,
}

/// A literal of which a group may hold other bytes than its own.
#[derive(Debug)]
struct Loose {
    number: usize,
    /// Where the compared part begins.
    start: usize,
    /// That part, folded.
    bytes: u64,
    mask: u64,
}

impl Loose {
    fn offsets(&self) -> Range<usize> {
        self.start..self.start + STEP / 2
    }
}

/// Two of 64 bits, by a byte of a hash.
static PAIRS: [u64; 256] = {
    let mut pairs = [0; 256];
    let mut number = 0;
    while number < 256 {
        let (first, apart) = (number as u32 % 64, 1 + number as u32 / 64 * 14 + number as u32 % 5);
        pairs[number] = 1 << first | 1 << ((first + apart) % 64);
        number += 1;
    }
    pairs
};

impl<const WORDS: usize> Groups<WORDS> {
    const BITS: u32 = WORDS.trailing_zeros();

    fn new() -> Self {
        Self { words: Box::new([0; WORDS]), heads: vec![0; 4 * WORDS], entries: Vec::new() }
    }

    #[inline(always)]
    fn hash(group: u64) -> u64 {
        group.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    #[inline(always)]
    fn bits(hash: u64) -> u64 {
        PAIRS[usize::from((hash >> 24) as u8)]
    }

    #[inline(always)]
    fn word(hash: u64) -> usize {
        (hash >> (64 - Self::BITS)) as usize
    }

    fn know(&mut self, group: u64) {
        let hash = Self::hash(group);
        self.words[Self::word(hash)] |= Self::bits(hash);
    }

    fn add(&mut self, group: u64, literal: usize, offset: usize) {
        self.know(group);
        let hash = Self::hash(group);
        let head = &mut self.heads[(hash >> (62 - Self::BITS)) as usize];
        let next = std::mem::replace(head, self.entries.len() as u32 + 1);
        self.entries.push(Entry { group, literal: literal as u32, offset: offset as u32, next });
    }

    #[inline(always)]
    fn may_have(&self, group: u64) -> bool {
        let hash = Self::hash(group);
        let bits = Self::bits(hash);
        self.words[Self::word(hash)] & bits == bits
    }

    #[inline(always)]
    fn each(&self, group: u64, mut visit: impl FnMut(usize, usize)) {
        let mut next = self.heads.get((Self::hash(group) >> (62 - Self::BITS)) as usize).copied().unwrap_or(0);
        while let Some(entry) = self.entries.get((next as usize).wrapping_sub(1)) {
            if entry.group == group {
                visit(entry.literal as usize, entry.offset as usize);
            }
            next = entry.next;
        }
    }
}

/// Both cases of every letter.
const FOLD: u64 = 0x2020_2020_2020_2020;
const LONG_MASK: u64 = 0xFFFF_FFFF_FFFF;
const SHORT_MASK: u64 = 0xFFFF_FFFF;

impl Prefilter {
    /// A finder of these literals, which are known by their numbers; empty ones are never found. `ordinary` is what lines
    /// of healthy logs have: where a literal can, it is looked for by its other bytes.
    pub(crate) fn new<S: AsRef<str>>(literals: impl IntoIterator<Item = S>, ordinary: &[&str]) -> Self {
        let literals: Vec<Literal> =
            literals.into_iter().map(|literal| Literal::new(literal.as_ref().as_bytes())).collect();
        let shared = shared(&literals, ordinary);
        /// Each of them may take sixteen thousand groups.
        const MOST_LOOSE: usize = 12;
        let (mut long, mut short, mut of_loose) = (Groups::new(), Groups::new(), Groups::new());
        let (mut loose, mut tiny) = (Vec::new(), Vec::new());
        for (number, literal) in literals.iter().enumerate() {
            let part = literal.part();
            let start = literal.compared.start;
            if part.len() >= LONG_SPAN {
                let from = rarest(part, LONG, STEP, &shared);
                (from..from + STEP).for_each(|at| long.add(group(&part[at..], LONG), number, start + at));
            } else if part.len() >= SHORT_SPAN {
                let from = rarest(part, SHORT, STEP / 2, &shared);
                (from..from + STEP / 2).for_each(|at| short.add(group(&part[at..], SHORT), number, start + at));
            } else if part.len() >= SHORTEST && loose.len() < MOST_LOOSE {
                loose.push(Loose { number, start, bytes: group(part, part.len()), mask: mask(part.len()) });
                for at in 0..STEP / 2 {
                    let known = (part.len() - at).min(SHORT);
                    following(group(&part[at..], known), known, &mut |group| {
                        short.know(group);
                        of_loose.know(group);
                    });
                }
            } else if !part.is_empty() {
                tiny.push(number);
            }
        }
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(tiny.iter().map(|&number| literals[number].part()));
        let tiny = automaton.ok().filter(|_| !tiny.is_empty()).map(|automaton| (automaton, tiny));
        Self { literals, long, short, loose, of_loose, tiny }
    }

    /// Calls `found` with the number of each literal that is in `text` and a place inside of it; overlapping ones too, in
    /// no particular order within a few dozen bytes.
    pub(crate) fn find(&self, text: &[u8], mut found: impl FnMut(usize, usize)) {
        let (groups, rest) = text.as_chunks::<STEP>();
        for (index, group) in groups.iter().enumerate() {
            let group = u64::from_le_bytes(*group) | FOLD;
            let (low, high) = (group & SHORT_MASK, group >> 32);
            if self.long.may_have(group & LONG_MASK) | self.short.may_have(low) | self.short.may_have(high) {
                self.compare(text, index * STEP, group, &mut found);
            }
        }
        let mut last = [0; STEP];
        last[..rest.len()].copy_from_slice(rest);
        let last = u64::from_le_bytes(last) | FOLD;
        self.compare(text, groups.len() * STEP, last, &mut found);
        if let Some((automaton, numbers)) = &self.tiny {
            automaton.find_overlapping_iter(text).for_each(|hit| found(numbers[hit.pattern().as_usize()], hit.start()));
        }
    }

    /// Compares the literals that have a group of the step at `at`.
    #[inline(never)]
    fn compare(&self, text: &[u8], at: usize, group: u64, found: &mut impl FnMut(usize, usize)) {
        let mut check = |at: usize, number: usize, offset: usize| {
            let literal = &self.literals[number];
            let Some(start) = (at + literal.compared.start).checked_sub(offset) else { return };
            let part = literal.part();
            if text.get(start..start + part.len()).is_some_and(|place| place.eq_ignore_ascii_case(part)) {
                found(number, start);
            }
        };
        if self.long.may_have(group & LONG_MASK) {
            self.long.each(group & LONG_MASK, |number, offset| check(at, number, offset));
        }
        for (at, group) in [(at, group & SHORT_MASK), (at + STEP / 2, group >> 32)] {
            if !self.short.may_have(group) {
                continue;
            }
            self.short.each(group, |number, offset| check(at, number, offset));
            if !self.of_loose.may_have(group) {
                continue;
            }
            let Some(around) = at.checked_sub(STEP / 2).and_then(|from| text.get(from..)?.first_chunk()) else {
                self.loose.iter().for_each(|loose| loose.offsets().for_each(|offset| check(at, loose.number, offset)));
                continue;
            };
            let around = u128::from_le_bytes(*around) | u128::from(FOLD) << 64 | u128::from(FOLD);
            for offset in 0..STEP / 2 {
                let here = (around >> (8 * (STEP / 2 - offset))) as u64;
                for loose in self.loose.iter().filter(|loose| here & loose.mask == loose.bytes) {
                    check(at, loose.number, loose.start + offset);
                }
            }
        }
    }
}

impl Literal {
    fn new(bytes: &[u8]) -> Self {
        // The longest stretch that is written the same everywhere.
        let mut compared = 0..0;
        let mut start = 0;
        for end in 0..=bytes.len() {
            if end == bytes.len() || ESCAPED.contains(&bytes[end]) {
                if end - start > compared.len() {
                    compared = start..end;
                }
                start = end + 1;
            }
        }
        if compared.len() < SHORTEST {
            compared = 0..bytes.len();
        }
        Self { bytes: bytes.to_vec(), compared }
    }

    fn part(&self) -> &[u8] {
        &self.bytes[self.compared.clone()]
    }
}

/// The length of what literals share.
const SHARED: usize = 4;

/// How many literals have these bytes: what many share, ordinary lines have too.
fn shared(literals: &[Literal], ordinary: &[&str]) -> HashMap<u64, u32> {
    /// As common as what hundreds of literals share.
    const ORDINARY: u32 = 1000;
    let mut counts: HashMap<u64, u32> = HashMap::new();
    for words in ordinary {
        for window in format!(" {} ", words.trim()).as_bytes().windows(SHARED) {
            counts.insert(group(window, SHARED), ORDINARY);
        }
    }
    for literal in literals {
        for window in literal.bytes.windows(SHARED) {
            *counts.entry(group(window, SHARED)).or_default() += 1;
        }
    }
    counts
}

/// Where those `many` groups in a row begin that are the rarest.
fn rarest(part: &[u8], length: usize, many: usize, shared: &HashMap<u64, u32>) -> usize {
    let cost = |at: usize| shared.get(&group(&part[at..], SHARED)).copied().unwrap_or(0);
    let of_group = |at: usize| (at..=at + length - SHARED).map(cost).min().unwrap_or(0);
    let last = part.len() - (many + length - 1);
    (0..=last).min_by_key(|&from| (from..from + many).map(of_group).sum::<u32>()).unwrap_or(0)
}

/// The first bytes as a number, folded.
fn group(bytes: &[u8], length: usize) -> u64 {
    let mut group = [0; STEP];
    group[..length].copy_from_slice(&bytes[..length]);
    (u64::from_le_bytes(group) | FOLD) & mask(length)
}

/// That many bytes of a number.
fn mask(length: usize) -> u64 {
    u64::MAX >> (8 * (STEP - length))
}

/// All groups of which only the first bytes are known.
fn following(begun: u64, known: usize, visit: &mut impl FnMut(u64)) {
    if known == SHORT {
        return visit(begun);
    }
    for byte in (0..=u8::MAX).filter(|byte| byte & 0x20 != 0) {
        following(begun | u64::from(byte) << (8 * known), known + 1, visit);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LITERALS: &[&str] = &[
        "out of memory",
        "cuda out of memory. tried",
        "nvrm: xid",
        "loss nan",
        "sigkill",
        "killed",
        "a \"b\" is not there",
        "error: ",
        "oom",
        "grad_norm",
        "0xc0000409",
        "é is no ascii",
    ];

    /// Every place of every literal, by looking everywhere.
    fn everywhere(prefilter: &Prefilter, text: &[u8]) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for (number, literal) in prefilter.literals.iter().enumerate() {
            let part = literal.part();
            let places = text.windows(part.len()).enumerate().filter(|(_, place)| place.eq_ignore_ascii_case(part));
            found.extend(places.map(|(at, _)| (number, at)));
        }
        found
    }

    proptest! {
        #[test]
        fn every_literal_is_found_wherever_it_is(
            parts in proptest::collection::vec(prop_oneof![
                proptest::sample::select(LITERALS).prop_map(str::to_owned),
                proptest::sample::select(LITERALS).prop_map(str::to_ascii_uppercase),
                "[ -~\n]{0,9}",
                "(nvrm|kill|los|s na|err|mem|grad){0,3}",
            ], 0..12),
        ) {
            let prefilter = Prefilter::new(LITERALS, &[" loss ", "memory "]);
            let text = parts.concat().into_bytes();
            let mut found = Vec::new();
            prefilter.find(&text, |number, at| found.push((number, at)));
            found.sort_unstable();
            found.dedup();
            prop_assert_eq!(found, everywhere(&prefilter, &text));
        }
    }
}
