//! Ids as a web: in comments of any language, in reports, in pages.

use serde_json::{Value, json};

use super::client::{Client, LOG, REPORT, words};

#[test]
fn an_id_in_a_comment_leads_to_its_report() {
    let mut client = Client::new();
    for (name, language, line) in [
        ("a.py", "python", "x = 1  # see BUG-20260101-007 😀"),
        ("a.rs", "rust", "// 😀😀 bug-20260101-007"),
        ("a.sql", "sql", "-- BUG_20260101_007"),
        ("a.unheard", "unheard-of", "%% (BUG-20260101-007)"),
    ] {
        let uri = client.open(name, language, line);
        let byte = line.to_lowercase().find("bug").expect("an id");
        let unit = u32::try_from(line[..byte].encode_utf16().count() + 5).expect("small");
        let text = words(&client.at("textDocument/hover", &uri, 0, unit));
        assert!(text.contains("Lateral layer") && text.contains("Halve the batch"), "{name}: {text}");
        let found = client.at("textDocument/definition", &uri, 0, unit);
        assert!(found[0]["uri"].as_str().is_some_and(|uri| uri.ends_with("BUG-20260101-007-lateral.md")), "{found}");
        assert!(client.marks(&uri).is_empty());
    }
}

#[test]
fn words_that_are_no_ids_stay_words() {
    let mut client = Client::new();
    let uri = client.open("a.py", "python", "xid = sm_86 - utf-8  # BUG-1-1 no-device-x");
    for unit in 0..42 {
        assert_eq!(client.at("textDocument/hover", &uri, 0, unit), Value::Null, "{unit}");
    }
}

#[test]
fn faults_and_codes_are_known_too() {
    let mut client = Client::new();
    let uri = client.open("a.cu", "cuda-cpp", "// cudnn-no-engine, CUDNN_STATUS_EXECUTION_FAILED");
    assert!(words(&client.at("textDocument/hover", &uri, 0, 6)).contains("cuDNN found no engine"));
    assert!(words(&client.at("textDocument/hover", &uri, 0, 30)).contains("Fault page"));
    let found = client.at("textDocument/definition", &uri, 0, 6);
    assert!(found[0]["uri"].as_str().is_some_and(|uri| uri.ends_with("cudnn-no-engine.md")), "{found}");
}

#[test]
fn references_are_found_over_the_workspace() {
    let mut client = Client::new();
    client.file("src/deep/model.py", "# BUG-20260101-007\npass  # bug-20260101-007-lateral\n");
    client.file(".gitignore", "ignored.py\n");
    client.file("ignored.py", "# BUG-20260101-007\n");
    client.file("data.bin", "\u{0}BUG-20260101-007");
    // Open, and other than on disk.
    client.file("open.py", "nothing\n");
    client.open("open.py", "python", "# é BUG-20260101-007\n");
    let uri = client.open("docs/bug_reports/BUG-20260101-007-lateral.md", "markdown", REPORT);
    let position = json!({ "line": 5, "character": 12 });
    let params =
        json!({ "textDocument": { "uri": uri }, "position": position, "context": { "includeDeclaration": true } });
    let found = client.ask("textDocument/references", params);
    let mut places: Vec<String> = found
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| {
            let name = one["uri"].as_str().and_then(|uri| uri.rsplit('/').next()).unwrap_or_default();
            format!("{name}:{}:{}", one["range"]["start"]["line"], one["range"]["start"]["character"])
        })
        .collect();
    places.sort();
    assert_eq!(places, ["BUG-20260101-007-lateral.md:5:8", "model.py:0:2", "model.py:1:8", "open.py:0:4"]);
}

