//! The linter over whole documents: each rule with a document that violates it and one that does not, and fixing that
//! keeps what it does not name.

mod pages;
mod properties;
mod reports;

use faultbook::check::{Document, Finding, Setting, check};

/// Rules and lines of the findings over one document, beside others.
fn rules(path: &str, text: &str, others: &[(&str, &str)], setting: &Setting<'_>) -> Vec<(&'static str, u32)> {
    let mut documents = vec![Document::new(path, text)];
    documents.extend(others.iter().map(|(path, text)| Document::new(*path, *text)));
    let findings: Vec<Finding> = check(&documents, setting);
    findings.iter().filter(|finding| finding.path == path).map(|finding| (finding.rule, finding.line)).collect()
}

/// Replaces once, and insists that there was something to replace.
fn with(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}
