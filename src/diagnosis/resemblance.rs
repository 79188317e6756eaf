//! How much the clues of known cases resemble a text: by the words they share, rare ones first.

use std::collections::{HashMap, HashSet};

use crate::book::cases::Case;
use crate::text::Transcript;

/// The words of a text.
#[derive(Debug, Clone, Default)]
pub(super) struct TextWords(HashSet<String>);

/// Lines at the beginning and at the end that are read.
const LINES: usize = 200;

/// Bytes of a line that are read.
const LONGEST: usize = 4 * 1024;

/// One word is shared by chance.
const FEWEST: usize = 2;

/// Words that every case is thought to have besides its own, so that a case of few words does not resemble every text.
const SMOOTHING: f64 = 3.0;

impl TextWords {
    /// The words of a text's first and last lines.
    pub(super) fn of(transcript: &Transcript) -> Self {
        let len = transcript.len();
        let lines = (0..len).filter(|&line| line < LINES || line + LINES >= len);
        Self(lines.flat_map(|line| words(head(transcript.line(line).text))).collect())
    }

    /// For each case how much it resembles the text: the share of its words, weighed by how rare they are among the cases,
    /// that the text has. Between 0 and 1.
    pub(super) fn resemblances(&self, cases: &[Case<'_>]) -> Vec<f64> {
        if self.0.is_empty() {
            return vec![0.0; cases.len()];
        }
        let of_cases: Vec<Vec<String>> = cases.iter().map(words_of).collect();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for word in of_cases.iter().flatten() {
            *counts.entry(word).or_default() += 1;
        }
        let rarity = |word: &String| {
            let count = counts.get(word.as_str()).copied().unwrap_or(1);
            ((1 + cases.len()) as f64 / count as f64).ln()
        };
        let resemblance = |words: &Vec<String>| {
            let shared: Vec<&String> = words.iter().filter(|word| self.0.contains(*word)).collect();
            if shared.len() < FEWEST {
                return 0.0;
            }
            let all: f64 = words.iter().map(rarity).sum();
            shared.into_iter().map(rarity).sum::<f64>() / (all + SMOOTHING)
        };
        of_cases.iter().map(resemblance).collect()
    }
}

/// The words of a case, each once. In their order, so that sums of their weights are the same in every run.
fn words_of(case: &Case<'_>) -> Vec<String> {
    let mut found: Vec<String> = case.clues.iter().flat_map(|clue| words(clue)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn head(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

/// Words of three letters or more, in lower case and without the `s` of a plural.
fn words(text: &str) -> impl Iterator<Item = String> {
    let parts = text.split(|c: char| !c.is_ascii_alphanumeric());
    let known = parts.filter(|part| part.len() >= 3 && !part.bytes().all(|byte| byte.is_ascii_digit()));
    known.map(|part| part.to_ascii_lowercase().trim_end_matches('s').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Book;
    use crate::text;

    #[test]
    fn a_case_with_the_same_clues_resembles_the_text_most() {
        let book = Book::new(true);
        let cases = book.cases("oom");
        let of = |log: &str| {
            let alike = TextWords::of(&text::read(log.as_bytes())).resemblances(&cases);
            assert!(alike.iter().all(|share| (0.0..=1.0).contains(share)));
            let best = alike.iter().enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(place, _)| place);
            best.map(|place| cases[place].clues.join(" ")).unwrap_or_default()
        };
        let clues = of("pinned host memory could not be allocated although the GPU is empty");
        assert!(clues.contains("pinned host memory"), "{clues}");
        let nothing = TextWords::of(&text::read(b"")).resemblances(&cases);
        assert!(nothing.iter().all(|share| *share == 0.0));
    }
}
