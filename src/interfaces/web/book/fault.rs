//! One fault's page: what it means, its causes with checks and fixes, and what is known of cases and own reports.

use askama::Template;

use super::codes;
use super::contents::{PageLink, command, page_link, prose, sentence, severity};
use super::reports::{ReportLink, report_link};
use super::shelf::{Shelf, fault_address, recipe_address};
use crate::book::cases::{Case, Sure};
use crate::book::codes::Code;
use crate::book::contents::Entry;
use crate::book::page::{Cause, FaultPage};
use crate::book::schema::{PageStatus, Prior, Weight};
use crate::diagnosis::{Why, WhyCause, why};
use crate::interfaces::web::frame::{Frame, Section};
use crate::interfaces::web::html;
use crate::render::clean;
use crate::render::inline;
use crate::truth;

/// The page of a fault.
#[derive(Template)]
#[template(path = "book/fault.html")]
pub(crate) struct Page {
    pub frame: Frame,
    pub id: String,
    pub area: String,
    pub title: String,
    pub severity: &'static str,
    pub is_draft: bool,
    /// "An ordinary error", versions, reviews.
    pub about: Vec<String>,
    /// Names of codes, each with its place in a table where there is one.
    pub codes: Vec<(String, Option<String>)>,
    pub meaning: String,
    pub example: String,
    /// Known cases of the fault.
    pub cases: usize,
    pub causes: Vec<CauseView>,
    pub lookalikes: Vec<String>,
    /// Faults that commonly follow from this one, and of which it commonly follows.
    pub leads_to: Vec<PageLink>,
    pub follows_from: Vec<PageLink>,
    pub references: Vec<String>,
    pub reports: Vec<ReportLink>,
    pub known: Vec<CaseView>,
}

