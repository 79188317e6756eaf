//! A report straight from a text, without questions: for editors, agents and `run --new`.
//!
//! Always redacted; whoever looks at the redactions may name values that stay. It looks for an existing report of the same failure, and
//! leaves what to do about it to the reader.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::context::Context;
use super::duplicates::{self, Duplicate};
use super::error::Error;
use super::fill::{self, Material, ReportOptions};
use super::moment::Moment;
use super::report::{self, New};
use super::scheme::Naming;
use super::{code, ids, report_config};
use crate::diagnosis::{Diagnosis, Measured, Verdict, diagnose};
use crate::incident::{self, Incident};
use crate::reports::config::Config;
use crate::reports::knowledge::Knowledge;
use crate::text::redact::{Kind, Redaction, Redactor};
use crate::text::{self, Excerpt};

/// The template that is filled where none is chosen.
pub(crate) const TEMPLATE: &str = "bug_report";

/// What a report is made from.
pub(crate) struct DraftRequest<'a> {
    /// The log.
    pub text: &'a [u8],
    /// Which lines of a longer log it holds.
    pub excerpt: Excerpt,
    /// Which template is filled.
    pub template: &'a str,
    /// Marks of the values that stay although they look private.
    pub keep: BTreeSet<String>,
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
    /// What is in it, without what was left out.
    #[cfg_attr(not(feature = "web"), allow(dead_code, reason = "only the page shows it"))]
    pub fields: Fields,
    /// What was left out.
    #[cfg_attr(not(feature = "web"), allow(dead_code, reason = "only the page shows it"))]
    pub redactions: Vec<Redaction>,
    /// What was kept although it looks private.
    #[cfg_attr(not(feature = "web"), allow(dead_code, reason = "only the page shows it"))]
    pub kept: Vec<Redaction>,
}

/// What a form can change.
#[derive(Debug, Default)]
#[cfg_attr(not(feature = "web"), allow(dead_code, reason = "only the page shows it"))]
pub(crate) struct Fields {
    pub title: String,
    pub command: String,
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

/// Adds what a report would say as an occurrence to one that there is.
///
/// # Errors
/// When the project has no such report, or it may not or cannot be changed.
#[cfg(feature = "web")]
pub(crate) fn append(request: &DraftRequest<'_>, id: &str) -> Result<Drafted, Error> {
    use super::occurrence;
    use crate::reports::{bounds, files, lookup};
    let entries = lookup::entries_meant(request.knowledge, id);
    let [entry] = entries.as_slice() else {
        let message = format!("the project has {} reports `{id}`", entries.len());
        return Err(Error::report(message, "write a new report instead"));
    };
    if !request.roots_given {
        bounds::may_write(request.here, &entry.path)?;
    }
    let report = files::read_report(&entry.path)?;
    let Filled { mut redactor, diagnosis, context } = filled(request)?;
    let paragraph = occurrence::paragraph(&report, &context, &fill::own_facts(&diagnosis), &Moment::now());
    occurrence::append(&entry.path, &redactor.text(&paragraph))?;
    Ok(drafted(entry.id.clone(), entry.path.clone(), None, &diagnosis, &context, &redactor))
}

/// What a report is filled with.
struct Filled {
    redactor: Redactor,
    diagnosis: Diagnosis,
    context: Context,
}

fn filled(request: &DraftRequest<'_>) -> Result<Filled, Error> {
    let DraftRequest { knowledge, options, .. } = request;
    let mut redactor = Redactor::new(&report_config::known()).keeping(request.keep.clone());
    let text = report_config::redacted(request.text, &mut redactor);
    let transcript = text::read_excerpt(&text, &request.excerpt);
    let incident = incident::read(&transcript);
    let measured = (request.measure)(&incident).unwrap_or_default();
    let diagnosis = diagnose(&transcript, &incident, knowledge.library(), &measured);
    if diagnosis.verdict == Verdict::NoError && options.title.is_none() {
        return Err(Error::report(
            "there is no error in this text",
            "give the log with the traceback in it, or a title for a report on what the log does not show",
        ));
    }
    let state = code::of_run(request.here, request.roots, &code::own_files(request.text), &transcript);
    let git = state.as_ref().map_err(String::as_str);
    let material = Material { transcript: &transcript, incident: &incident, diagnosis: &diagnosis, knowledge, git };
    let context = fill::fill(&material, options);
    Ok(Filled { redactor, diagnosis, context })
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
    let Filled { redactor, diagnosis, context } = filled(request)?;
    let moment = Moment::now();
    let mut new = New {
        templates: &templates,
        template: request.template,
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
    let redactor = new.redactor.take().unwrap_or_default();
    Ok(drafted(created.id, created.path, text, &diagnosis, &context, &redactor))
}

fn drafted(
    id: String,
    path: PathBuf,
    text: Option<String>,
    diagnosis: &Diagnosis,
    context: &Context,
    redactor: &Redactor,
) -> Drafted {
    let redactions: Vec<Redaction> = redactor.found().cloned().collect();
    Drafted {
        id,
        path,
        text,
        alike: duplicates::nearest(diagnosis),
        secrets: redactions.iter().filter(|one| one.kind == Kind::Secret).count(),
        fields: Fields { title: context.title.clone(), command: context.command.clone().unwrap_or_default() },
        redactions,
        kept: redactor.kept().cloned().collect(),
    }
}
