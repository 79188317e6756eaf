//! Strings with written-out line breaks: a traceback inside JSON, a Python repr, a notebook's file.
//!
//! Windows paths (`C:\new\net.py` contains `\n` too) and quoted source code stay: only strings that look like several
//! lines of a message are opened; one `\n` at the end of a word is not enough.

/// Unescapes the strings of a line that contain several lines; `None` if there are none. `strict` when the line may be
/// code.
pub(in crate::text) fn read(line: &str, strict: bool) -> Option<String> {
    let first = memchr::memmem::find(line.as_bytes(), b"\\n")?;
    let sure = ["Traceback (most recent call last):\\n", "\\n  File \\\"", "\\n  File \"", "\\nTraceback (most"]
        .iter()
        .any(|mark| memchr::memmem::find(line.as_bytes(), mark.as_bytes()).is_some());
    if !sure && (strict || line.trim_start().starts_with("File \"")) {
        return None;
    }
    // A line that is one JSON string, as notebooks' files hold them.
    let trimmed = line.trim().trim_end_matches(',');
    if trimmed.len() > 2
        && literal(trimmed, 0) == Some((0, trimmed.len()))
        && trimmed.starts_with('"')
        && (sure || trimmed.contains("\\u001b[") || trimmed.ends_with("\\n\""))
    {
        let inner = &trimmed[1..trimmed.len() - 1];
        let inner = inner.strip_suffix("\\n").unwrap_or(inner);
        return Some(open(inner));
    }
    let mut out = String::new();
    let mut done = 0;
    let mut opened = false;
    let mut at = 0;
    while let Some((begin, end)) = literal(line, at) {
        at = end;
        let Some(inner) = line.get(begin + 1..end.saturating_sub(1)) else { continue };
        if end > first && worth(inner, sure) {
            let head = line.get(done..begin).unwrap_or_default();
            out.push_str(head);
            // The words before a string and its lines are lines of their own when the string begins a traceback.
            if inner.trim_start().starts_with("Traceback") && !out.is_empty() {
                out.push('\n');
            }
            let text = open(inner);
            out.push_str(text.trim_end_matches('\n'));
            done = end;
            opened = true;
            if line.get(end..).is_some_and(|rest| rest.len() > 2) {
                out.push('\n');
            }
        }
    }
    if !opened {
        // Not quoted at all (or the quotes were cut off): a log that escaped the breaks of its message.
        return sure.then(|| open(line));
    }
    let rest = line.get(done..).unwrap_or_default();
    if rest.chars().any(char::is_alphanumeric) {
        out.push_str(rest);
    }
    Some(out.trim_end_matches('\n').to_owned())
}

/// The value of a logfmt `msg=`, unquoted, with the fields after it.
pub(in crate::text) fn message(value: &str) -> String {
    match literal(value, 0) {
        Some((0, end)) if end <= value.len() => format!("{}{}", open(&value[1..end - 1]), &value[end..]),
        _ => value.to_owned(),
    }
}

/// The next string literal from `at` on: the positions of its quotes.
fn literal(line: &str, at: usize) -> Option<(usize, usize)> {
    let bytes = line.as_bytes();
    let mut begin = at;
    loop {
        begin += memchr::memchr2(b'"', b'\'', bytes.get(begin..)?)?;
        // An apostrophe inside a word opens nothing.
        let inside = begin > 0
            && bytes[begin] == b'\''
            && bytes[begin - 1].is_ascii_alphanumeric()
            && !is_string_prefix(&bytes[..begin]);
        if !inside {
            break;
        }
        begin += 1;
    }
    let quote = bytes[begin];
    let mut here = begin + 1;
    while let Some(step) = memchr::memchr2(quote, b'\\', bytes.get(here..)?) {
        here += step;
        if bytes[here] == quote {
            return Some((begin, here + 1));
        }
        here += 2;
    }
    // Never closed: the rest of the line, when it is cut.
    Some((begin, bytes.len() + 1))
}

