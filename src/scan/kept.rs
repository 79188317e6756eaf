//! What is kept of a log: the last chunks, and the lines of them that are marked.

use std::collections::VecDeque;

use super::finder::{Candidate, LINE, Marked};
use super::key;

/// What is read before and after a marked line.
pub(super) const BEFORE: u64 = 24 * 1024;
pub(super) const AFTER: u64 = 12 * 1024;

/// The last chunks of a log, and how much of it there was.
#[derive(Debug, Default)]
pub(super) struct Kept {
    chunks: VecDeque<Chunk>,
    /// Bytes and line breaks so far.
    pub(super) bytes: u64,
    pub(super) breaks: u64,
    /// Buffers that are free again.
    spare: Vec<Vec<u8>>,
}

#[derive(Debug)]
struct Chunk {
    offset: u64,
    breaks: u64,
    bytes: Vec<u8>,
    candidates: VecDeque<Candidate>,
}

/// A marked line, in whichever chunks it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MarkedLine {
    /// Where it begins and ends in the log.
    pub(super) start: u64,
    pub(super) end: u64,
    /// Up to where it need not be looked at again.
    pub(super) done: u64,
    /// Its number, from 1.
    pub(super) number: u64,
    /// What it has in common with its repetitions.
    pub(super) key: u64,
    /// Whether the whole line was seen when it was marked.
    pub(super) is_whole: bool,
}

impl Chunk {
    fn end(&self) -> u64 {
        self.offset + self.bytes.len() as u64
    }

    fn start_of(&self, candidate: &Candidate) -> u64 {
        self.offset + candidate.start as u64
    }

    /// Whether the line goes on in the next chunk.
    fn cuts(&self, candidate: &Candidate) -> bool {
        candidate.end >= self.bytes.len() && !self.bytes.ends_with(b"\n")
    }
}

impl Kept {
    pub(super) fn push(&mut self, marked: Marked) {
        let Marked { bytes, candidates, breaks } = marked;
        let chunk = Chunk { offset: self.bytes, breaks: self.breaks, bytes, candidates: candidates.into() };
        self.bytes += chunk.bytes.len() as u64;
        self.breaks += breaks;
        self.chunks.push_back(chunk);
    }

    /// A buffer that is no longer needed.
    pub(super) fn spare(&mut self) -> Vec<u8> {
        self.spare.pop().unwrap_or_default()
    }

    /// Whether there is anything behind the last line break.
    pub(super) fn ends_in_line(&self) -> bool {
        self.chunks.back().is_some_and(|chunk| !chunk.bytes.ends_with(b"\n") && !chunk.bytes.is_empty())
    }

    pub(super) fn has_marks(&self) -> bool {
        self.chunks.iter().any(|chunk| !chunk.candidates.is_empty())
    }

    /// All that is kept.
    pub(super) fn take(&mut self) -> Vec<u8> {
        self.chunks.drain(..).flat_map(|chunk| chunk.bytes).collect()
    }

    /// Takes the next marked line; none of which not enough is known yet, unless nothing more comes for now.
    pub(super) fn next(&mut self, is_all: bool) -> Option<MarkedLine> {
        let number = self.chunks.iter().position(|chunk| !chunk.candidates.is_empty())?;
        let chunk = &mut self.chunks[number];
        let candidate = *chunk.candidates.front()?;
        let reach = match chunk.cuts(&candidate) {
            true => chunk.end() + LINE as u64,
            false => chunk.offset + candidate.end as u64,
        };
        if !is_all && reach + AFTER > self.bytes {
            return None;
        }
        chunk.candidates.pop_front();
        Some(self.line(number, &candidate))
    }

