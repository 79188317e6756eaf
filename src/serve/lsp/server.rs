//! The loop: messages in, answers out, one after the other; readings and searches beside it.

use std::collections::{HashMap, VecDeque};
use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{
    ClientCapabilities, DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    ExecuteCommandParams, PublishDiagnosticsParams, Uri,
};
use serde_json::{Value, json};

use super::checks;
use super::kind::Kind;
use super::reading::{self, Reading};
use super::requests::{Answer, Refusal, give, quick, read, references, rename};
use super::wire::{self, Incoming};
use super::world::{Document, World};
use super::{actions, capabilities, diagnostics, hover, pages, search, uri};
use crate::render::{json as json_answer, markdown};
use crate::serve::shelf::{Settings, Shelf};

/// Longer logs are read beside the loop.
const AT_ONCE: usize = 512 * 1024;

/// Something that happened.
enum Event {
    Incoming(Incoming),
    /// The client's stream ended.
    Closed,
    /// A reading was made of this version.
    Read(String, i32, Option<Box<Reading>>),
    /// A search is done.
    Answered(RequestId, Answer),
}

/// How far the handshake has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Waiting,
    Running,
    ShutDown,
}

pub(super) struct Server<W> {
    to: W,
    settings: Settings,
    root: PathBuf,
    stage: Stage,
    capabilities: ClientCapabilities,
    world: Option<World>,
    /// What stops a search beside us.
    cancels: HashMap<RequestId, Arc<AtomicBool>>,
    events: (Sender<Event>, Receiver<Event>),
    asked: i32,
}

impl<W: Write> Server<W> {
    pub(super) fn new(to: W, root: PathBuf, settings: Settings) -> Self {
        Self {
            to,
            settings,
            root,
            stage: Stage::Waiting,
            capabilities: ClientCapabilities::default(),
            world: None,
            cancels: HashMap::new(),
            events: mpsc::channel(),
            asked: 0,
        }
    }

    /// Serves until the client leaves; whether it said good-bye.
    pub(super) fn run(mut self, mut from: impl BufRead + Send + 'static) -> io::Result<bool> {
        let events = self.events.0.clone();
        // Not joined: it may wait for a client that never says anything again.
        thread::spawn(move || {
            loop {
                let event = match wire::read(&mut from) {
                    Ok(Some(incoming)) => Event::Incoming(incoming),
                    Ok(None) | Err(_) => Event::Closed,
                };
                let last = matches!(event, Event::Closed);
                if events.send(event).is_err() || last {
                    return;
                }
            }
        });
        let mut queue = VecDeque::new();
        loop {
            if queue.is_empty() {
                self.bring_up_to_date()?;
                match self.events.1.recv() {
                    Ok(event) => queue.push_back(event),
                    Err(_) => return Ok(false),
                }
            }
            queue.extend(self.events.1.try_iter());
            let Some(event) = queue.pop_front() else { continue };
            match event {
                Event::Closed => return Ok(self.stage == Stage::ShutDown),
                Event::Incoming(Incoming::Garbage(answer)) => wire::write(&mut self.to, &answer)?,
                Event::Incoming(Incoming::Message(Message::Request(request))) => {
                    if is_cancelled(&queue, &request.id) {
                        self.respond(request.id, Err(cancelled()))?;
                    } else {
                        self.request(request)?;
                    }
                }
                Event::Incoming(Incoming::Message(Message::Notification(notification))) => {
                    if notification.method == "exit" {
                        return Ok(self.stage == Stage::ShutDown);
                    }
                    self.notification(notification);
                }
                // Answers to what we asked: shown or not, there is nothing to do about it.
                Event::Incoming(Incoming::Message(Message::Response(_))) => {}
                Event::Read(key, version, reading) => self.take_over(&key, version, reading),
                Event::Answered(id, answer) => {
                    self.cancels.remove(&id);
                    self.respond(id, answer)?;
                }
            }
        }
    }

