//! Texts that hold the words of failures and report none: a question about a message, a note that it is solved, a run
//! that got over it, a program that goes on without a GPU where none is wanted.
//!
//! A text is excused as a whole or not at all: one failure that has no excuse, and all of them count.

use std::cell::OnceCell;

use super::judgement::{self, Outlook};
use super::primary::{Candidate, Severity};
use crate::book::Book;
use crate::book::schema::SignatureRole;
use crate::facts::Facts;
use crate::incident::{self, Incident, Post, Stance, describes_a_change, is_output, may_be_over, went_on};
use crate::text::Transcript;
use crate::wording;

/// Why a failure does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Excuse {
    /// The text speaks of it, and does not report it.
    Mentioned,
    /// The run got over it.
    WentOn,
    /// The program goes on without a GPU, as it should.
    NoGpuWanted,
    /// The post as a whole reads like those of people for whom nothing failed.
    ReadsWell,
}

/// A failure that does not count, and why.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Excused {
    pub(super) candidate: Candidate,
    pub(super) excuse: Excuse,
}

/// Why none of the candidates counts; nothing if one does.
pub(super) fn of(transcript: &Transcript, incident: &Incident, candidates: &[Candidate], book: &Book) -> Vec<Excused> {
    if candidates.is_empty() {
        return Vec::new();
    }
    let by_words = by_words(transcript, incident, candidates, book);
    if !by_words.is_empty() {
        return by_words;
    }
    let known = judgement::Known {
        has_page: candidates.iter().any(|candidate| candidate.fault.is_some()),
        complains: candidates.iter().any(is_complaint) || compares(&incident.facts),
        tells: candidates.iter().any(|candidate| tells_own(candidate, transcript)),
    };
    let is_well = Post::of(transcript, incident).is_some_and(|post| judgement::is_well(post, known));
    if is_well { excused(candidates, Excuse::ReadsWell) } else { Vec::new() }
}

/// Whether the writer tells of it in the first person, and does not ask.
fn tells_own(candidate: &Candidate, transcript: &Transcript) -> bool {
    let line = transcript.line(candidate.line).text;
    let mut sentences = line.split_inclusive(['.', '?', '!']);
    let mut ends = 0;
    let sentence = sentences.find(|sentence| {
        ends += sentence.len();
        ends > candidate.at as usize
    });
    let is_own = |word: &str| matches!(word, "I" | "i" | "my" | "My" | "we" | "We" | "our" | "me");
    let own = |sentence: &str| sentence.split(|letter: char| !letter.is_alphanumeric()).any(is_own);
    sentence.is_some_and(|sentence| !sentence.ends_with('?') && own(sentence))
}

/// Whether a wording of a complaint reports it.
fn is_complaint(candidate: &Candidate) -> bool {
    candidate.words.as_ref().is_some_and(|words| words.described.is_none())
}

/// Whether the writer says that it works elsewhere, or since when it does not.
fn compares(facts: &Facts) -> bool {
    says_since_when(facts) || said(facts).any(|said| said.starts_with("works_"))
}

/// Whether the writer says since when it does not work.
pub(super) fn says_since_when(facts: &Facts) -> bool {
    said(facts).any(|said| said.starts_with("began_with_"))
}

/// The names of what the writer says.
fn said(facts: &Facts) -> impl Iterator<Item = &str> {
    facts.iter().filter_map(|(name, _)| name.strip_prefix("writer."))
}

fn excused(candidates: &[Candidate], excuse: Excuse) -> Vec<Excused> {
    candidates.iter().map(|candidate| Excused { candidate: candidate.clone(), excuse }).collect()
}

/// The same by what its sentences say of each.
fn by_words(transcript: &Transcript, incident: &Incident, candidates: &[Candidate], book: &Book) -> Vec<Excused> {
    /// A text that reports more failures is no mention, and no run survives so many.
    const MOST: usize = 64;
    if candidates.len() > MOST {
        return Vec::new();
    }
    if describes_a_change(transcript, incident) {
        return excused(candidates, Excuse::Mentioned);
    }
    let asked = Asked::default();
    let excused = candidates.iter().map(|candidate| {
        let excuse = excuse(transcript, incident, candidate, book, &asked)?;
        Some(Excused { candidate: candidate.clone(), excuse })
    });
    excused.collect::<Option<_>>().unwrap_or_default()
}

