//! What a text is found by: stems of its words, identifiers in one spelling, pairs of signs of scripts without spaces, and
//! the concepts of `kb/wording/recall.toml` that it names.

use std::collections::HashMap;
use std::sync::OnceLock;

use aho_corasick::AhoCorasick;
use frostem::{Algorithm, Stemmer};

use crate::diagnosis::evidence::is_function_word;
use crate::text::words::words;
use crate::wording;

/// Longer numbers are counters, addresses, hashes.
const LONGEST_NUMBER: usize = 8;

/// A word of a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Word {
    /// In lower case, as written.
    pub text: String,
    /// What it is found by: its stems, the language's own last.
    pub terms: Vec<String>,
    /// Whether it means something by itself.
    pub telling: bool,
}

/// The terms of a document, repeated as often as they occur.
pub(super) fn of_text(text: &str) -> Vec<String> {
    let language = language(text);
    let mut out = Vec::new();
    let words = split(text, language);
    out.extend(joined(text));
    out.extend(named_in(&words, text).into_iter().map(|(_, name)| concept_term(name)));
    out.extend(words.into_iter().filter(|word| word.telling).flat_map(|word| word.terms));
    out
}

/// The words of a text in order, identifiers in their parts.
pub(super) fn split(text: &str, language: Option<Language>) -> Vec<Word> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut whole: Option<(usize, String)> = None;
    words(text, |position, word| {
        // The word comes before its parts, which take its place.
        match &whole {
            Some((at, _)) if *at == position => found.push((position, word.to_owned())),
            _ => {
                if let Some(last) = whole.replace((position, word.to_owned())) {
                    keep_whole(&mut found, last);
                }
            }
        }
    });
    if let Some(last) = whole {
        keep_whole(&mut found, last);
    }
    found.sort_by_key(|(position, _)| *position);
    found.into_iter().flat_map(|(_, word)| by_script(&word, language)).collect()
}

fn keep_whole(found: &mut Vec<(usize, String)>, whole: (usize, String)) {
    if !found.iter().rev().take_while(|(at, _)| *at >= whole.0).any(|(at, _)| *at == whole.0) {
        found.push(whole);
    }
}

/// A word in scripts with and without spaces is split where they meet.
fn by_script(word: &str, language: Option<Language>) -> Vec<Word> {
    if !word.chars().any(is_dense) {
        return vec![plain(word, language)];
    }
    let mut out = Vec::new();
    let signs: Vec<char> = word.chars().collect();
    for run in signs.chunk_by(|a, b| is_dense(*a) == is_dense(*b)) {
        let text: String = run.iter().collect();
        if !is_dense(run[0]) {
            out.push(plain(&text, language));
            continue;
        }
        let text = without_particles(&text);
        let signs: Vec<char> = text.chars().collect();
        if let [one] = signs[..] {
            out.push(Word { text: one.to_string(), terms: vec![one.to_string()], telling: one != ' ' });
        }
        for pair in signs.windows(2).filter(|pair| !pair.contains(&' ')) {
            let pair: String = pair.iter().collect();
            out.push(Word { text: pair.clone(), terms: vec![pair], telling: true });
        }
    }
    out
}

/// Particles are taken out of scripts without spaces where they are two signs or more; a single sign may be part of a word.
fn without_particles(text: &str) -> String {
    static PARTICLES: OnceLock<Vec<&'static str>> = OnceLock::new();
    let particles = PARTICLES.get_or_init(|| {
        let all = wording::recall().function_words.values().flat_map(|words| words.split_whitespace());
        all.filter(|word| word.chars().count() > 1 && word.chars().all(is_dense)).collect()
    });
    let mut text = text.to_owned();
    for particle in particles {
        if text.contains(particle) {
            text = text.replace(particle, " ");
        }
    }
    text
}

