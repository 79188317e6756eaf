//! The same text as it reads once an encoding is undone: without escape sequences, with backspaces carried out, with the
//! escapes of addresses and of JSON replaced, with lines joined that a terminal broke. What is found in such a view is
//! removed from the text itself.

use std::ops::Range;

use super::{Cut, random};
use crate::text::terminal;

/// A text that was decoded, and which of its bytes come from where.
#[derive(Debug, Default)]
struct View {
    text: String,
    /// In order. A piece of the same length as its source is a copy of it.
    pieces: Vec<Piece>,
}

#[derive(Debug)]
struct Piece {
    start: usize,
    length: usize,
    source: Range<usize>,
}

impl View {
    /// Appends a copy of a part of the source.
    fn copy(&mut self, source: &str, range: Range<usize>) {
        let words = source.get(range.clone()).unwrap_or_default();
        match self.pieces.last_mut() {
            Some(last) if last.source.end == range.start && last.length == last.source.len() => {
                last.length += words.len();
                last.source.end = range.end;
            }
            _ if words.is_empty() => {}
            _ => self.pieces.push(Piece { start: self.text.len(), length: words.len(), source: range }),
        }
        self.text.push_str(words);
    }

    /// Appends what a part of the source stands for.
    fn push(&mut self, decoded: char, source: Range<usize>) {
        self.pieces.push(Piece { start: self.text.len(), length: decoded.len_utf8(), source });
        self.text.push(decoded);
    }

    /// Takes the last character of a line back.
    fn pop(&mut self) {
        if self.text.ends_with('\n') {
            return;
        }
        let Some(c) = self.text.pop() else { return };
        let Some(last) = self.pieces.last_mut() else { return };
        if last.length == last.source.len() && last.length > c.len_utf8() {
            last.length -= c.len_utf8();
            last.source.end -= c.len_utf8();
        } else {
            self.pieces.pop();
        }
    }

    /// The part of the source from which a part of the view comes.
    fn source(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let piece = |at: usize| self.pieces.get(self.pieces.partition_point(|piece| piece.start <= at).checked_sub(1)?);
        let (first, last) = (piece(range.start)?, piece(range.end.checked_sub(1)?)?);
        let is_copy = |piece: &Piece| piece.length == piece.source.len();
        let start = first.source.start + if is_copy(first) { range.start - first.start } else { 0 };
        let end = if is_copy(last) { last.source.start + range.end - last.start } else { last.source.end };
        Some(start..end)
    }
}

/// What a view undoes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    /// Escape sequences and backspaces of a terminal.
    Terminal,
    /// Escapes of addresses.
    Address,
    /// Escapes of JSON; folders of Windows look like them.
    Json,
}

/// Adds what a finder sees in views of a text, as parts of the text itself.
pub(super) fn find(text: &str, cuts: &mut Vec<Cut>, mut finder: impl FnMut(&str, Encoding, &mut Vec<Cut>)) {
    if has_escapes(text) {
        let erases = memchr::memchr(0x08, text.as_bytes()).is_some();
        for view in [Some(without_escapes(text, false)), erases.then(|| without_escapes(text, true))].iter().flatten() {
            look(text, view, cuts, |view, cuts| {
                finder(view, Encoding::Terminal, cuts);
                encoded(view, cuts, &mut finder);
            });
        }
    }
    encoded(text, cuts, &mut finder);
}

/// Adds what a finder sees in a view.
fn look(text: &str, view: &View, cuts: &mut Vec<Cut>, mut finder: impl FnMut(&str, &mut Vec<Cut>)) {
    let mut found = Vec::new();
    finder(&view.text, &mut found);
    cuts.extend(found.into_iter().filter_map(|cut| {
        let source = view.source(&cut.range)?;
        let breaks = |text: &str, range: &Range<usize>| text.get(range.clone()).map(|part| part.matches('\n').count());
        // Lines between those of the view are none of its secret's.
        (breaks(text, &source)? == breaks(&view.text, &cut.range)?).then_some(Cut { range: source, ..cut })
    }));
}

