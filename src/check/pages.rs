//! What one page of the book shows: the strict reader's mistakes, the closed lists, conditions over facts, headings.
//!
//! Recipes and faults are looked for among the documents at hand first, then in the built-in book, so that a team's
//! folder and the book's own sources are held to the same rules.

use std::collections::{BTreeMap, BTreeSet};

use super::conditions::{condition, find, sentence};
use super::finding::{Finding, Source};
use super::{Document, Kind};
use crate::book::Book;
use crate::book::matter;
use crate::book::page::{FixScope, Recipe};
use crate::book::page_reader::{self, read_fault, read_notice, read_recipe};
use crate::book::schema::{EvidenceSpec, FixMatter, FrontMatter};
use crate::book::sections::{self, Outline, top_items};
use crate::facts;
use crate::pattern::Pattern;
use crate::wording;

/// The sections that a fault page may have.
const SECTIONS: [&str; 4] = ["meaning", "example", "causes", "lookalikes"];

/// All pages that a page may refer to.
pub(super) struct PageIndex<'a> {
    documents: &'a [Document],
    book: &'a Book,
    recipes: BTreeMap<&'a str, Recipe>,
    faults: BTreeSet<String>,
    causes: Vec<&'a str>,
}

impl<'a> PageIndex<'a> {
    /// Collects the pages among the documents.
    pub(super) fn new(documents: &'a [Document], book: &'a Book) -> Self {
        let of = |kind: Kind| documents.iter().filter(move |document| document.kind == kind);
        let mut recipes = BTreeMap::new();
        for document in of(Kind::Fix) {
            if let Ok(recipe) = read_recipe(document.stem(), &document.text) {
                recipes.insert(document.stem(), recipe);
            }
        }
        let mut faults: BTreeSet<String> = of(Kind::Fault).map(|document| document.stem().to_owned()).collect();
        for entry in &book.faults {
            faults.insert(entry.id.clone());
            faults.extend(entry.matter().aliases.iter().cloned());
        }
        for document in of(Kind::Fault) {
            faults.extend(decode::<FrontMatter>(&document.text).into_iter().flat_map(|matter| matter.aliases));
        }
        let causes = book.vocabulary.causes().iter().map(|cause| cause.id.as_str()).collect();
        Self { documents, book, recipes, faults, causes }
    }

    fn recipe(&self, id: &str) -> Option<Recipe> {
        self.recipes.get(id).cloned().or_else(|| self.book.recipe(id))
    }

    /// Findings that need several pages: ids twice, pages that explain each other.
    pub(super) fn together(&self) -> Vec<(usize, Finding)> {
        let mut findings = Vec::new();
        let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
        let mut explains: BTreeMap<&str, (usize, Vec<String>)> = BTreeMap::new();
        for (index, document) in self.documents.iter().enumerate().filter(|(_, d)| d.kind == Kind::Fault) {
            if let Some(first) = seen.insert(document.stem(), &document.path) {
                let source = Source::new(&document.path, &document.text);
                let message = format!("the id {} is taken by {first}", document.stem());
                findings.push((index, source.finding_on_line(1, "duplicate-page", message)));
            }
            if let Some(matter) = decode::<FrontMatter>(&document.text) {
                explains.insert(document.stem(), (index, matter.explains));
            }
        }
        for (id, (index, names)) in &explains {
            for other in names.iter().filter(|other| *other > &(*id).to_owned()) {
                let back = explains.get(other.as_str()).is_some_and(|(_, names)| names.iter().any(|name| name == id));
                if let (true, Some(document)) = (back, self.documents.get(*index)) {
                    let source = Source::new(&document.path, &document.text);
                    let message = format!("{id} explains {other}, and {other} explains {id}");
                    let help = "keep the page whose fault comes first in a run";
                    let place = find(&source, &format!("explains: [{other}"));
                    findings.push((*index, source.finding(place, "explains-each-other", message).help(help)));
                }
            }
        }
        findings
    }
}

