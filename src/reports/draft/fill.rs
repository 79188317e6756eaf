//! From a diagnosis and its context to the values of a template.
//!
//! Nothing is invented: each sentence is built from what the log, the book, the probe and git state, and what none of
//! them states becomes a `TODO`. Facts that the diagnosis took from a similar report are left out, because they
//! describe another run.

use super::context::{Cause, Change, ChangedFile, Consequence, Context, Fault, Git, Phase, Probe, Reason, Task, Test};
use super::{comparison, environment, git, headline, log, plan, summary};
use crate::book::report::Report;
use crate::book::schema::Severity;
use crate::diagnosis::{CauseStatus, Diagnosis, RankedCause};
use crate::facts::{Facts, Source, Value};
use crate::incident::{CommandLine, Incident};
use crate::render::{clean, plot};
use crate::reports::knowledge::Knowledge;
use crate::text::Transcript;

/// Causes that a report names.
const CAUSES: usize = 6;
/// What a report is made from.
pub(crate) struct Material<'a> {
    /// The text.
    pub transcript: &'a Transcript,
    /// The incident parsed from it.
    pub incident: &'a Incident,
    pub diagnosis: &'a Diagnosis,
    /// The book and the project's reports.
    pub knowledge: &'a Knowledge,
    /// The state of the code, or why it is not known.
    pub git: Result<&'a git::State, &'a str>,
}

/// What the user says about the report; overrides what was found out.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReportOptions {
    pub title: Option<String>,
    /// `critical`, `high`, `medium`, `low`.
    pub severity: Option<String>,
    pub status: Option<String>,
    /// The command that was run.
    pub command: Option<String>,
    /// The GPU on which it ran before.
    pub former_gpu: Option<String>,
    /// The report that the document is about.
    pub about: Option<Report>,
    /// The software of this machine, if the run was here and the log does not name its own.
    pub software: Facts,
    /// A commit, with the files it changed.
    pub change: Option<(git::Commit, Vec<git::Change>)>,
}

/// Fills everything but the id, the date and the links, which depend on where the report is written.
pub(crate) fn fill(material: &Material<'_>, options: &ReportOptions) -> Context {
    let Material { transcript, incident, diagnosis, knowledge, .. } = *material;
    let mut own = environment::own(&diagnosis.environment);
    own.merge(&options.software);
    let (rows, todo) = environment::rows(diagnosis, knowledge, &own);
    let excerpt = log::excerpt(transcript, incident, diagnosis);
    let command = options.command.clone().or_else(|| command(incident, diagnosis, transcript));
    let solutions = plan::solutions(diagnosis);
    let comparison = comparison::comparison(options, material, &own);
    let checklist = comparison.iter().flat_map(|comparison| comparison.checklist.iter().cloned());
    let prevention = checklist.chain(plan::prevention(command.is_some())).collect();
    let (severity, severity_why) = severity(options, diagnosis, knowledge);
    let error = diagnosis.error.as_ref().map(headline::of);
    let circumstances = diagnosis.fault.iter().flat_map(|fault| &fault.circumstances);
    let circumstances = circumstances.map(|says| circumstance(says)).collect();
    let mut context = Context {
        title: options.title.clone().unwrap_or_else(|| summary::title(diagnosis, error.as_ref(), &own)),
        status: options.status.clone().unwrap_or_else(|| "open".to_owned()),
        severity,
        severity_why,
        tags: tags(diagnosis, knowledge),
        verdict: diagnosis.verdict.word().to_owned(),
        fault: fault(diagnosis, knowledge),
        cascade: cascade(diagnosis),
        environment: rows,
        environment_line: environment::line(&own),
        environment_todo: todo,
        variables: environment::variables(&own),
        git: material.git.ok().map(git_state),
        git_why: material.git.err().unwrap_or_default().to_owned(),
        log: excerpt.text,
        log_note: excerpt.note,
        picture: diagnosis.picture.as_ref().map(plot::text),
        causes: causes(diagnosis),
        unlikely: unlikely(diagnosis),
        confirmed: confirmed(diagnosis),
        dead_ends: plan::dead_ends(diagnosis),
        phases: phases(diagnosis, &solutions, command.is_some()),
        solutions,
        prevention,
        comparison,
        probe: diagnosis
            .probe
            .as_ref()
            .map(|probe| Probe { level: probe.level.clone(), findings: probe.findings.clone() }),
        tests: tests(&diagnosis.environment),
        next_check: diagnosis.next_check.as_ref().and_then(|next| plan::check(&next.says, next.command.as_ref())),
        notes: diagnosis.notes.clone(),
        change: options.change.as_ref().map(|(commit, files)| change(commit, files)),
        tool: format!("faultbook {}", env!("CARGO_PKG_VERSION")),
        command,
        circumstances,
        error,
        ..Context::default()
    };
    context.summary = summary::summary(&context, diagnosis, &own);
    context
}

