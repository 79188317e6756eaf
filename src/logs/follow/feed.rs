//! The bytes of one log as they come, given to a scan line by line.

use std::io;
use std::mem;
use std::time::{Duration, Instant};

use encoding_rs::Decoder;

use super::Desk;
use crate::scan::{Finder, LOOKAHEAD, LogScan};
use crate::text;

/// So long after the last bytes, what is there is read without waiting for lines after it.
pub(super) const QUIET: Duration = Duration::from_millis(400);
/// So long after it came, a line is read whatever else comes.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);
/// So long after the last bytes, a line that has no end is taken for whole: a prompt never gets one.
pub(super) const STILL: Duration = Duration::from_secs(2);
/// A line that has no end yet waits for it up to this length.
const LINE: usize = 64 * 1024;

/// Bytes of one log as they come.
pub(super) struct Feed<'k> {
    scan: LogScan<'k>,
    /// The line that has no end yet.
    line: Vec<u8>,
    /// The last bytes of the line that was given to the scan without its end.
    given: Vec<u8>,
    /// When the last bytes came.
    last: Option<Instant>,
    /// Where the first line begins that waits for lines after it, and since when.
    waiting: Option<(u64, Instant)>,
    wide: Option<Decoder>,
    has_begun: bool,
    /// Whether everything was read that could be read without waiting.
    is_flushed: bool,
    /// Whether it was remarked on that lines are only counted.
    is_known_long: bool,
}

impl<'k> Feed<'k> {
    pub(super) fn new(scan: LogScan<'k>) -> Self {
        Self {
            scan,
            line: Vec::new(),
            given: Vec::new(),
            last: None,
            waiting: None,
            wide: None,
            has_begun: false,
            is_flushed: true,
            is_known_long: false,
        }
    }

    pub(super) fn file(&self) -> &str {
        self.scan.file()
    }

    /// Its file has another name now.
    pub(super) fn rename(&mut self, file: String) {
        self.scan.rename(file);
    }

    pub(super) fn add(&mut self, bytes: &[u8], finder: &Finder, now: Instant) {
        (self.last, self.is_flushed) = (Some(now), false);
        let mut bytes = bytes;
        if !mem::replace(&mut self.has_begun, true)
            && let Some((little, mark)) = text::wide(bytes)
        {
            let encoding = if little { encoding_rs::UTF_16LE } else { encoding_rs::UTF_16BE };
            self.wide = Some(encoding.new_decoder_without_bom_handling());
            bytes = &bytes[mark..];
        }
        match &mut self.wide {
            Some(decoder) => {
                let mut decoded = String::with_capacity(decoder.max_utf8_buffer_length(bytes.len()).unwrap_or(0));
                let _ = decoder.decode_to_string(bytes, &mut decoded, false);
                self.line.extend_from_slice(decoded.as_bytes());
            }
            None => self.line.extend_from_slice(bytes),
        }
        let end = match memchr::memrchr(b'\n', &self.line) {
            Some(at) => at + 1,
            None if self.line.len() > LINE => self.line.len(),
            None => 0,
        };
        let rest = self.line.split_off(end);
        let lines = mem::replace(&mut self.line, rest);
        self.give(lines, finder);
        self.hurry(now);
    }

    /// Nothing more comes for now.
    pub(super) fn rest(&mut self, finder: &Finder, now: Instant) {
        let Some(quiet) = self.last.map(|last| now.saturating_duration_since(last)) else { return };
        if quiet >= QUIET && !self.is_flushed {
            self.flush();
        }
        if quiet >= STILL && !self.line.is_empty() {
            self.end(finder);
        }
        self.hurry(now);
    }

    /// Reads everything, the line without an end too.
    pub(super) fn end(&mut self, finder: &Finder) {
        let line = mem::take(&mut self.line);
        self.give(line, finder);
        self.flush();
    }

    /// Reports what was found, and once that the log is too varied to be read closely.
    pub(super) fn tell(&mut self, desk: &mut Desk<'_, '_>) -> io::Result<()> {
        for fault in self.scan.news() {
            desk.found |= fault.fault.is_some();
            desk.listener.fault(&fault)?;
        }
        if self.scan.is_over_budget() && !mem::replace(&mut self.is_known_long, true) {
            desk.listener.remark(&format!(
                "`{}` has very many different lines that may report errors: only new faults are looked for from here on",
                self.scan.file()
            ));
        }
        Ok(())
    }

    fn give(&mut self, bytes: Vec<u8>, finder: &Finder) {
        if bytes.is_empty() {
            return;
        }
        let open = match memchr::memrchr(b'\n', &bytes) {
            Some(at) => bytes[at + 1..].to_vec(),
            None => [&self.given[..], &bytes].concat(),
        };
        let own = bytes.len();
        let marked = match self.given.is_empty() {
            true => finder.mark(bytes, own),
            false => finder.mark_on(&self.given, bytes),
        };
        self.given = open[open.len().saturating_sub(LOOKAHEAD)..].to_vec();
        self.scan.push(marked);
    }

    fn flush(&mut self) {
        self.scan.flush();
        (self.is_flushed, self.waiting) = (true, None);
    }

    /// Reads what has waited for long enough.
    fn hurry(&mut self, now: Instant) {
        self.waiting = match (self.scan.waiting(), self.waiting) {
            (Some(at), Some((known, since))) if at == known => Some((at, since)),
            (at, _) => at.map(|at| (at, now)),
        };
        if self.waiting.is_some_and(|(_, since)| now.saturating_duration_since(since) >= PATIENCE) {
            self.flush();
        }
    }
}
