//! Everything a request may look at: the open documents and the shelves of the workspace's folders.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_types::{Position, Uri};

use super::analysis::Analysis;
use super::kind::{self, Kind};
use super::text::Text;
use super::uri;
use crate::check::Finding;
use crate::interfaces::workspace::{Settings, Workspace};

/// A document that the client has open.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) uri: Uri,
    /// Its file; `None` for a buffer that was never saved.
    pub(super) path: Option<PathBuf>,
    pub(super) language: String,
    pub(super) version: i32,
    pub(super) text: Arc<Text>,
    pub(super) kind: Kind,
    /// The analysis of a log: of this version, or of an earlier one while a new analysis is made.
    pub(super) analysis: Option<Arc<Analysis>>,
    /// The findings of `check` for a report or a page.
    pub(super) findings: Vec<Finding>,
    /// Whether the reading or the diagnostics are older than the text.
    pub(super) stale: bool,
    /// Whether a reading is being made beside us.
    pub(super) working: bool,
    /// Whether the client has not seen yet what is marked now.
    pub(super) unpublished: bool,
}

impl Document {
    pub(super) fn new(uri: Uri, language: String, version: i32, text: String, workspace: &Workspace) -> Self {
        let path = uri::path(&uri);
        let kind = kind::of(path.as_deref(), &uri::file_name(&uri), &language, &text, workspace);
        let text = Arc::new(Text::new(text));
        Self {
            uri,
            path,
            language,
            version,
            text,
            kind,
            analysis: None,
            findings: Vec::new(),
            stale: true,
            working: false,
            unpublished: false,
        }
    }

    /// Looks at name and text again.
    pub(super) fn classify(&mut self, workspace: &Workspace) {
        let name = uri::file_name(&self.uri);
        self.kind = kind::of(self.path.as_deref(), &name, &self.language, self.text.as_str(), workspace);
    }

    /// The line (from 0) and the byte in it that a position means.
    pub(super) fn at(&self, position: Position) -> (usize, usize) {
        let offset = self.text.offset(position);
        let line = self.text.line_of(offset);
        (line, offset - self.text.line_range(line).start)
    }

    /// The analysis, if the document is a log.
    pub(super) fn log(&self) -> Option<&Analysis> {
        if self.kind == Kind::Log { self.analysis.as_deref() } else { None }
    }
}

/// What requests look at.
pub(super) struct Session {
    /// The workspace of the first folder; documents outside of all folders belong to it too.
    first: Arc<Workspace>,
    /// What those of the other folders know.
    others: Vec<Arc<Workspace>>,
    pub(super) documents: HashMap<String, Document>,
    /// Folders of the workspace.
    pub(super) folders: Vec<PathBuf>,
}

impl Session {
    /// The session for these folders; for `root` if there are none.
    pub(super) fn open(mut folders: Vec<PathBuf>, root: &Path, settings: &Settings) -> Self {
        if folders.is_empty() {
            folders.push(root.to_owned());
        }
        let mut workspaces = folders.iter().map(|folder| Arc::new(Workspace::open(folder, settings)));
        let first = workspaces.next().unwrap_or_else(|| Arc::new(Workspace::open(root, settings)));
        let others = workspaces.collect();
        Self { first, others, documents: HashMap::new(), folders }
    }

    /// Every workspace, the first folder's first.
    pub(super) fn workspaces(&self) -> impl Iterator<Item = &Arc<Workspace>> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// The workspace of the innermost folder that contains a file; the first for any other document.
    pub(super) fn workspace_of(&self, path: Option<&Path>) -> &Arc<Workspace> {
        let holds = |workspace: &&Arc<Workspace>| path.is_some_and(|path| path.starts_with(&workspace.root));
        self.workspaces().filter(holds).max_by_key(|workspace| workspace.root.as_os_str().len()).unwrap_or(&self.first)
    }

    /// The workspace of a document.
    pub(super) fn workspace(&self, document: &Document) -> &Arc<Workspace> {
        self.workspace_of(document.path.as_deref())
    }

    /// Takes in reports and pages as they are on disk now.
    pub(super) fn reload(&mut self) {
        for workspace in std::iter::once(&mut self.first).chain(&mut self.others) {
            *workspace = Arc::new(workspace.reopened());
        }
        self.reclassify_documents();
    }

    /// Marks all documents as stale, and determines their kinds again.
    pub(super) fn reclassify_documents(&mut self) {
        let workspaces: HashMap<String, Arc<Workspace>> =
            self.documents.iter().map(|(key, document)| (key.clone(), self.workspace(document).clone())).collect();
        for (key, document) in &mut self.documents {
            if let Some(workspace) = workspaces.get(key) {
                document.classify(workspace);
            }
            document.stale = true;
        }
    }

    /// An open document.
    pub(super) fn document(&self, uri: &Uri) -> Option<&Document> {
        self.documents.get(uri.as_str())
    }
}
