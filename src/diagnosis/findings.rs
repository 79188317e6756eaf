//! Every failure that a text reports, not only the first of them: what a scan of a long log counts.

use std::borrow::Cow;

use super::excuses::Excuse;
use super::primary::{self, Severity};
use super::{Library, Located};
use crate::book::schema::SignatureRole;
use crate::incident::Incident;
use crate::matching::Owner;
use crate::text::Transcript;

/// One failure on one line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Finding {
    /// The fault page, by its index in the book; `None` for an error without a page.
    pub(crate) fault: Option<usize>,
    /// Index of the transcript line.
    pub(crate) line: usize,
    /// The error of the incident that it belongs to.
    pub(crate) error: Option<usize>,
    /// What kind of statement it is.
    pub(crate) role: SignatureRole,
    /// Whether it ends a process or a step.
    pub(crate) is_fatal: bool,
    /// Whether the run went on after it.
    pub(crate) is_survived: bool,
    /// Whether it is the first by cause.
    pub(crate) is_primary: bool,
    pub(crate) rank: Option<u32>,
    /// Seconds on the transcript's clock.
    pub(crate) time: Option<f64>,
}

/// Every failure, by line. Of those that the text only mentions there is none.
pub(crate) fn findings(transcript: &Transcript, incident: &Incident, library: Library<'_>) -> Vec<Finding> {
    let located = Located::read(Cow::Borrowed(transcript), Cow::Borrowed(incident), library);
    let ordered = &located.ordered;
    let survived = ordered.excused.iter().filter(|excused| excused.excuse == Excuse::WentOn);
    let mut found: Vec<_> = match ordered.excused.is_empty() {
        true => primary::every(transcript, incident, &located.hits, library.book),
        false => survived.map(|excused| excused.candidate.clone()).collect(),
    };
    found.sort_by_key(|candidate| candidate.line);
    let finding = |candidate: primary::Candidate| Finding {
        is_primary: ordered.primary.as_ref() == Some(&candidate),
        fault: candidate.fault,
        line: candidate.line,
        error: candidate.error,
        role: candidate.role,
        is_fatal: candidate.severity >= Severity::Error,
        is_survived: !ordered.excused.is_empty(),
        rank: candidate.rank,
        time: candidate.time,
    };
    found.into_iter().map(finding).collect()
}

/// The pages of which lines by themselves may be evidence, sorted: what their signatures ask of the lines around is left
/// out.
pub(crate) fn possible_faults(transcript: &Transcript, incident: &Incident, library: Library<'_>) -> Vec<usize> {
    let mut faults = library.signatures.possible_faults(transcript);
    faults.extend(super::located::numbered(incident, library.book).into_iter().filter_map(|hit| match hit.owner {
        Owner::Fault(fault) => Some(fault),
        Owner::Notice(_) => None,
    }));
    faults.sort_unstable();
    faults.dedup();
    faults
}
