//! What a text speaks of, as concepts: "slow", "lahm" and "takes ages" are one of them.
//!
//! `build.rs` includes this file by path: what a model learned at build time is found by the same code afterwards.

use std::collections::{BTreeMap, BTreeSet, HashMap};

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
    /// By the first bytes of the first word's beginning.
    by_beginning: HashMap<&'a [u8], Vec<Way<'a>>>,
    /// The number of concepts, and of the one that negates.
    count: u16,
    negation: Option<u16>,
}

/// So many first bytes find the few ways that may be meant.
const FIRST: usize = 3;

/// One way to say a concept.
#[derive(Debug)]
struct Way<'a> {
    concept: u16,
    beginning: &'a str,
    /// Whether the first beginning is the whole word.
    whole: bool,
    /// The beginnings of the words after it.
    after: Vec<&'a str>,
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
        let mut by_beginning: HashMap<&[u8], Vec<Way<'_>>> = HashMap::new();
        for (concept, words) in alternatives {
            let mut words = words.split_whitespace();
            let Some(first) = words.next() else { continue };
            let beginning = first.trim_end_matches('$');
            let way = Way { concept, beginning, whole: beginning.len() < first.len(), after: words.collect() };
            let key = &beginning.as_bytes()[..beginning.len().min(FIRST)];
            by_beginning.entry(key).or_default().push(way);
        }
        Self { by_beginning, count, negation }
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
                self.beginning_at(text, at, &mut found);
            }
        }
        found.sort_unstable();
        found.dedup_by_key(|hit| (hit.at, hit.concept));
        found
    }

    fn beginning_at(&self, text: &str, at: usize, found: &mut Vec<Hit>) {
        let rest = &text[at..];
        for length in 1..=FIRST.min(rest.len()) {
            for way in self.by_beginning.get(&rest.as_bytes()[..length]).into_iter().flatten() {
                let Some(after) = rest.strip_prefix(way.beginning) else { continue };
                if way.whole && !ends_word(after) {
                    continue;
                }
                if let Some(after) = follow(after, &way.after) {
                    found.push(Hit { at, concept: way.concept, end: text.len() - after.len() });
                }
            }
        }
    }
}

/// What comes after words with these beginnings, if they come next.
fn follow<'t>(rest: &'t str, words: &[&str]) -> Option<&'t str> {
    let [word, after @ ..] = words else { return Some(rest) };
    let next = rest.trim_start_matches(|letter| is_letter(letter) && !is_unspaced(letter));
    let next = next.trim_start_matches(|letter| !is_letter(letter));
    let beginning = word.trim_end_matches('$');
    let rest = next.strip_prefix(beginning)?;
    if beginning.len() == word.len() || ends_word(rest) { follow(rest, after) } else { None }
}

fn ends_word(rest: &str) -> bool {
    rest.chars().next().is_none_or(|letter| !is_letter(letter) || is_unspaced(letter))
}

fn is_letter(letter: char) -> bool {
    letter.is_alphanumeric()
}

/// Letters of languages that write no spaces, or whose words take endings without end.
fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}
