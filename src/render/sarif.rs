//! Findings as SARIF 2.1.0, for code scanning.
//!
//! A finding in a log is placed in the log; the user's own code that raised it and what followed are related locations.

use serde_json::{Value, json};

use super::finding::{Edit, Finding, Findings, Level, Place};
use super::uri::encode;

/// All findings as one log file.
pub fn render(findings: &Findings) -> String {
    let rules: Vec<Value> = findings
        .rules
        .iter()
        .map(|rule| {
            json!({
                "id": rule.id,
                "shortDescription": { "text": rule.description },
                "defaultConfiguration": { "level": level(rule.level) },
            })
        })
        .collect();
    let results: Vec<Value> = findings.found.iter().map(|finding| result(finding, findings)).collect();
    let driver = json!({ "name": "faultbook", "semanticVersion": env!("CARGO_PKG_VERSION"), "rules": rules });
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "columnKind": "unicodeCodePoints", "results": results }],
    });
    format!("{log:#}\n")
}

fn result(finding: &Finding, findings: &Findings) -> Value {
    let mut related = Vec::new();
    if let Some(frame) = &finding.raised_in {
        let physical =
            json!({ "artifactLocation": { "uri": uri(&frame.file) }, "region": { "startLine": frame.line } });
        related.push((physical, format!("raised through {}", frame.function)));
    }
    related.extend(finding.consequences.iter().map(|(place, says)| (physical(place), says.clone())));
    let location = |(id, (physical, says)): (usize, (Value, String))| json!({ "id": id, "physicalLocation": physical, "message": { "text": says } });
    let mut result = json!({
        "ruleId": finding.rule,
        "level": level(finding.level),
        "message": { "text": finding.message },
        "locations": [{ "physicalLocation": physical(&finding.place) }],
        "relatedLocations": related.into_iter().enumerate().map(location).collect::<Vec<_>>(),
    });
    if let Some(index) = findings.rules.iter().position(|rule| rule.id == finding.rule) {
        result["ruleIndex"] = json!(index);
    }
    if let Some(edit) = &finding.fix {
        result["fixes"] = json!([fix(edit, &finding.place.path)]);
    }
    result
}

fn fix(edit: &Edit, path: &str) -> Value {
    let replacement = json!({
        "deletedRegion": { "charOffset": edit.offset, "charLength": edit.length },
        "insertedContent": { "text": edit.replacement },
    });
    let change = json!({ "artifactLocation": { "uri": uri(path) }, "replacements": [replacement] });
    json!({ "description": { "text": edit.description }, "artifactChanges": [change] })
}

fn physical(Place { path, span }: &Place) -> Value {
    let region = json!({
        "startLine": span.start.line.max(1),
        "startColumn": span.start.column.max(1),
        "endLine": span.end.line.max(1),
        "endColumn": span.end.column.max(1),
    });
    json!({ "artifactLocation": { "uri": uri(path) }, "region": region })
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "note",
    }
}

/// A path as an address: relative to the repository, or of a file.
fn uri(path: &str) -> String {
    let path = encode(path);
    if path.starts_with('/') { format!("file://{path}") } else { path }
}