/// What is asked of the whole text, once and only where it matters.
#[derive(Default)]
struct Asked<'t> {
    stance: OnceCell<Stance>,
    outlook: OnceCell<Option<Outlook<'t>>>,
}

fn excuse<'t>(
    transcript: &'t Transcript,
    incident: &'t Incident,
    candidate: &Candidate,
    book: &Book,
    asked: &Asked<'t>,
) -> Option<Excuse> {
    let event = candidate.error.map(|error| &incident.errors[error]);
    let lines = event.map_or(candidate.line..candidate.line + 1, |event| event.lines.clone());
    let is_notice = candidate.severity <= Severity::Logged;
    let survived = || went_on(transcript, incident, &lines, is_notice);
    // The usual text ends with its error: nothing else is looked at.
    let traced = event.is_some_and(|event| !event.frames.is_empty());
    let printed = traced || !is_notice && is_output(&transcript.line(candidate.line), incident);
    let ends_it = printed && !survived();
    let last = lines.end - 1;
    if ends_it && (traced || !may_be_over(transcript, incident, last)) {
        return None;
    }
    let stance = asked.stance.get_or_init(|| Stance::of(transcript, incident));
    if stance.is_settled(last) {
        return Some(Excuse::Mentioned);
    }
    if stance.has_it || ends_it {
        return None;
    }
    let loses_gpu = candidate
        .fault
        .is_some_and(|fault| wording::mentions().without_gpu_areas.contains(&book.faults[fault].area.as_str()));
    let is_symptom = candidate.role == SignatureRole::Symptom && candidate.fault.is_some();
    let no_gpu = stance.wants_no_gpu || stance.runs_off_gpu && !is_symptom;
    if is_notice && no_gpu && (loses_gpu || candidate.fault.is_none()) {
        return Some(Excuse::NoGpuWanted);
    }
    if !is_symptom && !loses_gpu && survived() {
        return Some(Excuse::WentOn);
    }
    // A complaint may be worded as a question, and a message may be quoted in one.
    let outlook = || *asked.outlook.get_or_init(|| Post::of(transcript, incident).and_then(Outlook::of));
    let is_reported = || match is_complaint(candidate) {
        true => outlook().is_some_and(Outlook::is_unwell),
        false => {
            outlook().is_some_and(Outlook::is_surely_unwell)
                && incident::description(transcript, incident).is_some_and(|it| judgement::is_report(&it))
        }
    };
    let only_mentions = || {
        let line = transcript.line(candidate.line).text;
        // Whoever complains may ask something else on the same line.
        stance.only_mentions(if is_complaint(candidate) { incident::complaining_sentence(line) } else { line })
    };
    if is_notice && stance.run_is_fine || only_mentions() && !is_reported() {
        return Some(Excuse::Mentioned);
    }
    None
}

/// What the answer says about failures that do not count.
pub(super) fn notes(transcript: &Transcript, excused: &[Excused], book: &Book) -> Vec<String> {
    /// More would bury the answer.
    const MOST: usize = 3;
    let mut seen = Vec::new();
    let mut notes = Vec::new();
    for Excused { candidate, excuse } in excused {
        let Some(fault) = candidate.fault.filter(|fault| !seen.contains(fault)) else { continue };
        seen.push(fault);
        let entry = &book.faults[fault];
        let line = transcript.line(candidate.line).number;
        let (does, so) = match excuse {
            Excuse::Mentioned => ("mentions", "the text does not report it as a failure"),
            Excuse::WentOn => ("reports", "the run went on"),
            Excuse::NoGpuWanted => ("reports", "the run needs no GPU"),
            Excuse::ReadsWell => ("mentions", "the text reads as if nothing had failed"),
        };
        notes.push(format!("line {line} {does} {}, but {so}; `faultbook show {}` explains it", entry.id, entry.id));
    }
    notes.truncate(MOST);
    notes
}
