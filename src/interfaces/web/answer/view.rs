//! A diagnosis in the words and order of the page: strings and HTML, ready for the template.

use super::compared::Change;
use crate::diagnosis::{Action, CauseStatus, Diagnosis, RankedCause, Reason, ReportHit, Verdict};
use crate::facts::{self, Source};
use crate::interfaces::web::frame;
use crate::interfaces::web::html;
use crate::interfaces::web::weave::{Named, woven};
use crate::render::clean;
use crate::render::inline;
use crate::render::words::{ORDINARY, counted, open_ended, percent, precedents};

/// Actions after the first that are listed at once.
const FURTHER: usize = 4;

/// A diagnosis in the words and order of the page.
#[derive(Debug)]
pub(super) struct AnswerView {
    pub verdict: &'static str,
    /// "Failure", "Ordinary error", "Not in the book", "No failure found".
    pub kind: &'static str,
    /// What failed, as HTML.
    pub title: String,
    /// The same without markup, in the words of a tab.
    pub found: String,
    /// The page of the book.
    pub page: Option<String>,
    /// The line that shows it, and its words.
    pub line: Option<u32>,
    pub words: String,
    /// Where in the program, rank, phase.
    pub circumstances: Vec<String>,
    /// What an ordinary error is.
    pub remark: Option<&'static str>,
    pub first: Option<ActionView>,
    /// Those to try next, and the others.
    pub further: Vec<ActionView>,
    pub rest: Vec<ActionView>,
    pub causes: Vec<CauseView>,
    /// The number of the first cause of those that are folded away, each below one per cent.
    pub folded: Option<usize>,
    pub next_check: Option<CheckView>,
    pub reports: Vec<ReportView>,
    /// "Your team met this before" or weaker.
    pub reports_heading: &'static str,
    pub follows: Vec<FollowsView>,
    pub lookalikes: Vec<String>,
    pub harmless: Vec<FollowsView>,
    pub nearest: Vec<(String, String)>,
    pub silent: Vec<(String, String)>,
    pub cases: Vec<CaseView>,
    pub probe: Option<ProbeView>,
    /// What that changed.
    pub changes: Vec<Change>,
    /// What is known of the run and the machine: name, value, where from.
    pub facts: Vec<(String, String, String)>,
    pub notes: Vec<String>,
}

#[derive(Debug)]
pub(super) struct ActionView {
    pub title: String,
    pub detail: String,
    pub commands: Vec<String>,
    pub solved: Option<String>,
    /// Addresses of the nearest cases.
    pub nearest: Vec<String>,
    pub trade_offs: String,
    /// Which causes it helps against, as numbers in the list of causes.
    pub causes: Vec<usize>,
}

#[derive(Debug)]
pub(super) struct CauseView {
    pub number: usize,
    pub id: String,
    pub title: String,
    /// From 0 to 100; where there is but one cause, none.
    pub share: Option<String>,
    pub width: u32,
    /// Its share before the machine was asked, if that was another.
    pub was: Option<String>,
    pub tied: bool,
    /// `confirmed` and the like, unless nothing was measured.
    pub status: Option<&'static str>,
    pub status_says: Option<String>,
    pub reasons: Vec<ReasonView>,
    pub check: String,
    pub check_command: Option<String>,
    pub dead_ends: Vec<String>,
    /// Known cases that had it.
    pub cases: usize,
}

#[derive(Debug)]
pub(super) struct ReasonView {
    pub supports: bool,
    pub says: String,
    pub line: Option<u32>,
    /// Where it comes from, if not from a line.
    pub source: &'static str,
}

#[derive(Debug)]
pub(super) struct CheckView {
    pub says: String,
    pub command: Option<String>,
}

#[derive(Debug)]
pub(super) struct ReportView {
    pub id: String,
    /// Its address below the root.
    pub address: String,
    /// The last part of the address of the comparison with this text.
    pub beside: String,
    pub title: String,
    pub status: String,
    pub score: String,
    pub why: String,
    pub solution: Option<String>,
    pub command: Option<String>,
}

