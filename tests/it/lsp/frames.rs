//! Messages of the language server's protocol on a byte stream, as a client writes and reads them; `benches/interfaces.rs`
//! uses them too.

use std::io::BufRead;

use serde_json::Value;

/// A message as it goes over the wire.
pub(crate) fn framed(message: &Value) -> Vec<u8> {
    let text = message.to_string();
    format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes()
}

/// The next message of the server.
pub(crate) fn next(from: &mut impl BufRead) -> Value {
    let mut length = 0;
    loop {
        let mut line = String::new();
        assert!(from.read_line(&mut line).expect("a header") > 0, "the server is gone");
        match line.trim_end().split_once(": ") {
            Some((_, number)) => length = number.parse().expect("a number"),
            None => break,
        }
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body).expect("a body");
    serde_json::from_slice(&body).expect("JSON")
}
