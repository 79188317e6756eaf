//! Which advice of the book helped with problems that were told in words like these.
//!
//! Texts are alike by their runs of letters, which count more the rarer they are (tf-idf, Salton and Buckley 1988). Advice is as
//! near to a text as its own words are, and as the posts are that were solved by what it says (Rocchio 1971): those whose
//! `resolution` has its words. `build.rs` includes this file by path, and learns.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::letters::runs;

/// Letters of a text that are read.
const MOST_LETTERS: usize = 1500;
/// Letters in a run.
const RUN: RangeInclusive<usize> = 4..=5;
const BUCKETS: u32 = 1 << 16;

/// How precise a bucket's rarity is, which is at most 10.
const RARITY: f32 = 25.0;

/// Runs of letters of a text that are kept, those that tell most.
#[allow(dead_code, reason = "build.rs learns")]
const KEPT: usize = 200;
/// So many pieces of advice, those whose words are nearest to the solution of a post, count as what solved it.
#[allow(dead_code, reason = "build.rs learns")]
const SOLVED_BY: usize = 20;
/// What solves fewer posts is no advice for others; and how much the posts count beside the words.
const FEWEST_SOLVED: usize = 4;
#[allow(dead_code, reason = "build.rs learns")]
const OF_POSTS: f32 = 1.5;

/// Where a piece of advice is in the book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Place<S> {
    /// A fix of a cause of a page, by its number.
    Fix { page: S, cause: S, number: usize },
    /// A recipe, which pages link to.
    Recipe { id: S },
    /// An action of an entry of `kb/errors`, by their numbers.
    Entry { entry: u16, action: usize },
}

/// What was learned, packed by `build.rs`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Advice<S, B> {
    /// The rarity of each bucket.
    rarities: B,
    places: Vec<Place<S>>,
    /// The words of each piece, and those of each post.
    words: Vectors<B>,
    posts: Vectors<B>,
    /// For each piece the posts that it solves, each with how much it counts.
    solves: Vec<Vec<(u16, f32)>>,
}

/// Weights of buckets, a byte for each that is kept.
#[derive(Debug, Serialize, Deserialize)]
struct Vectors<B> {
    /// For each vector where it ends, and what one of its weights is worth.
    rows: Vec<(u32, f32)>,
    /// Two bytes for each bucket.
    buckets: B,
    weights: B,
}

impl<B: AsRef<[u8]>> Vectors<B> {
    /// The product of a vector with a text.
    #[allow(dead_code, reason = "only the library asks")]
    fn product(&self, row: usize, text: &[f32]) -> f32 {
        let (end, worth) = self.rows[row];
        let start = row.checked_sub(1).map_or(0, |before| self.rows[before].0);
        let kept = start as usize..end as usize;
        let (buckets, _) = self.buckets.as_ref().as_chunks::<2>();
        let products = buckets[kept.clone()].iter().zip(&self.weights.as_ref()[kept]);
        products.map(|(pair, weight)| text[usize::from(u16::from_le_bytes(*pair))] * f32::from(*weight)).sum::<f32>()
            * worth
    }
}

/// A text, compared with posts.
#[allow(dead_code, reason = "only the library asks")]
pub(crate) struct Compared<'a, S, B> {
    advice: &'a Advice<S, B>,
    /// The weight of each bucket.
    text: Vec<f32>,
    /// How near each post is.
    posts: Vec<f32>,
}

#[allow(dead_code, reason = "only the library asks")]
impl<S: Copy + PartialEq, B: AsRef<[u8]>> Compared<'_, S, B> {
    /// How near a piece of advice is: 1 for its own words.
    fn near(&self, piece: usize) -> f32 {
        let of_post = |(post, worth): &(u16, f32)| self.posts[usize::from(*post)] * worth;
        self.advice.words.product(piece, &self.text) + self.advice.solves[piece].iter().map(of_post).sum::<f32>()
    }

    /// The same of the advice in this place; 0 if nothing is known of it.
    pub(crate) fn nearness(&self, place: Place<S>) -> f32 {
        self.advice.places.iter().position(|known| *known == place).map_or(0.0, |piece| self.near(piece))
    }

    /// The advice that solved enough posts, the nearest first, with how near it is.
    pub(crate) fn nearest(&self) -> Vec<(Place<S>, f32)> {
        let proven = (0..self.advice.places.len()).filter(|piece| self.advice.solves[*piece].len() >= FEWEST_SOLVED);
        let mut nearest: Vec<_> = proven.map(|piece| (self.advice.places[piece], self.near(piece))).collect();
        nearest.sort_by(|a, b| b.1.total_cmp(&a.1));
        nearest
    }
}

impl<S, B: AsRef<[u8]>> Advice<S, B> {
    /// Compares a text with all posts.
    #[allow(dead_code, reason = "only the library asks")]
    pub(crate) fn compared(&self, text: &str) -> Compared<'_, S, B> {
        let rarity = |bucket: u32| f32::from(self.rarities.as_ref()[bucket as usize]) / RARITY;
        let mut dense = vec![0.0; BUCKETS as usize];
        for (bucket, weight) in vector(text, rarity) {
            dense[bucket as usize] = weight;
        }
        let posts = (0..self.posts.rows.len()).map(|post| self.posts.product(post, &dense)).collect();
        Compared { advice: self, text: dense, posts }
    }
}

/// The weights of a text's buckets, of length 1 together.
fn vector(text: &str, rarity: impl Fn(u32) -> f32) -> Vec<(u32, f32)> {
    let counts = counts(text);
    let weighed = counts.into_iter().map(|(bucket, count)| (bucket, (1.0 + count.ln()) * rarity(bucket)));
    unit(weighed.filter(|(_, weight)| *weight > 0.0).collect())
}