/// A line that follows from the failure, or a harmless one.
#[derive(Debug)]
pub(super) struct FollowsView {
    pub line: u32,
    pub title: String,
    pub why: String,
}

/// What the machine says.
#[derive(Debug)]
pub(super) struct ProbeView {
    /// `saved` for recorded facts.
    pub level: String,
    pub findings: Vec<String>,
}

#[derive(Debug)]
pub(super) struct CaseView {
    pub at: String,
    pub with: String,
    pub clues: String,
    pub solved_by: String,
}

impl AnswerView {
    /// The view of a diagnosis.
    pub(super) fn new(diagnosis: &Diagnosis) -> Self {
        let (kind, title, found) = headline(diagnosis);
        let failure = diagnosis.fault.as_ref().map(|fault| (fault.span, clean::line(&fault.text)));
        let failure = failure.or_else(|| diagnosis.error.as_ref().map(|error| (error.span, String::new())));
        let (first, further) = match diagnosis.actions.split_first() {
            Some((first, rest)) => (Some(first), rest),
            None => (None, &[][..]),
        };
        let action = |action: &Action| action_view(action, &diagnosis.causes);
        let (further, rest) = further.split_at(further.len().min(FURTHER));
        let alone = diagnosis.causes.len() == 1;
        let shown = diagnosis.causes.first().map(|cause| cause.check.as_str());
        Self {
            verdict: diagnosis.verdict.word(),
            kind,
            title,
            found,
            page: diagnosis.fault.as_ref().map(|fault| fault.id.clone()),
            line: failure.as_ref().map(|(span, _)| span.start.line).filter(|_| diagnosis.verdict != Verdict::NoError),
            words: failure.map(|(_, words)| words).unwrap_or_default(),
            circumstances: circumstances(diagnosis),
            remark: (diagnosis.verdict == Verdict::OrdinaryError).then_some(ORDINARY),
            first: first.map(action),
            further: further.iter().map(action).collect(),
            rest: rest.iter().map(action).collect(),
            folded: folded(&diagnosis.causes),
            causes: diagnosis.causes.iter().enumerate().map(|(index, cause)| cause_view(index, cause, alone)).collect(),
            next_check: diagnosis.next_check.as_ref().filter(|check| Some(check.says.as_str()) != shown).map(|check| {
                CheckView { says: html::sentence(&check.says), command: check.command.as_deref().map(command) }
            }),
            reports: diagnosis.reports.iter().map(report_view).collect(),
            reports_heading: match diagnosis.verdict {
                Verdict::KnownFault | Verdict::OrdinaryError => "Your team met this before",
                Verdict::UnlistedError | Verdict::NoError => "Nearest in your reports",
            },
            follows: diagnosis
                .cascade
                .iter()
                .map(|one| FollowsView {
                    line: one.span.start.line,
                    title: html::sentence(&one.title),
                    why: clean::line(&one.why),
                })
                .collect(),
            lookalikes: diagnosis
                .fault
                .iter()
                .flat_map(|fault| &fault.lookalikes)
                .map(|one| html::sentence(one))
                .collect(),
            harmless: diagnosis
                .notices
                .iter()
                .map(|notice| FollowsView {
                    line: notice.line,
                    title: html::sentence(&notice.title),
                    why: if notice.count > 1 { format!("{} times", notice.count) } else { String::new() },
                })
                .collect(),
            nearest: diagnosis.nearest.iter().map(|page| (page.id.clone(), html::sentence(&page.title))).collect(),
            silent: diagnosis.silent.iter().map(|page| (page.id.clone(), html::sentence(&page.title))).collect(),
            cases: diagnosis
                .like_cases
                .iter()
                .map(|case| CaseView {
                    at: case.at.clone(),
                    with: case.with.clone(),
                    clues: case.clues.join("; "),
                    solved_by: html::sentence(&case.solved_by),
                })
                .collect(),
            probe: diagnosis.probe.as_ref().map(|probe| ProbeView {
                level: probe.level.clone(),
                findings: probe.findings.iter().map(|finding| html::sentence(finding)).collect(),
            }),
            changes: Vec::new(),
            facts: known(diagnosis),
            notes: diagnosis.notes.iter().map(|note| html::sentence(note)).collect(),
        }
    }

