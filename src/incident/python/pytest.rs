//! pytest's report: failure sections with `E   RuntimeError: ...`, places, the short summary.
//!
//! The summary repeats every failure in short form; a line of it becomes an error only where its section is missing.
//! Skipped and expected failures are quiet.

use super::super::context::ParserContext;
use super::super::words::parse_uint;
use super::super::{Frame, Kind, Role};
use super::line;

/// Reads the line at `at` if it is pytest's; returns the position after what was read.
pub(super) fn read(r: &mut ParserContext<'_>, at: usize) -> Option<usize> {
    let text = r.text(at);
    let words = text.trim();
    if words.starts_with("====") || words.starts_with("____") {
        if words.contains("= FAILURES =") || words.contains("= ERRORS =") {
            r.in_pytest = true;
        } else if words.starts_with("====") {
            r.in_pytest = false;
        }
        return Some(at + 1);
    }
    if is_error_line(text) {
        return Some(failure(r, at, true));
    }
    if r.in_pytest && !text.starts_with([' ', '>']) && (line::alone(words).is_some() || words.starts_with("assert ")) {
        // The `E` in the margin was removed with other margins.
        return Some(failure(r, at, false));
    }
    if ["SKIPPED", "XFAIL", "XPASS", "PASSED"].iter().any(|word| outcome(words, word)) {
        r.set(at, Role::Quiet);
        return Some(at + 1);
    }
    if let Some(rest) = words.strip_prefix("FAILED ").or_else(|| words.strip_prefix("ERROR "))
        && rest.split(' ').next().is_some_and(|test| test.ends_with(".py") || test.contains(".py::"))
    {
        return Some(summary(r, at, rest));
    }
    if !r.in_pytest || words.is_empty() {
        return None;
    }
    if words.starts_with("----") && words.contains("Captured") {
        // What the test itself wrote follows: read it like any other text.
        r.in_pytest = false;
        return Some(at + 1);
    }
    if place(words).is_some() {
        r.set(at, Role::Frame);
        return Some(at + 1);
    }
    if text.starts_with('>') || text.starts_with("    ") || words.starts_with("_ _ _") {
        r.set(at, Role::Code);
        return Some(at + 1);
    }
    None
}

/// Whether a line gives a test's outcome as this word: before or after the test's name.
fn outcome(words: &str, word: &str) -> bool {
    let behind = |rest: &str| rest.is_empty() || rest.starts_with(" (") || rest.trim_start().starts_with('[');
    words.starts_with(word)
        || words.contains(".py::")
            && words.rsplit_once(word).is_some_and(|(head, rest)| head.ends_with(' ') && behind(rest))
}

fn is_error_line(text: &str) -> bool {
    text.strip_prefix('E').is_some_and(|rest| rest.starts_with("   ") || rest.is_empty())
}

