//! `faultbook new [FILE
//! -]`: a bug report from a traceback, written into the project's folder of reports.
//!
//! Values from the command line take precedence; at a terminal it asks for what it could not find out. Prints the path
//! of the new file and nothing else on standard output.

use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use crate::diagnosis::Verdict;
use crate::facts::Facts;
use crate::reports::dates;
use crate::reports::draft::context::Context;
use crate::reports::draft::fill::{self, Material};
use crate::reports::draft::moment::Moment;
use crate::reports::draft::report::{self, New};
use crate::reports::draft::templates::Templates;
use crate::reports::draft::{code, duplicates, git, occurrence, report_config};
use crate::reports::knowledge::Knowledge;
use crate::reports::project::Project;
use crate::text::redact::Redactor;
use clap::Args;
use serde::Serialize;

use super::answers::Answers;
use super::common::Common;
use super::diagnose::{self, Analysis};
use super::exit::Exit;
use super::failure::{Failure, Result};
use super::format::{Format, FormatArg};
use super::input::{self, Input};
use super::output::{Output, json, remark};
use super::redactions::{self, Taken, taken};
use super::{complain, editor, here, open, questions};

#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// The log; `-` is standard input, which is also read if no file is given.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// Print the report instead of writing it.
    #[arg(long, conflicts_with_all = ["append", "edit"])]
    stdout: bool,

    /// The template to fill in; `faultbook templates` lists them.
    #[arg(long, default_value = "bug_report", value_name = "NAME")]
    template: String,

    /// Add an occurrence to this report instead of writing a new one.
    #[arg(long, value_name = "ID", conflicts_with = "template")]
    append: Option<String>,

    /// Keep secrets, user names and host names.
    #[arg(long)]
    no_redact: bool,

    /// List what was removed, without showing it.
    #[arg(long, conflicts_with = "no_redact")]
    show_redactions: bool,

    /// Open the report in $VISUAL or $EDITOR.
    #[arg(long)]
    edit: bool,

    /// Do not ask questions, even on a terminal.
    #[arg(long)]
    no_input: bool,

    /// The report's title.
    #[arg(long, value_parser = clap::builder::NonEmptyStringValueParser::new())]
    title: Option<String>,

    /// The report's severity.
    #[arg(long, value_name = "WORD", value_parser = ["critical", "high", "medium", "low"], ignore_case = true)]
    severity: Option<String>,

    /// The report's initial status.
    #[arg(long, value_name = "WORD", value_parser = super::status::word)]
    status: Option<String>,

    /// The command that was run, if the log does not show it.
    #[arg(long, value_name = "COMMAND")]
    command: Option<String>,

    /// The GPU that the run used before; adds a comparison of the two GPUs.
    #[arg(long, value_name = "GPU")]
    former_gpu: Option<String>,

    /// The report that the changes fix; for `--template code_changes`.
    #[arg(long = "for", value_name = "ID")]
    about: Option<String>,

    /// The commit whose changes are listed; for `--template code_changes`.
    #[arg(long, value_name = "REV")]
    commit: Option<String>,

    /// Also draw the run over time, as far as the log has it: ranks, memory, loss, throughput.
    #[arg(long, conflicts_with = "append")]
    plot: bool,

    /// The day and time of the failure, `2025-11-10 18:08`, instead of now.
    #[arg(long, value_name = "DATE", value_parser = moment)]
    date: Option<Moment>,

    #[command(flatten)]
    pub(crate) format: FormatArg<Format>,
}

/// The JSON (`faultbook/new/1`).
#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    id: &'a str,
    path: String,
    written: bool,
    looks_like: Option<Alike>,
    redactions: Vec<Taken>,
    text: Option<&'a str>,
}

#[derive(Serialize)]
struct Alike {
    id: String,
    path: String,
    score: f64,
    relation: String,
}

