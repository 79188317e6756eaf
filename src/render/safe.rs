//! The last thing that every answer passes before it leaves the program: nothing that came from outside (a log, a
//! report, a file's name, a setting, an argument, a driver) can steer a terminal or hide what it says.
//!
//! The parts of an answer are cleaned where they are laid out ([`super::clean`]), so that their widths are right. This
//! is the net below it: one function per kind of output, applied to the whole text, so that a part that nobody thought
//! of is harmless too.

use std::borrow::Cow;

use super::clean;

/// What kind of text an answer is, which decides what may be in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Lines for a screen, with colours.
    Screen,
    /// JSON, where a character can be written as an escape.
    Json,
    /// Markdown, XML, annotations, plain text: no escape sequences at all.
    Plain,
}

/// A text in which nothing steers a terminal. Only [`Encoding::safe`] makes one, and what writes to standard output and
/// error takes nothing else, so that a text from outside cannot be printed as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Safe<'t>(Cow<'t, str>);

impl Safe<'_> {
    /// The text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl Encoding {
    /// The text without what could steer a terminal or hide a part of it.
    pub(crate) fn safe(self, text: &str) -> Safe<'_> {
        Safe(match text.chars().any(is_unsafe) {
            false => Cow::Borrowed(text),
            true => Cow::Owned(match self {
                Encoding::Screen => shown(text, true),
                Encoding::Plain => shown(text, false),
                Encoding::Json => escaped(text),
            }),
        })
    }
}

/// Whether a character is no text and neither a line break nor a tab.
fn is_unsafe(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t') || is_hiding(c)
}

/// Marks that change the order in which other characters are shown, and invisible copies of ASCII.
fn is_hiding(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The text without escape sequences, except colours where `colours`, without controls and hiding marks.
fn shown(text: &str, colours: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(is_unsafe) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        if let Some(length) = colours.then(|| colour(from)).flatten() {
            out.push_str(&from[..length]);
            rest = &from[length..];
            continue;
        }
        if let Some(after) = from.strip_prefix("\r\n") {
            out.push_str("\r\n");
            rest = after;
            continue;
        }
        rest = clean::after_control(from);
    }
    out.push_str(rest);
    out
}

/// The length of `ESC [ ... m` at the beginning, if it only chooses colours and weights that can be seen.
fn colour(text: &str) -> Option<usize> {
    let inner = text.strip_prefix("\u{1b}[")?;
    let length = inner.bytes().take(24).take_while(|b| b.is_ascii_digit() || *b == b';').count();
    let hides = inner.get(..length)?.split(';').any(|number| number == "8");
    (inner.as_bytes().get(length) == Some(&b'm') && (!hides || inner.starts_with("38;") || inner.starts_with("48;")))
        .then_some(length + 3)
}

/// The same JSON with the characters written as escapes: they can only be inside of strings.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unsafe(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a\u{1b}]52;c;ZXZpbA==\u{7}b\u{1b}[2Jc\u{8}d\u{9b}2Je\u{202e}f\u{2066}g\u{1b}]8;;http://evil\u{1b}\\h\u{85}i\u{e0041}";

    #[test]
    fn only_colours_stay_on_a_screen() {
        let text = format!("\u{1b}[1;38;5;9mred\u{1b}[0m {HOSTILE}\n\tx\u{1b}[8mhidden\r\n");
        assert_eq!(Encoding::Screen.safe(&text).as_str(), "\u{1b}[1;38;5;9mred\u{1b}[0m abcdefghi\n\txhidden\r\n");
        assert_eq!(Encoding::Plain.safe(&text).as_str(), "red abcdefghi\n\txhidden\r\n");
        assert!(matches!(Encoding::Screen.safe("plain é 한\n").0, Cow::Borrowed(_)));
    }

    #[test]
    fn json_says_the_same_in_escapes() {
        let text = serde_json::to_string(HOSTILE).expect("a string");
        let safe = Encoding::Json.safe(&text);
        assert!(!safe.as_str().chars().any(is_unsafe), "{safe:?}");
        assert_eq!(serde_json::from_str::<String>(safe.as_str()).expect("JSON"), HOSTILE);
    }

    #[test]
    fn joiners_of_writing_stay() {
        let text = "family \u{1f468}\u{200d}\u{1f469}, می\u{200c}خواهم";
        assert_eq!(Encoding::Plain.safe(text).as_str(), text);
    }
}