/// Adds what a finder sees where the escapes of addresses and of JSON are replaced.
fn encoded(text: &str, cuts: &mut Vec<Cut>, finder: &mut impl FnMut(&str, Encoding, &mut Vec<Cut>)) {
    let kinds =
        [(Encoding::Address, b'%', percent as fn(&str, usize) -> Option<(char, usize)>), (Encoding::Json, b'\\', json)];
    for (encoding, mark, decode) in kinds {
        let view = decoded(text, mark, decode);
        if !view.text.is_empty() {
            look(text, &view, cuts, |view, cuts| finder(view, encoding, cuts));
        }
    }
}

/// Characters that are not shown.
const INVISIBLE: [char; 6] = ['\u{ad}', '\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}', '\u{feff}'];

/// Whether there may be escape sequences, backspaces, or characters that are not shown.
fn has_escapes(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr2(0x1b, 0x08, bytes).is_some()
        || !text.is_ascii() && text.contains(|c: char| INVISIBLE.contains(&c) || ('\u{80}'..='\u{9f}').contains(&c))
        || WRITTEN_OUT.iter().any(|form| memchr::memmem::find(bytes, form.as_bytes()).is_some())
}

/// The usual spellings of an escape sequence in files.
const WRITTEN_OUT: [&str; 4] = ["^[[", "\\x1b[", "\\033[", "\\u001b["];

/// The lines that have what a terminal does not show, without it; backspaces take the character before them, if `erase`.
fn without_escapes(text: &str, erase: bool) -> View {
    let mut view = View::default();
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        let start = end;
        end += line.len();
        if line.bytes().any(may_hide) && has_escapes(line) {
            show(text, start..end, erase, &mut view);
        }
    }
    view
}

/// Whether something that is not shown may begin with this byte.
fn may_hide(byte: u8) -> bool {
    matches!(byte, 0x1b | 0x08 | b'^' | b'\\' | 0xc2 | 0xe2 | 0xef)
}

/// Appends what a terminal shows of a line.
fn show(text: &str, line: Range<usize>, erase: bool, view: &mut View) {
    let bytes = text.as_bytes().get(..line.end).unwrap_or_default();
    let mut at = line.start;
    while at < line.end {
        let rest = bytes.get(at..).unwrap_or_default();
        let stop = at + rest.iter().position(|byte| may_hide(*byte)).unwrap_or(rest.len());
        view.copy(text, at..stop);
        let Some(next) = text.get(stop..line.end).and_then(|rest| rest.chars().next()) else { break };
        let hidden = match next {
            '\u{8}' => {
                if erase {
                    view.pop();
                }
                Some(1)
            }
            c if INVISIBLE.contains(&c) => Some(c.len_utf8()),
            '\u{1b}' | '\u{80}'..='\u{9f}' => terminal::sequence(bytes, stop).or(Some(next.len_utf8())),
            _ => terminal::sequence(bytes, stop),
        };
        at = stop + hidden.unwrap_or(next.len_utf8());
        if hidden.is_none() {
            view.copy(text, stop..at);
        }
    }
}

/// The lines that have an escape of one kind, with all of them replaced.
fn decoded(text: &str, mark: u8, decode: fn(&str, usize) -> Option<(char, usize)>) -> View {
    let mut view = View::default();
    let mut from = 0;
    while let Some(step) = memchr::memchr(mark, text.as_bytes().get(from..).unwrap_or_default()) {
        let first = from + step;
        if decode(text, first).is_none() {
            from = first + 1;
            continue;
        }
        let bytes = text.as_bytes();
        let start = memchr::memrchr(b'\n', &bytes[..first]).map_or(0, |end| end + 1);
        let end = memchr::memchr(b'\n', &bytes[first..]).map_or(text.len(), |length| first + length + 1);
        let mut at = start;
        for place in memchr::memchr_iter(mark, &bytes[start..end]).map(|place| start + place) {
            if place < at {
                continue;
            }
            if let Some((c, length)) = decode(text, place) {
                view.copy(text, at..place);
                view.push(c, place..place + length);
                at = place + length;
            }
        }
        view.copy(text, at..end);
        from = end;
    }
    view
}

