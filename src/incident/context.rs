//! What the parsers share while they read one stream: its lines, and where their findings go.
//!
//! Positions count lines of the stream, indices count lines of the transcript; only this file converts between them.
//! Errors are numbered within the stream until [`crate::incident::read`] merges all streams.

use super::triggers::Topics;
use super::words::indent;
use super::{ErrorEvent, Kind, Link, Role};
use crate::facts::Facts;
use crate::text::{Level, Prefix, Transcript, small};

impl ErrorEvent {
    /// Whether its headline is logged as an error, or without a level.
    fn fatal_level(&self, transcript: &Transcript) -> bool {
        self.headline < transcript.len()
            && transcript.line(self.headline).prefix.level.is_none_or(|level| level >= Level::Error)
    }
}

/// How many of the latest errors a new one is compared with: endless logs stay cheap.
const LATELY: usize = 256;

/// One stream while it is read.
pub(crate) struct ParserContext<'t> {
    transcript: &'t Transcript,
    marks: &'t [Topics],
    stream: usize,
    rank: Option<u32>,
    lines: &'t [usize],
    roles: &'t mut [Role],
    /// Facts found.
    pub(crate) facts: &'t mut Facts,
    /// Errors of this stream so far.
    pub(crate) errors: Vec<ErrorEvent>,
    /// The error that a chain sentence above the next traceback refers to, and how.
    pub(crate) chain: Option<(usize, Link)>,
    /// Whether the lines are in pytest's section of failures.
    pub(crate) in_pytest: bool,
    /// Headlines of status lines that were logged as errors, not as warnings.
    pub(crate) grave: Vec<usize>,
    /// The exception groups whose members are being printed, outermost first.
    pub(crate) groups: Vec<usize>,
}

impl<'t> ParserContext<'t> {
    /// Opens stream number `stream`, of which these lines are read.
    pub(crate) fn new(
        transcript: &'t Transcript,
        marks: &'t [Topics],
        stream: usize,
        lines: &'t [usize],
        roles: &'t mut [Role],
        facts: &'t mut Facts,
    ) -> Self {
        let rank = transcript.streams().get(stream).and_then(|stream| stream.rank);
        ParserContext {
            transcript,
            marks,
            stream,
            rank,
            lines,
            roles,
            facts,
            errors: Vec::new(),
            chain: None,
            in_pytest: false,
            groups: Vec::new(),
            grave: Vec::new(),
        }
    }

    /// The number of lines.
    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// The words of the line at `position`, empty past the end.
    pub(crate) fn text(&self, position: usize) -> &'t str {
        match self.lines.get(position) {
            Some(&index) => self.transcript.line(index).text,
            None => "",
        }
    }

    /// The topics of the line at `position`.
    pub(crate) fn marks(&self, position: usize) -> Topics {
        self.lines.get(position).and_then(|&index| self.marks.get(index)).copied().unwrap_or(0)
    }

    /// What the prefix of the line at `position` said.
    pub(crate) fn prefix(&self, position: usize) -> Option<&'t Prefix> {
        self.lines.get(position).map(|&index| self.transcript.line(index).prefix)
    }

    /// The transcript index of the line at `position`; the last line's past the end.
    pub(crate) fn index(&self, position: usize) -> usize {
        self.lines.get(position).or(self.lines.last()).copied().unwrap_or(0)
    }

    /// The physical line number of the line at `position`.
    pub(crate) fn number(&self, position: usize) -> u32 {
        match self.lines.get(position) {
            Some(&index) => self.transcript.line(index).number,
            None => 0,
        }
    }

    /// The first position from `from` on whose line is not blank, looking at most `reach` lines ahead.
    pub(crate) fn next_words(&self, from: usize, reach: usize) -> Option<usize> {
        (from..(from + reach).min(self.len())).find(|&position| !self.text(position).trim().is_empty())
    }

    /// Sets the role of the line at `position`.
    pub(crate) fn set(&mut self, position: usize, role: Role) {
        if let Some(slot) = self.lines.get(position).and_then(|&index| self.roles.get_mut(index)) {
            *slot = role;
        }
    }

    /// The role of the line at `position`.
    pub(crate) fn role(&self, position: usize) -> Role {
        self.lines.get(position).and_then(|&index| self.roles.get(index)).copied().unwrap_or(Role::Text)
    }

    /// A new error with its headline at `position`, covering that one line.
    pub(crate) fn event(&self, kind: Kind, type_name: &str, message: &str, position: usize) -> ErrorEvent {
        let index = self.index(position);
        let prefix = self.prefix(position);
        ErrorEvent {
            kind,
            type_name: type_name.to_owned(),
            message: message.trim().to_owned(),
            headline: index,
            lines: index..index + 1,
            frames: Vec::new(),
            follows: None,
            codes: Vec::new(),
            rank: prefix.and_then(|prefix| prefix.rank).or(self.rank),
            stream: small(self.stream),
            time: prefix.and_then(|prefix| prefix.time),
            fatal: true,
        }
    }

    /// Makes `event` cover the lines from position `from` up to, not including, `to`.
    pub(crate) fn cover(&self, event: &mut ErrorEvent, from: usize, to: usize) {
        let last = self.index(to.saturating_sub(1).max(from));
        event.lines = self.index(from)..last + 1;
    }

    /// Files an error, chained to an earlier one where a sentence above said so. Returns its number in the stream.
    pub(crate) fn push(&mut self, mut event: ErrorEvent) -> usize {
        if event.follows.is_none() && event.kind == Kind::Python {
            event.follows = self.chain.take();
        }
        if event.kind == Kind::Status && event.fatal_level(self.transcript) {
            self.grave.push(event.headline);
        }
        self.errors.push(event);
        self.errors.len() - 1
    }

    /// Whether one of the latest errors is like that.
    pub(crate) fn lately(&self, like: impl Fn(&ErrorEvent) -> bool) -> bool {
        self.errors.iter().rev().take(LATELY).any(like)
    }

    /// The latest error that is like that.
    pub(crate) fn latest(&mut self, like: impl Fn(&ErrorEvent) -> bool) -> Option<&mut ErrorEvent> {
        self.errors.iter_mut().rev().take(LATELY).find(|error| like(error))
    }

    /// Whether the lines at both positions were written by one logging call or without any: same level, both with or
    /// both without time, times at most a second apart.
    pub(crate) fn same_logger(&self, a: usize, b: usize) -> bool {
        let (Some(a), Some(b)) = (self.prefix(a), self.prefix(b)) else { return false };
        let near = match (a.time, b.time) {
            (None, None) => true,
            (Some(a), Some(b)) => (a - b).abs() <= 1.5,
            _ => false,
        };
        near && a.level == b.level && a.source == b.source
    }

    /// The columns of white space before the words at `position`.
    pub(crate) fn indent(&self, position: usize) -> usize {
        indent(self.text(position))
    }
}
