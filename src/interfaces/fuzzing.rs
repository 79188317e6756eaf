//! What fuzzers call: one function per kind of input, none of which may panic, hang or grow out of bounds. Only with the
//! feature `fuzzing`; the targets are in `fuzz/`.

use std::io::Cursor;
use std::path::Path;
use std::sync::LazyLock;

use super::workspace::Settings;
use crate::book::Book;
use crate::condition::Condition;
use crate::diagnosis::{self, Measured};
use crate::reports::draft::templates::Templates;
use crate::reports::knowledge::{Knowledge, Places};
use crate::scan::{FaultReport, Finder, LOOKAHEAD, LogScan};
use crate::text::redact::{Known, Redactor};
use crate::{incident, machine, text};

static KNOWLEDGE: LazyLock<Knowledge> = LazyLock::new(|| {
    let places = Places { reports: Vec::new(), roots: Vec::new(), cache: None, rebuild: false };
    Knowledge::new(Book::new(true), places, Box::new(|_, _| {}))
});

/// A log, cleaned: every line comes from a place in the input.
pub fn clean(bytes: &[u8]) {
    let transcript = text::read(bytes);
    for line in transcript.lines() {
        assert!(line.origin.start <= line.origin.end && line.origin.end <= bytes.len(), "{line:?}");
    }
}

/// A log, all the way to its answer.
pub fn diagnose(bytes: &[u8]) {
    let transcript = text::read(bytes);
    let incident = incident::read(&transcript);
    let answer = diagnosis::diagnose(&transcript, &incident, KNOWLEDGE.library(), &Measured::default());
    let sum: f64 = answer.causes.iter().map(|cause| cause.probability).sum();
    assert!(sum <= 1.0 + 1e-9, "probabilities add up to {sum}");
    let _ = crate::render::json::render(&answer);
    if let Some(picture) = diagnosis::picture::RunPicture::of(&transcript, &incident, &answer, bytes) {
        let _ = (crate::render::plot::text(&picture), crate::render::plot::svg(&picture));
    }
}

/// A piece of a text, again and again: twice as many take no more than twice the time, with some to spare.
pub fn growth(bytes: &[u8]) {
    const LONGEST_PIECE: usize = 400;
    const SIZE: usize = 16 << 10;
    /// Seconds that need no explanation, in a build for fuzzers.
    const UNSUSPICIOUS: f64 = 0.15;
    const MOST: f64 = 2.8;
    let Some((manner, piece)) = bytes.split_first().filter(|(_, piece)| (1..=LONGEST_PIECE).contains(&piece.len()))
    else {
        return;
    };
    let text = |size: usize| {
        let mut text = Vec::with_capacity(size + 2 * LONGEST_PIECE);
        let mut number = 0;
        while text.len() < size {
            for byte in piece {
                match byte {
                    // Each piece may have a number of its own.
                    b'#' if manner % 2 == 1 => text.extend_from_slice(number.to_string().as_bytes()),
                    byte => text.push(*byte),
                }
            }
            number += 1;
        }
        text
    };
    let seconds = |text: &[u8]| {
        let before = worked();
        diagnose(text);
        worked() - before
    };
    let (once, twice) = (text(SIZE), text(2 * SIZE));
    if seconds(&once) < UNSUSPICIOUS {
        return;
    }
    // Others may have had the processor's caches in one attempt.
    let ratios: Vec<f64> = (0..3).map(|_| seconds(&twice) / seconds(&once)).collect();
    assert!(ratios.iter().any(|ratio| *ratio < MOST), "twice the text takes {ratios:.1?} times as long");
}

/// Seconds that this thread has had a processor.
fn worked() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|word| word.parse::<f64>().ok()).unwrap_or_default() / 1e9
}

/// A text dressed in another way has the same answer, and every place in an answer is a place in the text.
pub fn invariants(bytes: &[u8]) {
    const LONGEST: usize = 20_000;
    let text = String::from_utf8_lossy(bytes);
    // What already has the marks of a terminal, of a quotation or of a box reads in another way inside another one.
    let is_ascii = |line: &str| line.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    let is_plain = |line: &str| is_ascii(line) && line.len() < 200 && !line.starts_with('>');
    if text.len() > LONGEST || !text.lines().all(is_plain) {
        return;
    }
    let once = Redactor::new(&Known::default()).text(&text).into_owned();
    assert_eq!(Redactor::new(&Known::default()).text(&once), once);
    let answer = |text: &str| {
        let transcript = text::read(text.as_bytes());
        let incident = incident::read(&transcript);
        diagnosis::diagnose(&transcript, &incident, KNOWLEDGE.library(), &Measured::default())
    };
    let plain = answer(&text);
    let lines: Vec<&str> = text.split('\n').collect();
    let value = crate::render::json::value(&plain);
    places(&value, &mut |line, column| {
        let there = lines.get((line - 1) as usize).map(|line| line.chars().count() as u64);
        let width = there.unwrap_or_else(|| panic!("line {line} of {}", lines.len()));
        assert!(column <= width + 1, "column {column} of {width} in line {line}");
    });
    let dressed = |dress: &dyn Fn(&str) -> String| text.lines().map(dress).collect::<String>();
    let fault = |answer: &diagnosis::Diagnosis| answer.fault.as_ref().map(|fault| fault.id.clone());
    for (name, text) in [
        ("colours", dressed(&|line| format!("\u{1b}[31m{line}\u{1b}[0m\n"))),
        ("CRLF", dressed(&|line| format!("{line}\r\n"))),
    ] {
        assert_eq!(fault(&answer(&text)), fault(&plain), "{name}");
    }
}

