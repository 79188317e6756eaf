//! The linter: pages of the book and bug reports, from texts to findings. Pure: file contents arrive in the
//! arguments, nothing is printed.
//!
//! One file shows most mistakes ([`pages`](self), reports); some need all documents together (ids, shared literals);
//! and some show only when the classifier is run (`behaviour`): a page whose own example is diagnosed as another page.

mod behaviour;
mod capped;
mod catalogue;
mod conditions;
mod contents;
mod dates;
mod exemptions;
mod finding;
mod fix;
mod folder;
mod front;
mod id;
mod ids;
mod kind;
mod lines;
mod links;
mod literals;
mod named;
pub mod output;
mod pages;
mod placeholders;
mod renumber;
mod report_sections;
mod reports;
#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod schema_file;
mod secrets;
mod status;
mod tasks;
mod template_left;

pub use capped::capped;
pub use catalogue::{RULES, Rule};
pub use finding::{Edit, Finding, Severity};
pub use fix::{apply, fix_all};
pub use ids::Known as KnownReport;
pub use kind::Kind;
pub use renumber::{Renumbered, renumber};

use finding::Source;

/// A document to be checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The path as shown, with slashes.
    pub path: String,
    /// The whole text.
    pub text: String,
    /// What it is.
    pub kind: Kind,
    /// Position of the first character that replaces invalid UTF-8.
    pub replaced: Option<usize>,
}

impl Document {
    /// A document from a file's bytes. One that is not UTF-8 is checked and never fixed, because not every byte of it
    /// could be kept.
    pub fn of_bytes(path: impl Into<String>, bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self::new(path, text),
            Err(error) => {
                let replaced = Some(error.utf8_error().valid_up_to());
                Self { replaced, ..Self::new(path, String::from_utf8_lossy(error.as_bytes())) }
            }
        }
    }

    /// A document of the kind that its path and text show.
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        let (path, text) = (path.into(), text.into());
        let kind = Kind::of(&path, &text);
        Self { path, text, kind, replaced: None }
    }

    /// The file's stem.
    pub fn stem(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }

    /// The name of its folder.
    pub fn folder(&self) -> &str {
        self.path.rsplit('/').nth(1).unwrap_or_default()
    }
}

/// A text that pages are tried on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// Its name, for findings.
    pub name: String,
    /// The text.
    pub text: String,
}

/// The project around the documents.
pub struct Setting<'a> {
    /// Whether a file exists: asked with a document's folder and a relative link joined and tidied.
    pub exists: &'a dyn Fn(&str) -> bool,
    /// Reports of the project that are not among the documents.
    pub reports: &'a [KnownReport],
    /// How the project names its reports, where it chose.
    pub naming: Option<&'a crate::reports::naming::Naming>,
    /// Whether the classifier is run over the pages' examples and the texts below.
    pub behaviour: bool,
    /// Texts in which no fault may be found, beside the built-in ones.
    pub healthy: &'a [Sample],
    /// The rules that count.
    pub wanted: &'a dyn Fn(&str) -> bool,
    /// Whether a fix may remove lines that somebody or a template wrote.
    pub removals: bool,
    /// Texts with faults; a signature that hits none of them is reported as [`Severity::Info`].
    pub corpus: &'a [Sample],
}

impl Default for Setting<'_> {
    fn default() -> Self {
        Self {
            exists: &|_| true,
            reports: &[],
            naming: None,
            behaviour: true,
            healthy: &[],
            corpus: &[],
            wanted: &|_| true,
            removals: true,
        }
    }
}

/// Rules whose fix only removes lines.
const REMOVING: [&str; 2] = ["template-left", "stale-exemption"];

/// Rules whose fixes write the same in other words, or remove what is there twice. Any other fix that loses a word is a
/// removal.
const RESPELLING: [&str; 5] = ["bad-date", "id-spelling", "status-spelling", "key-spelling", "duplicate-key"];

/// Checks the documents; findings in the order of the documents, then of their lines.
pub fn check(documents: &[Document], setting: &Setting<'_>) -> Vec<Finding> {
    let book = crate::book::Book::new(true);
    let page_index = pages::PageIndex::new(documents, &book);
    let together = folder::Folder::new(documents, setting.reports, setting.naming);
    let mut by_document: Vec<Vec<Finding>> = documents
        .iter()
        .map(|document| {
            let source = Source::new(&document.path, &document.text);
            let mut findings = match document.kind {
                Kind::Fault => pages::fault(document, &source, &page_index),
                Kind::Fix => pages::recipe(document, &source),
                Kind::Notice => pages::notice(document, &source),
                Kind::Report => reports::check(document, &source, &together),
                Kind::Other => Vec::new(),
            };
            if matches!(document.kind, Kind::Fault | Kind::Fix | Kind::Notice) {
                findings.extend(named::check(document, &source));
            }
            if document.kind != Kind::Other {
                findings.extend(secrets::check(&source));
                findings.extend(links::check(document, &source, setting.exists));
            }
            findings
        })
        .collect();
    let mut add = |(index, finding): (usize, Finding)| {
        if let Some(findings) = by_document.get_mut(index) {
            findings.push(finding);
        }
    };
    literals::check(documents).into_iter().for_each(&mut add);
    page_index.together().into_iter().for_each(&mut add);
    if setting.behaviour {
        behaviour::check(documents, setting).into_iter().for_each(&mut add);
    }
    let with_texts = setting.behaviour && !setting.healthy.is_empty();
    for (document, findings) in documents.iter().zip(&mut by_document) {
        if let Some(at) = document.replaced {
            let source = Source::new(&document.path, &document.text);
            let message = "from here on the file is not UTF-8; it is read, but neither fixed nor changed";
            findings.push(source.finding(at..at + 3, "encoding", message).help("save it as UTF-8"));
        }
        exemptions::apply(&Source::new(&document.path, &document.text), with_texts, findings);
        let loses = |finding: &Finding| finding.fix.as_ref().is_some_and(|edit| fix::loses_words(&document.text, edit));
        let is_removal = |finding: &&mut Finding| {
            REMOVING.contains(&finding.rule) || (!RESPELLING.contains(&finding.rule) && loses(finding))
        };
        if !setting.removals {
            findings.iter_mut().filter(is_removal).for_each(|finding| finding.fix = None);
        }
        if document.replaced.is_some() {
            findings.iter_mut().for_each(|finding| finding.fix = None);
        }
        findings.retain(|finding| (setting.wanted)(finding.rule));
        findings.sort_by_key(|finding| (finding.line, finding.column, finding.rule));
        findings.dedup();
    }
    by_document.into_iter().flatten().collect()
}
