//! Reports drafted for the client of a server, from its text, its project's configuration and this machine's facts.

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

fn draft(
    workspace: &Workspace,
    text: &[u8],
    excerpt: Excerpt,
    options: ReportOptions,
    make: fn(&DraftRequest<'_>) -> Result<Drafted, Error>,
) -> Result<Drafted, Error> {
    let settings = workspace.settings();
    make(&DraftRequest {
        text,
        excerpt,
        options,
        knowledge: &workspace.knowledge,
        config: &workspace.config,
        roots: &workspace.reports,
        roots_given: !settings.reports.is_empty(),
        here: &workspace.root,
        measure: &|incident| measure(workspace, incident),
    })
}

/// This machine's facts, if it has a driver: the report's readers cannot query the machine.
#[cfg(feature = "machine")]
fn measure(workspace: &Workspace, incident: &Incident) -> Option<Measured> {
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
fn measure(_workspace: &Workspace, _incident: &Incident) -> Option<Measured> {
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
