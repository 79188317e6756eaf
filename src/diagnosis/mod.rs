//! From an incident to a diagnosis: primary failure, cascade, causes with reasons, fixes, next check, reports.
//!
//! Pure: whatever was read from disk or from the machine arrives in the arguments. Renderers decide nothing; they show
//! what is decided here.

mod actions;
mod alternatives;
mod answer;
mod budget;
pub(crate) mod capacity;
pub(crate) mod cascade;
pub(crate) mod conditions;
mod enrich;
pub(crate) mod evidence;
mod excuses;
mod explanations;
mod failure;
mod findings;
mod fixes;
mod judgement;
mod last_resort;
mod library;
mod likeliest;
mod likeness;
mod located;
mod measurable;
mod next_check;
mod own_command;
mod page;
pub mod picture;
#[cfg(test)]
mod platform_tests;
mod precedents;
mod primary;
mod reports;
mod resemblance;
mod searched;
mod second;
mod shell;
mod silent;
mod similar;
mod situation;
mod stated;
mod status;
mod terms;
#[cfg(test)]
mod tests;
mod unlisted;
mod weigh;
mod wheels;
#[cfg(any(feature = "cli", feature = "web"))]
mod why;
mod words;
mod writers;

pub use answer::{
    Action, CauseStatus, Consequence, Diagnosis, Fault, FrameRef, LikeCase, NearPage, NextCheck, NoticeHit,
    PrimaryError, ProbeSummary, RankedCause, Reason, ReportHit, Verdict,
};
pub use evidence::{Evidence, EvidenceLine, LineKind};
pub(crate) use findings::{Finding, findings, possible_faults};
pub use library::{Candidate as FoundReport, Library, NoReports, Query, Search};
pub(crate) use located::{Located, locate};
pub use precedents::Solved;
pub use stated::stated;
pub use weigh::{MOST_FROM_TEXT, none_of_these};
#[cfg(any(feature = "cli", feature = "web"))]
pub(crate) use why::{Why, WhyCause, why};

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::book::Book;
use crate::facts::Facts;
use crate::incident::{self, Failure, Incident, Post};
use crate::matching::{Hit, Owner};
use crate::text::Transcript;
use conditions::Conditions;
use failure::{error_of, fault_of};
use page::Explaining;
use primary::Candidate;
use situation::Situation;

/// What was measured on the machine, and how.
#[derive(Debug, Clone, Default)]
pub struct Measured {
    /// The facts; empty when nothing was measured.
    pub facts: Facts,
    /// How, for the answer; `None` when nothing was measured.
    pub summary: Option<ProbeSummary>,
}

/// Diagnoses a cleaned and read text.
pub fn diagnose(transcript: &Transcript, incident: &Incident, library: Library<'_>, measured: &Measured) -> Diagnosis {
    locate(transcript, incident, library).diagnose(measured)
}

