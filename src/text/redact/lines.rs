//! Lines of a text with their offsets; all of them, or only those that contain one of some words.
//!
//! Most lines of a long log need no closer look, so words are searched in one pass over the whole text.

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input};

/// A scanner for words, whatever their case.
pub(super) fn words(words: &[&str]) -> AhoCorasick {
    let built = AhoCorasick::builder().ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA)).build(words);
    built.expect("short literals")
}

/// All lines, without their ends.
pub(super) fn all(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let at = start;
        start += line.len();
        (at, line.trim_end_matches(['\n', '\r']))
    })
}

/// The lines that contain one of the words, without their ends.
pub(super) fn with<'t>(text: &'t str, words: &'t AhoCorasick) -> impl Iterator<Item = (usize, &'t str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let found = words.find(Input::new(text).range(at..))?;
        let bytes = text.as_bytes();
        let start = at + memchr::memrchr(b'\n', bytes.get(at..found.start())?).map_or(0, |end| end + 1);
        let end = memchr::memchr(b'\n', bytes.get(found.end()..)?).map_or(text.len(), |end| found.end() + end);
        at = (end + 1).min(text.len());
        Some((start, text.get(start..end)?.trim_end_matches('\r')))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_a_word_come_once_with_their_place() {
        let scanner = words(&["key", "token"]);
        let text = "a\nKey token\r\n\nb\nlast key";
        let found: Vec<_> = with(text, &scanner).collect();
        assert_eq!(found, [(2, "Key token"), (16, "last key")]);
        assert_eq!(with("key\n", &scanner).count(), 1);
        assert_eq!(with("", &scanner).count(), 0);
    }
}
