//! `faultbook run -- COMMAND ...`: runs a command without changing how it behaves, and diagnoses its output if it
//! fails.
//!
//! Standard output belongs to the command; our output goes to standard error, and only after a failure. The exit code
//! is always the command's.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::diagnosis::Measured;
use crate::diagnosis::{Diagnosis, Verdict};
use crate::facts::Facts;
use crate::hint::Hint as _;
use crate::incident::{Incident, Role};
use crate::render::clean;
use crate::render::json;
use crate::reports::draft::fill::ReportOptions;
use crate::reports::draft::noninteractive::{self, DraftRequest};
use crate::reports::knowledge::Knowledge;
use crate::reports::project::Project;
use crate::runner::{self, Outcome};
use crate::text::Transcript;
use anstream::{AutoStream, ColorChoice};
use clap::Args;

use super::common::{Color, Common};
use super::exit::Exit;
use super::failure::{self, Failure, Result};
use super::format::{AnswerFormat, FormatArg, Formats as _};
use super::input::Input;
use super::inside::Folder as Inside;
use super::output::{Output, answer_aside, remark};
#[cfg(feature = "machine")]
use super::probe;
use super::reduce::Selection;
use super::tail::Tail;
use super::{complain, diagnose, here, open};

#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Keep the complete output in this file.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,

    /// After a failure, draft a bug report in the project's reports folder and print its path.
    #[arg(long)]
    new: bool,

    /// After a failure, run this shell command with the answer as JSON on its standard input.
    #[arg(long, value_name = "CMD")]
    on_failure: Option<String>,

    #[command(flatten)]
    pub(crate) format: FormatArg<AnswerFormat>,

    /// The command and its arguments; put options of `faultbook run` before it.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

pub(crate) fn run(args: &Options, common: &Common) -> Result<Exit> {
    let output = Output::new(common, args.format)?;
    let Some((program, arguments)) = args.command.split_first() else { return Ok(Exit::Usage) };
    let mut log = args.log.as_deref().map(Log::create).transpose()?;
    let mut tail = Tail::new();
    let folder = Inside::create();
    let ended = runner::run(program, arguments, &folder.variables(), &mut |stream, bytes| {
        tail.push(stream, bytes);
        if let Some(log) = &mut log {
            log.write(bytes);
        }
    });
    let outcome = match ended {
        Ok(outcome) => outcome,
        Err(error) => {
            complain(&refused(&error));
            return Ok(Exit::Child(error.code()));
        }
    };
    if !outcome.is_success() {
        // The command's exit code is returned even if we cannot print anything.
        if let Err(error) = report(args, outcome, tail, &folder, common, &output) {
            complain(&error);
        }
    }
    Ok(Exit::Child(outcome.code))
}