/// `%3D`, also written twice as `%253D`: the character and the length of the escape.
fn percent(text: &str, at: usize) -> Option<(char, usize)> {
    let rest = text.as_bytes().get(at + 1..)?;
    let again = rest.chunks(2).take(4).take_while(|pair| pair == b"25").count();
    let digits = rest.get(again * 2..again * 2 + 2)?;
    let value = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    let c = char::from(value);
    (digits.iter().all(u8::is_ascii_hexdigit) && c.is_ascii_graphic()).then_some((c, 3 + again * 2))
}

/// `\"`, `\/`, `\u003d` and line breaks of a JSON string, which end a word.
fn json(text: &str, at: usize) -> Option<(char, usize)> {
    let rest = text.get(at + 1..)?;
    match rest.as_bytes().first()? {
        b'"' => Some(('"', 2)),
        b'\'' => Some(('\'', 2)),
        b'/' => Some(('/', 2)),
        b'n' | b'r' | b't' => Some((' ', 2)),
        b'u' => {
            let value = u32::from_str_radix(rest.get(1..5)?, 16).ok()?;
            char::from_u32(value).filter(char::is_ascii_graphic).map(|c| (c, 6))
        }
        _ => None,
    }
}

/// A token that a line break may have cut.
pub(super) struct Broken<'v> {
    /// Where the line above ends in the text.
    pub end: usize,
    /// Where the second line begins in the view.
    pub boundary: usize,
    /// The word at the beginning of the second line.
    pub word: &'v str,
    /// Whether the line above is nearly as long as a terminal is wide, or a backslash joins the two.
    pub wide: bool,
    /// Whether the second line has no other word.
    pub alone: bool,
    /// Whether a quotation mark follows the last word.
    pub quoted: bool,
}

