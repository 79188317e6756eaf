//! What a text speaks of, as concepts: "slow", "lahm" and "takes ages" are one of them.
//!
//! `build.rs` includes this file by path: what a model learned at build time is found by the same code afterwards.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

/// `kb/wording/concepts.toml`: for each concept the beginnings of words, joined by `|`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "the library reads what build.rs made of it")]
pub(crate) struct ConceptFile {
    /// Concepts by which a person writes, and not a program.
    pub(crate) writer: Vec<String>,
    /// Concepts by which somebody asks for help.
    pub(crate) asks: Vec<String>,
    /// The alternatives of each concept, by its name.
    pub(crate) concept: BTreeMap<String, String>,
    /// Those of concepts that only a search in reports knows.
    pub(crate) search: BTreeMap<String, String>,
}

/// A negation reaches this many bytes.
const REACH: usize = 28;

/// The name of the concept that turns the next one round.
pub(crate) const NEGATION: &str = "negation";

/// Finds the concepts of a text.
#[derive(Debug)]
pub(crate) struct Concepts<'a> {
    /// By the first bytes of the first word's beginning, in the slot of which are those of other first bytes as well.
    by_first: Vec<Vec<Beginning<'a>>>,
    /// For each first byte, how long those are: a bit for each length.
    lengths: [u8; 256],
    /// The number of concepts, and of the one that negates.
    count: u16,
    negation: Option<u16>,
}

/// So many first bytes find the few ways that may be meant.
const FIRST: usize = 3;

/// More than there are first bytes, so that most slots have those of one beginning.
const SLOTS: usize = 1 << 12;

/// The slot of so many first bytes.
fn slot(first: &[u8]) -> usize {
    first.iter().fold(first.len(), |slot, byte| (slot * 37 + usize::from(*byte)) % SLOTS)
}

/// What the first word begins with, of some ways to say something.
#[derive(Debug)]
struct Beginning<'a> {
    text: &'a str,
    /// The byte after the first ones, if there is one: most beginnings differ there.
    fourth: Option<u8>,
    /// Whether it ends in the word in which it begins, as far as letters tell.
    within_word: bool,
    /// Those of one word come first; the others in the order of the first byte of their second word.
    ways: Vec<Way<'a>>,
}

/// One way to say a concept.
#[derive(Debug)]
struct Way<'a> {
    concept: u16,
    /// Whether the beginning is the whole first word.
    whole: bool,
    /// The beginnings of the words after it.
    after: Vec<&'a str>,
}

impl Way<'_> {
    /// The first byte of the second word, if there has to be one.
    fn second(&self) -> Option<u8> {
        self.after.first().map(|word| word.as_bytes()[0])
    }
}

/// A concept in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Hit {
    /// Where its first word begins.
    pub(crate) at: usize,
    /// The concept's number.
    pub(crate) concept: u16,
    /// The end of what was compared of its last word.
    #[allow(dead_code, reason = "build.rs only learns which concepts there are")]
    pub(crate) end: usize,
}