/// Checks a fault page.
pub(super) fn fault(document: &Document, source: &Source<'_>, page_index: &PageIndex<'_>) -> Vec<Finding> {
    let place = page_reader::PageLocation { id: document.stem(), area: document.folder(), path: &document.path };
    let read = read_fault(place, &document.text, &|id| page_index.recipe(id));
    let fixes = read.iter().flat_map(|page| &page.causes).flat_map(|cause| &cause.fixes);
    let mut findings: Vec<Finding> =
        fixes.filter(|fix| fix.recipe.is_none()).flat_map(|fix| scope(&fix.scope, source)).collect();
    findings.extend(read.err().unwrap_or_default().into_iter().map(|problem| source.problem(problem)));
    findings.extend(name(document, source));
    let doc = sections::Document::read(&document.text, Outline::Strict);
    findings.extend(headings(&doc, source));
    if let Some(matter) = decode::<FrontMatter>(&document.text) {
        findings.extend(title(&doc, source, &matter.title));
        findings.extend(closed_lists(&matter, source, page_index));
        findings.extend(matter.conflict.iter().flat_map(|expression| condition(source, expression)));
        for evidence in matter.causes.iter().flat_map(|cause| &cause.evidence) {
            findings.extend(conditions(evidence, source));
        }
    }
    findings.extend(body_sentences(&doc, source));
    findings.extend(lookalikes(&doc, source, page_index));
    findings
}

/// Lines of the body with `{{ fact }}` placeholders; `{{.Name}}`, without a space, is Docker's.
fn body_sentences(doc: &sections::Document<'_>, source: &Source<'_>) -> Vec<Finding> {
    let body = doc.sections.first().and_then(|first| doc.text.get(first.range.start..)).unwrap_or_default();
    body.lines().filter(|line| line.contains("{{ ")).flat_map(|line| sentence(source, line.trim())).collect()
}

/// Checks a recipe.
pub(super) fn recipe(document: &Document, source: &Source<'_>) -> Vec<Finding> {
    let problems = read_recipe(document.stem(), &document.text).err().unwrap_or_default();
    let mut findings: Vec<Finding> = problems.into_iter().map(|problem| source.problem(problem)).collect();
    findings.extend(name(document, source));
    let in_force = decode::<FixMatter>(&document.text).and_then(|matter| matter.in_force);
    findings.extend(in_force.iter().flat_map(|expression| condition(source, expression)));
    let recipe = read_recipe(document.stem(), &document.text);
    let computed = recipe.iter().filter_map(|recipe| recipe.computed.as_ref());
    let templates = computed.flat_map(|computed| [&computed.first, &computed.commands]);
    findings.extend(templates.flat_map(|template| sentence(source, template)));
    findings.extend(recipe.iter().flat_map(|recipe| scope(&recipe.scope, source)));
    findings
}

/// The platforms, conditions and patterns that say where a fix makes sense.
fn scope(fix: &FixScope, source: &Source<'_>) -> Vec<Finding> {
    let known: BTreeSet<&str> = wording::platforms().all().map(|(_, platform)| platform.name).collect();
    let unknown = fix.only.iter().chain(&fix.not).filter(|name| !known.contains(name.as_str()));
    let finding = |name: &String| {
        let finding = source.finding(find(source, name), "unknown-platform", format!("there is no platform {name}"));
        finding.help(format!("known: {}", known.iter().copied().collect::<Vec<_>>().join(", ")))
    };
    let mut findings: Vec<Finding> = unknown.map(finding).collect();
    let expressions = fix.when.iter().chain(&fix.barred);
    findings.extend(expressions.flat_map(|expression| condition(source, expression.source())));
    let patterns = fix.text.iter().chain(&fix.moot);
    let broken = patterns.map(Pattern::source).filter_map(|source| Some((source, Pattern::check(source).err()?)));
    findings.extend(broken.map(|(pattern, reason)| {
        source.finding(find(source, pattern), "bad-pattern", format!("the regex of a fix does not compile: {reason}"))
    }));
    findings
}

/// Checks a notice.
pub(super) fn notice(document: &Document, source: &Source<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = name(document, source).into_iter().collect();
    match read_notice(document.stem(), &document.text) {
        Err(problems) => findings.extend(problems.into_iter().map(|problem| source.problem(problem))),
        Ok(notice) if notice.body.is_empty() => {
            let line = source.line_of(document.text.trim_end().len());
            let help = "write one or two sentences that say why it is harmless";
            findings.push(source.finding_on_line(line, "empty-body", "the notice is empty").help(help));
        }
        Ok(_) => {}
    }
    findings
}

