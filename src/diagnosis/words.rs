//! Words of `kb/wording/platforms.toml` in a line: literal, without regard to case, at the borders of words.

use std::ops::Range;
use std::sync::OnceLock;

use crate::literals::Literals;
use crate::wording::{self, Platform, PlatformKind, literal};

/// A word with the platform that it shows.
pub(super) type Word = (&'static str, PlatformKind, &'static Platform<&'static str>);

/// One list of words of all platforms.
pub(super) struct Lexicon {
    literals: &'static Literals<'static>,
    words: Vec<Word>,
}

impl Lexicon {
    fn new(
        literals: &'static Literals<'static>,
        list: impl Fn(&'static Platform<&'static str>) -> &'static [&'static str],
    ) -> Self {
        let all = wording::platforms().all();
        let words = all.flat_map(|(kind, platform)| list(platform).iter().map(move |word| (*word, kind, platform)));
        Self { literals, words: words.collect() }
    }

    /// Words that show a platform in a text.
    pub(super) fn traces() -> &'static Self {
        static TRACES: OnceLock<Lexicon> = OnceLock::new();
        TRACES.get_or_init(|| Self::new(&wording::platform_words().traces, |platform| &platform.traces))
    }

    /// Words of the comments that label commands.
    pub(super) fn labels() -> &'static Self {
        static LABELS: OnceLock<Lexicon> = OnceLock::new();
        LABELS.get_or_init(|| Self::new(&wording::platform_words().labels, |platform| &platform.labels))
    }

    /// Words that show whose a command is.
    pub(super) fn code() -> &'static Self {
        static CODE: OnceLock<Lexicon> = OnceLock::new();
        CODE.get_or_init(|| Self::new(&wording::platform_words().code, |platform| &platform.code))
    }

    /// Words of commands that cannot work on a platform.
    pub(super) fn never() -> &'static Self {
        static NEVER: OnceLock<Lexicon> = OnceLock::new();
        NEVER.get_or_init(|| Self::new(&wording::platform_words().never, |platform| &platform.never))
    }

    /// Calls `found` with every word that a text contains as the word asks, and its place.
    pub(super) fn find(&self, text: &str, mut found: impl FnMut(Word, Range<usize>)) {
        self.literals.find(text, |number, place| {
            let word = self.words[number];
            if stands_alone(text, place.start, place.end, word.0) {
                found(word, place);
            }
        });
    }

    /// The platforms whose words a text contains, in their order.
    pub(super) fn named(&self, text: &str) -> Vec<(PlatformKind, &'static str)> {
        let present = self.literals.present(text);
        let words = present.into_iter().map(|number| self.words[number]);
        let mut named: Vec<(PlatformKind, &'static str)> = Vec::new();
        if words.len() > 0 {
            let text = text.to_ascii_lowercase();
            for (word, kind, platform) in words {
                if named.last() != Some(&(kind, platform.name)) && occurs(&text, word) {
                    named.push((kind, platform.name));
                }
            }
        }
        named
    }
}

/// Whether the word occurs in a line that is in lower case already.
pub(super) fn occurs(line: &str, word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let literal = literal(&word);
    let mut from = 0;
    while let Some(found) = line.get(from..).and_then(|rest| rest.find(literal)) {
        let at = from + found;
        if stands_alone(line, at, at + literal.len(), &word) {
            return true;
        }
        from = at + literal.chars().next().map_or(1, char::len_utf8);
    }
    false
}

/// Whether a literal at this place of a line begins and ends as the word asks.
fn stands_alone(line: &str, start: usize, end: usize, word: &str) -> bool {
    let before = line.get(..start).and_then(|head| head.chars().next_back());
    let after = line.get(end..).and_then(|tail| tail.chars().next());
    let begins = match word.chars().next() {
        // A folder of the same name inside another path is another folder.
        Some('/') => {
            before.is_none_or(|c| !is_word(c) && !matches!(c, '.' | '-' | '~' | '/' | '}'))
                && !follows_drive(line, start)
        }
        Some(first) if is_word(first) => before.is_none_or(|c| !is_word(c)),
        _ => true,
    };
    let may_continue = word.ends_with('*') || !literal(word).ends_with(is_word);
    begins && (may_continue || after.is_none_or(|c| !is_word(c)))
}

/// Whether `C:` is before this place.
fn follows_drive(line: &str, start: usize) -> bool {
    let mut before = line.get(..start).unwrap_or_default().chars().rev();
    before.next() == Some(':')
        && before.next().is_some_and(|c| c.is_ascii_alphabetic())
        && before.next().is_none_or(|c| !is_word(c))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_at_their_borders() {
        for (line, word, expected) in [
            ("docker run it", "docker", true),
            ("dockerfile", "docker", false),
            ("dockerfile", "docker*", true),
            ("/kaggle/working/train.py", "/kaggle/*", true),
            ("/home/me/kaggle/train.py", "/kaggle/*", false),
            ("file \"/content/train.py\"", "/content/*", true),
            ("data/content/train.py", "/content/*", false),
            ("/mnt/c/users/me", "/users/*", false),
            ("file \"c:/users/me/train.py\"", "/users/*", false),
            ("file \"c:/users/me/train.py\"", "c:/*", true),
            ("-v src:/users/me", "/users/*", true),
            ("torch 2.8.0+rocm6.2", "+rocm*", true),
            ("gfx1100", "gfx11*", true),
            ("pip install x --index-url https://download.pytorch.org/whl/cu130", "whl/cu*", true),
            ("nvidia_smi", "nvidia-smi", false),
        ] {
            assert_eq!(occurs(line, word), expected, "{word} in {line}");
        }
    }
}
