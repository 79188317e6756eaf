//! Signatures of different pages that hit the same lines: which of the two pages answers would be chance.
//!
//! Only literals without further conditions are compared. Two pages may share literals if a regex distinguishes
//! them; whether it does shows when the examples are run.

use std::collections::BTreeMap;

use super::conditions::find;
use super::finding::{Finding, Source};
use super::pages::decode;
use super::{Document, Kind};
use crate::book::schema::{FrontMatter, NoticeMatter, SignatureSpec};

/// Findings by the index of their document.
pub(super) fn check(documents: &[Document]) -> Vec<(usize, Finding)> {
    let mut seen: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    let mut findings = Vec::new();
    for (index, document) in documents.iter().enumerate() {
        for signature in signatures(document).iter().filter(|signature| is_bare(signature)) {
            let first = *seen.entry(literals(signature)).or_insert(index);
            let Some(other) = documents.get(first).filter(|_| first != index) else { continue };
            let source = Source::new(&document.path, &document.text);
            let words = signature.contains.0.join("\" and \"");
            let message = format!("\"{words}\" is also a literal of {}", other.path);
            let place = signature.contains.0.first().map_or(0..0, |literal| place(&source, literal));
            let help = "keep it on one page, or distinguish the two pages with `regex` or `near`";
            findings.push((index, source.finding(place, "duplicate-literal", message).help(help)));
        }
    }
    findings
}

/// The signatures that a page's front matter declares.
pub(super) fn signatures(document: &Document) -> Vec<SignatureSpec> {
    match document.kind {
        Kind::Fault => decode::<FrontMatter>(&document.text).map(|matter| matter.signatures).unwrap_or_default(),
        Kind::Notice => decode::<NoticeMatter>(&document.text).map(|matter| matter.signatures).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// Where a signature's literal is: below `signatures:`, since a title may contain the same words.
pub(super) fn place(source: &Source<'_>, literal: &str) -> std::ops::Range<usize> {
    let start = source.text.find("\nsignatures:").unwrap_or(0);
    let found = source.text.get(start..).and_then(|rest| rest.find(literal)).map(|at| start + at);
    found.map_or_else(|| find(source, literal), |at| at..at + literal.len())
}

/// Whether nothing but the literals decides; `unless` alone still leaves most lines to both pages.
fn is_bare(signature: &SignatureSpec) -> bool {
    signature.regex.is_none() && signature.near.is_none() && signature.without.is_none()
}

fn literals(signature: &SignatureSpec) -> Vec<String> {
    let mut literals: Vec<String> = signature.contains.0.iter().map(|literal| literal.to_ascii_lowercase()).collect();
    literals.sort();
    literals
}
