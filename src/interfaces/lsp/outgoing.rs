//! What goes to the client: answers, notifications, requests of ours.

use std::io::{self, Write};

use lsp_server::{Message, Notification, Request, RequestId, Response};
use lsp_types::{PublishDiagnosticsParams, Uri};
use serde_json::{Value, json};

use super::requests::Answer;
use super::server::Server;
use super::wire;

impl<W: Write> Server<W> {
    pub(super) fn respond(&mut self, id: RequestId, answer: Answer) -> io::Result<()> {
        let response = match answer {
            Ok(value) => Response::new_ok(id, value),
            Err(error) => Response::new_err(id, error.code as i32, error.message),
        };
        wire::write(&mut self.to, &wire::value(&Message::Response(response)))
    }

    pub(super) fn notify(&mut self, method: &str, params: Value) -> io::Result<()> {
        let notification = Notification { method: method.to_owned(), params };
        wire::write(&mut self.to, &wire::value(&Message::Notification(notification)))
    }

    pub(super) fn ask(&mut self, method: &str, params: Value) -> io::Result<()> {
        self.requests_sent += 1;
        let request = Request {
            id: RequestId::from(format!("faultbook-{}", self.requests_sent)),
            method: method.to_owned(),
            params,
        };
        wire::write(&mut self.to, &wire::value(&Message::Request(request)))
    }

    pub(super) fn publish(
        &mut self,
        uri: &Uri,
        version: Option<i32>,
        diagnostics: Vec<lsp_types::Diagnostic>,
    ) -> io::Result<()> {
        let params = PublishDiagnosticsParams { uri: uri.clone(), diagnostics, version };
        self.notify("textDocument/publishDiagnostics", serde_json::to_value(params).unwrap_or_default())
    }

    /// Asks the client to show a document, where it can.
    pub(super) fn show(&mut self, uri: &Uri) -> io::Result<()> {
        let window = self.capabilities.window.as_ref();
        if window.and_then(|window| window.show_document.as_ref()).is_some_and(|show| show.support) {
            self.ask("window/showDocument", json!({ "uri": uri, "takeFocus": true }))?;
        }
        Ok(())
    }

    /// Shows a message to the user.
    pub(super) fn say(&mut self, grade: Grade, words: &str) -> io::Result<()> {
        self.notify("window/showMessage", json!({ "type": grade as u8, "message": words }))
    }
}

/// The severity of a message, as the protocol numbers it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Grade {
    Error = 1,
    Warning = 2,
    Info = 3,
}
