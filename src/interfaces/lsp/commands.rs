//! The commands of the server, called by actions, lenses and the plugins of editors.

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use lsp_server::{ErrorCode, RequestId};
use lsp_types::ExecuteCommandParams;
use serde_json::{Value, json};

use super::outgoing::Grade;
use super::requests::{Answer, Refusal, give, read};
use super::server::{Event, Server};
use super::text::Text;
use super::world::World;
use super::{actions, analysis, hover, pages, uri};
use crate::interfaces::drafts;
use crate::interfaces::workspace::Workspace;
use crate::render::json as json_answer;
use crate::render::markdown;
use crate::reports::draft;
use crate::reports::draft::fill::Asked;
use crate::reports::draft::noninteractive::Drafted;

impl<W: Write> Server<W> {
    /// Does a command; `None` when it is answered later.
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
            actions::DIAGNOSE => match self.guarded(|server| Wanted::of(server.world()?, &argument)) {
                Ok(wanted) => {
                    self.beside(id.clone(), move |_| diagnose(&wanted));
                    return Ok(None);
                }
                Err(refusal) => Err(refusal),
            },
            actions::DRAFT => match self.guarded(|server| Wanted::of(server.world()?, &argument)) {
                Ok(wanted) => {
                    self.draft(id.clone(), wanted);
                    return Ok(None);
                }
                Err(refusal) => Err(refusal),
            },
            other => Err(Refusal::new(ErrorCode::InvalidParams, format!("no such command: {other}"))),
        };
        Ok(Some(answer))
    }

    fn open_page(&mut self, argument: &Value) -> io::Result<Answer> {
        let id = argument.as_str().unwrap_or_default();
        let found = self.guarded(|server| {
            let mut shelves = server.world()?.shelves();
            let uri = shelves.find_map(|workspace| pages::of(workspace, workspace.knowledge.book.find(id)?));
            uri.ok_or_else(|| Refusal::new(ErrorCode::InvalidParams, format!("no such page: {id}")))
        });
        let uri = match found {
            Ok(uri) => uri,
            Err(refusal) => return Ok(Err(refusal)),
        };
        self.show(&uri)?;
        Ok(give(uri))
    }

    /// Drafts a report beside the loop: git and the machine are asked, which takes its time.
    fn draft(&mut self, id: RequestId, wanted: Wanted) {
        let events = self.events.0.clone();
        thread::spawn(move || {
            let work = || {
                let (text, left_out) = analysis::read_part(&wanted.text);
                drafts::write(&wanted.workspace, text.as_bytes(), left_out.into_iter().collect(), Asked::default())
            };
            let event = match catch_unwind(AssertUnwindSafe(work)) {
                Ok(drafted) => Event::Drafted(id, drafted.map(Box::new)),
                Err(_) => {
                    Event::Answered(id, Err(Refusal::new(ErrorCode::InternalError, "this is a bug in Faultbook")))
                }
            };
            // The server may be gone by now.
            let _ = events.send(event);
        });
    }

    /// Shows a report that was written, and says what should be known about it.
    pub(super) fn drafted(&mut self, id: RequestId, drafted: Result<Box<Drafted>, draft::Error>) -> io::Result<()> {
        let drafted = match drafted {
            Ok(drafted) => drafted,
            Err(error) => {
                let says = drafts::failure(&error);
                self.say(Grade::Error, &format!("Faultbook wrote no report: {says}"))?;
                return self.respond(id, Err(Refusal::new(ErrorCode::RequestFailed, says)));
            }
        };
        // The new report is known from now on: its id leads to it.
        let _ = catch_unwind(AssertUnwindSafe(|| self.world_mut().map(World::open_again)));
        let says = drafts::says(&drafted);
        let grade = if drafted.alike.is_some() || drafted.secrets > 0 { Grade::Warning } else { Grade::Info };
        self.say(grade, &format!("Faultbook drafted {}{says}", drafted.id))?;
        let uri = uri::of(&drafted.path);
        if let Some(uri) = &uri {
            self.show(uri)?;
        }
        self.respond(id, give(json!({ "uri": uri, "id": drafted.id, "path": drafted.path })))
    }
}

/// What a command is about.
struct Wanted {
    /// What is known where it happened.
    workspace: Arc<Workspace>,
    text: Arc<Text>,
}

impl Wanted {
    /// The text of an argument, else that of the open document it names; the document also says which project it is.
    fn of(world: &World, argument: &Value) -> Result<Self, Refusal> {
        let text = argument.get("text").and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        let open = argument.get("uri").and_then(Value::as_str).and_then(|uri| world.documents.get(uri));
        let workspace = open.map_or_else(|| world.shelf_of(None), |document| world.workspace(document)).clone();
        let text = text.map(|text| Arc::new(Text::new(text.to_owned())));
        let text = text.or_else(|| open.map(|document| document.text.clone()));
        let none = || Refusal::new(ErrorCode::InvalidParams, "neither `text` nor the `uri` of an open document");
        Ok(Self { workspace, text: text.ok_or_else(none)? })
    }
}

/// Diagnoses a text: the answer as markdown, as JSON, and in short.
fn diagnose(wanted: &Wanted) -> Answer {
    let diagnosis = analysis::read(&wanted.text, &wanted.workspace.knowledge).diagnosis;
    let answer = json_answer::value(&diagnosis);
    give(json!({ "markdown": markdown::render(&diagnosis), "short": hover::answer(&diagnosis), "diagnosis": answer }))
}
