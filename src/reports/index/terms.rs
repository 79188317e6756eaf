//! What a text is found by: stems of its words, identifiers in one spelling, pairs of signs of scripts without spaces, the
//! concepts of `kb/wording/concepts.toml` that it names, and the pieces of its words.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::OnceLock;

use frostem::{Algorithm, Stemmer};

use crate::descriptions::Concepts;
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

/// The terms of a text, repeated as often as they occur.
pub(super) fn of_text(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    each_term(text, &Known::default().read(text, language(text)), |term| out.push(term.to_owned()));
    out
}

/// The terms of a document, with a space after each.
pub(super) fn spaced(text: &str) -> String {
    Known::default().spaced(text)
}

/// The words of a text in order, identifiers in their parts.
pub(super) fn split(text: &str, language: Option<Language>) -> Vec<Rc<Word>> {
    Known::default().read(text, language).words
}

/// A text's words in order, identifiers in their parts; and the identifiers in one spelling: `batchSize`, `batch_size` and
/// `batch-size` are `batchsize`.
#[derive(Debug, Default)]
struct Read {
    words: Vec<Rc<Word>>,
    joined: Vec<String>,
}

/// What words mean that were read before: most words of a document are in it several times.
#[derive(Debug, Default)]
pub(super) struct Known {
    words: HashMap<String, Vec<Rc<Word>>>,
    language: Option<Language>,
}

impl Known {
    /// The terms of a document, with a space after each.
    pub(super) fn spaced(&mut self, text: &str) -> String {
        spaced_of(text, &self.read(text, language(text)))
    }

    /// The terms of a document, and the pieces of its words, with a space after each.
    pub(super) fn with_pieces(&mut self, text: &str) -> (String, String) {
        let read = self.read(text, language(text));
        let mut pieces = String::new();
        each_piece(&read.words, |letters| {
            pieces.extend(letters);
            pieces.push(' ');
        });
        (spaced_of(text, &read), pieces)
    }

    fn read(&mut self, text: &str, language: Option<Language>) -> Read {
        if std::mem::replace(&mut self.language, language) != language {
            self.words.clear();
        }
        let mut read = Read::default();
        // A word comes before its parts, which take its place.
        let (mut at, mut whole, mut is_whole) = (usize::MAX, String::new(), false);
        words(text, |position, word| {
            if at != position {
                if std::mem::replace(&mut is_whole, true) {
                    self.word(&whole, &mut read.words);
                }
                at = position;
                whole.clear();
                whole.push_str(word);
                return;
            }
            if std::mem::take(&mut is_whole) {
                read.joined.extend(joined(&whole));
            }
            self.word(word, &mut read.words);
        });
        if is_whole {
            self.word(&whole, &mut read.words);
        }
        read
    }

    fn word(&mut self, word: &str, to: &mut Vec<Rc<Word>>) {
        match self.words.get(word) {
            Some(words) => to.extend_from_slice(words),
            None => {
                let words: Vec<Rc<Word>> = by_script(word, self.language).into_iter().map(Rc::new).collect();
                to.extend_from_slice(&words);
                self.words.insert(word.to_owned(), words);
            }
        }
    }
}

fn spaced_of(text: &str, read: &Read) -> String {
    let mut out = String::new();
    each_term(text, read, |term| {
        out.push_str(term);
        out.push(' ');
    });
    out
}

fn each_term(text: &str, read: &Read, mut emit: impl FnMut(&str)) {
    read.joined.iter().for_each(|term| emit(term));
    concepts(text).iter().for_each(|(_, name)| emit(&concept_term(name)));
    read.words.iter().filter(|word| word.telling).flat_map(|word| &word.terms).for_each(|term| emit(term));
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
        false => word.len() > 1 && !wording::is_function_word(word),
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

/// The one spelling of an identifier; none of a long one, or of a number.
fn joined(whole: &str) -> Option<String> {
    const LONGEST: usize = 40;
    let joined: String = whole.chars().filter(|c| c.is_alphanumeric()).collect();
    (joined.len() <= LONGEST && joined.bytes().any(|byte| !byte.is_ascii_digit())).then_some(joined)
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
    let (names, concepts) = known_concepts();
    let lower = text.to_lowercase();
    let hits = concepts.find(&lower).into_iter();
    hits.map(|hit| {
        let rest = &lower[hit.end..];
        let end = rest.find(|letter: char| !letter.is_alphanumeric() || is_dense(letter)).unwrap_or(rest.len());
        (lower[hit.at..hit.end + end].to_owned(), names[usize::from(hit.concept)])
    })
    .collect()
}

/// The table of concepts with their names, made when something is first searched for.
fn known_concepts() -> &'static (Vec<&'static str>, Concepts<'static>) {
    static TABLE: OnceLock<(Vec<&'static str>, Concepts<'static>)> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut names: Vec<&str> = Vec::new();
        let mut alternatives: Vec<(u16, &str)> = Vec::new();
        for (name, words) in wording::concepts() {
            let number = names.iter().position(|known| known == name).unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            });
            let number = u16::try_from(number).expect("a few hundred concepts");
            alternatives.extend(words.split('|').map(|words| (number, words.trim())));
        }
        let concepts = Concepts::new(names.iter().copied(), alternatives);
        (names, concepts)
    })
}

/// The pieces of a text's words, four letters each, with a sign before the first letter and after the last: what words of one
/// family, compounds and words that languages borrowed from each other have in common.
pub(super) fn pieces(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    each_piece(&split(text, None), |letters| out.push(letters.iter().collect()));
    out
}

fn each_piece(words: &[Rc<Word>], mut emit: impl FnMut(&[char])) {
    const LONG: usize = 4;
    let mut letters: Vec<char> = Vec::new();
    for word in words.iter().filter(|word| word.telling && !word.text.chars().any(is_dense)) {
        letters.clear();
        letters.extend(std::iter::once('^').chain(word.text.chars()).chain(['$']));
        match letters.len() <= LONG {
            true => emit(&letters),
            false => letters.windows(LONG).for_each(&mut emit),
        }
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
            assert!(has(text, "§out_of_memory"), "{text}: {:?}", of_text(text));
        }
        assert!(!has("the GPU was out of date", "§out_of_memory"));
        let named = concepts("Die Grafikkarten hängen, and nothing happens");
        let words = |name: &str| named.iter().find(|(_, found)| *found == name).map(|(words, _)| words.as_str());
        assert_eq!(words("gpu"), Some("grafikkarten"), "{named:?}");
    }

    #[test]
    fn words_of_one_family_have_pieces_in_common() {
        assert_eq!(pieces("the GPU"), ["^gpu", "gpu$"]);
        let (one, other) = (pieces("tokenizer"), pieces("Tokenisierung"));
        assert!(one.iter().filter(|piece| other.contains(piece)).count() >= 4, "{one:?} {other:?}");
    }
}
