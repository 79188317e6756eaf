//! Logs and tracebacks: marks, hover, actions, lenses, folds, outline.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{Client, LOG, words};

#[test]
fn the_failure_is_marked_on_its_line() {
    let mut client = Client::new();
    let uri = client.open("run.log", "log", LOG);
    let marks = client.marks(&uri);
    let mark = marks.iter().find(|mark| mark["code"] == "cudnn-no-engine").expect("a mark");
    assert_eq!(mark["severity"], 1);
    assert_eq!(mark["range"]["start"], json!({ "line": 3, "character": 9 }));
    assert_eq!(mark["range"]["end"], json!({ "line": 3, "character": LOG.lines().nth(3).map_or(0, str::len) }));
    assert!(
        mark["message"].as_str().is_some_and(|m| m.contains("Most likely") && m.contains("BUG-20260101-007")),
        "{mark}"
    );
    assert!(client.leave());
}

#[test]
fn places_behind_an_emoji_are_counted_in_utf_16() {
    let mut client = Client::new();
    let line = "😀é RuntimeError: GET was unable to find an engine to execute this computation";
    let uri = client.open("run.log", "log", &format!("Traceback (most recent call last):\n{line}\n"));
    let marks = client.marks(&uri);
    let units = line.encode_utf16().count();
    let range = &marks.first().expect("a mark")["range"];
    assert_eq!(range["end"], json!({ "line": 1, "character": units }), "{range}");
}

#[test]
fn a_buffer_that_was_never_saved_is_a_log_like_any_other() {
    let mut client = Client::new();
    let uri = client.open("untitled:Untitled-1", "plaintext", LOG);
    assert_eq!(client.marks(&uri).first().expect("a mark")["code"], "cudnn-no-engine");
    assert!(words(&client.at("textDocument/hover", &uri, 3, 20)).contains("cudnn-no-engine"));
}

#[test]
fn hover_says_what_helps() {
    let mut client = Client::new();
    let uri = client.open("run.log", "log", LOG);
    let hover = client.at("textDocument/hover", &uri, 3, 20);
    let text = words(&hover);
    for part in ["cuDNN found no engine", "**Most likely:**", "**Do this:**", "BUG-20260101-007"] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
    assert_eq!(hover["range"]["start"]["line"], 3);
    assert_eq!(client.at("textDocument/hover", &uri, 5, 9), Value::Null);
    assert_eq!(client.at("textDocument/hover", &uri, 500, 9), Value::Null);
}

#[test]
fn consequences_are_distinguished_from_the_failure() {
    let text = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\ntorch.OutOfMemoryError: CUDA out of \
                memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 11.63 GiB of which 1.10 GiB is free.\n\n\
                During handling of the above exception, another exception occurred:\n\nTraceback (most recent call \
                last):\n  File \"a.py\", line 9, in g\nRuntimeError: GET was unable to find an engine to execute this \
                computation\n";
    let mut client = Client::new();
    let uri = client.open("run.log", "log", text);
    let marks = client.marks(&uri);
    let primary = marks.iter().find(|mark| mark["severity"] == 1).expect("a mark");
    assert_ne!(primary["code"], "cudnn-no-engine", "{marks:?}");
    let related = primary["relatedInformation"].as_array().expect("what followed");
    let line = text.lines().position(|line| line.contains("unable to find")).expect("the line");
    assert!(related.iter().any(|one| one["location"]["range"]["start"]["line"] == line), "{related:?}");
    let hover = client.at("textDocument/hover", &uri, u32::try_from(line).expect("small"), 20);
    assert!(words(&hover).contains("consequence"), "{hover}");
}

