//! Rules that need all reports at once: duplicate ids, references to reports that do not exist.

use std::collections::BTreeMap;

use super::finding::{Finding, Source};
use super::front::Front;
use super::ids::{self, Id, Known, Own};
use super::lines::{Class, Line};
use super::{Document, Kind};
use crate::book::sections::{self, Outline};
use crate::reports::copies;
use crate::reports::naming::Naming;
use crate::reports::record::Record;

/// A report with an id that others have too, with its copies.
#[derive(Debug, Clone)]
pub(super) struct Named {
    /// Where the one that people work with lies.
    pub(super) path: String,
    /// Where its copies lie.
    pub(super) copies: Vec<String>,
}

impl Named {
    fn lies_at(&self, path: &str) -> bool {
        self.path == path || self.copies.iter().any(|copy| copy == path)
    }
}

/// All reports of a project.
pub(super) struct Folder<'n> {
    /// Id in one spelling, and the reports that have it, the oldest first.
    reports: BTreeMap<String, Vec<Named>>,
    /// Prefixes of the ids in use, so that other teams' numbers are left alone.
    prefixes: Vec<String>,
    whole: Vec<Id>,
    /// How the project names its reports, where it chose.
    pub(super) naming: Option<&'n Naming>,
}

impl<'n> Folder<'n> {
    /// Collects the ids of the documents and of the other reports.
    pub(super) fn new(documents: &[Document], others: &[Known], naming: Option<&'n Naming>) -> Self {
        let mut folder = Self { reports: BTreeMap::new(), prefixes: Vec::new(), whole: Vec::new(), naming };
        let mut texts: BTreeMap<String, Vec<(&str, &str)>> = BTreeMap::new();
        for document in documents.iter().filter(|document| document.kind == Kind::Report) {
            let doc = sections::Document::read(&document.text, Outline::Strict);
            let own = ids::own(document, &Front::read(&document.text), &doc, naming);
            if let Some(first) = own.first() {
                texts.entry(first.id.key()).or_default().push((&document.path, &document.text));
            }
            own.iter().for_each(|own| folder.know(&own.id));
        }
        for known in others.iter().filter(|known| documents.iter().all(|document| document.path != known.path)) {
            if let Some((_, id)) = ids::at_start(&known.id, naming).filter(|(_, id)| id.is_whole()) {
                texts.entry(id.key()).or_default().push((&known.path, &known.text));
                folder.know(&id);
            }
        }
        texts.retain(|_, same| same.len() > 1);
        folder.reports = texts.into_iter().map(|(id, same)| (id, grouped(&same))).collect();
        folder
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
        let same = self.reports.get(&first.id.key())?;
        let at = same.iter().position(|named| named.lies_at(source.path))?;
        let own = same.get(at)?;
        let range = first.range.clone().unwrap_or(0..0);
        if own.path != source.path {
            let message = format!("{} is a copy of {}", first.id.spelled(), own.path);
            let help = "the copy is neither counted nor listed; keep one of the two";
            return Some(source.finding(range, "copied-report", message).help(help));
        }
        let other = same.iter().find(|named| named.path != own.path)?;
        let message = format!("{} is also the id of {}, which is another report", first.id.spelled(), other.path);
        let help = match at {
            0 => "the later report should get the next free number: `faultbook check --renumber`",
            _ => "`faultbook check --renumber` gives this later report the next free number",
        };
        Some(source.finding(range, "duplicate-id", message).help(help))
    }

    /// Ids that several different reports have, with those reports, the oldest first.
    pub(super) fn given_twice(&self) -> impl Iterator<Item = (&str, &[Named])> {
        self.reports.iter().filter(|(_, same)| same.len() > 1).map(|(id, same)| (id.as_str(), same.as_slice()))
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

/// Reports with one id: copies of one report together, the oldest report first.
fn grouped(same: &[(&str, &str)]) -> Vec<Named> {
    let (records, groups) = copies::of_texts(same);
    let path = |at: usize| same.get(at).map(|(path, _)| (*path).to_owned()).unwrap_or_default();
    let mut dated: Vec<(String, Named)> = groups
        .into_iter()
        .map(|group| {
            let day = records.get(group.living).map(Record::day).unwrap_or_default();
            let copies = group.copies.into_iter().map(path).collect();
            (day, Named { path: path(group.living), copies })
        })
        .collect();
    dated.sort_by(|(day, one), (other_day, other)| day.cmp(other_day).then_with(|| one.path.cmp(&other.path)));
    dated.into_iter().map(|(_, named)| named).collect()
}
