//! Reports and fault pages: findings with their fixes, completion, outline.

use serde_json::{Value, json};

use super::client::{Client, REPORT};

/// The page a text is tried on.
const PAGE: &str = "\
---
title: A fault
status: draft
severity: high
signatures:
  - contains: x
    sta
causes:
  - id: memory-exhausted
    prior: 
    evidence:
      - text: y
        weight: str
      - when: 'oom.fr > gpu.count'
explains:
  - cud
---
# A fault

## Meaning

### 
";

fn labels(found: &Value) -> Vec<String> {
    let items = found.as_array().expect("a list").iter();
    items.filter_map(|item| item["label"].as_str()).map(|label| label.trim_end_matches([':', ' ']).to_owned()).collect()
}

#[test]
fn reports_are_checked_while_they_are_written() {
    let mut client = Client::new();
    let uri = client.open("docs/bug_reports/BUG-20260101-007-lateral.md", "markdown", REPORT);
    let marks = client.marks(&uri);
    // The report mentions one that is not there.
    let unknown = marks.iter().find(|mark| mark["message"].as_str().is_some_and(|m| m.contains("BUG-20260101-008")));
    let unknown = unknown.unwrap_or_else(|| panic!("no finding about BUG-20260101-008 in {marks:?}"));
    assert_eq!(unknown["range"]["start"]["line"], 12);
}

#[test]
fn what_can_be_fixed_is_offered() {
    let mut client = Client::new();
    // A key in the wrong spelling and a value that is not a date.
    let text = REPORT.replace("date: \"2026-01-01\"", "Date: \"2026-01-01\"");
    let uri = client.open("docs/bug_reports/BUG-20260101-007-lateral.md", "markdown", &text);
    let marks = client.marks(&uri);
    let whole = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let actions = client.ask(
        "textDocument/codeAction",
        json!({ "textDocument": { "uri": uri }, "range": whole, "context": { "diagnostics": [] } }),
    );
    let actions = actions.as_array().expect("a list").clone();
    assert!(actions.iter().any(|action| !action["edit"]["changes"][&uri].is_null()), "{marks:?}\n{actions:?}");
}

#[test]
fn keys_and_values_complete_in_reports() {
    let mut client = Client::new();
    let uri = client.open(
        "docs/bug_reports/BUG-20260202-001.md",
        "markdown",
        "---\ntitle: x\nsta\nseverity: cr\n---\n# x\n\n## \n",
    );
    let keys = labels(&client.at("textDocument/completion", &uri, 2, 3));
    assert!(keys.contains(&"status".to_owned()) && !keys.contains(&"title".to_owned()), "{keys:?}");
    let found = client.at("textDocument/completion", &uri, 3, 12);
    assert!(labels(&found).contains(&"critical".to_owned()));
    assert_eq!(found[0]["textEdit"]["range"]["start"], json!({ "line": 3, "character": 10 }));
    let sections = labels(&client.at("textDocument/completion", &uri, 7, 3));
    assert!(sections.contains(&"## Root Cause Analysis".to_owned()), "{sections:?}");
}

#[test]
fn the_next_free_id_is_the_one_a_draft_would_get() {
    let mut client = Client::new();
    client.file("faultbook.toml", "[reports]\nid = \"BUG-{yyyy}-{nnn}\"\n");
    client.tell("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    let uri = client.open("docs/bug_reports/new.md", "markdown", "---\ntype: bug_report\nbug_id: \n---\n# x\n");
    let offered = labels(&client.at("textDocument/completion", &uri, 2, 8));
    let log = client.open("untitled:Untitled-1", "log", super::client::LOG);
    let arguments = json!([{ "uri": log }]);
    let command = json!({ "command": "faultbook.draftReport", "arguments": arguments });
    let drafted = client.ask("workspace/executeCommand", command);
    assert_eq!(offered, [drafted["id"].as_str().expect("an id")], "{drafted}");
    assert!(offered[0].starts_with("BUG-20") && offered[0].ends_with("-001"), "{offered:?}");
}

#[test]
fn ids_complete_in_comments() {
    let mut client = Client::new();
    let uri = client.open("a.py", "python", "# 😀 see BUG-2");
    let found = client.at("textDocument/completion", &uri, 0, 14);
    assert_eq!(labels(&found), ["BUG-20260101-007"]);
    assert_eq!(found[0]["textEdit"]["range"]["start"], json!({ "line": 0, "character": 9 }));
}

#[test]
fn keys_and_values_complete_in_pages() {
    let mut client = Client::new();
    let uri = client.open("kb/faults/area/a-fault.md", "markdown", PAGE);
    let mut at = |line, character| labels(&client.at("textDocument/completion", &uri, line, character));
    assert!(at(6, 7).contains(&"standing".to_owned()));
    assert!(at(8, 14).contains(&"memory-exhausted".to_owned()));
    assert_eq!(at(9, 11), ["common", "plausible", "rare"]);
    assert!(at(12, 19).contains(&"strong".to_owned()));
    assert!(at(13, 21).contains(&"oom.free".to_owned()));
    assert!(at(15, 7).contains(&"cudnn-no-engine".to_owned()));
    assert_eq!(at(21, 4), ["### memory-exhausted"]);
    assert!(at(19, 2).contains(&"## Lookalikes".to_owned()));
    let hover = client.at("textDocument/hover", &uri, 13, 28);
    assert!(hover["contents"]["value"].as_str().is_some_and(|text| text.contains("GPU count")), "{hover}");
}

#[test]
fn sections_are_the_outline() {
    let mut client = Client::new();
    let uri = client.open("docs/bug_reports/BUG-20260101-007-lateral.md", "markdown", REPORT);
    let outline = client.of("textDocument/documentSymbol", &uri);
    let top = &outline[0];
    assert!(top["name"].as_str().is_some_and(|name| name.starts_with("Bug Report")), "{outline}");
    let names: Vec<&str> =
        top["children"].as_array().expect("sections").iter().filter_map(|s| s["name"].as_str()).collect();
    assert_eq!(names, ["Summary", "Logs / Stack Trace", "Proposed Solutions"]);
    assert_eq!(top["children"][2]["children"][0]["name"], "Solution 1: Halve the batch (RECOMMENDED)");
}
