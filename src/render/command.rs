//! Breaks a command that is wider than the page without changing what it does.
//!
//! A backslash at the end of a line continues it in a shell and in Python, outside quotes and comments. If there is no
//! place for one, the command stays wider than the page: a terminal wraps it, and copying it still works.

use textwrap::core::display_width;
use unicode_width::UnicodeWidthChar;

/// Extra indent of continuation lines.
const CONTINUED: &str = "    ";

/// Longer lines are not commands that anyone types; they stay as they are.
const LONGEST: usize = 8 * 1024;

/// The line in parts of at most `columns`, if possible.
pub(super) fn fit(line: &str, columns: usize) -> Vec<String> {
    if line.len() > LONGEST || display_width(line) <= columns {
        return vec![line.to_owned()];
    }
    let indent: String = line.chars().take_while(|c| *c == ' ').collect();
    let (code, comment) = split_comment(line);
    let mut parts = Vec::new();
    if let Some(comment) = comment {
        parts.extend(comment_lines(comment, &indent, columns));
    }
    if !code.trim().is_empty() {
        parts.extend(code_lines(code.trim_end(), &indent, columns));
    }
    parts
}

/// A comment moves to the line before its code.
fn comment_lines(comment: &str, indent: &str, columns: usize) -> Vec<String> {
    let words = comment.trim_start_matches('#').trim();
    let room = columns.saturating_sub(indent.len() + 2).max(8);
    textwrap::wrap(words, room).iter().map(|part| format!("{indent}# {part}")).collect()
}

fn code_lines(code: &str, indent: &str, columns: usize) -> Vec<String> {
    let mut parts = Vec::new();
    let mut start = String::new();
    let mut rest = code;
    // Two columns for the space and the backslash.
    while display_width(&start) + display_width(rest) > columns {
        let room = columns.saturating_sub(display_width(&start) + 2);
        let Some((part, after)) = break_at_blank(rest, room) else { break };
        parts.push(format!("{start}{part} \\"));
        rest = after;
        start = format!("{indent}{CONTINUED}");
    }
    parts.push(format!("{start}{rest}"));
    parts
}

/// Splits at the last space outside quotes within `room`, otherwise at the first one after it.
fn break_at_blank(code: &str, room: usize) -> Option<(&str, &str)> {
    let mut best = None;
    let mut used = 0;
    let mut begun = false;
    for (at, c, quoted) in outside_quotes(code) {
        begun |= c != ' ';
        if c == ' ' && !quoted && begun {
            if used > room && best.is_some() {
                break;
            }
            best = Some(at);
            if used > room {
                break;
            }
        }
        used += c.width().unwrap_or(0);
    }
    let (part, after) = code.split_at(best?);
    let after = after.trim_start();
    (!after.is_empty()).then(|| (part.trim_end(), after))
}

/// Splits off a comment: `#` outside quotes, after a space or at the start.
fn split_comment(line: &str) -> (&str, Option<&str>) {
    let mut previous = ' ';
    for (at, c, quoted) in outside_quotes(line) {
        if c == '#' && !quoted && previous == ' ' {
            return (&line[..at], Some(&line[at..]));
        }
        previous = c;
    }
    (line, None)
}

/// Every character with its position and whether it is inside quotes.
fn outside_quotes(code: &str) -> impl Iterator<Item = (usize, char, bool)> {
    let mut quote = None;
    let mut escaped = false;
    code.char_indices().map(move |(at, c)| {
        let was = quote;
        match (quote, c) {
            _ if escaped => escaped = false,
            (_, '\\') => escaped = true,
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
        (at, c, was.is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_stay_whole() {
        for (line, columns, expected) in [
            ("short", 20, vec!["short"]),
            (
                "python train.py batch_size=2 accumulate=2",
                24,
                vec!["python train.py \\", "    batch_size=2 \\", "    accumulate=2"],
            ),
            ("    a b", 6, vec!["    a \\", "        b"]),
            ("python -c 'import torch; print(torch)'", 20, vec!["python -c \\", "    'import torch; print(torch)'"]),
            ("x", 0, vec!["x"]),
            ("run   # slow, but it says what failed", 20, vec!["# slow, but it says", "# what failed", "run"]),
            ("echo '#no' \"# no\" a", 12, vec!["echo '#no' \\", "    \"# no\" a"]),
        ] {
            assert_eq!(fit(line, columns), expected, "{line}");
        }
    }
}