impl<'a> Concepts<'a> {
    /// Takes the names in the order of their numbers, and the alternatives.
    pub(crate) fn new(
        names: impl IntoIterator<Item = &'a str>,
        alternatives: impl IntoIterator<Item = (u16, &'a str)>,
    ) -> Self {
        let (mut count, mut negation) = (0, None);
        for name in names {
            if name == NEGATION {
                negation = Some(count);
            }
            count += 1;
        }
        let mut by_first: Vec<Vec<Beginning<'_>>> = (0..SLOTS).map(|_| Vec::new()).collect();
        let mut lengths = [0; 256];
        for (concept, words) in alternatives {
            let mut words = words.split_whitespace();
            let Some(first) = words.next() else { continue };
            let text = first.trim_end_matches('$');
            let way = Way { concept, whole: text.len() < first.len(), after: words.collect() };
            let key = &text.as_bytes()[..text.len().min(FIRST)];
            if let [first, ..] = key {
                lengths[usize::from(*first)] |= 1 << key.len();
            }
            let known = &mut by_first[slot(key)];
            match known.iter_mut().find(|beginning| beginning.text == text) {
                Some(beginning) => beginning.ways.push(way),
                None => {
                    let within_word = text.bytes().all(|byte| byte.is_ascii_alphanumeric());
                    let fourth = text.as_bytes().get(FIRST).copied();
                    known.push(Beginning { text, fourth, within_word, ways: vec![way] });
                }
            }
        }
        for beginning in by_first.iter_mut().flatten() {
            beginning.ways.sort_by_key(Way::second);
        }
        Self { by_first, lengths, count, negation }
    }

    /// What a model learns from: the concepts of a text, and after them, in numbers of their own, those that are negated.
    pub(crate) fn features(&self, text: &str) -> BTreeSet<u16> {
        let found = self.find(&text.to_lowercase());
        let mut features: BTreeSet<u16> = found.iter().map(|hit| hit.concept).collect();
        for pair in found.windows(2) {
            if let [before, hit] = pair
                && Some(before.concept) == self.negation
                && hit.at - before.at < REACH
            {
                features.insert(self.count + hit.concept);
            }
        }
        features
    }

    /// The concepts of a text in lower case, each once at a place, in the text's order.
    pub(crate) fn find(&self, text: &str) -> Vec<Hit> {
        let mut found = Vec::new();
        let mut in_word = false;
        for (at, letter) in text.char_indices() {
            let begins = is_letter(letter) && (!in_word || is_unspaced(letter));
            in_word = is_letter(letter) && !is_unspaced(letter);
            if begins {
                let before = found.len();
                self.beginning_at(text, at, &mut found);
                found[before..].sort_unstable();
            }
        }
        found.dedup_by_key(|hit| (hit.at, hit.concept));
        found
    }

    fn beginning_at(&self, text: &str, at: usize, found: &mut Vec<Hit>) {
        let rest = &text[at..];
        // Most ways go on with the same word: it is looked for once.
        let mut second: Option<&str> = None;
        let lengths = rest.bytes().next().map_or(0, |first| self.lengths[usize::from(first)]);
        for length in (1..=FIRST.min(rest.len())).filter(|length| lengths >> length & 1 == 1) {
            let fourth = rest.as_bytes().get(FIRST).copied();
            for beginning in &self.by_first[slot(&rest.as_bytes()[..length])] {
                let may_be = beginning.fourth.is_none() || beginning.fourth == fourth;
                if !may_be || beginning.text.len().min(FIRST) != length {
                    continue;
                }
                let Some(after) = rest.strip_prefix(beginning.text) else { continue };
                let is_word = ends_word(after);
                let alone = beginning.ways.partition_point(|way| way.after.is_empty());
                let (alone, ways) = beginning.ways.split_at(alone);
                let mut keep = |way: &Way<'_>, after: &str| {
                    found.push(Hit { at, concept: way.concept, end: text.len() - after.len() });
                };
                alone.iter().filter(|way| is_word || !way.whole).for_each(|way| keep(way, after));
                if ways.is_empty() {
                    continue;
                }
                let next = match beginning.within_word {
                    true => *second.get_or_insert_with(|| next_word(after)),
                    false => next_word(after),
                };
                let Some(first) = next.bytes().next() else { continue };
                let from = ways.partition_point(|way| way.second() < Some(first));
                for way in ways[from..].iter().take_while(|way| way.second() == Some(first)) {
                    if (is_word || !way.whole)
                        && let Some(after) = follow(next, &way.after)
                    {
                        keep(way, after);
                    }
                }
            }
        }
    }
}

/// What comes after words with these beginnings, if the text begins with them.
fn follow<'t>(next: &'t str, words: &[&str]) -> Option<&'t str> {
    let [word, after @ ..] = words else { return Some(next) };
    let beginning = word.trim_end_matches('$');
    let rest = next.strip_prefix(beginning)?;
    match after {
        _ if beginning.len() < word.len() && !ends_word(rest) => None,
        [] => Some(rest),
        after => follow(next_word(rest), after),
    }
}

/// The text from its second word on, without what is left of the first.
fn next_word(rest: &str) -> &str {
    let next = rest.trim_start_matches(|letter| is_letter(letter) && !is_unspaced(letter));
    next.trim_start_matches(|letter| !is_letter(letter))
}

fn ends_word(rest: &str) -> bool {
    rest.chars().next().is_none_or(|letter| !is_letter(letter) || is_unspaced(letter))
}

fn is_letter(letter: char) -> bool {
    letter.is_alphanumeric()
}

/// Letters of languages that write no spaces, or whose words take endings without end.
pub(crate) fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}
