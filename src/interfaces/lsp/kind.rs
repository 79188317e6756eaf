//! The kind of a document, from its language, name and first lines.

use std::path::Path;

use crate::check;
use crate::interfaces::workspace::Workspace;

/// What a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A log, a traceback, pasted text: diagnosed.
    Log,
    /// A bug report or a diagnosis document.
    Report,
    /// A fault page.
    Page,
    /// Anything else: ids in it are known.
    Source,
}

/// Languages of logs, as editors call them.
const LOG_LANGUAGES: [&str; 10] =
    ["log", "plaintext", "text", "faultbook-log", "pytb", "python-traceback", "ansi", "terminal", "output", ""];

/// File extensions of logs.
const LOG_ENDINGS: [&str; 7] = ["log", "out", "err", "txt", "stderr", "stdout", "traceback"];

/// The kind of a document. Extensions outweigh languages: editors guess the latter.
pub(super) fn of(path: Option<&Path>, name: &str, language: &str, text: &str, workspace: &Workspace) -> Kind {
    let name = name.to_lowercase();
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    if matches!(ending, Some("md" | "markdown")) || language == "markdown" {
        return markdown(path, &name, text, workspace);
    }
    if ending.is_some_and(|ending| LOG_ENDINGS.contains(&ending)) || LOG_LANGUAGES.contains(&language) {
        return Kind::Log;
    }
    Kind::Source
}

fn markdown(path: Option<&Path>, name: &str, text: &str, workspace: &Workspace) -> Kind {
    let shown = path.map_or_else(|| name.to_owned(), |path| path.to_string_lossy().replace('\\', "/"));
    match check::Kind::of(&shown, text) {
        check::Kind::Fault | check::Kind::Fix | check::Kind::Notice => Kind::Page,
        check::Kind::Report => Kind::Report,
        // A new report of the project, hardly begun.
        check::Kind::Other
            if path.is_some_and(|path| workspace.reports.iter().any(|folder| path.starts_with(folder))) =>
        {
            Kind::Report
        }
        check::Kind::Other => Kind::Source,
    }
}
