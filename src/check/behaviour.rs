//! Runs the classifier over pages: a page's own example must be diagnosed as that page, and no signature may match a
//! healthy log.
//!
//! Pages in the working tree replace built-in pages with the same id. A page that the strict reader rejects is skipped:
//! its mistakes are findings already.

use std::path::PathBuf;

use super::finding::{Finding, Source};
use super::literals::{place, signatures};
use super::{Document, Kind, Sample, Setting};
use crate::book::Book;
use crate::book::page_reader::{PageLocation, read_notice, read_parts, read_recipe};
use crate::book::pages::{PageFile, Pages};
use crate::book::sections;
use crate::diagnosis::{Diagnosis, Verdict};
use crate::diagnosis::{Measured, diagnose};
use crate::incident;
use crate::matching::{Builder, Owner, SignatureSet};
use crate::reports::knowledge::{Knowledge, Places};
use crate::text;

/// A training run without any failure, with the alarming words that such runs print.
const HEALTHY: &str = include_str!("healthy.txt");

/// Findings by the index of their document.
pub(super) fn check(documents: &[Document], setting: &Setting<'_>) -> Vec<(usize, Finding)> {
    let pages: Vec<(usize, &Document)> = documents
        .iter()
        .enumerate()
        .filter(|(_, document)| matches!(document.kind, Kind::Fault | Kind::Notice))
        .collect();
    if pages.is_empty() {
        return Vec::new();
    }
    let knowledge = Knowledge::new(book_of(documents), no_reports(), Box::new(|_, _| {}));
    let mut findings = Vec::new();
    for (index, document) in pages.iter().filter(|(_, document)| document.kind == Kind::Fault) {
        findings.extend(example(document, &knowledge).map(|finding| (*index, finding)));
    }
    let tried = Tried::new(&pages);
    findings.extend(weak(&tried, &knowledge, setting.healthy));
    if !setting.corpus.is_empty() {
        findings.extend(dead(&tried, setting.corpus));
    }
    findings
}

/// The built-in book with the documents in it.
fn book_of(documents: &[Document]) -> Book {
    let mut book = Book::new(true);
    let mut pages = Pages::default();
    // The rules for single pages report a document's mistakes; here it is skipped.
    for document in documents.iter().filter(|document| document.kind == Kind::Fix) {
        if let Ok(recipe) = read_recipe(document.stem(), &document.text) {
            pages.recipes.insert(recipe.id.clone(), recipe);
        }
    }
    for document in documents {
        let (id, area) = (document.stem(), document.folder());
        let recipes = |id: &str| pages.recipes.get(id).cloned().or_else(|| book.recipe(id));
        match document.kind {
            Kind::Fault => {
                let location = PageLocation { id, area, path: &document.path };
                if let Ok((matter, body)) = read_parts(location, &document.text, &recipes) {
                    let (id, area) = (id.to_owned(), area.to_owned());
                    pages.faults.push(PageFile { id, area, path: PathBuf::from(&document.path), matter, body });
                }
            }
            Kind::Notice => pages.notices.extend(read_notice(id, &document.text)),
            _ => {}
        }
    }
    book.notices.retain(|known| pages.notices.iter().all(|notice| notice.id != known.id));
    book.add_pages(pages);
    book
}

fn no_reports() -> Places {
    Places { reports: Vec::new(), roots: Vec::new(), cache: None, rebuild: false }
}

fn run(text: &str, knowledge: &Knowledge) -> Diagnosis {
    let transcript = text::read(text.as_bytes());
    let incident = incident::read(&transcript);
    diagnose(&transcript, &incident, knowledge.library(), &Measured::default())
}

/// The page's example against the whole book.
fn example(document: &Document, knowledge: &Knowledge) -> Option<Finding> {
    let index = knowledge.book.find(document.stem())?;
    let entry = knowledge.book.faults.get(index).filter(|entry| entry.path == document.path)?;
    let example = knowledge.book.fault(index).example.clone();
    if example.trim().is_empty() {
        return None;
    }
    let diagnosis = run(&example, knowledge);
    let source = Source::new(&document.path, &document.text);
    let doc = sections::Document::read(&document.text, sections::Outline::Strict);
    let section = doc.sections.iter().find(|section| section.key == "example").map_or(0, |section| section.range.start);
    let heading = source.line_of(section);
    match &diagnosis.fault {
        Some(fault) if fault.id == entry.id => None,
        // A silent fault may have a symptom with a page of its own.
        _ if diagnosis.silent.iter().any(|page| page.id == entry.id) => None,
        Some(fault) => {
            let words: String = fault.text.chars().take(100).collect();
            let message = format!("the example is diagnosed as {}, by \"{words}\"", fault.id);
            let help = format!(
                "narrow {}, give this page an `explains`, or write the example as software prints it",
                fault.page
            );
            Some(source.finding_on_line(heading, "shadowed-page", message).help(help))
        }
        None => {
            let what = match diagnosis.verdict {
                Verdict::NoError => "as no failure at all",
                _ => "as an error that the book does not have",
            };
            let message = format!("the example is diagnosed {what}");
            let help = "give the page a signature that matches the example";
            Some(source.finding_on_line(heading, "own-example", message).help(help))
        }
    }
}

