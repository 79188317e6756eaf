//! Text inside XML: JUnit reports, SVG charts.

use std::fmt::{Arguments, Write as _};

use super::clean;

/// Escapes text for XML; characters that XML does not allow become the replacement character.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Words of a log or a report in XML: one line without control characters.
pub(super) fn words(text: &str) -> String {
    escape(&clean::line(text))
}

/// Adds a line.
pub(super) fn line(out: &mut String, words: Arguments<'_>) {
    // Writing into a string cannot fail.
    let _ = writeln!(out, "{words}");
}
