//! Any text with any noise in, clean lines out, each knowing where it came from. Never fails.
//!
//! Stages, in this order: `decode` (bytes to text), `quote` (mail quoting), `numbering` (line numbers), `wrapped`
//! (lines cut at a terminal's width), then line by line in `clean`: `terminal` (escapes, carriage returns; `progress`
//! bars), `prefix` (time stamps, loggers, ranks, pods), `unwrap` (JSON logs, Python reprs, HTML, tracebacks on one
//! line) whose lines are cleaned again; then over all lines `boxes` (Rich and pytest borders, words cut at the border),
//! `blanks` (doubled line breaks) and `streams` (separates the lines of several ranks). One clean line may come from
//! several physical lines (a word cut at a box border), and one physical line may become several clean lines (a
//! traceback inside a JSON string).

mod blanks;
mod boxes;
mod clean;
mod decode;
mod excerpt;
mod heading;
mod mend;
mod numbering;
mod prefix;
mod progress;
mod quote;
pub(crate) mod redact;
mod streams;
mod terminal;
mod unwrap;
pub(crate) mod words;
mod wrapped;

use std::collections::HashMap;
use std::ops::Range;

use crate::span::Span;

pub(crate) use decode::{is_text, wide};
pub(crate) use excerpt::Excerpt;
pub(crate) use heading::{Heading, heading};
pub(crate) use mend::Edit;
pub(crate) use prefix::time::Clock;
pub(crate) use terminal::plain;

/// The level of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Debug and trace.
    Debug,
    /// Info and notice.
    Info,
    /// Warning.
    Warning,
    /// Error.
    Error,
    /// Critical and fatal.
    Fatal,
}

/// What a stripped prefix says about its line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prefix {
    /// Seconds on a clock that all lines of the text share (not an epoch when the text has no date).
    pub time: Option<f64>,
    /// The level the line was logged at.
    pub level: Option<Level>,
    /// The rank or task that wrote the line, from `[rank3]:`, `[default0]:`, `0: ` and the like.
    pub rank: Option<u32>,
    /// Index into [`Transcript::sources`]: the pod, container, worker or process that wrote the line.
    pub source: Option<u32>,
}

/// One clean line.
#[derive(Debug, Clone, Copy)]
pub struct Line<'t> {
    /// Position in [`Transcript::lines`], from 0.
    pub index: usize,
    /// The words, without noise, never with a line break.
    pub text: &'t str,
    /// The physical line of the original it begins on, from 1.
    pub number: u32,
    /// The bytes of the original it was made from.
    pub origin: &'t Range<usize>,
    /// What its prefix said.
    pub prefix: &'t Prefix,
}

/// The lines that one writer (a rank, a pod, a process) wrote, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Stream {
    /// The writer's rank, where known.
    pub rank: Option<u32>,
    /// Index into [`Transcript::sources`]: the writer's name, where known.
    pub source: Option<u32>,
    /// Indices into the transcript's lines, ascending.
    pub lines: Vec<usize>,
}

/// A whole text, cleaned.
#[derive(Debug, Clone, Default)]
pub struct Transcript {
    /// All clean lines, each ended by `\n`.
    clean: String,
    records: Vec<Record>,
    /// What the prefixes said; lines in a row with the same share one.
    prefixes: Vec<Prefix>,
    /// Names that [`Prefix::source`] points at.
    sources: Vec<String>,
    streams: Vec<Stream>,
    /// Changes to the text that its reader should know about ("decoded as UTF-16", "3 invalid bytes replaced").
    notes: Vec<String>,
    /// Number of physical lines of the original.
    physical_lines: u32,
    /// Of lines that are longer than the physical line on which they begin, because parts of one were joined: the width
    /// of that line.
    narrow: HashMap<usize, u32>,
}

/// One clean line as stored; small, because a text may have hundreds of thousands.
#[derive(Debug, Clone)]
struct Record {
    /// Bytes of `Transcript::clean`, without the line break.
    text: Range<u32>,
    number: u32,
    /// Index into `Transcript::prefixes`.
    prefix: u32,
    origin: Range<usize>,
}

impl Record {
    fn text(&self) -> Range<usize> {
        self.text.start as usize..self.text.end as usize
    }
}