/// Why the command could not be run.
fn refused(error: &runner::Error) -> Failure {
    let (runner::Error::Start { source, .. } | runner::Error::Watch { source, .. }) = error;
    let failure = Failure::new(format!("{error}: {}", failure::reason(source)));
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// Explains below the output why the command failed.
fn report(
    args: &Options,
    outcome: Outcome,
    tail: Tail,
    folder: &Inside,
    common: &Common,
    output: &Output<AnswerFormat>,
) -> Result<()> {
    // First of all, because the machine's state changes after the failure.
    let mut moment = Moment::of_death(common)?;
    let (project, knowledge) = open::project(common, false)?;
    let input = tail.finish();
    moment.complete(folder, &input.bytes);
    let reading = diagnose::read_with(&input, &knowledge, &|_, incident| Ok(moment.measured(incident)))?;
    // It ran here, wherever its devices were.
    let software = if args.new { here::software(&reading, common)? } else { Facts::default() };
    let mut diagnosis = reading.diagnosis;
    // After Ctrl-C the user knows why it ended, unless the output contains a failure that made them press it.
    if outcome.was_stopped() && diagnosis.fault.is_none() {
        return Ok(());
    }
    let reports_nothing = diagnosis.verdict == Verdict::NoError;
    diagnosis.ended_badly(&outcome.describe());
    if output.format == AnswerFormat::Terminal && is_answered(&reading.incident, &reading.transcript) {
        remark(&format!("the command ended with {}; the answer is above", outcome.describe()));
    } else {
        show(&diagnosis, outcome, common, output)?;
    }
    let drafted = args.new.then(|| {
        let command = in_words(&args.command);
        // A report needs a name if the output does not suggest one.
        let title = reports_nothing.then(|| format!("{command} ended with {}", outcome.describe()));
        let options = ReportOptions { title, command: Some(command), software, ..ReportOptions::default() };
        draft(options, &input, &moment, &project, &knowledge, common)
    });
    let report = match drafted.transpose() {
        Ok(report) => report,
        // Run the `--on-failure` command anyway.
        Err(error) => {
            complain(&error);
            None
        }
    };
    if let Some(command) = &args.on_failure {
        hand_over(command, &json::render(&diagnosis), outcome, args.log.as_deref(), report.as_deref());
    }
    Ok(())
}

/// Whether the output ends with our answer: the command ran another `faultbook run`.
fn is_answered(incident: &Incident, transcript: &Transcript) -> bool {
    let last = transcript.lines().rfind(|line| !line.text.trim().is_empty());
    last.is_some_and(|line| incident.roles.get(line.index) == Some(&Role::Answer))
}

/// Drafts a bug report and prints its path.
fn draft(
    options: ReportOptions,
    input: &Input,
    moment: &Moment,
    project: &Project,
    knowledge: &Knowledge,
    common: &Common,
) -> Result<PathBuf> {
    let drafted = noninteractive::write(&DraftRequest {
        text: &input.bytes,
        template: noninteractive::TEMPLATE,
        keep: BTreeSet::new(),
        excerpt: input.selection.as_ref().map(Selection::excerpt).unwrap_or_default(),
        options,
        knowledge,
        config: &project.config,
        roots: &project.roots,
        roots_given: !common.reports.is_empty(),
        here: &open::here(),
        measure: &|incident| moment.measured(incident),
    })?;
    if let Some(alike) = &drafted.alike {
        remark(&format!("{}; `faultbook new --append {}` adds an occurrence to it instead", alike.message(), alike.id));
    }
    if drafted.secrets > 0 {
        remark("secrets in the output were left out of the report; revoke them if others have seen the output");
    }
    remark(&format!("drafted {}", open::shown(&drafted.path)));
    Ok(drafted.path)
}

/// A command as it would be typed.
fn in_words(command: &[OsString]) -> String {
    let plain = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "-_=+.,/:@%^".contains(c));
    let quoted = |word: &OsString| {
        let word = word.to_string_lossy();
        if plain(&word) { word.into_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
    };
    command.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// The machine's facts from when the command died.
struct Moment {
    #[cfg(feature = "machine")]
    outcome: Option<crate::machine::Outcome>,
}

impl Moment {
    #[cfg(feature = "machine")]
    fn of_death(common: &Common) -> Result<Self> {
        Ok(Self { outcome: probe::at_death(common)? })
    }

    #[cfg(not(feature = "machine"))]
    fn of_death(_common: &Common) -> Result<Self> {
        Ok(Self {})
    }

    /// Puts what the failing process recorded before what a probe found after it had died.
    #[cfg(feature = "machine")]
    fn complete(&mut self, folder: &Inside, text: &[u8]) {
        if let Some(mut inside) = folder.first(text) {
            if let Some(probe) = &self.outcome {
                inside.complete(probe);
            }
            self.outcome = Some(inside);
        }
    }

    #[cfg(not(feature = "machine"))]
    fn complete(&mut self, _: &Inside, _: &[u8]) {}

    /// Those that apply to the run in a text.
    #[cfg(feature = "machine")]
    fn measured(&self, incident: &Incident) -> Option<Measured> {
        self.outcome.as_ref().map(|outcome| probe::related(outcome, &incident.facts))
    }

    #[cfg(not(feature = "machine"))]
    fn measured(&self, _incident: &Incident) -> Option<Measured> {
        None
    }
}

fn show(diagnosis: &Diagnosis, outcome: Outcome, common: &Common, output: &Output<AnswerFormat>) -> Result<()> {
    let choice = match common.color {
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
        Color::Auto => AutoStream::choice(&io::stderr()),
    };
    let mut output = *output;
    output.terminal.color = choice != ColorChoice::Never;
    let mut text = diagnose::rendered(diagnosis, output.format, output.screen(common), None);
    if output.format == AnswerFormat::Terminal {
        text = format!("\nfaultbook: the command ended with {}\n\n{text}", outcome.describe());
    }
    answer_aside(&text, output.format.encoding(), choice);
    Ok(())
}

/// Passes the answer to the user's `--on-failure` command.
fn hand_over(command: &str, answer: &str, outcome: Outcome, log: Option<&Path>, report: Option<&Path>) {
    let (shell, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let mut child = Command::new(shell);
    child.args([flag, command]).env("FAULTBOOK_EXIT_CODE", outcome.code.to_string()).stdin(Stdio::piped());
    if let Some(log) = log {
        child.env("FAULTBOOK_LOG", log);
    }
    if let Some(report) = report {
        child.env("FAULTBOOK_REPORT", report);
    }
    let ended = child.spawn().and_then(|mut child| {
        if let Some(mut stdin) = child.stdin.take() {
            // A command that does not read its input is fine.
            let _ = stdin.write_all(answer.as_bytes());
        }
        child.wait()
    });
    match ended {
        Ok(status) if status.success() => {}
        Ok(status) => remark(&format!("the command of --on-failure failed ({status})")),
        Err(error) => remark(&format!("the command of --on-failure could not run: {}", failure::reason(&error))),
    }
}

/// The file for the complete output.
struct Log {
    path: PathBuf,
    file: Option<File>,
}

impl Log {
    fn create(path: &Path) -> Result<Self> {
        let file = File::create(path).map_err(|error| {
            Failure::new(format!("could not write `{}`: {}", path.display(), failure::reason(&error)))
        })?;
        Ok(Self { path: path.to_owned(), file: Some(file) })
    }

    /// A full disk must not end the run: the log stops, the command continues.
    fn write(&mut self, bytes: &[u8]) {
        let Some(file) = &mut self.file else { return };
        if let Err(error) = file.write_all(bytes) {
            let says = format!("`{}` is incomplete: {}", self.path.display(), failure::reason(&error));
            remark(&clean::line(&says));
            self.file = None;
        }
    }
}
