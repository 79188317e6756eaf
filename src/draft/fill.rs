//! From a diagnosis and what is known around it to the values of a template.
//!
//! Nothing is invented: a sentence is put together from what the text, the book, the probe and git say, and what none
//! of them says becomes a `TODO`. The surprising thing: facts that a similar report lent to the diagnosis are left out,
//! because they are not this run's.

use std::path::{Component, Path, PathBuf};

use super::context::{
    Cause, Change, ChangedFile, Comparison, Context, Echo, Fault, Git, Phase, PrimaryError, Probe, Reason, Related,
    Task, Test,
};
use super::{environment, git, log, plan};
use crate::book::report::Report;
use crate::book::schema::Severity;
use crate::diagnose::capacity::{self, Load};
use crate::diagnosis::{CauseStatus, Diagnosis, RankedCause, ReportHit, Verdict};
use crate::facts::{Facts, Source, Value};
use crate::incident::{CommandLine, Incident};
use crate::knowledge::Knowledge;
use crate::render::clean;
use crate::transcript::Transcript;

/// Causes that a report names.
const CAUSES: usize = 6;
/// Reports that are related.
const RELATED: usize = 8;

/// What a report is made from.
pub struct Material<'a> {
    /// The text.
    pub transcript: &'a Transcript,
    /// What it says.
    pub incident: &'a Incident,
    /// What that means.
    pub diagnosis: &'a Diagnosis,
    /// The book and the project's reports.
    pub knowledge: &'a Knowledge,
    /// The state of the code, or why it is not known.
    pub git: Result<&'a git::State, &'a str>,
}

/// What somebody says about the report, which takes the place of what was found out.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// The title.
    pub title: Option<String>,
    /// `critical`, `high`, `medium`, `low`.
    pub severity: Option<String>,
    /// The word with which it begins.
    pub status: Option<String>,
    /// The command that was run.
    pub command: Option<String>,
    /// The GPU on which it ran before.
    pub former_gpu: Option<String>,
    /// The report that the document is about.
    pub about: Option<Report>,
    /// A commit, with the files it changed.
    pub change: Option<(git::Commit, Vec<git::Change>)>,
}

/// Fills everything but the id, the date and the links, which depend on where the report will lie.
pub fn fill(material: &Material<'_>, asked: &Asked) -> Context {
    let Material { transcript, incident, diagnosis, knowledge, .. } = *material;
    let own = environment::own(&diagnosis.environment);
    let (rows, todo) = environment::rows(diagnosis, knowledge, &own);
    let excerpt = log::excerpt(transcript, incident, diagnosis);
    let command = asked.command.clone().or_else(|| command(incident, diagnosis, transcript));
    let solutions = plan::solutions(diagnosis);
    let comparison = comparison(asked, material, &own);
    let checklist = comparison.iter().flat_map(|comparison| comparison.checklist.iter().cloned());
    let prevention = checklist.chain(plan::prevention(command.is_some())).collect();
    let (severity, severity_why) = severity(asked, diagnosis, knowledge);
    let error = diagnosis.error.as_ref().map(primary_error);
    let circumstances = diagnosis.fault.as_ref().map(|fault| fault.circumstances.clone()).unwrap_or_default();
    let mut context = Context {
        title: asked.title.clone().unwrap_or_else(|| title(diagnosis, error.as_ref(), &own)),
        status: asked.status.clone().unwrap_or_else(|| "open".to_owned()),
        severity,
        severity_why,
        tags: tags(diagnosis, knowledge),
        verdict: match diagnosis.verdict {
            Verdict::KnownFault => "known-fault",
            Verdict::UnlistedError => "unlisted-error",
            Verdict::NoError => "no-error",
        }
        .to_owned(),
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
        causes: causes(diagnosis),
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
        change: asked.change.as_ref().map(|(commit, files)| change(commit, files)),
        tool: format!("faultbook {}", env!("CARGO_PKG_VERSION")),
        command,
        circumstances,
        error,
        ..Context::default()
    };
    context.summary = summary(&context, diagnosis, &own);
    context
}

