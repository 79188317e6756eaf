//! One JSON log record on one line: Docker's, structlog's, cloud loggers', Kaggle's.
//!
//! Records without text (no message, no exception) and lines beyond 8 MiB stay as they are. A record's text may be
//! spread over its message, its exception and its stack; they are read in that order.

use serde_json::{Map, Value};

use super::super::Level;
use super::super::prefix::header::any_level;
use super::super::prefix::time::{Stamp, stamp};

/// The fields of a record that matter here.
#[derive(Debug, Default, PartialEq)]
pub(in crate::text) struct Record {
    /// Message and exception, with line breaks.
    pub(in crate::text) text: String,
    /// Its time.
    pub(in crate::text) stamp: Option<Stamp>,
    /// Its level.
    pub(in crate::text) level: Option<Level>,
    /// Its rank.
    pub(in crate::text) rank: Option<u32>,
    /// The pod or container that wrote it.
    pub(in crate::text) source: Option<String>,
    /// The text continues in the next record.
    pub(in crate::text) partial: bool,
}

/// Records longer than this stay as they are.
const LONGEST: usize = 8 << 20;

const MESSAGES: [&str; 11] =
    ["log", "message", "msg", "event", "text", "textPayload", "data", "MESSAGE", "body", "content", "line"];
const EXCEPTIONS: [&str; 17] = [
    "exception",
    "exc_info",
    "exc_text",
    "traceback",
    "stack_trace",
    "stacktrace",
    "stack",
    "stackTrace",
    "error",
    "err",
    "exc_message",
    "exc",
    "error_message",
    // Elastic Common Schema and OpenTelemetry write dots into their keys.
    "error.message",
    "error.stack_trace",
    "exception.message",
    "exception.stacktrace",
];
const INSIDE: [&str; 6] = ["fields", "jsonPayload", "attributes", "extra", "record", "exception"];

/// Reads a record that fills the whole line; `None` for other lines.
pub(in crate::text) fn read(line: &str) -> Option<Record> {
    // Kaggle writes one array, a record per line.
    let body = line.trim().trim_start_matches(['[', ',']).trim_end_matches([']', ',']);
    if !body.starts_with('{') || !body.ends_with('}') || body.len() > LONGEST || body.len() < 9 {
        return None;
    }
    let Ok(Value::Object(fields)) = serde_json::from_str::<Value>(body) else { return None };
    let mut record = Record::default();
    take(&fields, &mut record, 0);
    if record.text.is_empty() && !fields.contains_key("log") {
        return None;
    }
    let runtime = fields.contains_key("stream") && fields.contains_key("log");
    record.partial = runtime && !record.text.ends_with('\n') && !record.text.is_empty();
    let kept = record.text.trim_end_matches(['\n', '\r']).len();
    record.text.truncate(kept);
    Some(record)
}

/// Reads the fields of an object and of the objects inside it.
fn take(fields: &Map<String, Value>, record: &mut Record, depth: usize) {
    for key in ["time", "ts", "timestamp", "@timestamp", "asctime", "t"] {
        if record.stamp.is_none() {
            record.stamp = fields.get(key).and_then(time);
        }
    }
    for key in ["level", "levelname", "severity", "lvl", "log_level", "log.level"] {
        if record.level.is_none() {
            record.level = fields.get(key).and_then(Value::as_str).and_then(any_level);
        }
    }
    for key in ["rank", "global_rank", "RANK", "local_rank"] {
        if record.rank.is_none() {
            let number = fields.get(key).and_then(|v| v.as_u64().or_else(|| v.as_str()?.parse().ok()));
            record.rank = number.and_then(|n| u32::try_from(n).ok());
        }
    }
    for key in ["pod", "pod_name", "container", "container_name"] {
        if record.source.is_none() {
            record.source = fields.get(key).and_then(Value::as_str).map(str::to_owned);
        }
    }
    for key in MESSAGES {
        if let Some(text) = fields.get(key).and_then(Value::as_str) {
            add(record, text);
            break;
        }
    }
    for key in EXCEPTIONS {
        match fields.get(key) {
            Some(Value::String(text)) => add(record, text),
            Some(Value::Array(lines)) if lines.iter().all(Value::is_string) => {
                for line in lines.iter().filter_map(Value::as_str) {
                    add(record, line);
                }
            }
            _ => {}
        }
    }
    if depth < 2 {
        for key in INSIDE.iter().chain(&["kubernetes", "span"]) {
            if let Some(Value::Object(inner)) = fields.get(*key) {
                take(inner, record, depth + 1);
            }
        }
    }
    // An exception given as type and value.
    if let (Some(kind), Some(value)) =
        (fields.get("type").and_then(Value::as_str), fields.get("value").and_then(Value::as_str))
        && depth > 0
        && kind.ends_with(|c: char| c.is_ascii_alphabetic())
    {
        add(record, &format!("{kind}: {value}"));
    }
}