    fn request(&mut self, request: Request) -> io::Result<()> {
        let Request { id, method, params } = request;
        let refuse = |code, says: &str| Err(Refusal::new(code, says));
        let answer = match (self.stage, method.as_str()) {
            (Stage::Waiting, "initialize") => self.initialize(params),
            (Stage::Waiting, _) => refuse(ErrorCode::ServerNotInitialized, "`initialize` comes first"),
            (_, "initialize") => refuse(ErrorCode::InvalidRequest, "`initialize` comes once"),
            (Stage::ShutDown, _) => refuse(ErrorCode::InvalidRequest, "the server was shut down"),
            (Stage::Running, "shutdown") => {
                self.stage = Stage::ShutDown;
                Ok(Value::Null)
            }
            (Stage::Running, "textDocument/references") => {
                match self.guarded(|server| references(server.world()?, params)) {
                    Ok(Some(search)) => {
                        self.beside(id, move |stop| finish(search::run(&search, stop)));
                        return Ok(());
                    }
                    Ok(None) => Ok(Value::Null),
                    Err(refusal) => Err(refusal),
                }
            }
            (Stage::Running, "textDocument/rename") => match self.guarded(|server| rename(server.world()?, params)) {
                Ok(renaming) => {
                    let edit = self.capabilities.workspace.as_ref().and_then(|w| w.workspace_edit.as_ref());
                    let changes = edit.and_then(|edit| edit.document_changes).unwrap_or(false);
                    let kinds = edit.and_then(|edit| edit.resource_operations.clone()).unwrap_or_default();
                    let files = kinds.contains(&lsp_types::ResourceOperationKind::Rename);
                    self.beside(id, move |stop| {
                        let found = search::run(&renaming.search, stop).ok_or_else(cancelled)?;
                        give(search::rename(found, &renaming.old, &renaming.new, &renaming.files, files, changes))
                    });
                    return Ok(());
                }
                Err(refusal) => Err(refusal),
            },
            (Stage::Running, "workspace/executeCommand") => self.execute(params)?,
            (Stage::Running, _) => {
                self.read_now(&params);
                self.guarded(|server| quick(server.world()?, &method, params))
            }
        };
        self.respond(id, answer)
    }

    /// Runs something that may have a mistake of ours in it: a panic becomes an error of this one request.
    fn guarded<T>(&self, work: impl FnOnce(&Self) -> Result<T, Refusal>) -> Result<T, Refusal> {
        catch_unwind(AssertUnwindSafe(|| work(self)))
            .unwrap_or_else(|_| Err(Refusal::new(ErrorCode::InternalError, "this is a bug in Faultbook")))
    }

    fn world(&self) -> Result<&World, Refusal> {
        self.world.as_ref().ok_or_else(|| Refusal::new(ErrorCode::ServerNotInitialized, "`initialize` comes first"))
    }

    /// Answers from a thread of its own.
    fn beside(&mut self, id: RequestId, work: impl FnOnce(&AtomicBool) -> Answer + Send + 'static) {
        let stop = Arc::new(AtomicBool::new(false));
        self.cancels.insert(id.clone(), stop.clone());
        let events = self.events.0.clone();
        thread::spawn(move || {
            let answer = catch_unwind(AssertUnwindSafe(|| work(&stop)));
            let bug = || Err(Refusal::new(ErrorCode::InternalError, "this is a bug in Faultbook"));
            // The server may be gone by now.
            let _ = events.send(Event::Answered(id, answer.unwrap_or_else(|_| bug())));
        });
    }

    fn respond(&mut self, id: RequestId, answer: Answer) -> io::Result<()> {
        let response = match answer {
            Ok(value) => Response::new_ok(id, value),
            Err(refusal) => Response::new_err(id, refusal.code as i32, refusal.says),
        };
        wire::write(&mut self.to, &wire::value(&Message::Response(response)))
    }

    fn notify(&mut self, method: &str, params: Value) -> io::Result<()> {
        let notification = Notification { method: method.to_owned(), params };
        wire::write(&mut self.to, &wire::value(&Message::Notification(notification)))
    }

    fn ask(&mut self, method: &str, params: Value) -> io::Result<()> {
        self.asked += 1;
        let request =
            Request { id: RequestId::from(format!("faultbook-{}", self.asked)), method: method.to_owned(), params };
        wire::write(&mut self.to, &wire::value(&Message::Request(request)))
    }

