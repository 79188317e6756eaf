//! Findings as SARIF 2.1.0, for code scanning. Only the properties that we fill are modelled.

use serde::Serialize;

use crate::check::catalogue::RULES;
use crate::check::{Document, Finding, Severity};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Log<'f> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'f>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'f> {
    tool: Tool,
    column_kind: &'static str,
    results: Vec<Outcome<'f>>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    semantic_version: &'static str,
    rules: Vec<RuleInfo>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RuleInfo {
    id: &'static str,
    short_description: Words,
    default_configuration: Configuration,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct Words {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome<'f> {
    rule_id: &'f str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    level: &'static str,
    message: Words,
    locations: [Location; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<Fix>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: Physical,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Artifact,
    region: Region,
}

#[derive(Serialize)]
struct Artifact {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    start_column: u32,
    end_column: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Fix {
    description: Words,
    artifact_changes: [Change; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Change {
    artifact_location: Artifact,
    replacements: [Replacement; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Replacement {
    deleted_region: Letters,
    inserted_content: Words,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Letters {
    char_offset: usize,
    char_length: usize,
}

/// All findings as one SARIF log.
pub fn sarif(findings: &[Finding], documents: &[Document]) -> String {
    let rules = RULES
        .iter()
        .map(|rule| RuleInfo {
            id: rule.name,
            short_description: Words { text: rule.says.to_owned() },
            default_configuration: Configuration { level: level(rule.severity) },
        })
        .collect();
    let log = Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: Tool { driver: Driver { name: "faultbook", semantic_version: env!("CARGO_PKG_VERSION"), rules } },
            column_kind: "unicodeCodePoints",
            results: findings.iter().map(|finding| outcome(finding, documents)).collect(),
        }],
    };
    let mut out = serde_json::to_string_pretty(&log).expect("plain strings and numbers can be written");
    out.push('\n');
    out
}

fn outcome<'f>(finding: &'f Finding, documents: &[Document]) -> Outcome<'f> {
    let text = match finding.help.as_str() {
        "" => finding.message.clone(),
        help => format!("{}. Help: {help}", finding.message),
    };
    Outcome {
        rule_id: finding.rule,
        rule_index: RULES.iter().position(|rule| rule.name == finding.rule),
        level: level(finding.severity),
        message: Words { text },
        locations: [Location {
            physical_location: Physical {
                artifact_location: artifact(&finding.path),
                region: Region { start_line: finding.line, start_column: finding.column, end_column: finding.end },
            },
        }],
        fixes: fix(finding, documents).into_iter().collect(),
    }
}

fn fix(finding: &Finding, documents: &[Document]) -> Option<Fix> {
    let edit = finding.fix.as_ref()?;
    let text = &documents.iter().find(|document| document.path == finding.path)?.text;
    let deleted_region = Letters {
        char_offset: text.get(..edit.range.start)?.chars().count(),
        char_length: text.get(edit.range.clone())?.chars().count(),
    };
    let inserted_content = Words { text: edit.replacement.clone() };
    Some(Fix {
        description: Words { text: format!("what `faultbook check --fix` does for {}", finding.rule) },
        artifact_changes: [Change {
            artifact_location: artifact(&finding.path),
            replacements: [Replacement { deleted_region, inserted_content }],
        }],
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

/// A path as an address: anything but plain letters is escaped.
fn artifact(path: &str) -> Artifact {
    let mut uri = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    Artifact { uri: if path.starts_with('/') { format!("file://{uri}") } else { uri } }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;
    use crate::check::finding::Source;

    #[test]
    fn a_finding_becomes_a_result_with_place_and_fix() {
        let document = Document {
            path: "docs/a b.md".into(),
            text: "한 two".into(),
            kind: crate::check::Kind::Report,
            replaced: None,
        };
        let source = Source::new(&document.path, &document.text);
        let finding = source.finding(4..7, "todo", "still to be written").help("write it").fix(4..7, "2");
        let value: serde_json::Value = serde_json::from_str(&sarif(&[finding], &[document])).unwrap();
        let run = &value["runs"][0];
        let result = &run["results"][0];
        assert_eq!(value["version"], "2.1.0");
        assert_eq!(run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize]["id"], "todo");
        assert_eq!(result["message"]["text"], "still to be written. Help: write it");
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "docs/a%20b.md");
        assert_eq!(
            (place["region"]["startColumn"].as_u64(), place["region"]["endColumn"].as_u64()),
            (Some(3), Some(6))
        );
        let replacement = &result["fixes"][0]["artifactChanges"][0]["replacements"][0];
        assert_eq!(replacement["deletedRegion"]["charOffset"], 2);
        assert_eq!(replacement["insertedContent"]["text"], "2");
    }
}