/// An index, or a place in a text of which at most [`MOST_BYTES`] are kept.
pub(crate) fn small(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// Longer texts lose lines in their middle: what is kept of a line takes memory, and the whole of it stays below 400 MB.
const MOST_BYTES: usize = 32 << 20;
/// Texts with more lines than this lose lines in their middle too.
const MOST_LINES: usize = 250_000;
/// Every text may have so many lines, however short they are.
const FEW_LINES: usize = 100_000;
/// Beyond those a line costs more memory than it has bytes when it is shorter than this, so that there may be fewer.
const SHORT_LINE: usize = 32;
/// The share of what is kept that is kept from the beginning is one in so many; the end says more about a failure.
const FIRST: usize = 4;

/// Blank lines in a row that are looked at; more of them say no more.
pub(crate) const MOST_BLANK: usize = 16;

/// Cleans any bytes. Total: every input gives a transcript.
pub fn read(bytes: &[u8]) -> Transcript {
    read_excerpt(bytes, &Excerpt::default())
}

/// Bytes of any encoding as text, with its noise.
pub(crate) fn decoded(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    decode::decode(bytes).text
}

/// Cleans bytes that are part of a longer text: lines are numbered as there.
pub(crate) fn read_excerpt(bytes: &[u8], excerpt: &Excerpt) -> Transcript {
    let mut decoded = decode::decode(bytes);
    let mut notes = std::mem::take(&mut decoded.notes);
    let (mut lines, physical_lines) = physical(&decoded.text, excerpt, &mut notes);
    cut_fronts(&mut lines, quote::depths);
    cut_fronts(&mut lines, numbering::widths);
    let mut cleaner = clean::Cleaner::new(&decoded.text, &lines);
    let cuts = wrapped::cuts(&lines);
    for line in joined(&lines, &cuts) {
        cleaner.joined(line);
    }
    if boxes::occur(&decoded.text) || cleaner.pieces.iter().any(|piece| piece.columns) {
        boxes::remove(&mut cleaner);
    }
    if cleaner.shortened > 0 {
        notes.push(format!("{} lines longer than 1 MiB shortened in their middle", cleaner.shortened));
    }
    let origins = decode::Origins::new(&decoded, bytes);
    let mut transcript = Transcript { physical_lines, notes, sources: cleaner.sources, ..Transcript::default() };
    transcript.fill(&mut cleaner.pieces, origins);
    transcript.narrow = narrow(&transcript.records, &lines);
    transcript.streams = streams::group(&transcript);
    transcript
}

/// The physical lines of a text without their line breaks, and how many there were.
fn physical<'t>(text: &'t str, excerpt: &Excerpt, notes: &mut Vec<String>) -> (Vec<clean::Physical<'t>>, u32) {
    let breaks = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    let total = breaks + usize::from(!text.is_empty() && !text.ends_with('\n'));
    let left_out = left_out(text, total);
    if !left_out.is_empty() {
        notes.push(format!("{} lines from line {} on left out", left_out.len(), left_out.start + 1));
    }
    let mut lines = Vec::with_capacity((total - left_out.len()).min(text.len() / 8 + 1));
    let mut base = 0;
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).chain((total > breaks).then_some(text.len()));
    let mut blank = 0;
    for (index, end) in ends.enumerate() {
        let line = text.get(base..end).unwrap_or_default();
        blank = if line.is_empty() || line == "\r" { blank + 1 } else { 0 };
        if blank <= MOST_BLANK && !left_out.contains(&index) {
            let number = excerpt.original(small(index + 1));
            lines.push(clean::Physical { text: line.trim_end_matches('\r'), base, number });
        }
        base = end + 1;
    }
    notes.extend(excerpt.note());
    (lines, excerpt.lines(small(total)))
}

/// The widths of the physical lines on which longer records begin, by the records' indices.
fn narrow(records: &[Record], lines: &[clean::Physical<'_>]) -> HashMap<usize, u32> {
    let width = |(index, record): (usize, &Record)| {
        let at = lines.binary_search_by_key(&record.number, |line| line.number).ok()?;
        let line = lines.get(at)?.text;
        // Characters are counted only where there are more bytes than the line has.
        (record.text.len() > line.len()).then(|| (index, small(line.chars().count())))
    };
    records.iter().enumerate().filter_map(width).collect()
}

/// The lines, from 0, that a text with so many of them loses.
fn left_out(text: &str, total: usize) -> Range<usize> {
    let most = (text.len() / SHORT_LINE).clamp(FEW_LINES, MOST_LINES);
    let by_number = if total > most { most / FIRST..total - (most - most / FIRST) } else { 0..0 };
    if text.len() <= MOST_BYTES {
        return by_number;
    }
    let line_of = |at: usize| memchr::memchr_iter(b'\n', text.as_bytes().get(..at).unwrap_or_default()).count();
    let first = line_of(MOST_BYTES / FIRST);
    let last = line_of(text.len() - (MOST_BYTES - MOST_BYTES / FIRST));
    match by_number.is_empty() {
        true => first..last,
        false => first.min(by_number.start)..last.max(by_number.end),
    }
}

/// Moves the start of each line past what precedes its words: `widths` gives the bytes to skip.
fn cut_fronts(lines: &mut [clean::Physical<'_>], widths: impl FnOnce(&[&str]) -> Vec<u16>) {
    let texts: Vec<&str> = lines.iter().map(|line| line.text).collect();
    for (line, width) in lines.iter_mut().zip(widths(&texts)) {
        line.text = line.text.get(usize::from(width)..).unwrap_or_default();
        line.base += usize::from(width);
    }
}

/// The physical lines in groups that were one line each.
fn joined<'l, 't>(lines: &'l [clean::Physical<'t>], cuts: &[bool]) -> impl Iterator<Item = &'l [clean::Physical<'t>]> {
    let mut rest = lines;
    let mut cuts = cuts.iter();
    std::iter::from_fn(move || {
        let more = cuts.by_ref().take_while(|cut| **cut).count();
        let (group, next) = rest.split_at_checked(more + 1)?;
        rest = next;
        Some(group)
    })
}

