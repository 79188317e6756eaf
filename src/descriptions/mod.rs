//! What kind of problem somebody describes who has no message: "it takes ages", "the images are all black".
//!
//! Learned by `build.rs` from the composed descriptions in `kb/descriptions`, with the concepts of
//! `kb/wording/concepts.toml` and the plain words that several of them use. A new kind needs no Rust: a file named like a
//! page or like an entry of `kb/errors`, or a folder with a file for each situation (a cause of the page, or the `told` of an
//! action of the entry). Whether there is a problem at all is learned once more from words, their pairs and runs of letters:
//! this has no concept to know, and is sure more often where it is sure. From the posts of `kb/threads` is learned, in the same
//! way, whether anything failed in a whole post, whatever messages it quotes, and which page it is about: a second opinion on
//! the kind. Decoded when first asked: where the book found nothing in a text, or where sentences accompany a failure whose
//! situations are distinguished.

mod concepts;
mod courtesies;
mod letters;
mod model;
mod nearest_advice;
mod words;

use std::sync::LazyLock;

pub(crate) use concepts::{Concepts, is_unspaced};
use letters::{PAGE, POST, SENTENCES};
use model::{Features, Learned, NONE, Row, Situations, probabilities};
use nearest_advice::Advice;
pub(crate) use nearest_advice::Place;
use words::Words;

use crate::wording;

/// What somebody describes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Described {
    /// The likeliest kind of problem: the id of a page or of an entry of `kb/errors`.
    pub(crate) kind: &'static str,
    /// The probability of this kind, if there is a problem.
    pub(crate) probability: f32,
    /// The kind that is likeliest after it.
    pub(crate) second: &'static str,
    /// The probability that the text describes no problem of its writer.
    pub(crate) no_problem: f32,
    /// Whether a person seems to write, and not a program.
    pub(crate) by_person: bool,
    /// Whether the text asks something.
    pub(crate) asks: bool,
    /// How many concepts were found, negated ones counted twice.
    pub(crate) concepts: usize,
}

struct Reader {
    learned: Learned<&'static str, &'static [u8]>,
    concepts: Concepts<'static>,
    words: Words<'static>,
    none: usize,
}

static READER: LazyLock<Reader> = LazyLock::new(|| {
    let bytes = include_bytes!(concat!(env!("OUT_DIR"), "/descriptions.postcard"));
    let learned: Learned<&'static str, &'static [u8]> =
        postcard::from_bytes(bytes).expect("the same build wrote these bytes");
    let concepts = Concepts::new(learned.concepts.iter().copied(), learned.alternatives.iter().copied());
    let after_concepts = u16::try_from(2 * learned.concepts.len()).expect("as at build time");
    let words = Words::new(learned.words.iter().copied(), after_concepts);
    let none = learned.kinds.iter().position(|kind| *kind == NONE).unwrap_or(usize::MAX);
    Reader { learned, concepts, words, none }
});

static LETTERS: LazyLock<Row<&'static [u8]>> = LazyLock::new(|| {
    let bytes = include_bytes!(concat!(env!("OUT_DIR"), "/letters.postcard"));
    postcard::from_bytes(bytes).expect("the same build wrote these bytes")
});

static POSTS: LazyLock<Row<&'static [u8]>> = LazyLock::new(|| {
    let bytes = include_bytes!(concat!(env!("OUT_DIR"), "/posts.postcard"));
    postcard::from_bytes(bytes).expect("the same build wrote these bytes")
});

/// A page, and what tells the posts about it from others.
type Page = (&'static str, Row<&'static [u8]>);

static PAGES: LazyLock<Vec<Page>> = LazyLock::new(|| {
    let bytes = include_bytes!(concat!(env!("OUT_DIR"), "/pages.postcard"));
    postcard::from_bytes(bytes).expect("the same build wrote these bytes")
});

static NEAREST_ADVICE: LazyLock<Advice<&'static str, &'static [u8]>> = LazyLock::new(|| {
    let bytes = include_bytes!(concat!(env!("OUT_DIR"), "/nearest_advice.postcard"));
    postcard::from_bytes(bytes).expect("the same build wrote these bytes")
});

static SITUATIONS: LazyLock<Vec<Situations<&'static str, &'static [u8]>>> = LazyLock::new(|| {
    let bytes = include_bytes!(concat!(env!("OUT_DIR"), "/situations.postcard"));
    postcard::from_bytes(bytes).expect("the same build wrote these bytes")
});

/// The probability that a text tells of no problem of its writer, by its words and letters alone, without thanks.
pub(crate) fn no_problem(text: &str) -> f32 {
    letters::probability(&LETTERS, &without_courtesies(text), SENTENCES)
}

