//! Whether a text tells of a problem at all, by its words, pairs of words and runs of letters: what no concept names, a typing
//! error and a language without spaces included.
//!
//! Logistic regression over hashed features (Weinberger et al. 2009), learned twice: from the same descriptions as the kinds,
//! and from whole posts with all that they quote. `build.rs` includes this file by path, and learns.

use super::model::Row;

/// Buckets of runs of letters and of words.
const LETTERS: u32 = 1 << 17;
const WORDS: u32 = 1 << 16;

/// Letters in a run.
const RUN: std::ops::RangeInclusive<usize> = 2..=5;

/// Letters that are read of sentences: a writer says what is wrong at the beginning.
pub(crate) const OF_SENTENCES: usize = 1500;
/// The same of a post, which may say it below a log.
pub(crate) const OF_A_POST: usize = 4000;

/// The probability that the first `most` letters of a text tell of no problem of its writer; `row` speaks for that.
#[allow(dead_code, reason = "only the library asks")]
pub(crate) fn no_problem<B: AsRef<[u8]>>(row: &Row<B>, text: &str, most: usize) -> f32 {
    logistic(row.score(scaled(text, most).map(|(bucket, scale)| (bucket as usize, scale))))
}

#[allow(dead_code, reason = "only the library asks")]
fn logistic(score: f32) -> f32 {
    1.0 / (1.0 + (-score).exp())
}

/// The buckets of a text, each with its weight in a sum: the features of a sort are as long as one together.
fn scaled(text: &str, most: usize) -> impl Iterator<Item = (u32, f32)> {
    let (letters, words) = buckets(text, most);
    let scale = |of: &[u32]| 1.0 / (of.len().max(1) as f32).sqrt();
    let (letter, word) = (scale(&letters), scale(&words));
    let letters = letters.into_iter().map(move |bucket| (bucket, letter));
    letters.chain(words.into_iter().map(move |bucket| (LETTERS + bucket, word)))
}

/// Runs of letters within words, and words and their pairs: each bucket once.
fn buckets(text: &str, most: usize) -> (Vec<u32>, Vec<u32>) {
    let text: String = text.chars().take(most).flat_map(char::to_lowercase).collect();
    let mut letters = Vec::new();
    for word in text.split_whitespace() {
        let word = format!(" {word} ");
        let starts: Vec<usize> = word.char_indices().map(|(at, _)| at).chain([word.len()]).collect();
        for run in RUN {
            letters.extend(starts.windows(run + 1).map(|at| hash(&[&word[at[0]..at[run]]]) % LETTERS));
        }
    }
    let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '\'');
    let mut words = Vec::new();
    let mut before = "";
    for part in text.split_inclusive(|letter: char| !is_word(letter)) {
        let word = part.trim_end_matches(|letter: char| !is_word(letter));
        for word in [word, &part[word.len()..]]
            .into_iter()
            .filter(|it| it.starts_with(|c| is_word(c) || matches!(c, '?' | '!')))
        {
            words.extend([hash(&[word]) % WORDS, hash(&[before, word]) % WORDS]);
            before = word;
        }
    }
    for buckets in [&mut letters, &mut words] {
        buckets.sort_unstable();
        buckets.dedup();
    }
    (letters, words)
}

/// FNV-1a of the parts, one behind the other.
fn hash(parts: &[&str]) -> u32 {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    (hash ^ (hash >> 32)) as u32
}

/// Learns from the first `most` letters of texts, each with whether it tells of no problem: logistic regression by dual
/// coordinate descent (Yu, Huang, Lin 2011), which needs no step size.
#[allow(dead_code, reason = "build.rs learns")]
pub(crate) fn learn(texts: &[(&str, bool)], most: usize) -> Row<Vec<u8>> {
    /// How much an example counts against the size of the weights, and passes over the examples.
    const WORTH: f32 = 10.0;
    const PASSES: usize = 12;
    /// How near a share comes to its ends, where logarithms have no value.
    const LEAST: f32 = 1e-4;
    let examples: Vec<(Vec<(u32, f32)>, f32)> =
        texts.iter().map(|(text, none)| (scaled(text, most).collect(), if *none { 1.0 } else { -1.0 })).collect();
    let mut weights = vec![0.0_f32; (LETTERS + WORDS) as usize];
    let mut bias = 0.0_f32;
    // Each example's share in the weights, between 0 and WORTH.
    let mut shares = vec![WORTH * 0.001; examples.len()];
    for ((features, sign), share) in examples.iter().zip(&shares) {
        for (bucket, scale) in features {
            weights[*bucket as usize] += sign * share * scale;
        }
        bias += sign * share;
    }
    for pass in 0..PASSES {
        let stride = super::model::stride(examples.len(), pass);
        for turn in 0..examples.len() {
            let place = turn * stride % examples.len();
            let (features, sign) = &examples[place];
            let length: f32 = 1.0 + features.iter().map(|(_, scale)| scale * scale).sum::<f32>();
            let score: f32 =
                bias + features.iter().map(|(bucket, scale)| weights[*bucket as usize] * scale).sum::<f32>();
            // Newton's steps for the share that suits the score best while the other shares stay.
            let (old, slope_of_score) = (shares[place], sign * score);
            let mut share = old;
            for _ in 0..8 {
                let slope = slope_of_score + length * (share - old) + (share / (WORTH - share)).ln();
                let bend = length + WORTH / (share * (WORTH - share));
                let next = share - slope / bend;
                share = next.clamp(share * 0.1, WORTH - (WORTH - share) * 0.1).clamp(LEAST, WORTH - LEAST);
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
