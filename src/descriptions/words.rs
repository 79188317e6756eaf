//! The plain words of a text, beside its concepts: those that several descriptions use.
//!
//! `build.rs` includes this file by path.

use std::collections::{BTreeMap, BTreeSet};

/// A word that fewer descriptions use says nothing about others.
#[allow(dead_code, reason = "build.rs learns")]
const FEWEST: u16 = 3;

/// Finds the words that were learned.
#[derive(Debug)]
pub(crate) struct Words<'a> {
    /// In alphabetical order, as [`common`] gives them.
    words: Vec<&'a str>,
    /// The number of the first one.
    first: u16,
}

impl<'a> Words<'a> {
    /// Takes the words in alphabetical order, which is that of their numbers; these begin with `first`.
    pub(crate) fn new(words: impl IntoIterator<Item = &'a str>, first: u16) -> Self {
        Self { words: words.into_iter().collect(), first }
    }

    /// The numbers of the words that a text holds.
    pub(crate) fn features(&self, text: &str) -> BTreeSet<u16> {
        let number = |word: &str| self.first.checked_add(self.words.binary_search(&word).ok()?.try_into().ok()?);
        of(&text.to_lowercase()).filter_map(number).collect()
    }
}

fn of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty())
}

/// The words that several of the texts use, in alphabetical order.
#[allow(dead_code, reason = "build.rs learns")]
pub(crate) fn common<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<String> {
    let mut counts: BTreeMap<String, u16> = BTreeMap::new();
    for text in texts {
        let text = text.to_lowercase();
        for word in of(&text).collect::<BTreeSet<_>>() {
            *counts.entry(word.to_owned()).or_default() += 1;
        }
    }
    counts.into_iter().filter(|(_, count)| *count >= FEWEST).map(|(word, _)| word).collect()
}
