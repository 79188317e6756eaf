//! `faultbook diagnose [FILE|-]...`: which failure a text shows. Several texts are answered one after the other.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::diagnosis::{Diagnosis, Verdict};
use crate::diagnosis::{Measured, diagnose};
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
use super::{clipboard, complain, input, open, progress, renumber};

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
    Ok(numbered(read(input, knowledge, common)?.diagnosis, input))
}

/// The diagnosis of what was kept of a text, with lines as in the whole text.
pub(crate) fn numbered(mut diagnosis: Diagnosis, input: &Input) -> Diagnosis {
    if let Some(selection) = &input.selection {
        renumber::renumber(&mut diagnosis, selection);
    }
    diagnosis
}

/// A text with everything that was made of it.
pub(crate) struct Analysis {
    /// Its clean lines.
    pub(crate) transcript: text::Transcript,
    /// What they say.
    pub(crate) incident: incident::Incident,
    /// What that means; its lines count in what was kept of the text.
    pub(crate) diagnosis: Diagnosis,
}

/// Reads and diagnoses one text, with what the machine says where it was asked or shall be.
pub(crate) fn read(input: &Input, knowledge: &Knowledge, common: &Common) -> anyhow::Result<Analysis> {
    read_with(input, knowledge, &|diagnosis, incident, again| measured(diagnosis, incident, knowledge, common, again))
}

/// What is measured, once it is known what the text alone says and how long a second diagnosis will take.
type Measure<'m> = dyn Fn(&Diagnosis, &incident::Incident, Duration) -> anyhow::Result<Option<Measured>> + 'm;

/// Reads and diagnoses one text.
pub(crate) fn read_with(input: &Input, knowledge: &Knowledge, measure: &Measure<'_>) -> anyhow::Result<Analysis> {
    if let Some(selection) = &input.selection {
        // Said at once, since a long text also takes long to diagnose; the answer repeats it.
        let _ = writeln!(std::io::stderr().lock(), "note: {}", selection.note());
    }
    let stage = input.is_long().then(|| progress::stage("diagnosing"));
    let transcript = text::read(&input.bytes);
    let incident = incident::read(&transcript);
    let started = Instant::now();
    let mut diagnosis = diagnose(&transcript, &incident, knowledge.library(), &Measured::default());
    let again = started.elapsed();
    if let Some(measured) = measure(&diagnosis, &incident, again)? {
        diagnosis = diagnose(&transcript, &incident, knowledge.library(), &measured);
    }
    if let Some(stage) = stage {
        stage.finish_and_clear();
    }
    Ok(Analysis { transcript, incident, diagnosis })
}

/// What is known of the machine, when it was asked or shall be; `again` is what a second diagnosis will take.
#[cfg(feature = "machine")]
fn measured(
    diagnosis: &Diagnosis,
    incident: &incident::Incident,
    knowledge: &Knowledge,
    common: &Common,
    again: Duration,
) -> anyhow::Result<Option<Measured>> {
    super::probe::measured(diagnosis, &incident.facts, knowledge, common, again)
}

/// Without the probe nothing is measured.
#[cfg(not(feature = "machine"))]
fn measured(
    _diagnosis: &Diagnosis,
    _incident: &incident::Incident,
    _knowledge: &Knowledge,
    _common: &Common,
    _again: Duration,
) -> anyhow::Result<Option<Measured>> {
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
