//! Which of the failures in a text came first, by cause and not by line, and what followed from it.
//!
//! Candidates are the signature hits and the fatal errors that no signature explains. They are compared by a fixed list
//! of criteria (`Rank`), and last by the book's `explains`: a page that explains another one is the primary of the two,
//! wherever it appears.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::excuses::{self, Excused};
use super::explanations::Explanations;
use super::writers::Writers;
use crate::book::Book;
use crate::book::schema::SignatureRole;
use crate::incident::{ErrorEvent, Incident, Kind, is_conditional, is_step, is_written};
use crate::matching::{Hit, Origin, Owner};
use crate::text::{Level, Line, Transcript, small};
use crate::wording;

/// One failure that the text may be about.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    /// The fault page, or `None` for an error without a page.
    pub fault: Option<usize>,
    /// Index of the transcript line that shows it.
    pub line: usize,
    /// Where the words begin in that line, in bytes.
    pub at: u32,
    /// The error of the incident it belongs to.
    pub error: Option<usize>,
    /// What kind of statement it is.
    pub role: SignatureRole,
    /// How severe it is.
    pub severity: Severity,
    /// Written by a page's author or implied by a code table.
    pub origin: Origin,
    /// The length of its literals: longer ones are more specific.
    pub specificity: u32,
    /// The writer's rank.
    pub rank: Option<u32>,
    /// Index of the transcript's stream.
    pub stream: u32,
    /// Seconds on the transcript's clock.
    pub time: Option<f64>,
    /// What the writer's words say, where no message reports it; in a box, because only the primary failure can have it.
    pub words: Option<Box<Words>>,
}

/// What somebody's words say of a failure.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Words {
    /// The kind of problem that the sentences describe.
    pub described: Option<&'static str>,
    /// The cause that the words of a symptom speak for.
    pub cause: Option<&'static str>,
}

impl Candidate {
    /// A failure on a line, with the error of the incident that it belongs to.
    #[cfg(test)]
    pub(super) fn at(line: usize, error: Option<usize>) -> Self {
        Self {
            fault: None,
            line,
            at: 0,
            error,
            role: SignatureRole::Cause,
            severity: Severity::Fatal,
            origin: Origin::Page,
            specificity: 0,
            rank: None,
            stream: 0,
            time: None,
            words: None,
        }
    }

    /// The kind of problem that the writer's sentences describe.
    pub(super) fn described(&self) -> Option<&'static str> {
        self.words.as_ref()?.described
    }

    /// The cause that the words of a symptom speak for.
    pub(super) fn cause(&self) -> Option<&'static str> {
        self.words.as_ref()?.cause
    }

    /// Whether somebody describes a symptom, and no message reports a failure.
    pub(super) fn is_described(&self) -> bool {
        self.described().is_some()
            || self.fault.is_some()
                && self.error.is_none()
                && self.role == SignatureRole::Symptom
                && self.severity == Severity::Notice
    }
}

/// How severe a failure is for its process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Severity {
    /// A notice that a run survives.
    Notice,
    /// A logged warning or information.
    Logged,
    /// An error that does not end the process by itself.
    Error,
    /// The process, or the step, ended here.
    Fatal,
}

/// The failures of a text, primary first.
#[derive(Debug, Clone, Default)]
pub(super) struct Ordered {
    /// The primary failure.
    pub primary: Option<Candidate>,
    /// Other faults, in the order of the text, one per page.
    pub others: Vec<Candidate>,
    /// What would be the failures, had not all of them an excuse.
    pub excused: Vec<Excused>,
}

/// Orders the failures of a text.
pub(super) fn order(transcript: &Transcript, incident: &Incident, hits: &[Hit], book: &Book) -> Ordered {
    let candidates = every(transcript, incident, hits, book);
    let excused = excuses::of(transcript, incident, &candidates, book);
    if !excused.is_empty() {
        return Ordered { excused, ..Ordered::default() };
    }
    let clocked = every_stream_has_a_clock(&candidates);
    let failed_first = incident.facts.number("rank.failed").map(|rank| rank as u32);
    let ordinary = |candidate: &Candidate| candidate.fault.is_some_and(|fault| book.faults[fault].matter().ordinary);
    let rank = |candidate: &Candidate| rank(candidate, ordinary(candidate), clocked, failed_first);
    let Some(primary) = primary(&candidates, rank, book) else { return Ordered::default() };
    let others = others(transcript, &candidates, primary, rank);
    Ordered { primary: Some(primary.clone()), others, excused: Vec::new() }
}