#[test]
fn actions_and_lenses_lead_on() {
    let mut client = Client::new();
    let uri = client.open("run.log", "log", LOG);
    let range = json!({ "start": { "line": 3, "character": 0 }, "end": { "line": 3, "character": 1 } });
    let actions = client.ask(
        "textDocument/codeAction",
        json!({ "textDocument": { "uri": uri }, "range": range, "context": { "diagnostics": [] } }),
    );
    let actions = actions.as_array().expect("a list").clone();
    let open = actions.iter().find(|action| action["command"]["command"] == "faultbook.openPage").expect("an action");
    let page = client.ask("workspace/executeCommand", open["command"].clone());
    let file = page.as_str().and_then(|uri| uri.strip_prefix("file://")).expect("a file").to_owned();
    assert!(std::fs::read_to_string(&file).expect("the page").starts_with("# cuDNN found no engine"), "{file}");
    let copy =
        actions.iter().find(|action| action["command"]["command"] == "faultbook.copyCommand").expect("an action");
    let copied = client.ask("workspace/executeCommand", copy["command"].clone());
    assert_eq!(copied, copy["command"]["arguments"][0]);
    // Named by the command, not by the comment above it.
    assert!(copy["title"].as_str().is_some_and(|title| !title.contains('#')), "{copy}");
    let lenses = client.of("textDocument/codeLens", &uri);
    assert_eq!(lenses[0]["range"]["start"]["line"], 3);
    assert!(lenses[0]["command"]["title"].as_str().is_some_and(|title| title.contains("cuDNN found no engine")));
}

#[test]
fn ranks_and_tracebacks_fold() {
    let mut client = Client::new();
    let uri = client.open("run.log", "log", LOG);
    let folds = client.of("textDocument/foldingRange", &uri);
    let folds: Vec<(u64, u64)> = folds
        .as_array()
        .expect("a list")
        .iter()
        .map(|fold| (fold["startLine"].as_u64().unwrap_or(99), fold["endLine"].as_u64().unwrap_or(99)))
        .collect();
    assert!(folds.contains(&(0, 3)) && folds.contains(&(4, 5)) && folds.contains(&(1, 3)), "{folds:?}");
    let outline = client.of("textDocument/documentSymbol", &uri);
    assert!(outline[0]["name"].as_str().is_some_and(|name| name.starts_with("RuntimeError")), "{outline}");
}

#[test]
fn an_edit_moves_the_mark() {
    let mut client = Client::new();
    let uri = client.open("run.log", "log", LOG);
    client.marks(&uri);
    let at = json!({ "line": 0, "character": 0 });
    let change = json!({ "range": { "start": at, "end": at }, "text": "one\ntwo\n" });
    client.tell(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": [change] }),
    );
    assert_eq!(client.marks(&uri).first().expect("a mark")["range"]["start"]["line"], 5);
    let all = json!({ "text": "all is well\n" });
    client.tell(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": uri, "version": 3 }, "contentChanges": [all] }),
    );
    assert!(client.marks(&uri).is_empty());
    client.tell("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    assert!(client.marks(&uri).is_empty());
}

#[test]
fn an_error_that_no_page_is_about_is_said_so() {
    let mut client = Client::new();
    let uri = client.open(
        "a.log",
        "log",
        "Traceback (most recent call last):\n  File \"x.py\", line 4, in f\nGroundTruthError: 'a'\n",
    );
    let marks = client.marks(&uri);
    assert_eq!((&marks[0]["code"], &marks[0]["severity"]), (&json!("unlisted-error"), &json!(2)));
}

#[test]
fn a_long_log_is_read_beside_the_loop() {
    let mut client = Client::new();
    let mut text = "epoch 1 loss 0.5 lr 0.001 step time 0.41 s\n".repeat(60_000);
    text.push_str(LOG);
    let uri = client.open("long.log", "log", &text);
    // Other requests do not wait for it.
    let start = Instant::now();
    let answer = client.of("textDocument/codeLens", &uri);
    let waited = start.elapsed();
    assert!(answer.as_array().is_some(), "{answer}");
    let marks = client.marks(&uri);
    assert!(marks.iter().any(|mark| mark["range"]["start"]["line"] == 60_003), "{marks:?}");
    let all = start.elapsed();
    assert!(waited < Duration::from_secs(2) || waited < all / 2, "{waited:?} of {all:?}");
}

#[test]
fn words_can_be_diagnosed_without_a_document() {
    let mut client = Client::new();
    let answer = client
        .ask("workspace/executeCommand", json!({ "command": "faultbook.diagnose", "arguments": [{ "text": LOG }] }));
    assert_eq!(answer["diagnosis"]["fault"]["id"], "cudnn-no-engine");
    assert!(answer["markdown"].as_str().is_some_and(|text| text.starts_with("# ")));
}
