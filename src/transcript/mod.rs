//! Any text with any noise in, clean lines out, each knowing where it came from. Never fails.
//!
//! Stages, in this order: `decode` (bytes to text), `terminal` (escapes, carriage returns, progress bars), `unwrap`
//! (JSON logs, Python reprs, HTML escapes, quoting), `prefix` (time stamps, loggers, ranks, pods), `boxes` (Rich and
//! pytest borders, words cut at the border), `streams` (lines of several ranks taken apart again).
//! The surprising thing: one clean line may come from several physical lines (a word cut at a box border) and one
//! physical line may become several clean lines (a traceback inside a JSON string).

use std::ops::Range;

/// How grave a log line calls itself.
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

/// What a stripped prefix said about its line.
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
    /// The writer's name, where known.
    pub source: Option<String>,
    /// Indices into the transcript's lines, ascending.
    pub lines: Vec<usize>,
}

/// A whole text, cleaned.
#[derive(Debug, Clone, Default)]
pub struct Transcript {
    /// All clean lines, each ended by `\n`.
    clean: String,
    records: Vec<Record>,
    /// Names that [`Prefix::source`] points at.
    sources: Vec<String>,
    streams: Vec<Stream>,
    /// What was done to the text that its reader should know ("decoded as UTF-16", "3 invalid bytes replaced").
    notes: Vec<String>,
    /// Number of physical lines of the original.
    physical_lines: u32,
}

/// One clean line as stored.
#[derive(Debug, Clone)]
struct Record {
    /// Bytes of `Transcript::clean`, without the line break.
    text: Range<usize>,
    number: u32,
    origin: Range<usize>,
    prefix: Prefix,
}

/// Cleans any bytes. Total: every input gives a transcript.
pub fn read(bytes: &[u8]) -> Transcript {
    // To be replaced by the real stages.
    let text = String::from_utf8_lossy(bytes);
    let mut transcript = Transcript::default();
    let mut start = 0;
    for (i, line) in text.lines().enumerate() {
        let at = transcript.clean.len();
        transcript.clean.push_str(line);
        transcript.clean.push('\n');
        transcript.records.push(Record {
            text: at..at + line.len(),
            number: i as u32 + 1,
            origin: start..start + line.len(),
            prefix: Prefix::default(),
        });
        start += line.len() + 1;
    }
    transcript.physical_lines = transcript.records.len() as u32;
    transcript.streams = vec![Stream { rank: None, source: None, lines: (0..transcript.records.len()).collect() }];
    transcript
}

impl Transcript {
    /// The clean lines in the order of the original.
    pub fn lines(&self) -> impl ExactSizeIterator<Item = Line<'_>> + DoubleEndedIterator {
        (0..self.records.len()).map(|index| self.line(index))
    }

    /// One line. Panics when `index` is not below [`Transcript::len`].
    pub fn line(&self, index: usize) -> Line<'_> {
        let record = &self.records[index];
        Line {
            index,
            text: &self.clean[record.text.clone()],
            number: record.number,
            origin: &record.origin,
            prefix: &record.prefix,
        }
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
    pub fn line_at(&self, offset: usize) -> usize {
        self.records.partition_point(|record| record.text.end < offset).min(self.records.len().saturating_sub(1))
    }

    /// The byte range of line `index` in [`Transcript::text`], without its line break.
    pub fn range_of(&self, index: usize) -> Range<usize> {
        self.records[index].text.clone()
    }

    /// The writers, in order of first appearance. A text by one writer has one stream with all lines.
    pub fn streams(&self) -> &[Stream] {
        &self.streams
    }

    /// The names that [`Prefix::source`] points at.
    pub fn sources(&self) -> &[String] {
        &self.sources
    }

    /// What was done to the text that its reader should know.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Number of physical lines of the original text.
    pub fn physical_lines(&self) -> u32 {
        self.physical_lines
    }
}
