//! Rules that need all reports at once: duplicate ids, references to reports that do not exist.

use std::collections::BTreeMap;

use super::finding::{Finding, Source};
use super::front::Front;
use super::ids::{self, Id, Known, Own};
use super::lines::{Class, Line};
use super::{Document, Kind};
use crate::book::sections::{self, Outline};
use crate::reports::naming::Naming;

/// All reports of a project.
pub(super) struct Folder<'n> {
    /// Id in one spelling, and the paths of the reports that have it.
    paths: BTreeMap<String, Vec<String>>,
    /// Prefixes of the ids in use, so that other teams' numbers are left alone.
    prefixes: Vec<String>,
    whole: Vec<Id>,
    /// How the project names its reports, where it chose.
    pub(super) naming: Option<&'n Naming>,
}

impl<'n> Folder<'n> {
    /// Collects the ids of the documents and of the other reports.
    pub(super) fn new(documents: &[Document], others: &[Known], naming: Option<&'n Naming>) -> Self {
        let mut folder = Self { paths: BTreeMap::new(), prefixes: Vec::new(), whole: Vec::new(), naming };
        for document in documents.iter().filter(|document| document.kind == Kind::Report) {
            let doc = sections::Document::read(&document.text, Outline::Strict);
            let own = ids::own(document, &Front::read(&document.text), &doc, naming);
            if let Some(first) = own.first() {
                folder.add(&first.id, &document.path);
            }
            own.iter().for_each(|own| folder.know(&own.id));
        }
        for known in others.iter().filter(|known| documents.iter().all(|document| document.path != known.path)) {
            if let Some((_, id)) = ids::at_start(&known.id, naming).filter(|(_, id)| id.is_whole()) {
                folder.add(&id, &known.path);
                folder.know(&id);
            }
        }
        folder
    }

    fn add(&mut self, id: &Id, path: &str) {
        self.paths.entry(id.key()).or_default().push(path.to_owned());
    }

    fn know(&mut self, id: &Id) {
        if !self.prefixes.contains(&id.prefix) {
            self.prefixes.push(id.prefix.clone());
        }
        self.whole.push(id.clone());
    }

    /// The report's id, where another report carries it too.
    pub(super) fn duplicate(&self, source: &Source<'_>, own: &[Own]) -> Option<Finding> {
        let first = own.first()?;
        // A bare number in a file name is not an id of the project.
        if !first.id.is_whole() && first.range.is_none() {
            return None;
        }
        let paths = self.paths.get(&first.id.key())?;
        let other = paths.iter().find(|path| *path != source.path)?;
        let message = format!("{} is also the id of {other}", first.id.spelled());
        let help = "give the later report the next free number";
        let range = first.range.clone().unwrap_or(0..0);
        Some(source.finding(range, "duplicate-id", message).help(help))
    }

    /// References to reports that do not exist.
    pub(super) fn unknown(&self, source: &Source<'_>, lines: &[Line]) -> Vec<Finding> {
        let mut findings = Vec::new();
        for line in lines.iter().filter(|line| line.class != Class::Code) {
            let words = source.text.get(line.range.clone()).unwrap_or_default();
            for (range, id) in ids::references(words, self.naming) {
                let known = self.whole.iter().any(|other| other.agrees(&id));
                if !known && self.prefixes.contains(&id.prefix) {
                    let place = line.range.start + range.start..line.range.start + range.end;
                    let message = format!("there is no report {}", id.spelled());
                    findings.push(source.finding(place, "unknown-report", message));
                }
            }
        }
        findings
    }
}
