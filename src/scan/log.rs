//! One log, chunk after chunk: which marked lines are read, which only counted.

use std::collections::HashMap;
use std::mem;

use super::finder::Marked;
use super::kept::{AFTER, BEFORE, Kept, MarkedLine};
use super::report::FaultReport;
use super::since::{Since, dated};
use super::tally::{Kind, Occurrence, Place, Tally};
use super::window::{Window, date};
use crate::diagnosis::Library;
use crate::incident;
use crate::text::{self, Clock};

/// A log of at most so many bytes is read whole, exactly as `diagnose` does.
const WHOLE: u64 = 256 * 1024;
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
    kept: Kept,
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
            kept: Kept::default(),
            done: 0,
            read: 0,
            keys: HashMap::new(),
            clock: Clock::default(),
            tally: Tally::default(),
            digest: Vec::new(),
            digest_bytes: 0,
            primary: None,
            news: Vec::new(),
        }
    }

    /// A buffer that is no longer needed.
    pub(crate) fn spare(&mut self) -> Vec<u8> {
        self.kept.spare()
    }

    /// Adds the next chunk.
    pub(crate) fn push(&mut self, marked: Marked) {
        self.kept.push(marked);
        if self.is_live || self.kept.bytes > WHOLE {
            self.pump(false);
            self.kept.forget();
        }
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
        let lines = self.kept.breaks + u64::from(self.kept.ends_in_line());
        if self.kept.bytes <= WHOLE && !self.is_live {
            self.read_whole();
        } else {
            self.pump(true);
            self.primary = self.primary_of_digest();
        }
        if let Some(group) = self.primary.and_then(|kind| self.tally.groups.get_mut(&kind)) {
            group.primary_in = 1;
        }
        Scanned { file: self.file, bytes: self.kept.bytes, lines, tally: self.tally, primary: self.primary }
    }

    /// A short log, in one piece.
    fn read_whole(&mut self) {
        if !self.kept.has_marks() {
            return;
        }
        let bytes = self.kept.take();
        let window = Window { file: &self.file, bytes: &bytes, offset: 0, first_line: 1 };
        for one in window.occurrences(self.library) {
            let start = one.place.byte as usize;
            let line = &bytes[start..(one.end as usize).min(bytes.len())];
            let above = || bytes[start.saturating_sub(BEFORE as usize)..start].to_vec();
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
        while let Some(line) = self.kept.next(is_all) {
            if line.start >= self.done {
                self.look(line, is_all);
            }
        }
    }

    /// Decides about one marked line.
    fn look(&mut self, marked: MarkedLine, is_all: bool) {
        let MarkedLine { start, end, done, number, key } = marked;
        self.done = done;
        let line = self.kept.copy(start, end);
        let line =
            String::from_utf8(line).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        let above = || self.kept.copy(start.saturating_sub(BEFORE), start);
        if self.since.is_some_and(|since| is_excluded(line.as_bytes(), above, since, &mut self.clock)) {
            return;
        }
        if let Some(seen) = self.keys.get_mut(&key) {
            seen.times = seen.times.saturating_add(1);
            let is_due = seen.times.is_power_of_two() && !seen.is_harmless;
            if !is_due || !self.may_read(false) {
                let Some(seen) = self.keys.get(&key).filter(|seen| !seen.kinds.is_empty()) else { return };
                let place = place(&self.file, &mut self.clock, &line, number, start);
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
                self.keys.insert(key, Seen { times: 1, is_harmless: true, kinds: Vec::new() });
                return;
            }
            self.keys.insert(key, Seen { times: 1, ..Seen::default() });
            if !self.may_read(true) {
                return;
            }
        }
        let found = self.read_around(start, end, is_all);
        if let Some(seen) = self.keys.get_mut(&key) {
            seen.learn(start, end, &found);
        }
    }

    /// Whether the budget allows to read another window. Lines never seen before have twice of it.
    fn may_read(&self, is_new: bool) -> bool {
        let budget = FREE + self.kept.bytes / SHARE;
        self.read < if is_new { 2 * budget } else { budget }
    }

    /// Reads the lines around a marked one, and counts what they report from its beginning on.
    fn read_around(&mut self, start: u64, end: u64, is_all: bool) -> Vec<Occurrence> {
        let Some((window_start, first_line, bytes)) = self.kept.stretch(start.saturating_sub(BEFORE), end + AFTER)
        else {
            return Vec::new();
        };
        let window_end = window_start + bytes.len() as u64;
        self.read += bytes.len() as u64;
        // The last lines are context only, unless nothing comes after them.
        let is_end = is_all && window_end >= self.kept.bytes;
        let until = if is_end { window_end } else { (end + AFTER / 2).min(window_end) };
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
        for line in self.kept.marked(start, until) {
            let seen = self.keys.entry(line.key).or_default();
            seen.times = seen.times.saturating_add(1);
            seen.learn(line.start, line.end, found);
        }
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

/// Whether a line was written before the wanted time: by its own stamp or the last one above it. `above` is the text
/// that ends where the line begins.
fn is_excluded(line: &[u8], above: impl FnOnce() -> Vec<u8>, since: Since, clock: &mut Clock) -> bool {
    /// A traceback has no stamps.
    const ABOVE: usize = 200;
    let mut excludes = |line: &[u8]| since.excludes(&text::heading(&String::from_utf8_lossy(line)), clock);
    let of_above = |excludes: &mut dyn FnMut(&[u8]) -> Option<bool>| {
        above().rsplit(|byte| *byte == b'\n').skip(1).take(ABOVE).find_map(excludes)
    };
    excludes(line).or_else(|| of_above(&mut excludes)).unwrap_or(false)
}
