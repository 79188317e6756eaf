//! Reads bug reports, diagnosis documents and articles as people write them. Total: every text gives a report.
//!
//! Nothing is demanded of a document. What is understood becomes fields; all of it stays in [`Report::text`], so what
//! is not understood can still be searched. Placeholders of a template that nobody filled in are not taken for words.

mod environment;
mod errors;
mod findings;
mod front;
mod identity;
mod ids;
mod mojibake;
mod places;
mod roles;
mod solution_titles;
mod solutions;
mod stated;
mod statements;
mod tasks;
mod words;

use std::borrow::Cow;
use std::path::Path;

use crate::book::blocks::Kind;
#[cfg(feature = "web")]
use crate::book::matter;
use crate::book::report::Report;
use crate::book::sections::{Document, Outline, key, paragraphs};
use crate::facts::{Facts, Source, Value};
use crate::incident;
use crate::packages;
use crate::reports::{dates, status};
use crate::wording;
use front::Front;
use roles::{Role, Roles};
use words::is_placeholder;

pub use identity::{comparable, normal_id};

/// How often an unclosed fence is closed before what follows is taken as code after all.
const MOST_REPAIRS: usize = 4;

/// Keys of the front matter that hold a status.
const STATUS_KEYS: [&str; 4] = ["status", "state", "상태", "bug_status"];

