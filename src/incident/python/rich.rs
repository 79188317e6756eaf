//! Tracebacks drawn by Rich: `/path/file.py:20 in <module>`, `❱ 20 code`, the exception below the box.
//!
//! The box itself may already be removed. The message below it is wrapped at the console's width, so an unindented line
//! under a long one continues it.

use super::super::context::ParserContext;
use super::super::words::{is_word, parse_uint};
use super::super::{Frame, Kind, Role};
use super::line;
use super::message::Style;

/// Lines that are neither frame nor code before the block is given up.
const FOREIGN: usize = 60;

/// Reads the traceback whose title is at `at`.
pub(super) fn read(r: &mut ParserContext<'_>, at: usize) -> Option<usize> {
    let title = r.text(at).trim().trim_matches(is_border).trim();
    if title != "Traceback (most recent call last)" {
        return None;
    }
    r.set(at, Role::Header);
    let mut frames: Vec<Frame> = Vec::new();
    let mut position = at + 1;
    let mut foreign = 0;
    let mut last_own = at + 1;
    while position < r.len() && foreign < FOREIGN {
        let raw = r.text(position);
        let boxed = raw.trim_start().starts_with('│');
        let words = raw.trim().trim_matches(is_border).trim();
        if words.is_empty() {
            if raw.trim_start().starts_with(['╰', '╭', '│']) {
                r.set(position, Role::Code);
                last_own = position + 1;
            }
        } else if let Some(mut frame) = place(words) {
            frame.at = r.index(position);
            r.set(position, Role::Frame);
            frames.push(frame);
            last_own = position + 1;
        } else if !boxed && let Some(raised) = exception(words) {
            let mut event = r.event(Kind::Python, raised.type_name, raised.message, position);
            event.frames = frames;
            return Some(super::finish(r, event, at, position, Style::Wrapped));
        } else if line::chain(words).is_some() || words.contains("Traceback (most recent call last)") {
            break;
        } else {
            complete(&mut frames, words);
            let code =
                boxed || words.starts_with(['❱', '│', '╭', '╰']) || words.starts_with(|c: char| c.is_ascii_digit());
            if code || foreign < 12 {
                r.set(position, Role::Code);
            }
            foreign = if code { 0 } else { foreign + 1 };
            if code {
                last_own = position + 1;
            }
        }
        position += 1;
    }
    let mut event = r.event(Kind::Python, "", "", at);
    event.frames = frames;
    event.fatal = false;
    let end = if position < r.len() && foreign < FOREIGN { position } else { last_own };
    for text in last_own..end {
        r.set(text, Role::Text);
    }
    r.cover(&mut event, at, last_own);
    r.push(event);
    Some(last_own)
}

fn is_border(c: char) -> bool {
    matches!(c, '│' | '╭' | '╮' | '╰' | '╯' | '─' | '┃' | ' ')
}

/// The exception under the box.
fn exception(words: &str) -> Option<line::Raised<'_>> {
    line::alone(words).or_else(|| {
        line::due(words).filter(|raised| !raised.message.is_empty() && !raised.type_name.ends_with("Warning"))
    })
}

/// `path:20 in name`, the name perhaps on the next line.
fn place(words: &str) -> Option<Frame> {
    let (place, function) = match words.split_once(" in ") {
        Some((place, function)) => (place, function.trim()),
        None => (words.strip_suffix(" in").unwrap_or(words), ""),
    };
    let (file, line) = place.trim_end().rsplit_once(':')?;
    let (line, rest) = parse_uint(line)?;
    let is_path = file.ends_with(".py")
        || file.ends_with(".pyx")
        || file.starts_with(['/', '<'])
        || file.get(1..3) == Some(":\\");
    if !rest.is_empty()
        || !is_path
        || file.contains(['=', '(', '"'])
        || function.contains(' ') && !function.starts_with('<')
    {
        return None;
    }
    Some(Frame { file: file.to_owned(), line: u32::try_from(line).unwrap_or(0), function: function.to_owned(), at: 0 })
}

/// A function name that was wrapped to the line below its path.
fn complete(frames: &mut [Frame], words: &str) {
    let name = words.strip_prefix("in ").unwrap_or(words);
    if let Some(last) = frames.last_mut()
        && last.function.is_empty()
        && (name.chars().all(|c| is_word(c) || c == '.') && !name.starts_with(|c: char| c.is_ascii_digit())
            || name == "<module>"
            || name == "<lambda>")
    {
        last.function = name.to_owned();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        let place = |words| place(words).map(|f| (f.file, f.line, f.function));
        assert_eq!(place("/a/b.py:20 in <module>"), Some(("/a/b.py".into(), 20, "<module>".into())));
        assert_eq!(place("D:\\a\\b.py:7 in load"), Some(("D:\\a\\b.py".into(), 7, "load".into())));
        assert_eq!(place("/a/b.py:20 in"), Some(("/a/b.py".into(), 20, String::new())));
        assert_eq!(place("/a/b.py:20"), Some(("/a/b.py".into(), 20, String::new())));
        assert_eq!(place("x = f(\"/a/b.py:20\")"), None);
        assert_eq!(place("see http://host:80 in use"), None);
    }
}
