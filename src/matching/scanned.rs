//! The text as signatures see it: a line with what several signatures need to know about it, and the lines around it.
//!
//! Nothing is scanned twice, however often a literal occurs on a line and however many lines contain it: a log of ten
//! thousand equal errors is read in one pass.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use crate::book::schema::NEAR;
use crate::incident::Role;
use crate::literals::Literals;
use crate::pattern::Pattern;
use crate::text::{Level, Transcript};
use crate::vendors;

/// A line that contains a literal of some signature.
pub(super) struct ScannedLine<'t> {
    pub(super) index: usize,
    /// Its bytes in the transcript's text.
    pub(super) range: Range<usize>,
    pub(super) text: &'t str,
    /// Whether signatures look at lines of its role.
    pub(super) searched: bool,
    /// Whether it was logged as more than debugging output.
    pub(super) informs: bool,
    /// Where the first name of a vendor's interface ends, once computed.
    interface_named_at: Option<Option<usize>>,
}

impl<'t> ScannedLine<'t> {
    /// The line that contains byte `at` of the text.
    pub(super) fn new(transcript: &'t Transcript, roles: &[Role], at: usize) -> Self {
        let index = transcript.line_at(at);
        let line = transcript.line(index);
        let range = transcript.range_of(index);
        let searched = |role: &Role| role.may_be_evidence() && *role != Role::Header;
        Self {
            index,
            text: line.text,
            range,
            searched: roles.get(index).is_none_or(searched),
            informs: line.prefix.level.is_none_or(|level| level >= Level::Info),
            interface_named_at: None,
        }
    }

    /// Where the first name of a vendor's interface ends: "CUDA error: ", "cudaMalloc failed: ", "GPUassert: ".
    pub(super) fn interface_named_at(&mut self) -> Option<usize> {
        static NAMES: LazyLock<Literals<'static>> = LazyLock::new(|| {
            Literals::ignoring_case(
                vendors::all().iter().flat_map(|vendor| &vendor.sentences.after).map(String::as_str),
            )
        });
        let ends = || {
            let mut first: Option<usize> = None;
            NAMES.find(self.text, |_, place| first = Some(first.map_or(place.end, |end| end.min(place.end))));
            first
        };
        *self.interface_named_at.get_or_insert_with(ends)
    }
}

/// Which of a signature's patterns is matched against the lines around.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum PatternKind {
    Near,
    Without,
}

/// The lines around hits.
pub(super) struct Surroundings<'t> {
    transcript: &'t Transcript,
    roles: &'t [Role],
    /// How far each pattern has been matched.
    known: HashMap<(usize, PatternKind), Seen>,
}

/// How far a pattern has been matched.
#[derive(Default)]
struct Seen {
    /// The line after the last one matched against.
    end: usize,
    /// The last line that matched.
    last_match: Option<usize>,
}

impl<'t> Surroundings<'t> {
    pub(super) fn new(transcript: &'t Transcript, roles: &'t [Role]) -> Self {
        Self { transcript, roles, known: HashMap::new() }
    }

    /// Whether a line within [`NEAR`] lines of `line` contains a word.
    pub(super) fn mention(&self, line: usize, word: &str) -> bool {
        let (start, end) = (line.saturating_sub(NEAR), (line + NEAR + 1).min(self.transcript.len()));
        (start..end).any(|index| {
            self.roles.get(index) != Some(&Role::Answer) && self.transcript.line(index).text.contains(word)
        })
    }

    /// Whether `pattern` matches a line within [`NEAR`] lines of `line`. Lines must be asked about in ascending order.
    pub(super) fn any(&mut self, line: usize, key: (usize, PatternKind), pattern: &Pattern) -> bool {
        let (start, end) = (line.saturating_sub(NEAR), (line + NEAR + 1).min(self.transcript.len()));
        let seen = self.known.entry(key).or_default();
        let matches = |&index: &usize| {
            // A pasted answer of this program also names faults that it ruled out.
            self.roles.get(index) != Some(&Role::Answer) && pattern.is_match(self.transcript.line(index).text)
        };
        if let Some(found) = (seen.end.max(start)..end).rev().find(matches) {
            seen.last_match = Some(found);
        }
        seen.end = seen.end.max(end);
        seen.last_match.is_some_and(|found| found >= start)
    }
}
