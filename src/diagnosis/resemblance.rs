//! How much the clues of known cases resemble a text: by the words they share, rare ones first.

use std::collections::{HashMap, HashSet};

use crate::book::cases::Case;
use crate::text::Transcript;

/// The words of a text.
#[derive(Debug, Clone, Default)]
pub(super) struct TextWords(HashSet<String>);

/// Lines at the beginning and at the end that are read.
const LINES: usize = 200;

/// Words that every case is thought to have besides its own, so that a case of few words does not resemble every text.
const SMOOTHING: f64 = 3.0;

impl TextWords {
    /// The words of a text's first and last lines.
    pub(super) fn of(transcript: &Transcript) -> Self {
        let len = transcript.len();
        let lines = (0..len).filter(|&line| line < LINES || line + LINES >= len);
        Self(lines.flat_map(|line| words(transcript.line(line).text)).collect())
    }

    /// For each case how much it resembles the text: the share of its words, weighed by how rare they are among the cases,
    /// that the text has. Between 0 and 1.
    pub(super) fn resemblances(&self, cases: &[Case<'_>]) -> Vec<f64> {
        if self.0.is_empty() {
            return vec![0.0; cases.len()];
        }
        let of_cases: Vec<HashSet<String>> = cases.iter().map(words_of).collect();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for word in of_cases.iter().flatten() {
            *counts.entry(word).or_default() += 1;
        }
        let rarity = |word: &String| {
            let count = counts.get(word.as_str()).copied().unwrap_or(1);
            ((1 + cases.len()) as f64 / count as f64).ln()
        };
        let resemblance = |words: &HashSet<String>| {
            let shared: f64 = words.iter().filter(|word| self.0.contains(*word)).map(rarity).sum();
            let all: f64 = words.iter().map(rarity).sum();
            shared / (all + SMOOTHING)
        };
        of_cases.iter().map(resemblance).collect()
    }
}

fn words_of(case: &Case<'_>) -> HashSet<String> {
    let clues = case.clues.iter().flat_map(|clue| words(clue));
    clues.chain([&case.framework, &case.versions, &case.gpu].into_iter().flat_map(|part| words(part))).collect()
}

/// Words of three letters or more, in lower case and without the `s` of a plural.
fn words(text: &str) -> impl Iterator<Item = String> {
    let parts = text.split(|c: char| !c.is_ascii_alphanumeric());
    let known = parts.filter(|part| part.len() >= 3 && !part.bytes().all(|byte| byte.is_ascii_digit()));
    known.map(|part| part.to_ascii_lowercase().trim_end_matches('s').to_owned())
}
