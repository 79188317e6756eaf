//! One log, chunk after chunk: which marked lines are read, which only counted.

use std::collections::{HashMap, VecDeque};
use std::mem;

use super::finder::{Candidate, Marked};
use super::report::FaultReport;
use super::since::{Since, dated};
use super::tally::{Kind, Occurrence, Place, Tally};
use super::window::{Window, date};
use crate::diagnosis::Library;
use crate::incident;
use crate::text::{self, Clock};

/// A log of at most so many bytes is read whole, exactly as `diagnose` does.
const WHOLE: u64 = 256 * 1024;
/// What is read before and after a marked line.
const BEFORE: u64 = 24 * 1024;
const AFTER: u64 = 12 * 1024;
/// What is read of a log in all before only new faults are worth it: this, and one byte of so many.
const FREE: u64 = 4 << 20;
const SHARE: u64 = 16;
/// So many lines that differ in more than numbers are remembered.
const MOST_KEYS: usize = 50_000;
/// So many bytes with the first occurrences are kept, by which the primary failure is chosen.
const DIGEST: usize = 256 * 1024;

/// A log that is being scanned.
pub(crate) struct LogScan<'k> {
    library: Library<'k>,
    since: Option<Since>,
    /// Whether it grows while it is read, so that nothing waits for its end.
    is_live: bool,
    file: String,
    chunks: VecDeque<Chunk>,
    /// Bytes and line breaks so far.
    bytes: u64,
    breaks: u64,
    /// Everything before is counted.
    done: u64,
    /// How much was read closely.
    read: u64,
    keys: HashMap<u64, Seen>,
    clock: Clock,
    tally: Tally,
    digest: Vec<Excerpt>,
    digest_bytes: usize,
    primary: Option<Kind>,
    news: Vec<Occurrence>,
    /// Buffers that are free again.
    spare: Vec<Vec<u8>>,
}

/// What is kept of the text.
struct Chunk {
    offset: u64,
    breaks: u64,
    bytes: Vec<u8>,
    candidates: VecDeque<Candidate>,
}

/// A window with a first occurrence.
struct Excerpt {
    offset: u64,
    first_line: u64,
    bytes: Vec<u8>,
}

/// What a line turned out to be.
#[derive(Debug, Default)]
struct Seen {
    times: u32,
    /// By itself it cannot be evidence.
    is_harmless: bool,
    kinds: Vec<Kind>,
}

/// A log that was scanned.
#[derive(Debug)]
pub(crate) struct Scanned {
    pub(crate) file: String,
    pub(crate) bytes: u64,
    pub(crate) lines: u64,
    pub(crate) tally: Tally,
    pub(crate) primary: Option<Kind>,
}

