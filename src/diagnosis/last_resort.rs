//! What failed where the book knows no message: the writer's complaint, what the sentences describe, or a line that reports a
//! failure in words of its own.

use std::collections::BTreeSet;

use super::conditions::Conditions;
use super::enrich;
use super::excuses;
use super::judgement::{self, Outlook};
use super::primary::{Candidate, Severity, Words, is_request_to_stop};
use super::unlisted::{self, Failing, reporting_line};
use super::writers::Writers;
use crate::book::Book;
use crate::book::schema::SignatureRole;
use crate::condition::Condition;
use crate::descriptions;
use crate::incident::{self, Complaint, Description, ErrorEvent, Frame, Incident, Kind, Meant, Post, Stance, Title};
use crate::matching::{Hit, Origin};
use crate::text::{Level, Transcript};

/// The page of numbers that are none.
const NOT_FINITE: &str = "non-finite";

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
    let by_an_entry = unlisted::has_entry(Failing::of(transcript, incident, &unlisted));
    if !by_an_entry && let Some(known) = reported_beside(event, transcript, incident, book) {
        return known;
    }
    let explained = event.fatal && (event.kind == Kind::Python || by_an_entry);
    match incident::complaint(transcript, incident) {
        Some(complaint) if complaint.despite || !explained => complained(complaint, transcript, incident, book),
        _ => unlisted,
    }
}

/// The failure that the writer or some line reports in words of its own, where nothing else was found; `is_excused`: what
/// was found has an excuse.
pub(super) fn last_resort(
    transcript: &Transcript,
    incident: &Incident,
    hits: &[Hit],
    book: &Book,
    is_excused: bool,
) -> Option<Candidate> {
    let outlook = Post::of(transcript, incident).and_then(Outlook::of);
    let is_unwell = !is_excused && outlook.is_some_and(Outlook::is_unwell);
    let description = incident::description(transcript, incident);
    let is_certain = is_unwell || description.is_some_and(|it| judgement::is_certain(&it));
    let is_none = !is_unwell && description.is_some_and(|it| judgement::is_none(&it, outlook));
    if let Some(conflict) = conflict(transcript, incident, book).filter(|_| !is_none) {
        return Some(conflict);
    }
    if let Some(line) = incident::no_number(transcript, incident).filter(|_| !is_none) {
        let meant = Meant { fault: NOT_FINITE, cause: None };
        return Some(of_symptom(reported(line, None, transcript, incident), meant, book));
    }
    // A line that an entry explains says more than one that only sounds like a failure.
    let explained_line = reporting_line(transcript, incident);
    if let Some(complaint) = incident::complaint(transcript, incident)
        && !(is_none && outlook.is_none_or(Outlook::is_surely_no_complaint))
        && (complaint.despite || explained_line.is_none())
    {
        // A wording that names a cause is more precise than all words together, and so is one of a page that they cannot name.
        let other = description.filter(|it| {
            complaint.meant.cause.is_none()
                && descriptions::can_name(complaint.meant.fault)
                && ![it.described.kind, it.described.second].contains(&complaint.meant.fault)
                && book.find(it.described.kind).is_some()
                && judgement::is_page_of_both(it, outlook)
        });
        if let Some(other) = other {
            return Some(described(Some(other.described.kind), &other, transcript, incident, book));
        }
        return Some(complained(complaint, transcript, incident, book));
    }
    let explained: BTreeSet<usize> = hits.iter().map(|hit| hit.line).collect();
    if is_all_known(transcript, hits) {
        return None;
    }
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
        Some(Title::NoProblem) if !is_certain => return None,
        Some(Title::Known(line, meant)) => {
            return Some(of_kind(reported(line, None, transcript, incident), meant, book));
        }
        Some(Title::Failure(line)) if !description.is_some_and(|it| judgement::is_sure(&it)) => {
            return Some(reported(line, None, transcript, incident));
        }
        Some(Title::NoProblem | Title::Failure(_)) | None => {}
    }
    // Who says that all works only asks something, and so does who writes as such people do.
    let asks = || Stance::of(transcript, incident).is_all_well() || outlook.is_some_and(Outlook::is_surely_well);
    let only_asks = !is_certain && asks();
    let description = description.filter(|_| !only_asks);
    let may_only_ask = !is_certain && outlook.is_some_and(Outlook::is_rather_well);
    let has_page = |it: &Description| book.find(it.described.kind).is_some();
    if let Some(report) = description.filter(judgement::is_report) {
        let is_named = match (has_page(&report), may_only_ask) {
            (false, _) => true,
            (true, false) => judgement::may_open_a_page(&report),
            (true, true) => judgement::is_surely_its_kind(&report),
        };
        return Some(described(judgement::kind(&report, outlook, is_named), &report, transcript, incident, book));
    }
    if let Some(found) = found {
        return Some(reported(found.line, None, transcript, incident));
    }
    // Whoever tells a whole story in one line may also say that the log has no error.
    let sounds_only = |it: &Description| transcript.line(it.line).text.split_inclusive(". ").all(incident::is_harmless);
    let since_when = || excuses::says_since_when(&incident.facts);
    let may_tell = |it: Outlook<'_>| it.may_tell() || !it.is_rather_well() && since_when();
    let reports = is_unwell || !is_excused && !only_asks && outlook.is_some_and(may_tell);
    let perhaps = description.filter(|it| reports || !sounds_only(it) && judgement::is_rather_a_problem(it));
    let Some(perhaps) = perhaps else {
        let first = transcript.lines().find(|line| reports && !line.text.trim().is_empty())?;
        return Some(reported(first.index, None, transcript, incident));
    };
    let is_named = match has_page(&perhaps) {
        true => judgement::is_surely_its_kind(&perhaps),
        false => judgement::is_its_kind(&perhaps),
    };
    Some(described(judgement::kind(&perhaps, outlook, is_named), &perhaps, transcript, incident, book))
}

