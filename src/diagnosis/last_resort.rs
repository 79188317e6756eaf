//! What failed where the book knows no message: the writer's complaint, what the sentences describe, or a line that reports a
//! failure in words of its own.

use std::collections::BTreeSet;

use super::conditions::Conditions;
use super::enrich;
use super::primary::{Candidate, Severity, Words, is_request_to_stop};
use super::unlisted::{self, Failing, reporting_line};
use super::writers::Writers;
use crate::book::Book;
use crate::book::schema::SignatureRole;
use crate::condition::Condition;
use crate::incident::{self, Complaint, Description, Incident, Kind, Meant, Title};
use crate::matching::{Hit, Origin};
use crate::text::Transcript;

/// Sentences whose probability to describe no problem is below this are a report, and above `NO_PROBLEM` none. Chosen on the
/// open threads (`tests/threads/open.jsonl`): of its 1,113 texts, 1.6 % of the problems are missed now, and 10.4 % of those that no
/// page is about are taken for a fault.
const A_PROBLEM: f32 = 0.25;
const NO_PROBLEM: f32 = 0.93;

/// The same where nothing is asked.
const A_PROBLEM_TOLD: f32 = 0.05;

/// How probable it may be that a report of a problem describes none.
fn most(description: &Description) -> f32 {
    if description.described.asks { A_PROBLEM } else { A_PROBLEM_TOLD }
}

/// The same by letters and words alone, which know what no concept names: a report below the first, none above the second.
const A_PROBLEM_BY_LETTERS: f32 = 0.05;
const NO_PROBLEM_BY_LETTERS: f32 = 0.9;

/// What nothing else recognizes is a problem if both models find that likelier: who has one and reads "no failure found" is sent
/// away.
const MAYBE_NONE: f32 = 0.4;
const MAYBE_NONE_BY_LETTERS: f32 = 0.2;
/// The same of a few words.
const HARDLY_NONE: f32 = 0.08;

/// Below this in both models, there is a problem; below the second, although "stable diffusion" has a word of what is none.
const SURELY_A_PROBLEM: f32 = 0.1;
const CERTAINLY_A_PROBLEM: f32 = 0.008;

/// A kind of problem that is less probable than this is not named.
const A_KIND: f32 = 0.3;
/// A page is not opened for a kind that is less probable.
const A_PAGE: f32 = 0.12;
/// The same for a kind with a page where little else is said, and for one against which a wording speaks.
const SURELY_A_KIND: f32 = 0.6;

/// A text with fewer concepts is a search for words.
const FEWEST_FOR_A_PROBLEM: usize = 2;

/// Fewer concepts say too little of the kind.
const FEWEST_CONCEPTS: usize = 3;

/// An error without a page as the page whose symptom its message names; otherwise what the writer complains of, where
/// that is not what the error says.
pub(super) fn by_symptom(unlisted: Candidate, transcript: &Transcript, incident: &Incident, book: &Book) -> Candidate {
    let Some(event) = unlisted.error.map(|error| &incident.errors[error]) else { return unlisted };
    let message = format!("{}: {}", event.type_name, event.message.replace('\n', " "));
    if let Some(meant) = incident::symptom_of_message(message.trim_start_matches(": ")) {
        return of_symptom(unlisted, meant, book);
    }
    let unlisted = of_its_page(unlisted, transcript, incident, book);
    if unlisted.fault.is_some() {
        return unlisted;
    }
    let explained = event.kind == Kind::Python && event.fatal;
    match incident::complaint(transcript, incident) {
        Some(complaint) if complaint.despite || !explained => complained(complaint, transcript, incident, book),
        _ => unlisted,
    }
}