#[test]
fn an_id_is_renamed_everywhere_with_its_file() {
    let mut client = Client::new();
    client.file("model.py", "# BUG-20260101-007\n");
    let uri = client.open("docs/bug_reports/BUG-20260101-007-lateral.md", "markdown", REPORT);
    let range = client.at("textDocument/prepareRename", &uri, 5, 12);
    assert_eq!(range["placeholder"], "BUG-20260101-007");
    let rename = |client: &mut Client, name: &str| {
        let position = json!({ "line": 5, "character": 12 });
        let id = client.begin(
            "textDocument/rename",
            json!({ "textDocument": { "uri": uri }, "position": position, "newName": name }),
        );
        client.answer(id)
    };
    let edit = rename(&mut client, "BUG-20260101-009")["result"].clone();
    let operations = edit["documentChanges"].as_array().expect("operations").clone();
    let file = operations.iter().find(|operation| operation["kind"] == "rename").expect("a renamed file");
    assert!(file["newUri"].as_str().is_some_and(|uri| uri.ends_with("/BUG-20260101-009-lateral.md")), "{file}");
    assert_eq!(operations.len(), 3);
    assert!(
        rename(&mut client, "two words")["error"]["message"].as_str().is_some_and(|says| says.contains("is not an id"))
    );
    // The other report that the text mentions does not exist, so its id is free.
    assert!(rename(&mut client, "BUG-20260101-008").get("result").is_some());
    assert_eq!(client.at("textDocument/prepareRename", &uri, 9, 3), Value::Null);
}

#[test]
fn a_report_that_is_being_written_is_known_at_once() {
    let mut client = Client::new();
    let text = REPORT.replace("007", "042").replace("Lateral layer finds", "Fresh layer finds");
    client.open("docs/bug_reports/BUG-20260101-042.md", "markdown", &text);
    let uri = client.open("a.py", "python", "# BUG-20260101-042");
    assert!(words(&client.at("textDocument/hover", &uri, 0, 6)).contains("Fresh layer"));
}

#[test]
fn a_report_that_came_to_the_disk_is_known_after_the_client_says_so() {
    let mut client = Client::new();
    let uri = client.open("a.py", "python", "# BUG-20260101-077");
    assert_eq!(client.at("textDocument/hover", &uri, 0, 6), Value::Null);
    client.file("docs/bug_reports/BUG-20260101-077.md", &REPORT.replace("007", "077"));
    client.tell("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    assert!(words(&client.at("textDocument/hover", &uri, 0, 6)).contains("Lateral layer"));
}

#[test]
fn each_folder_of_a_workspace_has_its_own_project() {
    let mut client = Client::silent();
    for (folder, number) in [("one", "001"), ("two", "002")] {
        let text = REPORT.replace("007", number).replace("Lateral layer", &format!("Layer {folder}"));
        client.file(&format!("{folder}/docs/bug_reports/BUG-20260101-{number}.md"), &text);
        client.file(&format!("{folder}/faultbook.toml"), "[reports]\npaths = [\"docs/bug_reports\"]\n");
    }
    client.greet_in(&["one", "two"]);
    let uri = client.open("two/a.py", "python", "# BUG-20260101-002, BUG-20260101-001\nx = 1  # BUG-2026\n");
    // Its own reports, and those of the other folder.
    assert!(words(&client.at("textDocument/hover", &uri, 0, 6)).contains("Layer two"));
    assert!(words(&client.at("textDocument/hover", &uri, 0, 25)).contains("Layer one"));
    let items = client.at("textDocument/completion", &uri, 1, 17);
    let labels: Vec<&str> =
        items.as_array().expect("a list").iter().filter_map(|item| item["label"].as_str()).collect();
    assert!(labels.contains(&"BUG-20260101-001") && labels.contains(&"BUG-20260101-002"), "{labels:?}");
    // A log is matched with, and reported to, the project it lies in.
    let log = client.open("two/run.log", "log", LOG);
    assert!(client.marks(&log)[0]["message"].as_str().is_some_and(|words| words.contains("BUG-20260101-002")));
    let draft = json!({ "command": "faultbook.draftReport", "arguments": [{ "uri": log }] });
    let drafted = client.ask("workspace/executeCommand", draft);
    assert!(drafted["path"].as_str().is_some_and(|path| path.contains("/two/docs/bug_reports/")), "{drafted}");
    // Folders come and go.
    let gone = json!({ "event": { "added": [], "removed": [{ "uri": client.uri("one"), "name": "one" }] } });
    client.tell("workspace/didChangeWorkspaceFolders", gone);
    assert_eq!(client.at("textDocument/hover", &uri, 0, 25), Value::Null);
    let back = json!({ "event": { "added": [{ "uri": client.uri("one"), "name": "one" }], "removed": [] } });
    client.tell("workspace/didChangeWorkspaceFolders", back);
    assert!(words(&client.at("textDocument/hover", &uri, 0, 25)).contains("Layer one"));
}