    /// Puts links into its sentences: names of pages and codes in code.
    pub(super) fn link(&mut self, named: Named<'_>) {
        let actions = self.first.iter_mut().chain(&mut self.further).chain(&mut self.rest);
        let details = actions.map(|action| &mut action.detail);
        let causes = self.causes.iter_mut().flat_map(|cause| {
            let reasons = cause.reasons.iter_mut().map(|reason| &mut reason.says);
            reasons.chain(&mut cause.status_says).chain([&mut cause.check]).chain(&mut cause.dead_ends)
        });
        let check = self.next_check.iter_mut().map(|check| &mut check.says);
        for html in
            details.chain(causes).chain(check).chain(&mut self.lookalikes).filter(|html| html.contains("<code>"))
        {
            *html = woven(html, named);
        }
    }
}

/// What kind of answer it is, and what failed, as HTML and as text.
fn headline(diagnosis: &Diagnosis) -> (&'static str, String, String) {
    let of_text = |kind, text: String| (kind, html::sentence_of_text(&text), text);
    match diagnosis.verdict {
        Verdict::NoError if diagnosis.lines_read == 0 => of_text("Nothing to diagnose", "The text is empty".to_owned()),
        Verdict::NoError => {
            let lines = counted(diagnosis.lines_read.into(), "line", "lines");
            of_text("No failure found", format!("No failure found in {lines}"))
        }
        Verdict::UnlistedError => {
            let words = diagnosis.error.as_ref().map(|error| match error.type_name.as_str() {
                "" => error.message.clone(),
                name if error.message.starts_with(name) => error.message.clone(),
                name if error.message.is_empty() => name.to_owned(),
                name => format!("{name}: {}", error.message),
            });
            of_text("Not in the book", clean::line(&words.unwrap_or_default()))
        }
        Verdict::KnownFault | Verdict::OrdinaryError => {
            let kind = if diagnosis.verdict == Verdict::KnownFault { "Failure" } else { "Ordinary error" };
            let title = diagnosis.fault.as_ref().map(|fault| fault.title.as_str()).unwrap_or_default();
            (kind, html::sentence(title), clean::line(&inline::plain(title)))
        }
    }
}

fn circumstances(diagnosis: &Diagnosis) -> Vec<String> {
    let mut parts = Vec::new();
    if let Some(frame) = diagnosis.error.as_ref().and_then(|error| error.frame.as_ref()) {
        let place = if frame.line > 0 { format!("{}:{}", frame.file, frame.line) } else { frame.file.clone() };
        let within = if frame.function.is_empty() { String::new() } else { format!(" in {}", frame.function) };
        parts.push(clean::line(&format!("{place}{within}")));
    }
    if let Some(fault) = &diagnosis.fault {
        // "train.py:3 in forward, in forward"
        let told = parts.first().cloned().unwrap_or_default();
        let is_new = |part: &String| !part.is_empty() && !told.ends_with(part.as_str());
        parts.extend(fault.circumstances.iter().map(|part| clean::line(&inline::plain(part))).filter(is_new));
    }
    let rank = diagnosis.fault.as_ref().and_then(|fault| fault.rank);
    let rank = rank.or_else(|| diagnosis.error.as_ref().and_then(|error| error.rank));
    parts.extend(rank.map(|rank| format!("rank {rank}")));
    parts.retain(|part| !part.is_empty());
    parts
}

