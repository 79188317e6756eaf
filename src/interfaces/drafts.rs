//! Reports drafted for the client of a server, from its text, its project's configuration and this machine's facts.

use std::collections::BTreeSet;

use super::workspace::Workspace;
use crate::diagnosis::Measured;
use crate::hint::Hint as _;
use crate::incident::Incident;
use crate::reports::draft::Error;
use crate::reports::draft::fill::ReportOptions;
use crate::reports::draft::noninteractive::{self, DraftRequest, Drafted};
use crate::text::Excerpt;

/// Writes a report into the project's folder.
///
/// # Errors
/// When the project has no such folder, or the file cannot be written.
pub(super) fn write(
    workspace: &Workspace,
    text: &[u8],
    excerpt: Excerpt,
    options: ReportOptions,
) -> Result<Drafted, Error> {
    draft(workspace, text, excerpt, options, noninteractive::write)
}

/// The report as it would be written.
///
/// # Errors
/// When the project's templates or names are wrong.
#[cfg(any(feature = "mcp", feature = "web"))]
pub(super) fn preview(
    workspace: &Workspace,
    text: &[u8],
    excerpt: Excerpt,
    options: ReportOptions,
) -> Result<Drafted, Error> {
    draft(workspace, text, excerpt, options, noninteractive::preview)
}

/// What a person chose in a form.
#[cfg(feature = "web")]
pub(super) struct Choices<'c> {
    /// The name of a template.
    pub template: &'c str,
    /// Marks of values that stay although they look private.
    pub keep: BTreeSet<String>,
    pub options: ReportOptions,
    /// What a machine says about the text's run.
    pub measure: &'c dyn Fn(&Incident) -> Option<Measured>,
}

/// The report as it would be written, or the written one.
///
/// # Errors
/// As [`write()`].
#[cfg(feature = "web")]
pub(super) fn chosen(
    workspace: &Workspace,
    text: &[u8],
    choices: Choices<'_>,
    purpose: &Purpose,
) -> Result<Drafted, Error> {
    let Choices { template, keep, options, measure } = choices;
    let request = DraftRequest { template, keep, ..request(workspace, text, Excerpt::default(), options, measure) };
    match purpose {
        Purpose::Preview => noninteractive::preview(&request),
        Purpose::Write => noninteractive::write(&request),
        Purpose::Append(id) => noninteractive::append(&request, id),
    }
}

/// What becomes of a draft.
#[cfg(feature = "web")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Purpose {
    Preview,
    Write,
    /// It becomes an occurrence of the report with this id.
    Append(String),
}

fn draft(
    workspace: &Workspace,
    text: &[u8],
    excerpt: Excerpt,
    options: ReportOptions,
    make: fn(&DraftRequest<'_>) -> Result<Drafted, Error>,
) -> Result<Drafted, Error> {
    make(&request(workspace, text, excerpt, options, &|incident| measure(workspace, incident)))
}

fn request<'a>(
    workspace: &'a Workspace,
    text: &'a [u8],
    excerpt: Excerpt,
    options: ReportOptions,
    measure: &'a dyn Fn(&Incident) -> Option<Measured>,
) -> DraftRequest<'a> {
    let settings = workspace.settings();
    DraftRequest {
        text,
        excerpt,
        template: noninteractive::TEMPLATE,
        keep: BTreeSet::new(),
        options,
        knowledge: &workspace.knowledge,
        config: &workspace.config,
        roots: &workspace.reports,
        roots_given: !settings.reports.is_empty(),
        here: &workspace.root,
        measure,
    }
}

/// This machine's facts, if it has a driver: the report's readers cannot query the machine.
#[cfg(feature = "machine")]
pub(super) fn measure(workspace: &Workspace, incident: &Incident) -> Option<Measured> {
    use crate::machine::{self, Level};
    let options = probe_options(workspace);
    if !workspace.settings().probe || !machine::driver_here(&options) {
        return None;
    }
    let (facts, summary) = machine::relate(&machine::run(Level::Quick, &options), &incident.facts);
    Some(Measured { facts, summary: Some(summary) })
}

/// Without the probe nothing is measured.
#[cfg(not(feature = "machine"))]
pub(super) fn measure(_workspace: &Workspace, _incident: &Incident) -> Option<Measured> {
    None
}

/// How this machine is probed.
#[cfg(feature = "machine")]
pub(super) fn probe_options(workspace: &Workspace) -> crate::machine::Options {
    crate::machine::Options { python: workspace.settings().python.clone(), ..crate::machine::Options::default() }
}

/// Notes about a drafted report, to follow its id.
pub(super) fn summary(drafted: &Drafted) -> String {
    let mut summary = String::new();
    if let Some(alike) = &drafted.alike {
        summary.push_str(&format!(
            "; {}: `faultbook new --append {}` adds an occurrence instead",
            alike.message(),
            alike.id
        ));
    }
    match drafted.secrets {
        0 => {}
        1 => summary.push_str("; a secret in the log was left out; revoke it if others have seen the log"),
        several => summary.push_str(&format!(
            "; {several} secrets in the log were left out; revoke them if others have seen the log"
        )),
    }
    summary
}

/// Why there is no report, and what to do about it.
pub(super) fn failure(error: &Error) -> String {
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}")).unwrap_or_default();
    let hint = error.hint().map(|hint| format!(" ({hint})")).unwrap_or_default();
    format!("{error}{cause}{hint}")
}
