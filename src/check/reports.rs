//! All rules for one bug report, in the order in which a person would fix it: what it is, what it contains, what it
//! lacks.
//!
//! Reports are read as leniently as people write them. What the linter says about one must be true: where a team's
//! habit differs from the format but nothing is lost, it reports nothing.

use std::path::Path;

use super::finding::{Finding, Source};
use super::folder::Folder;
use super::front::{self, Front, Known};
use super::ids::{self, Own};
use super::lines::{self, Line, strip_label};
use super::placeholders::{Left, judge};
use super::status;
use super::{Document, contents, dates, report_sections, tasks, template_left};
use crate::book::sections::{self, Outline, clean_title};
use crate::reports::dates::{Judgement, judge as judge_date, reading as read_date};
use crate::reports::reading;
use crate::reports::status::{canonical, reading as read_status, stage as stage_of};

/// Words of `type` that are not bug reports: their sections are their own.
const OTHER_TYPES: [&str; 12] = [
    "diagnosis",
    "article",
    "code_changes",
    "changelog",
    "analysis",
    "summary",
    "guide",
    "plan",
    "note",
    "reference",
    "session",
    "assessment",
];

/// Checks one report.
pub(super) fn check(document: &Document, source: &Source<'_>, folder: &Folder<'_>) -> Vec<Finding> {
    let text = document.text.as_str();
    let front = Front::read(text);
    let strict = sections::Document::read(text, Outline::Strict);
    let lenient = sections::Document::read(text, Outline::Lenient);
    let lines = lines::read(text);
    let own = ids::own(document, &front, &strict, folder.naming);
    let is_bug = is_bug(&front, &own);

    let mut findings = front::check(source, &front, &known(&front, &strict, &lines, source, &own));
    findings.extend(dates::check(source, &front));
    findings.extend(status::check(source, &front));
    findings.extend(ids::check(source, &own, is_bug, folder.naming));
    findings.extend(folder.duplicate(source, &own));

    let stage = front.get("status").and_then(|entry| stage_of(entry.value));
    let template = template_left::check(source, &strict, &lines);
    let kept = |offset: usize| template.as_ref().is_none_or(|(_, range)| !range.contains(&offset));
    if is_bug {
        findings.extend(report_sections::missing(source, &lenient, &lines, stage));
    }
    findings.extend(report_sections::empty(source, &strict, &lines).into_iter().filter(|finding| {
        let Some((_, range)) = &template else { return true };
        !(source.line_of(range.start)..source.line_of(range.end)).contains(&finding.line)
    }));
    findings.extend(lines.iter().filter(|line| kept(line.range.start)).filter_map(|line| left(source, &strict, line)));
    findings.extend(template.map(|(finding, _)| finding));
    findings.extend(folder.unknown(source, &lines));
    findings.extend(tasks::check(source, &lenient, &front));
    findings.extend(contents::check(source, &strict));
    findings
}

/// Whether the document claims to be a report on one bug.
fn is_bug(front: &Front<'_>, own: &[Own]) -> bool {
    let kind = front.get("type").map(|entry| entry.value.to_lowercase()).unwrap_or_default();
    if OTHER_TYPES.iter().any(|word| kind.contains(word)) {
        return false;
    }
    kind.contains("bug") || own.first().is_some_and(|own| own.id.prefix == "BUG")
}

/// What a template left in a line.
fn left(source: &Source<'_>, doc: &sections::Document<'_>, line: &Line) -> Option<Finding> {
    let (left, range) = line.left.clone()?;
    let section =
        doc.sections.iter().rev().find(|section| section.level > 1 && section.range.contains(&line.range.start));
    let place = section.map(|section| format!(" in {}", section.title)).unwrap_or_default();
    let words = source.text.get(range.clone()).unwrap_or_default();
    Some(match left {
        Left::Placeholder => {
            let message = format!("the template's placeholder text is left{place}");
            source.finding(range, "placeholder", message).help("write what is known, or remove the line")
        }
        Left::Todo => {
            let shown: String = words.chars().take(60).collect();
            source.finding(range, "todo", format!("still to be written{place}: {shown}"))
        }
    })
}

/// The first title as it is written.
fn heading_line<'t>(doc: &sections::Document<'t>) -> &'t str {
    let section = doc.sections.iter().find(|section| section.level == 1);
    section.and_then(|section| doc.text.get(section.range.clone())?.lines().next()).unwrap_or_default()
}

/// What the report says of itself outside its front matter.
fn known(front: &Front<'_>, doc: &sections::Document<'_>, lines: &[Line], source: &Source<'_>, own: &[Own]) -> Known {
    let mut known = Known::new();
    let title = doc.sections.iter().find(|section| section.level == 1).map(|section| clean_title(&section.raw_title));
    // The words of a badge beside it are no part of a title.
    let is_plain = |title: &String| !title.is_empty() && judge(title, false, false, "").is_none();
    // A whole front matter says what the reader of reports reads: a later "Update" is newer than the head, and the name of a
    // kind of document is no title.
    let report = front.end.is_none().then(|| reading::read(Path::new(source.path), source.text));
    let title = match &report {
        Some(report) => Some(report.title.clone()).filter(|title| source.text.contains(title.as_str())),
        None => title.filter(|title| is_plain(title) && !heading_line(doc).contains("![")),
    };
    known.extend(title.filter(is_plain).map(|title| ("title", title)));
    let labels: Vec<(String, &str)> = lines
        .iter()
        .take(40)
        .filter_map(|line| {
            let words = source.text.get(line.range.clone())?.trim();
            let words = words.strip_prefix("- ").or_else(|| words.strip_prefix("* ")).unwrap_or(words);
            let (label, value) = strip_label(words);
            Some((sections::key(label?), value.trim().trim_matches(['*', '`']).trim()))
        })
        .collect();
    let said =
        |names: &[&str]| labels.iter().find(|(label, _)| names.contains(&label.as_str())).map(|(_, value)| *value);
    let date = match &report {
        Some(report) => read_date(&report.date),
        None => {
            said(&["date", "reported", "date reported", "created", "날짜"]).and_then(|value| match judge_date(value) {
                Judgement::Fine => Some(value.to_owned()),
                Judgement::Mendable(right) => Some(right),
                Judgement::Bad => None,
            })
        }
    };
    known.extend(date.map(|date| ("date", date)));
    let status = match &report {
        Some(report) => read_status(&report.status),
        None => said(&["status", "상태"]).and_then(canonical),
    };
    known.extend(status.map(|status| ("status", status.to_owned())));
    // Only a whole id that nothing contradicts is written down for good.
    let whole = own.iter().find(|own| own.id.is_whole());
    let agreed =
        whole.filter(|whole| front.get("bug_id").is_none() && own.iter().all(|other| other.id.agrees(&whole.id)));
    known.extend(agreed.map(|own| ("bug_id", own.id.spelled())));
    known
}
