//! Keeps the analyses of open documents up to date: short ones at once, long logs on another thread.

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use serde_json::{Value, json};

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
        self.tell_left_out()
    }

    /// Tells the client of reports that no answer considers, each once.
    fn tell_left_out(&mut self) -> io::Result<()> {
        let Some(session) = self.session.as_ref() else { return Ok(()) };
        let left_out: Vec<String> = session.workspaces().flat_map(|workspace| workspace.left_out()).collect();
        for note in left_out {
            if self.left_out.insert(note.clone()) {
                self.notify("window/logMessage", json!({ "type": 2, "message": note }))?;
            }
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::super::session::Session;
    use super::*;
    use crate::interfaces::workspace::{Settings, Workspace};
    use crate::reports::{files, index};

    #[test]
    fn a_report_that_is_left_out_is_told_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let (root, cache) = (folder.path().join("project"), folder.path().join("cache"));
        let reports = root.join("docs/bug_reports");
        fs::create_dir_all(&reports).and_then(|()| fs::create_dir(root.join(".git"))).expect("a project");
        fs::write(reports.join("BUG-20260101-001.md"), "# Slow\n\n## Summary\nIt is slow.\n").expect("a report");
        let settings = Settings { no_builtin: true, cache: Some(cache.clone()), ..Settings::default() };
        let workspace = Workspace::open(&root, &settings);
        // The index remembers what took too long; here nothing is fast enough.
        let sources = index::Sources {
            files: &files::report_files(&workspace.reports[0]).expect("a folder").0,
            roots: &workspace.reports,
            book: &workspace.knowledge.book,
            read: Arc::new(|_| {
                thread::sleep(Duration::from_millis(50));
                None
            }),
            faults: Arc::new(|_| Vec::new()),
            per_file: Duration::ZERO,
            progress: &|_, _| {},
        };
        assert!(index::open(&sources, Some(&cache), false).is_ok());

        let mut server = Server::new(Vec::new(), root.clone(), settings.clone());
        server.session = Some(Session::open(Vec::new(), &root, &settings));
        for _ in 0..2 {
            server.session_mut().expect("a session").reload();
            assert!(server.session().expect("a session").workspaces().all(|one| one.knowledge.index().is_some()));
            server.bring_up_to_date().expect("it is written");
        }
        let told = String::from_utf8_lossy(&server.to).into_owned();
        assert_eq!(told.matches("left out: it takes longer").count(), 1, "{told}");
        assert!(told.contains("BUG-20260101-001.md"), "{told}");
    }
}
