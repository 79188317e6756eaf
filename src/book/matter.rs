//! Splits front matter from a document: the text between two lines of three dashes, with its position.
//!
//! It does not read YAML. A byte order mark, blank lines before the first dashes, CRLF and a missing closing line
//! are tolerated, because people's editors and scripts leave all of them. `build.rs` includes this file by path, so it
//! depends on nothing.

use std::ops::Range;

/// The front matter of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Matter {
    /// Byte range of the lines between the dashes.
    pub range: Range<usize>,
    /// Physical line (from 1) of the first line between the dashes.
    pub first_line: u32,
    /// Whether a closing line of dashes was found.
    pub closed: bool,
}

/// A document, parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Split {
    /// The front matter, where there is one.
    pub matter: Option<Matter>,
    /// Byte offset at which the body begins.
    pub body: usize,
}

/// Finds the front matter of `text`.
pub(crate) fn split(text: &str) -> Split {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut lines = Lines { text, at: start, number: 0 };
    let none = Split { matter: None, body: start };
    // Blank lines, then the opening dashes.
    let opening = loop {
        match lines.next() {
            Some(line) if line.words.trim().is_empty() => {}
            Some(line) if is_dashes(line.words) => break line,
            _ => return none,
        }
    };
    let (first, first_line) = (opening.next, opening.number + 1);
    let mut has_key = false;
    let mut blank_before = false;
    let mut end: Option<Line<'_>> = None;
    for line in lines {
        if is_dashes(line.words) || line.words.trim_end() == "..." {
            if !has_key {
                return none;
            }
            return Split {
                matter: Some(Matter { range: first..line.start, first_line, closed: true }),
                body: line.next,
            };
        }
        if !has_key && !line.words.trim().is_empty() && !line.words.starts_with('#') {
            // A rule at the top of a page also looks like an opening line; only keys make it front matter.
            if !is_key(line.words) {
                return none;
            }
            has_key = true;
        }
        if is_markdown(line.words, blank_before) {
            end = Some(line);
            break;
        }
        blank_before = line.words.trim().is_empty();
    }
    if !has_key {
        return none;
    }
    let body = match end {
        Some(line) => line.start,
        None => unclosed_end(text, first),
    };
    Split { matter: Some(Matter { range: first..body, first_line, closed: false }), body }
}

/// Where the keys of a front matter without closing line and without a heading after it seem to end.
fn unclosed_end(text: &str, first: usize) -> usize {
    let is_outside = |line: &Line<'_>| {
        let continues = line.words.starts_with([' ', '\t', '-', '#', '"', '\'', ']', '}']);
        line.words.trim().is_empty() || !(continues || is_key(line.words))
    };
    Lines { text, at: first, number: 0 }.find(is_outside).map_or(text.len(), |line| line.start)
}

/// Whether a line is exactly the dashes around a front matter.
fn is_dashes(words: &str) -> bool {
    let words = words.trim_end();
    words.len() >= 3 && words.len() <= 6 && words.bytes().all(|b| b == b'-')
}

/// Whether a line begins with a key: a word or two, then a colon that ends the line or is followed by a space.
fn is_key(words: &str) -> bool {
    let Some((key, rest)) = words.split_once(':') else { return false };
    let key = key.trim_matches(['"', '\'']);
    !key.is_empty()
        && key.len() <= 60
        && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ' | '.'))
        && (rest.is_empty() || rest.starts_with([' ', '\t', '\r', '"', '\'', '[']))
}

/// Whether a line cannot be part of front matter: a fence, a deeper heading, or a heading after a blank line.
fn is_markdown(words: &str, blank_before: bool) -> bool {
    words.starts_with("```")
        || words.starts_with("~~~")
        || words.starts_with("## ")
        || words.starts_with("### ")
        || (blank_before && words.starts_with("# "))
}

/// One physical line.
#[derive(Clone, Copy)]
struct Line<'t> {
    words: &'t str,
    start: usize,
    next: usize,
    number: u32,
}

/// Physical lines with their offsets; a line ends at LF, CRLF or a lone CR.
struct Lines<'t> {
    text: &'t str,
    at: usize,
    number: u32,
}

impl<'t> Iterator for Lines<'t> {
    type Item = Line<'t>;

    fn next(&mut self) -> Option<Line<'t>> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        self.number += 1;
        let (words, taken) = match rest.find('\n') {
            Some(end) => (&rest[..end], end + 1),
            None => (rest, rest.len()),
        };
        let line =
            Line { words: words.trim_end_matches('\r'), start: self.at, next: self.at + taken, number: self.number };
        self.at += taken;
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (Option<&str>, &str, u32) {
        let split = split(text);
        let matter = split.matter.as_ref().map(|m| &text[m.range.clone()]);
        (matter, &text[split.body..], split.matter.as_ref().map_or(0, |m| m.first_line))
    }

    #[test]
    fn takes_the_matter_off() {
        assert_eq!(parts("---\na: 1\n---\nbody\n"), (Some("a: 1\n"), "body\n", 2));
        assert_eq!(parts("\u{feff}\r\n\r\n---\r\na: 1\r\n---\r\nbody"), (Some("a: 1\r\n"), "body", 4));
        assert_eq!(parts("a: 1\n"), (None, "a: 1\n", 0));
        assert_eq!(parts(""), (None, "", 0));
        assert_eq!(parts("---"), (None, "---", 0));
        assert_eq!(parts("---\n\nA rule above.\n\n---\nmore\n").0, None);
    }

    #[test]
    fn survives_a_missing_closing_line() {
        let text = "---\ntitle: x\ndate: y\n\n# Heading\n\ntext\n\n---\n\nmore\n";
        assert_eq!(parts(text), (Some("title: x\ndate: y\n\n"), "# Heading\n\ntext\n\n---\n\nmore\n", 2));
        assert_eq!(parts("---\ntitle: x\ntags:\n- a\nSome prose.\n").1, "Some prose.\n");
        assert_eq!(parts("---\ntitle: x").0, Some("title: x"));
        assert!(!split("---\ntitle: x\n## Summary\nwords\n").matter.is_some_and(|m| m.closed));
    }
}
