//! Looks for many literals in one pass, and is made so quickly that a program may do it at every start.
//!
//! An automaton over the same words costs a few hundred times as much to build and keeps a state for each of their
//! bytes. Here a table knows three bytes of every literal, the rarest ones; where the text has those three, the literals
//! that share them are compared (Wu and Manber's idea, with windows chosen by rarity). Each byte of the text costs one
//! look into the table, and no text makes it worse than the longest list of literals with the same window.
//!
//! `build.rs` includes this file by path, and packs the tables of words that are many.

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::numbers::Numbers;

/// Literals to look for.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Literals<'a> {
    /// All literals, one after the other.
    #[serde(borrow)]
    bytes: Cow<'a, [u8]>,
    /// An [`Entry`] for each literal, number by number.
    #[serde(borrow)]
    entries: Numbers<'a>,
    /// For each hash of a window the number of its first literal, plus one.
    #[serde(borrow)]
    heads: Numbers<'a>,
    /// How far a hash is shifted to be a place in `heads`.
    shift: u32,
    /// Literals too short for a window.
    short: Vec<u32>,
    ignore_case: bool,
}

/// One literal.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    start: u32,
    len: u32,
    /// Where its window begins.
    offset: u32,
    window: u32,
    /// The next literal whose window has the same hash, plus one.
    next: u32,
}

/// How many bytes the table knows of a literal. Words of three letters are common among them.
const WINDOW: usize = 3;

/// How many windows of a literal are considered: more of them take longer to count than they save.
const CONSIDERED: usize = 24;

impl Literals<'static> {
    /// A finder of these literals, which are known by their numbers from then on; empty ones are never found.
    pub(crate) fn new<S: AsRef<str>>(literals: impl IntoIterator<Item = S>) -> Self {
        Self::with(literals, false)
    }

    /// The same, whatever the case of ASCII letters.
    pub(crate) fn ignoring_case<S: AsRef<str>>(literals: impl IntoIterator<Item = S>) -> Self {
        Self::with(literals, true)
    }

    fn with<S: AsRef<str>>(literals: impl IntoIterator<Item = S>, ignore_case: bool) -> Self {
        let (mut bytes, mut entries) = (Vec::new(), Vec::new());
        for literal in literals {
            let literal = literal.as_ref().as_bytes();
            entries.push(Entry { start: index(bytes.len()), len: index(literal.len()), ..Entry::default() });
            bytes.extend_from_slice(literal);
        }
        // Eight places for each literal: most windows of a text meet an empty one.
        let bits = (entries.len() * 8).next_power_of_two().ilog2().max(6);
        let (mut heads, shift, mut short) = (vec![0; 1 << bits], 32 - bits, Vec::new());
        place(&bytes, &mut entries, &mut heads, shift, &mut short);
        Self {
            bytes: bytes.into(),
            entries: entries.iter().flat_map(Entry::numbers).collect(),
            heads: heads.into_iter().collect(),
            shift,
            short,
            ignore_case,
        }
    }
}

/// Enters every literal under the rarest of its windows.
fn place(bytes: &[u8], entries: &mut [Entry], heads: &mut [u32], shift: u32, short: &mut Vec<u32>) {
    let mut counts = vec![0u16; heads.len()];
    for entry in entries.iter() {
        for bytes in bytes[entry.range()].windows(WINDOW).take(CONSIDERED) {
            let count = &mut counts[hash(window(bytes), shift)];
            *count = count.saturating_add(1);
        }
    }
    for (number, entry) in entries.iter_mut().enumerate() {
        let windows = bytes[entry.range()].windows(WINDOW).take(CONSIDERED).map(window).enumerate();
        match windows.min_by_key(|(_, window)| counts[hash(*window, shift)]) {
            Some((offset, window)) => {
                let head = &mut heads[hash(window, shift)];
                let next = std::mem::replace(head, index(number) + 1);
                *entry = Entry { offset: index(offset), window, next, ..*entry };
            }
            None if entry.len > 0 => short.push(index(number)),
            None => {}
        }
    }
}

