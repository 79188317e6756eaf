//! Facts that depend on which failure came first: phase and position of the run, memory over time, the message's own
//! numbers. They are read once it is chosen, and only from lines of the same writer: what rank 0 was doing is no
//! evidence about rank 1.

use std::collections::BTreeSet;

use super::{ErrorEvent, Incident, Kind, Role, growth, missing_name, oom, position, shapes};
use crate::facts::Facts;
use crate::text::{Line, Prefix, Transcript};

/// The failure that came first, as a diagnosis chose it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Failure {
    /// Index of the line that shows it.
    pub line: usize,
    /// The error it belongs to, by its index in [`Incident::errors`].
    pub error: Option<usize>,
    /// The writer's rank.
    pub rank: Option<u32>,
}

/// Reads the facts around a failure.
pub(crate) fn around(transcript: &Transcript, incident: &Incident, failure: Failure) -> Facts {
    let mut facts = Facts::default();
    let scene = Scene::of(transcript, incident, failure);
    if let Some(error) = scene.error {
        let line = transcript.line(error.headline).number;
        let message = error.message.replace('\n', " ");
        oom::read(&message, line, &mut facts);
        shapes::read(&message, line, &mut facts);
        missing_name::facts(transcript, incident, error, &mut facts);
    } else {
        missing_name::facts_of_line(transcript, incident, failure.line, &mut facts);
    }
    position::facts(&scene, &mut facts);
    growth::facts(&scene, &mut facts);
    facts
}

/// A failure with the lines of its writer.
pub(super) struct Scene<'t> {
    pub(super) transcript: &'t Transcript,
    incident: &'t Incident,
    /// The error that the failure belongs to, and its number.
    error: Option<&'t ErrorEvent>,
    number: Option<usize>,
    /// The line before which the run still worked.
    start: usize,
    writer: Writer,
}

impl<'t> Scene<'t> {
    fn of(transcript: &'t Transcript, incident: &'t Incident, failure: Failure) -> Self {
        let error = failure.error.and_then(|number| incident.errors.get(number));
        Self {
            transcript,
            incident,
            error,
            number: failure.error,
            start: error.map_or(failure.line, |error| error.lines.start),
            writer: Writer::of(transcript, failure),
        }
    }

    /// The traceback that shows the phase: the failure's own, else the first that ended its writer.
    pub(super) fn traceback(&self) -> Option<&'t ErrorEvent> {
        let own = self.error.filter(|error| error.kind == Kind::Python && !error.frames.is_empty());
        let died = |error: &&ErrorEvent| {
            error.fatal
                && error.kind == Kind::Python
                && self.writer.wrote(error.rank, self.transcript.line(error.headline).prefix.source)
        };
        own.or_else(|| self.incident.errors.iter().filter(died).find(|error| !error.frames.is_empty()))
            .or_else(|| self.incident.errors.iter().find(died))
    }

    /// The errors in the same chain as the failure's own.
    pub(super) fn chain(&self) -> impl Iterator<Item = &'t ErrorEvent> {
        let errors = &self.incident.errors;
        let mut chained: BTreeSet<usize> = self.number.into_iter().collect();
        // Links point up or down; two passes find both kinds.
        for number in (0..errors.len()).rev().chain(0..errors.len()) {
            if let Some((other, _)) = errors[number].follows
                && (chained.contains(&number) || chained.contains(&other))
            {
                chained.extend([number, other]);
            }
        }
        chained.into_iter().filter_map(|number| errors.get(number))
    }

    /// Up to `reach` ordinary lines of the writer above line `end`, in their order; above the failure without `end`.
    pub(super) fn lines_above(&self, end: Option<usize>, reach: usize) -> Vec<Line<'t>> {
        let end = end.unwrap_or(self.start);
        let mut lines: Vec<Line<'t>> = (0..end)
            .rev()
            .map(|index| self.transcript.line(index))
            .filter(|line| self.writer.wrote_line(line.prefix))
            .take(reach)
            .filter(|line| self.incident.roles.get(line.index) == Some(&Role::Text))
            .collect();
        lines.reverse();
        lines
    }
}

/// Who wrote the failure.
struct Writer {
    rank: Option<u32>,
    source: Option<u32>,
    /// Whether the text names no more than one rank.
    one_rank: bool,
    /// Whether the text names no more than one source.
    one_source: bool,
}

impl Writer {
    fn of(transcript: &Transcript, failure: Failure) -> Self {
        let prefix = transcript.line(failure.line).prefix;
        let ranks: BTreeSet<u32> = transcript.streams().iter().filter_map(|stream| stream.rank).collect();
        Self {
            rank: failure.rank.or(prefix.rank),
            source: prefix.source,
            one_rank: ranks.len() < 2,
            one_source: transcript.sources().len() < 2,
        }
    }

    fn wrote_line(&self, prefix: &Prefix) -> bool {
        self.wrote(prefix.rank, prefix.source)
    }

    /// Whether lines of that rank and source may be the writer's. Unmarked lines may be anyone's: tracebacks of ranks
    /// are marked in logs whose other lines are not.
    fn wrote(&self, rank: Option<u32>, source: Option<u32>) -> bool {
        let same = |own: Option<u32>, other: Option<u32>, only_one: bool| match (own, other) {
            (_, None) => true,
            (Some(own), Some(other)) => own == other,
            (None, Some(_)) => only_one,
        };
        same(self.rank, rank, self.one_rank) && same(self.source, source, self.one_source)
    }
}