impl<'k> LogScan<'k> {
    /// Begins a log. A live one is reported on while it is written.
    pub(crate) fn new(file: String, library: Library<'k>, since: Option<Since>, is_live: bool) -> Self {
        Self {
            library,
            since,
            is_live,
            file,
            chunks: VecDeque::new(),
            bytes: 0,
            breaks: 0,
            done: 0,
            read: 0,
            keys: HashMap::new(),
            clock: Clock::default(),
            tally: Tally::default(),
            digest: Vec::new(),
            digest_bytes: 0,
            primary: None,
            news: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// A buffer that is no longer needed.
    pub(crate) fn spare(&mut self) -> Vec<u8> {
        self.spare.pop().unwrap_or_default()
    }

    /// Adds the next chunk.
    pub(crate) fn push(&mut self, marked: Marked) {
        let Marked { bytes, candidates, breaks } = marked;
        let (offset, before) = (self.bytes, self.breaks);
        self.bytes += bytes.len() as u64;
        self.breaks += breaks;
        self.chunks.push_back(Chunk { offset, breaks: before, bytes, candidates: candidates.into() });
        if self.is_live || self.bytes > WHOLE {
            self.pump(false);
        }
        self.forget();
    }

    /// Reads what still waits for lines after it.
    pub(crate) fn flush(&mut self) {
        self.pump(true);
    }

    /// First occurrences, of their kind or on their rank, since the last call, each with its number of occurrences so far.
    pub(crate) fn news(&mut self) -> Vec<FaultReport> {
        let news = mem::take(&mut self.news);
        news.iter().filter_map(|one| FaultReport::of_one(one, &self.tally, self.library.book)).collect()
    }

    /// The log ends.
    pub(crate) fn finish(mut self) -> Scanned {
        let ends_in_line =
            self.chunks.back().is_some_and(|chunk| !chunk.bytes.ends_with(b"\n") && !chunk.bytes.is_empty());
        if self.bytes <= WHOLE && !self.is_live {
            self.read_whole();
        } else {
            self.pump(true);
            self.primary = self.primary_of_digest();
        }
        if let Some(group) = self.primary.and_then(|kind| self.tally.groups.get_mut(&kind)) {
            group.primary_in = 1;
        }
        Scanned {
            file: self.file,
            bytes: self.bytes,
            lines: self.breaks + u64::from(ends_in_line),
            tally: self.tally,
            primary: self.primary,
        }
    }

    /// A short log, in one piece.
    fn read_whole(&mut self) {
        if self.chunks.iter().all(|chunk| chunk.candidates.is_empty()) {
            return;
        }
        let bytes: Vec<u8> = self.chunks.drain(..).flat_map(|chunk| chunk.bytes).collect();
        let window = Window { file: &self.file, bytes: &bytes, offset: 0, first_line: 1 };
        for one in window.occurrences(self.library) {
            let line = &bytes[one.place.byte as usize..(one.end as usize).min(bytes.len())];
            let above = &bytes[..one.place.byte as usize];
            if self.since.is_some_and(|since| is_excluded(line, above, since, &mut self.clock)) {
                continue;
            }
            if one.is_primary {
                self.primary = Some(one.kind);
            }
            self.tally.add(&one);
        }
    }

    /// Goes through the marked lines of which enough is known; of all if nothing more comes for now.
    fn pump(&mut self, is_all: bool) {
        for number in 0..self.chunks.len() {
            while let Some(chunk) = self.chunks.get_mut(number)
                && let Some(&candidate) = chunk.candidates.front()
            {
                let start = chunk.offset + candidate.start as u64;
                if !is_all && start + (candidate.end - candidate.start) as u64 + AFTER > self.bytes {
                    return;
                }
                chunk.candidates.pop_front();
                if start >= self.done {
                    self.look(number, candidate);
                }
            }
        }
    }

    /// Decides about one marked line.
    fn look(&mut self, number: usize, candidate: Candidate) {
        let Some(chunk) = self.chunks.get(number) else { return };
        let start = chunk.offset + candidate.start as u64;
        let line_number = chunk.breaks + candidate.line + 1;
        let cut = candidate.end.min(chunk.bytes.len());
        let line = String::from_utf8_lossy(chunk.bytes.get(candidate.start..cut).unwrap_or_default()).into_owned();
        // The rest of a line that a chunk cuts is marked again.
        self.done = start + (candidate.end - candidate.start) as u64;
        let above = &chunk.bytes[..candidate.start.min(chunk.bytes.len())];
        if self.since.is_some_and(|since| is_excluded(line.as_bytes(), above, since, &mut self.clock)) {
            return;
        }
        if let Some(seen) = self.keys.get_mut(&candidate.key) {
            seen.times = seen.times.saturating_add(1);
            let is_due = seen.times.is_power_of_two() && !seen.is_harmless;
            if !is_due || !self.may_read(false) {
                let Some(seen) = self.keys.get(&candidate.key).filter(|seen| !seen.kinds.is_empty()) else { return };
                let place = place(&self.file, &mut self.clock, &line, line_number, start);
                for &kind in &seen.kinds {
                    if self.tally.repeat(kind, &place) && self.is_live {
                        self.news.extend(self.tally.again(kind, place.clone(), &line));
                    }
                }
                return;
            }
        } else {
            if self.keys.len() >= MOST_KEYS {
                self.keys.clear();
            }
            if !may_report(&line, self.library) {
                self.keys.insert(candidate.key, Seen { times: 1, is_harmless: true, kinds: Vec::new() });
                return;
            }
            self.keys.insert(candidate.key, Seen { times: 1, ..Seen::default() });
            if !self.may_read(true) {
                return;
            }
        }
        let end = start + (candidate.end - candidate.start) as u64;
        let found = self.read_around(start, end);
        if let Some(seen) = self.keys.get_mut(&candidate.key) {
            seen.learn(start, end, &found);
        }
    }

    /// Whether the budget allows to read another window. Lines never seen before have twice of it.
    fn may_read(&self, is_new: bool) -> bool {
        let budget = FREE + self.bytes / SHARE;
        self.read < if is_new { 2 * budget } else { budget }
    }

    /// Reads the lines around a marked one, and counts what they report from its beginning on.
    fn read_around(&mut self, start: u64, end: u64) -> Vec<Occurrence> {
        let Some((window_start, first_line, bytes)) = self.stretch(start.saturating_sub(BEFORE), end + AFTER) else {
            return Vec::new();
        };
        let window_end = window_start + bytes.len() as u64;
        self.read += bytes.len() as u64;
        // The last lines are context only, unless nothing comes after them.
        let until = if window_end >= self.bytes { window_end } else { (end + AFTER / 2).min(window_end) };
        let window = Window { file: &self.file, bytes: &bytes, offset: window_start, first_line };
        let mut found = window.occurrences(self.library);
        found.retain(|one| one.end > start && one.place.byte < until);
        let is_new = found.iter().any(|one| !self.tally.groups.contains_key(&one.kind));
        for one in &found {
            if self.tally.add(one) && self.is_live {
                self.news.push(one.clone());
            }
        }
        self.learn(start, until, &found);
        self.done = until;
        if is_new && self.digest_bytes + bytes.len() <= DIGEST {
            self.digest_bytes += bytes.len();
            self.digest.push(Excerpt { offset: window_start, first_line, bytes });
        }
        found
    }

    /// Remembers what the marked lines of a window turned out to be.
    fn learn(&mut self, start: u64, until: u64, found: &[Occurrence]) {
        for chunk in &self.chunks {
            let begins = |candidate: &&Candidate| chunk.offset + (candidate.start as u64);
            for candidate in chunk.candidates.iter().filter(|one| (start..until).contains(&begins(one))) {
                let from = begins(&candidate);
                let to = from + (candidate.end - candidate.start) as u64;
                let seen = self.keys.entry(candidate.key).or_default();
                seen.times = seen.times.saturating_add(1);
                seen.learn(from, to, found);
            }
        }
    }

    /// The complete lines between two places, as far as they are kept: where they begin, and the number of the first.
    fn stretch(&self, from: u64, to: u64) -> Option<(u64, u64, Vec<u8>)> {
        let first = self.chunks.front()?.offset;
        let (from, to) = (from.max(first), to.min(self.bytes));
        let mut bytes = Vec::with_capacity((to - from) as usize);
        let mut line = None;
        for chunk in &self.chunks {
            let start = (from.saturating_sub(chunk.offset) as usize).min(chunk.bytes.len());
            let end = (to.saturating_sub(chunk.offset) as usize).min(chunk.bytes.len());
            if start < end {
                let before = || memchr::memchr_iter(b'\n', &chunk.bytes[..start]).count() as u64;
                line.get_or_insert_with(|| chunk.breaks + before() + 1);
                bytes.extend_from_slice(&chunk.bytes[start..end]);
            }
        }
        let (mut from, mut line) = (from, line?);
        if from > first
            && let Some(end) = memchr::memchr(b'\n', &bytes[..bytes.len().min(BEFORE as usize / 2)])
        {
            bytes.drain(..=end);
            (from, line) = (from + end as u64 + 1, line + 1);
        }
        Some((from, line, bytes))
    }

    /// Drops what no window can need.
    fn forget(&mut self) {
        let needed = |chunk: &Chunk, waiting: Option<u64>| {
            let from = waiting.unwrap_or(u64::MAX).min(self.bytes.saturating_sub(AFTER)).saturating_sub(2 * BEFORE);
            chunk.offset + chunk.bytes.len() as u64 > from
        };
        if self.bytes <= WHOLE && !self.is_live {
            return;
        }
        let waiting = self.chunks.iter().find_map(|chunk| Some(chunk.offset + chunk.candidates.front()?.start as u64));
        let keep = self.chunks.iter().position(|chunk| needed(chunk, waiting)).unwrap_or(self.chunks.len());
        self.spare.clear();
        self.spare.extend(self.chunks.drain(..keep).map(|chunk| chunk.bytes));
    }

    /// The first failure by cause, of all that the log reports.
    fn primary_of_digest(&mut self) -> Option<Kind> {
        let mut bytes = Vec::new();
        let mut until = 0;
        for excerpt in &self.digest {
            let skip = (until.max(excerpt.offset) - excerpt.offset).min(excerpt.bytes.len() as u64) as usize;
            bytes.extend_from_slice(&excerpt.bytes[skip..]);
            until = until.max(excerpt.offset + excerpt.bytes.len() as u64);
        }
        let first_line = self.digest.first()?.first_line;
        let window = Window { file: &self.file, bytes: &bytes, offset: 0, first_line };
        window.occurrences(self.library).iter().find(|one| one.is_primary).map(|one| one.kind)
    }
}

impl Seen {
    /// Notes what a marked line turned out to be.
    fn learn(&mut self, from: u64, to: u64, found: &[Occurrence]) {
        self.is_harmless = false;
        self.kinds.clear();
        for one in found.iter().filter(|one| one.place.byte < to.max(from + 1) && one.end > from) {
            if !self.kinds.contains(&one.kind) {
                self.kinds.push(one.kind);
            }
        }
    }
}

/// Where a line is that is only counted.
fn place(file: &str, clock: &mut Clock, line: &str, number: u64, byte: u64) -> Place {
    let heading = text::heading(line);
    Place {
        file: file.to_owned(),
        line: number,
        byte,
        time: dated(&heading, clock).and_then(date),
        rank: heading.rank,
        node: heading.host.or(heading.source).map(str::to_owned),
    }
}

/// Whether a line by itself may be evidence of a fault or reports an error.
fn may_report(line: &str, library: Library<'_>) -> bool {
    let transcript = text::read(line.as_bytes());
    library.signatures.may_match(&transcript) || !incident::read(&transcript).errors.is_empty()
}

/// Whether a line was written before the wanted time: by its own stamp or the last one above it.
fn is_excluded(line: &[u8], above: &[u8], since: Since, clock: &mut Clock) -> bool {
    /// A traceback has no stamps.
    const ABOVE: usize = 200;
    let above = &above[above.len().saturating_sub(BEFORE as usize)..];
    let lines = above.rsplit(|byte| *byte == b'\n').skip(1).take(ABOVE);
    let excludes = |line: &[u8]| since.excludes(&text::heading(&String::from_utf8_lossy(line)), clock);
    std::iter::once(line).chain(lines).find_map(excludes).unwrap_or(false)
}