/// The facts of a diagnosis that are this run's own.
pub(crate) fn own_facts(diagnosis: &Diagnosis) -> Facts {
    environment::own(&diagnosis.environment)
}

fn fault(diagnosis: &Diagnosis, knowledge: &Knowledge) -> Option<Fault> {
    let fault = diagnosis.fault.as_ref()?;
    let entry = knowledge.book.find(&fault.id);
    Some(Fault {
        id: fault.id.clone(),
        title: fault.title.clone(),
        area: entry.map(|index| knowledge.book.faults[index].area.clone()).unwrap_or_default(),
        page: fault.page.clone(),
        meaning: entry.map(|index| plan::portable(&knowledge.book.fault(index).meaning)).unwrap_or_default(),
        line: fault.span.start.line,
        rank: fault.rank,
        lookalikes: fault.lookalikes.iter().map(|look| plan::one_line(look)).collect(),
    })
}

fn cascade(diagnosis: &Diagnosis) -> Vec<Consequence> {
    let echo = |echo: &crate::diagnosis::Consequence| Consequence {
        id: echo.id.clone(),
        title: echo.title.clone(),
        text: echo.text.clone(),
        line: echo.span.start.line,
        why: echo.why.clone(),
    };
    diagnosis.cascade.iter().map(echo).collect()
}

fn causes(diagnosis: &Diagnosis) -> Vec<Cause> {
    let named = diagnosis.causes.iter().enumerate().filter(is_named).take(CAUSES);
    named.enumerate().map(|(place, (_, cause))| cause_of(place + 1, cause)).collect()
}

/// Whether a cause is described in full: the first, and those that are likely or measured.
fn is_named((place, cause): &(usize, &RankedCause)) -> bool {
    *place == 0 || cause.probability >= plan::WELL_NAMED || cause.status != CauseStatus::Unverified
}

/// The other causes worth mentioning.
fn unlikely(diagnosis: &Diagnosis) -> Vec<String> {
    const WORTH_A_WORD: f64 = 0.01;
    let (named, rest): (Vec<_>, Vec<_>) = diagnosis.causes.iter().enumerate().partition(is_named);
    let named = named.into_iter().skip(CAUSES);
    let rest = named.chain(rest).map(|(_, cause)| cause).filter(|cause| cause.probability >= WORTH_A_WORD);
    rest.map(|cause| format!("{} ({}%)", plan::one_line(&cause.title), plan::percent(cause.probability))).collect()
}

/// Where in the run it happened, as a part of a sentence.
fn circumstance(words: &str) -> String {
    let known = [
        ("first step", "at the first step"),
        ("in init", "during setup"),
        ("in dataloader", "in the data loader"),
        ("in forward", "in the forward pass"),
        ("in backward", "in the backward pass"),
        ("in optimizer", "in the optimizer"),
        ("in validation", "during validation"),
        ("in import", "during an import"),
        ("in checkpoint", "while a checkpoint is saved or loaded"),
        ("in teardown", "at teardown"),
    ];
    known.iter().find(|(phase, _)| *phase == words).map_or(words, |(_, phrase)| phrase).to_owned()
}

fn cause_of(number: usize, cause: &RankedCause) -> Cause {
    let reasons = |supports: bool| -> Vec<Reason> {
        let reasons = cause.reasons.iter().filter(|reason| reason.supports == supports);
        reasons
            .map(|reason| Reason {
                says: plan::one_line(&reason.says),
                source: match reason.span {
                    // Another report is not an observation of this run.
                    _ if reason.source == Source::Report => "a similar report".to_owned(),
                    Some(span) => format!("{}, line {}", reason.source.word(), span.start.line),
                    None => reason.source.word().to_owned(),
                },
            })
            .collect()
    };
    let (reasons_for, reasons_against) = (reasons(true), reasons(false));
    // A measurement is listed once, with its source.
    let is_reason = |says: &String| reasons_for.iter().chain(&reasons_against).any(|reason| &reason.says == says);
    let status_says = cause.status_says.as_deref().map(plan::one_line).filter(|says| !is_reason(says));
    Cause {
        number,
        id: cause.id.clone(),
        title: plan::one_line(&cause.title),
        percent: plan::percent(cause.probability),
        status: cause.status.word().to_owned(),
        status_says,
        reasons_for,
        reasons_against,
        check: plan::check(&cause.check, cause.check_command.as_ref()),
    }
}