/// Writes or prints a report, or adds to one.
pub(crate) fn run(args: &Options, common: &Common) -> Result<Exit> {
    let output = &Output::new(common, args.format)?;
    let (project, knowledge) = open::project(common, false)?;
    let templates = templates(&project)?;
    templates.choose(&args.template)?;
    let scheme = report_config::scheme(&project.config)?;
    let former = args.former_gpu.as_deref().map(|name| super::fit::find_gpu(&knowledge.book, name)).transpose()?;
    let mut redactor = (!args.no_redact).then(|| Redactor::new(&report_config::known()));
    let log = log(args)?;
    let ran_here = here::ran(&log.bytes);
    let files = code::own_files(&log.bytes);
    let input = redacted(log, redactor.as_mut());
    let mut reading = diagnose::read(&input, &knowledge, &here::with_probe(common)?)?;
    if args.plot {
        reading.draw(&input);
    }
    let state = code::of_run(&open::here(), &project.roots, &files, &reading.transcript);
    if reading.diagnosis.verdict == Verdict::NoError && report::kind(&args.template) == "BUG" && args.title.is_none() {
        complain(&Failure::new("no error in this text, so nothing was written").hint(
            "pass a log that contains the traceback, or use `--title` to report something that the log does not show",
        ));
        return Ok(Exit::None);
    }
    let moment = args.date.clone().unwrap_or_else(Moment::now);
    let mut said = fill::ReportOptions {
        title: args.title.clone(),
        severity: args.severity.clone(),
        status: args.status.clone(),
        command: args.command.clone(),
        former_gpu: former.map(|gpu| gpu.name.clone()),
        about: args.about.as_deref().map(|id| open::one_report(&knowledge, id)).transpose()?,
        change: args.commit.as_deref().map(change).transpose()?,
        software: if ran_here { here::software(&reading, common)? } else { Facts::default() },
    };
    let git = state.as_ref().map_err(String::as_str);
    let context = |said: &fill::ReportOptions| {
        let Analysis { transcript, incident, diagnosis } = &reading;
        fill::fill(&Material { transcript, incident, diagnosis, knowledge: &knowledge, git }, said)
    };
    let mut filled = context(&said);

    let alike = duplicates::nearest(&reading.diagnosis).filter(|_| report::kind(&args.template) == "BUG");
    let mut append = args.append.clone();
    if asks(args) {
        match questions::about(alike.as_ref().filter(|_| append.is_none()), &filled, append.is_some())? {
            Answers::Stop => return Ok(Exit::None),
            Answers::Append(id) => append = Some(id),
            Answers::New { title, severity, command, rows } => {
                said.title = title.or(said.title);
                said.severity = severity.or(said.severity);
                said.command = command.or(said.command);
                filled = context(&said);
                filled.environment_todo.retain(|row| !rows.iter().any(|known| known.label == row.label));
                filled.environment.extend(rows);
            }
        }
    }
    if let Some(id) = append {
        return add(&id, &filled, &reading, &knowledge, &moment, redactor, args, common, output);
    }
    if let Some(alike) = &alike {
        remark(&format!("{}; `--append {}` adds this occurrence to it", alike.message(), alike.id));
    }

    let (configured, given) = (project.config.folder.as_ref(), !common.reports.is_empty());
    let folder = match report::writable_folder(configured, &project.roots, given, &open::here()) {
        Err(_) if args.stdout => open::here(),
        folder => folder?,
    };
    let mut new = New {
        templates: &templates,
        template: &args.template,
        context: &filled,
        diagnosis: &reading.diagnosis,
        knowledge: &knowledge,
        options: &said,
        folder: &folder,
        scheme: &scheme,
        moment: &moment,
        redactor,
    };
    let (created, text) = match args.stdout {
        true => new.preview().map(|(created, text)| (created, Some(text)))?,
        false => (new.write()?, None),
    };
    let redactor = new.redactor.take();
    redactions::say(redactor.as_ref(), args.show_redactions);
    let answer = Answer {
        schema: "faultbook/new/1",
        id: &created.id,
        path: open::shown(&created.path),
        written: text.is_none(),
        looks_like: alike.map(|alike| Alike {
            id: alike.id,
            path: alike.path,
            score: alike.score,
            relation: alike.relation,
        }),
        redactions: taken(redactor.as_ref()),
        text: text.as_deref(),
    };
    match (output.format, &text) {
        (Format::Json, _) => output.write(&json(&answer)?)?,
        (Format::Terminal | Format::Markdown, Some(text)) => output.document(text)?,
        (Format::Terminal | Format::Markdown, None) => output.verbatim(&format!("{}\n", answer.path))?,
    }
    if args.edit {
        editor::edit(&created.path)?;
    }
    Ok(Exit::Found)
}