/// Reports that have to do with the failure, and the one a document is about, with links from `file`.
pub fn related(context: &mut Context, diagnosis: &Diagnosis, knowledge: &Knowledge, asked: &Asked, file: &Path) {
    let folder = file.parent().unwrap_or(Path::new(""));
    context.about = asked.about.as_ref().map(|report| Related {
        id: report.id.clone(),
        title: report.title.clone(),
        status: report.status.clone(),
        link: way(folder, &report.path),
        relation: "what this document is about".to_owned(),
        ..Related::default()
    });
    let about = context.about.as_ref().map(|about| about.id.clone());
    context.related = diagnosis
        .reports
        .iter()
        .filter(|hit| Some(&hit.id) != about.as_ref())
        .map(|hit| Related {
            id: hit.id.clone(),
            title: hit.title.clone(),
            status: hit.status.clone(),
            link: way(folder, Path::new(&hit.path)),
            relation: relation(hit),
            score: hit.score,
            why: hit.why.clone(),
        })
        .collect();
    // Reports on what followed here, as a failure of its own there.
    let index = if diagnosis.cascade.is_empty() || !knowledge.has_reports() { None } else { knowledge.index() };
    for entry in index.into_iter().flat_map(|index| index.entries()) {
        let echo = diagnosis.cascade.iter().find(|echo| entry.faults.first() == Some(&echo.id));
        let known = context.related.iter().any(|other| other.id == entry.id) || Some(&entry.id) == about.as_ref();
        if let (Some(echo), false) = (echo, known) {
            context.related.push(Related {
                id: entry.id.clone(),
                title: entry.title.clone(),
                status: entry.status.clone(),
                link: way(folder, &entry.path),
                relation: "reports what followed here".to_owned(),
                score: 0.0,
                why: vec![echo.title.clone()],
            });
        }
    }
    context.related.truncate(RELATED);
}

/// The facts of a diagnosis that are this run's own.
pub fn own_facts(diagnosis: &Diagnosis) -> Facts {
    environment::own(&diagnosis.environment)
}

/// In which way a report is alike, in words.
pub fn relation(hit: &ReportHit) -> String {
    let has = |words: &str| hit.why.iter().any(|why| why.starts_with(words));
    match (has("same fault"), has("same frame"), has("same error text")) {
        (true, true, _) => "same fault, same frames",
        (true, false, true) => "same fault, same error text",
        (true, false, false) => "same fault",
        (false, true, _) => "same frames, another fault",
        (false, false, true) => "same error text",
        (false, false, false) => "similar",
    }
    .to_owned()
}

/// The relative way from a folder to a file, with slashes.
fn way(folder: &Path, file: &Path) -> String {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (folder, file) = (absolute(folder), absolute(file));
    let parts = |path: &Path| -> Vec<std::ffi::OsString> {
        path.components()
            .filter(|part| !matches!(part, Component::CurDir))
            .map(|part| part.as_os_str().to_owned())
            .collect()
    };
    let (from, to) = (parts(&folder), parts(&file));
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n(std::ffi::OsString::from(".."), from.len() - common);
    let path: PathBuf = up.chain(to.into_iter().skip(common)).collect();
    // A space or a parenthesis would end a link.
    path.to_string_lossy()
        .replace('\\', "/")
        .replace('%', "%25")
        .replace(' ', "%20")
        .replace('(', "%28")
        .replace(')', "%29")
}

fn title(diagnosis: &Diagnosis, error: Option<&PrimaryError>, own: &Facts) -> String {
    let what = match (&diagnosis.fault, error) {
        (Some(fault), _) => fault.title.clone(),
        (None, Some(error)) => match &error.function {
            Some(function) if !function.starts_with('<') => format!("{} in {function}", error.short),
            _ => error.short.clone(),
        },
        (None, None) => return "TODO: name the bug in one line".to_owned(),
    };
    match own.text("gpu.name").and(environment::gpu_in_words(own)) {
        Some(gpu) => format!("{what} on {}", gpu.trim_start_matches("NVIDIA ").trim_start_matches("GeForce ")),
        None => what,
    }
}

