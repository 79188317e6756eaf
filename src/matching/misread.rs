//! Single words that OCR misread (1 for l and i, 0 for o, rn for m) and typographic quotes, given back in the spelling
//! that the book's signatures use. This reaches the parts of a line that only a regex describes.

use std::collections::HashSet;

use crate::book::Book;
use crate::text::Edit;

/// What OCR prints instead of what.
const MISREADINGS: [(&str, &str); 4] = [("1", "l"), ("1", "i"), ("0", "o"), ("rn", "m")];
/// The words of every traceback, which no page needs to name.
const OF_TRACEBACKS: [&str; 8] = ["traceback", "most", "recent", "call", "last", "file", "line", "module"];
/// Typographic quotes and what a program prints.
const QUOTES: [(char, &str); 7] =
    [('‘', "'"), ('’', "'"), ('‚', "'"), ('′', "'"), ('“', "\""), ('”', "\""), ('„', "\"")];

/// The words and quotes of `text` that have another spelling in the book, in order.
pub(super) fn corrections(book: &Book, text: &str) -> Vec<Edit> {
    let known = vocabulary(book);
    let mut edits = Vec::new();
    let mut at = 0;
    for piece in text.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
        let word = piece.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        if let Some(words) = respelled(word, &known) {
            edits.push(Edit { range: at..at + word.len(), words });
        }
        let quote = piece[word.len()..].chars().next().and_then(|c| QUOTES.iter().find(|(quote, _)| *quote == c));
        if let Some((_, plain)) = quote {
            edits.push(Edit { range: at + word.len()..at + piece.len(), words: (*plain).to_owned() });
        }
        at += piece.len();
    }
    edits
}

/// A word of the book that OCR could have turned into this one, which is no word of the book.
fn respelled(word: &str, known: &HashSet<String>) -> Option<String> {
    /// Shorter words are numbers, units and names of variables.
    const SHORTEST: usize = 4;
    let is_known = |word: &str| known.contains(&word.to_ascii_lowercase());
    let suspicious = word.len() >= SHORTEST
        && word.bytes().filter(u8::is_ascii_alphabetic).count() >= 2
        && MISREADINGS.iter().any(|(misread, _)| word.contains(misread));
    if !suspicious || is_known(word) {
        return None;
    }
    let once = MISREADINGS.iter().map(|(misread, meant)| word.replace(misread, meant));
    let all = word.replace('1', "l").replace('0', "o").replace("rn", "m");
    once.chain([all]).find(|candidate| candidate != word && is_known(candidate))
}

/// Every word of the book's signatures, in lower case.
fn vocabulary(book: &Book) -> HashSet<String> {
    let signatures = || book.faults.iter().flat_map(|entry| &entry.matter().signatures);
    let literals = signatures().flat_map(|signature| &signature.contains.0).cloned();
    let regexes = signatures().flat_map(|signature| [&signature.regex, &signature.near]).flatten();
    literals
        .chain(regexes.map(|regex| without_escapes(regex)))
        .flat_map(|text| words(&text))
        .chain(book.codes().iter().flat_map(|code| words(code.name())))
        .chain(OF_TRACEBACKS.map(str::to_owned))
        .collect()
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_ascii_lowercase).collect()
}

/// A regex without `\b`, `\d` and the like, whose letters belong to no word.
fn without_escapes(regex: &str) -> String {
    let mut letters = regex.chars();
    let mut plain = String::with_capacity(regex.len());
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => plain.push_str(if letters.next().is_some_and(char::is_alphabetic) { " " } else { "." }),
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corrected(text: &str) -> String {
        let mut out = text.to_owned();
        for edit in corrections(&Book::new(true), text).into_iter().rev() {
            out.replace_range(edit.range, &edit.words);
        }
        out
    }

    #[test]
    fn misread_words_and_typographic_quotes_get_their_spelling_back() {
        assert_eq!(
            corrected("AttributeError: modu1e ’tensorf1ow’ has no attribute “Session”"),
            "AttributeError: module 'tensorflow' has no attribute \"Session\""
        );
        assert_eq!(corrected("RuntirneError: out of rnemory"), "RuntimeError: out of memory");
    }

    #[test]
    fn other_words_stay() {
        let text = "return kernel 10 conv1 cuda11 sm_90 internal learning über—alles 日本";
        assert_eq!(corrected(text), text);
    }
}
