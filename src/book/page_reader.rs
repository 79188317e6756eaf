//! Reads fault pages, recipes and notices: strict, so that an author gets every mistake with its place.
//!
//! The parts that a built-in page needs at run time (`read_body`, `recipe`, `notice`) are total: `build.rs` and the
//! tests have checked those pages, and a diagnosis never fails on a page.

use super::blocks::Kind;
use super::body_check::check_body;
use super::cause_section::{self, CauseSection, Recipes, lines_and_costs};
use super::matter_check;
use super::page::{Cause, Evidence, FaultPage, FixScope, Notice, Recipe};
use super::problem::Problem;
use super::schema::{FixMatter, FrontMatter, NoticeMatter};
use super::sections::{Document, Outline, Section, fences, top_items};
use crate::condition::Condition;

/// Where a page's file is.
#[derive(Debug, Clone, Copy)]
pub struct PageLocation<'a> {
    /// The file's stem.
    pub id: &'a str,
    /// The folder.
    pub area: &'a str,
    /// Path as shown.
    pub path: &'a str,
}

/// Reads a fault page from its file's text.
///
/// # Errors
/// Every mistake that was found, in the order of the file.
pub fn read_fault(location: PageLocation<'_>, text: &str, recipes: &Recipes<'_>) -> Result<FaultPage, Vec<Problem>> {
    let doc = Document::read(text, Outline::Strict);
    let mut problems = Vec::new();
    let matter: Option<FrontMatter> = front_matter(&doc, &mut problems);
    if let Some(matter) = &matter {
        matter_check::fault(matter, &doc, &mut problems);
    }
    check_body(&doc, matter.as_ref(), recipes, &mut problems);
    match matter {
        Some(matter) if problems.is_empty() => Ok(body(location, matter, &doc, recipes)),
        _ => Err(sorted(problems)),
    }
}

/// Reads a fault page as strictly, but leaves its body for later: front matter and the markdown after it.
///
/// # Errors
/// Every mistake that was found, in the order of the file.
pub fn read_parts(
    location: PageLocation<'_>,
    text: &str,
    recipes: &Recipes<'_>,
) -> Result<(FrontMatter, String), Vec<Problem>> {
    read_fault(location, text, recipes)?;
    let doc = Document::read(text, Outline::Strict);
    let matter: Option<FrontMatter> = front_matter(&doc, &mut Vec::new());
    match matter {
        Some(matter) => Ok((matter, doc.body().to_owned())),
        None => Err(Vec::new()),
    }
}

/// A fault page from decoded front matter and the markdown after it.
pub fn read_body(location: PageLocation<'_>, matter: FrontMatter, markdown: &str, recipes: &Recipes<'_>) -> FaultPage {
    body(location, matter, &Document::read_body(markdown, Outline::Strict), recipes)
}

/// Reads a recipe from its file's text.
///
/// # Errors
/// Every mistake that was found.
pub fn read_recipe(id: &str, text: &str) -> Result<Recipe, Vec<Problem>> {
    let doc = Document::read(text, Outline::Strict);
    let mut problems = Vec::new();
    let matter: Option<FixMatter> = front_matter(&doc, &mut problems);
    if doc.blocks.is_empty() {
        problems.push(problem_at_end(
            &doc,
            "empty-body",
            "the recipe is empty",
            "write one or two sentences of how and why",
        ));
    }
    match matter {
        Some(matter) if problems.is_empty() => Ok(fill_recipe(id, matter, &doc)),
        _ => Err(sorted(problems)),
    }
}

/// A recipe from decoded front matter and the markdown after it.
pub fn recipe(id: &str, matter: FixMatter, markdown: &str) -> Recipe {
    fill_recipe(id, matter, &Document::read_body(markdown, Outline::Strict))
}

/// Reads a notice from its file's text.
///
/// # Errors
/// Every mistake that was found.
pub fn read_notice(id: &str, text: &str) -> Result<Notice, Vec<Problem>> {
    let doc = Document::read(text, Outline::Strict);
    let mut problems = Vec::new();
    let matter: Option<NoticeMatter> = front_matter(&doc, &mut problems);
    if let Some(matter) = &matter {
        matter_check::signatures(&matter.signatures, &doc, &mut problems);
        if matter.signatures.is_empty() {
            problems.push(problem_at_end(&doc, "no-signature", "the notice has no signature", "add `signatures:`"));
        }
    }
    match matter {
        Some(matter) if problems.is_empty() => Ok(notice(id, matter, &body_text(&doc))),
        _ => Err(sorted(problems)),
    }
}

/// A notice from decoded front matter and the markdown after it.
pub fn notice(id: &str, matter: NoticeMatter, markdown: &str) -> Notice {
    let body = markdown.trim();
    // A heading repeats the title; the sentence below it is the one to show.
    let body = match body.strip_prefix("# ") {
        Some(rest) => rest.split_once('\n').map_or("", |(_, rest)| rest).trim(),
        None => body,
    };
    let (id, body) = (id.to_owned(), body.to_owned());
    Notice { number: None, id, title: matter.title, signatures: matter.signatures, body }
}