/// Where a text names ids of reports.
pub(crate) fn ids_in(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> {
    ids::find(text).into_iter().map(|found| found.start..found.end)
}

/// Reads a document that lies at `path`.
pub fn read(path: &Path, text: &str) -> Report {
    let whole = mojibake::repair(text);
    let whole = close_fences(front::from_toml(whole));
    let doc = Document::read(&whole, Outline::Lenient);
    let roles = roles::all(&doc);
    let front = Front::read(doc.matter_text());
    let identity = identity::read(path, &doc, &roles, &front);
    let header = identity::header_pairs(&doc, &roles);

    let mut tags: Vec<String> = Vec::new();
    for tag in ["tags", "labels", "category", "type"].iter().flat_map(|name| front.all(name)).flat_map(|v| v.split(','))
    {
        let tag = tag.trim().to_owned();
        if !is_placeholder(&tag) && !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    let from_header = |names: &[&str]| {
        header
            .iter()
            .find(|(label, _)| names.contains(&label.as_str()))
            .map(|(_, value)| value.clone())
            .unwrap_or_default()
    };
    let stated = stated::read(path, &doc, &roles);
    // What can be read counts before what cannot, in the order in which people mean them.
    let best = |keys: &[&str], role: Role, also: &str, is_read: &dyn Fn(&str) -> bool| {
        let written = front.first(keys).map(str::to_owned);
        let words = || role_words(&doc, &roles, role);
        let all =
            [written.clone(), Some(also.to_owned()), written.map_or_else(words, |_| None), Some(from_header(keys))];
        let known: Vec<String> = all.into_iter().flatten().filter(|words| !words.is_empty()).collect();
        let front_counts = front.first(keys).is_some();
        let read = known.iter().find(|words| front_counts || is_read(words)).or(known.first());
        read.cloned().unwrap_or_default()
    };
    let is_date = |words: &str| dates::reading(words).is_some();
    let is_status = |words: &str| status::reading(words).is_some();
    let is_severity = |words: &str| status::severity(words).is_some();
    let status = best(&STATUS_KEYS, Role::Status, &stated.status, &is_status);
    let newer = stated.newer.filter(|_| front.first(&STATUS_KEYS).is_none());
    let status = newer.unwrap_or(status);
    let severity =
        best(&["severity", "priority", "심각도", "우선순위", "prio"], Role::Severity, &stated.severity, &is_severity);
    let date = best(
        &["date", "created", "created_at", "reported", "date_reported", "date reported", "날짜", "작성일"],
        Role::Date,
        &stated.date,
        &is_date,
    );

    let body = doc.sections.first().and_then(|s| whole.get(s.range.start..)).unwrap_or_default();
    let related = identity::related(&whole, &identity);
    let root_causes = findings::root_causes(&doc, &roles);
    let hypotheses = findings::hypotheses(&doc, &roles);
    let is_open = status::stage(&status) == Some(status::Stage::Open);
    Report {
        is_unconfirmed: status::canonical(&status) == Some("draft")
            || (is_open && root_causes.is_empty() && !hypotheses.is_empty()),
        path: path.to_owned(),
        summary: summary(&doc, &roles, &front),
        environment: environment(&doc, &roles, &front),
        frames: places::frames(body),
        code_paths: places::code_paths(body),
        errors: errors::read(&doc, &roles),
        aside: aside(&doc, &roles),
        root_causes,
        hypotheses,
        solutions: solutions::read(&doc, &roles),
        dead_ends: findings::dead_ends(&doc, &roles),
        tasks: tasks::read(&doc, &roles),
        prevention: findings::prevention(&doc, &roles),
        related,
        id: identity.id,
        aliases: identity.aliases,
        title: identity.title,
        status,
        severity: severity.to_lowercase(),
        date,
        tags,
        text: text.to_owned(),
    }
}

/// The front matter of a report's text, each key with its values, and the text after it.
#[cfg(feature = "web")]
pub(crate) fn parts(text: &str) -> (Vec<(String, String)>, String) {
    let text = close_fences(front::from_toml(mojibake::repair(text)));
    let split = matter::split(&text);
    let front = split.matter.map(|matter| Front::read(text.get(matter.range).unwrap_or_default())).unwrap_or_default();
    let mut rows: Vec<(String, String)> = Vec::new();
    for (key, value) in front.pairs() {
        match rows.last_mut() {
            Some((known, values)) if known == key => *values = format!("{values}, {value}"),
            _ => rows.push((key.to_owned(), value.to_owned())),
        }
    }
    (rows, text.get(split.body..).unwrap_or_default().to_owned())
}

/// Closes a fence that runs to the end of the document over headings: its author forgot the closing line.
fn close_fences(text: Cow<'_, str>) -> Cow<'_, str> {
    let mut text = text;
    for _ in 0..MOST_REPAIRS {
        let Some(at) = unclosed_fence(&text) else { break };
        let mut closed = String::with_capacity(text.len() + 5);
        closed.push_str(text.get(..at).unwrap_or_default());
        closed.push_str("```\n\n");
        closed.push_str(text.get(at..).unwrap_or_default());
        text = Cow::Owned(closed);
    }
    text
}

/// Where the first heading inside an unclosed last fence begins.
fn unclosed_fence(text: &str) -> Option<usize> {
    if !text.contains("```") {
        return None;
    }
    let start = crate::book::matter::split(text).body;
    let blocks = crate::book::blocks::read(text.get(start..)?, start);
    let last = blocks.last().filter(|b| matches!(b.kind, Kind::Fence(_)))?;
    let raw = text.get(last.range.clone())?;
    let is_closed = raw
        .lines()
        .skip(1)
        .last()
        .is_some_and(|line| line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~"));
    if is_closed || !raw.starts_with("```") {
        return None;
    }
    ["\n## ", "\n### ", "\n# "].iter().find_map(|mark| raw.find(mark)).map(|at| last.range.start + at + 1)
}

/// Sections on fixes, prevention and other reports.
fn aside(doc: &Document<'_>, roles: &[Roles]) -> Vec<String> {
    let is_aside = |role: Role| {
        let other = [Role::Prevention, Role::NextSteps, Role::Related, Role::Expected, Role::Tests, Role::DeadEnds];
        role.is_way_out() || other.contains(&role)
    };
    let sections = doc.sections.iter().zip(roles).filter(|(_, roles)| roles.holds.is_some_and(is_aside));
    sections.filter_map(|(section, _)| doc.text.get(section.range.clone())).map(str::to_owned).collect()
}

/// The first words of a section with that role, or what its heading says behind a colon.
fn role_words(doc: &Document<'_>, roles: &[Roles], role: Role) -> Option<String> {
    let found = doc.sections.iter().zip(roles).filter(|(_, r)| r.own == Some(role));
    found
        .filter_map(|(section, _)| {
            if let Some((_, tail)) = section.title.split_once([':', '：'])
                && !is_placeholder(tail)
            {
                return Some(words::without_marks(tail));
            }
            let line = paragraphs(doc.slice(&section.own)).next()?.line();
            let line = words::without_marks(&line);
            (!is_placeholder(&line) && line.chars().count() <= 60).then_some(line)
        })
        .next()
}

/// The summary section; without one, the first paragraph that says something.
fn summary(doc: &Document<'_>, roles: &[Roles], front: &Front) -> String {
    let own = |section: &crate::book::sections::Section| {
        let filled = doc.slice(&section.own).iter().filter(|block| match &block.kind {
            Kind::Paragraph(words) => !is_placeholder(&words.text),
            Kind::Rule | Kind::Html => false,
            _ => true,
        });
        filled.map(|block| doc.markdown(block.range.clone())).collect::<Vec<_>>().join("\n\n")
    };
    let named = doc
        .sections
        .iter()
        .zip(roles)
        .filter(|(_, r)| r.own == Some(Role::Summary))
        .map(|(s, _)| own(s))
        .find(|s| !s.is_empty());
    named
        .or_else(|| front.first(&["summary", "description"]).map(str::to_owned))
        .or_else(|| {
            let sections = doc.sections.iter().zip(roles).filter(|(_, r)| r.holds.is_none());
            let mut lines = sections
                .flat_map(|(s, _)| paragraphs(doc.slice(&s.own)).filter(|w| w.all_bold().is_none()).map(|w| w.line()));
            lines.find(|line| !is_placeholder(line) && line.split_whitespace().count() > 4)
        })
        .unwrap_or_default()
}

/// Facts of the environment section; where it names no GPU, of what the text says about the failing one.
fn environment(doc: &Document<'_>, roles: &[Roles], front: &Front) -> Facts {
    /// Keys of the front matter that tell of the report, not of the machine.
    const ABOUT_THE_REPORT: [&str; 12] = [
        "title",
        "date",
        "status",
        "tags",
        "version",
        "type",
        "category",
        "summary",
        "description",
        "author",
        "id",
        "bug_id",
    ];
    let keys = front.pairs().filter(|(key, _)| !ABOUT_THE_REPORT.contains(key));
    let mut pairs: Vec<(String, String)> =
        keys.map(|(name, value)| (key(&name.replace('_', " ")), value.to_owned())).collect();
    let with = |wanted: fn(Role) -> bool| {
        doc.sections
            .iter()
            .zip(roles)
            .filter(move |(_, role)| role.holds.is_some_and(wanted))
            .map(|(section, _)| section)
    };
    for section in with(|role| role == Role::Environment) {
        let found = environment::pairs(doc.slice(&section.own)).into_iter();
        pairs.extend(found.map(|(label, value)| (key(&label), value)));
    }
    pairs.retain(|(_, value)| !is_placeholder(value));
    let mut facts = incident::described(&pairs, packages::builtin());
    for section in with(|role| matches!(role, Role::Reproduce | Role::Logs | Role::Actual)) {
        let text = doc.text.get(section.range.clone()).unwrap_or_default();
        facts.merge(&incident::run_settings(text, packages::builtin()));
    }
    if facts.get("gpu.name").is_none() {
        gpu_that_fails(doc, &mut facts);
    }
    facts
}

/// "Fails: RTX 3060 on WSL2", or the only model that the text names.
fn gpu_that_fails(doc: &Document<'_>, facts: &mut Facts) {
    let start = doc.sections.first().map_or(doc.text.len(), |section| section.range.start);
    // Where it happened again is another machine, perhaps.
    let later =
        |section: &&crate::book::sections::Section| wording::headings().occurrences.contains(&section.key.as_str());
    let later: Vec<_> = doc.sections.iter().filter(later).map(|section| section.range.clone()).collect();
    let mut at = start;
    let mut lines: Vec<&str> = Vec::new();
    for line in doc.text.get(start..).unwrap_or_default().split_inclusive('\n') {
        if !later.iter().any(|range| range.contains(&at)) {
            lines.push(line.trim_end_matches(['\n', '\r']));
        }
        at += line.len();
    }
    let mut all: Vec<String> = Vec::new();
    for line in lines.into_iter().filter(|line| line.len() <= 400) {
        let models = environment::gpu_models(line);
        let lower = line.to_lowercase();
        if let [model] = models.as_slice()
            && ["fails:", "fails on", "failing:", "crashes on", "실패"].iter().any(|w| lower.contains(w))
        {
            let pairs = [("gpu".to_owned(), model.clone()), (String::new(), line.to_owned())];
            facts.merge(&incident::described(&pairs, packages::builtin()));
            return;
        }
        for model in models {
            if all.len() < 8 && !all.contains(&model) {
                all.push(model);
            }
        }
    }
    if let [model] = all.as_slice() {
        facts.add("gpu.name", Value::Text(model.clone()), Source::Report, None);
    }
}
