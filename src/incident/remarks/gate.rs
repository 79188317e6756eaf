//! Which wordings can be in a line, found in one pass over it: regexes cost more to compile than to run.

use std::collections::HashMap;

use super::clauses::begins_word;
use crate::literals::Literals;

/// The words that each wording needs.
pub(super) struct Gate {
    /// Every word of every wording.
    words: Literals<'static>,
    /// For each word the wordings that need it, with the bit of the group.
    needed: Vec<Vec<(usize, u8)>>,
    /// Of each wording the bits of all groups.
    all: Vec<u8>,
}

impl Gate {
    /// Takes the groups of words of each wording in turn.
    pub(super) fn new<'w>(wordings: impl Iterator<Item = &'w [Vec<&'w str>]>) -> Self {
        let mut numbers = HashMap::new();
        let (mut words, mut needed, mut all) = (Vec::<&str>::new(), Vec::<Vec<(usize, u8)>>::new(), Vec::new());
        for (wording, groups) in wordings.enumerate() {
            all.push(groups.iter().fold(0, |bits, _| bits << 1 | 1));
            for (group, word) in
                groups.iter().enumerate().flat_map(|(group, words)| words.iter().map(move |word| (group, *word)))
            {
                let number = *numbers.entry(word).or_insert_with(|| {
                    words.push(word);
                    needed.push(Vec::new());
                    needed.len() - 1
                });
                needed[number].push((wording, 1 << group));
            }
        }
        Self { words: Literals::new(words), needed, all }
    }

    /// The wordings all of whose groups have a word in a line in lower case, in their order.
    pub(super) fn open(&self, line: &str) -> Vec<usize> {
        let mut found: Vec<(usize, u8)> = Vec::new();
        self.words.find(line, |word, place| {
            if begins_word(line, place.start) {
                for &(wording, group) in &self.needed[word] {
                    match found.iter_mut().find(|(number, _)| *number == wording) {
                        Some((_, groups)) => *groups |= group,
                        None => found.push((wording, group)),
                    }
                }
            }
        });
        found.sort_unstable();
        found.into_iter().filter(|&(wording, groups)| groups == self.all[wording]).map(|(wording, _)| wording).collect()
    }
}