/// How often a text has each bucket, in their order.
fn counts(text: &str) -> Vec<(u32, f32)> {
    let text: String = text.chars().take(MOST_LETTERS).flat_map(char::to_lowercase).collect();
    let mut all = runs(&text, RUN, BUCKETS);
    all.sort_unstable();
    all.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as f32)).collect()
}

fn length(weights: impl Iterator<Item = f32>) -> f32 {
    weights.map(|weight| weight * weight).sum::<f32>().sqrt().max(f32::MIN_POSITIVE)
}

fn unit(mut vector: Vec<(u32, f32)>) -> Vec<(u32, f32)> {
    let length = length(vector.iter().map(|(_, weight)| *weight));
    vector.iter_mut().for_each(|(_, weight)| *weight /= length);
    vector
}

/// Learns from the words of each piece of advice, and from posts with their solutions.
#[allow(dead_code, reason = "build.rs learns")]
pub(crate) fn learn(pieces: Vec<(Place<String>, String)>, posts: &[(&str, &str)]) -> Advice<String, Vec<u8>> {
    let texts = || pieces.iter().map(|(_, words)| words.as_str()).chain(posts.iter().map(|(post, _)| *post));
    let rarities = rarities(texts());
    let rarity = |bucket: u32| f32::from(rarities[bucket as usize]) / RARITY;
    let words: Vec<_> = pieces.iter().map(|(_, words)| vector(words, rarity)).collect();
    let kept: Vec<_> = posts.iter().map(|(post, _)| most_telling(vector(post, rarity))).collect();

    let mut with_bucket: Vec<Vec<(usize, f32)>> = vec![Vec::new(); BUCKETS as usize];
    for (piece, vector) in words.iter().enumerate() {
        vector.iter().for_each(|(bucket, weight)| with_bucket[*bucket as usize].push((piece, *weight)));
    }
    let mut solves: Vec<Vec<(u16, f32)>> = vec![Vec::new(); pieces.len()];
    for (post, (_, solution)) in (0..).zip(posts) {
        let mut scores = vec![0.0; pieces.len()];
        for (bucket, weight) in vector(solution, rarity) {
            with_bucket[bucket as usize].iter().for_each(|(piece, other)| scores[*piece] += weight * other);
        }
        let mut nearest: Vec<usize> = (0..pieces.len()).filter(|piece| scores[*piece] > 0.0).collect();
        nearest.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        nearest.into_iter().take(SOLVED_BY).for_each(|piece| solves[piece].push((post, scores[piece])));
    }

    let (mut places, mut own, mut solved) = (Vec::new(), Vec::new(), Vec::new());
    for (((place, _), words), mut posts) in pieces.into_iter().zip(words).zip(solves) {
        // Of a fix or a recipe it is also asked where its page is open, however few posts it solves.
        if matches!(place, Place::Entry { .. }) && posts.len() < FEWEST_SOLVED {
            continue;
        }
        let mut together = vec![0.0; BUCKETS as usize];
        for (post, worth) in &posts {
            kept[usize::from(*post)].iter().for_each(|(bucket, weight)| together[*bucket as usize] += worth * weight);
        }
        let worth = OF_POSTS / length(together.iter().copied());
        together.iter_mut().for_each(|weight| *weight *= worth);
        let words = most_telling(words);
        words.iter().for_each(|(bucket, weight)| together[*bucket as usize] += weight);
        let length = length(together.into_iter());
        posts.iter_mut().for_each(|(_, of_post)| *of_post *= worth / length);
        own.push(words.into_iter().map(|(bucket, weight)| (bucket, weight / length)).collect());
        solved.push(posts);
        places.push(place);
    }
    Advice { rarities, places, words: Vectors::new(&own), posts: Vectors::new(&kept), solves: solved }
}

/// How rare each bucket is among texts; a bucket of one text alone tells nothing.
#[allow(dead_code, reason = "build.rs learns")]
fn rarities<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<u8> {
    let (mut texts_with, mut all) = (vec![0_u32; BUCKETS as usize], 0_u32);
    for text in texts {
        counts(text).into_iter().for_each(|(bucket, _)| texts_with[bucket as usize] += 1);
        all += 1;
    }
    let rarity = |with: u32| ((1.0 + all as f32) / (1.0 + with as f32)).ln() + 1.0;
    texts_with.into_iter().map(|with| if with < 2 { 0 } else { (rarity(with) * RARITY).round() as u8 }).collect()
}

#[allow(dead_code, reason = "build.rs learns")]
fn most_telling(mut vector: Vec<(u32, f32)>) -> Vec<(u32, f32)> {
    vector.sort_by(|a, b| b.1.total_cmp(&a.1));
    vector.truncate(KEPT);
    vector.sort_by_key(|(bucket, _)| *bucket);
    vector
}

#[allow(dead_code, reason = "build.rs learns")]
impl Vectors<Vec<u8>> {
    /// Rounds the weights.
    fn new(vectors: &[Vec<(u32, f32)>]) -> Self {
        let mut out = Self { rows: Vec::new(), buckets: Vec::new(), weights: Vec::new() };
        for vector in vectors {
            let most = vector.iter().fold(f32::MIN_POSITIVE, |most, (_, weight)| most.max(*weight));
            for (bucket, weight) in vector {
                out.buckets.extend((*bucket as u16).to_le_bytes());
                out.weights.push((weight / most * 255.0).round() as u8);
            }
            out.rows.push((out.weights.len() as u32, most / 255.0));
        }
        out
    }
}
