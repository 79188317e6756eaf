//! What a document is to us, by its language, name and first lines.

use std::path::Path;

use crate::book::matter;
use crate::serve::shelf::Shelf;

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

/// Endings of logs.
const LOG_ENDINGS: [&str; 7] = ["log", "out", "err", "txt", "stderr", "stdout", "traceback"];

/// Front matter keys of reports.
const REPORT_KEYS: [&str; 4] = ["bug_id", "bug-id", "severity", "status"];

/// What a document is. Endings outweigh languages: editors guess at the latter.
pub(super) fn of(path: Option<&Path>, name: &str, language: &str, text: &str, shelf: &Shelf) -> Kind {
    let name = name.to_lowercase();
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    if matches!(ending, Some("md" | "markdown")) || language == "markdown" {
        return markdown(path, &name, text, shelf);
    }
    if ending.is_some_and(|ending| LOG_ENDINGS.contains(&ending)) || LOG_LANGUAGES.contains(&language) {
        return Kind::Log;
    }
    Kind::Source
}

fn markdown(path: Option<&Path>, name: &str, text: &str, shelf: &Shelf) -> Kind {
    let split = matter::split(text);
    let front = split.matter.and_then(|matter| text.get(matter.range)).unwrap_or_default();
    let has = |key: &str| front.lines().any(|line| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':')));
    let inside = |folders: &[std::path::PathBuf]| path.is_some_and(|path| folders.iter().any(|f| path.starts_with(f)));
    if has("signatures") || has("causes") || (inside(&shelf.pages) && !front.is_empty()) {
        return Kind::Page;
    }
    if inside(&shelf.reports) || name.starts_with("bug") || REPORT_KEYS.iter().any(|key| has(key)) {
        return Kind::Report;
    }
    Kind::Source
}
