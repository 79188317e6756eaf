//! The lines of a text that are searched for evidence, by all patterns of a page: an alternative of a pattern is matched
//! against the lines that contain one of its needles.

use memchr::memmem;

use crate::incident::Incident;
use crate::pattern::Pattern;
use crate::text::Transcript;

/// Lines at the head and the tail of a text, and around the primary failure, that are searched for evidence. Logs of
/// hundreds of megabytes would otherwise be searched by every regex of a page.
const HEAD: usize = 3000;
const TAIL: usize = 1500;
const AROUND: usize = 1500;

/// The lines that may be evidence.
pub(super) struct Searched<'a> {
    transcript: &'a Transcript,
    /// Their indices, ascending.
    lines: Vec<usize>,
    /// Their words in lower case, one line after the other.
    lower: String,
    /// Where each of them ends in `lower`.
    ends: Vec<usize>,
}

impl<'a> Searched<'a> {
    /// The lines around the one that shows the primary failure, and at both ends: quoted code and advice prove nothing.
    pub(super) fn new(transcript: &'a Transcript, incident: &Incident, failure: usize) -> Self {
        let len = transcript.len();
        let lines: Vec<usize> = (0..len)
            .filter(|&i| i < HEAD || i + TAIL >= len || i.abs_diff(failure) <= AROUND)
            .filter(|&i| incident.roles.get(i).is_none_or(|role| role.may_be_evidence()))
            .collect();
        let mut lower = String::new();
        let mut ends = Vec::with_capacity(lines.len());
        for &line in &lines {
            lower.push_str(transcript.line(line).text);
            lower.push('\n');
            ends.push(lower.len());
        }
        lower.make_ascii_lowercase();
        Self { transcript, lines, lower, ends }
    }

    /// The first line that a pattern matches.
    pub(super) fn first(&self, pattern: &Pattern) -> Option<usize> {
        self.first_of(self.lines.len(), pattern)
    }

    /// The first line above another that a pattern matches.
    pub(super) fn first_above(&self, line: usize, pattern: &Pattern) -> Option<usize> {
        self.first_of(self.lines.partition_point(|&other| other < line), pattern)
    }

    /// The first of so many lines that a pattern matches.
    fn first_of(&self, count: usize, pattern: &Pattern) -> Option<usize> {
        let mut best = count;
        for alternative in pattern.alternatives() {
            let matches = |number: &usize| alternative.confirms(self.transcript.line(self.lines[*number]).text);
            best = match alternative.needles.as_slice() {
                [] => (0..best).find(matches).unwrap_or(best),
                needles => self.with_one_of(needles, best).into_iter().find(matches).unwrap_or(best),
            };
        }
        (best < count).then(|| self.lines[best])
    }

    /// Those of so many lines that contain one of the needles, by their places in `lines`.
    fn with_one_of(&self, needles: &[String], count: usize) -> Vec<usize> {
        let end = count.checked_sub(1).map_or(0, |last| self.ends[last]);
        let text = &self.lower.as_bytes()[..end];
        let places = needles.iter().flat_map(|needle| memmem::find_iter(text, needle));
        let mut found: Vec<usize> = places.map(|place| self.ends.partition_point(|end| *end <= place)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}
