//! `faultbook diagnose [FILE|-]...`: which failure a text shows. Several texts are diagnosed one after the other.

use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

use crate::diagnosis::picture::RunPicture;
use crate::diagnosis::{Diagnosis, Verdict};
use crate::diagnosis::{Located, Measured, locate};
use crate::incident;
use crate::render::finding::Findings;
use crate::render::layout::{Paragraph, Sheet};
use crate::render::style::STRONG;
use crate::render::terminal::{self, Terminal};
use crate::render::{brief, github, json, junit, markdown, plot, sarif};
use crate::reports::knowledge::Knowledge;
use crate::text;
use clap::{Args, ValueEnum};

use super::common::Common;
use super::exit::Exit;
use super::failure::{Failure, Result};
use super::format::{AnswerFormat, FormatArg, Formats};
use super::input::Input;
use super::output::{Output, Screen, remark};
use super::{clipboard, complain, input, open, progress, svg};

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Options {
    /// Logs to diagnose; `-` is standard input, which is also read if no file is given.
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Diagnose the clipboard.
    #[arg(long, conflicts_with = "files")]
    pub(crate) clipboard: bool,

    /// Also show the run over time: who failed first, memory, loss and throughput as far as the log has them.
    #[arg(long)]
    pub(crate) plot: bool,

    /// Write that picture as SVG to this file; `-` prints it instead of the answer.
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,

    /// A text from the command line.
    #[arg(skip)]
    pub(crate) text: Option<String>,

    #[command(flatten)]
    pub(crate) format: FormatArg<DiagnoseFormat>,
}

impl Options {
    /// The text from the command line.
    pub(crate) fn typed(&self) -> Input {
        Input::of(self.text.clone().unwrap_or_default().into_bytes())
    }
}

/// The formats of `diagnose`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiagnoseFormat {
    Terminal,
    /// For programs: schema faultbook/diagnosis/2. If there are several answers, each is one line.
    #[value(alias = "jsonl")]
    Json,
    /// For an issue tracker.
    Markdown,
    /// For a language model: under 2 KB.
    Brief,
    /// For code scanning.
    Sarif,
    /// For annotations on GitHub.
    Github,
    /// For runners that show test reports.
    Junit,
}

impl Formats for DiagnoseFormat {
    const TERMINAL: Self = Self::Terminal;
}

/// How several answers are combined.
enum Writer {
    /// One after the other.
    Each(AnswerFormat),
    /// As findings in one document.
    Together(fn(&Findings) -> String),
}

impl Writer {
    fn of(format: DiagnoseFormat) -> Self {
        match format {
            DiagnoseFormat::Terminal => Self::Each(AnswerFormat::Terminal),
            DiagnoseFormat::Json => Self::Each(AnswerFormat::Json),
            DiagnoseFormat::Markdown => Self::Each(AnswerFormat::Markdown),
            DiagnoseFormat::Brief => Self::Each(AnswerFormat::Brief),
            DiagnoseFormat::Sarif => Self::Together(sarif::render),
            DiagnoseFormat::Github => Self::Together(github::render),
            DiagnoseFormat::Junit => Self::Together(junit::render),
        }
    }
}

/// Diagnoses files, the clipboard, or standard input if neither is given.
///
/// A file that cannot be read does not prevent the others from being diagnosed; the exit code reports it.
pub(crate) fn run(options: &Options, common: &Common) -> Result<Exit> {
    let output = Output::new(common, options.format)?;
    // The process ends after this: the system takes back at once what it would give back piece by piece.
    let knowledge = ManuallyDrop::new(open::knowledge(common, false)?);
    let unnamed = [PathBuf::from(if options.clipboard { CLIPBOARD } else { "-" })];
    let files = if options.files.is_empty() { unnamed.as_slice() } else { &options.files };
    let writer = Writer::of(output.format);
    let mut exits = Vec::with_capacity(files.len());
    let mut together = Findings::default();
    let mut place = 0;
    for file in files {
        let mut visit = |name: &Path, read: Result<Input>| {
            let input = match read {
                Ok(input) => input,
                Err(error) => {
                    complain(&error);
                    exits.push(Exit::Usage);
                    return Ok(());
                }
            };
            let mut reading = self::read(&input, &knowledge, common)?;
            if options.plot || options.svg.is_some() {
                reading.draw(&input);
            }
            let Analysis { diagnosis, .. } = reading;
            exits.push(match diagnosis.verdict {
                Verdict::KnownFault | Verdict::OrdinaryError => Exit::Found,
                Verdict::UnlistedError | Verdict::NoError => Exit::None,
            });
            place += 1;
            if let Some(file) = &options.svg {
                // Several pictures in one file would be none.
                if place > 1 {
                    return Err(Failure::new("`--svg` draws one log, and here are several").hint("name one of them"));
                }
                let picture = diagnosis.picture.clone().unwrap_or_default();
                if svg::write(file, &plot::svg(&picture), plot::is_ours, &output)? {
                    return Ok(());
                }
            }
            match writer {
                Writer::Together(_) => together.add(&shown(name), &diagnosis),
                Writer::Each(format) => {
                    // A member of an archive is one of several.
                    let several = files.len() > 1 || name != file.as_path();
                    let mut text =
                        if several { heading(name, place - 1, format, output.terminal) } else { String::new() };
                    let of_several = several.then(|| shown(name));
                    text.push_str(&rendered(&diagnosis, format, output.screen(common), of_several.as_deref()));
                    match common.verbose && !several {
                        true => output.page(&text, common)?,
                        false => output.write(&text)?,
                    }
                }
            }
            Ok(())
        };
        match options.clipboard {
            true => visit(file, clipboard::text().map(|text| Input::of(text.into_bytes())))?,
            false if options.text.is_some() => visit(file, Ok(options.typed()))?,
            false => input::each(file, &mut visit)?,
        }
    }
    if let Writer::Together(render) = writer {
        output.write(&render(&together))?;
    }
    Ok(Exit::of_all(exits))
}