fn front_matter<T: serde::de::DeserializeOwned>(doc: &Document<'_>, problems: &mut Vec<Problem>) -> Option<T> {
    let Some(matter) = &doc.matter else {
        problems.push(Problem {
            line: 1,
            column: 1,
            rule: "no-front-matter",
            message: "the page does not begin with front matter".to_owned(),
            help: "begin with `---`, the keys, and `---`".to_owned(),
        });
        return None;
    };
    if !matter.closed {
        problems.push(Problem {
            line: matter.first_line.saturating_sub(1),
            column: 1,
            rule: "front-matter-open",
            message: "the front matter has no closing `---`".to_owned(),
            help: "put `---` on a line of its own after the last key".to_owned(),
        });
    }
    match serde_saphyr::from_str::<T>(doc.matter_text()) {
        Ok(value) => Some(value),
        Err(error) => {
            problems.push(matter_check::yaml_problem(&error, matter.first_line));
            None
        }
    }
}

fn body(location: PageLocation<'_>, matter: FrontMatter, doc: &Document<'_>, recipes: &Recipes<'_>) -> FaultPage {
    let causes = matter
        .causes
        .into_iter()
        .map(|cause| {
            let section = cause_blocks(doc, &cause.id);
            let CauseSection { why, check, fixes, dead_ends, .. } = match section {
                Some(section) => cause_section::read(doc, doc.slice(&section.whole), recipes),
                None => CauseSection::default(),
            };
            Cause {
                id: cause.id,
                title: cause.title,
                prior: cause.prior,
                evidence: cause.evidence.into_iter().filter_map(Evidence::of).collect(),
                why,
                check,
                fixes,
                dead_ends,
            }
        })
        .collect();
    let part = |key: &str| find(doc, key).map(|(_, section)| doc.slice(&section.whole)).unwrap_or_default();
    FaultPage {
        id: location.id.to_owned(),
        area: location.area.to_owned(),
        path: location.path.to_owned(),
        title: matter.title,
        status: matter.status,
        severity: matter.severity,
        codes: matter.codes,
        signatures: matter.signatures,
        causes,
        affects: matter.affects,
        aliases: matter.aliases,
        references: matter.references,
        meaning: doc.markdown_of(part("meaning")),
        example: fences(part("example")).first().map(|f| f.code.clone()).unwrap_or_default(),
        lookalikes: top_items(part("lookalikes")).map(|item| doc.markdown_of(&item.blocks)).collect(),
        body: body_text(doc),
    }
}

/// The id in a cause's heading; the rest of the heading may say it in words.
pub(super) fn cause_id(section: &Section) -> &str {
    section.raw_title.trim().trim_matches('`').split([' ', ':', '`']).next().unwrap_or_default()
}

fn cause_blocks<'d>(doc: &'d Document<'_>, id: &str) -> Option<&'d Section> {
    let (index, _) = find(doc, "causes")?;
    doc.children(index).map(|(_, s)| s).find(|s| cause_id(s) == id)
}

pub(super) fn find<'d>(doc: &'d Document<'_>, key: &str) -> Option<(usize, &'d Section)> {
    doc.sections.iter().enumerate().find(|(_, s)| s.level == 2 && s.key == key)
}

fn fill_recipe(id: &str, matter: FixMatter, doc: &Document<'_>) -> Recipe {
    let (mut detail, mut trade_offs, mut commands) = (Vec::new(), Vec::new(), Vec::new());
    for block in &doc.blocks {
        match &block.kind {
            Kind::Fence(fence) => commands.push(fence.code.trim_end().to_owned()),
            Kind::Heading(1, _) => {}
            Kind::Paragraph(words) => {
                let (said, costs) = lines_and_costs(&words.text);
                if !said.is_empty() {
                    detail.push(said);
                }
                trade_offs.extend(costs);
            }
            _ => detail.push(doc.markdown(block.range.clone())),
        }
    }
    Recipe {
        id: id.to_owned(),
        title: matter.title,
        cost: matter.cost,
        in_force: matter.in_force.as_deref().map(Condition::new),
        scope: FixScope {
            only: matter.only,
            not: matter.not,
            barred: matter.barred.as_deref().map(Condition::new),
            ..FixScope::default()
        },
        computed: matter.computed,
        detail: detail.join("\n\n"),
        commands,
        trade_offs,
    }
}

fn body_text(doc: &Document<'_>) -> String {
    let start = doc.sections.first().map_or(0, |s| s.range.start);
    doc.text.get(start..).unwrap_or_default().to_owned()
}

pub(super) fn problem(
    doc: &Document<'_>,
    at: usize,
    rule: &'static str,
    message: impl Into<String>,
    help: impl Into<String>,
) -> Problem {
    let (line, column) = doc.place(at);
    Problem { line, column, rule, message: message.into(), help: help.into() }
}

pub(super) fn problem_at_end(doc: &Document<'_>, rule: &'static str, message: &str, help: &str) -> Problem {
    problem(doc, doc.text.trim_end().len(), rule, message, help)
}

fn sorted(mut problems: Vec<Problem>) -> Vec<Problem> {
    problems.sort();
    problems
}
