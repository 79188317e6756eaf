//! Notifications of the client: documents opened, changed, closed; files and folders changed.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use lsp_server::{ErrorCode, Notification, RequestId};
use lsp_types::{DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams};
use serde_json::{Value, json};

use super::kind::Kind;
use super::requests::{RequestError, read};
use super::server::{Server, Stage};
use super::session::{Document, Session};
use super::uri;

impl<W: Write> Server<W> {
    /// Applies a notification.
    pub(super) fn notification(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        if method == "$/cancelRequest" {
            let id = params.get("id").cloned().and_then(|id| serde_json::from_value::<RequestId>(id).ok());
            if let Some(stop) = id.and_then(|id| self.cancels.get(&id)) {
                stop.store(true, Ordering::Relaxed);
            }
            return;
        }
        if self.stage != Stage::Running {
            return;
        }
        // A notification has no answer: a malformed one is ignored, as the protocol asks.
        let _ = catch_unwind(AssertUnwindSafe(|| self.take(&method, params)));
    }

    fn take(&mut self, method: &str, params: Value) -> Result<(), RequestError> {
        match method {
            "initialized" => {
                let notes: Vec<&str> =
                    self.session()?.workspaces().flat_map(|workspace| &workspace.notes).map(String::as_str).collect();
                let notes = notes.join("\n");
                if !notes.is_empty() {
                    // A failure here shows in later answers.
                    let _ = self.notify("window/logMessage", json!({ "type": 2, "message": notes }));
                }
                self.watch_files();
            }
            "textDocument/didOpen" => {
                let DidOpenTextDocumentParams { text_document: item } = read(params)?;
                let session = self.session_mut()?;
                let key = item.uri.as_str().to_owned();
                let workspace = session.workspace_of(uri::path(&item.uri).as_deref());
                let document = Document::new(item.uri, item.language_id, item.version, item.text, workspace);
                session.documents.insert(key, document);
            }
            "textDocument/didChange" => {
                let DidChangeTextDocumentParams { text_document, content_changes } = read(params)?;
                let session = self.session_mut()?;
                let workspace = session.workspace_of(uri::path(&text_document.uri).as_deref()).clone();
                if let Some(document) = session.documents.get_mut(text_document.uri.as_str()) {
                    let text = Arc::make_mut(&mut document.text);
                    content_changes.into_iter().for_each(|change| text.change(change));
                    document.version = text_document.version;
                    document.stale = true;
                    document.classify(&workspace);
                }
            }
            "textDocument/didClose" => {
                let DidCloseTextDocumentParams { text_document } = read(params)?;
                self.session_mut()?.documents.remove(text_document.uri.as_str());
                let _ = self.publish(&text_document.uri, None, Vec::new());
            }
            "textDocument/didSave" => {
                let saved: lsp_types::DidSaveTextDocumentParams = read(params)?;
                let kind = self.session()?.document(&saved.text_document.uri).map(|document| document.kind);
                if matches!(kind, Some(Kind::Report | Kind::Page)) {
                    self.session_mut()?.reload();
                }
            }
            "workspace/didChangeWatchedFiles" => self.session_mut()?.reload(),
            "workspace/didChangeWorkspaceFolders" => {
                let params: lsp_types::DidChangeWorkspaceFoldersParams = read(params)?;
                let mut folders = self.session()?.folders.clone();
                let gone: Vec<PathBuf> = params.event.removed.iter().filter_map(|f| uri::path(&f.uri)).collect();
                folders.retain(|folder| !gone.contains(folder));
                folders.extend(params.event.added.iter().filter_map(|f| uri::path(&f.uri)));
                let mut session = Session::open(folders, &self.root, &self.settings);
                session.documents = std::mem::take(&mut self.session_mut()?.documents);
                session.reclassify_documents();
                self.session = Some(session);
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn session_mut(&mut self) -> Result<&mut Session, RequestError> {
        self.session
            .as_mut()
            .ok_or_else(|| RequestError::new(ErrorCode::ServerNotInitialized, "`initialize` comes first"))
    }

    fn watch_files(&mut self) {
        let watched = self.capabilities.workspace.as_ref().and_then(|w| w.did_change_watched_files.as_ref());
        if watched.and_then(|watched| watched.dynamic_registration) != Some(true) {
            return;
        }
        let watchers = json!([{ "globPattern": "**/*.md" }, { "globPattern": "**/faultbook.toml" }]);
        let registration = json!({ "id": "files", "method": "workspace/didChangeWatchedFiles", "registerOptions": { "watchers": watchers } });
        let _ = self.ask("client/registerCapability", json!({ "registrations": [registration] }));
    }
}
