//! How fast the interfaces are: what an editor and a terminal wait for. `cargo bench --bench interfaces`
//!
//! A small program of its own instead of a statistic: each figure is a limit that docs/editors.md states, measured on the
//! finished program through its pipes, and the run fails when a median exceeds its limit. `FAULTBOOK=...` names
//! another program to measure. A machine with other work gives other figures.
#![expect(clippy::print_stdout, reason = "this program's answer")]

use std::fmt::Write as _;
use std::fs;
use std::io::{BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio, exit};
use std::time::{Duration, Instant};

use frames::framed;
use serde_json::{Value, json};

#[path = "../tests/it/lsp/frames.rs"]
mod frames;

const REPORTS: usize = 1_000;
const EDITS: usize = 40;

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = folder.path();
    write_reports(root);
    let mut kept = true;
    let mut say = |what: &str, promise: u64, mut times: Vec<Duration>| {
        times.sort();
        let median = times[times.len() / 2];
        let ms = |time: Duration| format!("{:.1}", time.as_secs_f64() * 1000.0);
        let over = if median > Duration::from_millis(promise) { "  OVER" } else { "" };
        kept &= over.is_empty();
        println!(
            "{what:<52} min {:>8} ms  median {:>8} ms  max {:>8} ms  promised {promise} ms{over}",
            ms(times[0]),
            ms(median),
            ms(times[times.len() - 1])
        );
    };

    // The first start builds the index; what follows is every other start.
    let (first, _) = start(root);
    println!("first start, {REPORTS} reports to index: {:.1} ms", first.as_secs_f64() * 1000.0);
    let starts = (0..10).map(|_| start(root).0).collect();
    say("start to first answer, 1,000 reports", 150, starts);

    let (_, mut editor) = start(root);
    let text = traceback();
    println!("traceback of {} lines", text.lines().count());
    let uri = editor.open("untitled:Untitled-1", &text);
    editor.marks(&uri);
    let (mut marked, mut hovered) = (Vec::new(), Vec::new());
    let last = text.lines().count() - 1;
    for edit in 0..EDITS {
        let at = json!({ "line": edit, "character": 0 });
        let change = json!({ "range": { "start": at, "end": at }, "text": "x" });
        let began = Instant::now();
        let version = editor.change(&uri, change);
        let mark = editor.marks(&uri);
        marked.push(began.elapsed());
        assert_eq!((&mark["version"], &mark["diagnostics"][0]["code"]), (&json!(version), &json!("cudnn-no-engine")));
        let began = Instant::now();
        editor.change(&uri, json!({ "range": { "start": at, "end": at }, "text": "y" }));
        let hover = editor.hover(&uri, last);
        hovered.push(began.elapsed());
        assert!(hover["contents"]["value"].as_str().is_some_and(|words| words.contains("Most likely")));
        editor.marks(&uri);
    }
    say("edit to diagnostics, traceback of 2,000 lines", 50, marked);
    say("edit to hover, traceback of 2,000 lines", 50, hovered);

    let text = long_log();
    let size = text.len() >> 20;
    let uri = "untitled:Untitled-2".to_owned();
    // Made before the clock runs: that is the editor's work.
    let opening = framed(&opening(&uri, &text));
    let began = Instant::now();
    editor.to.write_all(&opening).and_then(|()| editor.to.flush()).expect("written");
    // The editor is not blocked by it: a hover in the other document is answered meanwhile.
    let hover = editor.hover("untitled:Untitled-1", last);
    let meanwhile = began.elapsed();
    assert!(!hover.is_null());
    let mark = editor.marks(&uri);
    let opened = began.elapsed();
    let words = mark["diagnostics"].to_string();
    assert!(words.contains("were not read"), "it must say what it skipped: {words}");
    say(&format!("a log of {size} MiB opened, to a hover elsewhere"), 1000, vec![meanwhile]);
    say(&format!("a log of {size} MiB opened, to its diagnostics"), 5000, vec![opened]);
    exit(i32::from(!kept));
}

/// Reports as a team has them: a few different failures in many words.
fn write_reports(root: &Path) {
    let folder = root.join("docs/bug_reports");
    fs::create_dir_all(&folder).expect("folders");
    fs::create_dir(root.join(".git")).expect("a folder");
    let errors = [
        "RuntimeError: GET was unable to find an engine to execute this computation",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
        "RuntimeError: CUDA error: device-side assert triggered",
        "RuntimeError: NCCL error in: ProcessGroupNCCL.cpp:1, unhandled system error",
    ];
    for number in 0..REPORTS {
        let id = format!("BUG-2025{:02}{:02}-{:03}", number % 12 + 1, number % 28 + 1, number);
        let error = errors[number % errors.len()];
        let text = format!(
            "---\ntitle: \"Layer {number} stops\"\ndate: \"2025-01-01\"\ntype: bug_report\nstatus: open\nbug_id: {id}\n\
             severity: high\ntags: [gpu]\n---\n# Bug Report: layer {number} stops\n\n## Summary\nIt stops in step {number} \
             of the run.\n\n## Logs / Stack Trace\n```\nTraceback (most recent call last):\n  File \"train.py\", line \
             {number}, in step{number}\n{error}\n```\n\n## Environment\n- GPU: RTX 3060\n"
        );
        fs::write(folder.join(format!("{id}.md")), text).expect("a report");
    }
}