fn explain(located: &Located<'_>, measured: &Measured) -> Diagnosis {
    let Located { library, hits, ordered, .. } = located;
    let (transcript, incident) = (located.transcript.as_ref(), located.incident.as_ref());
    let (library, book) = (*library, library.book);
    let mut facts = facts_of(transcript, incident, ordered.primary.as_ref());
    let failing = failing_lines(incident, ordered.primary.as_ref());
    if !measured.facts.is_empty() {
        // Of a machine with GPUs of several vendors, the text decides whose facts count.
        let mut stated = facts.clone();
        Situation::of(transcript, incident, &failing, &stated).record(&mut stated);
        match stated.text("gpu.vendor") {
            Some(vendor) => facts.merge(&measured.facts.for_vendor(vendor)),
            None => facts.merge(&measured.facts),
        }
    }

    let matching = reports::matching(transcript, incident, ordered.primary.as_ref(), library, &facts);
    reports::inherit_environment(&matching, &mut facts);
    let situation = Situation::of(transcript, incident, &failing, &facts);
    situation.record(&mut facts);
    enrich::from_catalogue(&mut facts, book);
    let primary = ordered.primary.as_ref();
    let likeliest = primary.and_then(|primary| likeliest::page(transcript, incident, primary, book));
    if let Some(page) = located.fault().or(likeliest.map(|(page, _)| page)) {
        wheels::add(book.fault(page), transcript, book, &mut facts);
    }

    let conditions = Conditions::new(&facts);
    let explaining = Explaining {
        transcript,
        incident,
        library,
        conditions: &conditions,
        facts: &facts,
        situation: &situation,
        matching: &matching,
        compared: OnceCell::new(),
    };
    let mut diagnosis = Diagnosis {
        verdict: Verdict::NoError,
        fault: None,
        cascade: Vec::new(),
        error: None,
        causes: Vec::new(),
        actions: Vec::new(),
        like_cases: Vec::new(),
        next_check: None,
        reports: reports::shown(&matching),
        nearest: Vec::new(),
        silent: Vec::new(),
        notices: notices(transcript, hits, book),
        environment: Facts::default(),
        probe: measured.summary.clone(),
        lines_read: transcript.physical_lines(),
        notes: transcript.notes().to_vec(),
        picture: None,
    };
    if let Some(primary) = &ordered.primary {
        diagnosis.error = Some(error_of(transcript, incident, primary));
        diagnosis.cascade = cascade::consequences(transcript, incident, primary, &ordered.others, book);
        match primary.fault {
            Some(index) => {
                diagnosis.verdict = match book.faults[index].matter().ordinary {
                    true => Verdict::OrdinaryError,
                    false => Verdict::KnownFault,
                };
                diagnosis.fault = Some(fault_of(transcript, &facts, primary, &ordered.others, book, index));
                let page = explaining.page(primary, index);
                diagnosis.causes = page.causes;
                diagnosis.actions = page.actions;
                diagnosis.like_cases = page.like_cases;
                diagnosis.next_check = next_check::next_check(&diagnosis.causes);
                diagnosis.notes.extend(budget::note(&facts, &diagnosis.causes));
                stated::state(&mut diagnosis.causes);
            }
            None => {
                diagnosis.verdict = Verdict::UnlistedError;
                let failing = unlisted::Failing::of(transcript, incident, primary);
                diagnosis.actions = unlisted::actions(failing, transcript, incident, &facts, &situation, book);
                let mut own = OF_MESSAGE;
                if let Some((index, score)) = likeliest {
                    let entry = &book.faults[index];
                    let of_page = likeliest::actions(explaining.page(primary, index).actions, &entry.id);
                    diagnosis.actions.splice(0..0, of_page);
                    own = likeliest::MOST;
                    let title = entry.matter().title.clone();
                    diagnosis.nearest = vec![NearPage { id: entry.id.clone(), title, score }];
                } else if primary.described().is_none() {
                    // The words of a description are near to many pages, and it has advice of its own.
                    diagnosis.nearest = nearest(transcript, incident, primary, library);
                }
                similar::add(&mut diagnosis.actions, own, &explaining, primary);
            }
        }
    } else {
        diagnosis.notes.extend(excuses::notes(transcript, &ordered.excused, book));
        if diagnosis.notes.is_empty()
            && diagnosis.notices.is_empty()
            && Post::of(transcript, incident).is_some_and(Post::is_only_told)
        {
            diagnosis.notes.push(TELL_MORE.to_owned());
        }
    }
    if ordered.primary.is_none()
        && diagnosis.reports.iter().all(|report| report.score < reports::WORTH_SHOWING_WITHOUT_AN_ERROR)
    {
        diagnosis.reports.clear();
    }
    terms::of_vendor(&mut diagnosis, &facts);
    drop(conditions);
    let is_told = |it: &Candidate| it.is_described() || it.fault.is_none() && it.error.is_none();
    let no_message = ordered.primary.as_ref().is_none_or(is_told);
    diagnosis.silent = silent::candidates(transcript, incident, &facts, book, no_message);
    diagnosis.environment = facts;
    diagnosis
}

/// Actions for the very message of an error without a page that come before what helped with similar words.
const OF_MESSAGE: usize = 2;

/// The facts of the text: around its first failure, and everywhere.
fn facts_of(transcript: &Transcript, incident: &Incident, primary: Option<&Candidate>) -> Facts {
    let Some(primary) = primary else { return incident.facts.clone() };
    let failure = Failure { line: primary.line, error: primary.error, rank: primary.rank };
    let mut facts = incident::around(transcript, incident, failure);
    // The numbers of an out-of-memory error come from one message, not from parts of several.
    let own_message = facts.iter().any(|(name, _)| name.starts_with(OOM));
    facts.merge_some(&incident.facts, |name| !(own_message && name.starts_with(OOM)));
    facts
}

/// The group of facts in an out-of-memory message.
const OOM: &str = "oom.";

/// What somebody reads whose sentences report nothing that is recognized.
const TELL_MORE: &str = "no message of a program is in this text; if something is wrong, add the last lines that it printed, \
                         or say what you expected and what came instead";

/// The lines of the first failure.
fn failing_lines(incident: &Incident, primary: Option<&Candidate>) -> Range<usize> {
    let Some(primary) = primary else { return 0..0 };
    primary.error.map_or(primary.line..primary.line + 1, |error| incident.errors[error].lines.clone())
}

/// Harmless lines, each once with its count.
fn notices(transcript: &Transcript, hits: &[Hit], book: &Book) -> Vec<NoticeHit> {
    let mut counts: BTreeMap<usize, (u32, usize)> = BTreeMap::new();
    for hit in hits {
        if let Owner::Notice(index) = hit.owner {
            counts.entry(index).or_insert((transcript.line(hit.line).number, 0)).1 += 1;
        }
    }
    let mut notices: Vec<NoticeHit> = counts
        .into_iter()
        .map(|(index, (line, count))| NoticeHit { title: book.notices[index].title.clone(), line, count })
        .collect();
    notices.sort_by_key(|notice| notice.line);
    notices
}

/// Pages whose words resemble an error that has no page.
fn nearest(transcript: &Transcript, incident: &Incident, primary: &Candidate, library: Library<'_>) -> Vec<NearPage> {
    let error = error_of(transcript, incident, primary);
    let words = format!("{} {}", error.type_name, error.message);
    library.search.pages(&words)
}
