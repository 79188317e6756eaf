//! Keeps the analyses of open documents up to date: short ones at once, long logs on another thread.

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use serde_json::Value;

use super::analysis::{self, Analysis};
use super::kind::Kind;
use super::server::{Event, Server};
use super::{checks, diagnostics};

/// Longer logs are analysed on another thread.
const AT_ONCE: usize = 512 * 1024;

impl<W: Write> Server<W> {
    /// Analyses the document of a request if that is quick, so that the answer fits its text.
    pub(super) fn read_now(&mut self, params: &Value) {
        let Some(key) = params.pointer("/textDocument/uri").and_then(Value::as_str) else { return };
        let key = key.to_owned();
        let _ = catch_unwind(AssertUnwindSafe(|| self.refresh(&key)));
    }

    /// Publishes the diagnostics of every document that changed.
    pub(super) fn bring_up_to_date(&mut self) -> io::Result<()> {
        let Some(session) = self.session.as_ref() else { return Ok(()) };
        let stale: Vec<String> =
            session.documents.iter().filter(|(_, d)| d.stale).map(|(key, _)| key.clone()).collect();
        for key in stale {
            // A document that causes a panic must not cause it again and again.
            if catch_unwind(AssertUnwindSafe(|| self.refresh(&key))).is_err()
                && let Some(document) = self.session.as_mut().and_then(|session| session.documents.get_mut(&key))
            {
                document.stale = false;
                document.analysis = None;
            }
        }
        let Some(session) = self.session.as_mut() else { return Ok(()) };
        let mut ready = Vec::new();
        for document in session.documents.values_mut().filter(|document| document.unpublished) {
            document.unpublished = false;
            ready.push(document.uri.clone());
        }
        for uri in ready {
            let Some(document) = self.session.as_ref().and_then(|session| session.document(&uri)) else { continue };
            let version = document.version;
            let marks = catch_unwind(AssertUnwindSafe(|| diagnostics::of(document))).unwrap_or_default();
            self.publish(&uri, Some(version), marks)?;
        }
        Ok(())
    }

    /// Analyses a stale document, or starts a thread that does.
    fn refresh(&mut self, key: &str) {
        let events = self.events.0.clone();
        let Some(session) = self.session.as_mut() else { return };
        let Some(document) = session.documents.get(key).filter(|document| document.stale) else { return };
        let workspace = session.workspace(document).clone();
        let Some(document) = session.documents.get_mut(key) else { return };
        if document.kind != Kind::Log {
            (document.stale, document.analysis, document.unpublished) = (false, None, true);
            document.findings = Vec::new();
            let found =
                session.documents.get(key).map(|document| checks::findings(session, document)).unwrap_or_default();
            if let Some(document) = session.documents.get_mut(key) {
                document.findings = found;
            }
            return;
        }
        if document.text.as_str().len() <= AT_ONCE {
            // Before the work, so that a panic does not repeat itself.
            (document.stale, document.unpublished) = (false, true);
            document.analysis = None;
            document.analysis = Some(Arc::new(analysis::read(&document.text, &workspace.knowledge)));
            return;
        }
        if document.working {
            return;
        }
        (document.stale, document.working) = (false, true);
        let (text, version, key) = (document.text.clone(), document.version, key.to_owned());
        thread::spawn(move || {
            let analysis =
                catch_unwind(AssertUnwindSafe(|| Box::new(analysis::read(&text, &workspace.knowledge)))).ok();
            let _ = events.send(Event::Analysed(key, version, analysis));
        });
    }

    /// Stores an analysis from another thread.
    pub(super) fn store_analysis(&mut self, key: &str, version: i32, analysis: Option<Box<Analysis>>) {
        let Some(document) = self.session.as_mut().and_then(|session| session.documents.get_mut(key)) else { return };
        document.working = false;
        // An analysis of an older text is better than none while a newer one is being made.
        document.stale = document.stale || document.version != version;
        document.analysis = analysis.map(Arc::from);
        document.unpublished = true;
    }
}
