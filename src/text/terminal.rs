//! What a terminal would have shown: escape sequences, carriage returns and backspaces of one physical line.
//!
//! Colours, links and cursor movements are removed, also where a tool wrote them out as `^[[31m` or `\x1b[31m`. Unlike
//! on a terminal, nothing is overwritten: a carriage return only ends a [`Segment`], and a segment is dropped only if
//! it is blank or a progress state that a later one replaces. So nothing but progress is lost, even in a file whose
//! only line breaks are carriage returns.

use std::borrow::Cow;
use std::ops::Range;

use super::progress;

/// A stretch of one physical line between carriage returns.
#[derive(Debug, Clone)]
pub(super) struct Segment<'t> {
    /// The words.
    pub(super) text: Cow<'t, str>,
    /// Bytes of the decoded text it came from.
    pub(super) at: Range<usize>,
}

/// How this text writes escape sequences; determined once per text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Spelling {
    /// Some are written out: `^[[0m`, `\x1b[0m`, `#033[0m`.
    pub(super) literal: bool,
    /// Some lost their escape character: `[0m`.
    pub(super) bare: bool,
    /// Some line has progress bars.
    pub(super) bars: bool,
    /// Non-breaking or zero-width spaces occur.
    pub(super) odd_spaces: bool,
}

/// No line has this many states worth keeping; the rest stays in one piece.
const MAX_SEGMENTS: usize = 20_000;

impl Spelling {
    /// Scans the whole text once.
    pub(super) fn of(text: &str) -> Self {
        let has = |needle: &str| memchr::memmem::find(text.as_bytes(), needle.as_bytes()).is_some();
        Self {
            literal: [
                "^[[", "^[]", "\\x1b[", "\\x1B[", "\\033[", "\\e[", "\\u001b[", "\\u001B[", "#x1B[", "#033[", "␛[",
            ]
            .iter()
            .any(|form| has(form)),
            bare: has("[0m") || has("[39m"),
            bars: has("%|") || has("━━") || has("[==") || has("it/s") || has("[>."),
            odd_spaces: has("\u{A0}") || has("\u{200B}") || has("\u{FEFF}"),
        }
    }
}

/// Splits one physical line, which begins at `base` of the decoded text, into the segments that count.
pub(super) fn segments<'t>(line: &'t str, base: usize, spelling: Spelling, out: &mut Vec<Segment<'t>>) {
    let whole = base..base + line.len();
    let first = out.len();
    let mut line = Cow::Borrowed(line);
    if spelling.odd_spaces && !line.is_ascii() {
        line = plain_spaces(line);
    }
    if spelling.literal || spelling.bare {
        line = real_escapes(line, spelling.bare);
    }
    match line {
        Cow::Borrowed(line) => {
            if has_controls(line.as_bytes()) {
                render(line, Some(base), &whole, out);
            } else {
                out.push(Segment { text: Cow::Borrowed(line), at: whole });
            }
        }
        Cow::Owned(line) => render(&line, None, &whole, out),
    }
    if spelling.bars || out.len() - first > 1 {
        settle(out, first);
    }
}

/// Removes escapes and controls from a text that was unwrapped (from a JSON string).
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if !has_controls(text.as_bytes()) {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::new();
    render(text, None, &(0..text.len()), &mut out);
    settle(&mut out, 0);
    // A carriage return inside a wrapped string is progress; its last state counts.
    out.pop().map_or(Cow::Borrowed(""), |last| Cow::Owned(last.text.into_owned()))
}

/// Whether any byte but tab is a control character.
fn has_controls(line: &[u8]) -> bool {
    // A fold, so that the compiler vectorises it.
    line.chunks(64).any(|chunk| {
        chunk
            .iter()
            .fold(false, |found, byte| found | ((*byte < 0x20 && *byte != b'\t') | (*byte == 0x7F) | (*byte == 0xC2)))
    })
}