/// The problem that sentences describe, as the page or the entry of its kind; without a kind, it stays open.
fn described(
    kind: Option<&'static str>,
    it: &Description,
    transcript: &Transcript,
    incident: &Incident,
    book: &Book,
) -> Candidate {
    let Some(kind) = kind else { return reported(it.line, None, transcript, incident) };
    let found = reported(it.line, book.find(kind), transcript, incident);
    let words = Words { described: Some(kind), cause: None };
    let found = Candidate { words: Some(Box::new(words)), ..found };
    of_its_page(found, transcript, incident, book)
}

/// A failure without a page as the page that its entry is a case of.
fn of_its_page(found: Candidate, transcript: &Transcript, incident: &Incident, book: &Book) -> Candidate {
    let page = || unlisted::page_of(Failing::of(transcript, incident, &found), book);
    Candidate { fault: found.fault.or_else(page), ..found }
}

/// The page of a line that says what failed beside an error that says nothing known: what a build printed above the exception
/// of its installer, the module that did not load after a file that did not exist.
fn reported_beside(event: &ErrorEvent, transcript: &Transcript, incident: &Incident, book: &Book) -> Option<Candidate> {
    let is_python = event.kind == Kind::Python;
    // What the person's own code raises says more than what was printed before it.
    if is_python && (event.frames.is_empty() || event.frames.iter().any(Frame::is_own)) {
        return None;
    }
    let line = reporting_line(transcript, incident)?;
    let is_logged = || transcript.line(line).prefix.level.is_some_and(|level| level >= Level::Error);
    let is_an_error = is_python || is_logged() || incident.errors.iter().any(|error| error.headline == line);
    let found = of_its_page(reported(line, None, transcript, incident), transcript, incident, book);
    (is_an_error && found.fault.is_some()).then_some(found)
}

/// Whether every line is a message that the book knows, and that was not counted as a failure. A message is most of its line; a
/// story may hold a word of one.
fn is_all_known(transcript: &Transcript, hits: &[Hit]) -> bool {
    let is_most = |hit: &&Hit| hit.specificity as usize * 2 >= transcript.line(hit.line).text.len();
    let known: BTreeSet<usize> = hits.iter().filter(is_most).map(|hit| hit.line).collect();
    transcript.lines().all(|line| known.contains(&line.index) || line.text.trim().is_empty())
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
