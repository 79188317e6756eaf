//! The project's own reports: which of them describe this failure, why we think so, and what they add.
//!
//! The index gives candidates; here they are compared with the incident point by point, so that every score has its
//! reasons. A report is matched by its own error texts, codes, frames and environment, never by declared patterns.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::library::{Library, Query};
use super::precedents::Precedents;
use super::primary::Candidate;
use super::weigh::{Weighed, calibrate, weight};
use crate::book::page::Cause;
use crate::book::report::{Report, Solution, SolutionKind};
use crate::book::schema::Weight;
use crate::diagnosis::{Reason, ReportHit};
use crate::facts::{self, Facts, Source, Value};
use crate::incident::{ErrorEvent, Incident};
use crate::text::Transcript;
use crate::text::words::words;

/// How many candidates of the index are read and compared.
const COMPARED: usize = 6;
/// Below this likeness a report is not worth a line.
const WORTH_SHOWING: f64 = 0.4;
/// The same limit where the text has no error at all.
pub(super) const WORTH_SHOWING_WITHOUT_AN_ERROR: f64 = 0.9;
/// From this likeness on, a report's environment and root cause are evidence about this run.
const SAME_STORY: f64 = 0.7;
/// How many reports an answer names.
const SHOWN: usize = 5;

/// What makes two machines alike: the fact and its share.
const MACHINE_FACTS: [(&str, f64); 3] = [("gpu.name", 0.5), ("cudnn.version", 0.25), ("torch.version", 0.25)];

/// A report compared with the incident.
pub(super) struct Match {
    report: Report,
    score: f64,
    why: Vec<String>,
    copies: Vec<PathBuf>,
}

/// Reports that describe this failure, best first.
pub(super) fn matching(
    transcript: &Transcript,
    incident: &Incident,
    primary: Option<&Candidate>,
    library: Library<'_>,
    facts: &Facts,
) -> Vec<Match> {
    let Some(primary) = primary else { return Vec::new() };
    if !library.search.has_reports() {
        return Vec::new();
    }
    let story = Story::of(transcript, incident, primary, library, facts);
    let mut matches: Vec<Match> = library
        .search
        .reports(&story.query, COMPARED)
        .into_iter()
        .map(|found| Match { copies: found.copies, ..story.compare(&found.faults, found.report) })
        .filter(|found| found.score >= WORTH_SHOWING)
        .collect();
    matches.sort_by(|a, b| b.score.total_cmp(&a.score));
    matches.truncate(SHOWN);
    matches
}

/// The matches as the answer shows them.
pub(super) fn shown(matches: &[Match]) -> Vec<ReportHit> {
    matches
        .iter()
        .map(|found| {
            let solutions = &found.report.solutions;
            let proposed = |solution: &&Solution| solution.kind == SolutionKind::Proposed;
            let solution = solutions
                .iter()
                .find(|solution| solution.recommended)
                .or(solutions.iter().find(proposed))
                .or(solutions.first());
            ReportHit {
                id: found.report.id.clone(),
                title: found.report.title.clone(),
                path: found.report.path.to_string_lossy().into_owned(),
                status: found.report.status.clone(),
                score: found.score,
                why: found.why.clone(),
                solution: solution.map(|solution| solution.title.clone()),
                command: solution.filter(proposed).and_then(|solution| solution.commands.first().cloned()),
                copies: found.copies.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
            }
        })
        .collect()
}

/// Where the text names no GPU, the best matching report's environment is used, as the weakest evidence.
pub(super) fn inherit_environment(matches: &[Match], facts: &mut Facts) {
    let Some(best) = matches.first().filter(|best| best.score >= SAME_STORY) else { return };
    if facts.get("gpu.name").is_some() {
        return;
    }
    for (name, fact) in best.report.environment.iter() {
        facts.add(name, fact.value.clone(), Source::Report, None);
    }
}

/// The root cause of a matching report is evidence for the same cause here.
pub(super) fn apply_report_evidence(
    weighed: &mut [Weighed],
    causes: &[Cause],
    matches: &[Match],
    library: Library<'_>,
    precedents: &Precedents,
) {
    for found in matches.iter().filter(|found| found.score >= SAME_STORY).take(1) {
        for one in weighed.iter_mut() {
            let id = causes[one.cause].id.as_str();
            let named = found.report.root_causes.iter().position(|cause| library.book.vocabulary.is_about(id, cause));
            let step = match named {
                Some(0) => weight(Weight::Moderate),
                Some(_) => weight(Weight::Weak),
                None => continue,
            };
            one.score += step;
            let says = format!("{} found this cause for the same failure", found.report.id);
            one.reasons.push(Reason { supports: true, source: Source::Report, says, span: None, weight: step });
        }
    }
    calibrate(weighed, precedents.with_one_of(causes));
    weighed.sort_by(|a, b| b.score.total_cmp(&a.score));
}

/// The incident in the form that reports are compared with.
struct Story<'a> {
    fault: Option<&'a str>,
    words: BTreeSet<String>,
    codes: BTreeSet<String>,
    places: BTreeSet<String>,
    facts: &'a Facts,
    query: Query,
}

