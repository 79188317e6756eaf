//! `faultbook diagnose [FILE|-]...`: which failure a text shows. Several texts are answered one after the other.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::diagnosis::{Diagnosis, Verdict};
use crate::diagnosis::{Located, Measured, locate};
use crate::incident;
use crate::render::Answered;
use crate::render::github;
use crate::render::json;
use crate::render::junit;
use crate::render::layout::Paragraph;
use crate::render::markdown;
use crate::render::sarif;
use crate::render::style::STRONG;
use crate::render::terminal;
use crate::reports::knowledge::Knowledge;
use crate::text;

use super::common::{AnyFormat, Common, Format};
use super::exit::Exit;
use super::input::Input;
use super::output::Output;
use super::{clipboard, complain, input, open, progress};

/// Diagnoses files, or standard input when there are none.
///
/// A file that cannot be read does not keep the others from being diagnosed; the exit code tells.
pub(crate) fn run(files: &[PathBuf], common: &Common, output: &Output) -> anyhow::Result<Exit> {
    let knowledge = open::knowledge(common, false)?;
    let stdin = [PathBuf::from("-")];
    let files = if files.is_empty() { &stdin } else { files };
    let mut exits = Vec::with_capacity(files.len());
    let mut together = Vec::new();
    for (place, file) in files.iter().enumerate() {
        let input = match input::read(file) {
            Ok(input) => input,
            Err(error) => {
                complain(&error);
                exits.push(Exit::Usage);
                continue;
            }
        };
        let diagnosis = answer(&input, &knowledge, common)?;
        exits.push(match diagnosis.verdict {
            Verdict::KnownFault => Exit::Found,
            Verdict::UnlistedError | Verdict::NoError => Exit::None,
        });
        if common.format.usual().is_none() {
            together.push((name(file), diagnosis));
            continue;
        }
        let mut text = if files.len() > 1 { heading(file, place, output) } else { String::new() };
        text.push_str(&rendered(&diagnosis, output, files.len() > 1));
        output.write(&text)?;
    }
    if common.format.usual().is_none() {
        output.write(&for_ci(common.format, &together))?;
    }
    Ok(Exit::of_all(exits))
}

/// Diagnoses what the clipboard holds.
pub(crate) fn clipboard(common: &Common, output: &Output) -> anyhow::Result<Exit> {
    let input = Input { bytes: clipboard::text()?.into_bytes(), selection: None };
    let diagnosis = answer(&input, &open::knowledge(common, false)?, common)?;
    let exit = match diagnosis.verdict {
        Verdict::KnownFault => Exit::Found,
        Verdict::UnlistedError | Verdict::NoError => Exit::None,
    };
    output.write(&match common.format.usual() {
        Some(_) => rendered(&diagnosis, output, false),
        None => for_ci(common.format, &[("clipboard".to_owned(), diagnosis)]),
    })?;
    Ok(exit)
}

/// All answers in one document.
fn for_ci(format: AnyFormat, together: &[(String, Diagnosis)]) -> String {
    let answers: Vec<Answered<'_>> = together.iter().map(|(path, diagnosis)| Answered { path, diagnosis }).collect();
    match format {
        AnyFormat::Junit => junit::render(&answers),
        AnyFormat::Github => github::render(&answers),
        _ => sarif::render(&answers),
    }
}

/// How a text is called in an answer.
fn name(file: &Path) -> String {
    if file == Path::new("-") { "standard input".to_owned() } else { file.display().to_string() }
}

/// Diagnoses one text.
pub(crate) fn answer(input: &Input, knowledge: &Knowledge, common: &Common) -> anyhow::Result<Diagnosis> {
    Ok(read(input, knowledge, common)?.diagnosis)
}

/// A text with everything that was made of it.
pub(crate) struct Analysis {
    /// Its clean lines.
    pub(crate) transcript: text::Transcript,
    /// What they say.
    pub(crate) incident: incident::Incident,
    /// What that means.
    pub(crate) diagnosis: Diagnosis,
}

/// Reads and diagnoses one text, with what the machine says where it was asked or shall be.
pub(crate) fn read(input: &Input, knowledge: &Knowledge, common: &Common) -> anyhow::Result<Analysis> {
    read_with(input, knowledge, &|located, incident| measured(located, incident, common))
}

/// What is measured, once it is known which failures the text shows.
type Measure<'m> = dyn Fn(&Located<'_>, &incident::Incident) -> anyhow::Result<Option<Measured>> + 'm;

/// Reads and diagnoses one text.
pub(crate) fn read_with(input: &Input, knowledge: &Knowledge, measure: &Measure<'_>) -> anyhow::Result<Analysis> {
    if let Some(selection) = &input.selection {
        // Said at once, since a long text also takes long to diagnose; the answer repeats it.
        let _ = writeln!(std::io::stderr().lock(), "note: {}", selection.note());
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

/// What is known of the machine, when it was asked or shall be.
#[cfg(feature = "machine")]
fn measured(located: &Located<'_>, incident: &incident::Incident, common: &Common) -> anyhow::Result<Option<Measured>> {
    super::probe::measured(located, &incident.facts, common)
}

/// Without the probe nothing is measured.
#[cfg(not(feature = "machine"))]
fn measured(_: &Located<'_>, _: &incident::Incident, _: &Common) -> anyhow::Result<Option<Measured>> {
    Ok(None)
}

/// The answer as asked for.
pub(crate) fn rendered(diagnosis: &Diagnosis, output: &Output, one_of_several: bool) -> String {
    match output.format {
        Format::Terminal => terminal::render(diagnosis, output.terminal),
        Format::Markdown => markdown::render(diagnosis),
        Format::Json if one_of_several => json::render_line(diagnosis),
        Format::Json => json::render(diagnosis),
    }
}

/// Which of several texts an answer is for. JSON has none: one line per text, in the order asked.
fn heading(file: &Path, place: usize, output: &Output) -> String {
    let name = name(file);
    let gap = if place == 0 { "" } else { "\n" };
    match output.format {
        Format::Terminal => {
            let mut sheet = output.sheet();
            sheet.paragraph(&Paragraph::new(format!("==> {name} <==")).style(STRONG));
            format!("{gap}{}\n", sheet.finish())
        }
        Format::Markdown => format!("{gap}<!-- {} -->\n\n", name.replace("--", "- -")),
        Format::Json => String::new(),
    }
}