/// The probability that nothing failed for the writer of a whole post, with the logs and messages that it quotes and without
/// thanks: on 452 unseen posts, leaving them out raised the share of problems below every healthy one (AUC) from 0.939 to 0.946.
///
/// Whoever asks for a remedy has a problem (`pleas` in `kb/wording/writing.toml`), with more certainty than the letters of a few words
/// give.
pub(crate) fn nothing_failed(post: &str) -> f32 {
    /// What a plea takes from the log-odds: of the posts from which the model was learned, problems have one eleven
    /// times as often.
    const OF_A_PLEA: f32 = 2.0;
    let lower = post.to_lowercase();
    let pleads = wording::writing().pleas.iter().any(|plea| lower.contains(plea));
    let features = letters::features(&without_courtesies(post), POST);
    letters::logistic(letters::log_odds_of(&POSTS, &features) - if pleads { OF_A_PLEA } else { 0.0 })
}

fn without_courtesies(text: &str) -> String {
    courtesies::without(text, &wording::writing().courtesies)
}

/// The page that the posts most like this one are about, and the probability that this one is. Each page is told from all
/// others, and from problems that no page is about.
pub(crate) fn page_of_posts(post: &str) -> (&'static str, f32) {
    let likeliest = by_posts(post).max_by(|a, b| a.1.total_cmp(&b.1));
    likeliest.map(|(page, log_odds)| (page, letters::logistic(log_odds))).unwrap_or_default()
}

/// Each page that enough posts are about, with the log-odds that this text is about it.
fn by_posts(text: &str) -> impl Iterator<Item = (&'static str, f32)> {
    let features = letters::features(text, PAGE);
    PAGES.iter().map(move |(page, row)| (*page, letters::log_odds_of(row, &features)))
}

/// Whether enough posts are about a page to tell it from others.
pub(crate) fn have_posts(page: &str) -> bool {
    PAGES.iter().any(|(other, _)| *other == page)
}

/// The page that a text is most likely about, and how probable that is, by what posts and concepts say together: of 64 unseen
/// posts in a person's own words that a page is about, this is the page in 84 %, by posts alone in 80 %, and by concepts alone
/// in 72 %. `None` where it holds no concept at all.
pub(crate) fn likeliest_page(text: &str) -> Option<(&'static str, f32)> {
    /// What concepts count beside posts, and the probability that they leave to each page.
    const OF_CONCEPTS: f32 = 0.5;
    const LEAST: f32 = 0.003;
    let kinds = probabilities(&READER.learned.rows, &features(text)?);
    let problem = 1.0 - kinds.get(READER.none).copied().unwrap_or(0.0);
    let by_concepts = |page: &str| {
        let kind = READER.learned.kinds.iter().position(|kind| *kind == page);
        kind.map_or(0.0, |kind| kinds[kind] / problem.max(LEAST)) + LEAST
    };
    let pages = by_posts(text).map(|(page, log_odds)| (page, log_odds + OF_CONCEPTS * by_concepts(page).ln()));
    let (page, log_odds) = pages.max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some((page, letters::logistic(log_odds)))
}

/// A text, compared with the posts that advice of the book solved.
pub(crate) type Compared = nearest_advice::Compared<'static, &'static str, &'static [u8]>;

/// Compares a text with posts. This takes as long as a short answer.
pub(crate) fn compared(text: &str) -> Compared {
    NEAREST_ADVICE.compared(text)
}

/// What the models of concepts read of a text; `None` where it holds no concept at all.
fn features(text: &str) -> Option<Features> {
    let concepts = READER.concepts.features(text);
    (!concepts.is_empty()).then(|| Features { concepts, words: READER.words.features(text) })
}

/// What a text describes; `None` where it holds no concept at all.
pub(crate) fn described(text: &str) -> Option<Described> {
    let features = features(text)?;
    let names = |concepts: &[u16]| concepts.iter().any(|concept| features.concepts.contains(concept));
    let question = text.contains(['?', '？']);
    let probabilities = probabilities(&READER.learned.rows, &features);
    let no_problem = probabilities.get(READER.none).copied().unwrap_or(0.0);
    let mut problems: Vec<(usize, f32)> = probabilities.into_iter().enumerate().collect();
    problems.retain(|(kind, _)| *kind != READER.none);
    problems.sort_by(|a, b| b.1.total_cmp(&a.1));
    let [(kind, probability), (second, _), ..] = problems[..] else { return None };
    Some(Described {
        kind: READER.learned.kinds[kind],
        second: READER.learned.kinds[second],
        probability: probability / (1.0 - no_problem).max(f32::EPSILON),
        no_problem,
        by_person: names(&READER.learned.writer) || question,
        asks: names(&READER.learned.asks) || question,
        concepts: features.concepts.len(),
    })
}

/// Whether the concepts can name a page.
pub(crate) fn can_name(page: &str) -> bool {
    READER.learned.kinds.contains(&page)
}

