//! The literals of signatures as they look after line wraps, quote marks, lost or extra spaces, typographic quotes and
//! OCR (l for 1 and I, O for 0, rn for m): found in a folded form, and given back in their true spelling.
//!
//! Only for a second reading of a text in which nothing was found.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::Range;

use super::misread;
use crate::book::Book;
use crate::literals::Literals;
use crate::text::Edit;

/// Shorter folded literals are found inside of other words.
const SHORTEST: usize = 10;
/// What may be lost between the letters of a literal, in bytes: a line break with indentation and quote marks.
const LONGEST_GAP: usize = 64;

/// The places of `text` where a literal or a word of the book is misspelled, with its spelling.
pub(crate) fn repairs(book: &Book, text: &str) -> Vec<Edit> {
    let spellings: Vec<&str> = literals(book).into_iter().filter(|literal| literal.is_ascii()).collect();
    let folded = spellings.iter().map(|literal| Folded::of(literal).text);
    let (numbers, patterns): (Vec<usize>, Vec<String>) =
        folded.enumerate().filter(|(_, literal)| literal.len() >= SHORTEST).unzip();
    let here = Folded::of(text);
    let mut found: Vec<(Range<usize>, usize)> = Vec::new();
    Literals::new(&patterns).find(&here.text, |number, place| found.push((place, numbers[number])));
    // Of several at one place the longest.
    found.sort_by_key(|(place, _)| (place.start, Reverse(place.end)));
    let mut edits: Vec<Edit> = Vec::new();
    let mut end = 0;
    for (place, number) in found {
        if place.start < end {
            continue;
        }
        end = place.end;
        // The place begins and ends with a letter; a quote beside it is in the text already.
        let (words, range) = (spellings[number].trim_matches(is_lost), here.range(place));
        let near = range.len() <= words.len() + LONGEST_GAP;
        let is_respelled = |old: &str| {
            // `cuda_out_of_memory_policy` is a name and no sentence.
            let is_name = words.contains(' ') && !old.contains([' ', '\n']);
            !old.eq_ignore_ascii_case(words) && !is_name
        };
        let goes_on = text.as_bytes().get(range.end).is_some_and(|next| next.is_ascii_alphanumeric() || *next == b'_');
        if near && !goes_on && text.get(range.clone()).is_some_and(is_respelled) {
            edits.push(Edit { range, words: words.to_owned() });
        }
    }
    add(&mut edits, misread::corrections(book, text));
    edits
}

/// Adds those edits that do not overlap with the ones there; both are in the order of the text.
pub(crate) fn add(edits: &mut Vec<Edit>, mut more: Vec<Edit>) {
    let mut there = edits.iter().map(|edit| edit.range.clone()).peekable();
    more.retain(|edit| {
        while there.next_if(|taken| taken.end <= edit.range.start).is_some() {}
        there.peek().is_none_or(|taken| edit.range.end <= taken.start)
    });
    edits.extend(more);
    edits.sort_by_key(|edit| edit.range.start);
}

/// Every literal of the book's signatures and the names and sentences of its codes, each once.
fn literals(book: &Book) -> Vec<&str> {
    let signatures = book.faults.iter().flat_map(|entry| &entry.matter().signatures);
    let of_pages = signatures.flat_map(|signature| signature.contains.0.iter().map(String::as_str));
    let of_codes = book.codes().iter().filter(|code| code.fault().is_some()).map(|code| code.name());
    let mut seen = HashSet::new();
    of_pages.chain(of_codes).filter(|literal| seen.insert(*literal)).collect()
}

/// Whether a copy may lose or add such a character.
fn is_lost(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | '_' | '>' | '\'' | '"' | '`' | '‘' | '’' | '“' | '”' | '\u{a0}')
}

/// A text without what a copy may change.
struct Folded {
    /// Lower-case ASCII without white space.
    text: String,
    /// For each byte what it was made from.
    places: Vec<Range<usize>>,
}

impl Folded {
    fn of(text: &str) -> Self {
        let mut folded = Self { text: String::with_capacity(text.len()), places: Vec::with_capacity(text.len()) };
        for (at, letter) in text.char_indices() {
            let end = at + letter.len_utf8();
            let letter = match letter {
                lost if is_lost(lost) => continue,
                '1' | 'I' | 'i' | 'L' | '|' => 'l',
                '0' | 'O' => 'o',
                'n' | 'N' if folded.text.ends_with('r') => {
                    folded.text.pop();
                    folded.text.push('m');
                    if let Some(place) = folded.places.last_mut() {
                        place.end = end;
                    }
                    continue;
                }
                other if other.is_ascii() => other.to_ascii_lowercase(),
                // What is not ASCII is in no literal that a copy changes this way.
                _ => '\0',
            };
            folded.text.push(letter);
            folded.places.push(at..end);
        }
        folded
    }

    /// The bytes of the text that a range of the folded one, which is not empty, was made from.
    fn range(&self, range: Range<usize>) -> Range<usize> {
        self.places[range.start].start..self.places[range.end - 1].end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copys_changes_vanish_in_the_folded_form() {
        let folded = |text: &str| Folded::of(text).text;
        let literal = folded("CUDA error: an illegal memory access");
        for copy in [
            "CUDAerror: an illegal memory access",
            "CUDA error: an illegal\n>  memory access",
            "CUDA err0r: an i1legal rnemory access",
        ] {
            assert_eq!(folded(copy), literal, "{copy}");
        }
        assert_ne!(folded("CUDA error: a legal memory access"), literal);
    }

    #[test]
    fn a_misspelled_code_gets_its_spelling_back() {
        let book = Book::new(true);
        let text = "RuntimeError: CUDNN_STATUS_EXECUTION _FAILED (again)";
        let edits = repairs(&book, text);
        assert_eq!(edits, [Edit { range: 14..44, words: "CUDNN_STATUS_EXECUTION_FAILED".to_owned() }]);
        assert!(repairs(&book, &text.replace(" _", "_")).is_empty());
        let text = "TypeError: f() got an unexpected keyword argument ’gpus’";
        let mut fixed = text.to_owned();
        for edit in repairs(&book, text).into_iter().rev() {
            fixed.replace_range(edit.range, &edit.words);
        }
        assert_eq!(fixed, text.replace('’', "'"));
    }
}