/// One sentence out of what is known; empty when nothing failed.
fn summary(context: &Context, diagnosis: &Diagnosis, own: &Facts) -> String {
    let Some(error) = &context.error else { return String::new() };
    let mut says = match error.rank {
        Some(rank) => format!("Rank {rank} of the run stops"),
        None => "The run stops".to_owned(),
    };
    says.push_str(&format!(" with {}", super::templates::code(&error.short)));
    if let Some(place) = &error.place {
        says.push_str(&format!(" in {}", super::templates::code(place)));
    }
    for part in &context.circumstances {
        says.push_str(&format!(", {part}"));
    }
    if let Some(gpu) = environment::gpu_in_words(own) {
        says.push_str(&format!(", on {gpu}"));
    }
    match (&context.fault, &context.confirmed, context.causes.first()) {
        (Some(fault), Some(confirmed), _) => {
            says.push_str(&format!(": {} ({}); {confirmed}", mid(&fault.title), super::templates::code(&fault.id)));
        }
        (Some(fault), None, Some(cause)) => {
            let id = super::templates::code(&fault.id);
            says.push_str(&format!(
                ": {} ({id}), likeliest because {} ({} %, not confirmed)",
                mid(&fault.title),
                mid(&cause.title),
                cause.percent
            ));
        }
        (Some(fault), None, None) => says.push_str(&format!(": {}", mid(&fault.title))),
        (None, ..) => says.push_str(", which is no failure that the book holds"),
    }
    let echoes = diagnosis.cascade.len();
    if echoes > 0 {
        says.push_str(&format!("; {echoes} later error{} followed from it", if echoes == 1 { "" } else { "s" }));
    }
    says.push('.');
    says
}

/// A title inside a sentence.
fn mid(title: &str) -> String {
    crate::render::words::mid_sentence(crate::render::words::open_ended(&plan::one_line(title)))
}

fn primary_error(error: &crate::diagnosis::PrimaryError) -> PrimaryError {
    const SHORT: usize = 100;
    let message = error.message.trim();
    let headline = match (error.type_name.as_str(), message) {
        ("", message) => message.to_owned(),
        (name, "") => name.to_owned(),
        (name, message) if message.starts_with(name) => message.to_owned(),
        (name, message) => format!("{name}: {message}"),
    };
    let line = clean::line(headline.lines().next().unwrap_or_default());
    // A sentence of the message where there is one: what follows is usually advice.
    let end = line.find(". ").filter(|end| *end > 20).unwrap_or(line.len());
    let sentence = line.get(..end).unwrap_or(&line);
    let short = match sentence.chars().count() > SHORT {
        true => sentence.chars().take(SHORT - 3).collect::<String>().trim_end().to_owned() + "...",
        false => sentence.to_owned(),
    };
    let frame = error.frame.as_ref();
    PrimaryError {
        kind: error.type_name.clone(),
        message: message.to_owned(),
        headline,
        short,
        place: frame
            .map(|frame| if frame.line > 0 { format!("{}:{}", frame.file, frame.line) } else { frame.file.clone() }),
        function: frame.map(|frame| frame.function.clone()).filter(|function| !function.is_empty()),
        line: error.span.start.line,
        rank: error.rank,
    }
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

fn cascade(diagnosis: &Diagnosis) -> Vec<Echo> {
    let echo = |echo: &crate::diagnosis::Echo| Echo {
        id: echo.id.clone(),
        title: echo.title.clone(),
        text: echo.text.clone(),
        line: echo.span.start.line,
        why: echo.why.clone(),
    };
    diagnosis.cascade.iter().map(echo).collect()
}

fn causes(diagnosis: &Diagnosis) -> Vec<Cause> {
    let worth = |cause: &&RankedCause| cause.probability >= 0.01 || cause.status != CauseStatus::Unverified;
    let named = diagnosis.causes.iter().take(1).chain(diagnosis.causes.iter().skip(1).filter(worth)).take(CAUSES);
    named.enumerate().map(|(place, cause)| cause_of(place + 1, cause)).collect()
}

fn cause_of(number: usize, cause: &RankedCause) -> Cause {
    let reasons = |supports: bool| {
        let reasons = cause.reasons.iter().filter(|reason| reason.supports == supports);
        reasons
            .map(|reason| Reason {
                says: plan::one_line(&reason.says),
                source: match reason.span {
                    // What another report says is no observation of this run.
                    _ if reason.source == Source::Report => "a similar report".to_owned(),
                    Some(span) => format!("{}, line {}", reason.source.word(), span.start.line),
                    None => reason.source.word().to_owned(),
                },
            })
            .collect()
    };
    Cause {
        number,
        id: cause.id.clone(),
        title: plan::one_line(&cause.title),
        percent: plan::percent(cause.probability),
        status: status_word(cause.status).to_owned(),
        status_says: cause.status_says.clone(),
        reasons_for: reasons(true),
        reasons_against: reasons(false),
        check: plan::check(&cause.check, cause.check_command.as_ref()),
    }
}

fn status_word(status: CauseStatus) -> &'static str {
    match status {
        CauseStatus::Confirmed => "confirmed",
        CauseStatus::Supported => "supported",
        CauseStatus::Refuted => "refuted",
        CauseStatus::Unverified => "unverified",
    }
}

