//! What the strict reader reports about the sections of a fault page.

use super::cause_section::{self, Recipes};
use super::page_reader::{cause_id, find, problem, problem_at_end};
use super::problem::Problem;
use super::schema::FrontMatter;
use super::sections::{Document, fences};

/// What is wrong with the sections after the front matter.
pub(super) fn check_body(
    doc: &Document<'_>,
    matter: Option<&FrontMatter>,
    recipes: &Recipes<'_>,
    problems: &mut Vec<Problem>,
) {
    for (key, name) in [("meaning", "Meaning"), ("example", "Example"), ("causes", "Causes")] {
        let Some((_, section)) = find(doc, key) else {
            let message = format!("section \"{name}\" is missing");
            problems.push(problem_at_end(doc, "missing-section", &message, &format!("add `## {name}`")));
            continue;
        };
        if doc.slice(&section.whole).is_empty() {
            problems.push(problem(
                doc,
                section.range.start,
                "empty-section",
                format!("section \"{name}\" is empty"),
                "",
            ));
        } else if key == "example" {
            match fences(doc.slice(&section.whole)).first() {
                Some(fence) if !fence.code.trim().is_empty() => {}
                Some(_) => problems.push(problem(
                    doc,
                    section.range.start,
                    "empty-example",
                    "the example is empty",
                    "compose a text that must be diagnosed as this page",
                )),
                None => problems.push(problem(
                    doc,
                    section.range.start,
                    "empty-example",
                    "the example has no fenced text",
                    "put it between ```text and ```",
                )),
            }
        }
    }
    check_causes(doc, matter, recipes, problems);
}

fn check_causes(doc: &Document<'_>, matter: Option<&FrontMatter>, recipes: &Recipes<'_>, problems: &mut Vec<Problem>) {
    let Some((index, causes)) = find(doc, "causes") else { return };
    let mut seen: Vec<&str> = Vec::new();
    for (_, section) in doc.children(index) {
        let id = cause_id(section);
        let at = section.range.start;
        if seen.contains(&id) {
            problems.push(problem(
                doc,
                at,
                "duplicate-cause",
                format!("the cause {id} has two sections"),
                "merge them",
            ));
            continue;
        }
        seen.push(id);
        if let Some(matter) = matter
            && !matter.causes.iter().any(|c| c.id == id)
        {
            let known = matter.causes.iter().map(|c| c.id.as_str()).collect::<Vec<_>>().join(", ");
            problems.push(problem(
                doc,
                at,
                "cause-not-listed",
                format!("the cause {id} is not in the front matter"),
                format!("the front matter lists {known}"),
            ));
        }
        let blocks = doc.slice(&section.whole);
        let read = cause_section::read(doc, blocks, recipes);
        if read.why.is_empty() {
            problems.push(problem(
                doc,
                at,
                "cause-without-why",
                format!("the cause {id} does not say why it happens"),
                "write two to five sentences before **Check.**",
            ));
        }
        if read.check.says.is_empty() && read.check.command.is_none() {
            problems.push(problem(
                doc,
                at,
                "cause-without-check",
                format!("the cause {id} has no check"),
                "add a paragraph that begins with **Check.**",
            ));
        }
        if read.fixes.is_empty() {
            problems.push(problem(
                doc,
                at,
                "cause-without-fix",
                format!("the cause {id} has no fix"),
                "add **Fix.** and a numbered list",
            ));
        }
        for (at, recipe) in &read.unknown {
            problems.push(problem(
                doc,
                *at,
                "unknown-recipe",
                format!("there is no recipe {recipe}"),
                "write the fix inline, or add kb/fixes/<id>.md",
            ));
        }
        for at in &read.outside {
            problems.push(problem(
                doc,
                *at,
                "fix-indent",
                format!("these lines end the list of fixes of {id}, and later fixes can be lost"),
                "indent what belongs to a fix as far as its text: by three columns, from the tenth fix on by four",
            ));
        }
        for (fix, at) in read.fixes.iter().zip(&read.places).filter(|(fix, _)| fix.recipe.is_none()) {
            let length = fix.title.chars().count();
            if length == 0 || length > 90 {
                let message = match length {
                    0 => format!("a fix of {id} is empty"),
                    _ => format!("a fix's first sentence has {length} characters: {}", fix.title),
                };
                problems.push(problem(
                    doc,
                    *at,
                    "fix-title",
                    message,
                    "the first sentence is its title: at most 90 characters",
                ));
            }
        }
    }
    for cause in matter.iter().flat_map(|m| &m.causes) {
        if !seen.contains(&cause.id.as_str()) {
            let message = format!("the cause {} has no section", cause.id);
            problems.push(problem(
                doc,
                causes.range.start,
                "cause-without-section",
                message,
                format!("add `### {}` under Causes", cause.id),
            ));
        }
    }
}