/// The probe's checks, as tests that passed or failed.
fn tests(facts: &Facts) -> Vec<Test> {
    let check_name = |name: &str| {
        let check_name = name.strip_prefix("ladder.")?;
        (!matches!(check_name, "holds" | "broken") && !check_name.starts_with("code."))
            .then(|| check_name.replace(['_', '.'], " "))
    };
    let known = facts.iter().filter_map(|(name, fact)| {
        let Value::Text(word) = &fact.value else { return None };
        let result = match word.as_str() {
            "ok" => "passed",
            "skipped" | "not reached" => "not run",
            _ => "failed",
        };
        let says = facts.why_unknown(name).map(plan::one_line).unwrap_or_default();
        let says = if says.is_empty() && result == "failed" { word.clone() } else { says };
        Some(Test { name: check_name(name)?, result: result.to_owned(), says })
    });
    let mut tests: Vec<Test> = known.collect();
    for (name, why) in facts.unknowns().filter(|(name, _)| facts.get(name).is_none()) {
        tests.extend(check_name(name).map(|name| Test {
            name,
            result: "not run".to_owned(),
            says: plan::one_line(why),
        }));
    }
    tests
}

/// The cause that a measurement confirmed.
fn confirmed(diagnosis: &Diagnosis) -> Option<String> {
    let cause = diagnosis.causes.iter().find(|cause| cause.status == CauseStatus::Confirmed)?;
    let says = cause.status_says.as_deref().map(|says| format!(" ({})", plan::one_line(says))).unwrap_or_default();
    Some(format!("{}, confirmed by measurement{says}", plan::one_line(&cause.title)))
}

fn severity(options: &ReportOptions, diagnosis: &Diagnosis, knowledge: &Knowledge) -> (String, String) {
    if let Some(severity) = &options.severity {
        return (severity.to_lowercase(), String::new());
    }
    let page = diagnosis.fault.as_ref().and_then(|fault| knowledge.book.find(&fault.id));
    let Some(severity) = page.map(|index| knowledge.book.faults[index].matter().severity) else {
        return ("TODO: critical, high, medium or low".to_owned(), String::new());
    };
    let (word, why) = match severity {
        Severity::Low => ("low", "an inconvenience"),
        Severity::Medium => ("medium", "the step or the feature is lost"),
        Severity::High => ("high", "the run is lost"),
        Severity::Critical => ("critical", "the machine or its results cannot be trusted"),
    };
    let id = diagnosis.fault.as_ref().map(|fault| fault.id.as_str()).unwrap_or_default();
    (word.to_owned(), format!("The rating of the page `{id}` for this kind of failure: {why}."))
}

fn tags(diagnosis: &Diagnosis, knowledge: &Knowledge) -> Vec<String> {
    let mut tags = vec!["bug_report".to_owned(), "troubleshooting".to_owned()];
    if let Some(fault) = &diagnosis.fault {
        let area = knowledge.book.find(&fault.id).map(|index| knowledge.book.faults[index].area.clone());
        tags.extend(area.filter(|area| !area.is_empty()));
        tags.push(fault.id.clone());
    }
    tags
}

/// The command line in force when it failed: the last one above the failure.
fn command(incident: &Incident, diagnosis: &Diagnosis, transcript: &Transcript) -> Option<String> {
    let failure = log::event(transcript, incident, diagnosis).map_or(transcript.len(), |event| event.headline);
    let commands = &incident.commands;
    let command = commands.iter().rfind(|command| command.at <= failure).or(commands.first())?;
    Some(spelled(command))
}

fn spelled(command: &CommandLine) -> String {
    let words = command.program.iter().cloned().chain(command.overrides.iter().map(|setting| setting.raw.clone()));
    clean::line(&words.collect::<Vec<_>>().join(" "))
}

fn git_state(state: &git::State) -> Git {
    Git {
        commit: state.commit.clone(),
        short: git::short(&state.commit).to_owned(),
        subject: state.subject.clone(),
        branch: state.branch.clone(),
        dirty: state.is_dirty == Some(true),
        clean: state.is_dirty == Some(false),
        source: state.source.clone(),
        changes: state.changes,
        changed: state.changed.clone(),
    }
}

fn change(commit: &git::Commit, files: &[git::Change]) -> Change {
    let file = |change: &git::Change| ChangedFile {
        path: change.path.clone(),
        lines: match (change.added, change.removed) {
            (Some(added), Some(removed)) => format!("+{added} -{removed}"),
            _ => "binary".to_owned(),
        },
    };
    Change {
        short: git::short(&commit.hash).to_owned(),
        day: commit.day.clone(),
        subject: commit.subject.clone(),
        files: files.iter().map(file).collect(),
    }
}

fn phases(diagnosis: &Diagnosis, solutions: &[super::context::Solution], has_command: bool) -> Vec<Phase> {
    let mut phases = plan::phases(diagnosis, solutions, has_command);
    // The check that distinguishes the causes best comes first, unless it is there already.
    if let (Some(next), Some(first)) = (&diagnosis.next_check, phases.first_mut()) {
        let says = plan::one_line(&next.says);
        match first.tasks.iter().position(|task| task.text.contains(&says)) {
            Some(place) => {
                let task = first.tasks.remove(place);
                first.tasks.insert(0, task);
            }
            None if !says.is_empty() => first.tasks.insert(0, Task { text: says, done: false }),
            None => {}
        }
    }
    phases
}
