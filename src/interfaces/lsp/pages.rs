//! Pages and reports of the book as files that an editor can open.
//!
//! A team's own page is a file already. A built-in one is written into the cache when it is opened; where no
//! cache can be written it goes to the system's folder for temporary files.

use std::fs;
use std::path::PathBuf;

use lsp_types::Uri;

use super::uri;
use crate::interfaces::workspace::Workspace;

/// The address of a page's file.
pub(super) fn of(workspace: &Workspace, page: usize) -> Option<Uri> {
    let entry = workspace.knowledge.book.faults.get(page)?;
    // Of a built-in page the path counts from the checkout of the book, which the project may be.
    let path = workspace.root.join(PathBuf::from(&entry.path));
    match path.is_file() {
        true => uri::of(&path),
        false => keep(workspace, &entry.id, entry.body().trim_start()),
    }
}

/// Writes a text of the book where an editor can open it.
pub(super) fn keep(workspace: &Workspace, id: &str, text: &str) -> Option<Uri> {
    let name = format!("{}.md", id.replace(['/', '\\', ':'], "-"));
    let folders = workspace.cache().map(|cache| cache.join("pages")).into_iter();
    for folder in folders.chain([std::env::temp_dir().join("faultbook-pages")]) {
        let path = folder.join(&name);
        if fs::read_to_string(&path).is_ok_and(|old| old == text) {
            return uri::of(&path);
        }
        if fs::create_dir_all(&folder).is_ok() && fs::write(&path, text).is_ok() {
            return uri::of(&path);
        }
    }
    None
}