impl Literals<'_> {
    /// Calls `found` with the number and the place of every literal in `text`, overlapping ones too. Lines come in their
    /// order; within a line the literals come in no particular one.
    pub(crate) fn find(&self, text: &str, mut found: impl FnMut(usize, Range<usize>)) {
        let (text, heads, shift) = (text.as_bytes(), &self.heads, self.shift);
        let mut seen = 0;
        for (last, &byte) in text.iter().enumerate() {
            seen = (seen << 8 | fold(byte)) & 0xFF_FFFF;
            let mut next = heads.get(hash(seen, shift)).unwrap_or(0);
            while next > 0 {
                let number = next as usize - 1;
                let entry = self.entry(number);
                if entry.window == seen
                    && let Some(start) = (last + 1).checked_sub(WINDOW + entry.offset as usize)
                    && self.is_at(text, start, &entry)
                {
                    found(number, start..start + entry.len as usize);
                }
                next = entry.next;
            }
            for &number in &self.short {
                let entry = self.entry(number as usize);
                if let Some(start) = (last + 1).checked_sub(entry.len as usize)
                    && self.is_at(text, start, &entry)
                {
                    found(number as usize, start..last + 1);
                }
            }
        }
    }

    /// Whether one of the literals is in `text`.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        let mut any = false;
        self.find(text, |_, _| any = true);
        any
    }

    /// Which of the literals are in `text`, each once, by their numbers in ascending order.
    pub(crate) fn present(&self, text: &str) -> Vec<usize> {
        let mut present = Vec::new();
        self.find(text, |number, _| present.push(number));
        present.sort_unstable();
        present.dedup();
        present
    }

    fn entry(&self, number: usize) -> Entry {
        let [start, len, offset, window, next] = self.entries.group(number).expect("a number from the table");
        Entry { start, len, offset, window, next }
    }

    fn is_at(&self, text: &[u8], start: usize, entry: &Entry) -> bool {
        let literal = &self.bytes[entry.range()];
        // Most literals that share a window differ at their ends, and to compare them whole is a call.
        let ends = |bytes: &[u8]| (bytes.first().copied().map(fold), bytes.last().copied().map(fold));
        text.get(start..start + literal.len()).filter(|place| ends(place) == ends(literal)).is_some_and(|place| {
            match self.ignore_case {
                true => place.eq_ignore_ascii_case(literal),
                false => place == literal,
            }
        })
    }
}

impl Entry {
    fn numbers(&self) -> [u32; 5] {
        [self.start, self.len, self.offset, self.window, self.next]
    }

    fn range(&self) -> Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }
}

fn index(number: usize) -> u32 {
    u32::try_from(number).expect("words of a few megabytes at most")
}

/// Both cases of a letter are one byte to the table; the comparison decides.
fn fold(byte: u8) -> u32 {
    u32::from(byte | 0x20)
}

fn window(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |window, &byte| window << 8 | fold(byte))
}

/// Multiplication mixes the bits of a window into the upper ones.
fn hash(window: u32, shift: u32) -> usize {
    (window.wrapping_mul(0x9E37_79B1) >> shift) as usize
}

#[cfg(test)]
mod tests {
    use aho_corasick::AhoCorasick;
    use proptest::prelude::*;

    use super::*;

    fn found(literals: &Literals<'_>, text: &str) -> Vec<(usize, Range<usize>)> {
        let mut all = Vec::new();
        literals.find(text, |number, place| all.push((number, place)));
        all.sort_by_key(|(number, place)| (place.start, *number));
        all
    }

    #[test]
    fn overlapping_short_and_equal_literals_are_all_found() {
        let literals = Literals::new(["error", "rror", "or", "", "x", "error"]);
        let expected = [(0, 1..6), (5, 1..6), (1, 2..6), (2, 4..6), (4, 7..8)];
        assert_eq!(found(&literals, " error x"), expected);
        assert_eq!(literals.present("or error"), [0, 1, 2, 5]);
        assert_eq!(found(&literals, "eRROR"), []);
        assert_eq!(found(&Literals::ignoring_case(["Error", "ß"]), "eRROR ß"), [(0, 0..5), (1, 6..8)]);
        assert_eq!(found(&Literals::new(Vec::<String>::new()), "error"), []);
    }

    proptest! {
        #[test]
        fn the_same_as_an_automaton(literals in prop::collection::vec("[abAB ]{1,6}", 0..40), text in "[abAB \n]{0,80}", ignore_case: bool) {
            let automaton = AhoCorasick::builder().ascii_case_insensitive(ignore_case).build(&literals).expect("few literals");
            let mut expected: Vec<_> = automaton.find_overlapping_iter(&text).map(|found| (found.pattern().as_usize(), found.range())).collect();
            expected.sort_by_key(|(number, place)| (place.start, *number));
            prop_assert_eq!(found(&Literals::with(&literals, ignore_case), &text), expected);
        }
    }
}