/// All signatures of the documents' pages in one scanner, each with its own index.
struct Tried<'d> {
    set: SignatureSet,
    /// For each signature: the document's index, the document, its first literal, whether a run ends with it.
    owners: Vec<Author<'d>>,
}

struct Author<'d> {
    index: usize,
    document: &'d Document,
    literal: String,
    fatal: bool,
}

impl<'d> Tried<'d> {
    fn new(pages: &[(usize, &'d Document)]) -> Self {
        let mut builder = Builder::default();
        let mut owners = Vec::new();
        for (index, document) in pages {
            for signature in signatures(document) {
                let number = owners.len();
                let owner = if document.kind == Kind::Fault { Owner::Fault(number) } else { Owner::Notice(number) };
                builder.add(owner, &signature);
                let literal = signature.contains.0.first().cloned().unwrap_or_default();
                owners.push(Author { index: *index, document, literal, fatal: signature.fatal });
            }
        }
        Self { set: builder.build(), owners }
    }

    /// The signatures that hit a text, with the words of the line.
    fn hits(&self, text: &str) -> Vec<(usize, String)> {
        let transcript = text::read(text.as_bytes());
        let incident = incident::read(&transcript);
        let hits = self.set.scan(&transcript, &incident.roles);
        let words = |line: usize| transcript.line(line).text.trim().chars().take(100).collect();
        hits.into_iter()
            .map(|hit| {
                let (Owner::Fault(number) | Owner::Notice(number)) = hit.owner;
                (number, words(hit.line))
            })
            .collect()
    }
}

impl Author<'_> {
    fn finding(&self, rule: &'static str, message: String) -> (usize, Finding) {
        let source = Source::new(&self.document.path, &self.document.text);
        (self.index, source.finding(place(&source, &self.literal), rule, message))
    }
}

/// Signatures of faults that match a healthy log.
fn weak(tried: &Tried<'_>, knowledge: &Knowledge, healthy: &[Sample]) -> Vec<(usize, Finding)> {
    let built_in = Sample { name: "a healthy run".to_owned(), text: HEALTHY.to_owned() };
    let mut findings: Vec<(usize, Finding)> = Vec::new();
    let mut reported: Vec<usize> = Vec::new();
    for sample in std::iter::once(&built_in).chain(healthy) {
        let hits = tried.hits(&sample.text);
        let mut faults = hits.iter().filter_map(|(number, words)| {
            let author = tried.owners.get(*number).filter(|author| author.document.kind == Kind::Fault)?;
            Some((*number, author, words))
        });
        // A nonfatal line may occur in a healthy log; then the whole diagnosis decides.
        let survived = faults.clone().all(|(_, author, _)| !author.fatal);
        if survived && (faults.clone().next().is_none() || run(&sample.text, knowledge).fault.is_none()) {
            continue;
        }
        for (number, author, words) in faults.by_ref() {
            if (author.fatal || survived) && !reported.contains(&number) {
                reported.push(number);
                let message = format!("the signature matches {}: \"{words}\"", sample.name);
                let (index, finding) = author.finding("weak-signature", message);
                findings.push((index, finding.help("add `unless`, `regex` or `near`, or choose a longer literal")));
            }
        }
    }
    findings
}

/// The fenced text of the section Example.
fn example_of(document: &Document) -> String {
    let doc = sections::Document::read(&document.text, sections::Outline::Strict);
    let section = doc.sections.iter().find(|section| section.key == "example");
    let fence = section.and_then(|section| sections::fences(doc.slice(&section.whole)).first().map(|f| f.code.clone()));
    fence.unwrap_or_default()
}

/// Signatures that match neither their page's example nor any sample.
fn dead(tried: &Tried<'_>, corpus: &[Sample]) -> Vec<(usize, Finding)> {
    let mut alive = vec![false; tried.owners.len()];
    let mut mark = |text: &str| {
        for (number, _) in tried.hits(text) {
            if let Some(alive) = alive.get_mut(number) {
                *alive = true;
            }
        }
    };
    corpus.iter().for_each(|sample| mark(&sample.text));
    let mut last = None;
    for author in tried.owners.iter().filter(|author| author.document.kind == Kind::Fault) {
        if last.replace(author.index) != Some(author.index) {
            mark(&example_of(author.document));
        }
    }
    let dead = tried.owners.iter().zip(&alive).filter(|(_, alive)| !**alive);
    dead.map(|(author, _)| author.finding("dead-signature", "the signature matches none of the samples".to_owned()))
        .collect()
}
