//! Everything a request may look at: the open documents and the shelf.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use lsp_types::{Position, Uri};

use super::kind::{self, Kind};
use super::reading::Reading;
use super::text::Text;
use super::uri;
use crate::lint::Finding;
use crate::serve::shelf::Shelf;

/// A document that the client has open.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) uri: Uri,
    /// The file behind it; none for a buffer that was never saved.
    pub(super) path: Option<PathBuf>,
    pub(super) language: String,
    pub(super) version: i32,
    pub(super) text: Arc<Text>,
    pub(super) kind: Kind,
    /// What a log says: of this version, or of the one before while a new reading is made.
    pub(super) reading: Option<Arc<Reading>>,
    /// What the linter says about a report or a page.
    pub(super) findings: Vec<Finding>,
    /// Whether the reading or the diagnostics are older than the text.
    pub(super) stale: bool,
    /// Whether a reading is being made beside us.
    pub(super) working: bool,
    /// Whether the client has not seen yet what is marked now.
    pub(super) unpublished: bool,
}

impl Document {
    pub(super) fn new(uri: Uri, language: String, version: i32, text: String, shelf: &Shelf) -> Self {
        let path = uri::path(&uri);
        let kind = kind::of(path.as_deref(), &uri::file_name(&uri), &language, &text, shelf);
        let text = Arc::new(Text::new(text));
        Self {
            uri,
            path,
            language,
            version,
            text,
            kind,
            reading: None,
            findings: Vec::new(),
            stale: true,
            working: false,
            unpublished: false,
        }
    }

    /// Looks at name and text again.
    pub(super) fn classify(&mut self, shelf: &Shelf) {
        let name = uri::file_name(&self.uri);
        self.kind = kind::of(self.path.as_deref(), &name, &self.language, self.text.as_str(), shelf);
    }

    /// The line (from 0) and the byte in it that a position means.
    pub(super) fn at(&self, position: Position) -> (usize, usize) {
        let offset = self.text.offset(position);
        let line = self.text.line_of(offset);
        (line, offset - self.text.line_range(line).start)
    }

    /// What a log says.
    pub(super) fn log(&self) -> Option<&Reading> {
        if self.kind == Kind::Log { self.reading.as_deref() } else { None }
    }
}

/// What requests look at.
pub(super) struct World {
    pub(super) shelf: Arc<Shelf>,
    pub(super) documents: HashMap<String, Document>,
    /// Folders of the workspace.
    pub(super) folders: Vec<PathBuf>,
}

impl World {
    /// An open document.
    pub(super) fn document(&self, uri: &Uri) -> Option<&Document> {
        self.documents.get(uri.as_str())
    }
}
