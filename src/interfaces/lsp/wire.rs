//! The LSP base protocol: messages on a byte stream, each a header with a length, then JSON.
//!
//! A malformed message is handed on with the protocol's error for it, and reading continues at the next header, so that
//! one bad message does not end the session.

use std::io::{self, BufRead, Read, Write};

use lsp_server::{ErrorCode, Message};
use serde_json::{Value, json};

/// Longer messages are rejected unread: no document that a client may open is as long.
const LONGEST: usize = 1 << 30;

/// Longest line of a header.
const LONGEST_HEADER: u64 = 8 * 1024;

/// What was read.
#[derive(Debug)]
pub(super) enum Incoming {
    Message(Message),
    /// Something else: the answer to it.
    Garbage(Value),
}

/// The next message; `None` at the end of the stream.
pub(super) fn read(from: &mut impl BufRead) -> io::Result<Option<Incoming>> {
    let Some(length) = length(from)? else { return Ok(None) };
    if length > LONGEST {
        io::copy(&mut from.take(length as u64), &mut io::sink())?;
        return Ok(Some(garbage(ErrorCode::InvalidRequest, Value::Null, "the message is too long")));
    }
    let mut body = vec![0; length];
    if let Err(error) = from.read_exact(&mut body) {
        // The client died in the middle of a word.
        return if error.kind() == io::ErrorKind::UnexpectedEof { Ok(None) } else { Err(error) };
    }
    Ok(Some(understand(&body)))
}

/// Writes a message.
pub(super) fn write(to: &mut impl Write, message: &Value) -> io::Result<()> {
    let text = message.to_string();
    write!(to, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    to.flush()
}

/// A message of ours as it is sent.
pub(super) fn value(message: &Message) -> Value {
    let mut value = serde_json::to_value(message).unwrap_or_default();
    if let Some(fields) = value.as_object_mut() {
        fields.insert("jsonrpc".to_owned(), "2.0".into());
    }
    value
}

fn understand(body: &[u8]) -> Incoming {
    let value: Value = match serde_json::from_slice(body) {
        Ok(value) => value,
        Err(error) => return garbage(ErrorCode::ParseError, Value::Null, &format!("not JSON: {error}")),
    };
    let id = value.get("id").filter(|id| id.is_number() || id.is_string()).cloned().unwrap_or(Value::Null);
    // Without its id it would pass for a notification, and the client would wait forever.
    let is_request = value.get("method").is_some() && value.get("id").is_some();
    if is_request && !is_id(&id) {
        return garbage(ErrorCode::InvalidRequest, id, "the id is neither a string nor a 32-bit integer");
    }
    // A response without an id reports that the client could not read a message of ours: it needs no answer.
    match serde_json::from_value(value) {
        Ok(message) => Incoming::Message(message),
        Err(_) => garbage(ErrorCode::InvalidRequest, id, "neither a request nor a notification nor a response"),
    }
}

/// Whether the protocol allows such an id.
fn is_id(id: &Value) -> bool {
    id.is_string() || id.as_i64().is_some_and(|id| i32::try_from(id).is_ok())
}

fn garbage(code: ErrorCode, id: Value, message: &str) -> Incoming {
    Incoming::Garbage(json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code as i32, "message": message } }))
}

/// Reads headers up to the blank line. Lines that are no header are passed over, so that reading finds its way back.
fn length(from: &mut impl BufRead) -> io::Result<Option<usize>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if from.take(LONGEST_HEADER).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if line.is_empty() {
            if let Some(length) = length {
                return Ok(Some(length));
            }
            continue;
        }
        if let Some((name, words)) = line.split_once(':')
            && name.trim().eq_ignore_ascii_case("content-length")
        {
            length = words.trim().parse().ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        let mut from = text.as_bytes();
        let mut seen = Vec::new();
        while let Some(incoming) = read(&mut from).expect("bytes") {
            seen.push(match incoming {
                Incoming::Message(Message::Request(request)) => request.method,
                Incoming::Message(Message::Notification(notification)) => notification.method,
                Incoming::Message(Message::Response(response)) => response.id.to_string(),
                Incoming::Garbage(answer) => format!("{} {}", answer["id"], answer["error"]["code"]),
            });
        }
        seen
    }

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    #[test]
    fn garbage_gets_an_answer_and_reading_goes_on() {
        let exit = framed(r#"{"jsonrpc":"2.0","method":"exit"}"#);
        for (garbage, answer) in [
            (framed("{"), Some("null -32700")),
            (framed(""), Some("null -32700")),
            (framed("\u{fe}"), Some("null -32700")),
            (framed("[]"), Some("null -32600")),
            (framed(r#"{"id":7,"method":3}"#), Some("7 -32600")),
            (framed(r#"{"id":{"a":1},"method":"x"}"#), Some("null -32600")),
            (framed(r#"{"id":null,"method":"x"}"#), Some("null -32600")),
            (framed(r#"{"id":1.5,"method":"x"}"#), Some("1.5 -32600")),
            (framed(r#"{"id":3000000000,"method":"x"}"#), Some("3000000000 -32600")),
            (format!("hello\r\nworld\r\n{}", framed("{}")), Some("null -32600")),
            ("Content-Length: many\r\n\r\n".to_owned(), None),
            ("\r\n\r\n".to_owned(), None),
        ] {
            let seen = all(&format!("{garbage}{exit}"));
            assert_eq!(seen.last().map(String::as_str), Some("exit"), "{garbage}");
            if let Some(answer) = answer {
                assert_eq!(seen.first().map(String::as_str), Some(answer), "{garbage}");
            }
        }
        assert!(all("Content-Length: 100\r\n\r\n{").is_empty());
    }

    #[test]
    fn what_is_written_can_be_read() {
        let mut bytes = Vec::new();
        let message = Message::Notification(lsp_server::Notification::new("méthode".to_owned(), json!({"a": 1})));
        write(&mut bytes, &value(&message)).expect("written");
        assert_eq!(all(&String::from_utf8(bytes).expect("text")), ["méthode"]);
    }
}
