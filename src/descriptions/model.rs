//! Which kind of problem a description is of, and which situation of that kind: a weight for each concept and word and each
//! kind, learned from composed descriptions.
//!
//! `build.rs` includes this file by path, and learns.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// The kinds of descriptions in which nobody has a problem begin so.
pub(crate) const NONE: &str = "none";

/// What was learned, packed by `build.rs`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Learned<S, B> {
    /// The names of the concepts.
    pub(crate) concepts: Vec<S>,
    /// The ways to say them, each with the number of its concept.
    pub(crate) alternatives: Vec<(u16, S)>,
    /// The concepts by which a person writes.
    pub(crate) writer: Vec<u16>,
    /// The concepts by which somebody asks for help.
    pub(crate) asks: Vec<u16>,
    /// The plain words that say something beside the concepts; their features are numbered after those of the concepts.
    pub(crate) words: Vec<S>,
    /// The kinds of problems: names of pages, or of entries of `kb/errors`. All kinds without a problem are one, `none`.
    pub(crate) kinds: Vec<S>,
    /// For each kind how far each feature speaks for it.
    pub(crate) rows: Vec<Row<B>>,
}

/// The situations of one kind of problem: causes of a page, or names that actions of an entry have. Packed apart from the rest,
/// because the answers for most pages only ask that there are none.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Situations<S, B> {
    /// The kind.
    pub(crate) kind: S,
    /// Their names.
    pub(crate) names: Vec<S>,
    /// For each of them how far each feature speaks for it among the others.
    pub(crate) rows: Vec<Row<B>>,
}

/// How far each feature speaks for something, in a byte for each: precise enough, and read in place.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Row<B> {
    /// Hundred-and-twenty-sevenths of `most`, as `i8`.
    weights: B,
    /// The largest weight.
    most: f32,
    /// What every text has in any case.
    bias: f32,
}

impl Row<Vec<u8>> {
    /// Rounds the weights of features.
    #[allow(dead_code, reason = "build.rs learns")]
    pub(crate) fn new(weights: &[f32], bias: f32) -> Self {
        let most = weights.iter().fold(f32::MIN_POSITIVE, |most, weight| most.max(weight.abs()));
        let weights = weights.iter().map(|weight| (weight / most * 127.0).round() as i8 as u8).collect();
        Self { weights, most, bias }
    }
}

impl<B: AsRef<[u8]>> Row<B> {
    /// The log-odds of a text with these features, each with its weight in the sum.
    #[allow(dead_code, reason = "only the library asks")]
    pub(crate) fn score(&self, features: impl Iterator<Item = (usize, f32)>) -> f32 {
        let weights = self.weights.as_ref();
        let weight = |feature: usize| weights.get(feature).map_or(0.0, |&weight| f32::from(weight as i8));
        features.map(|(feature, scale)| weight(feature) * scale).sum::<f32>() * self.most / 127.0 + self.bias
    }
}

/// The probability of each row, in their order.
#[allow(dead_code, reason = "only the library asks")]
pub(crate) fn probabilities<B: AsRef<[u8]>>(rows: &[Row<B>], features: &Features) -> Vec<f32> {
    softmax(rows.iter().map(|row| row.score(features.scaled())).collect())
}

/// What a text holds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Features {
    /// See `Concepts::features`.
    pub(crate) concepts: BTreeSet<u16>,
    /// See `Words::features`.
    pub(crate) words: BTreeSet<u16>,
}

impl Features {
    /// The weight of each feature in a score: many of a sort say little more together than a few.
    fn scaled(&self) -> impl Iterator<Item = (usize, f32)> {
        let scale = |of: &BTreeSet<u16>, factor: f32| factor / (of.len().max(1) as f32).sqrt();
        let (concept, word) = (scale(&self.concepts, 2.0), scale(&self.words, 1.0));
        let concepts = self.concepts.iter().map(move |&feature| (usize::from(feature), concept));
        concepts.chain(self.words.iter().map(move |&feature| (usize::from(feature), word)))
    }
}

