//! What the client tells without asking: documents opened, changed, closed; files and folders changed.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use lsp_server::{ErrorCode, Notification, RequestId};
use lsp_types::{DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams};
use serde_json::{Value, json};

use super::kind::Kind;
use super::requests::{Refusal, read};
use super::server::{Server, Stage};
use super::uri;
use super::world::{Document, World};

impl<W: Write> Server<W> {
    /// Takes one over.
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
        // A notification has no answer: one that cannot be understood is passed over, as the protocol asks.
        let _ = catch_unwind(AssertUnwindSafe(|| self.take(&method, params)));
    }

    fn take(&mut self, method: &str, params: Value) -> Result<(), Refusal> {
        match method {
            "initialized" => {
                let notes = self.world()?.shelf.notes.join("\n");
                if !notes.is_empty() {
                    // What cannot be told now shows in the answers.
                    let _ = self.notify("window/logMessage", json!({ "type": 2, "message": notes }));
                }
                self.watch_files();
            }
            "textDocument/didOpen" => {
                let DidOpenTextDocumentParams { text_document: item } = read(params)?;
                let world = self.world_mut()?;
                let key = item.uri.as_str().to_owned();
                let document = Document::new(item.uri, item.language_id, item.version, item.text, &world.shelf);
                world.documents.insert(key, document);
            }
            "textDocument/didChange" => {
                let DidChangeTextDocumentParams { text_document, content_changes } = read(params)?;
                let world = self.world_mut()?;
                let shelf = world.shelf.clone();
                if let Some(document) = world.documents.get_mut(text_document.uri.as_str()) {
                    let text = Arc::make_mut(&mut document.text);
                    content_changes.into_iter().for_each(|change| text.change(change));
                    document.version = text_document.version;
                    document.stale = true;
                    document.classify(&shelf);
                }
            }
            "textDocument/didClose" => {
                let DidCloseTextDocumentParams { text_document } = read(params)?;
                self.world_mut()?.documents.remove(text_document.uri.as_str());
                let _ = self.publish(&text_document.uri, None, Vec::new());
            }
            "textDocument/didSave" => {
                let saved: lsp_types::DidSaveTextDocumentParams = read(params)?;
                let kind = self.world()?.document(&saved.text_document.uri).map(|document| document.kind);
                if matches!(kind, Some(Kind::Report | Kind::Page)) {
                    self.open_again()?;
                }
            }
            "workspace/didChangeWatchedFiles" => self.open_again()?,
            "workspace/didChangeWorkspaceFolders" => {
                let params: lsp_types::DidChangeWorkspaceFoldersParams = read(params)?;
                let world = self.world_mut()?;
                let gone: Vec<PathBuf> = params.event.removed.iter().filter_map(|f| uri::path(&f.uri)).collect();
                world.folders.retain(|folder| !gone.contains(folder));
                world.folders.extend(params.event.added.iter().filter_map(|f| uri::path(&f.uri)));
            }
            _ => {}
        }
        Ok(())
    }

    fn world_mut(&mut self) -> Result<&mut World, Refusal> {
        self.world.as_mut().ok_or_else(|| Refusal::new(ErrorCode::ServerNotInitialized, "`initialize` comes first"))
    }

    /// Takes in reports and pages as they are on disk now.
    pub(super) fn open_again(&mut self) -> Result<(), Refusal> {
        let world = self.world_mut()?;
        world.shelf = Arc::new(world.shelf.again());
        let shelf = world.shelf.clone();
        for document in world.documents.values_mut() {
            document.classify(&shelf);
            document.stale = true;
        }
        Ok(())
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