/// The name of the clipboard in an answer.
const CLIPBOARD: &str = "clipboard";

/// The name of a text in an answer.
fn shown(file: &Path) -> String {
    if file == Path::new("-") { "standard input".to_owned() } else { file.display().to_string() }
}

/// Diagnoses one text.
pub(crate) fn answer(input: &Input, knowledge: &Knowledge, common: &Common) -> Result<Diagnosis> {
    Ok(read(input, knowledge, common)?.diagnosis)
}

/// A text with the results of each stage.
pub(crate) struct Analysis {
    pub(crate) transcript: text::Transcript,
    pub(crate) incident: incident::Incident,
    pub(crate) diagnosis: Diagnosis,
}

impl Analysis {
    /// Adds the picture of the run to the answer.
    pub(crate) fn draw(&mut self, input: &Input) {
        self.diagnosis.picture = RunPicture::of(&self.transcript, &self.incident, &self.diagnosis, &input.bytes);
        if self.diagnosis.picture.is_none() {
            remark("nothing to plot: the log has neither ranks, nor a silence, nor three readings of one kind");
        }
    }
}

/// Reads and diagnoses a text, with the machine's facts if they are available or requested.
pub(crate) fn read(input: &Input, knowledge: &Knowledge, common: &Common) -> Result<Analysis> {
    read_with(input, knowledge, &|located, incident| measured(located, incident, common))
}

/// The measured facts, requested after the failures in the text are known.
type Measure<'m> = dyn Fn(&Located<'_>, &incident::Incident) -> Result<Option<Measured>> + 'm;

/// Reads and diagnoses one text.
pub(crate) fn read_with(input: &Input, knowledge: &Knowledge, measure: &Measure<'_>) -> Result<Analysis> {
    if let Some(selection) = &input.selection {
        // Printed at once, because a long text also takes long to diagnose; the answer repeats it.
        remark(&selection.note());
    }
    let stage = input.is_long().then(|| progress::stage("diagnosing"));
    let transcript = input.transcript();
    let incident = incident::read(&transcript);
    let located = locate(&transcript, &incident, knowledge.library());
    let diagnosis = located.diagnose(&measure(&located, &incident)?.unwrap_or_default());
    if let Some(stage) = stage {
        stage.finish_and_clear();
    }
    drop(located);
    Ok(Analysis { transcript, incident, diagnosis })
}

/// The machine's facts, if they are available or requested.
#[cfg(feature = "machine")]
fn measured(located: &Located<'_>, incident: &incident::Incident, common: &Common) -> Result<Option<Measured>> {
    super::probe::measured(located, &incident.facts, common)
}

/// Without the probe nothing is measured.
#[cfg(not(feature = "machine"))]
fn measured(_: &Located<'_>, _: &incident::Incident, _: &Common) -> Result<Option<Measured>> {
    Ok(None)
}

/// Prints one answer; `one_of_several` is the name of its text.
pub(crate) fn rendered(
    diagnosis: &Diagnosis,
    format: AnswerFormat,
    screen: Screen,
    one_of_several: Option<&str>,
) -> String {
    match format {
        AnswerFormat::Terminal if screen.in_full => terminal::render_in_full(diagnosis, screen.terminal),
        AnswerFormat::Terminal => terminal::render(diagnosis, screen.terminal),
        AnswerFormat::Markdown => markdown::render(diagnosis),
        AnswerFormat::Brief => brief::render(diagnosis),
        AnswerFormat::Json => match one_of_several {
            Some(name) => json::render_line_of(name, diagnosis),
            None => json::render(diagnosis),
        },
    }
}

/// Names the text that an answer belongs to. JSON has no heading: one line per text, in the order of the inputs.
fn heading(file: &Path, place: usize, format: AnswerFormat, terminal: Terminal) -> String {
    let name = shown(file);
    let gap = if place == 0 { "" } else { "\n" };
    match format {
        AnswerFormat::Terminal => {
            let mut sheet = Sheet::new(terminal.width, terminal.color);
            sheet.paragraph(&Paragraph::new(format!("==> {name} <==")).style(STRONG));
            format!("{gap}{}\n", sheet.finish())
        }
        AnswerFormat::Markdown => format!("{gap}<!-- {} -->\n\n", name.replace("--", "- -")),
        AnswerFormat::Brief => format!("{gap}{name}\n"),
        AnswerFormat::Json => String::new(),
    }
}