/// One exception through 990 frames.
fn traceback() -> String {
    let mut text = String::from("epoch 0\nepoch 1\n");
    text.push_str(&"step 1 loss 0.5\n".repeat(60));
    text.push_str("Traceback (most recent call last):\n");
    for frame in 0..968 {
        let _ = write!(
            text,
            "  File \"/srv/model/block{frame}.py\", line {frame}, in forward\n    x = self.layer{frame}(x)\n"
        );
    }
    text.push_str("RuntimeError: GET was unable to find an engine to execute this computation\n");
    text
}

/// A little over 50 MB, with the failure at its end.
fn long_log() -> String {
    let mut text = String::new();
    let mut step = 0;
    while text.len() < 50_000_000 {
        let _ = writeln!(
            text,
            "[2025-11-10 18:08:{:02}] step {step} loss 0.{} lr 0.001 time 0.41 s",
            step % 60,
            step % 1000
        );
        step += 1;
    }
    text + &traceback()
}

/// A server, from its start to its first answer about a log.
fn start(root: &Path) -> (Duration, Editor) {
    let began = Instant::now();
    let program = std::env::var_os("FAULTBOOK").unwrap_or_else(|| env!("CARGO_BIN_EXE_faultbook").into());
    let mut child = Command::new(program)
        .arg("lsp")
        .current_dir(root)
        .env("XDG_CACHE_HOME", root.join(".git/cache"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("runs");
    let (to, from) = (child.stdin.take().expect("a pipe"), BufReader::new(child.stdout.take().expect("a pipe")));
    let mut editor = Editor { child, to, from, last: 0, version: 1, heard: Vec::new() };
    let folder = json!([{ "uri": format!("file://{}", root.display()), "name": "project" }]);
    editor.ask(
        "initialize",
        json!({ "processId": null, "rootUri": null, "capabilities": {}, "workspaceFolders": folder }),
    );
    editor.tell("initialized", json!({}));
    let log = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nRuntimeError: GET was unable to find an \
               engine to execute this computation\n";
    let uri = editor.open("untitled:Untitled-0", log);
    let mark = editor.marks(&uri);
    assert_eq!(mark["diagnostics"][0]["code"], "cudnn-no-engine");
    (began.elapsed(), editor)
}

/// The notification that opens a document.
fn opening(uri: &str, text: &str) -> Value {
    let item = json!({ "uri": uri, "languageId": "log", "version": 1, "text": text });
    json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": { "textDocument": item } })
}

struct Editor {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    last: i64,
    version: i64,
    /// What came while something else was waited for.
    heard: Vec<Value>,
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Editor {
    fn send(&mut self, message: &Value) {
        self.to.write_all(&framed(message)).and_then(|()| self.to.flush()).expect("written");
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.next();
            if message["id"] == id && message.get("method").is_none() {
                return message["result"].clone();
            }
            self.heard.push(message);
        }
    }

    fn next(&mut self) -> Value {
        frames::next(&mut self.from)
    }

    fn open(&mut self, uri: &str, text: &str) -> String {
        self.send(&opening(uri, text));
        uri.to_owned()
    }

    fn change(&mut self, uri: &str, change: Value) -> i64 {
        self.version += 1;
        let document = json!({ "uri": uri, "version": self.version });
        self.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [change] }));
        self.version
    }

    /// The next marks of a document.
    fn marks(&mut self, uri: &str) -> Value {
        let is_it =
            |message: &Value| message["method"] == "textDocument/publishDiagnostics" && message["params"]["uri"] == uri;
        if let Some(at) = self.heard.iter().position(is_it) {
            return self.heard.remove(at)["params"].clone();
        }
        loop {
            let message = self.next();
            if is_it(&message) {
                return message["params"].clone();
            }
            self.heard.push(message);
        }
    }

    fn hover(&mut self, uri: &str, line: usize) -> Value {
        let position = json!({ "line": line, "character": 20 });
        self.ask("textDocument/hover", json!({ "textDocument": { "uri": uri }, "position": position }))
    }
}