/// The failure that the writer or some line reports in words of its own, where nothing else was found.
pub(super) fn last_resort(
    transcript: &Transcript,
    incident: &Incident,
    hits: &[Hit],
    book: &Book,
) -> Option<Candidate> {
    let description = incident::description(transcript, incident);
    let is_none = description.is_some_and(|it| {
        it.described.by_person && it.described.no_problem > NO_PROBLEM
            || it.no_problem.is_some_and(|none| none > NO_PROBLEM_BY_LETTERS)
    });
    if let Some(conflict) = conflict(transcript, incident, book).filter(|_| !is_none) {
        return Some(conflict);
    }
    // A line that an entry explains says more than one that only sounds like a failure.
    let explained_line = reporting_line(transcript, incident);
    if let Some(complaint) = incident::complaint(transcript, incident)
        && !is_none
        && (complaint.despite || explained_line.is_none())
    {
        // A wording that names a cause is more precise than all words together.
        let other = description.filter(|_| complaint.meant.cause.is_none()).filter(|it| {
            let described = &it.described;
            ![described.kind, described.second].contains(&complaint.meant.fault)
                && book.find(described.kind).is_some()
                && described.probability > SURELY_A_KIND
                && is_sure(it)
        });
        if let Some(other) = other {
            return Some(self::described(&other, transcript, incident, book));
        }
        return Some(complained(complaint, transcript, incident, book));
    }
    let explained: BTreeSet<usize> = hits.iter().map(|hit| hit.line).collect();
    let stops: Vec<_> = incident.errors.iter().filter(|event| is_request_to_stop(event)).collect();
    let accounted = |line| explained.contains(&line) || stops.iter().any(|stop| stop.lines.contains(&line));
    let found = incident::reported(transcript, incident, accounted);
    if let Some((found, meant)) = found.and_then(|found| Some((found, found.symptom?))) {
        return Some(of_symptom(reported(found.line, None, transcript, incident), meant, book));
    }
    if let Some(line) = explained_line {
        return Some(of_its_page(reported(line, None, transcript, incident), transcript, incident, book));
    }
    // A title has too few words to be judged by them.
    match incident::title(transcript, incident) {
        Some(Title::NoProblem) if !description.is_some_and(|it| is_certain(&it)) => return None,
        Some(Title::Known(line, meant)) => {
            return Some(of_kind(reported(line, None, transcript, incident), meant, book));
        }
        Some(Title::Failure(line)) if !description.is_some_and(|it| is_sure(&it)) => {
            return Some(reported(line, None, transcript, incident));
        }
        Some(Title::NoProblem | Title::Failure(_)) | None => {}
    }
    let problem = |it: &Description| {
        it.no_problem.is_some_and(|none| none < A_PROBLEM_BY_LETTERS)
            || it.described.by_person && it.described.concepts >= FEWEST_CONCEPTS && it.described.no_problem < most(it)
    };
    if let Some(description) = description.filter(problem) {
        let has_page = book.find(description.described.kind).is_some();
        return match has_page && description.described.probability < A_PAGE {
            true => Some(reported(description.line, None, transcript, incident)),
            false => Some(described(&description, transcript, incident, book)),
        };
    }
    if let Some(found) = found {
        return Some(reported(found.line, None, transcript, incident));
    }
    let sounds_only = |it: &Description| incident::is_harmless(transcript.line(it.line).text);
    let description = description.filter(|it| !sounds_only(it)).filter(|it| {
        let none = it.described.no_problem;
        match (it.no_problem, it.no_problem_alone) {
            (Some(by_letters), _) => by_letters < MAYBE_NONE_BY_LETTERS && none < MAYBE_NONE,
            (None, Some(by_letters)) => {
                by_letters.max(none) < HARDLY_NONE && it.described.concepts >= FEWEST_FOR_A_PROBLEM
            }
            (None, None) => false,
        }
    })?;
    let has_page = book.find(description.described.kind).is_some();
    let is_named = match has_page {
        true => description.described.probability > SURELY_A_KIND && is_sure(&description),
        false => description.described.probability > A_KIND,
    };
    match is_named {
        true => Some(described(&description, transcript, incident, book)),
        false => Some(reported(description.line, None, transcript, incident)),
    }
}

/// The problem that sentences describe, as the page or the entry of its kind.
fn described(description: &Description, transcript: &Transcript, incident: &Incident, book: &Book) -> Candidate {
    let kind = description.described.kind;
    let found = reported(description.line, book.find(kind), transcript, incident);
    let words = Words { described: Some(kind), cause: None };
    let found = Candidate { words: Some(Box::new(words)), ..found };
    of_its_page(found, transcript, incident, book)
}