/// `b'`, `r'`, `f'` not preceded by a letter.
fn is_string_prefix(before: &[u8]) -> bool {
    let word = before.iter().rev().take(3).take_while(|b| b.is_ascii_alphanumeric()).count();
    word == 1 && before.last().is_some_and(|b| matches!(b, b'b' | b'r' | b'f' | b'u'))
}

/// Whether a string contains several lines of a message.
fn worth(inner: &str, sure: bool) -> bool {
    let breaks = memchr::memmem::find_iter(inner.as_bytes(), b"\\n").count();
    if breaks == 0 {
        return false;
    }
    if sure && (inner.contains("Traceback (most") || inner.contains("\\n  File ")) {
        return true;
    }
    let drive = inner.as_bytes().get(1) == Some(&b':') && inner.as_bytes().get(2) == Some(&b'\\');
    // After a line break in a message comes a new sentence, indentation, a bullet or nothing.
    let sentence = memchr::memmem::find_iter(inner.as_bytes(), b"\\n").any(|at| {
        inner[at + 2..]
            .chars()
            .next()
            .is_none_or(|c| c.is_uppercase() || matches!(c, ' ' | '[' | '-' | '=' | '\\' | '*'))
    });
    breaks >= 2 && sentence && inner.contains(' ') && !drive
}

/// Resolves the escapes of a string.
fn open(inner: &str) -> String {
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let (c, length) = match after.as_bytes().first() {
            Some(b'n') => (Some('\n'), 1),
            Some(b't') => (Some('\t'), 1),
            Some(b'r') => (None, 1),
            Some(b'"') => (Some('"'), 1),
            Some(b'\'') => (Some('\''), 1),
            Some(b'/') => (Some('/'), 1),
            Some(b'\\') => (Some('\\'), 1),
            Some(b'u') => {
                match after.get(1..5).and_then(|hex| u32::from_str_radix(hex, 16).ok()).and_then(char::from_u32) {
                    Some(c) => (Some(c), 5),
                    None => (Some('\\'), 0),
                }
            }
            Some(b'x') => match after
                .get(1..3)
                .and_then(|hex| u32::from_str_radix(hex, 16).ok())
                .filter(|n| *n < 0x80)
                .and_then(char::from_u32)
            {
                Some(c) => (Some(c), 3),
                None => (Some('\\'), 0),
            },
            _ => (Some('\\'), 0),
        };
        out.extend(c);
        rest = after.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_with_several_lines_are_opened() {
        for (line, text) in [
            (
                r#"result = {'error': 'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\nRuntimeError: out of memory\n', 'code': 1}"#,
                "result = {'error': \nTraceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\nRuntimeError: out of memory\n, 'code': 1}",
            ),
            (
                r#""message": "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nValueError: x","#,
                "\"message\": \nTraceback (most recent call last):\n  File \"a.py\", line 1, in f\nValueError: x",
            ),
            (
                r"RuntimeError('CUDA error: device-side assert triggered\nCUDA kernel errors might be late.\nFor debugging')",
                "RuntimeError(CUDA error: device-side assert triggered\nCUDA kernel errors might be late.\nFor debugging",
            ),
            (
                r#"Traceback (most recent call last):\n  File "a.py", line 1, in f\nValueError: x"#,
                "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nValueError: x",
            ),
            (r#"      "\u001b[0;31mValueError\u001b[0m: x\n","#, "\u{1b}[0;31mValueError\u{1b}[0m: x"),
            (r"b'Traceback (most recent call last):\n  File x\n'", "b\nTraceback (most recent call last):\n  File x"),
        ] {
            assert_eq!(read(line, false).as_deref(), Some(text), "{line}");
        }
    }

    #[test]
    fn paths_and_code_stay() {
        for line in [
            r#"  File "C:\new\net.py", line 3, in f"#,
            r"Loading 'C:\Models\Net\new model'",
            r#"print("done\n")"#,
            r"D:\nets\new\Name.py",
            "it's a \\n b",
        ] {
            assert_eq!(read(line, false), None, "{line}");
        }
        assert_eq!(read(r#"    raise RuntimeError("CUDA error:\nTry this\nFor that")"#, true), None);
    }
}