/// All failures of a text, in no particular order.
pub(super) fn every(transcript: &Transcript, incident: &Incident, hits: &[Hit], book: &Book) -> Vec<Candidate> {
    let mut candidates = known(transcript, incident, hits, book);
    add_unlisted(incident, &mut candidates);
    candidates
}

/// The criteria that decide between two candidates, the most important first; the smaller key wins.
///
/// Known cases force this order: a collective time-out is never the first failure where a rank has one of its own
/// (role); TensorFlow's start-up notices come before a loss that became NaN (severity); an exception outside the
/// book in one of two independent processes does not hide a known fault in the other (known); an optional import that
/// fails does not hide a fault of the GPU (ordinary), but one rank's mistake comes before the broken connections that the
/// others report.
fn rank(candidate: &Candidate, ordinary: bool, clocked: bool, failed_first: Option<u32>) -> impl Ord + use<> {
    let moment = match candidate.time {
        Some(time) if clocked => (time * 1e3) as i64,
        _ => 0,
    };
    (
        Reverse(candidate.role),
        Reverse(candidate.severity),
        candidate.fault.is_none(),
        if candidate.role == SignatureRole::Symptom { !ordinary } else { ordinary },
        moment,
        failed_first.is_some() && candidate.rank != failed_first && !clocked,
        candidate.line,
        Reverse((candidate.origin, candidate.specificity)),
        candidate.error,
    )
}

/// One candidate per hit on a fault page; of several hits on one line the author's longest one is kept.
fn known(transcript: &Transcript, incident: &Incident, hits: &[Hit], book: &Book) -> Vec<Candidate> {
    let mut writers = Writers::new(transcript, &incident.errors);
    let mut candidates: Vec<Candidate> = Vec::new();
    for hit in hits {
        let Owner::Fault(fault) = hit.owner else { continue };
        let line = transcript.line(hit.line);
        let stream = writers.stream_of(hit.line);
        let error = writers.error_at(hit.line);
        let event = error.map(|index| &incident.errors[index]);
        // Trainers log as information that their loss is no number.
        let of_metrics = || wording::metrics().areas.contains(&book.faults[fault].area.as_str());
        let is_metric = line.prefix.level.is_some() && is_step(line.text) && of_metrics();
        let talk = || {
            is_talk(&writers, &line) && !is_metric
                || is_conditional(line.text)
                || (line.prefix.level.is_none() && is_written(line.text))
        };
        if event.is_none() && hit.fatal && talk() {
            continue;
        }
        let candidate = Candidate {
            fault: Some(fault),
            line: hit.line,
            at: hit.at,
            error,
            role: hit.standing,
            severity: severity(hit, event, line.prefix.level.filter(|_| !is_metric)),
            origin: hit.origin,
            specificity: hit.specificity,
            rank: line.prefix.rank.or(event.and_then(|event| event.rank)),
            stream,
            time: line.prefix.time.or(event.and_then(|event| event.time)),
            words: None,
        };
        match candidates.last_mut().filter(|last| last.line == hit.line) {
            Some(last) if followed(line.text, last, &candidate) => {}
            Some(last) if !followed(line.text, &candidate, last) && better_on_line(last, &candidate) => {}
            Some(last) => *last = candidate,
            None => candidates.push(candidate),
        }
    }
    candidates
}

/// Whether a line only mentions a failure: logged as information ("out of memory retries: 0"), or as a warning
/// after which the same writer continues as before ("does not fit, halving the batch"). A logged exception is an error
/// of the incident and never gets here.
fn is_talk(writers: &Writers<'_>, line: &Line<'_>) -> bool {
    match line.prefix.level {
        Some(Level::Debug | Level::Info) => true,
        Some(Level::Warning) => writers.goes_on_after(line.index),
        _ => false,
    }
}

/// Whether `old` describes their common line better than `new`.
fn better_on_line(old: &Candidate, new: &Candidate) -> bool {
    (old.role, old.origin, old.specificity) >= (new.role, new.origin, new.specificity)
}

/// Whether the words between two messages on a line say that the second one came later: "and right after it".
fn followed(line: &str, first: &Candidate, second: &Candidate) -> bool {
    let between = line.get(first.at as usize..second.at as usize).unwrap_or_default();
    // Most lines have one message, or two of which one is a part of the other.
    const SHORTEST: usize = 16;
    let says_so = || {
        let between = between.to_lowercase();
        wording::writing().afterwards.iter().any(|words| between.contains(words))
    };
    between.len() >= SHORTEST && first.role == second.role && says_so()
}

