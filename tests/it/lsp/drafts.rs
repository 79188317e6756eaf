//! "Draft a bug report from this": the report is a new file in the project's folder, and the client is asked to show it.

use std::fs;

use serde_json::{Value, json};

use super::client::{Client, LOG};

/// The action among those offered on a line.
fn draft_action(client: &mut Client, uri: &str, line: u32) -> Option<Value> {
    let range = json!({ "start": { "line": line, "character": 0 }, "end": { "line": line, "character": 0 } });
    let asked = json!({ "textDocument": { "uri": uri }, "range": range, "context": { "diagnostics": [] } });
    let actions = client.ask("textDocument/codeAction", asked);
    let is_it = |action: &&Value| action["title"] == "Draft a bug report from this";
    actions.as_array().expect("a list").iter().find(is_it).cloned()
}

/// What the server sent by that method since the last call.
fn heard(client: &mut Client, method: &str) -> Vec<Value> {
    let (found, rest) = client.heard.drain(..).partition(|message| message["method"] == method);
    client.heard = rest;
    found
}

fn reports(client: &Client) -> Vec<String> {
    let folder = fs::read_dir(client.path("docs/bug_reports")).expect("a folder");
    let mut names: Vec<String> =
        folder.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_report_is_written_shown_and_known() {
    let mut client = Client::new();
    let before = reports(&client);
    let uri = client.open("run.log", "log", LOG);
    let action = draft_action(&mut client, &uri, 3).expect("the action");
    let answer = client.ask("workspace/executeCommand", action["command"].clone());
    let path = answer["path"].as_str().expect("a path").to_owned();
    let text = fs::read_to_string(&path).expect("the report");
    assert!(text.contains("unable to find an engine") && text.contains("cudnn-no-engine"), "{text}");
    let id = answer["id"].as_str().expect("an id").to_owned();
    assert!(text.contains(&format!("bug_id: {id}")) || text.contains(&id), "{text}");
    let after = reports(&client);
    assert_eq!(after.len(), before.len() + 1, "{after:?}");
    assert!(before.iter().all(|name| after.contains(name)));
    // The editor opens it; a message names the existing report of the same failure.
    let shown = heard(&mut client, "window/showDocument");
    assert_eq!(shown.first().expect("asked to show")["params"]["uri"], answer["uri"]);
    let said = heard(&mut client, "window/showMessage");
    let words = said.first().expect("a message")["params"]["message"].as_str().unwrap_or_default().to_owned();
    assert!(words.contains(&id) && words.contains("--append BUG-20260101-007"), "{words}");
    // From now on its id leads to it.
    let code = client.open("model.py", "python", &format!("x = 1  # see {id}\n"));
    let there = client.at("textDocument/definition", &code, 0, 15);
    assert_eq!(there[0]["uri"], answer["uri"], "{there}");
}

#[test]
fn a_second_report_takes_nobodys_place() {
    let mut client = Client::new();
    let uri = client.open("run.log", "log", LOG);
    let action = draft_action(&mut client, &uri, 0).expect("on any line of a log with a failure");
    let first = client.ask("workspace/executeCommand", action["command"].clone());
    let words = fs::read(first["path"].as_str().expect("a path")).expect("the report");
    let second = client.ask("workspace/executeCommand", action["command"].clone());
    assert_ne!(first["path"], second["path"]);
    assert_eq!(fs::read(first["path"].as_str().expect("a path")).expect("still there"), words);
}

#[test]
fn a_buffer_that_was_never_saved_is_enough() {
    let mut client = Client::new();
    let uri = client.open("untitled:Untitled-1", "plaintext", LOG);
    let action = draft_action(&mut client, &uri, 3).expect("the action");
    let answer = client.ask("workspace/executeCommand", action["command"].clone());
    assert!(fs::read_to_string(answer["path"].as_str().expect("a path")).is_ok_and(|text| text.contains("engine")));
    let lenses = client.of("textDocument/codeLens", &uri);
    let drafts = |lens: &&Value| lens["command"]["command"] == "faultbook.draftReport";
    assert!(lenses.as_array().expect("a list").iter().any(|lens| drafts(&lens)), "{lenses}");
}

#[test]
fn secrets_stay_out_and_nothing_is_offered_where_nothing_failed() {
    let mut client = Client::new();
    let log = format!("export HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyzABCDEFGH\n{LOG}");
    let uri = client.open("run.log", "log", &log);
    let action = draft_action(&mut client, &uri, 3).expect("the action");
    let answer = client.ask("workspace/executeCommand", action["command"].clone());
    let text = fs::read_to_string(answer["path"].as_str().expect("a path")).expect("the report");
    assert!(!text.contains("hf_abcdefghij"), "{text}");
    let fine = client.open("fine.log", "log", "epoch 1\nepoch 2\n");
    assert_eq!(draft_action(&mut client, &fine, 0), None);
}

#[test]
fn a_project_without_a_folder_for_reports_says_what_to_do() {
    let mut client = Client::silent();
    client.greet();
    let uri = client.open("run.log", "log", LOG);
    let action = draft_action(&mut client, &uri, 3).expect("the action");
    let id = client.begin("workspace/executeCommand", action["command"].clone());
    let answer = client.answer(id);
    assert_eq!(answer["error"]["code"], -32803, "{answer}");
    assert!(answer["error"]["message"].as_str().is_some_and(|says| says.contains("mkdir -p docs/bug_reports")));
    assert_eq!(heard(&mut client, "window/showMessage").first().expect("a message")["params"]["type"], 1);
    for wrong in [json!({}), json!({ "uri": "file:///nowhere" }), json!({ "text": " " }), json!(7)] {
        let arguments = json!({ "command": "faultbook.draftReport", "arguments": [wrong] });
        let id = client.begin("workspace/executeCommand", arguments);
        assert_eq!(client.answer(id)["error"]["code"], -32602, "{wrong}");
    }
    assert!(client.leave());
}
