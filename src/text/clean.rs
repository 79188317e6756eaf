//! One physical line into clean pieces: the terminal's segments, their prefixes, the texts wrapped in them.
//!
//! Prefixes and wrappings alternate (a pod's stamp, JSON, a logger's stamp, a rank), so each unwrapped line is cleaned
//! again. The work is bounded: a line beyond a mebibyte keeps only its head and tail, and nesting is followed three
//! deep.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::prefix::time::Clock;
use super::prefix::weak::Weak;
use super::prefix::{self, Head};
use super::terminal::{self, Segment, Spelling};
use super::unwrap::{flat, html, json, literal};
use super::{Level, Prefix};

/// A clean line in the making.
#[derive(Debug)]
pub(super) struct Piece<'t> {
    /// The words.
    pub(super) text: Cow<'t, str>,
    /// Physical line, from 1.
    pub(super) number: u32,
    /// Bytes of the decoded text.
    pub(super) at: Range<usize>,
    /// What its prefixes said.
    pub(super) prefix: Prefix,
    /// The writer's line continues in its next piece.
    pub(super) partial: bool,
    /// It came from Rich's log handler.
    pub(super) columns: bool,
    /// It was joined to another piece or dropped.
    pub(super) gone: bool,
}

/// A line of the decoded text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Physical<'t> {
    /// The line without its line break.
    pub(super) text: &'t str,
    /// Where it begins in the decoded text.
    pub(super) base: usize,
    /// Its number, from 1.
    pub(super) number: u32,
}

/// Clean text of one line beyond this is cut in the middle.
const LONGEST_LINE: usize = 1 << 20;
/// Wrapped texts are opened to this depth.
const DEEPEST: usize = 3;
/// Beyond this number of pieces nothing is split any more.
const MOST_PIECES: usize = 4_000_000;
/// A line has at most this many layers of prefixes.
const MOST_LAYERS: usize = 12;

/// Turns physical lines into pieces.
pub(super) struct Cleaner<'t> {
    /// The pieces so far.
    pub(super) pieces: Vec<Piece<'t>>,
    /// Names of writers.
    pub(super) sources: Vec<String>,
    /// How many lines were cut.
    pub(super) shortened: usize,
    ids: HashMap<String, u32>,
    spelling: Spelling,
    html: bool,
    /// Several ranks share the stream and may glue their lines together.
    ranks: bool,
    weak: Weak,
    clock: Clock,
    dated: bool,
    segments: Vec<Segment<'t>>,
}

