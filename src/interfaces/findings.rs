//! What `check` finds in one document that a server has in front of it: open in an editor, or not written yet.

use std::path::Path;

use super::workspace::Workspace;
use crate::check::{self, Document, Finding, KnownReport, Setting};
use crate::reports::lookup;

/// The findings in a text that is shown under `path`; `own` is its file, where it has one.
pub(super) fn findings(workspace: &Workspace, path: String, text: &str, own: Option<&Path>) -> Vec<Finding> {
    let others = lookup::others(&workspace.knowledge, own);
    let reports: Vec<KnownReport> = others
        .map(|entry| KnownReport { path: shown(&entry.path), id: entry.id.clone(), text: String::new() })
        .collect();
    let exists = |path: &str| Path::new(path).exists();
    // Whether a page recognises its own example is left to `faultbook check`: it needs the whole book.
    let naming = workspace.naming.as_ref();
    let setting = Setting { exists: &exists, reports: &reports, naming, behaviour: false, ..Setting::default() };
    check::capped(check::check(&[Document::new(path, text)], &setting))
}

/// A path as `check` shows it: with slashes.
pub(super) fn shown(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}
