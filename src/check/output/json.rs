//! Findings as JSON, schema `faultbook/findings/1`. These types are frozen; the linter's own types may change.

use std::collections::BTreeMap;

use serde::Serialize;

use super::counts;
use crate::check::{Document, Finding};

#[derive(Serialize)]
struct Answer<'f> {
    schema: &'static str,
    documents: usize,
    errors: usize,
    warnings: usize,
    infos: usize,
    /// How many findings each rule has.
    by_rule: BTreeMap<&'f str, usize>,
    findings: Vec<One<'f>>,
}

#[derive(Serialize)]
struct One<'f> {
    path: &'f str,
    line: u32,
    column: u32,
    end_column: u32,
    rule: &'f str,
    severity: &'static str,
    message: &'f str,
    help: &'f str,
    /// Whether `--fix` fixes it.
    fixable: bool,
}

/// All findings as one JSON document.
pub fn json(findings: &[Finding], documents: &[Document]) -> String {
    let [infos, warnings, errors] = counts(findings);
    let mut by_rule = BTreeMap::new();
    findings.iter().for_each(|finding| *by_rule.entry(finding.rule).or_default() += 1);
    let answer = Answer {
        schema: "faultbook/findings/1",
        documents: documents.iter().filter(|document| document.kind != crate::check::Kind::Other).count(),
        errors,
        warnings,
        infos,
        by_rule,
        findings: findings
            .iter()
            .map(|finding| One {
                path: &finding.path,
                line: finding.line,
                column: finding.column,
                end_column: finding.end,
                rule: finding.rule,
                severity: finding.severity.word(),
                message: &finding.message,
                help: &finding.help,
                fixable: finding.fix.is_some(),
            })
            .collect(),
    };
    let mut out = serde_json::to_string_pretty(&answer).expect("plain strings and numbers can be written");
    out.push('\n');
    out
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;
    use crate::check::finding::Source;

    #[test]
    fn every_finding_is_there() {
        let finding = Source::new("a.md", "one two").finding(4..7, "todo", "say \"it\"");
        let value: serde_json::Value = serde_json::from_str(&json(&[finding], &[])).unwrap();
        assert_eq!(value["schema"], "faultbook/findings/1");
        assert_eq!(value["warnings"], 1);
        let one = &value["findings"][0];
        assert_eq!((one["column"].as_u64(), one["end_column"].as_u64()), (Some(5), Some(8)));
        assert_eq!(
            (&one["rule"], &one["severity"], &one["fixable"]),
            (&"todo".into(), &"warning".into(), &false.into())
        );
    }
}
