//! The main loop: messages in, answers out, in order; analyses and searches run on other threads.
//!
//! The parts are in the files beside this one: `notifications` apply what the client reports, `upkeep` analyses
//! documents that changed, `commands` are what actions and lenses call, `outgoing` is what goes to the client.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use lsp_server::{ErrorCode, Message, Request, RequestId};
use lsp_types::ClientCapabilities;
use serde_json::{Value, json};

use super::analysis::Analysis;
use super::requests::{Answer, RequestError, give, quick, read, references, rename};
use super::session::Session;
use super::wire::{self, Incoming};
use super::{capabilities, search, uri};
use crate::interfaces::workspace::Settings;
use crate::reports::draft;
use crate::reports::draft::noninteractive::Drafted;

/// What the loop waits for.
pub(super) enum Event {
    Incoming(Incoming),
    /// The client's stream ended.
    Closed,
    /// The analysis of this version is done.
    Analysed(String, i32, Option<Box<Analysis>>),
    /// A request that ran on another thread is done.
    Answered(RequestId, Answer),
    /// A report was drafted, or why not.
    Drafted(RequestId, Result<Box<Drafted>, draft::Error>),
}

/// How far the handshake has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Waiting,
    Running,
    ShutDown,
}

pub(super) struct Server<W> {
    pub(super) to: W,
    pub(super) settings: Settings,
    /// Where the project is looked for when the client names no folder.
    pub(super) root: PathBuf,
    pub(super) stage: Stage,
    pub(super) capabilities: ClientCapabilities,
    pub(super) session: Option<Session>,
    /// Flags that cancel requests on other threads.
    pub(super) cancels: HashMap<RequestId, Arc<AtomicBool>>,
    pub(super) events: (Sender<Event>, Receiver<Event>),
    /// Requests sent to the client so far.
    pub(super) requests_sent: i32,
    /// The reports of which the client knows that they are left out.
    pub(super) left_out: HashSet<String>,
}

impl<W: Write> Server<W> {
    pub(super) fn new(to: W, root: PathBuf, settings: Settings) -> Self {
        Self {
            to,
            settings,
            root,
            stage: Stage::Waiting,
            capabilities: ClientCapabilities::default(),
            session: None,
            cancels: HashMap::new(),
            events: mpsc::channel(),
            requests_sent: 0,
            left_out: HashSet::new(),
        }
    }

    /// Serves until the client leaves; whether it said good-bye.
    pub(super) fn run(mut self, mut from: impl BufRead + Send + 'static) -> io::Result<bool> {
        let events = self.events.0.clone();
        // Not joined: it may wait for a client that never sends anything again.
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
                // Responses to our own requests: whether shown or not, there is nothing to do.
                Event::Incoming(Incoming::Message(Message::Response(_))) => {}
                Event::Analysed(key, version, analysis) => self.store_analysis(&key, version, analysis),
                Event::Answered(id, answer) => {
                    self.cancels.remove(&id);
                    self.respond(id, answer)?;
                }
                Event::Drafted(id, drafted) => self.drafted(id, drafted)?,
            }
        }
    }

    fn request(&mut self, request: Request) -> io::Result<()> {
        let Request { id, method, params } = request;
        let reject = |code, message: &str| Err(RequestError::new(code, message));
        let answer = match (self.stage, method.as_str()) {
            (Stage::Waiting, "initialize") => self.initialize(params),
            (Stage::Waiting, _) => reject(ErrorCode::ServerNotInitialized, "`initialize` comes first"),
            (_, "initialize") => reject(ErrorCode::InvalidRequest, "`initialize` may be sent only once"),
            (Stage::ShutDown, _) => reject(ErrorCode::InvalidRequest, "the server was shut down"),
            (Stage::Running, "shutdown") => {
                self.stage = Stage::ShutDown;
                Ok(Value::Null)
            }
            (Stage::Running, "textDocument/references") => {
                match self.guarded(|server| references(server.session()?, params)) {
                    Ok(Some(search)) => {
                        self.spawn(id, move |stop| finish(search::run(&search, stop)));
                        return Ok(());
                    }
                    Ok(None) => Ok(Value::Null),
                    Err(refusal) => Err(refusal),
                }
            }
            (Stage::Running, "textDocument/rename") => match self.guarded(|server| rename(server.session()?, params)) {
                Ok(renaming) => {
                    let edit = self.capabilities.workspace.as_ref().and_then(|w| w.workspace_edit.as_ref());
                    let changes = edit.and_then(|edit| edit.document_changes).unwrap_or(false);
                    let kinds = edit.and_then(|edit| edit.resource_operations.clone()).unwrap_or_default();
                    let files = kinds.contains(&lsp_types::ResourceOperationKind::Rename);
                    self.spawn(id, move |stop| {
                        let found = search::run(&renaming.search, stop).ok_or_else(cancelled)?;
                        give(search::rename(found, &renaming.old, &renaming.new, &renaming.files, files, changes))
                    });
                    return Ok(());
                }
                Err(refusal) => Err(refusal),
            },
            (Stage::Running, "workspace/executeCommand") => match self.execute(&id, params)? {
                Some(answer) => answer,
                None => return Ok(()),
            },
            (Stage::Running, _) => {
                self.read_now(&params);
                self.guarded(|server| quick(server.session()?, &method, params))
            }
        };
        self.respond(id, answer)
    }

    /// Catches panics: a bug of ours becomes an error of this one request.
    pub(super) fn guarded<T>(&self, work: impl FnOnce(&Self) -> Result<T, RequestError>) -> Result<T, RequestError> {
        catch_unwind(AssertUnwindSafe(|| work(self)))
            .unwrap_or_else(|_| Err(RequestError::new(ErrorCode::InternalError, "this is a bug in Faultbook")))
    }

    pub(super) fn session(&self) -> Result<&Session, RequestError> {
        self.session
            .as_ref()
            .ok_or_else(|| RequestError::new(ErrorCode::ServerNotInitialized, "`initialize` comes first"))
    }

    /// Answers from another thread.
    pub(super) fn spawn(&mut self, id: RequestId, work: impl FnOnce(&AtomicBool) -> Answer + Send + 'static) {
        let stop = Arc::new(AtomicBool::new(false));
        self.cancels.insert(id.clone(), stop.clone());
        let events = self.events.0.clone();
        thread::spawn(move || {
            let answer = catch_unwind(AssertUnwindSafe(|| work(&stop)));
            let bug = || Err(RequestError::new(ErrorCode::InternalError, "this is a bug in Faultbook"));
            // The server may be gone by now.
            let _ = events.send(Event::Answered(id, answer.unwrap_or_else(|_| bug())));
        });
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
        self.session = Some(Session::open(folders, &self.root, &self.settings));
        self.stage = Stage::Running;
        give(json!({
            "capabilities": capabilities::all(),
            "serverInfo": { "name": "faultbook", "version": env!("CARGO_PKG_VERSION") },
        }))
    }
}

fn finish(found: Option<Vec<search::Mentions>>) -> Answer {
    give(search::locations(found.ok_or_else(cancelled)?))
}

fn cancelled() -> RequestError {
    RequestError::new(ErrorCode::RequestCanceled, "cancelled")
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