/// Adds an occurrence to a report.
#[expect(clippy::too_many_arguments, reason = "everything that `run` has gathered, used once")]
fn add(
    id: &str,
    filled: &Context,
    reading: &Analysis,
    knowledge: &Knowledge,
    moment: &Moment,
    redactor: Option<Redactor>,
    args: &Options,
    common: &Common,
    output: &Output,
) -> Result<Exit> {
    let old = open::one_report(knowledge, id)?;
    open::may_write(common, &old.path)?;
    let own = fill::own_facts(&reading.diagnosis);
    let mut paragraph = occurrence::paragraph(&old, filled, &own, moment);
    let mut redactor = redactor;
    if let Some(redactor) = &mut redactor {
        paragraph = redactor.text(&paragraph).into_owned();
    }
    occurrence::append(&old.path, &paragraph)?;
    redactions::say(redactor.as_ref(), args.show_redactions);
    let path = open::shown(&old.path);
    match output.format {
        Format::Json => output.write(&json(&Answer {
            schema: "faultbook/new/1",
            id: &old.id,
            path,
            written: true,
            looks_like: None,
            redactions: taken(redactor.as_ref()),
            text: None,
        })?)?,
        Format::Terminal | Format::Markdown => output.verbatim(&format!("{path}\n"))?,
    }
    if args.edit {
        editor::edit(&old.path)?;
    }
    Ok(Exit::Found)
}

/// The text to report. A change log needs none.
fn log(args: &Options) -> Result<Input> {
    let needs_none = report::kind(&args.template) == "CHG" && args.append.is_none();
    match &args.file {
        None if needs_none => Ok(Input::default()),
        None => input::one(Path::new("-")),
        Some(file) => input::one(file),
    }
}

/// The text with secrets and personal data removed.
fn redacted(mut input: Input, redactor: Option<&mut Redactor>) -> Input {
    if let Some(redactor) = redactor {
        input.bytes = report_config::redacted(&input.bytes, redactor);
    }
    input
}

/// The templates of a project.
pub(crate) fn templates(project: &Project) -> Result<Templates> {
    Ok(report_config::templates(&project.config, &open::here())?)
}

fn change(revision: &str) -> Result<(git::Commit, Vec<git::Change>)> {
    let here = open::here();
    let commit = git::commit(&here, revision)?;
    let changes = git::changes(&here, &commit.hash)?;
    Ok((commit, changes))
}

/// Whether the user can be asked.
fn asks(args: &Options) -> bool {
    let from_file = args.file.as_ref().is_some_and(|file| file != Path::new("-"));
    cfg!(feature = "prompts")
        && from_file
        && !args.no_input
        && !args.stdout
        && io::stdin().is_terminal()
        && io::stdout().is_terminal()
}

fn moment(text: &str) -> Result<Moment, String> {
    // The report reader accepts a date with an invalid time; here the user can still correct it.
    dates::reading(text)
        .and_then(|text| Moment::parse(&text))
        .ok_or_else(|| "a day such as 2025-11-10, optionally with a time: 2025-11-10 18:08".to_owned())
}