/// The number of the first cause from which on all are unlikely and nothing was measured about them.
fn folded(causes: &[RankedCause]) -> Option<usize> {
    const SHOWN: usize = 3;
    let is_unlikely = |cause: &RankedCause| cause.probability < 0.01 && cause.status == CauseStatus::Unverified;
    let kept = causes.len() - causes.iter().rev().take_while(|cause| is_unlikely(cause)).count();
    let first = kept.max(SHOWN);
    (causes.len() > first + 1).then_some(first + 1)
}

fn action_view(action: &Action, causes: &[RankedCause]) -> ActionView {
    let number = |id: &String| causes.iter().position(|cause| cause.id == *id).map(|at| at + 1);
    ActionView {
        title: html::sentence(open_ended(&action.title)),
        detail: html::document(&action.detail, &html::Links::NONE, 4),
        commands: action.commands.iter().map(|text| command(text)).collect(),
        solved: action.solved.as_ref().map(|solved| {
            let words = precedents(solved);
            words.split_once(", for example").map_or(words.clone(), |(words, _)| words.to_owned())
        }),
        nearest: action.solved.iter().flat_map(|solved| &solved.nearest).map(ToString::to_string).collect(),
        trade_offs: action
            .trade_offs
            .iter()
            .filter(|cost| *cost != "none")
            .map(|cost| html::sentence(open_ended(cost)))
            .collect::<Vec<_>>()
            .join("; "),
        causes: action.causes.iter().filter_map(number).collect(),
    }
}

fn cause_view(index: usize, cause: &RankedCause, alone: bool) -> CauseView {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 100")]
    let width = (cause.probability.clamp(0.0, 1.0) * 100.0).round() as u32;
    CauseView {
        number: index + 1,
        id: cause.id.clone(),
        title: html::sentence(&cause.title),
        share: percent(cause.probability).filter(|_| !alone),
        width: width.max(1),
        was: None,
        tied: cause.tied,
        status: (cause.status != CauseStatus::Unverified).then(|| cause.status.word()),
        status_says: cause
            .status_says
            .as_deref()
            .filter(|says| !cause.reasons.iter().any(|reason| reason.says == **says))
            .map(html::sentence),
        reasons: cause.reasons.iter().map(reason_view).collect(),
        check: html::sentence(&cause.check),
        check_command: cause.check_command.as_deref().map(command),
        dead_ends: cause.dead_ends.iter().map(|end| html::sentence(end)).collect(),
        cases: cause.cases,
    }
}

fn reason_view(reason: &Reason) -> ReasonView {
    let line = reason.span.filter(|_| reason.source == Source::Text).map(|span| span.start.line);
    ReasonView {
        supports: reason.supports,
        says: html::sentence(open_ended(&reason.says)),
        line,
        source: if line.is_some() { "" } else { reason.source.word() },
    }
}

fn report_view(report: &ReportHit) -> ReportView {
    ReportView {
        id: report.id.clone(),
        address: frame::report_address(&report.id),
        beside: frame::encoded(&report.id),
        title: html::sentence(&report.title),
        status: clean::line(&report.status),
        score: if report.score.is_finite() { format!("{:.0} % alike", report.score * 100.0) } else { String::new() },
        why: report.why.iter().map(|why| inline::plain(open_ended(why))).collect::<Vec<_>>().join(", "),
        solution: report.solution.as_deref().filter(|words| !words.trim().is_empty()).map(html::sentence),
        command: report.command.as_deref().map(command),
    }
}

fn known(diagnosis: &Diagnosis) -> Vec<(String, String, String)> {
    let fact = |(name, fact): (&str, &crate::facts::Fact)| {
        (clean::line(&facts::label(name)), clean::line(&facts::words(name, &fact.value)), fact.source.word().to_owned())
    };
    diagnosis.environment.iter().map(fact).collect()
}

/// A command as it is shown and copied.
fn command(text: &str) -> String {
    clean::lines(text).join("\n")
}
