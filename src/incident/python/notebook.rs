//! Tracebacks of IPython and Jupyter: `RuntimeError    Traceback (most recent call last)`, cells, arrows.
//!
//! Both the old form (`~/x.py in f(a)`) and the new one (`File ~/x.py:212, in f(a)`) are read. The type is at the top
//! and the message at the bottom; the block ends at the line that repeats the type.

use super::super::context::ParserContext;
use super::super::words::parse_uint;
use super::super::{Frame, Kind, Role};
use super::line;
use super::message::Style;

/// Lines that a notebook's traceback may have.
const LONGEST: usize = 4000;

/// Reads the traceback whose header is at `at`.
pub(super) fn read(r: &mut ParserContext<'_>, at: usize) -> Option<usize> {
    let header = r.text(at).trim();
    let type_name = header.strip_suffix("Traceback (most recent call last)")?.trim();
    if type_name.is_empty() || !type_name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.')) {
        return None;
    }
    let ruler = at > 0 && r.text(at - 1).starts_with("-----");
    let from = if ruler { at - 1 } else { at };
    r.set(at, Role::Header);
    let mut frames: Vec<Frame> = Vec::new();
    let mut position = at + 1;
    let mut last_own = at + 1;
    while position < r.len() && position - at < LONGEST {
        let text = r.text(position);
        let words = text.trim();
        if words.is_empty() {
            position += 1;
            continue;
        }
        if let Some(raised) = line::due(words)
            && line::last_segment(raised.type_name) == line::last_segment(type_name)
        {
            let mut event = r.event(Kind::Python, raised.type_name, raised.message, position);
            event.frames = frames;
            return Some(super::finish(r, event, from, position, Style::Plain));
        }
        if line::chain(words).is_some() || words.contains("Traceback (most recent call last)") {
            break;
        }
        if let Some(number) = arrow(words) {
            if let Some(last) = frames.last_mut()
                && last.line == 0
            {
                last.line = number;
            }
            r.set(position, Role::Code);
            last_own = position + 1;
        } else if let Some(mut frame) = place(words) {
            frame.at = r.index(position);
            r.set(position, Role::Frame);
            frames.push(frame);
            last_own = position + 1;
        } else if position - last_own > 200 {
            break;
        } else {
            r.set(position, Role::Code);
        }
        position += 1;
    }
    // Cut off: the text below the last frame may not be code.
    for foreign in last_own..position {
        r.set(foreign, Role::Text);
    }
    let mut event = r.event(Kind::Python, type_name, "", at);
    event.frames = frames;
    event.fatal = false;
    r.cover(&mut event, from, last_own);
    r.push(event);
    Some(last_own)
}

/// The line number of `----> 4 code`.
fn arrow(words: &str) -> Option<u32> {
    let rest = words.trim_start_matches('-');
    (rest.len() < words.len()).then_some(())?;
    let (number, _) = parse_uint(rest.strip_prefix('>')?)?;
    u32::try_from(number).ok()
}

/// The place that heads a part of the stack.
fn place(words: &str) -> Option<Frame> {
    let frame = |file: &str, line: u64, function: &str| Frame {
        file: file.trim().to_owned(),
        line: u32::try_from(line).unwrap_or(0),
        function: function.split('(').next().unwrap_or("").trim().to_owned(),
        at: 0,
    };
    if words.starts_with("Cell In") || words.starts_with("Input In") {
        // "Cell In[4], line 1", "Cell In[4], line 1, in f(x)", "Input In [4], in <cell line: 1>()".
        let (cell, rest) = words.split_once(',').unwrap_or((words, ""));
        let line = rest
            .split_once("line")
            .and_then(|(_, rest)| parse_uint(rest.trim_start_matches([':', ' '])))
            .map_or(0, |found| found.0);
        let function = match rest.split_once("in ") {
            Some((_, name)) if !name.starts_with('<') => name,
            _ => "<module>",
        };
        return Some(frame(cell, line, function));
    }
    if let Some(rest) = words.strip_prefix("File ") {
        // "File ~/x.py:212, in fit(data)", "File ~/x.py:212".
        let (place, function) = rest.split_once(", in ").unwrap_or((rest, ""));
        let (file, line) = place.rsplit_once(':')?;
        let (line, _) = parse_uint(line)?;
        return Some(frame(file, line, function));
    }
    // "~/x.py in f(args)", "<ipython-input-3-abc> in <module>".
    let (file, function) = words.split_once(" in ")?;
    let is_place = (file.starts_with(['/', '~', '.', '<']) || file.get(1..3) == Some(":\\")) && !file.contains(' ')
        || file.ends_with(".py");
    is_place.then(|| frame(file, 0, function))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        let table = [
            ("Cell In[4], line 1", ("Cell In[4]", 1, "<module>")),
            ("Cell In[4], line 9, in run(x)", ("Cell In[4]", 9, "run")),
            ("Input In [2], in <cell line: 3>()", ("Input In [2]", 3, "<module>")),
            ("File ~/a b/x.py:212, in fit(data, **kw)", ("~/a b/x.py", 212, "fit")),
            ("~/x.py in fit(data)", ("~/x.py", 0, "fit")),
            ("<ipython-input-3-ab> in <module>", ("<ipython-input-3-ab>", 0, "<module>")),
        ];
        for (words, (file, line, function)) in table {
            let found = place(words).expect("a place");
            assert_eq!((found.file.as_str(), found.line, found.function.as_str()), (file, line, function), "{words}");
        }
        assert_eq!(place("x = 3 in y"), None);
        assert_eq!(arrow("---> 12 y = f(x)"), Some(12));
        assert_eq!(arrow("12 y = f(x)"), None);
    }
}