impl<'t> Cleaner<'t> {
    /// Looks through the text for its conventions.
    pub(super) fn new(text: &str, lines: &[Physical<'t>]) -> Self {
        let mut cleaner = Self {
            pieces: Vec::with_capacity(lines.len()),
            sources: Vec::new(),
            shortened: 0,
            ids: HashMap::new(),
            spelling: Spelling::of(text),
            html: html::occurs(text),
            ranks: memchr::memmem::find(text.as_bytes(), b"[rank").is_some(),
            weak: Weak::default(),
            clock: Clock::default(),
            dated: false,
            segments: Vec::new(),
        };
        cleaner.survey(lines);
        cleaner
    }

    /// Reads a sample: which weak prefixes are in use, and the first date with a year.
    fn survey(&mut self, lines: &[Physical<'t>]) {
        const BLOCK: usize = 1000;
        let middle = (lines.len() / 2).saturating_sub(BLOCK / 2).max(BLOCK);
        let end = lines.len().saturating_sub(BLOCK).max(middle + BLOCK);
        let mut sample: Vec<String> = Vec::new();
        let blocks = [0..BLOCK, middle..middle + BLOCK, end..lines.len()];
        for range in blocks {
            for line in lines.get(range.start..range.end.min(lines.len())).unwrap_or_default() {
                self.segments.clear();
                // The head of a line is enough to see its prefixes.
                let head = line.text.get(..line.text.floor_char_boundary(600)).unwrap_or_default();
                terminal::segments(head, line.base, self.spelling, &mut self.segments);
                let Some(first) = self.segments.first() else { continue };
                let mut text: &str = &first.text;
                for _ in 0..MOST_LAYERS {
                    let Some(head) = prefix::strip(text, &Weak::default()) else { break };
                    if let Some(stamp) = head.stamp.filter(|stamp| stamp.year.is_some() && !self.dated) {
                        self.dated = true;
                        self.clock.seconds(&stamp);
                    }
                    text = head.rest;
                }
                sample.push(text.to_owned());
            }
        }
        self.weak = Weak::survey(sample.iter().map(String::as_str));
    }

    /// Cleans one line: a physical one, or several that a terminal made of one.
    pub(super) fn joined(&mut self, lines: &[Physical<'t>]) {
        let [first, .., last] = lines else {
            return lines.iter().for_each(|line| self.line(*line));
        };
        let text: String = lines.iter().map(|line| line.text).collect();
        let at = first.base..last.base + last.text.len();
        self.text(Cow::Owned(terminal::plain(&text).into_owned()), &at, first.number, Prefix::default(), 0);
    }

    fn line(&mut self, line: Physical<'t>) {
        let mut segments = std::mem::take(&mut self.segments);
        segments.clear();
        terminal::segments(line.text, line.base, self.spelling, &mut segments);
        for segment in segments.drain(..) {
            self.text(segment.text, &segment.at, line.number, Prefix::default(), 0);
        }
        self.segments = segments;
    }

    fn text(&mut self, text: Cow<'t, str>, at: &Range<usize>, number: u32, mut prefix: Prefix, depth: usize) {
        if self.html && depth == 0 {
            let plain = html::plain(&text);
            if let Cow::Owned(plain) = plain {
                return self.each(&plain, at, number, &prefix, depth + 1);
            }
        }
        let mut start = 0;
        let (mut partial, mut columns) = (false, false);
        for _ in 0..MOST_LAYERS {
            let Some(head) = text.get(start..).and_then(|rest| prefix::strip(rest, &self.weak)) else { break };
            start = text.len() - head.rest.len();
            partial |= head.partial;
            columns |= head.columns;
            self.merge(&mut prefix, &head);
        }
        let rest = text.get(start..).unwrap_or_default();
        if depth < DEEPEST && self.pieces.len() < MOST_PIECES {
            if let Some(opened) = self.opened(rest, &mut prefix, &mut partial) {
                self.each(&opened, at, number, &prefix, depth + 1);
                if let Some(last) = self.pieces.last_mut() {
                    last.partial |= partial;
                }
                return;
            }
            if self.ranks
                && let Some(glued) = glued(rest)
            {
                let (one, two) = rest.split_at(glued);
                let exact = at.len() == text.len();
                let middle = if exact { at.start + start + glued } else { at.start };
                let (one, two) = (one.to_owned(), two.to_owned());
                self.push(
                    Cow::Owned(one),
                    &(at.start..if exact { middle } else { at.end }),
                    number,
                    prefix,
                    false,
                    columns,
                );
                return self.text(Cow::Owned(two), &(middle..at.end), number, Prefix::default(), depth + 1);
            }
        }
        let rest = match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.get(start..).unwrap_or_default()),
            Cow::Owned(mut text) => {
                text.drain(..start);
                Cow::Owned(text)
            }
        };
        self.push(rest, at, number, prefix, partial, columns);
    }

    /// Text wrapped in this line, if any; the wrapping's fields go into the prefix.
    fn opened(&mut self, rest: &str, prefix: &mut Prefix, partial: &mut bool) -> Option<String> {
        let body = rest.trim_start();
        if body.starts_with(['{', ',', '['])
            && let Some(record) = json::read(body)
        {
            prefix.level = record.level.or(prefix.level);
            prefix.rank = record.rank.or(prefix.rank);
            if let (None, Some(stamp)) = (prefix.time, record.stamp) {
                prefix.time = Some(self.clock.seconds(&stamp));
            }
            if let Some(source) = record.source {
                self.add_source(prefix, &source);
            }
            *partial |= record.partial;
            return Some(record.text);
        }
        if rest.len() > (8 << 20) {
            return None;
        }
        if prefix.level.is_some()
            && let Some(message) = rest.strip_prefix("msg=")
        {
            return Some(literal::message(message));
        }
        // Source lines after a frame, in a notebook or after pytest's gutter are code.
        let code = rest.starts_with("    ")
            || body.starts_with(['-', '│', '❱', '|']) && !body.starts_with("--")
            || rest.starts_with("E  ")
            || body.starts_with(|c: char| c.is_ascii_digit())
            || self.pieces.last().is_some_and(|last| last.text.trim_start().starts_with("File \""));
        literal::read(rest, code).or_else(|| flat::read(rest))
    }

    /// Cleans every line of a text that was opened.
    fn each(&mut self, text: &str, at: &Range<usize>, number: u32, prefix: &Prefix, depth: usize) {
        let mut rest = text;
        loop {
            // Beyond any reasonable number of lines the rest stays together.
            let many = self.pieces.len() >= MOST_PIECES;
            let (line, more) =
                if many { (rest, None) } else { rest.split_once('\n').map_or((rest, None), |(l, m)| (l, Some(m))) };
            let joined;
            let line = if many && line.contains('\n') {
                joined = line.replace('\n', " ");
                joined.as_str()
            } else {
                line
            };
            let line = terminal::plain(line.trim_end_matches('\r')).into_owned();
            self.text(Cow::Owned(line), at, number, prefix.clone(), depth);
            match more {
                Some(more) => rest = more,
                None => break,
            }
        }
    }

    /// Removes prefixes inside a box.
    pub(super) fn strip_again(&mut self, text: &str, prefix: &mut Prefix) -> usize {
        let mut rest = text;
        for _ in 0..MOST_LAYERS {
            let Some(head) = prefix::strip(rest, &self.weak) else { break };
            self.merge(prefix, &head);
            rest = head.rest;
        }
        text.len() - rest.len()
    }

    fn push(
        &mut self,
        text: Cow<'t, str>,
        at: &Range<usize>,
        number: u32,
        prefix: Prefix,
        partial: bool,
        columns: bool,
    ) {
        if let Some(last) = self.pieces.last_mut()
            && last.partial
            && (last.prefix.rank, last.prefix.source) == (prefix.rank, prefix.source)
        {
            last.partial = partial;
            if last.text.len() < LONGEST_LINE {
                last.text.to_mut().push_str(&text);
            }
            last.at.end = last.at.end.max(at.end);
            return;
        }
        let text = if text.len() > LONGEST_LINE {
            self.shortened += 1;
            Cow::Owned(shorten(&text))
        } else {
            text
        };
        self.pieces.push(Piece { text, number, at: at.clone(), prefix, partial, columns, gone: false });
    }

    /// Adds one layer: the outermost clock, the innermost level, the most certain rank, all sources.
    fn merge(&mut self, prefix: &mut Prefix, head: &Head<'_>) {
        if let Some(stamp) = head.stamp.filter(|_| prefix.time.is_none()) {
            // Seconds since boot share no clock with dates.
            let foreign = stamp.absolute && stamp.seconds < 1e9 && self.dated;
            prefix.time = (!foreign).then(|| self.clock.seconds(&stamp));
        }
        let level: Option<Level> = head.level;
        prefix.level = level.or(prefix.level);
        if let Some((rank, sure)) = head.rank
            && (sure || prefix.rank.is_none())
        {
            prefix.rank = Some(rank);
        }
        if let Some(source) = head.source {
            self.add_source(prefix, source);
        }
    }

    fn add_source(&mut self, prefix: &mut Prefix, name: &str) {
        let outer = prefix.source.and_then(|id| self.sources.get(id as usize));
        let joined;
        let name = match outer {
            Some(outer) => {
                joined = format!("{outer} {name}");
                &joined
            }
            None => name,
        };
        if let Some(id) = self.ids.get(name) {
            prefix.source = Some(*id);
            return;
        }
        let Ok(id) = u32::try_from(self.sources.len()) else { return };
        self.sources.push(name.to_owned());
        self.ids.insert(name.to_owned(), id);
        prefix.source = Some(id);
    }
}

/// Where another rank's line begins in the middle of this one: `...foo[rank1]: bar`.
fn glued(text: &str) -> Option<usize> {
    let mut from = 1;
    while let Some(step) = memchr::memmem::find(text.as_bytes().get(from..)?, b"[rank") {
        let at = from + step;
        let digits = text[at + 5..].bytes().take(6).take_while(u8::is_ascii_digit).count();
        if digits > 0 && text[at + 5 + digits..].starts_with("]: ") {
            return Some(at);
        }
        from = at + 5;
    }
    None
}

/// Head and tail of a line that is too long.
fn shorten(text: &str) -> String {
    let head = text.floor_char_boundary(LONGEST_LINE / 2);
    let tail = text.ceil_char_boundary(text.len() - LONGEST_LINE / 2);
    let out = tail - head;
    format!("{} [... {out} bytes left out ...] {}", &text[..head], &text[tail..])
}
