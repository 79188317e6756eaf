//! Reports drafted for a client of a server: out of its text, what its project configured, and what this machine says.

use super::workspace::Workspace;
use crate::diagnosis::Measured;
use crate::hint::Hint as _;
use crate::incident::Incident;
use crate::reports::draft::Error;
use crate::reports::draft::fill::Asked;
use crate::reports::draft::noninteractive::{self, Drafted, Wanted};

/// Writes a report into the project's folder.
///
/// # Errors
/// When the project has no such folder, or the file cannot be written.
pub(super) fn write(workspace: &Workspace, text: &[u8], notes: Vec<String>, said: Asked) -> Result<Drafted, Error> {
    draft(workspace, text, notes, said, noninteractive::write)
}

/// The report as it would be written.
///
/// # Errors
/// When the project's templates or names are wrong.
#[cfg(feature = "mcp")]
pub(super) fn preview(workspace: &Workspace, text: &[u8], notes: Vec<String>, said: Asked) -> Result<Drafted, Error> {
    draft(workspace, text, notes, said, noninteractive::preview)
}

fn draft(
    workspace: &Workspace,
    text: &[u8],
    notes: Vec<String>,
    said: Asked,
    make: fn(&Wanted<'_>) -> Result<Drafted, Error>,
) -> Result<Drafted, Error> {
    let settings = workspace.settings();
    make(&Wanted {
        text,
        notes,
        said,
        knowledge: &workspace.knowledge,
        config: &workspace.config,
        roots: &workspace.reports,
        asked_roots: !settings.reports.is_empty(),
        here: &workspace.root,
        measure: &|incident| measure(workspace, incident),
    })
}

/// What this machine says, where it has a driver: a report is read by people who cannot ask it.
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
fn measure(_shelf: &Workspace, _incident: &Incident) -> Option<Measured> {
    None
}

/// How this machine is asked.
#[cfg(feature = "machine")]
pub(super) fn probe_options(workspace: &Workspace) -> crate::machine::Options {
    crate::machine::Options { python: workspace.settings().python.clone(), ..crate::machine::Options::default() }
}

/// What should be known about a drafted report, after its id.
pub(super) fn says(drafted: &Drafted) -> String {
    let mut says = String::new();
    if let Some(alike) = &drafted.alike {
        says.push_str(&format!("; {}: `faultbook new --append {}` adds an occurrence instead", alike.says(), alike.id));
    }
    match drafted.secrets {
        0 => {}
        1 => says.push_str("; a secret in the log was left out, and should be revoked if others have seen the log"),
        several => says.push_str(&format!(
            "; {several} secrets in the log were left out, and should be revoked if others have seen the log"
        )),
    }
    says
}

/// Why there is no report, and what to do about it.
pub(super) fn failure(error: &Error) -> String {
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}")).unwrap_or_default();
    let hint = error.hint().map(|hint| format!(" ({hint})")).unwrap_or_default();
    format!("{error}{cause}{hint}")
}
