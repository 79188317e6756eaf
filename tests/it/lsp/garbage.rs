//! Broken messages, wrong orders, impossible places: an error each, and the server lives on.

use serde_json::{Value, json};

use super::client::{Client, LOG};

/// The code of the error in the next answer that has one.
fn code(client: &mut Client) -> Value {
    loop {
        let message = client.next();
        if message.get("error").is_some() {
            return message["error"]["code"].clone();
        }
    }
}

#[test]
fn broken_messages_get_the_protocols_error() {
    let mut client = Client::new();
    for (bytes, expected) in [
        ("Content-Length: 1\r\n\r\n{", -32700),
        ("Content-Length: 4\r\n\r\nnull", -32600),
        ("Content-Length: 2\r\n\r\n[]", -32600),
        ("nonsense\r\nContent-Length: 3\r\n\r\n{\"}", -32700),
    ] {
        client.raw(bytes.as_bytes());
        assert_eq!(code(&mut client), expected, "{bytes}");
    }
    client.raw(b"Content-Length: 2\r\n\r\n\xff\xfe");
    assert_eq!(code(&mut client), -32700);
    assert!(client.leave());
}

#[test]
fn wrong_parameters_get_the_protocols_error() {
    let mut client = Client::new();
    let uri = client.open("run.log", "log", LOG);
    for (method, params, expected) in [
        ("textDocument/hover", json!({}), -32602),
        ("textDocument/hover", json!([1, 2]), -32602),
        (
            "textDocument/hover",
            json!({ "textDocument": { "uri": uri }, "position": { "line": -1, "character": 0 } }),
            -32602,
        ),
        (
            "textDocument/hover",
            json!({ "textDocument": { "uri": "::" }, "position": { "line": 0, "character": 0 } }),
            -32602,
        ),
        ("textDocument/codeLens", json!({ "textDocument": { "uri": "file:///nowhere.log" } }), -32602),
        ("textDocument/rename", json!({ "newName": 3 }), -32602),
        ("workspace/executeCommand", json!({ "command": "rm" }), -32602),
        ("workspace/executeCommand", json!({ "command": "faultbook.openPage", "arguments": [7] }), -32602),
        ("workspace/executeCommand", json!({ "command": "faultbook.diagnose" }), -32602),
        ("no/such/request", json!({}), -32601),
        ("initialize", json!({ "capabilities": {} }), -32600),
    ] {
        let id = client.begin(method, params.clone());
        let answer = client.answer(id);
        assert_eq!(answer["error"]["code"], expected, "{method} {params}: {answer}");
    }
    // Notifications have no answer, whatever is in them.
    for (method, params) in [
        ("textDocument/didOpen", json!({})),
        (
            "textDocument/didChange",
            json!({ "textDocument": { "uri": uri, "version": 9 }, "contentChanges": [{ "range": 1 }] }),
        ),
        (
            "textDocument/didChange",
            json!({ "textDocument": { "uri": "file:///nowhere", "version": 9 }, "contentChanges": [] }),
        ),
        ("$/cancelRequest", json!({ "id": 999 })),
        ("$/cancelRequest", json!({ "id": {} })),
        ("no/such/notification", json!(null)),
    ] {
        client.tell(method, params);
    }
    client.send(&json!({ "jsonrpc": "2.0", "id": "never-asked", "result": 1 }));
    assert!(client.leave());
}

#[test]
fn impossible_places_do_no_harm() {
    let mut client = Client::new();
    let uri = client.open("run.log", "log", LOG);
    let far = u32::MAX;
    for method in
        ["textDocument/hover", "textDocument/definition", "textDocument/completion", "textDocument/prepareRename"]
    {
        for (line, character) in [(far, far), (0, far), (far, 0), (3, 1_000_000)] {
            client.at(method, &uri, line, character);
        }
    }
    let range = json!({ "start": { "line": 9, "character": 9 }, "end": { "line": 1, "character": 0 } });
    let change = json!({ "range": range, "text": "x\u{0}\u{1b}[2J" });
    client.tell(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": [change] }),
    );
    client.of("textDocument/foldingRange", &uri);
    assert!(client.leave());
}

#[test]
fn the_order_of_the_protocol_is_kept() {
    let mut client = Client::silent();
    let id = client.begin("textDocument/hover", json!({}));
    assert_eq!(client.answer(id)["error"]["code"], -32002);
    client.tell("textDocument/didOpen", json!({}));
    client.greet();
    client.ask("shutdown", Value::Null);
    let id = client.begin("textDocument/hover", json!({}));
    assert_eq!(client.answer(id)["error"]["code"], -32600);
    client.tell("exit", Value::Null);
    assert!(client.vanish());
}

#[test]
fn a_client_that_vanishes_is_no_good_bye() {
    assert!(!Client::new().vanish());
    let mut client = Client::new();
    client.raw(b"Content-Length: 100\r\n\r\n{\"half\":");
    assert!(!client.vanish());
}

#[test]
fn requests_can_be_cancelled() {
    let mut client = Client::new();
    let uri = client.open("run.log", "log", LOG);
    // Sent in one piece, so that the cancel is there before the request is looked at.
    let request = json!({ "jsonrpc": "2.0", "id": 4711, "method": "textDocument/codeLens", "params": { "textDocument": { "uri": uri } } });
    let cancel = json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": 4711 } });
    let mut bytes = Vec::new();
    for message in [&request, &cancel] {
        let text = message.to_string();
        bytes.extend_from_slice(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }
    client.raw(&bytes);
    let answer = client.answer(4711);
    let code = &answer["error"]["code"];
    assert!(*code == -32800 || answer.get("result").is_some(), "{answer}");
}
