//! What followed from the primary failure, and how it is known that it did.

use super::Consequence;
use super::failure::span_of;
use super::primary::{Candidate, chains};
use crate::book::Book;
use crate::book::schema::SignatureRole;
use crate::incident::{ErrorEvent, Incident, Link};
use crate::text::Transcript;

/// The other faults of a text, each with the reason why it counts as a consequence.
pub(super) fn consequences(
    transcript: &Transcript,
    incident: &Incident,
    primary: &Candidate,
    others: &[Candidate],
    book: &Book,
) -> Vec<Consequence> {
    let chains = chains(incident);
    others
        .iter()
        .filter_map(|other| {
            let entry = &book.faults[other.fault?];
            Some(Consequence {
                id: entry.id.clone(),
                title: entry.matter().title.clone(),
                span: span_of(transcript, other.line),
                text: transcript.line(other.line).text.trim().to_owned(),
                why: relation(incident, &chains, primary, other).to_owned(),
            })
        })
        .collect()
}

/// Of a line that tells of the primary failure again.
pub(crate) const REPEATED: &str = "the same failure, repeated";

/// Of a line above the primary failure that ended nothing.
pub(crate) const BEFORE: &str = "printed before, the run went on";

/// Why `other` counts as a consequence of `primary`, in words. `chains` gives each error the first one of its chain.
fn relation(incident: &Incident, chains: &[u32], primary: &Candidate, other: &Candidate) -> &'static str {
    if other.fault == primary.fault {
        return REPEATED;
    }
    let chained = match (primary.error, other.error) {
        (Some(a), Some(b)) => chains[a] == chains[b],
        _ => false,
    };
    let event = other.error.map(|error| &incident.errors[error]);
    let link = event.and_then(|event| event.follows).map(|(_, link)| link);
    if other.line > primary.line && event.is_some_and(at_teardown) {
        return "at teardown";
    }
    match (chained, link) {
        (true, Some(Link::During)) => "raised while the first error was being handled",
        (true, Some(Link::Cause)) => "raised because of the first error",
        (true, Some(Link::Repeated)) => "the same error told again",
        (true, _) => "in the same chain of errors",
        _ if other.rank.is_some() && other.rank != primary.rank => "on another rank",
        _ if other.role < SignatureRole::Cause => "printed because something else failed first",
        _ if other.line < primary.line => BEFORE,
        _ => "printed afterwards",
    }
}

/// Whether an error was raised while the run was being taken down: by a trainer's clean-up, a destructor, an exit hook.
fn at_teardown(event: &ErrorEvent) -> bool {
    const NAMES: [&str; 8] = [
        "teardown",
        "optimizer_to_device",
        "optimizers_to_device",
        "batch_to",
        "__del__",
        "atexit",
        "shutdown",
        "cleanup",
    ];
    event.frames.iter().any(|frame| NAMES.iter().any(|name| frame.function.contains(name)))
}