/// Adds text that the record does not contain yet.
fn add(record: &mut Record, text: &str) {
    let words = text.trim_end();
    if words.is_empty() && !record.text.is_empty() || !words.is_empty() && record.text.contains(words) {
        return;
    }
    if !record.text.is_empty() && !record.text.ends_with('\n') {
        record.text.push('\n');
    }
    record.text.push_str(text);
}

/// A time as text or as seconds, milliseconds or nanoseconds since 1970.
fn time(value: &Value) -> Option<Stamp> {
    match value {
        Value::String(text) => stamp(text).map(|(stamp, ..)| stamp),
        Value::Number(number) => {
            let mut seconds = number.as_f64()?;
            while seconds > 1e11 {
                seconds /= 1000.0;
            }
            Some(Stamp { year: None, day: None, seconds, absolute: true })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records() {
        let text = |line: &str| read(line).map(|record| record.text);
        let docker =
            read(r#"{"log":"  File \"a.py\"\n","stream":"stderr","time":"2026-11-21T02:46:15.9Z"}"#).expect("docker");
        assert_eq!((docker.text.as_str(), docker.partial), ("  File \"a.py\"", false));
        assert!(docker.stamp.is_some());
        assert!(read(r#"{"log":"half","stream":"stderr"}"#).expect("docker").partial);
        assert_eq!(text(r#"{"log":"\n","stream":"stderr"}"#).as_deref(), Some(""));
        let full = read(r#"{"level":"error","rank":3,"msg":"step failed","exception":"Traceback\n  x\nValueError: y","ts":1706522551.4}"#).expect("full");
        assert_eq!(full.text, "step failed\nTraceback\n  x\nValueError: y");
        assert_eq!((full.level, full.rank), (Some(Level::Error), Some(3)));
        assert_eq!(text(r#"{"timestamp":"2024-01-01T00:00:00Z","level":"ERROR","fields":{"message":"Shard 0 died"},"span":{"rank":2}}"#).as_deref(), Some("Shard 0 died"));
        assert_eq!(text(r#",{"stream_name":"stderr","time":1.2,"data":"boom\n"}"#).as_deref(), Some("boom"));
        assert_eq!(
            text(r#"{"level":"error","msg":"unhandled","exc":"ValueError: y"}"#).as_deref(),
            Some("unhandled\nValueError: y")
        );
        assert_eq!(
            text(r#"{"message":"x","exception":{"type":"ValueError","value":"y"}}"#).as_deref(),
            Some("x\nValueError: y")
        );
    }

    #[test]
    fn other_json_stays() {
        for line in [
            r#"{"lr": 0.1, "batch": 4}"#,
            r#"{"log": 3}x"#,
            "{'loss': 4.5}",
            "{",
            "{}",
            r#"{"msg": "cut"#,
            r#"{"model": "message"}"#,
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
