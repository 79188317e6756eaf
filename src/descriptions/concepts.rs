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
}

/// A negation reaches this many bytes.
const REACH: usize = 28;

/// The name of the concept that turns the next one round.
pub(crate) const NEGATION: &str = "negation";

/// Finds the concepts of a text.
#[derive(Debug)]
pub(crate) struct Concepts<'a> {
    /// By the beginning of the first word.
    by_beginning: HashMap<&'a str, Vec<Way<'a>>>,
    /// The longest beginning in bytes.
    longest: usize,
    /// The number of concepts, and of the one that negates.
    count: u16,
    negation: Option<u16>,
}

/// One way to say a concept.
#[derive(Debug)]
struct Way<'a> {
    concept: u16,
    /// Whether the first beginning is the whole word.
    whole: bool,
    /// The beginnings of the words after it.
    after: Vec<&'a str>,
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
        let mut by_beginning: HashMap<&str, Vec<Way<'_>>> = HashMap::new();
        for (concept, words) in alternatives {
            let mut words = words.split_whitespace();
            let Some(first) = words.next() else { continue };
            let beginning = first.trim_end_matches('$');
            let way = Way { concept, whole: beginning.len() < first.len(), after: words.collect() };
            by_beginning.entry(beginning).or_default().push(way);
        }
        let longest = by_beginning.keys().map(|beginning| beginning.len()).max().unwrap_or(0);
        Self { by_beginning, longest, count, negation }
    }

    /// What a model learns from: the concepts of a text, and after them, in numbers of their own, those that are negated.
    pub(crate) fn features(&self, text: &str) -> BTreeSet<u16> {
        let found = self.find(&text.to_lowercase());
        let mut features: BTreeSet<u16> = found.iter().map(|(_, concept)| *concept).collect();
        for pair in found.windows(2) {
            if let [(before, negation), (at, concept)] = pair
                && Some(*negation) == self.negation
                && at - before < REACH
            {
                features.insert(self.count + concept);
            }
        }
        features
    }

    /// The concepts of a text in lower case with the places where they begin, in the text's order.
    fn find(&self, text: &str) -> Vec<(usize, u16)> {
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
        found.dedup();
        found
    }

    fn beginning_at(&self, text: &str, at: usize, found: &mut Vec<(usize, u16)>) {
        let rest = &text[at..];
        let ends = rest.char_indices().map(|(end, letter)| end + letter.len_utf8());
        for end in ends.take_while(|end| *end <= self.longest) {
            for way in self.by_beginning.get(&rest[..end]).into_iter().flatten() {
                if (!way.whole || ends_word(&rest[end..])) && follow(&rest[end..], &way.after) {
                    found.push((at, way.concept));
                }
            }
        }
    }
}

/// Whether words with these beginnings come next.
fn follow(rest: &str, words: &[&str]) -> bool {
    let [word, after @ ..] = words else { return true };
    let next = rest.trim_start_matches(|letter| is_letter(letter) && !is_unspaced(letter));
    let next = next.trim_start_matches(|letter| !is_letter(letter));
    let beginning = word.trim_end_matches('$');
    next.strip_prefix(beginning)
        .is_some_and(|rest| (beginning.len() == word.len() || ends_word(rest)) && follow(rest, after))
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