/// Whether situations of a kind of problem are distinguished.
pub(crate) fn has_situations(kind: &str) -> bool {
    SITUATIONS.iter().any(|known| known.kind == kind)
}

/// The situations that are distinguished in a kind of problem, each with its probability in this text if it is of one of them.
pub(crate) fn situations(kind: &str, text: &str) -> Vec<(&'static str, f32)> {
    let Some(known) = SITUATIONS.iter().find(|known| known.kind == kind) else { return Vec::new() };
    let features = Features { concepts: READER.concepts.features(text), words: READER.words.features(text) };
    known.names.iter().copied().zip(probabilities(&known.rows, &features)).collect()
}

/// All situations that are distinguished, each with its kind.
#[cfg(test)]
pub(crate) fn all_situations() -> impl Iterator<Item = (&'static str, &'static str)> {
    SITUATIONS.iter().flat_map(|known| known.names.iter().map(|name| (known.kind, *name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_describe() {
        for (text, kind) in [
            ("Epochs crawl: 40 minutes each, my old laptop needed ten. What could be the reason?", "slow-training"),
            ("every picture comes out black no matter which prompt", "black-images"),
            ("Seit dem Update rechnet alles auf der CPU, die Grafikkarte wird nicht erkannt", "gpu-not-used"),
            ("the loss is the same after ten epochs, accuracy stays at chance. why?", "not-learning"),
            ("The loss goes down but mAP is 0 after every epoch, nothing is ever detected. Why?", "zero-metrics"),
            ("Two runs with the same seed give different losses, how do I make them equal?", "not-reproducible"),
            ("Validation loss rises from epoch 5 on, training accuracy is 99 %. What helps?", "overfitting"),
        ] {
            let found = described(text).expect("concepts");
            assert_eq!(found.kind, kind, "{text}: {found:?}");
            assert!(found.no_problem < 0.25, "{text}: {found:?}");
        }
    }

    #[test]
    fn the_situation_that_is_told() {
        for (kind, text, situation) in [
            ("hang", "Both nodes reach init_process_group and stay there; each node alone trains fine", "network"),
            ("process-died", "the whole PC reboots as soon as both 3090 are at full load", "hardware-fault"),
            ("oom", "memory use climbs with every epoch until it runs out, batch size 2", "memory-leak"),
            ("slow-training", "an epoch took 5 minutes at first, 40 minutes by epoch 20", "slows-down"),
        ] {
            let found = situations(kind, text).into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).expect("situations");
            assert_eq!(found.0, situation, "{text}: {found:?}");
        }
        assert_eq!(situations("launch-failure", "it fails"), []);
    }

    #[test]
    fn letters_and_words_tell_a_problem_from_none() {
        let problem = no_problem(
            "I train on two 3090 and it stops after some hundred steps, no message, nvidia-smi shows 100 % on both. \
             What could be wrong, and how can I find out?",
        );
        let none =
            no_problem("Release notes: fixes a hang in the data loader, and documents what a killed worker means.");
        assert!(problem < 0.2 && none > 0.8, "{problem} {none}");
    }

    #[test]
    fn posts_in_which_nothing_failed() {
        let well = nothing_failed(
            "Is there a recommended value for NCCL_IB_TIMEOUT on large clusters? The documentation only lists the default. \
             It would be nice to add a sentence about it.",
        );
        let unwell = nothing_failed(
            "Since this morning my training dies after some steps with `torch.OutOfMemoryError: CUDA out of memory`. \
             Nothing was changed, batch size is 8 on a 3090. What can I do about it?",
        );
        assert!(well > 0.6 && unwell < 0.2, "{well} {unwell}");
    }

    #[test]
    fn the_page_that_posts_are_about() {
        for (text, page) in [
            (
                "torch.cuda.is_available() is False, everything is computed on the CPU, the RTX 3060 idles. Why?",
                "gpu-not-used",
            ),
            (
                "After epoch 3 the loss is nan, with fp16 only, bf16 is fine. Gradient clipping did not help.",
                "non-finite",
            ),
            ("Two nodes, DDP: all ranks reach the first all_reduce and wait there forever, GPUs at 100 %.", "hang"),
        ] {
            let found = page_of_posts(text);
            assert!(found.0 == page && found.1 > 0.3, "{text}: {found:?}");
        }
    }

    #[test]
    fn what_is_no_problem() {
        for text in [
            "Thanks, training finished over night and the accuracy is as in the paper.",
            "This PR fixes a hang of the data loader when a worker is killed, and adds a test for it.",
            "How do I set the number of workers, and is there a rule of thumb?",
        ] {
            let found = described(text).expect("concepts");
            assert!(found.no_problem > 0.5, "{text}: {found:?}");
        }
        assert_eq!(described("0x7f"), None);
    }
}
