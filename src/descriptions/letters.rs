//! Whether a text tells of a problem at all, and which page it is about, by its words, pairs of words and runs of letters: what
//! no concept names, a typing error and a language without spaces included.
//!
//! Logistic regression over hashed features (Weinberger et al. 2009), learned three times: from the same descriptions as the
//! kinds, from whole posts with all that they quote, and once more for each page that many posts are about. `build.rs` includes
//! this file by path, and learns.

use std::ops::RangeInclusive;

use super::model::Row;

/// How a text is read.
#[derive(Clone, Copy)]
pub(crate) struct Reading {
    /// Letters of it that are read.
    most: usize,
    /// Buckets of runs of letters.
    letters: u32,
    /// Buckets of words and their pairs, behind those of letters.
    words: u32,
}

/// Sentences: a writer says what is wrong at the beginning.
pub(crate) const SENTENCES: Reading = Reading { most: 1500, letters: 1 << 17, words: 1 << 16 };
/// A post, which may say it below a log.
pub(crate) const POST: Reading = Reading { most: 4000, ..SENTENCES };
/// A post of which is asked, for each page, whether it is about it: with a quarter of the buckets, a page is found as often.
pub(crate) const PAGE: Reading = Reading { most: 1500, letters: 1 << 15, words: 1 << 14 };

/// Letters in a run.
const RUN: RangeInclusive<usize> = 2..=5;

/// The probability of what `row` speaks for.
#[allow(dead_code, reason = "only the library asks")]
pub(crate) fn probability<B: AsRef<[u8]>>(row: &Row<B>, text: &str, reading: Reading) -> f32 {
    logistic(log_odds_of(row, &features(text, reading)))
}

/// The log-odds of it, for features that several rows are asked about.
#[allow(dead_code, reason = "only the library asks")]
pub(crate) fn log_odds_of<B: AsRef<[u8]>>(row: &Row<B>, features: &[(u32, f32)]) -> f32 {
    row.score(features.iter().map(|(bucket, scale)| (*bucket as usize, *scale)))
}

/// The probability with these log-odds.
#[allow(dead_code, reason = "only the library asks")]
pub(crate) fn logistic(score: f32) -> f32 {
    1.0 / (1.0 + (-score).exp())
}

/// The buckets of a text, each with its weight in a sum: the features of a sort are as long as one together.
pub(crate) fn features(text: &str, reading: Reading) -> Vec<(u32, f32)> {
    let (letters, words) = buckets(text, reading);
    let scale = |of: &[u32]| 1.0 / (of.len().max(1) as f32).sqrt();
    let (letter, word) = (scale(&letters), scale(&words));
    let letters = letters.into_iter().map(|bucket| (bucket, letter));
    letters.chain(words.into_iter().map(|bucket| (reading.letters + bucket, word))).collect()
}

/// Runs of letters within words, and words and their pairs: each bucket once.
fn buckets(text: &str, reading: Reading) -> (Vec<u32>, Vec<u32>) {
    let text: String = text.chars().take(reading.most).flat_map(char::to_lowercase).collect();
    let mut letters = runs(&text, RUN, reading.letters);
    let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '\'');
    let mut words = Vec::new();
    let mut before = "";
    for part in text.split_inclusive(|letter: char| !is_word(letter)) {
        let word = part.trim_end_matches(|letter: char| !is_word(letter));
        for word in [word, &part[word.len()..]]
            .into_iter()
            .filter(|it| it.starts_with(|c| is_word(c) || matches!(c, '?' | '!')))
        {
            words.extend([hash(&[word]) % reading.words, hash(&[before, word]) % reading.words]);
            before = word;
        }
    }
    for buckets in [&mut letters, &mut words] {
        buckets.sort_unstable();
        buckets.dedup();
    }
    (letters, words)
}

/// The buckets of all runs of so many letters within words, in the order of the text.
pub(crate) fn runs(text: &str, lengths: RangeInclusive<usize>, buckets: u32) -> Vec<u32> {
    let mut out = Vec::new();
    for word in text.split_whitespace() {
        let word = format!(" {word} ");
        let starts: Vec<usize> = word.char_indices().map(|(at, _)| at).chain([word.len()]).collect();
        for run in lengths.clone() {
            out.extend(starts.windows(run + 1).map(|at| hash(&[&word[at[0]..at[run]]]) % buckets));
        }
    }
    out
}

/// FNV-1a of the parts, one behind the other.
fn hash(parts: &[&str]) -> u32 {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    (hash ^ (hash >> 32)) as u32
}

/// What is learned from: the features of a text, and how much it counts beside others.
#[allow(dead_code, reason = "build.rs learns")]
pub(crate) struct Example {
    pub(crate) features: Vec<(u32, f32)>,
    pub(crate) worth: f32,
}

/// Learns what tells the examples for which `is_so` holds from the others: logistic regression by dual coordinate descent (Yu,
/// Huang, Lin 2011), which needs no step size.
#[allow(dead_code, reason = "build.rs learns")]
pub(crate) fn learn(
    examples: &[Example],
    is_so: impl Fn(usize) -> bool,
    reading: Reading,
    passes: usize,
) -> Row<Vec<u8>> {
    /// How much an example counts against the size of the weights.
    const WORTH: f32 = 10.0;
    /// How near a share comes to its ends, as a part of them, where logarithms have no value.
    const LEAST: f32 = 1e-5;
    let mut weights = vec![0.0_f32; (reading.letters + reading.words) as usize];
    let mut bias = 0.0_f32;
    // Each example's share in the weights, between 0 and its worth.
    let mut shares: Vec<f32> = examples.iter().map(|example| WORTH * example.worth * 0.001).collect();
    let sign = |place: usize| if is_so(place) { 1.0 } else { -1.0 };
    for (place, (example, share)) in examples.iter().zip(&shares).enumerate() {
        for (bucket, scale) in &example.features {
            weights[*bucket as usize] += sign(place) * share * scale;
        }
        bias += sign(place) * share;
    }
    for pass in 0..passes {
        let stride = super::model::stride(examples.len(), pass);
        for turn in 0..examples.len() {
            let place = turn * stride % examples.len();
            let (Example { features, worth }, sign) = (&examples[place], sign(place));
            let worth = WORTH * worth;
            let length: f32 = 1.0 + features.iter().map(|(_, scale)| scale * scale).sum::<f32>();
            let score: f32 =
                bias + features.iter().map(|(bucket, scale)| weights[*bucket as usize] * scale).sum::<f32>();
            // Newton's steps for the share that suits the score best while the other shares stay.
            let (old, slope_of_score) = (shares[place], sign * score);
            let mut share = old;
            for _ in 0..8 {
                let slope = slope_of_score + length * (share - old) + (share / (worth - share)).ln();
                let bend = length + worth / (share * (worth - share));
                let next = share - slope / bend;
                share = next.clamp(share * 0.1, worth - (worth - share) * 0.1);
                share = share.clamp(LEAST * worth, worth - LEAST * worth);
            }
            shares[place] = share;
            let change = sign * (share - old);
            for (bucket, scale) in features {
                weights[*bucket as usize] += change * scale;
            }
            bias += change;
        }
    }
    Row::new(&weights, bias)
}