impl<'a> Story<'a> {
    fn of(
        transcript: &Transcript,
        incident: &Incident,
        primary: &Candidate,
        library: Library<'a>,
        facts: &'a Facts,
    ) -> Self {
        let event = primary.error.map(|index| &incident.errors[index]);
        let line = transcript.line(primary.line).text;
        let error = match event {
            Some(event) => format!("{} {}\n{line}", event.type_name, event.message),
            None => line.to_owned(),
        };
        let codes: BTreeSet<String> =
            incident.errors.iter().flat_map(|event| &event.codes).map(|code| code.name.clone()).collect();
        let places = event.map(places).unwrap_or_default();
        let environment = facts
            .iter()
            .filter_map(|(_, fact)| match &fact.value {
                Value::Text(text) => Some(text.clone()),
                _ => None,
            })
            .take(20)
            .collect();
        let query = Query {
            error: error.clone(),
            codes: codes.iter().cloned().collect(),
            frames: places.iter().cloned().collect(),
            environment,
        };
        let fault = primary.fault.map(|index| library.book.faults[index].id.as_str());
        Self { fault, words: telling_words(&error), codes, places, facts, query }
    }

    /// Likeness from 0 to 1 with its reasons. Each point adds a share of its weight, and only points count that this
    /// text has something to compare for; what it lacks lowers the likeness a little.
    fn compare(&self, faults: &[String], report: Report) -> Match {
        const FAULT: f64 = 0.45;
        const WORDS: f64 = 0.25;
        const CODES: f64 = 0.08;
        const PLACES: f64 = 0.14;
        const MACHINE: f64 = 0.08;
        const ABSENT_WEIGHT: f64 = 0.15;
        let known: f64 = [
            (self.fault.is_some(), FAULT),
            (true, WORDS),
            (!self.codes.is_empty(), CODES),
            (!self.places.is_empty(), PLACES),
            (MACHINE_FACTS.iter().any(|(name, ..)| self.facts.get(name).is_some()), MACHINE),
        ]
        .iter()
        .filter(|(is_known, _)| *is_known)
        .map(|(_, weight)| weight)
        .sum();
        let mut score = 0.0;
        let mut why = Vec::new();
        if let Some(fault) = self.fault {
            match faults.iter().position(|id| id == fault) {
                Some(0) => {
                    score += FAULT;
                    why.push("same fault".to_owned());
                }
                Some(_) => {
                    score += FAULT * 0.9;
                    why.push("same fault, among others".to_owned());
                }
                None => {}
            }
        }
        let theirs: BTreeSet<String> = telling_words(&report.errors.join("\n"));
        let shared = share(&self.words, &theirs);
        score += WORDS * shared;
        if shared > 0.6 {
            why.push("same error text".to_owned());
        } else if shared > 0.3 {
            why.push("similar error text".to_owned());
        }
        let codes: Vec<&String> = self.codes.iter().filter(|code| report.text.contains(code.as_str())).collect();
        if let Some(code) = codes.first() {
            score += CODES;
            why.push(format!("names {code}"));
        }
        let frames: BTreeSet<String> = report.frames.iter().flat_map(|frame| place_words(frame)).collect();
        let common: Vec<&String> = self.places.intersection(&frames).collect();
        if let Some(place) = common.first() {
            score += PLACES * (common.len() as f64 / self.places.len() as f64).sqrt();
            why.push(format!("same frame: {place}"));
        }
        let (machine, same) = self.same_machine(&report);
        score += MACHINE * machine;
        why.extend(same);
        score /= known + ABSENT_WEIGHT * (1.0 - known);
        Match { report, score: score.min(0.99), why, copies: Vec::new() }
    }

    /// How much of the machine is the same, from 0 to 1, and what.
    fn same_machine(&self, report: &Report) -> (f64, Vec<String>) {
        let mut same = Vec::new();
        let mut points: f64 = 0.0;
        for (name, point) in MACHINE_FACTS {
            let (Some(here), Some(there)) = (self.facts.text(name), report.environment.text(name)) else { continue };
            if here == there || (name == "gpu.name" && (here.contains(there) || there.contains(here))) {
                points += point;
                same.push(format!("same {} ({there})", facts::label(name)));
            }
        }
        (points, same)
    }
}

/// Function names and file names of an error's frames, the user's own first.
fn places(event: &ErrorEvent) -> BTreeSet<String> {
    let own = event.frames.iter().filter(|frame| frame.is_own());
    own.flat_map(|frame| place_words(&format!("{} {}", frame.function, frame.file))).collect()
}

/// The words of a frame that identify it: its function and the last part of its path.
fn place_words(frame: &str) -> Vec<String> {
    frame
        .split_whitespace()
        .filter_map(|word| word.rsplit(['/', '\\']).next())
        .filter(|word| word.len() > 3 && !matches!(*word, "<module>" | "main" | "main.py" | "train.py" | "forward"))
        .map(str::to_owned)
        .collect()
}

/// The words that distinguish an error from others: no numbers, no addresses, no filler.
fn telling_words(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    words(text, |_, word| {
        let telling = word.len() > 2 && !word.bytes().any(|byte| byte.is_ascii_digit());
        if telling && !matches!(word, "the" | "and" | "was" | "for" | "with" | "this" | "error" | "runtimeerror") {
            found.insert(word.to_owned());
        }
    });
    found
}

/// The share of `a` that is in `b`.
fn share(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    if a.is_empty() { 0.0 } else { a.intersection(b).count() as f64 / a.len() as f64 }
}
