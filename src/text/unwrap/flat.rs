//! A Python traceback on one line: its line breaks were lost in a chat, a form or a table's cell.
//!
//! Lines that merely quote a frame stay. Where a frame's source ends and the exception begins shows only in the
//! exception's name, so the first name followed by a colon, outside of all brackets and quotes, is taken for it.

use memchr::memmem;

/// The line that a traceback begins with.
const HEADER: &str = "Traceback (most recent call last):";
/// Sentences between the tracebacks of a chain.
const CHAIN: [&str; 2] = [
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
];

/// Restores a traceback's line breaks; `None` if the line contains no traceback.
pub(in crate::text) fn read(line: &str) -> Option<String> {
    let header = memmem::find(line.as_bytes(), HEADER.as_bytes())?;
    let behind = line.get(header + HEADER.len()..)?;
    if !behind.trim_start().starts_with("File \"") {
        return None;
    }
    let mut out = String::with_capacity(line.len() + 64);
    out.push_str(line.get(..header)?.trim_end());
    let mut rest = line.get(header..)?;
    while let Some(next) = rest.strip_prefix(HEADER) {
        begin(&mut out, HEADER);
        rest = next.trim_start();
        while let Some(frame) = Frame::read(rest) {
            begin(&mut out, "  ");
            out.push_str(frame.head);
            let (source, behind) = cut(frame.behind);
            if !source.is_empty() {
                begin(&mut out, "    ");
                out.push_str(source);
            }
            rest = behind;
        }
        // What is left is the exception, up to the next traceback of a chain.
        let end = memmem::find(rest.as_bytes(), HEADER.as_bytes()).unwrap_or(rest.len());
        let (message, next) = rest.split_at_checked(end)?;
        let chain = CHAIN.iter().find_map(|words| Some((message.find(words)?, *words)));
        let (message, words) = chain.map_or((message, ""), |(at, words)| (&message[..at], words));
        for part in [message.trim(), words] {
            if !part.is_empty() {
                begin(&mut out, part);
            }
        }
        rest = next;
    }
    Some(out)
}

/// Begins a line.
fn begin(out: &mut String, words: &str) {
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str(words);
}

/// `File "...", line 3, in f` and what follows.
struct Frame<'t> {
    head: &'t str,
    behind: &'t str,
}

impl<'t> Frame<'t> {
    fn read(text: &'t str) -> Option<Self> {
        let path = text.strip_prefix("File \"")?;
        let number = path.get(path.find('"')?..)?.strip_prefix("\", line ")?;
        let function = number.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(", in ")?;
        let end = function.find(' ').unwrap_or(function.len());
        let length = text.len() - function.len() + end;
        Some(Self { head: text.get(..length)?, behind: text.get(length..)?.trim_start() })
    }
}

/// A frame's source line, and the next frame or the exception after it.
fn cut(text: &str) -> (&str, &str) {
    let (mut depth, mut quote) = (0_usize, None);
    let mut word = 0;
    for (at, letter) in text.char_indices() {
        if at == word {
            let here = &text[at..];
            // A quoted source line may be cut anywhere, so brackets do not hide a frame or a header.
            if Frame::read(here).is_some() || here.starts_with(HEADER) {
                return (text[..at].trim_end(), here);
            }
            if depth == 0 && quote.is_none() && is_exception(here) {
                return (text[..at].trim_end(), here);
            }
        }
        match letter {
            '"' | '\'' if quote.is_none() => quote = Some(letter),
            '"' | '\'' if quote == Some(letter) => quote = None,
            '(' | '[' | '{' if quote.is_none() => depth += 1,
            ')' | ']' | '}' if quote.is_none() => depth = depth.saturating_sub(1),
            ' ' => word = at + 1,
            _ => {}
        }
    }
    // A statement over several lines leaves a bracket open: then the last possible name is the exception's.
    let last =
        memchr::memrchr_iter(b' ', text.as_bytes()).map(|space| &text[space + 1..]).find(|here| is_exception(here));
    last.map_or((text, ""), |here| (text[..text.len() - here.len()].trim_end(), here))
}

/// Whether a text begins with `package.SomeError: ` or ends after such a name.
fn is_exception(text: &str) -> bool {
    let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'))).unwrap_or(text.len());
    let (name, behind) = text.split_at(end);
    let class = name.rsplit('.').next().unwrap_or(name);
    let named = ["Error", "Exception", "Interrupt", "Exit"].iter().any(|ending| class.ends_with(ending));
    let is_class = class.starts_with(|c: char| c.is_ascii_uppercase());
    let colon = behind.starts_with(": ");
    is_class && (named && (colon || behind.is_empty()) || colon && name.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_traceback_gets_its_lines_back() {
        let line = "it says Traceback (most recent call last): File \"/w/train.py\", line 7, in <module> main() \
                    File \"/w/train.py\", line 4, in main loss = f(x, \"a: b\") RuntimeError: CUDA error: no room";
        let lines = [
            "it says",
            "Traceback (most recent call last):",
            "  File \"/w/train.py\", line 7, in <module>",
            "    main()",
            "  File \"/w/train.py\", line 4, in main",
            "    loss = f(x, \"a: b\")",
            "RuntimeError: CUDA error: no room",
        ];
        assert_eq!(read(line).expect("a traceback").lines().collect::<Vec<_>>(), lines);
    }

    #[test]
    fn chains_and_frames_without_source() {
        let line = "Traceback (most recent call last): File \"a.py\", line 1, in f File \"b.py\", line 2, in g \
                    KeyError: 'x'  The above exception was the direct cause of the following exception:  \
                    Traceback (most recent call last): File \"a.py\", line 3, in f raise Bad(\"k\") from e \
                    ray.exceptions.Bad: lost";
        let lines = [
            "Traceback (most recent call last):",
            "  File \"a.py\", line 1, in f",
            "  File \"b.py\", line 2, in g",
            "KeyError: 'x'",
            "The above exception was the direct cause of the following exception:",
            "Traceback (most recent call last):",
            "  File \"a.py\", line 3, in f",
            "    raise Bad(\"k\") from e",
            "ray.exceptions.Bad: lost",
        ];
        assert_eq!(read(line).expect("a traceback").lines().collect::<Vec<_>>(), lines);
    }

    #[test]
    fn a_source_line_with_an_open_bracket_hides_no_exception() {
        let line = "Traceback (most recent call last): File \"a.py\", line 1, in f return call( ValueError: odd";
        assert!(read(line).expect("a traceback").ends_with("\n    return call(\nValueError: odd"));
    }

    #[test]
    fn words_about_tracebacks_stay() {
        for line in [
            "Traceback (most recent call last):",
            "a header is 'Traceback (most recent call last):' and then come File \"x\", line 1 and so on",
            "File \"x.py\", line 3, in f",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