/// Emulates the terminal. Without `base` the line is a copy and all segments get the whole range.
fn render<'t>(line: &str, base: Option<usize>, whole: &Range<usize>, out: &mut Vec<Segment<'t>>) {
    let bytes = line.as_bytes();
    let first = out.len();
    let mut current = String::new();
    let mut begun = 0;
    let mut at = 0;
    let place = |from: usize, to: usize| base.map_or(whole.clone(), |base| base + from..base + to);
    while at < bytes.len() {
        let plain = bytes[at..].iter().position(|b| (*b < 0x20 && *b != b'\t') || *b == 0x7F || *b == 0xC2);
        let stop = plain.map_or(bytes.len(), |n| at + n);
        current.push_str(line.get(at..stop).unwrap_or_default());
        at = stop;
        let Some(byte) = bytes.get(at).copied() else { break };
        let mut breaks = false;
        match byte {
            0x1B => {
                let (end, effect) = escape(bytes, at);
                at = end;
                match effect {
                    Effect::None => {}
                    Effect::Break => breaks = true,
                    Effect::Space(count) => current.extend(std::iter::repeat_n(' ', count)),
                }
            }
            b'\r' => {
                at += 1;
                breaks = true;
            }
            0x08 => {
                let count = bytes[at..].iter().take_while(|b| **b == 0x08).count();
                at += count;
                // Keras walks back over its whole line; a few steps are overstriking.
                if count >= 8 {
                    breaks = true;
                } else {
                    for _ in 0..count {
                        current.pop();
                    }
                }
            }
            0xC2 => {
                // C1 controls in UTF-8; U+009B is a CSI, the rest prints nothing.
                let next = bytes.get(at + 1).copied().unwrap_or(0xBF);
                if next < 0xA0 {
                    at = if next == 0x9B { csi(bytes, at + 2).0 } else { at + 2 };
                } else {
                    current.push_str(line.get(at..at + 2).unwrap_or_default());
                    at += 2;
                }
            }
            _ => at += 1,
        }
        if breaks {
            if !current.trim().is_empty() && out.len() - first < MAX_SEGMENTS {
                out.push(Segment { text: Cow::Owned(std::mem::take(&mut current)), at: place(begun, at) });
            } else if out.len() - first >= MAX_SEGMENTS {
                current.push(' ');
            } else {
                current.clear();
            }
            begun = at;
        }
    }
    if !current.trim().is_empty() || out.len() == first {
        out.push(Segment { text: Cow::Owned(current), at: place(begun, bytes.len()) });
    }
}

/// What an escape sequence does to the line.
enum Effect {
    None,
    Break,
    Space(usize),
}

/// Reads the escape sequence at `at`: where it ends, and its effect.
fn escape(bytes: &[u8], at: usize) -> (usize, Effect) {
    match bytes.get(at + 1) {
        Some(b'[') => csi(bytes, at + 2),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => (string_end(bytes, at + 2), Effect::None),
        Some(b' '..=b'/') => {
            let middle = bytes[at + 1..].iter().take_while(|b| (b' '..=b'/').contains(*b)).count();
            let end = at + 1 + middle;
            let last = bytes.get(end).is_some_and(|b| (0x30..0x7F).contains(b));
            (end + usize::from(last), Effect::None)
        }
        Some(b'M' | b'D' | b'E') => (at + 2, Effect::Break),
        Some(0x30..0x7F) => (at + 2, Effect::None),
        _ => (at + 1, Effect::None),
    }
}

/// The length of the escape sequence at `at`, also of one that is written out.
pub(super) fn sequence(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    match rest.first()? {
        0x1B => return Some(escape(bytes, at).0 - at),
        0xC2 if rest.get(1) == Some(&0x9B) => return Some(csi(bytes, at + 2).0 - at),
        0xC2 if rest.get(1).is_some_and(|next| *next < 0xA0) => return Some(2),
        _ => {}
    }
    let form = FORMS.iter().find(|form| rest.starts_with(form.as_bytes()))?;
    let after = rest.get(form.len()..)?.strip_prefix(b"[")?;
    is_csi(after).then(|| csi(bytes, at + form.len() + 1).0 - at)
}

/// Reads a control sequence whose parameters begin at `at`.
fn csi(bytes: &[u8], at: usize) -> (usize, Effect) {
    let rest = bytes.get(at..).unwrap_or_default();
    let parameters = rest.iter().take(64).take_while(|b| (0x30..0x40).contains(*b)).count();
    let middle = rest[parameters..].iter().take(8).take_while(|b| (0x20..0x30).contains(*b)).count();
    let end = at + parameters + middle;
    let Some(last) = bytes.get(end).filter(|b| (0x40..0x7F).contains(*b)) else { return (end, Effect::None) };
    let number = std::str::from_utf8(&rest[..parameters]).ok().and_then(|digits| digits.parse::<usize>().ok());
    let effect = match last {
        b'C' => Effect::Space(number.unwrap_or(1).min(200)),
        b'G' if number.unwrap_or(1) <= 1 => Effect::Break,
        b'K' if matches!(number, Some(1 | 2)) => Effect::Break,
        b'A' | b'B' | b'E' | b'F' | b'H' | b'f' | b'd' | b'J' => Effect::Break,
        _ => Effect::None,
    };
    (end + 1, effect)
}