/// Whether both models find no problem less probable than this.
fn is_none_below(least: f32, it: &Description) -> bool {
    let by_letters = it.no_problem.or(it.no_problem_alone);
    it.described.no_problem < least && by_letters.is_some_and(|none| none < least)
}

/// Whether both models are sure that there is a problem.
fn is_sure(it: &Description) -> bool {
    is_none_below(SURELY_A_PROBLEM, it)
}

/// Whether they are so sure that a word of a title is wrong.
fn is_certain(it: &Description) -> bool {
    is_none_below(CERTAINLY_A_PROBLEM, it)
}

/// A failure without a page as the page that its entry is a case of.
fn of_its_page(found: Candidate, transcript: &Transcript, incident: &Incident, book: &Book) -> Candidate {
    let page = || unlisted::page_of(Failing::of(transcript, incident, &found), book);
    Candidate { fault: found.fault.or_else(page), ..found }
}

/// The page of a conflict between the versions that the text shows, at the line that shows one of them.
fn conflict(transcript: &Transcript, incident: &Incident, book: &Book) -> Option<Candidate> {
    incident.facts.text("gpu.name")?;
    let mut facts = incident.facts.clone();
    enrich::from_catalogue(&mut facts, book);
    let conditions = Conditions::new(&facts);
    book.faults.iter().enumerate().find_map(|(fault, entry)| {
        let shown = conditions.holds(&Condition::new(entry.conflict()?))?.line?;
        let line = transcript.lines().find(|line| line.number == shown)?.index;
        Some(reported(line, Some(fault), transcript, incident))
    })
}

fn complained(complaint: Complaint, transcript: &Transcript, incident: &Incident, book: &Book) -> Candidate {
    of_symptom(reported(complaint.line, None, transcript, incident), complaint.meant, book)
}

/// A failure of which a symptom tells.
fn of_symptom(found: Candidate, meant: Meant, book: &Book) -> Candidate {
    let words = Words { described: None, cause: meant.cause };
    Candidate { fault: book.find(meant.fault), words: Some(Box::new(words)), ..found }
}

/// A failure by the name of a page, or of a description.
fn of_kind(found: Candidate, meant: Meant, book: &Book) -> Candidate {
    let fault = book.find(meant.fault);
    let words = Words { described: fault.is_none().then_some(meant.fault), cause: meant.cause };
    Candidate { fault, words: Some(Box::new(words)), ..found }
}

/// A failure that a line reports in words of its own.
fn reported(line: usize, fault: Option<usize>, transcript: &Transcript, incident: &Incident) -> Candidate {
    let mut writers = Writers::new(transcript, &incident.errors);
    let prefix = &transcript.line(line).prefix;
    Candidate {
        fault,
        line,
        at: 0,
        error: writers.error_at(line),
        role: SignatureRole::Symptom,
        severity: Severity::Notice,
        origin: Origin::Page,
        specificity: 0,
        rank: prefix.rank,
        stream: writers.stream_of(line),
        time: prefix.time,
        words: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::builtin::Builtin;
    use crate::wording;

    #[test]
    fn words_of_symptoms_name_pages_and_their_causes() {
        let book = Book::new(true);
        let complaints = wording::symptoms().languages.iter().flat_map(|language| &language.complaint);
        let complaints = complaints.map(|complaint| (complaint.fault, complaint.cause));
        let symptoms = wording::failures().symptom.iter().map(|symptom| (symptom.fault, symptom.cause));
        let stopped = [(wording::failures().stopped, None)];
        let is_known = |(page, cause): &(&str, Option<&str>)| {
            let page = book.find(page).map(|page| book.fault(page));
            page.is_some_and(|page| cause.is_none_or(|cause| page.causes.iter().any(|known| known.id == cause)))
        };
        // A title may name what people describe and no page is about.
        let is_described =
            |kind: &str| Builtin::errors().without_words().any(|entry| entry.described && entry.id == kind);
        let titles = wording::titles().title.iter().map(|title| (title.fault, title.cause));
        let titles = titles.filter(|(kind, cause)| cause.is_some() || !is_described(kind));
        let named = complaints.chain(symptoms).chain(stopped).chain(titles);
        let strays = named.filter(|meant| !is_known(meant));
        assert_eq!(strays.collect::<Vec<_>>(), []);
    }
}
