//! A report straight from a text, without questions: for editors, agents and `run --new`.
//!
//! Always redacted, always from the template for bugs. It looks for an existing report of the same failure, and
//! leaves what to do about it to the reader.

use std::path::{Path, PathBuf};

use super::duplicates::{self, Duplicate};
use super::error::Error;
use super::fill::{self, Material, ReportOptions};
use super::moment::Moment;
use super::report::{self, New};
use super::scheme::Naming;
use super::{code, ids, report_config};
use crate::diagnosis::Verdict;
use crate::diagnosis::{Measured, diagnose};
use crate::incident::{self, Incident};
use crate::reports::config::Config;
use crate::reports::knowledge::Knowledge;
use crate::text::redact::Redactor;
use crate::text::{self, Excerpt};

/// The template that is filled.
const TEMPLATE: &str = "bug_report";

/// What a report is made from.
pub(crate) struct DraftRequest<'a> {
    /// The log.
    pub text: &'a [u8],
    /// Which lines of a longer log it holds.
    pub excerpt: Excerpt,
    /// What the user says about the report.
    pub options: ReportOptions,
    /// The book and the project's reports.
    pub knowledge: &'a Knowledge,
    /// What the project configured.
    pub config: &'a Config,
    /// The project's folders of reports; the first takes new ones unless another is configured.
    pub roots: &'a [PathBuf],
    /// Whether the user named those folders, instead of the configured ones.
    pub roots_given: bool,
    /// The project's folder, for git and templates.
    pub here: &'a Path,
    /// The machine's facts, if it may be probed.
    pub measure: &'a dyn Fn(&Incident) -> Option<Measured>,
}

/// A report that was drafted.
#[derive(Debug)]
pub(crate) struct Drafted {
    /// Its id; provisional if nothing was written.
    pub id: String,
    /// Its file.
    pub path: PathBuf,
    /// Its text, where it was not written.
    pub text: Option<String>,
    /// An existing report of the same failure.
    pub alike: Option<Duplicate>,
    /// How many different secrets were left out.
    pub secrets: usize,
}

/// Writes a report under the next free id; no file is ever overwritten.
///
/// # Errors
/// When there is no error in the text and no title was given, the project has no folder for reports, its templates or
/// names are wrong, or the file cannot be written.
pub(crate) fn write(request: &DraftRequest<'_>) -> Result<Drafted, Error> {
    draft(request, true)
}

/// The report as it would be written.
///
/// # Errors
/// As [`write()`]; but a project without a folder for reports is not an error.
pub(crate) fn preview(request: &DraftRequest<'_>) -> Result<Drafted, Error> {
    draft(request, false)
}

/// The id that the next bug report of a project would get.
///
/// # Errors
/// When the configured names are wrong.
pub(crate) fn next_id(knowledge: &Knowledge, config: &Config, roots: &[PathBuf]) -> Result<String, Error> {
    let moment = Moment::now();
    let naming = Naming { kind: report::kind(TEMPLATE), moment: &moment, slug: "" };
    let folder = report::folder(config.folder.as_ref(), roots, false).unwrap_or_default();
    Ok(ids::next(&folder, &report_config::scheme(config)?, &naming, &report::known(knowledge))?.id)
}

fn draft(request: &DraftRequest<'_>, write: bool) -> Result<Drafted, Error> {
    let DraftRequest { knowledge, config, options, .. } = request;
    let folder = report::writable_folder(config.folder.as_ref(), request.roots, request.roots_given, request.here);
    let folder = match folder {
        Err(_) if !write => request.here.to_owned(),
        folder => folder?,
    };
    let templates = report_config::templates(config, request.here)?;
    let scheme = report_config::scheme(config)?;
    let mut redactor = Redactor::new(&report_config::known());
    let text = report_config::redacted(request.text, &mut redactor);
    let transcript = text::read_excerpt(&text, &request.excerpt);
    let incident = incident::read(&transcript);
    let measured = (request.measure)(&incident).unwrap_or_default();
    let diagnosis = diagnose(&transcript, &incident, knowledge.library(), &measured);
    if diagnosis.verdict == Verdict::NoError && options.title.is_none() {
        return Err(Error::report(
            "there is no error in this text",
            "pass a log that contains the traceback, or a title to report something that the log does not show",
        ));
    }
    let state = code::of_run(request.here, request.roots, &code::own_files(request.text), &transcript);
    let git = state.as_ref().map_err(String::as_str);
    let material = Material { transcript: &transcript, incident: &incident, diagnosis: &diagnosis, knowledge, git };
    let context = fill::fill(&material, options);
    let moment = Moment::now();
    let mut new = New {
        templates: &templates,
        template: TEMPLATE,
        context: &context,
        diagnosis: &diagnosis,
        knowledge,
        options,
        folder: &folder,
        scheme: &scheme,
        moment: &moment,
        redactor: Some(redactor),
    };
    let (created, text) = match write {
        true => (new.write()?, None),
        false => new.preview().map(|(created, text)| (created, Some(text)))?,
    };
    let found = new.redactor().into_iter().flat_map(Redactor::found);
    Ok(Drafted {
        id: created.id,
        path: created.path,
        text,
        alike: duplicates::nearest(&diagnosis),
        secrets: found.filter(|one| one.kind.word() == "secret").count(),
    })
}