    /// The lines still marked that begin between two places.
    pub(super) fn marked(&self, from: u64, to: u64) -> impl Iterator<Item = MarkedLine> + '_ {
        let chunks = self.chunks.iter().enumerate();
        chunks.flat_map(move |(number, chunk)| {
            let wanted = move |one: &&Candidate| (from..to).contains(&chunk.start_of(one));
            chunk.candidates.iter().filter(wanted).map(move |one| self.line(number, one))
        })
    }

    /// The line that a candidate is on. One that goes far beyond its chunk is cut where the finder cut it.
    fn line(&self, number: usize, candidate: &Candidate) -> MarkedLine {
        let chunk = &self.chunks[number];
        let (start, end) = (chunk.start_of(candidate), chunk.offset + candidate.end as u64);
        let mut line = MarkedLine {
            start,
            end,
            done: end,
            number: chunk.breaks + candidate.line + 1,
            key: candidate.key,
            is_whole: candidate.is_whole,
        };
        let (begins_before, goes_on) = (candidate.start == 0 && start > 0, chunk.cuts(candidate));
        if !begins_before && !goes_on {
            return line;
        }
        let begins = if begins_before { self.line_start(start) } else { Some(start) };
        let ends = if goes_on { self.line_end(chunk.end()) } else { self.line_end(end).filter(|at| *at == end) };
        match (begins, ends) {
            (Some(begins), Some(ends)) if (begins, ends) != (start, end) => {
                (line.start, line.end, line.done) = (begins, ends, ends);
                line.key = key::of(&self.copy(begins, ends));
            }
            (Some(_), Some(_)) => {}
            _ => line.done = end.min(chunk.end()),
        }
        line
    }

    /// Where the line begins that a place is on, unless that is far before.
    fn line_start(&self, at: u64) -> Option<u64> {
        let from = at.saturating_sub(LINE as u64);
        let before = self.copy(from, at);
        // What is dropped already is too far before.
        let is_whole = from == 0 && before.len() as u64 == at;
        let first = at - before.len() as u64;
        memchr::memrchr(b'\n', &before).map(|place| first + place as u64 + 1).or(is_whole.then_some(0))
    }

    /// Where the line ends that a place is on, unless that is far behind it.
    fn line_end(&self, at: u64) -> Option<u64> {
        let to = at + LINE as u64;
        let place = memchr::memchr(b'\n', &self.copy(at, to)).map(|place| at + place as u64);
        place.or((to >= self.bytes).then_some(self.bytes))
    }

    /// The text between two places, as far as it is kept.
    pub(super) fn copy(&self, from: u64, to: u64) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(to.min(self.bytes).saturating_sub(from) as usize);
        let first = self.chunks.partition_point(|chunk| chunk.end() <= from);
        for chunk in self.chunks.range(first..).take_while(|chunk| chunk.offset < to) {
            let start = from.saturating_sub(chunk.offset) as usize;
            let end = ((to - chunk.offset) as usize).min(chunk.bytes.len());
            bytes.extend_from_slice(chunk.bytes.get(start..end).unwrap_or_default());
        }
        bytes
    }

    /// The complete lines between two places, as far as they are kept: where they begin, and the number of the first.
    pub(super) fn stretch(&self, from: u64, to: u64) -> Option<(u64, u64, Vec<u8>)> {
        let first = self.chunks.front()?.offset;
        let mut from = from.max(first);
        let mut bytes = self.copy(from, to);
        let chunk = self.chunks.iter().find(|chunk| chunk.end() > from)?;
        let before = &chunk.bytes[..(from - chunk.offset) as usize];
        let mut line = chunk.breaks + memchr::memchr_iter(b'\n', before).count() as u64 + 1;
        if from > first
            && let Some(end) = memchr::memchr(b'\n', &bytes[..bytes.len().min(BEFORE as usize / 2)])
        {
            bytes.drain(..=end);
            (from, line) = (from + end as u64 + 1, line + 1);
        }
        Some((from, line, bytes))
    }

    /// Where the first line begins that is still marked.
    pub(super) fn waiting(&self) -> Option<u64> {
        self.chunks.iter().find_map(|chunk| Some(chunk.start_of(chunk.candidates.front()?)))
    }

    /// Where the last line begins, if it has no end yet.
    pub(super) fn open_line(&self) -> Option<u64> {
        self.ends_in_line().then(|| self.line_start(self.bytes)).flatten()
    }

    /// Drops what no window can need.
    pub(super) fn forget(&mut self) {
        let needed =
            self.waiting().unwrap_or(u64::MAX).min(self.bytes.saturating_sub(AFTER)).saturating_sub(2 * BEFORE);
        let keep = self.chunks.iter().position(|chunk| chunk.end() > needed).unwrap_or(self.chunks.len());
        self.spare.clear();
        self.spare.extend(self.chunks.drain(..keep).map(|chunk| chunk.bytes));
    }
}
