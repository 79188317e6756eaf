//! Links of a document: relative ones must lead to a file, those to a heading must find it. URLs on the network
//! are not checked.

use std::collections::BTreeMap;

use super::finding::{Finding, Source};
use super::{Document, Kind};
use crate::book::sections::{self, Outline};
use crate::render::uri::decode;
use crate::reports::links::{join, links};

/// Checks every link of the document's body.
pub(super) fn check(document: &Document, source: &Source<'_>, exists: &dyn Fn(&str) -> bool) -> Vec<Finding> {
    let mut anchors: Option<Vec<String>> = None;
    let mut findings = Vec::new();
    for (range, target) in links(&document.text) {
        match Target::of(&target) {
            Target::Heading(slug) => {
                let anchors = anchors.get_or_insert_with(|| all_anchors(&document.text));
                if !anchors.contains(&slug) {
                    let message = format!("no heading here gives #{slug}");
                    findings.push(source.finding(range, "dead-anchor", message));
                }
            }
            Target::File(path) => {
                let joined = join(&document.path, &path);
                // The strict reader names recipes that do not exist.
                let is_recipe = document.kind == Kind::Fault && joined.contains("/fixes/");
                if !is_recipe && !exists(&joined) {
                    let message = format!("the link leads to {joined}, which does not exist");
                    findings.push(source.finding(range, "dead-link", message));
                }
            }
            Target::Elsewhere => {}
        }
    }
    findings
}

/// Where a link leads.
enum Target {
    /// A heading of the same document.
    Heading(String),
    /// A file beside the document.
    File(String),
    /// The network, an absolute path, something that is no path.
    Elsewhere,
}

impl Target {
    fn of(address: &str) -> Self {
        let address = address.trim();
        if let Some(slug) = address.strip_prefix('#') {
            return match slug.is_empty() || slug == "top" {
                true => Self::Elsewhere,
                false => Self::Heading(decode(slug).to_lowercase()),
            };
        }
        let path = address.split(['#', '?']).next().unwrap_or_default();
        let scheme = path.split_once(':').is_some_and(|(scheme, _)| scheme.bytes().all(|b| b.is_ascii_alphanumeric()));
        // A path from a root we do not know, a template's placeholder, an e-mail address: nothing to look for.
        if path.is_empty() || scheme || path.starts_with(['/', '\\', '~', '<', '$', '{']) || path.contains('@') {
            return Self::Elsewhere;
        }
        let path = decode(path);
        // `train.py:88` and `train.py L88` are places in code.
        Self::File(path.split_once(".py:").map_or(path.clone(), |(stem, _)| format!("{stem}.py")))
    }
}

/// The anchors that headings and HTML names of a document give, as the large forges make them.
pub(super) fn all_anchors(text: &str) -> Vec<String> {
    let doc = sections::Document::read(text, Outline::Strict);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut anchors: Vec<String> = Vec::new();
    for section in doc.sections.iter().skip(1) {
        let slug = slug(&section.raw_title);
        let count = counts.entry(slug.clone()).or_default();
        anchors.push(if *count == 0 { slug } else { format!("{slug}-{count}") });
        *count += 1;
    }
    for mark in ["id=\"", "name=\"", "id='", "name='"] {
        for rest in text.split(mark).skip(1) {
            let name = rest.split(['"', '\'']).next().unwrap_or_default();
            if name.len() < 100 {
                anchors.push(name.to_lowercase());
            }
        }
    }
    anchors
}

/// The anchor of a heading: lower case, spaces to hyphens, punctuation and emoji away.
pub(super) fn slug(heading: &str) -> String {
    let mut out = String::new();
    for c in heading.trim().chars() {
        if c == ' ' || c == '-' {
            out.push('-');
        } else if c.is_alphanumeric() || c == '_' || is_mark(c) {
            out.extend(c.to_lowercase());
        }
    }
    out
}

/// Variation selectors and joiners stay in anchors, although the emoji before them goes.
fn is_mark(c: char) -> bool {
    c == '\u{fe0f}' || c == '\u{200d}'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<(&'static str, u32, u32)> {
        let document =
            Document { path: "docs/bugs/a.md".into(), text: text.into(), kind: Kind::Report, replaced: None };
        let source = Source::new(&document.path, &document.text);
        let exists = |path: &str| path == "docs/b c.md" || path == "docs/bugs/x.py";
        check(&document, &source, &exists).iter().map(|f| (f.rule, f.line, f.column)).collect()
    }

    #[test]
    fn relative_links_must_lead_somewhere() {
        assert_eq!(rules("---\na: b\n---\n[x](../b%20c.md) [y](x.py:88) [z](https://a.b/c) [m](mailto:a@b.c)\n"), []);
        assert_eq!(rules("---\na: b\n---\nsee [x](../missing.md#part)\n"), [("dead-link", 4, 5)]);
        assert_eq!(rules("![shot](shot.png)\n"), [("dead-link", 1, 1)]);
        assert_eq!(rules("`[x](missing.md)` and\n```\n[x](missing.md)\n```\n"), []);
        assert_eq!(rules("[x](/abs.md) [y](C:\\x.md) [z]({{ path }}) <https://a.b>\n"), []);
    }

    #[test]
    fn anchors_are_those_of_the_headings() {
        let text = "# 🐛 Bug Report: `x_y` failed\n## Fix\n## Fix\n<a id=\"Own\"></a>\n";
        let links = "[1](#-bug-report-x_y-failed) [2](#fix) [3](#fix-1) [4](#own)";
        assert_eq!(rules(&format!("{text}{links}\n")), []);
        assert_eq!(rules("# A\n[1](#b)\n"), [("dead-anchor", 2, 1)]);
    }
}
