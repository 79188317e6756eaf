//! Answers as SARIF 2.1.0, for code scanning: one result per text in which a failure was found.
//!
//! A result stands in the log, where the failure is; the place in the user's code is a related location. What follows
//! from the failure is related too, never a result of its own: one death is one alert.

use serde_json::{Value, json};

use super::Answered;
use super::inline;
use super::uri::encode;
use super::words::percent;
use crate::diagnosis::{Diagnosis, Verdict};
use crate::span::Span;

/// The rule of errors that the book does not hold.
const UNLISTED: &str = "unlisted-error";

/// All answers as one log file.
pub fn render(answers: &[Answered<'_>]) -> String {
    let mut rules: Vec<Value> = Vec::new();
    let mut results = Vec::new();
    for answered in answers {
        let Some((id, title, result)) = result(answered) else { continue };
        if !rules.iter().any(|rule| rule["id"] == id) {
            rules.push(json!({ "id": id, "shortDescription": { "text": title } }));
        }
        results.push(result);
    }
    let driver = json!({
        "name": "faultbook",
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules,
    });
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "columnKind": "unicodeCodePoints", "results": results }],
    });
    format!("{log:#}\n")
}

/// The rule's id and title, and the result.
fn result(answered: &Answered<'_>) -> Option<(String, String, Value)> {
    let Answered { path, diagnosis } = answered;
    let error = diagnosis.error.as_ref();
    let (id, title, level, span) = match (diagnosis.verdict, &diagnosis.fault, error) {
        (Verdict::KnownFault, Some(fault), _) => (fault.id.clone(), inline::plain(&fault.title), "error", fault.span),
        (Verdict::UnlistedError, _, Some(error)) => {
            (UNLISTED.to_owned(), "An error that the book does not hold".to_owned(), "warning", error.span)
        }
        _ => return None,
    };
    let mut related = Vec::new();
    let mut relate = |location: Value| {
        let mut location = location;
        location["id"] = json!(related.len());
        related.push(location);
    };
    // Only a relative path names a file of the repository.
    if let Some(frame) = error.and_then(|error| error.frame.as_ref())
        && frame.line > 0
        && !frame.file.starts_with(['/', '<', '\\'])
        && !frame.file.contains(':')
    {
        let region = json!({ "startLine": frame.line });
        let physical = json!({ "artifactLocation": { "uri": encode(&frame.file) }, "region": region });
        relate(
            json!({ "physicalLocation": physical, "message": { "text": format!("raised through {}", frame.function) } }),
        );
    }
    for echo in &diagnosis.cascade {
        let says = format!("follows from it ({}): {}", echo.why, inline::plain(&echo.title));
        relate(json!({ "physicalLocation": place(path, echo.span), "message": { "text": says } }));
    }
    let result = json!({
        "ruleId": id,
        "level": level,
        "message": { "text": message(diagnosis, &title) },
        "locations": [{ "physicalLocation": place(path, span) }],
        "relatedLocations": related,
    });
    Some((id, title, result))
}

/// The answer in a few sentences.
pub(super) fn message(diagnosis: &Diagnosis, title: &str) -> String {
    let mut lines = vec![title.to_owned()];
    if diagnosis.fault.is_none()
        && let Some(error) = &diagnosis.error
    {
        lines.push(format!("{}: {}", error.type_name, error.message.lines().next().unwrap_or_default()));
    }
    if let Some(cause) = diagnosis.causes.first() {
        let figure = percent(cause.probability).map(|figure| format!(" ({figure})")).unwrap_or_default();
        lines.push(format!("Most likely: {}{figure}", inline::plain(&cause.title)));
        lines.extend(cause.fixes.first().map(|fix| format!("Do this: {}", inline::plain(&fix.title))));
    }
    lines.extend(diagnosis.reports.first().map(|report| format!("Seen before: {} {}", report.id, report.title)));
    lines.join("\n")
}

fn place(path: &str, span: Span) -> Value {
    let region = json!({
        "startLine": span.start.line.max(1),
        "startColumn": span.start.column.max(1),
        "endLine": span.end.line.max(1),
        "endColumn": span.end.column.max(1),
    });
    json!({ "artifactLocation": { "uri": encode(path) }, "region": region })
}
