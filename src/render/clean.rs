//! Removes from untrusted text what must not reach a terminal: escapes, control characters, bidi marks, joiners.
//!
//! Joiners and variation selectors are harmless but removed too: without them the width of a text is the sum of the
//! widths of its characters, which [`super::layout`] relies on.

use std::iter::Peekable;
use std::str::Chars;

use unicode_width::UnicodeWidthChar;

/// The longest run of combining marks that is kept; longer ones are decoration, not writing.
const MARKS: usize = 4;

/// Columns of a tab in code.
const TAB: &str = "    ";

/// The text as one line: runs of white space become one space, invisible characters are removed.
pub fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut gap = false;
    visit(text, |c| {
        if c.is_whitespace() {
            gap = !out.is_empty();
        } else {
            if std::mem::take(&mut gap) {
                out.push(' ');
            }
            out.push(c);
        }
    });
    out
}

/// The text as lines that keep their indentation, for commands, code and quoted logs. Blank lines at both ends are
/// removed.
pub fn lines(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut current = String::new();
    visit(text, |c| match c {
        '\n' | '\u{2028}' | '\u{2029}' => lines.push(std::mem::take(&mut current)),
        '\t' => current.push_str(TAB),
        '\r' => {}
        c if c.is_whitespace() => current.push(' '),
        c => current.push(c),
    });
    lines.push(current);
    for line in &mut lines {
        line.truncate(line.trim_end().len());
    }
    let first = lines.iter().position(|line| !line.is_empty()).unwrap_or(lines.len());
    let last = lines.iter().rposition(|line| !line.is_empty()).map_or(first, |at| at + 1);
    lines.truncate(last);
    lines.split_off(first.min(lines.len()))
}

/// The text as one line that keeps its spaces, for parts of a line that were laid out already.
pub(crate) fn spaced(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    visit(text, |c| out.push(if c.is_whitespace() { ' ' } else { c }));
    out
}

/// Passes on every character that may be shown, including white space and line ends.
fn visit(text: &str, mut show: impl FnMut(char)) {
    let mut chars = text.chars().peekable();
    let mut marks = 0;
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_escape(&mut chars),
            '\u{9b}' => skip_control_sequence(&mut chars),
            c if c.is_whitespace() => {
                marks = 0;
                // A lone carriage return is an overwritten line; the two words must stay separate.
                show(if c == '\r' && chars.peek() != Some(&'\n') { '\n' } else { c });
            }
            c if c.is_control() || is_invisible(c) => {}
            c => {
                marks = if c.width() == Some(0) { marks + 1 } else { 0 };
                if marks <= MARKS {
                    show(c);
                }
            }
        }
    }
}

/// What follows the control character, or the whole escape sequence, at the beginning of a text.
pub(crate) fn after_control(text: &str) -> &str {
    let mut chars = text.chars();
    let first = chars.next();
    let is_string = chars.next().is_some_and(|second| matches!(second, ']' | 'P' | '^' | '_' | 'X'));
    let most = if first == Some('\u{1b}') && is_string { 4 * (STRING + 2) } else { 64 };
    let head = text.get(..text.floor_char_boundary(most)).unwrap_or_default();
    let mut chars = head.chars().peekable();
    match chars.next() {
        Some('\u{1b}') => skip_escape(&mut chars),
        Some('\u{9b}') => skip_control_sequence(&mut chars),
        _ => {}
    }
    let left: usize = chars.map(char::len_utf8).sum();
    text.get(head.len() - left..).unwrap_or_default()
}

/// Whether a character does something to those around it, or nothing that can be seen.
pub(crate) fn is_hostile(c: char) -> bool {
    c.is_control() || is_invisible(c)
}

/// Bidi marks, joiners, selectors, tags, fillers: invisible, or they change how others are shown.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}' | '\u{115f}' | '\u{1160}'
        | '\u{3164}' | '\u{ffa0}')
}

/// The length of an escape sequence. An unterminated string loses only its introducer, not the rest of the text.
fn skip_escape(chars: &mut Peekable<Chars<'_>>) {
    match chars.peek() {
        Some('[') => {
            chars.next();
            skip_control_sequence(chars);
        }
        Some(']' | 'P' | '^' | '_' | 'X') => {
            chars.next();
            skip_string(chars);
        }
        Some(c) if ('\u{20}'..='\u{2f}').contains(c) => {
            chars.next();
            chars.next_if(|c| !c.is_control());
        }
        Some(c) if c.is_ascii_graphic() => {
            chars.next();
        }
        _ => {}
    }
}

fn skip_control_sequence(chars: &mut Peekable<Chars<'_>>) {
    while chars.next_if(|c| ('\u{20}'..='\u{3f}').contains(c)).is_some() {}
    chars.next_if(|c| ('\u{40}'..='\u{7e}').contains(c));
}

/// The longest operating-system command that is recognized: window titles and links.
const STRING: usize = 2048;

fn skip_string(chars: &mut Peekable<Chars<'_>>) {
    let mut ahead = chars.clone();
    for _ in 0..STRING {
        match ahead.next() {
            Some('\u{7}' | '\u{9c}') => break,
            Some('\u{1b}') => {
                ahead.next_if_eq(&'\\');
                break;
            }
            Some('\n') | None => return,
            Some(_) => {}
        }
    }
    *chars = ahead;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_invisible_stays_in_a_line() {
        for (text, expected) in [
            ("plain words", "plain words"),
            ("  two\t\twords \n", "two words"),
            ("\u{1b}[1;31mRuntimeError\u{1b}[0m: no", "RuntimeError: no"),
            ("\u{1b}]8;;https://example.org\u{7}link\u{1b}]8;;\u{1b}\\ end", "link end"),
            ("\u{1b}]0;never ends", "0;never ends"),
            ("\u{9b}2Jcleared", "cleared"),
            ("a\u{8}b\u{0}c\u{7f}", "abc"),
            ("evil \u{202e}txt.exe", "evil txt.exe"),
            ("1%\r2%\r\n3%", "1% 2% 3%"),
            ("family \u{1f468}\u{200d}\u{1f469}", "family \u{1f468}\u{1f469}"),
            ("cut short \u{1b}", "cut short"),
            ("cut short \u{1b}[", "cut short"),
            ("메모리 부족", "메모리 부족"),
        ] {
            assert_eq!(line(text), expected, "{text:?}");
        }
    }

    #[test]
    fn lines_keep_their_indentation() {
        assert_eq!(lines("\n\nif x:\n\trun()\r\n  \nend\n\n"), ["if x:", "    run()", "", "end"]);
        assert_eq!(lines(""), Vec::<String>::new());
        assert_eq!(lines("\n \n"), Vec::<String>::new());
    }

    #[test]
    fn heaps_of_marks_are_cut() {
        let text = format!("a{}", "\u{301}".repeat(100));
        assert_eq!(line(&text).chars().count(), 1 + MARKS);
    }
}
