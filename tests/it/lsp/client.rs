//! A client of the language server in this process, and the project it works in.

use std::fs;
use std::io::{BufReader, PipeReader, PipeWriter, Write as _, pipe};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use faultbook::interfaces::lsp::serve;
use faultbook::interfaces::workspace::Settings;
use serde_json::{Value, json};

use super::frames;

/// A report of the project.
pub(crate) const REPORT: &str = "\
---
title: \"Lateral layer finds no engine\"
date: \"2026-01-01\"
type: bug_report
status: resolved
bug_id: BUG-20260101-007
severity: high
tags: [cudnn]
---
# Bug Report: lateral layer finds no engine

## Summary
The lateral layer stops at its first call, as in BUG-20260101-008.

## Logs / Stack Trace
```
RuntimeError: GET was unable to find an engine to execute this computation
```

## Proposed Solutions
### Solution 1: Halve the batch (RECOMMENDED)
```bash
python train.py batch_size=2
```
";

/// A log with a failure on line 3 (from 0) and an echo of it below.
pub(crate) const LOG: &str = "\
[rank0]: epoch 0 😀
[rank0]: Traceback (most recent call last):
[rank0]:   File \"train.py\", line 88, in <module>
[rank0]: RuntimeError: GET was unable to find an engine to execute this computation
[rank1]: step 2
[rank1]: step 3
";

pub(crate) struct Client {
    to: PipeWriter,
    from: BufReader<PipeReader>,
    server: Option<JoinHandle<bool>>,
    last: i64,
    /// Notifications and requests of the server that no test has read yet.
    pub(crate) heard: Vec<Value>,
    folder: tempfile::TempDir,
}

impl Client {
    /// A client that has said nothing yet, in an empty project.
    pub(crate) fn silent() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(folder.path().join(".git")).expect("a folder");
        let ((server_from, to), (from, server_to)) = (pipe().expect("a pipe"), pipe().expect("a pipe"));
        let (root, cache) = (folder.path().to_owned(), folder.path().join(".git/cache"));
        let settings = Settings { cache: Some(cache), ..Settings::default() };
        let server = std::thread::spawn(move || {
            serve(BufReader::new(server_from), server_to, root, settings).expect("the stream holds")
        });
        Self { to, from: BufReader::new(from), server: Some(server), last: 0, heard: Vec::new(), folder }
    }

    /// A client in a project with one report, after the handshake.
    pub(crate) fn new() -> Self {
        let mut client = Self::silent();
        client.file("docs/bug_reports/BUG-20260101-007-lateral.md", REPORT);
        client.greet();
        client
    }

    pub(crate) fn greet(&mut self) -> Value {
        self.greet_in(&[""])
    }

    /// The handshake of a workspace with these folders of the project.
    pub(crate) fn greet_in(&mut self, folders: &[&str]) -> Value {
        let edit = json!({ "documentChanges": true, "resourceOperations": ["rename"] });
        let capabilities =
            json!({ "workspace": { "workspaceEdit": edit }, "window": { "showDocument": { "support": true } } });
        let folders: Vec<Value> =
            folders.iter().map(|name| json!({ "uri": self.uri(name), "name": "project" })).collect();
        let answer = self.ask(
            "initialize",
            json!({ "processId": null, "rootUri": null, "capabilities": capabilities, "workspaceFolders": folders }),
        );
        self.tell("initialized", json!({}));
        answer
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn uri(&self, name: &str) -> String {
        format!("file://{}", self.path(name).display())
    }

    pub(crate) fn file(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).expect("folders");
        fs::write(path, text).expect("a file");
    }

    /// Opens a document and gives its address.
    pub(crate) fn open(&mut self, name: &str, language: &str, text: &str) -> String {
        let uri = if name.contains(':') { name.to_owned() } else { self.uri(name) };
        let item = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": item }));
        uri
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.to.write_all(bytes).expect("written");
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.raw(&frames::framed(message));
    }

    pub(crate) fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request; the number it goes by.
    pub(crate) fn begin(&mut self, method: &str, params: Value) -> i64 {
        self.last += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params }));
        self.last
    }

    /// The next message.
    pub(crate) fn next(&mut self) -> Value {
        frames::next(&mut self.from)
    }

    /// The answer to a request: its whole message.
    pub(crate) fn answer(&mut self, id: i64) -> Value {
        loop {
            let message = self.next();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.heard.push(message);
        }
    }

    /// Asks, and gives the result; fails on an error.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        let answer = self.answer(id);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Asks about a place in a document.
    pub(crate) fn at(&mut self, method: &str, uri: &str, line: u32, character: u32) -> Value {
        let position = json!({ "line": line, "character": character });
        self.ask(method, json!({ "textDocument": { "uri": uri }, "position": position }))
    }

    /// Asks about a document.
    pub(crate) fn of(&mut self, method: &str, uri: &str) -> Value {
        self.ask(method, json!({ "textDocument": { "uri": uri } }))
    }

    /// The next marks published for a document.
    pub(crate) fn marks(&mut self, uri: &str) -> Vec<Value> {
        let is_it =
            |message: &Value| message["method"] == "textDocument/publishDiagnostics" && message["params"]["uri"] == uri;
        let found = match self.heard.iter().position(is_it) {
            Some(at) => self.heard.remove(at),
            None => loop {
                let message = self.next();
                if is_it(&message) {
                    break message;
                }
                self.heard.push(message);
            },
        };
        found["params"]["diagnostics"].as_array().expect("a list").clone()
    }

    /// Leaves as the protocol asks; whether the server took it for that.
    pub(crate) fn leave(mut self) -> bool {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        self.server.take().expect("a thread").join().expect("no panic")
    }

    /// Closes the stream without a word.
    pub(crate) fn vanish(self) -> bool {
        let Self { to, server, .. } = self;
        drop(to);
        server.expect("a thread").join().expect("no panic")
    }
}

/// The words of a hover.
pub(crate) fn words(hover: &Value) -> String {
    hover["contents"]["value"].as_str().unwrap_or_default().to_owned()
}