fn severity(hit: &Hit, event: Option<&ErrorEvent>, level: Option<Level>) -> Severity {
    match (hit.fatal, event) {
        (false, _) => Severity::Notice,
        (true, Some(event)) if event.fatal => Severity::Fatal,
        (true, Some(_)) => Severity::Error,
        (true, None) => match level {
            Some(Level::Fatal) => Severity::Fatal,
            Some(Level::Error) | None => Severity::Error,
            Some(_) => Severity::Logged,
        },
    }
}

/// Adds fatal errors that share no chain with a known fault.
fn add_unlisted(incident: &Incident, candidates: &mut Vec<Candidate>) {
    let chains = chains(incident);
    let mut explained = vec![false; chains.len()];
    for error in candidates.iter().filter_map(|candidate| candidate.error) {
        explained[chains[error] as usize] = true;
    }
    let known = Explanations::of(candidates);
    for (index, event) in incident.errors.iter().enumerate() {
        let own = matches!(event.kind, Kind::Python | Kind::Native | Kind::Signal | Kind::Status | Kind::Tool);
        if !own || explained[chains[index] as usize] || is_request_to_stop(event) {
            continue;
        }
        if (!event.fatal && event.kind != Kind::Python) || known.explain(event) {
            continue;
        }
        candidates.push(Candidate {
            fault: None,
            line: event.headline,
            at: 0,
            error: Some(index),
            role: SignatureRole::Cause,
            severity: if event.fatal { Severity::Fatal } else { Severity::Logged },
            origin: Origin::Page,
            specificity: 0,
            rank: event.rank,
            stream: event.stream,
            time: event.time,
            words: None,
        });
    }
}

/// A user's or a scheduler's request to stop is not a failure of the program.
pub(super) fn is_request_to_stop(event: &ErrorEvent) -> bool {
    matches!(event.type_name.as_str(), "KeyboardInterrupt" | "SystemExit")
        || event.type_name.ends_with("SignalException")
}

/// For each error the index of the first error of its chain.
pub(super) fn chains(incident: &Incident) -> Vec<u32> {
    let mut roots: Vec<u32> = Vec::with_capacity(incident.errors.len());
    for (index, event) in incident.errors.iter().enumerate() {
        let root = match event.follows {
            Some((before, _)) if before < index => roots[before],
            _ => small(index),
        };
        roots.push(root);
    }
    roots
}

/// The first of the candidates, or the root page to which `explains` leads from it, visiting each page at most once.
fn primary<'c, K: Ord>(
    candidates: &'c [Candidate],
    rank: impl Fn(&Candidate) -> K,
    book: &Book,
) -> Option<&'c Candidate> {
    let mut primary = candidates.iter().min_by_key(|candidate| rank(candidate))?;
    let mut visited = BTreeSet::new();
    while let Some(fault) = primary.fault {
        if !visited.insert(fault) {
            break;
        }
        let id = book.faults[fault].id.as_str();
        let explains = |page: usize| page != fault && book.faults[page].matter().explains.iter().any(|it| it == id);
        let roots =
            candidates.iter().filter(|other| other.severity > Severity::Notice && other.fault.is_some_and(explains));
        match roots.min_by_key(|candidate| rank(candidate)) {
            Some(root) => primary = root,
            None => break,
        }
    }
    Some(primary)
}

/// The other faults, one per page, in the order of the text.
fn others<K: Ord>(
    transcript: &Transcript,
    candidates: &[Candidate],
    first: &Candidate,
    rank: impl Fn(&Candidate) -> K,
) -> Vec<Candidate> {
    let words = |line: usize| transcript.line(line).text.trim();
    let mut others: BTreeMap<usize, &Candidate> = BTreeMap::new();
    for candidate in candidates {
        // The same fault repeated in another error of the text (a teardown, another rank) is worth one line.
        let repeated = || {
            candidate.error != first.error && candidate.line > first.line && words(candidate.line) != words(first.line)
        };
        let Some(fault) = candidate.fault.filter(|_| candidate.line != first.line) else { continue };
        if others.get(&fault).is_some_and(|known| (known.line, rank(known)) <= (candidate.line, rank(candidate)))
            || candidate.fault == first.fault && !repeated()
        {
            continue;
        }
        others.insert(fault, candidate);
    }
    let mut others: Vec<&Candidate> = others.into_values().collect();
    others.sort_by_key(|candidate| (candidate.line, rank(candidate)));
    others.into_iter().cloned().collect()
}

fn every_stream_has_a_clock(candidates: &[Candidate]) -> bool {
    let streams: BTreeSet<u32> = candidates.iter().map(|candidate| candidate.stream).collect();
    streams.len() > 1 && candidates.iter().all(|candidate| candidate.time.is_some())
}
