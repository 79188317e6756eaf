//! Keeps what is known of open documents as new as their text: short ones at once, long logs beside the loop.

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use serde_json::Value;

use super::analysis::{self, Analysis};
use super::kind::Kind;
use super::server::{Event, Server};
use super::{checks, diagnostics};

/// Longer logs are read beside the loop.
const AT_ONCE: usize = 512 * 1024;

impl<W: Write> Server<W> {
    /// Reads the document that a request is about, when that is quickly done: the answer should fit the text.
    pub(super) fn read_now(&mut self, params: &Value) {
        let Some(key) = params.pointer("/textDocument/uri").and_then(Value::as_str) else { return };
        let key = key.to_owned();
        let _ = catch_unwind(AssertUnwindSafe(|| self.refresh(&key)));
    }

    /// Publishes what is marked in every document that changed.
    pub(super) fn bring_up_to_date(&mut self) -> io::Result<()> {
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
        let Some(document) = world.documents.get(key).filter(|document| document.stale) else { return };
        let workspace = world.workspace(document).clone();
        let Some(document) = world.documents.get_mut(key) else { return };
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
            document.reading = Some(Arc::new(analysis::read(&document.text, &workspace.knowledge)));
            return;
        }
        if document.working {
            return;
        }
        (document.stale, document.working) = (false, true);
        let (text, version, key) = (document.text.clone(), document.version, key.to_owned());
        thread::spawn(move || {
            let reading = catch_unwind(AssertUnwindSafe(|| Box::new(analysis::read(&text, &workspace.knowledge)))).ok();
            let _ = events.send(Event::Read(key, version, reading));
        });
    }

    /// Takes over a reading that was made beside us.
    pub(super) fn take_over(&mut self, key: &str, version: i32, reading: Option<Box<Analysis>>) {
        let Some(document) = self.world.as_mut().and_then(|world| world.documents.get_mut(key)) else { return };
        document.working = false;
        // Of an older text it is still better than none, as long as a newer one is on its way.
        document.stale = document.stale || document.version != version;
        document.reading = reading.map(Arc::from);
        document.unpublished = true;
    }
}