    fn initialize(&mut self, params: Value) -> Answer {
        let params: lsp_types::InitializeParams = read(params)?;
        self.capabilities = params.capabilities;
        let mut folders: Vec<PathBuf> =
            params.workspace_folders.iter().flatten().filter_map(|folder| uri::path(&folder.uri)).collect();
        #[expect(deprecated, reason = "older clients name their folder this way alone")]
        if folders.is_empty() {
            folders.extend(params.root_uri.as_ref().and_then(uri::path));
        }
        let root = folders.first().cloned().unwrap_or_else(|| self.root.clone());
        let shelf = Arc::new(Shelf::open(&root, &self.settings));
        if folders.is_empty() {
            folders.push(root);
        }
        self.world = Some(World { shelf, documents: HashMap::new(), folders });
        self.stage = Stage::Running;
        give(json!({
            "capabilities": capabilities::all(),
            "serverInfo": { "name": "faultbook", "version": env!("CARGO_PKG_VERSION") },
        }))
    }

    fn notification(&mut self, notification: Notification) {
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
    fn open_again(&mut self) -> Result<(), Refusal> {
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

    /// Reads the document that a request is about, when that is quickly done: the answer should fit the text.
    fn read_now(&mut self, params: &Value) {
        let Some(key) = params.pointer("/textDocument/uri").and_then(Value::as_str) else { return };
        let key = key.to_owned();
        let _ = catch_unwind(AssertUnwindSafe(|| self.refresh(&key)));
    }

    /// Publishes what is marked in every document that changed.
    fn bring_up_to_date(&mut self) -> io::Result<()> {
        let Some(world) = self.world.as_ref() else { return Ok(()) };
        let stale: Vec<String> = world.documents.iter().filter(|(_, d)| d.stale).map(|(key, _)| key.clone()).collect();
        for key in stale {
            // A document that makes us stumble must not do so again and again.
            if catch_unwind(AssertUnwindSafe(|| self.refresh(&key))).is_err()
                && let Some(document) = self.world.as_mut().and_then(|world| world.documents.get_mut(&key))
            {
                document.stale = false;
                document.reading = None;
            }
        }
        let Some(world) = self.world.as_mut() else { return Ok(()) };
        let mut ready = Vec::new();
        for document in world.documents.values_mut().filter(|document| document.unpublished) {
            document.unpublished = false;
            ready.push(document.uri.clone());
        }
        for uri in ready {
            let Some(document) = self.world.as_ref().and_then(|world| world.document(&uri)) else { continue };
            let version = document.version;
            let marks = catch_unwind(AssertUnwindSafe(|| diagnostics::of(document))).unwrap_or_default();
            self.publish(&uri, Some(version), marks)?;
        }
        Ok(())
    }

    /// Makes a stale document fresh, or sends it out to be read.
    fn refresh(&mut self, key: &str) {
        let events = self.events.0.clone();
        let Some(world) = self.world.as_mut() else { return };
        let Some(document) = world.documents.get_mut(key).filter(|document| document.stale) else { return };
        if document.kind != Kind::Log {
            (document.stale, document.reading, document.unpublished) = (false, None, true);
            document.findings = Vec::new();
            let found = world.documents.get(key).map(|document| checks::findings(world, document)).unwrap_or_default();
            if let Some(document) = world.documents.get_mut(key) {
                document.findings = found;
            }
            return;
        }
        if document.text.as_str().len() <= AT_ONCE {
            // Before the work, so that a panic does not repeat itself.
            (document.stale, document.unpublished) = (false, true);
            document.reading = None;
            document.reading = Some(Arc::new(reading::read(&document.text, &world.shelf.knowledge)));
            return;
        }
        if document.working {
            return;
        }
        (document.stale, document.working) = (false, true);
        let (text, version, shelf, key) =
            (document.text.clone(), document.version, world.shelf.clone(), key.to_owned());
        thread::spawn(move || {
            let reading = catch_unwind(AssertUnwindSafe(|| Box::new(reading::read(&text, &shelf.knowledge)))).ok();
            let _ = events.send(Event::Read(key, version, reading));
        });
    }

    /// Takes over a reading that was made beside us.
    fn take_over(&mut self, key: &str, version: i32, reading: Option<Box<Reading>>) {
        let Some(document) = self.world.as_mut().and_then(|world| world.documents.get_mut(key)) else { return };
        document.working = false;
        // Of an older text it is still better than none, as long as a newer one is on its way.
        document.stale = document.stale || document.version != version;
        document.reading = reading.map(Arc::from);
        document.unpublished = true;
    }

    fn publish(&mut self, uri: &Uri, version: Option<i32>, diagnostics: Vec<lsp_types::Diagnostic>) -> io::Result<()> {
        let params = PublishDiagnosticsParams { uri: uri.clone(), diagnostics, version };
        self.notify("textDocument/publishDiagnostics", serde_json::to_value(params).unwrap_or_default())
    }

    fn execute(&mut self, params: Value) -> io::Result<Answer> {
        let params: ExecuteCommandParams = match read(params) {
            Ok(params) => params,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let argument = params.arguments.first().cloned().unwrap_or_default();
        match params.command.as_str() {
            actions::OPEN_PAGE => self.open_page(&argument),
            actions::COPY_COMMAND => {
                let words = argument.as_str().unwrap_or_default().to_owned();
                self.notify("window/showMessage", json!({ "type": 3, "message": words }))?;
                Ok(Ok(json!(words)))
            }
            actions::DIAGNOSE => Ok(self.guarded(|server| diagnose(server.world()?, &argument))),
            other => Ok(Err(Refusal::new(ErrorCode::InvalidParams, format!("no such command: {other}")))),
        }
    }

    fn open_page(&mut self, argument: &Value) -> io::Result<Answer> {
        let id = argument.as_str().unwrap_or_default();
        let found = self.guarded(|server| {
            let shelf = &server.world()?.shelf;
            let page = shelf.knowledge.book.find(id);
            let uri = page.and_then(|page| pages::of(shelf, page));
            uri.ok_or_else(|| Refusal::new(ErrorCode::InvalidParams, format!("no such page: {id}")))
        });
        let uri = match found {
            Ok(uri) => uri,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let window = self.capabilities.window.as_ref();
        if window.and_then(|window| window.show_document.as_ref()).is_some_and(|show| show.support) {
            self.ask("window/showDocument", json!({ "uri": uri, "takeFocus": true }))?;
        }
        Ok(give(uri))
    }
}

/// Diagnoses words, or an open document: the answer as markdown, as JSON, and in short.
fn diagnose(world: &World, argument: &Value) -> Answer {
    let open = argument.get("uri").and_then(Value::as_str).and_then(|uri| world.documents.get(uri));
    let text = match (argument.get("text").and_then(Value::as_str), open) {
        (Some(text), _) => text,
        (None, Some(document)) => document.text.as_str(),
        (None, None) => {
            return Err(Refusal::new(ErrorCode::InvalidParams, "neither `text` nor the `uri` of an open document"));
        }
    };
    let diagnosis = world.shelf.diagnose(text.as_bytes());
    let answer: Value = serde_json::from_str(&json_answer::render(&diagnosis)).unwrap_or_default();
    give(json!({ "markdown": markdown::render(&diagnosis), "short": hover::answer(&diagnosis), "diagnosis": answer }))
}

fn finish(found: Option<Vec<search::Mentions>>) -> Answer {
    give(search::locations(found.ok_or_else(cancelled)?))
}

fn cancelled() -> Refusal {
    Refusal::new(ErrorCode::RequestCanceled, "cancelled")
}

/// Whether a request was cancelled before it was looked at.
fn is_cancelled(queue: &VecDeque<Event>, id: &RequestId) -> bool {
    queue.iter().any(|event| match event {
        Event::Incoming(Incoming::Message(Message::Notification(notification))) => {
            notification.method == "$/cancelRequest"
                && notification
                    .params
                    .get("id")
                    .is_some_and(|other| serde_json::to_value(id).is_ok_and(|id| id == *other))
        }
        _ => false,
    })
}