/// The exception and its message: a run of `E   ` lines, or without its margin all lines up to the place below.
fn failure(r: &mut ParserContext<'_>, at: usize, margin: bool) -> usize {
    let mut end = at;
    if margin {
        while end < r.len() && is_error_line(r.text(end)) {
            end += 1;
        }
    } else {
        let stop = (at + 1..(at + 80).min(r.len())).find(|&next| {
            let words = r.text(next).trim();
            place(words).is_some()
                || words.starts_with("____")
                || words.starts_with("====")
                || words.starts_with("----")
        });
        end = stop.unwrap_or(at + 1);
        while end > at + 1 && r.text(end - 1).trim().is_empty() {
            end -= 1;
        }
    }
    if end == at {
        return at + 1;
    }
    let skip = usize::from(margin);
    let content = |r: &ParserContext<'_>, position: usize| r.text(position).get(skip..).unwrap_or("").trim().to_owned();
    // The exception need not be on the first line: "E   assert 1 == 2" names no type, the place below does.
    let first = content(r, at);
    let raised = line::due(&first).map(|raised| (raised.type_name.to_owned(), raised.message.to_owned()));
    let below = (end..(end + 4).min(r.len()))
        .find_map(|position| place(r.text(position).trim()).map(|frame| (position, frame)));
    let named = below.as_ref().map(|(_, frame)| frame.function.clone()).filter(|name| line::due(name).is_some());
    let (type_name, mut message) = match (raised, named) {
        (Some(raised), _) => raised,
        (None, named) => (named.unwrap_or_default(), first.clone()),
    };
    if type_name.is_empty() && !r.in_pytest {
        return at + 1;
    }
    r.set(at, Role::Error);
    for position in at + 1..end {
        let more = content(r, position);
        if super::super::advice::is_advice(&more) {
            r.set(position, Role::Advice);
        } else {
            message.push('\n');
            message.push_str(&more);
        }
    }
    let mut frames = frames_above(r, at);
    if let Some((position, mut frame)) = below
        && line::due(&frame.function).is_some()
    {
        r.set(position, Role::Frame);
        frame.function = String::new();
        frame.at = r.index(position);
        if frames.last().is_none_or(|last| last.file != frame.file || last.line != frame.line) {
            frames.push(frame);
        }
        end = end.max(position + 1);
    }
    let message = super::super::advice::without(&message).into_owned();
    let mut event = r.event(Kind::Python, &type_name, &message, at);
    event.frames = frames;
    r.cover(&mut event, at, end);
    r.push(event);
    end
}

/// The places named between the section's title and its `E` lines.
fn frames_above(r: &ParserContext<'_>, at: usize) -> Vec<Frame> {
    let mut frames = Vec::new();
    for position in (at.saturating_sub(400)..at).rev() {
        let words = r.text(position).trim();
        if words.starts_with("____") || words.starts_with("====") || r.role(position) == Role::Error {
            break;
        }
        if r.role(position) == Role::Frame
            && let Some(mut frame) = place(words)
        {
            frame.at = r.index(position);
            frames.push(frame);
        }
    }
    frames.reverse();
    frames
}

/// `file.py:12: in f`, `file.py:12: `, `file.py:12: RuntimeError`.
fn place(words: &str) -> Option<Frame> {
    let (file, rest) = words.split_once(".py:")?;
    if file.contains([' ', '"', '(']) {
        return None;
    }
    let (line, rest) = parse_uint(rest)?;
    let rest = rest.strip_prefix(':')?.trim();
    if rest.contains(' ') && !rest.starts_with("in ") {
        return None;
    }
    let function = rest.strip_prefix("in ").unwrap_or(rest);
    Some(Frame {
        file: format!("{file}.py"),
        line: u32::try_from(line).unwrap_or(0),
        function: function.to_owned(),
        at: 0,
    })
}

/// A line of the short summary: `FAILED test_x.py::test_y - RuntimeError: ...`.
fn summary(r: &mut ParserContext<'_>, at: usize, rest: &str) -> usize {
    let Some((_, summary)) = rest.split_once(" - ") else {
        r.set(at, Role::Quiet);
        return at + 1;
    };
    let raised = line::due(summary);
    let (type_name, message) = raised.map_or(("", summary), |raised| (raised.type_name, raised.message));
    let message = super::super::advice::without(message);
    let start: String = message.trim_end_matches(['.', '…', ' ']).chars().take(30).collect();
    let known = r.lately(|error| {
        error.message.starts_with(&start) && (type_name.is_empty() || error.type_name.ends_with(type_name))
    });
    if known {
        r.set(at, Role::Quiet);
    } else {
        r.set(at, Role::Error);
        let event = r.event(Kind::Python, type_name, &message, at);
        r.push(event);
    }
    at + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        let place = |words| place(words).map(|f| (f.file, f.line, f.function));
        assert_eq!(place("test_a.py:12: in run"), Some(("test_a.py".into(), 12, "run".into())));
        assert_eq!(place("/x/test_a.py:12: RuntimeError"), Some(("/x/test_a.py".into(), 12, "RuntimeError".into())));
        assert_eq!(place("test_a.py:12:"), Some(("test_a.py".into(), 12, String::new())));
        assert_eq!(place("/x/a.py:12: UserWarning: careful"), None);
    }
}