#[derive(Debug)]
pub(crate) struct CauseView {
    pub id: String,
    pub title: String,
    /// "usual", "possible", "rare".
    pub prior: &'static str,
    pub cases: usize,
    /// Of all cases, in percent, for the bar.
    pub width: usize,
    pub why: String,
    /// Whether it speaks for the cause, what it is, how strong.
    pub evidence: Vec<(bool, String, &'static str)>,
    pub check: String,
    pub check_command: Option<String>,
    pub fixes: Vec<FixView>,
    pub dead_ends: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct FixView {
    pub title: String,
    /// The recipe's page, below the root.
    pub recipe: Option<String>,
    pub detail: String,
    pub commands: Vec<String>,
    pub trade_offs: Vec<String>,
    /// Known cases that it solved.
    pub solved: usize,
}

/// A resolved public case.
#[derive(Debug)]
pub(crate) struct CaseView {
    pub at: String,
    pub date: String,
    pub with: String,
    pub cause: String,
    pub how: String,
    pub sure: &'static str,
}

/// The page of the fault at that index.
pub(crate) fn page(shelf: &Shelf<'_>, index: usize) -> Page {
    let book = shelf.book();
    let (entry, page) = (&book.faults[index], book.fault(index));
    let title = clean::line(&inline::plain(&page.title));
    let meaning = page.meaning.split("\n\n").next().unwrap_or_default();
    let description = clean::line(&inline::plain(meaning));
    let frame = shelf.frame(&fault_address(&page.id), Section::Book, &title, &description);
    let why = why(book, index);
    let link = |id: &String| book.find(id).map(|index| page_link(shelf, index));
    let follows_from = (0..book.faults.len()).filter(|other| book.faults[*other].matter().explains.contains(&page.id));
    Page {
        id: page.id.clone(),
        area: page.area.clone(),
        title: html::sentence(&page.title),
        severity: severity(page.severity),
        is_draft: page.status == PageStatus::Draft,
        about: about(entry),
        codes: page.codes.iter().map(|name| (clean::line(name), code(shelf, &page.id, name))).collect(),
        meaning: prose(shelf, &frame, &page.meaning, 2),
        example: clean::lines(&page.example).join("\n"),
        cases: why.cases,
        causes: why.causes.iter().filter_map(|ranked| cause(shelf, &frame, page, &why, ranked)).collect(),
        lookalikes: page.lookalikes.iter().map(|one| sentence(shelf, &frame, one)).collect(),
        leads_to: entry.matter().explains.iter().filter_map(link).collect(),
        follows_from: follows_from.map(|other| page_link(shelf, other)).collect(),
        references: page
            .references
            .iter()
            .filter(|one| one.starts_with("https://") || one.starts_with("http://"))
            .cloned()
            .collect(),
        reports: shelf.told.of_fault(&page.id).into_iter().map(|index| report_link(shelf, index)).collect(),
        known: if entry.path.starts_with("kb/") { known(&book.cases(&page.id)) } else { Vec::new() },
        frame,
    }
}

/// Where the page applies, and what was checked.
fn about(entry: &Entry) -> Vec<String> {
    let mut parts = Vec::new();
    if entry.matter().ordinary {
        parts.push("an ordinary error of the program, its settings or its files".to_owned());
    }
    parts.extend(entry.matter().affects.iter().map(|affected| format!("{} {}", affected.package, affected.versions)));
    parts.extend(entry.matter().reviewed.iter().map(|day| format!("reviewed {day}")));
    let checked = entry.path.starts_with("kb/").then(|| truth::builtin().checked(entry.body())).flatten();
    parts.extend(checked.map(|releases| format!("checked with {releases}")));
    parts.iter().map(|part| clean::line(part)).collect()
}

/// The place of a code of the page: in the table that says that it is this fault, otherwise in the first that has it.
fn code(shelf: &Shelf<'_>, fault: &str, name: &str) -> Option<String> {
    // A bare number belongs to several libraries.
    if name.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let found: Vec<&Code> = shelf.book().codes().find(name);
    let own = found.iter().find(|code| code.fault() == Some(fault));
    own.or(found.first()).map(|code| codes::address(code))
}

fn cause(shelf: &Shelf<'_>, frame: &Frame, page: &FaultPage, why: &Why, ranked: &WhyCause) -> Option<CauseView> {
    let cause: &Cause = page.causes.iter().find(|cause| cause.id == ranked.id)?;
    let solved = ranked.fixes.iter().map(|fix| fix.solved);
    let fix = |(fix, solved): (&crate::book::page::Fix, usize)| {
        let said = if fix.recipe.is_some() { &fix.own_words } else { &fix.detail };
        FixView {
            title: html::sentence(&fix.title),
            recipe: fix.recipe.as_deref().filter(|id| shelf.uses().contains_key(*id)).map(recipe_address),
            detail: prose(shelf, frame, said, 4),
            commands: fix.commands.iter().map(|text| command(text)).collect(),
            trade_offs: fix.trade_offs.iter().map(|cost| html::sentence(cost)).collect(),
            solved,
        }
    };
    Some(CauseView {
        id: cause.id.clone(),
        title: html::sentence(&cause.title),
        prior: match cause.prior {
            Prior::Common => "usual",
            Prior::Plausible => "possible",
            Prior::Rare => "rare",
        },
        cases: ranked.cases,
        width: (ranked.cases * 100).checked_div(why.cases).unwrap_or(0),
        why: prose(shelf, frame, &cause.why, 4),
        evidence: cause.evidence.iter().map(|item| evidence(item.weight, &item.says)).collect(),
        check: sentence(shelf, frame, &cause.check.says),
        check_command: cause.check.command.as_deref().map(command),
        fixes: cause.fixes.iter().zip(solved).map(fix).collect(),
        dead_ends: cause.dead_ends.iter().map(|end| sentence(shelf, frame, end)).collect(),
    })
}

/// Evidence in words; values that only a diagnosis knows are dots.
fn evidence(weight: Weight, says: &str) -> (bool, String, &'static str) {
    let mut words = String::new();
    let mut rest = says;
    while let Some((before, after)) = rest.split_once("{{") {
        words.push_str(before);
        words.push('…');
        rest = after.split_once("}}").map_or("", |(_, after)| after);
    }
    words.push_str(rest);
    let (supports, strength) = match weight {
        Weight::Decisive => (true, "settles it"),
        Weight::Strong => (true, "strong"),
        Weight::Moderate => (true, "moderate"),
        Weight::Weak => (true, "weak"),
        Weight::Against => (false, "against it"),
        Weight::Refutes => (false, "rules it out"),
    };
    (supports, html::sentence(&words), strength)
}

fn known(cases: &[Case<'_>]) -> Vec<CaseView> {
    let view = |case: &Case<'_>| {
        let with = [&case.versions, &case.gpu, &case.platform];
        let with = with.into_iter().filter(|part| !part.is_empty() && *part != "unknown").map(|part| clean::line(part));
        CaseView {
            at: case.at.to_string(),
            date: clean::line(&case.date),
            with: with.collect::<Vec<_>>().join(", "),
            cause: clean::line(&case.cause),
            how: html::sentence(&case.how),
            sure: match case.sure {
                Sure::Author => "confirmed by the author",
                Sure::Maintainer => "confirmed by a maintainer",
                Sure::Several => "confirmed by several people",
            },
        }
    };
    let is_web = |case: &&Case<'_>| case.at.starts_with("https://") || case.at.starts_with("http://");
    let mut known: Vec<CaseView> = cases.iter().filter(is_web).map(view).collect();
    known.sort_by(|a, b| b.date.cmp(&a.date));
    known
}