/// The decoded front matter, where it can be decoded.
pub(super) fn decode<T: serde::de::DeserializeOwned>(text: &str) -> Option<T> {
    let matter = matter::split(text).matter?;
    serde_saphyr::from_str(text.get(matter.range)?).ok()
}

fn name(document: &Document, source: &Source<'_>) -> Option<Finding> {
    let id = document.stem();
    let sound = !id.is_empty()
        && id
            .split('-')
            .all(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()));
    (!sound).then(|| {
        let message = format!("the file name {id} is not an id");
        source
            .finding_on_line(1, "bad-name", message)
            .help("use lowercase words joined by hyphens, such as out-of-memory")
    })
}

fn title(doc: &sections::Document<'_>, source: &Source<'_>, title: &str) -> Option<Finding> {
    let first = doc.sections.iter().find(|section| section.level == 1)?;
    // Marks are compared as they are read: a title in backticks is the same title.
    let plain = |words: &str| words.replace(['`', '*'], "").trim().to_owned();
    (plain(&first.raw_title) != plain(title)).then(|| {
        let line = source.line_of(first.range.start);
        let message = format!("the heading says \"{}\", the title says \"{title}\"", first.raw_title);
        source.finding_on_line(line, "heading-title", message).help("make them the same")
    })
}

fn headings(doc: &sections::Document<'_>, source: &Source<'_>) -> Vec<Finding> {
    let unknown = doc.sections.iter().filter(|section| section.level == 2 && !SECTIONS.contains(&section.key.as_str()));
    unknown
        .map(|section| {
            let message = format!("a fault page has no section \"{}\"", section.raw_title);
            let line = source.line_of(section.range.start);
            source.finding_on_line(line, "unknown-section", message).help("Meaning, Example, Causes, Lookalikes")
        })
        .collect()
}

fn closed_lists(matter: &FrontMatter, source: &Source<'_>, page_index: &PageIndex<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for cause in matter.causes.iter().filter(|cause| !page_index.causes.contains(&cause.id.as_str())) {
        let message = format!("there is no cause {}", cause.id);
        let place = find(source, &format!("id: {}", cause.id));
        findings.push(source.finding(place, "unknown-cause", message).help("the closed list is kb/causes.csv"));
    }
    for id in matter.explains.iter().filter(|id| !page_index.faults.contains(*id)) {
        let message = format!("`explains` names {id}, which has no page");
        findings.push(source.finding(find(source, id), "unknown-fault", message));
    }
    let packages: Vec<&str> = facts::packages().collect();
    for affected in matter.affects.iter().filter(|affected| !packages.contains(&affected.package.as_str())) {
        let message = format!("there is no fact {}.version", affected.package);
        let place = find(source, &format!("package: {}", affected.package));
        findings
            .push(source.finding(place, "unknown-package", message).help(format!("known: {}", packages.join(", "))));
    }
    findings
}

fn conditions(evidence: &EvidenceSpec, source: &Source<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = evidence.when.iter().flat_map(|when| condition(source, when)).collect();
    findings.extend(sentence(source, &evidence.says));
    findings
}

/// A lookalike that begins with an id in backticks names a page.
fn lookalikes(doc: &sections::Document<'_>, source: &Source<'_>, page_index: &PageIndex<'_>) -> Vec<Finding> {
    let Some(section) = doc.sections.iter().find(|section| section.key == "lookalikes") else { return Vec::new() };
    let mut findings = Vec::new();
    for item in top_items(doc.slice(&section.whole)) {
        let Some(words) = item.words() else { continue };
        let Some(id) = words.text.strip_prefix('`').and_then(|rest| rest.split('`').next()) else { continue };
        let is_id = id.contains('-') && id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        if is_id && !page_index.faults.contains(id) {
            let start = source.text.get(item.range.clone()).and_then(|item| item.find(id)).unwrap_or(0);
            let range = item.range.start + start..item.range.start + start + id.len();
            let message = format!("the lookalike {id} has no page");
            findings.push(source.finding(range, "unknown-fault", message));
        }
    }
    findings
}