fn plain(word: &str, language: Option<Language>) -> Word {
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    let telling = match is_number {
        true => (2..=LONGEST_NUMBER).contains(&word.len()),
        false => word.len() > 1 && !is_function_word(word),
    };
    let mut terms = vec![stem(word)];
    if let Some(language) = language {
        let own = language.stem(word);
        if own != terms[0] {
            terms.push(own);
        }
    }
    Word { text: word.to_owned(), terms, telling }
}

/// Whether a sign belongs to a script that is written without spaces, or with suffixes that stems do not know.
fn is_dense(sign: char) -> bool {
    matches!(u32::from(sign), 0x3040..=0x30ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xac00..=0xd7af | 0xf900..=0xfaff)
}

/// Identifiers in one spelling: `batchSize`, `batch_size` and `batch-size` are `batchsize`.
fn joined(text: &str) -> Vec<String> {
    const LONGEST: usize = 40;
    let mut out = Vec::new();
    let mut whole: Option<(usize, String)> = None;
    words(text, |position, word| match whole.as_mut() {
        // It has parts: once is enough.
        Some((at, whole)) if *at == position => {
            let joined: String = std::mem::take(whole).chars().filter(|c| c.is_alphanumeric()).collect();
            if joined.len() <= LONGEST && joined.bytes().any(|byte| !byte.is_ascii_digit()) {
                out.push(joined);
            }
        }
        _ => whole = Some((position, word.to_owned())),
    });
    out
}

/// The stem of a word by its script; of Latin letters that of English, which most reports are written in.
pub(super) fn stem(word: &str) -> String {
    let is_cyrillic = word.chars().any(|c| matches!(c, '\u{400}'..='\u{4ff}'));
    if word.bytes().any(|byte| byte.is_ascii_digit()) {
        return word.to_owned();
    }
    let algorithm = if is_cyrillic { Algorithm::Russian } else { Algorithm::English };
    Stemmer::new(algorithm).stem(word).into_owned()
}

/// A language whose stems differ from those of English.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    German,
    French,
    Spanish,
    Portuguese,
}