/// The rungs of the probe's ladder, as tests that passed or failed.
fn tests(facts: &Facts) -> Vec<Test> {
    let rung = |name: &str| {
        let rung = name.strip_prefix("ladder.")?;
        (!matches!(rung, "holds" | "broken") && !rung.starts_with("code.")).then(|| rung.replace(['_', '.'], " "))
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
        Some(Test { name: rung(name)?, result: result.to_owned(), says })
    });
    let mut tests: Vec<Test> = known.collect();
    for (name, why) in facts.unknowns().filter(|(name, _)| facts.get(name).is_none()) {
        tests.extend(rung(name).map(|name| Test { name, result: "not run".to_owned(), says: plan::one_line(why) }));
    }
    tests
}

/// The cause that a measurement settled.
fn confirmed(diagnosis: &Diagnosis) -> Option<String> {
    let cause = diagnosis.causes.iter().find(|cause| cause.status == CauseStatus::Confirmed)?;
    let says = cause.status_says.as_deref().map(|says| format!(" ({})", plan::one_line(says))).unwrap_or_default();
    Some(format!("{}, confirmed by measurement{says}", plan::one_line(&cause.title)))
}

fn severity(asked: &Asked, diagnosis: &Diagnosis, knowledge: &Knowledge) -> (String, String) {
    if let Some(severity) = &asked.severity {
        return (severity.to_lowercase(), String::new());
    }
    let page = diagnosis.fault.as_ref().and_then(|fault| knowledge.book.find(&fault.id));
    let Some(severity) = page.map(|index| knowledge.book.faults[index].matter.severity) else {
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
        dirty: state.changes > 0,
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
    // The one check that separates the causes most comes first, unless it is there already.
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

/// The former GPU beside this one, where somebody or the text names it.
fn comparison(asked: &Asked, material: &Material<'_>, own: &Facts) -> Option<Comparison> {
    let hardware = &material.knowledge.book.hardware;
    let now = own.text("gpu.name").and_then(|name| {
        let memory = environment::gpu_in_words(own);
        hardware.gpu(memory.as_deref().unwrap_or(name)).or_else(|| hardware.gpu(name))
    })?;
    let told = asked.former_gpu.clone().or_else(|| former_gpu(material.transcript));
    let former = hardware.gpu(&told?).filter(|former| former.name != now.name)?;
    let batch = match own.get("run.batch_size").map(|fact| &fact.value) {
        Some(Value::Number(batch)) if *batch >= 1.0 && *batch < 1e6 => Some(*batch as u32),
        _ => None,
    };
    let load = Load { batch: batch.unwrap_or(1), overhead: capacity::OVERHEAD, used: None };
    let fit = capacity::fit(former, now, load).ok()?;
    let mut rows = fit.comparison.clone();
    if let Some(batch) = batch {
        rows.push([
            "Batch size".to_owned(),
            "TODO: the batch that ran".to_owned(),
            format!("{batch} fails"),
            format!("estimate: {} at a time, {} times before a step", fit.proposal.batch, fit.proposal.accumulation),
        ]);
    }
    Some(Comparison { from: former.name.clone(), to: now.name.clone(), rows, checklist: fit.checklist.to_vec() })
}

/// A GPU that the text itself calls the former one.
fn former_gpu(transcript: &Transcript) -> Option<String> {
    const WORDS: [&str; 7] = [
        "migrated from ",
        "moved from ",
        "previously on ",
        "formerly on ",
        "worked on ",
        "works on ",
        "used to run on ",
    ];
    transcript.lines().find_map(|line| {
        if line.text.len() > 2000 {
            return None;
        }
        let lower = line.text.to_ascii_lowercase();
        let word = WORDS.iter().find(|word| lower.contains(**word))?;
        let at = lower.find(word)? + word.len();
        let said: String = line.text.get(at..)?.chars().take(60).collect();
        Some(said.split([';', ')']).next().unwrap_or_default().to_owned())
    })
}
