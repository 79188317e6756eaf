//! One log, chunk after chunk: which marked lines are read, which only counted.

use std::collections::HashMap;
use std::mem;

use super::evidence::{Evidence, Outcomes};
use super::finder::{Finder, LINE, Marked};
use super::kept::{AFTER, BEFORE, Kept, MarkedLine};
use super::report::FaultReport;
use super::since::{Dates, Since, dated};
use super::tally::{Kind, Occurrence, Place, Tally};
use super::window::{Window, date};
use crate::diagnosis::Library;
use crate::text::{self, Clock};

/// A log of at most so many bytes is read whole, exactly as `diagnose` does.
const WHOLE: u64 = 256 * 1024;
/// What is read of a log in all before only repetitions that may have changed are worth it: this, and one byte of so many.
/// Twice of it is read for lines with new words; beyond that only those that may report a fault for the first time.
const FREE: u64 = 4 << 20;
const SHARE: u64 = 16;
/// So many lines that differ in more than numbers are remembered.
const MOST_KEYS: usize = 50_000;
/// So many bytes with the first occurrences are kept, by which the primary failure is chosen; only half of them for errors
/// without a page, of which there may be any number.
const DIGEST: usize = 512 * 1024;

/// A log that is being scanned.
pub(crate) struct LogScan<'k> {
    library: Library<'k>,
    finder: &'k Finder,
    dates: Option<Dates>,
    /// Whether it grows while it is read, so that nothing waits for its end.
    is_live: bool,
    file: String,
    kept: Kept,
    /// Everything before is counted.
    done: u64,
    /// Where the line began that had no end when it was read: it is read again with its end.
    open: Option<u64>,
    /// How much was read closely.
    read: u64,
    keys: HashMap<u64, Seen>,
    outcomes: Outcomes,
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
    /// The lines around one of them were read.
    was_read: bool,
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
    pub(crate) fn new(
        file: String,
        library: Library<'k>,
        finder: &'k Finder,
        since: Option<Since>,
        is_live: bool,
    ) -> Self {
        Self {
            library,
            finder,
            dates: since.map(Dates::new),
            is_live,
            file,
            kept: Kept::default(),
            done: 0,
            open: None,
            read: 0,
            keys: HashMap::new(),
            outcomes: Outcomes::default(),
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
        self.open = self.kept.open_line();
    }

    /// Where the first line begins that waits for lines after it.
    pub(crate) fn waiting(&self) -> Option<u64> {
        self.kept.waiting()
    }

    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// Its file has another name now.
    pub(crate) fn rename(&mut self, file: String) {
        self.file = file;
    }

    /// Whether lines are no longer read closely, because very many differ.
    pub(crate) fn is_over_budget(&self) -> bool {
        self.tally.guessed + self.tally.unread > 0
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
            let above = |from: u64| bytes[from as usize..start].to_vec();
            if let Some(dates) = &mut self.dates
                && dates.excludes(line, one.place.byte, &mut self.clock, above)
            {
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
            let is_longer = self.open == Some(line.start) && line.end > self.done;
            if line.start >= self.done || is_longer {
                self.look(line, is_all);
            }
        }
    }

    /// Decides about one marked line.
    fn look(&mut self, marked: MarkedLine, is_all: bool) {
        let MarkedLine { start, end, done, number, key, is_whole } = marked;
        self.done = done;
        let line = self.kept.copy(start, end);
        // Of a line that two chunks share, only now all words are known.
        if !is_whole && line.len() < LINE && !self.finder.marks(&line) {
            return;
        }
        let line =
            String::from_utf8(line).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        if let Some(dates) = &mut self.dates {
            let above = |from: u64| self.kept.copy(from.max(start.saturating_sub(BEFORE)), start);
            if dates.excludes(line.as_bytes(), start, &mut self.clock, above) {
                return;
            }
        }
        let mut evidence = None;
        match self.keys.get_mut(&key) {
            Some(seen) => {
                seen.times = seen.times.saturating_add(1);
                let is_due = seen.times.is_power_of_two() && seen.was_read;
                if !is_due || !self.may_read(false) {
                    return self.count(key, &line, number, start);
                }
            }
            None => {
                if self.keys.len() >= MOST_KEYS {
                    self.keys.clear();
                }
                let of_line = Evidence::of(&line, self.library);
                let mut seen = Seen { times: 1, is_harmless: of_line.is_none(), ..Seen::default() };
                if seen.is_harmless {
                    self.keys.insert(key, seen);
                    return;
                }
                if !self.may_read(true) && !self.outcomes.may_be_new(&of_line, &self.tally) {
                    seen.kinds = self.outcomes.guess(&of_line, &self.tally);
                    self.keys.insert(key, seen);
                    return self.count(key, &line, number, start);
                }
                seen.was_read = true;
                self.keys.insert(key, seen);
                evidence = Some(of_line);
            }
        }
        let found = self.read_around(start, end, is_all);
        if let Some(seen) = self.keys.get_mut(&key) {
            seen.learn(start, end, &found);
            evidence.into_iter().for_each(|evidence| self.outcomes.learn(evidence, &seen.kinds));
        }
    }

    /// Counts a line without reading around it.
    fn count(&mut self, key: u64, line: &str, number: u64, start: u64) {
        let Some(seen) = self.keys.get(&key).filter(|seen| !seen.is_harmless) else { return };
        if !seen.was_read {
            let of_lines = if seen.kinds.is_empty() { &mut self.tally.unread } else { &mut self.tally.guessed };
            *of_lines += 1;
        }
        if seen.kinds.is_empty() {
            return;
        }
        let place = place(&self.file, &mut self.clock, line, number, start);
        for &kind in &seen.kinds {
            if self.tally.repeat(kind, &place) && self.is_live {
                self.news.extend(self.tally.again(kind, place.clone(), line));
            }
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
        if let Some(dates) = &mut self.dates {
            found.retain(|one| {
                let at = |place: u64| (place.saturating_sub(window_start) as usize).min(bytes.len());
                let line = &bytes[at(one.place.byte)..at(one.end)];
                let above = |from: u64| bytes[at(from)..at(one.place.byte)].to_vec();
                !dates.excludes(line, one.place.byte, &mut self.clock, above)
            });
        }
        let is_new = |one: &&Occurrence| !self.tally.groups.contains_key(&one.kind);
        let room = match found.iter().filter(is_new).map(|one| one.kind).min() {
            Some(Kind::Fault(_)) => DIGEST,
            Some(Kind::Unlisted(_)) => DIGEST / 2,
            None => 0,
        };
        for one in &found {
            if self.tally.add(one) && self.is_live {
                self.news.push(one.clone());
            }
        }
        self.learn(start, until, &found);
        self.done = until;
        if self.digest_bytes + bytes.len() <= room {
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
            seen.was_read = true;
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
        let primary = window.occurrences(self.library).iter().find(|one| one.is_primary).map(|one| one.kind);
        // It may be older than what is wanted.
        primary.filter(|kind| self.tally.groups.contains_key(kind))
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