/// The end of a string sequence (a title, a link); only its introducer when it is never ended.
fn string_end(bytes: &[u8], at: usize) -> usize {
    let window = bytes.get(at..bytes.len().min(at + 4096)).unwrap_or_default();
    for (n, byte) in window.iter().enumerate() {
        match byte {
            0x07 => return at + n + 1,
            0x1B if window.get(n + 1) == Some(&b'\\') => return at + n + 2,
            0x1B | b'\r' => return at + n,
            0x9C if n > 0 && window[n - 1] == 0xC2 => return at + n + 1,
            _ => {}
        }
    }
    at
}

/// How an escape character is written out.
const FORMS: [&str; 12] =
    ["^[", "\\x1b", "\\x1B", "\\033", "\\e", "\\u001b", "\\u001B", "#x1B", "#x1b", "#033", "&#27;", "␛"];

/// Puts a real escape character where one was written out, if a complete sequence follows.
fn real_escapes(line: Cow<'_, str>, bare: bool) -> Cow<'_, str> {
    let mut out = String::new();
    let mut done = 0;
    let mut at = 0;
    while let Some(step) = memchr::memchr3(b'[', b']', b'\\', line.as_bytes().get(at..).unwrap_or_default()) {
        let here = at + step;
        at = here + 1;
        let (before, sequence) = (line.get(done..here).unwrap_or_default(), line.get(here..).unwrap_or_default());
        let whole = match sequence.as_bytes() {
            [b'[', rest @ ..] => is_csi(rest),
            [b']', b'0'..=b'9', ..] | [b'\\', ..] => true,
            _ => false,
        };
        if !whole {
            continue;
        }
        let form = FORMS.iter().find(|form| before.ends_with(**form));
        // A lone `\` ends a link only in the caret spelling; elsewhere it begins an ordinary escape.
        let form = if sequence.starts_with('\\') { form.filter(|form| **form == "^[") } else { form };
        if let Some(form) = form {
            out.push_str(&before[..before.len() - form.len()]);
        } else if bare
            && sequence.starts_with('[')
            && is_colour(&sequence.as_bytes()[1..])
            && !before.ends_with('\u{1b}')
        {
            out.push_str(before);
        } else {
            continue;
        }
        out.push('\u{1b}');
        done = here;
    }
    if done == 0 && out.is_empty() {
        return line;
    }
    out.push_str(line.get(done..).unwrap_or_default());
    Cow::Owned(out)
}

/// Whether a complete control sequence follows: parameters and a final letter.
fn is_csi(rest: &[u8]) -> bool {
    let parameters =
        rest.iter().take(24).take_while(|b| b.is_ascii_digit() || matches!(**b, b';' | b':' | b'?')).count();
    rest.get(parameters)
        .is_some_and(|last| if parameters == 0 { b"mKHJ".contains(last) } else { last.is_ascii_alphabetic() })
}

/// Whether `31m`, `0m` or `38;5;255m` follows.
fn is_colour(rest: &[u8]) -> bool {
    let parameters = rest.iter().take(24).take_while(|b| b.is_ascii_digit() || **b == b';').count();
    parameters > 0 && rest.get(parameters) == Some(&b'm')
}

/// Turns non-breaking spaces into spaces (web pages make indentation of them) and drops zero-width ones.
fn plain_spaces(line: Cow<'_, str>) -> Cow<'_, str> {
    if !line.contains(['\u{A0}', '\u{200B}', '\u{FEFF}']) {
        return line;
    }
    let kept = line.chars().filter(|c| !matches!(c, '\u{200B}' | '\u{FEFF}'));
    Cow::Owned(kept.map(|c| if c == '\u{A0}' { ' ' } else { c }).collect())
}

/// Drops states that a later one replaces and moves words joined to the end of a state to a line of their own.
fn settle(out: &mut Vec<Segment<'_>>, first: usize) {
    let mut settled: Vec<Segment<'_>> = Vec::new();
    for segment in out.drain(first..) {
        for (range, state) in progress::parts(&segment.text) {
            let part = if range == (0..segment.text.len()) {
                segment.clone()
            } else {
                let shift = if segment.at.len() == segment.text.len() { Some(segment.at.start) } else { None };
                let at = shift.map_or(segment.at.clone(), |start| start + range.start..start + range.end);
                Segment { text: cut(&segment.text, range), at }
            };
            if settled.last().is_some_and(|last| progress::replaces(&last.text, &part.text, state)) {
                settled.pop();
            }
            settled.push(part);
        }
    }
    out.extend(settled);
}

/// A part of a text, borrowed where possible.
fn cut<'t>(text: &Cow<'t, str>, range: Range<usize>) -> Cow<'t, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.get(range).unwrap_or_default()),
        Cow::Owned(text) => Cow::Owned(text.get(range).unwrap_or_default().to_owned()),
    }
}

#[cfg(test)]
mod tests;