impl Language {
    /// All of them, as `kb/wording/recall.toml` calls them.
    pub(super) const ALL: [(&'static str, Self); 4] = [
        ("german", Self::German),
        ("french", Self::French),
        ("spanish", Self::Spanish),
        ("portuguese", Self::Portuguese),
    ];

    pub(super) fn stem(self, word: &str) -> String {
        let algorithm = match self {
            Self::German => Algorithm::German,
            Self::French => Algorithm::French,
            Self::Spanish => Algorithm::Spanish,
            Self::Portuguese => Algorithm::Portuguese,
        };
        Stemmer::new(algorithm).stem(word).into_owned()
    }
}

/// The language that a text has the most function words of; `None` for English and scripts of their own.
fn language(text: &str) -> Option<Language> {
    /// Languages of a function word, a bit each; English is the last.
    static WORDS: OnceLock<HashMap<&'static str, u8>> = OnceLock::new();
    const ENGLISH: usize = Language::ALL.len();
    let known = WORDS.get_or_init(|| {
        let names = Language::ALL.iter().map(|(name, _)| *name).chain(["english"]).enumerate();
        let mut known = HashMap::new();
        for (bit, name) in names {
            let words = wording::recall().function_words.get(name).copied().unwrap_or_default();
            words.split_whitespace().for_each(|word| *known.entry(word).or_insert(0) |= 1 << bit);
        }
        known
    });
    let mut counts = [0_u32; ENGLISH + 1];
    let lower = text.to_lowercase();
    for languages in lower.split(|c: char| !c.is_alphabetic()).filter_map(|word| known.get(word)) {
        for (bit, count) in counts.iter_mut().enumerate() {
            *count += u32::from(languages >> bit & 1);
        }
    }
    let (best, count) = counts[..ENGLISH].iter().enumerate().max_by_key(|(_, count)| **count)?;
    (*count > counts[ENGLISH]).then(|| Language::ALL[best].1)
}

/// The term of a concept, which no word can be.
pub(super) fn concept_term(name: &str) -> String {
    format!("§{name}")
}

/// The concepts that a text names, each with the words that name it.
pub(super) fn concepts(text: &str) -> Vec<(String, &'static str)> {
    named_in(&split(text, None), text)
}

fn named_in(words: &[Word], text: &str) -> Vec<(String, &'static str)> {
    let table = Concepts::get();
    let mut out = Vec::new();
    for at in 0..words.len() {
        for (phrase, name) in table.phrases.get(words[at].terms[0].as_str()).into_iter().flatten() {
            let Some(said) = words.get(at..at + phrase.len()) else { continue };
            if said.iter().zip(phrase).all(|(said, word)| said.terms[0] == *word) {
                let said: Vec<&str> = said.iter().map(|word| word.text.as_str()).collect();
                out.push((said.join(" "), *name));
            }
        }
    }
    if text.chars().any(is_dense) {
        let lower = text.to_lowercase();
        out.extend(
            table
                .dense
                .find_overlapping_iter(&lower)
                .map(|hit| (lower[hit.start()..hit.end()].to_owned(), table.dense_names[hit.pattern().as_usize()])),
        );
    }
    out
}

/// The table of concepts, made when something is first searched for.
struct Concepts {
    /// Phrases by their first stem.
    phrases: HashMap<String, Vec<(Vec<String>, &'static str)>>,
    /// Phrases in scripts without spaces.
    dense: AhoCorasick,
    dense_names: Vec<&'static str>,
}

impl Concepts {
    fn get() -> &'static Self {
        static TABLE: OnceLock<Concepts> = OnceLock::new();
        TABLE.get_or_init(|| {
            let mut phrases: HashMap<String, Vec<(Vec<String>, &'static str)>> = HashMap::new();
            let (mut dense, mut dense_names) = (Vec::new(), Vec::new());
            for concept in &wording::recall().concept {
                for phrase in &concept.words {
                    if phrase.chars().any(is_dense) {
                        dense.push(phrase.to_lowercase());
                        dense_names.push(concept.name);
                        continue;
                    }
                    let words = split(phrase, None);
                    let stems: Vec<String> =
                        words.into_iter().filter_map(|word| word.terms.into_iter().next()).collect();
                    let Some(first) = stems.first().cloned() else { continue };
                    let known = phrases.entry(first).or_default();
                    if !known.iter().any(|(known, name)| *known == stems && *name == concept.name) {
                        known.push((stems, concept.name));
                    }
                }
            }
            let dense = AhoCorasick::new(&dense).expect("a few hundred short phrases");
            Self { phrases, dense, dense_names }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(text: &str, term: &str) -> bool {
        of_text(text).iter().any(|one| one == term)
    }

    #[test]
    fn identifiers_have_one_spelling() {
        for text in ["batch_size", "batchSize", "batch-size"] {
            assert!(has(text, "batchsize") && has(text, "batch") && has(text, "size"), "{text}: {:?}", of_text(text));
        }
    }

    #[test]
    fn words_are_found_in_every_form() {
        assert_eq!(stem("crashes"), stem("crashing"));
        let german = of_text("Die Karten sind voll und der Speicher ist es auch");
        assert!(german.contains(&Language::German.stem("karten")), "{german:?}");
        assert!(has("очередь зависает", &stem("зависают")));
        assert!(has("显存不足", "显存"));
    }

    #[test]
    fn concepts_are_named_in_many_words() {
        for text in ["CUDA out of memory", "OutOfMemoryError", "the VRAM is full: OOM", "爆显存了", "не хватает памяти"]
        {
            assert!(has(text, "§out-of-memory"), "{text}: {:?}", of_text(text));
        }
        assert!(!has("the GPU was out of date", "§out-of-memory"));
    }
}