/// Adds what a finder sees in lines that are joined where the break may have cut a token, if it `means` the token.
pub(super) fn find_broken(
    text: &str,
    cuts: &mut Vec<Cut>,
    mut finder: impl FnMut(&str, &mut Vec<Cut>),
    means: impl Fn(&Cut, &Broken<'_>) -> bool,
) {
    /// So much of the line above is looked at.
    const BEFORE: usize = 400;
    /// A key of a few thousand bits in lines of 64 characters.
    const LINES: usize = 64;
    /// Screens have 80 columns and more.
    const WIDE: usize = 60;
    let mut done = 0;
    for end in memchr::memchr_iter(b'\n', text.as_bytes()) {
        let Some(joint) = (end >= done).then(|| joint(text, end)).flatten() else { continue };
        let line = text.get(..joint.end).unwrap_or_default();
        let line = line.get(memchr::memrchr(b'\n', line.as_bytes()).map_or(0, |at| at + 1)..).unwrap_or_default();
        let from = text.ceil_char_boundary(joint.end - line.len().min(BEFORE));
        let mut view = View::default();
        view.copy(text, from..joint.end);
        let boundary = view.text.len();
        view.copy(text, joint.word.clone());
        let mut last = joint.word.end;
        let mut alone = joint.alone;
        for _ in 0..LINES {
            let next = memchr::memchr(b'\n', text.as_bytes().get(last..).unwrap_or_default()).map(|step| last + step);
            let next = next.filter(|_| alone).and_then(|next| self::joint(text, next));
            let Some(next) = next.filter(|next| next.mixed && next.end == last) else { break };
            view.copy(text, next.word.clone());
            (last, alone) = (next.word.end, next.alone);
        }
        // A closing quotation mark shows that the value is whole.
        let close = text.get(last..).and_then(|rest| rest.chars().next());
        let quoted = close.is_some_and(|c| matches!(c, '"' | '\'' | '`'));
        if quoted {
            view.copy(text, last..last + 1);
        }
        done = last;
        let broken = Broken {
            end: joint.end,
            boundary,
            word: text.get(joint.word).unwrap_or_default(),
            wide: line.chars().count() >= WIDE || joint.continued,
            alone: joint.alone,
            quoted,
        };
        let mut found = Vec::new();
        finder(&view.text, &mut found);
        cuts.extend(found.into_iter().filter_map(|cut| {
            let spans = cut.range.start < boundary && cut.range.end > boundary;
            let source = view.source(&cut.range).filter(|_| spans && means(&cut, &broken))?;
            Some(Cut { range: source, ..cut })
        }));
    }
}

/// Where two lines may be one.
struct Joint {
    /// Where the text above ends.
    end: usize,
    /// The word below.
    word: Range<usize>,
    /// Whether nothing else is in the line below.
    alone: bool,
    /// Whether a backslash says that the line goes on.
    continued: bool,
    /// Whether the word below is random by itself.
    mixed: bool,
}

/// The joint at a line break, if the words on both sides may be halves of a token: together long enough, with a digit or
/// with letters that change their case.
fn joint(text: &str, line_break: usize) -> Option<Joint> {
    const SHORTEST: usize = 12;
    const LONGEST_WORD: usize = 4096;
    const ENOUGH: usize = 64;
    let bytes = text.as_bytes();
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-+/=.~%:@$".contains(byte);
    let above = text.get(..line_break)?;
    let above = above.strip_suffix('\r').unwrap_or(above);
    let end = above.strip_suffix('\\').unwrap_or(above).len();
    let begin = line_break + 1;
    let indent = bytes.get(begin..)?.iter().take(ENOUGH).take_while(|byte| b" \t>|".contains(byte)).count();
    let begin = begin + indent;
    let length = bytes.get(begin..)?.iter().take(LONGEST_WORD).take_while(is_part).count();
    // A sentence's or a list's punctuation belongs to no token; `=` and `-` may.
    let word = text.get(begin..begin + length)?.trim_end_matches(['.', ':']);
    let tail = bytes.get(..end)?.iter().rev().take(ENOUGH).take_while(is_part).count();
    if tail == 0 || word.is_empty() || tail + word.len() < SHORTEST || is_dated(word) {
        return None;
    }
    let tail = bytes.get(end - tail..end)?;
    let joined: Vec<u8> = tail.iter().chain(word.as_bytes().iter().take(ENOUGH)).copied().collect();
    let mixed = random::is_part(word.as_bytes());
    let after = text.get(begin + word.len()..)?;
    let after = after.get(..memchr::memchr(b'\n', after.as_bytes()).unwrap_or(after.len()))?;
    let alone = after.trim_end_matches(['"', '\'', '`', ',', ';', ')', '}', ']', '\\', ' ', '\r']).is_empty();
    // Most joints of logs are between words, or a word and a number.
    let assigned = tail.iter().rposition(|byte| b"=:".contains(byte)).is_some_and(|at| tail.len() - at > 4)
        || text.get(..end - tail.len()).is_some_and(|before| before.ends_with(['"', '\'']));
    let possible = is_random(&joined) && (mixed || alone || random::is_part(tail)) || alone && assigned;
    let continued = end < above.len();
    possible.then(|| Joint { end, word: begin..begin + word.len(), alone, continued, mixed })
}

/// Whether a line begins with a day, a time or a number.
fn is_dated(word: &str) -> bool {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        return false;
    }
    let digit = |at: usize| word.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    match word.as_bytes().get(digits) {
        None => digits <= 6,
        Some(b'-' | b'/') if digits == 4 => {
            digit(5) && digit(6) && !word.get(7..8).is_none_or(|c| c.starts_with(char::is_alphanumeric))
        }
        Some(b':' | b'.' | b'/') => {
            let next = word.bytes().skip(digits + 1).take_while(u8::is_ascii_digit).count();
            let after = word.as_bytes().get(digits + 1 + next);
            digits <= 3 && (1..=6).contains(&next) && !after.is_some_and(u8::is_ascii_alphanumeric)
        }
        _ => false,
    }
}

/// Whether there are digits beside letters, or letters change their case as often as random ones do.
fn is_random(joined: &[u8]) -> bool {
    let changes = joined.windows(2).filter(|pair| pair[0].is_ascii_uppercase() != pair[1].is_ascii_uppercase()).count();
    joined.iter().any(u8::is_ascii_digit) && joined.iter().any(u8::is_ascii_alphabetic) || changes * 5 >= joined.len()
}
