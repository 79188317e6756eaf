//! Every place of the workspace that mentions an id, and the edit that gives it another name.
//!
//! A rename touches ids of reports only: a fault's id may be an ordinary word elsewhere, and renaming it is a matter of
//! aliases.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use lsp_types::{
    DocumentChangeOperation, DocumentChanges, Location, OneOf, OptionalVersionedTextDocumentIdentifier, RenameFile,
    ResourceOp, TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};

use super::text::Text;
use super::uri;
use crate::reports::mentions::{self, Finder};

/// Places found.
const MOST_PLACES: usize = 10_000;

/// What is looked for, and where.
pub(super) struct Search {
    /// All spellings of the id.
    pub(super) ids: Vec<String>,
    /// Folders of the workspace.
    pub(super) folders: Vec<PathBuf>,
    /// Documents that the client has open, as it has them: address, file, version, text.
    pub(super) open: Vec<Open>,
}

/// An open document.
pub(super) struct Open {
    pub(super) uri: Uri,
    pub(super) path: Option<PathBuf>,
    pub(super) version: i32,
    pub(super) text: std::sync::Arc<Text>,
}

/// The mentions in one document.
pub(super) struct Mentions {
    pub(super) uri: Uri,
    /// Set where the client has it open.
    pub(super) version: Option<i32>,
    pub(super) places: Vec<(lsp_types::Range, String)>,
}

/// Looks for all mentions; `None` when it was cancelled.
pub(super) fn run(search: &Search, cancelled: &AtomicBool) -> Option<Vec<Mentions>> {
    let mut found = Vec::new();
    let mut count = 0;
    for open in &search.open {
        let places = places(&open.text, &search.ids);
        count += places.len();
        if !places.is_empty() {
            found.push(Mentions { uri: open.uri.clone(), version: Some(open.version), places });
        }
    }
    let seen: Vec<PathBuf> = search.open.iter().filter_map(|open| open.path.clone()).collect();
    let finder = Finder::new(&search.ids);
    // Where enough was found the walk only comes to its end.
    let came_to_end =
        mentions::walk(&search.folders, &mut |_| !cancelled.load(Ordering::Relaxed), &mut |path, bytes| {
            if count >= MOST_PLACES || seen.iter().any(|open| open == path) {
                return;
            }
            let Ok(text) = String::from_utf8(bytes) else { return };
            let byte_places = finder.places(&text);
            let Some(uri) = uri::of(path).filter(|_| !byte_places.is_empty()) else { return };
            let places = placed(&Text::new(text), byte_places);
            count += places.len();
            found.push(Mentions { uri, version: None, places });
        });
    if !came_to_end {
        return None;
    }
    found.sort_by(|a, b| a.uri.as_str().cmp(b.uri.as_str()));
    Some(found)
}

/// Mentions as places.
pub(super) fn locations(found: Vec<Mentions>) -> Vec<Location> {
    let of = |mentions: Mentions| {
        let Mentions { uri, places, .. } = mentions;
        places.into_iter().map(move |(range, _)| Location { uri: uri.clone(), range })
    };
    found.into_iter().flat_map(of).collect()
}

/// The edit that replaces `old` by `new` everywhere; `files` are renamed too if the client supports that.
pub(super) fn rename(
    found: Vec<Mentions>,
    old: &str,
    new: &str,
    files: &[PathBuf],
    can_rename_files: bool,
    can_change_documents: bool,
) -> WorkspaceEdit {
    let edits = |mentions: &Mentions| -> Vec<TextEdit> {
        let edit = |(range, _): &(lsp_types::Range, String)| TextEdit { range: *range, new_text: new.to_owned() };
        mentions.places.iter().map(edit).collect()
    };
    if !can_change_documents {
        // The protocol's own type of map; its keys do not change.
        #[expect(clippy::mutable_key_type, reason = "an address has no state that could change")]
        let changes: HashMap<Uri, Vec<TextEdit>> =
            found.iter().map(|mentions| (mentions.uri.clone(), edits(mentions))).collect();
        return WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() };
    }
    let mut operations: Vec<DocumentChangeOperation> = found
        .iter()
        .map(|mentions| {
            DocumentChangeOperation::Edit(TextDocumentEdit {
                text_document: OptionalVersionedTextDocumentIdentifier {
                    uri: mentions.uri.clone(),
                    version: mentions.version,
                },
                edits: edits(mentions).into_iter().map(OneOf::Left).collect(),
            })
        })
        .collect();
    if can_rename_files {
        operations.extend(files.iter().filter_map(|file| rename_file(file, old, new)));
    }
    WorkspaceEdit { document_changes: Some(DocumentChanges::Operations(operations)), ..WorkspaceEdit::default() }
}

fn rename_file(file: &Path, old: &str, new: &str) -> Option<DocumentChangeOperation> {
    let name = file.file_name()?.to_str()?;
    let place = mentions::places(name, &[old.to_owned()]).into_iter().next()?;
    let renamed = format!("{}{new}{}", name.get(..place.start)?, name.get(place.end..)?);
    Some(DocumentChangeOperation::Op(ResourceOp::Rename(RenameFile {
        old_uri: uri::of(file)?,
        new_uri: uri::of(&file.with_file_name(renamed))?,
        options: None,
        annotation_id: None,
    })))
}

fn places(text: &Text, ids: &[String]) -> Vec<(lsp_types::Range, String)> {
    placed(text, mentions::places(text.as_str(), ids))
}

fn placed(text: &Text, places: Vec<std::ops::Range<usize>>) -> Vec<(lsp_types::Range, String)> {
    let word = |place: &std::ops::Range<usize>| text.as_str().get(place.clone()).unwrap_or_default().to_owned();
    places.into_iter().take(MOST_PLACES).map(|place| (text.range(&place), word(&place))).collect()
}
