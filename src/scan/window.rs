//! A stretch of a log, read as `diagnose` reads a text.

use super::key;
use super::since::dated;
use super::tally::{Kind, Occurrence, Place};
use crate::amounts;
use crate::diagnosis::{Finding, Library, findings};
use crate::incident::{self, ErrorEvent, Incident};
use crate::text::{self, Clock, Transcript};

/// Consecutive lines of a log.
#[derive(Debug)]
pub(super) struct Window<'w> {
    pub(super) file: &'w str,
    pub(super) bytes: &'w [u8],
    /// Where they begin in the log.
    pub(super) offset: u64,
    /// The number of their first line, from 1.
    pub(super) first_line: u64,
}

/// The longest line that is quoted, in bytes.
const QUOTED: usize = 400;

impl Window<'_> {
    /// Everything that it reports.
    pub(super) fn occurrences(&self, library: Library<'_>) -> Vec<Occurrence> {
        let transcript = text::read(self.bytes);
        let incident = incident::read(&transcript);
        let mut clock = Clock::default();
        findings(&transcript, &incident, library)
            .iter()
            .map(|finding| self.occurrence(finding, &transcript, &incident, &mut clock))
            .collect()
    }

    fn occurrence(
        &self,
        finding: &Finding,
        transcript: &Transcript,
        incident: &Incident,
        clock: &mut Clock,
    ) -> Occurrence {
        let line = transcript.line(finding.line);
        let written = self.bytes.get(line.origin.clone()).unwrap_or_default();
        let begins =
            memchr::memrchr(b'\n', &self.bytes[..line.origin.start.min(self.bytes.len())]).map_or(0, |at| at + 1);
        let raw = String::from_utf8_lossy(self.bytes.get(begins..line.origin.end).unwrap_or(written));
        let heading = text::heading(&raw);
        let source = line.prefix.source.and_then(|source| transcript.sources().get(source as usize));
        let error = finding.error.and_then(|error| incident.errors.get(error));
        let error = error.filter(|_| finding.fault.is_none());
        let named = error.map(named);
        let kind = match finding.fault {
            Some(fault) => Kind::Fault(fault),
            None => unlisted(named.as_deref().unwrap_or(line.text)),
        };
        let time = finding.time.filter(|_| heading.stamp.is_none()).or_else(|| dated(&heading, clock));
        Occurrence {
            kind,
            place: Place {
                file: self.file.to_owned(),
                line: self.first_line + u64::from(line.number) - 1,
                byte: self.offset + begins as u64,
                time: time.and_then(date),
                rank: finding.rank.or(heading.rank),
                node: heading.host.map(str::to_owned).or_else(|| source.cloned()),
            },
            end: self.offset + line.origin.end.max(begins + 1) as u64,
            text: quoted(line.text),
            error: named.map(|named| quoted(&named)),
            role: finding.role,
            is_fatal: finding.is_fatal,
            is_survived: finding.is_survived,
            is_primary: finding.is_primary,
        }
    }
}

/// What an error without a page is called.
pub(super) fn named(error: &ErrorEvent) -> String {
    let message = error.message.lines().next().unwrap_or_default();
    if error.type_name.is_empty() { message.to_owned() } else { format!("{}: {message}", error.type_name) }
}

/// What an error of this name is counted as.
pub(super) fn unlisted(name: &str) -> Kind {
    Kind::Unlisted(key::of(name.as_bytes()))
}

/// As much of a line as is shown.
fn quoted(text: &str) -> String {
    let text = text.trim();
    match text.len() > QUOTED {
        true => format!("{}...", &text[..text.floor_char_boundary(QUOTED)]),
        false => text.to_owned(),
    }
}

/// `2026-11-21T03:15:22` from seconds since 1970; nothing for a clock without a date.
pub(super) fn date(seconds: f64) -> Option<String> {
    /// Earlier ones are clocks without a date.
    const FIRST: f64 = 10_000.0 * 86_400.0;
    (seconds >= FIRST).then(|| amounts::date(seconds.floor() as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(date(1_706_522_551.4).as_deref(), Some("2024-01-29T10:02:31"));
        assert_eq!(date(3600.0), None);
    }
}