impl Transcript {
    /// Takes over the pieces that are left.
    fn fill(&mut self, pieces: &mut Vec<clean::Piece<'_>>, mut origins: decode::Origins<'_>) {
        pieces.retain(|piece| !piece.gone);
        let blank = |n: usize| pieces[n].text.trim().is_empty();
        let drop = blanks::doubled(pieces.len(), blank, |n| pieces[n].text.starts_with([' ', '\t']));
        self.records.reserve(pieces.len());
        self.clean.reserve(pieces.iter().map(|piece| piece.text.len() + 1).sum());
        for (index, piece) in pieces.drain(..).enumerate() {
            if drop.get(index).copied().unwrap_or(false) {
                continue;
            }
            let at = self.clean.len();
            // One line stays one line, whatever a stage has missed.
            for (n, part) in piece.text.trim_end().split(['\n', '\r']).enumerate() {
                self.clean.push_str(if n > 0 { " " } else { "" });
                self.clean.push_str(part);
            }
            let text = small(at)..small(self.clean.len());
            self.clean.push('\n');
            let start = origins.of(piece.at.start);
            let origin = start..origins.of(piece.at.end).max(start);
            if self.prefixes.last() != Some(&piece.prefix) {
                self.prefixes.push(piece.prefix);
            }
            let prefix = small(self.prefixes.len() - 1);
            self.records.push(Record { text, number: piece.number, prefix, origin });
        }
    }

    /// The clean lines in the order of the original.
    pub fn lines(&self) -> impl ExactSizeIterator<Item = Line<'_>> + DoubleEndedIterator {
        (0..self.records.len()).map(|index| self.line(index))
    }

    /// One line. Panics when `index` is not below [`Transcript::len`].
    pub fn line(&self, index: usize) -> Line<'_> {
        let record = &self.records[index];
        Line {
            index,
            text: &self.clean[record.text()],
            number: record.number,
            origin: &record.origin,
            prefix: &self.prefixes[record.prefix as usize],
        }
    }

    /// Where line `index` is, on the physical line on which it begins.
    pub(crate) fn span(&self, index: usize) -> Span {
        let line = self.line(index);
        Span::of_line(line.number, self.width(index, line.text.chars().count()))
    }

    /// How many of a line's first `characters` are on the physical line on which it begins.
    pub(crate) fn width(&self, index: usize, characters: usize) -> usize {
        self.narrow.get(&index).map_or(characters, |width| characters.min(*width as usize))
    }

    /// How many clean lines there are.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether the text has no line at all.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// All clean lines in one buffer, each ended by `\n`: for scanners.
    pub fn text(&self) -> &str {
        &self.clean
    }

    /// The index of the line that holds byte `offset` of [`Transcript::text`].
    pub(crate) fn line_at(&self, offset: usize) -> usize {
        self.records.partition_point(|record| record.text().end < offset).min(self.records.len().saturating_sub(1))
    }

    /// The byte range of line `index` in [`Transcript::text`], without its line break.
    pub(crate) fn range_of(&self, index: usize) -> Range<usize> {
        self.records[index].text()
    }

    /// The writers, in order of first appearance. A text by one writer has one stream with all lines.
    pub fn streams(&self) -> &[Stream] {
        &self.streams
    }

    /// The next line after line `index` by the writer of stream number `stream`.
    pub(crate) fn next_of_stream(&self, stream: u32, index: usize) -> Option<Line<'_>> {
        let lines = &self.streams.get(stream as usize)?.lines;
        lines.get(lines.partition_point(|&line| line <= index)).map(|&next| self.line(next))
    }

    /// The names that [`Prefix::source`] points at.
    pub fn sources(&self) -> &[String] {
        &self.sources
    }

    /// Changes to the text that its reader should know about.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Adds what is known of how the text came here.
    pub(crate) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// Number of physical lines of the original text.
    pub(crate) fn physical_lines(&self) -> u32 {
        self.physical_lines
    }
}

#[cfg(test)]
mod tests;
