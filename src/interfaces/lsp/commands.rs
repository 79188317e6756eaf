//! The commands of the server, called by actions, lenses and the plugins of editors.

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use lsp_server::{ErrorCode, RequestId};
use lsp_types::ExecuteCommandParams;
use serde_json::{Value, json};

use super::outgoing::Grade;
use super::requests::{Answer, RequestError, give, read};
use super::server::{Event, Server};
use super::session::Session;
use super::text::Text;
use super::{actions, analysis, hover, pages, uri};
use crate::interfaces::drafts;
use crate::interfaces::workspace::Workspace;
use crate::render::json as json_answer;
use crate::render::markdown;
use crate::reports::draft;
use crate::reports::draft::fill::ReportOptions;
use crate::reports::draft::noninteractive::Drafted;

impl<W: Write> Server<W> {
    /// Runs a command; `None` if it is answered later.
    pub(super) fn execute(&mut self, id: &RequestId, params: Value) -> io::Result<Option<Answer>> {
        let params: ExecuteCommandParams = match read(params) {
            Ok(params) => params,
            Err(refusal) => return Ok(Some(Err(refusal))),
        };
        let argument = params.arguments.first().cloned().unwrap_or_default();
        let answer = match params.command.as_str() {
            actions::OPEN_PAGE => self.open_page(&argument)?,
            actions::COPY_COMMAND => {
                let words = argument.as_str().unwrap_or_default().to_owned();
                self.say(Grade::Info, &words)?;
                Ok(json!(words))
            }
            actions::DIAGNOSE => match self.guarded(|server| Target::of(server.session()?, &argument)) {
                Ok(target) => {
                    self.spawn(id.clone(), move |_| diagnose(&target));
                    return Ok(None);
                }
                Err(refusal) => Err(refusal),
            },
            actions::DRAFT => match self.guarded(|server| Target::of(server.session()?, &argument)) {
                Ok(target) => {
                    self.draft(id.clone(), target);
                    return Ok(None);
                }
                Err(refusal) => Err(refusal),
            },
            other => Err(RequestError::new(ErrorCode::InvalidParams, format!("no such command: {other}"))),
        };
        Ok(Some(answer))
    }

    fn open_page(&mut self, argument: &Value) -> io::Result<Answer> {
        let id = argument.as_str().unwrap_or_default();
        let found = self.guarded(|server| {
            let mut workspaces = server.session()?.workspaces();
            let uri = workspaces.find_map(|workspace| pages::of(workspace, workspace.knowledge.book.find(id)?));
            uri.ok_or_else(|| RequestError::new(ErrorCode::InvalidParams, format!("no such page: {id}")))
        });
        let uri = match found {
            Ok(uri) => uri,
            Err(refusal) => return Ok(Err(refusal)),
        };
        self.show(&uri)?;
        Ok(give(uri))
    }

    /// Drafts a report on another thread: git and the machine are queried, which takes a while.
    fn draft(&mut self, id: RequestId, target: Target) {
        let events = self.events.0.clone();
        thread::spawn(move || {
            let work = || {
                let (text, excerpt) = analysis::read_part(&target.text);
                drafts::write(&target.workspace, text.as_bytes(), excerpt, ReportOptions::default())
            };
            let event = match catch_unwind(AssertUnwindSafe(work)) {
                Ok(drafted) => Event::Drafted(id, drafted.map(Box::new)),
                Err(_) => {
                    Event::Answered(id, Err(RequestError::new(ErrorCode::InternalError, "this is a bug in Faultbook")))
                }
            };
            // The server may be gone by now.
            let _ = events.send(event);
        });
    }

    /// Shows a report that was written, with a message about it.
    pub(super) fn drafted(&mut self, id: RequestId, drafted: Result<Box<Drafted>, draft::Error>) -> io::Result<()> {
        let drafted = match drafted {
            Ok(drafted) => drafted,
            Err(error) => {
                let message = drafts::failure(&error);
                self.say(Grade::Error, &format!("Faultbook wrote no report: {message}"))?;
                return self.respond(id, Err(RequestError::new(ErrorCode::RequestFailed, message)));
            }
        };
        // The new report is known from now on: its id leads to it.
        let _ = catch_unwind(AssertUnwindSafe(|| self.session_mut().map(Session::reload)));
        let message = drafts::summary(&drafted);
        let grade = if drafted.alike.is_some() || drafted.secrets > 0 { Grade::Warning } else { Grade::Info };
        self.say(grade, &format!("Faultbook drafted {}{message}", drafted.id))?;
        let uri = uri::of(&drafted.path);
        if let Some(uri) = &uri {
            self.show(uri)?;
        }
        self.respond(id, give(json!({ "uri": uri, "id": drafted.id, "path": drafted.path })))
    }
}

/// The text and the workspace that a command works on.
struct Target {
    /// The project that the text belongs to.
    workspace: Arc<Workspace>,
    text: Arc<Text>,
}

impl Target {
    /// The text of an argument, else that of the open document it names, whose project is then used.
    fn of(session: &Session, argument: &Value) -> Result<Self, RequestError> {
        let text = argument.get("text").and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        let open = argument.get("uri").and_then(Value::as_str).and_then(|uri| session.documents.get(uri));
        let workspace = open.map_or_else(|| session.workspace_of(None), |document| session.workspace(document)).clone();
        let text = text.map(|text| Arc::new(Text::new(text.to_owned())));
        let text = text.or_else(|| open.map(|document| document.text.clone()));
        let none = || RequestError::new(ErrorCode::InvalidParams, "pass `text` or the `uri` of an open document");
        Ok(Self { workspace, text: text.ok_or_else(none)? })
    }
}

/// Diagnoses a text: the answer as markdown, as JSON, and in short.
fn diagnose(target: &Target) -> Answer {
    let diagnosis = analysis::read(&target.text, &target.workspace.knowledge).diagnosis;
    let answer = json_answer::value(&diagnosis);
    give(json!({ "markdown": markdown::render(&diagnosis), "short": hover::answer(&diagnosis), "diagnosis": answer }))
}
