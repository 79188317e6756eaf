//! Errors without a page that a known failure explains: an exception below the status line that caused it, an abort
//! that only names an exception.
//!
//! Lines of known failures are kept sorted, so that each error needs one look-up instead of a scan of all failures.

use std::collections::HashMap;

use super::primary::{Candidate, Severity};
use crate::book::schema::SignatureRole;
use crate::incident::{ErrorEvent, Kind};

/// How many lines after a known failure an error without a page counts as its consequence.
const SHADOW: usize = 30;

/// The known failures of a text, by the lines that show them.
pub(super) struct Explanations {
    /// Lines of failures that are errors, of all streams.
    errors: Vec<usize>,
    /// For each stream the lines of such failures that are a cause.
    causes: HashMap<u32, Vec<usize>>,
    /// For each stream the first line of a failure or notice that is a cause.
    first_causes: HashMap<u32, usize>,
}

impl Explanations {
    /// Takes the known failures in the order of their lines.
    pub(super) fn of(known: &[Candidate]) -> Self {
        let is_error = |candidate: &&Candidate| candidate.severity >= Severity::Error;
        let errors = known.iter().filter(is_error).map(|candidate| candidate.line).collect();
        let mut causes: HashMap<u32, Vec<usize>> = HashMap::new();
        let mut first_causes = HashMap::new();
        for candidate in known.iter().filter(|candidate| candidate.role == SignatureRole::Cause) {
            first_causes.entry(candidate.stream).or_insert(candidate.line);
            if is_error(&candidate) {
                causes.entry(candidate.stream).or_default().push(candidate.line);
            }
        }
        Self { errors, causes, first_causes }
    }

    /// Whether one of them explains the error.
    pub(super) fn explain(&self, event: &ErrorEvent) -> bool {
        self.cause(event) || self.tell_the_rest_of(event)
    }

    /// Whether a known failure of the same writer is right above: a status line names what failed, the exception or
    /// abort after it only that something failed.
    fn cause(&self, event: &ErrorEvent) -> bool {
        /// Lines after an error that may still be its message, cut off by blank ones.
        const TAIL: usize = 6;
        let near = event.lines.start.saturating_sub(SHADOW)..=event.headline.max(event.lines.end + TAIL);
        if self.causes.get(&event.stream).is_some_and(|lines| any_in(lines, near)) {
            return true;
        }
        // "This job needs a GPU" after the framework reported none: the notice is the reason.
        let above = self.first_causes.get(&event.stream).is_some_and(|&line| line <= event.headline);
        above && {
            let message = event.message.to_ascii_lowercase();
            ["gpu", "cuda"].iter().any(|word| message.contains(word))
        }
    }

    /// Whether an error names an exception only, and a known failure has the rest: above it where C++ ends a process,
    /// on either side where Python shows an exception without words (Paddle prints its summary below).
    fn tell_the_rest_of(&self, event: &ErrorEvent) -> bool {
        let above = self.errors.first().is_some_and(|&line| line < event.headline);
        if above && event.message.starts_with("terminate called") {
            return true;
        }
        let wordless = event.message.is_empty() && event.kind == Kind::Python && event.type_name == "SystemError";
        wordless && any_in(&self.errors, event.headline.saturating_sub(SHADOW)..=event.headline + SHADOW)
    }
}

/// Whether one of the ascending `lines` is in `range`.
fn any_in(lines: &[usize], range: std::ops::RangeInclusive<usize>) -> bool {
    lines.get(lines.partition_point(|line| line < range.start())).is_some_and(|line| line <= range.end())
}