fn softmax(mut scores: Vec<f32>) -> Vec<f32> {
    let most = scores.iter().copied().fold(f32::MIN, f32::max);
    for score in &mut scores {
        *score = (*score - most).exp();
    }
    let sum: f32 = scores.iter().sum();
    for score in &mut scores {
        *score /= sum;
    }
    scores
}

/// Learns the rows of kinds: multinomial logistic regression by stochastic gradient descent with AdaGrad's step sizes
/// (Duchi, Hazan, Singer 2011), always in the same order. An example of a rare kind is worth more, and one
/// of the kind `twice` as much again. `examples` are features with the number of their kind.
#[allow(dead_code, reason = "build.rs learns")]
pub(crate) fn learn(
    examples: &[(Features, usize)],
    kinds: usize,
    features: usize,
    twice: Option<usize>,
) -> Vec<Row<Vec<u8>>> {
    /// Passes over the examples, the first step, and how strongly weights are drawn to zero in each.
    const PASSES: usize = 15;
    const STEP: f32 = 0.25;
    const SHRINK: f32 = 0.01;
    // By feature: the weights of all kinds for one of them stand side by side. The last feature is what every text has.
    let mut weights = vec![0.0_f32; (features + 1) * kinds];
    let mut squares = vec![1.0_f32; (features + 1) * kinds];
    let of = |feature: usize| feature * kinds..(feature + 1) * kinds;
    let examples: Vec<(Vec<(usize, f32)>, usize)> =
        examples.iter().map(|(present, kind)| (present.scaled().chain([(features, 1.0)]).collect(), *kind)).collect();
    let mut counts = vec![0.0_f32; kinds];
    for (_, kind) in &examples {
        counts[*kind] += 1.0;
    }
    let mean = examples.len() as f32 / kinds.max(1) as f32;
    for pass in 0..PASSES {
        // A stride that shares no factor with the number of examples visits each once, in another order each time.
        let stride = stride(examples.len(), pass);
        for turn in 0..examples.len() {
            let (present, right) = &examples[turn * stride % examples.len()];
            let mut scores = vec![0.0; kinds];
            for (feature, scale) in present {
                for (score, weight) in scores.iter_mut().zip(&weights[of(*feature)]) {
                    *score += weight * scale;
                }
            }
            let worth = (mean / counts[*right]).sqrt() * if twice == Some(*right) { 2.0 } else { 1.0 };
            let error = |(kind, probability)| worth * (probability - if kind == *right { 1.0 } else { 0.0 });
            let mut errors: Vec<(usize, f32)> = (0..).zip(softmax(scores).into_iter().enumerate().map(error)).collect();
            errors.retain(|(_, error)| error.abs() >= 0.001);
            for (feature, scale) in present {
                let (weights, squares) = (&mut weights[of(*feature)], &mut squares[of(*feature)]);
                for (kind, error) in &errors {
                    let (weight, square) = (&mut weights[*kind], &mut squares[*kind]);
                    let slope = error * scale + SHRINK * *weight;
                    *square += slope * slope;
                    *weight -= STEP * slope / square.sqrt();
                }
            }
        }
    }
    let weight = |feature: usize, kind: usize| weights[feature * kinds + kind];
    let row = |kind| (0..features).map(|feature| weight(feature, kind)).collect::<Vec<_>>();
    (0..kinds).map(|kind| Row::new(&row(kind), weight(features, kind))).collect()
}

/// A number near the golden section of `count` that shares no factor with it, another one for each pass.
pub(super) fn stride(count: usize, pass: usize) -> usize {
    let shares = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a > 1
    };
    let mut stride = count * 618 / 1000 + 1 + pass * 7;
    while shares(stride, count) {
        stride += 1;
    }
    stride
}
