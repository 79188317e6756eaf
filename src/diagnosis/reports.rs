//! The project's own reports: which of them describe this failure, why we think so, and what they add.
//!
//! The index gives candidates; here they are compared with the incident point by point, so that every score has its
//! reasons. A report is matched by what it says, never by declared patterns.

use std::path::PathBuf;

use super::library::Library;
use super::likeness::{Failures, Likeness};
use super::precedents::Precedents;
use super::primary::Candidate;
use super::weigh::{Weighed, calibrate, weight};
use crate::book::page::Cause;
use crate::book::report::{Report, Solution, SolutionKind};
use crate::book::schema::Weight;
use crate::diagnosis::{Reason, ReportHit};
use crate::facts::{self, Facts, Source};
use crate::incident::Incident;
use crate::text::Transcript;

/// How many candidates of the index are compared.
const COMPARED: usize = 40;
/// Below this likeness a report is not worth a line.
const WORTH_SHOWING: f64 = 0.45;
/// The same limit where the text has no error at all.
pub(super) const WORTH_SHOWING_WITHOUT_AN_ERROR: f64 = 0.6;
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
    order: f64,
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
    if !library.search.has_reports() {
        return Vec::new();
    }
    let failures = Failures::of(transcript, incident, primary, library.search);
    let fault = primary.and_then(|primary| primary.fault).map(|index| library.book.faults[index].id.as_str());
    let found = library.search.reports(failures.query(), COMPARED).into_iter();
    let mut likely: Vec<Likely> = found
        .map(|found| {
            let likeness = failures.compare(&found.evidence);
            Likely {
                same_fault: fault.and_then(|fault| found.faults.iter().position(|id| id == fault)),
                likeness,
                path: found.path,
                copies: found.copies,
            }
        })
        .filter(|likely| likely.score() >= WORTH_SHOWING)
        .collect();
    likely.sort_by(|a, b| b.order().total_cmp(&a.order()));
    likely.truncate(SHOWN);
    let read = |likely: Likely| Some(likely.explained(library.search.report(&likely.path)?, incident, facts));
    let mut matches: Vec<Match> = likely.into_iter().filter_map(read).collect();
    matches.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| b.order.total_cmp(&a.order)));
    matches
}

/// A candidate, compared and not yet read.
struct Likely {
    path: PathBuf,
    copies: Vec<PathBuf>,
    likeness: Likeness,
    /// Which of the fault pages that the report's error texts match is that of this failure.
    same_fault: Option<usize>,
}

impl Likely {
    /// Likeness from 0 to 1. Names in frames decide between reports of the same message; alone they say only that
    /// the same program ran.
    fn score(&self) -> f64 {
        const MESSAGE: f64 = 0.8;
        const LEAST: f64 = 0.3;
        const FAULT: f64 = 0.04;
        let message = self.likeness.message;
        if message < LEAST {
            return 0.0;
        }
        let alike = match self.likeness.frames {
            Some(frames) => MESSAGE * message + (1.0 - MESSAGE) * frames,
            None => message,
        };
        let fault = match self.same_fault {
            Some(0) => FAULT,
            Some(_) => FAULT / 2.0,
            None => 0.0,
        };
        let score: f64 = alike + fault;
        score.min(0.98)
    }

    /// The likeness for sorting: of reports that cannot be more alike, the one with the names of the text's frames is first.
    fn order(&self) -> f64 {
        self.score() + 0.01 * self.likeness.frames.unwrap_or(0.0)
    }

    /// The match with its reasons.
    fn explained(&self, report: Report, incident: &Incident, facts: &Facts) -> Match {
        /// A machine decides only where everything else is alike.
        const MACHINE: f64 = 0.01;
        let mut why = Vec::new();
        match self.same_fault {
            Some(0) => why.push("same fault".to_owned()),
            Some(_) => why.push("same fault, among others".to_owned()),
            None => {}
        }
        match self.likeness.message {
            ..0.4 => {}
            ..0.7 => why.push("similar error text".to_owned()),
            _ => why.push("same error text".to_owned()),
        }
        let mut codes = incident.errors.iter().flat_map(|event| &event.codes);
        if let Some(code) = codes.find(|code| report.text.contains(&*code.name)) {
            why.push(format!("names {}", code.name));
        }
        if let Some(place) = &self.likeness.place {
            why.push(format!("same frame: {place}"));
        }
        let (machine, same) = same_machine(facts, &report);
        why.extend(same);
        let score = (self.score() + MACHINE * machine).min(0.99);
        Match { score, order: self.order(), report, why, copies: self.copies.clone() }
    }
}

/// How much of the machine is the same, from 0 to 1, and what.
fn same_machine(facts: &Facts, report: &Report) -> (f64, Vec<String>) {
    let mut same = Vec::new();
    let mut points: f64 = 0.0;
    for (name, point) in MACHINE_FACTS {
        let (Some(here), Some(there)) = (facts.text(name), report.environment.text(name)) else { continue };
        if here == there || (name == "gpu.name" && (here.contains(there) || there.contains(here))) {
            points += point;
            same.push(format!("same {} ({there})", facts::label(name)));
        }
    }
    (points, same)
}

/// The matches as the answer shows them.
pub(super) fn shown(matches: &[Match]) -> Vec<ReportHit> {
    matches
        .iter()
        .map(|found| {
            let solutions: &[Solution] = if found.report.is_unconfirmed { &[] } else { &found.report.solutions };
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
    let Some(best) = matches.first().filter(|best| best.score >= SAME_STORY && !best.report.is_unconfirmed) else {
        return;
    };
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
    for found in matches.iter().filter(|found| found.score >= SAME_STORY && !found.report.is_unconfirmed).take(1) {
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
