//! Messages, one per line. A malformed one gets the protocol's error here and never reaches the server:
//! rmcp's own reader drops such a line, and a client that waits for its answer would wait forever.

use std::io::{self, BufRead, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const INVALID_PARAMS: i32 = -32602;

/// One client's streams.
pub(super) struct Lines<W> {
    to: Arc<Mutex<W>>,
    received: UnboundedReceiver<RxJsonRpcMessage<RoleServer>>,
}

impl<W: Write + Send + 'static> Lines<W> {
    /// Reads on another thread, which ends with the stream.
    pub(super) fn new(from: impl BufRead + Send + 'static, to: W) -> Self {
        let to = Arc::new(Mutex::new(to));
        let (send, received) = unbounded_channel();
        let answers = to.clone();
        thread::spawn(move || {
            for line in from.split(b'\n') {
                let Ok(line) = line else { return };
                match understand(&line) {
                    Read::Message(message) => {
                        if send.send(*message).is_err() {
                            return;
                        }
                    }
                    // A client that does not read answers will not miss this one.
                    Read::Garbage(answer) => drop(write(&answers, &answer)),
                    Read::Nothing => {}
                }
            }
        });
        Self { to, received }
    }
}

impl<W: Write + Send + 'static> Transport<RoleServer> for Lines<W> {
    type Error = io::Error;

    fn send(&mut self, item: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let to = self.to.clone();
        async move { write(&to, &serde_json::to_value(&item)?) }
    }

    fn receive(&mut self) -> impl Future<Output = Option<RxJsonRpcMessage<RoleServer>>> + Send {
        self.received.recv()
    }

    async fn close(&mut self) -> io::Result<()> {
        self.received.close();
        Ok(())
    }
}

/// What a line was.
enum Read {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    Garbage(Value),
    Nothing,
}

fn understand(line: &[u8]) -> Read {
    if line.trim_ascii().is_empty() {
        return Read::Nothing;
    }
    let garbage = |id: Value, code: i32, message: String| {
        Read::Garbage(json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }))
    };
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => return garbage(Value::Null, PARSE_ERROR, format!("not JSON: {error}")),
    };
    let id = value.get("id").filter(|id| id.is_number() || id.is_string()).cloned();
    let is_call = value.get("method").is_some_and(Value::is_string);
    let is_answer = value.get("result").is_some() || value.get("error").is_some();
    match (serde_json::from_value(value), id) {
        (Ok(message), _) => Read::Message(Box::new(message)),
        (Err(_), Some(id)) if is_call => {
            garbage(id, INVALID_PARAMS, "the parameters do not match the method".to_owned())
        }
        // Neither a notification nor an answer is answered.
        (Err(_), None) if is_call => Read::Nothing,
        (Err(_), _) if is_answer => Read::Nothing,
        (Err(_), id) => garbage(id.unwrap_or_default(), INVALID_REQUEST, "neither a request nor a response".to_owned()),
    }
}

/// Writes a line whole.
fn write(to: &Mutex<impl Write>, message: &Value) -> io::Result<()> {
    let mut to = to.lock().unwrap_or_else(PoisonError::into_inner);
    let mut line = message.to_string();
    line.push('\n');
    to.write_all(line.as_bytes())?;
    to.flush()
}