/// A log as the page shows it, and as a document: nothing in it becomes a tag of ours that does something.
pub fn page(bytes: &[u8]) {
    let shown = super::web::shown(bytes, KNOWLEDGE.library());
    let lower = shown.to_ascii_lowercase();
    for tag in ["<script", "<img", "<iframe", "<object", "<style", "<svg onload", "href=\"javascript:", "href=\"data:"]
    {
        assert!(!lower.contains(tag), "{tag}");
    }
    assert!(!shown.contains(['\u{1b}', '\u{7}', '\u{202e}']), "a control character");
}

/// Calls with every line and column in an answer.
fn places(value: &serde_json::Value, each: &mut dyn FnMut(u64, u64)) {
    match value {
        serde_json::Value::Object(map) => {
            let number = |name: &str| map.get(name).and_then(serde_json::Value::as_u64);
            if let (Some(line), Some(column)) = (number("line"), number("column")) {
                each(line, column);
            }
            map.values().for_each(|value| places(value, each));
        }
        serde_json::Value::Array(all) => all.iter().for_each(|value| places(value, each)),
        _ => {}
    }
}

/// A log in chunks of any length, which the first byte chooses: it has one answer.
pub fn scan(bytes: &[u8]) {
    /// Longer ones are not looked at as a whole.
    const LONGEST_LINE: usize = 3000;
    static FINDER: LazyLock<Finder> = LazyLock::new(|| Finder::new(KNOWLEDGE.library().signatures));
    let Some((size, text)) = bytes.split_first() else { return };
    if text.split(|byte| *byte == b'\n').any(|line| line.len() > LONGEST_LINE) {
        return;
    }
    let answer = |size: usize| {
        let mut scan = LogScan::new("a.log".to_owned(), KNOWLEDGE.library(), &FINDER, None, true);
        for start in (0..text.len()).step_by(size) {
            let own = size.min(text.len() - start);
            let seen = &text[start..(start + own + LOOKAHEAD).min(text.len())];
            scan.push(FINDER.mark(seen.to_vec(), own));
        }
        let scanned = scan.finish();
        serde_json::to_string(&FaultReport::all(&scanned.tally, KNOWLEDGE.library().book)).unwrap_or_default()
    };
    assert_eq!(answer(16 * usize::from(*size) + 16), answer(text.len().max(1)));
}

/// A bug report, read and checked.
pub fn report(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = crate::reports::reading::read(Path::new("docs/bug_reports/BUG-20260101-001.md"), &text);
    let document = crate::check::Document::new("docs/bug_reports/BUG-20260101-001.md", text);
    let _ = crate::check::check(&[document], &crate::check::Setting { behaviour: false, ..Default::default() });
}

/// A text without what should not be shared: doing it twice changes no more.
pub fn redact(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let once = Redactor::new(&Known::default()).text(&text).into_owned();
    assert_eq!(once.lines().count(), text.lines().count());
    let twice = Redactor::new(&Known::default()).text(&once).into_owned();
    assert_eq!(twice, once);
}

/// A team's template.
pub fn template(bytes: &[u8]) {
    let Ok(folder) = tempfile::tempdir() else { return };
    if std::fs::write(folder.path().join("ours.md"), bytes).is_ok()
        && let Ok(templates) = Templates::open(&[folder.path().to_owned()])
    {
        let context = serde_json::json!({"id": "BUG-1", "title": "T", "facts": {}, "errors": []});
        let _ = templates.render("ours", &context);
    }
}

/// A condition of a page.
pub fn condition(bytes: &[u8]) {
    let condition = Condition::new(&String::from_utf8_lossy(bytes));
    let _ = condition.names();
    let facts = minijinja::Value::from_pairs([("oom", minijinja::Value::from_pairs([("free", 2)]))]);
    let _ = condition.parts().iter().filter_map(|part| part.evaluate(&facts)).count();
}

/// A file of saved facts.
pub fn facts(bytes: &[u8]) {
    let Ok(folder) = tempfile::tempdir() else { return };
    let path = folder.path().join("facts.json");
    if std::fs::write(&path, bytes).is_ok()
        && let Ok(outcome) = machine::load(&path)
    {
        let _ = machine::to_json(&outcome);
    }
}

/// Lines of an editor's messages, after its greeting.
pub fn lsp(bytes: &[u8]) {
    let mut framed = Vec::new();
    let greeting = [
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{}}}"#.as_bytes(),
        br#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#,
    ];
    for message in greeting.into_iter().chain(bytes.split(|byte| *byte == b'\n')) {
        framed.extend_from_slice(format!("Content-Length: {}\r\n\r\n", message.len()).as_bytes());
        framed.extend_from_slice(message);
    }
    let Ok(folder) = tempfile::tempdir() else { return };
    let _ = super::lsp::serve(Cursor::new(framed), std::io::sink(), folder.path().to_owned(), settings());
}

/// Lines of an agent's messages, after its greeting.
pub fn mcp(bytes: &[u8]) {
    let greeting = concat!(
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"#,
        r#""clientInfo":{"name":"f","version":"1"}}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        "\n",
    );
    let messages = [greeting.as_bytes(), bytes].concat();
    let Ok(folder) = tempfile::tempdir() else { return };
    let _ = super::mcp::serve(Cursor::new(messages), std::io::sink(), folder.path().to_owned(), &settings());
}

fn settings() -> Settings {
    Settings { reports: Vec::new(), no_builtin: false, cache: None, probe: false, python: None, allow_write: false }
}
