//! Completions in a report or a page: keys, values, ids, section headings.

use std::collections::HashSet;

use lsp_types::{CompletionItem, CompletionItemKind, CompletionTextEdit, Position, Range, TextEdit};

use super::front_words::{
    PAGE_INNER, PAGE_KEYS, PAGE_SECTIONS, PAGE_VALUES, REPORT_KEYS, REPORT_SECTIONS, REPORT_VALUES, Word,
};
use super::kind::Kind;
use super::session::{Document, Session};
use crate::book::builtin::builtin;
use crate::book::matter;
use crate::facts::{self, Definition};
use crate::interfaces::workspace::Workspace;
use crate::reports::draft::noninteractive;
use crate::reports::lookup;

/// Reports and pages offered at most.
const MOST: usize = 2_000;

/// The completions at a position.
pub(super) fn at(session: &Session, document: &Document, position: Position) -> Vec<CompletionItem> {
    let (line, byte) = document.at(position);
    let words = document.text.line(line);
    let before = words.get(..byte).unwrap_or_default();
    let offset = document.text.offset(position);
    let known = matches!(document.kind, Kind::Report | Kind::Page);
    let found = if known && in_matter(document, offset) {
        front(session, document, line, before)
    } else if known && before.starts_with('#') {
        sections(session, document, before)
    } else {
        ids(session, document, before)
    };
    let Some(Choice { typed, items }) = found else { return Vec::new() };
    let start = document.text.position(offset - typed.len());
    let range = Range { start, end: position };
    items
        .into_iter()
        .enumerate()
        .map(|(place, (text, detail, kind))| CompletionItem {
            label: text.trim_end().trim_start_matches("- ").to_owned(),
            kind: Some(kind),
            detail: (!detail.is_empty()).then_some(detail),
            // Clients sort by label otherwise; our order is that of the schema.
            sort_text: Some(format!("{place:05}")),
            filter_text: Some(text.clone()),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit { range, new_text: text })),
            ..CompletionItem::default()
        })
        .collect()
}

/// The word being typed, and its possible completions.
struct Choice<'t> {
    typed: &'t str,
    items: Vec<(String, String, CompletionItemKind)>,
}

/// Whether a byte is in front matter, closed or still being written.
fn in_matter(document: &Document, offset: usize) -> bool {
    let text = document.text.as_str();
    match matter::split(text).matter {
        Some(matter) => {
            (matter.range.start..=matter.range.end).contains(&offset) && (matter.closed || before_body(text, offset))
        }
        // Nothing but the opening dashes so far.
        None => text.trim_start_matches('\u{feff}').trim_start().starts_with("---") && before_body(text, offset),
    }
}

/// Whether there is no heading and no closing line between the start and a byte.
fn before_body(text: &str, offset: usize) -> bool {
    let before = text.get(..offset).unwrap_or_default();
    let mut lines = before.lines().skip_while(|line| line.trim().is_empty()).skip(1);
    !before.trim().is_empty() && lines.all(|line| line.trim_end() != "---" && !line.starts_with('#'))
}

fn front<'t>(session: &Session, document: &Document, line: usize, before: &'t str) -> Option<Choice<'t>> {
    let (workspace, page) = (session.workspace(document), document.kind == Kind::Page);
    let trimmed = before.trim_start();
    let in_list = trimmed.strip_prefix("- ").map(str::trim_start);
    let entry = in_list.unwrap_or(trimmed);
    let Some((key, value)) = entry.split_once(':') else {
        let indent = before.len() - trimmed.len();
        let inside = (indent > 0 || in_list.is_some()).then(|| enclosing(document, line, indent)).flatten();
        if page && inside.as_deref() == Some("explains") {
            return Some(Choice { typed: entry, items: faults(workspace) });
        }
        let keys = match (page, inside) {
            (true, Some(inside)) => PAGE_INNER.iter().find(|(name, _)| *name == inside)?.1,
            (true, None) => PAGE_KEYS,
            (false, None) => REPORT_KEYS,
            (false, Some(_)) => return None,
        };
        let taken = |key: &str| indent == 0 && in_list.is_none() && has_key(document, key);
        let items = keys.iter().filter(|(key, _)| !taken(key));
        let items = items
            .map(|(key, description)| (format!("{key}: "), (*description).to_owned(), CompletionItemKind::PROPERTY));
        return Some(Choice { typed: entry, items: items.collect() });
    };
    if page && matches!(key.trim(), "when" | "says") {
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
        let typed = value.rsplit(|c| !is_name(c)).next().unwrap_or_default();
        let fact =
            |fact: &Definition<'_>| (fact.name.to_string(), fact.label.to_string(), CompletionItemKind::VARIABLE);
        return Some(Choice { typed, items: facts::definitions().map(fact).collect() });
    }
    let typed = value.trim_start().trim_start_matches(['"', '\'']);
    let typed = typed.rsplit(['[', ',']).next().unwrap_or_default().trim_start().trim_start_matches(['"', '\'']);
    let items = match (page, key.trim()) {
        (true, "id") => {
            let causes = workspace.knowledge.book.vocabulary.causes();
            causes.iter().map(|c| (c.id.clone(), c.title.clone(), CompletionItemKind::ENUM_MEMBER)).collect()
        }
        (true, "package" | "{ package") => {
            facts::packages().map(|name| (name.to_owned(), String::new(), CompletionItemKind::MODULE)).collect()
        }
        (true, "explains" | "aliases") => faults(workspace),
        (false, "tags") => tags(workspace),
        (false, "bug_id") => {
            let next = noninteractive::next_id(&workspace.knowledge, &workspace.config, &workspace.reports).ok()?;
            vec![(next, "the next free id".to_owned(), CompletionItemKind::REFERENCE)]
        }
        (_, key) => {
            let table: &[(&str, &[Word])] = if page { PAGE_VALUES } else { REPORT_VALUES };
            let values = table.iter().find(|(name, _)| *name == key)?.1;
            let member = |(word, description): &Word| {
                ((*word).to_owned(), (*description).to_owned(), CompletionItemKind::ENUM_MEMBER)
            };
            values.iter().map(member).collect()
        }
    };
    Some(Choice { typed, items })
}

/// The key whose list or map a line belongs to: the nearest line above with a smaller indent and nothing after its
/// colon.
fn enclosing(document: &Document, line: usize, indent: usize) -> Option<String> {
    let mut most = indent;
    for above in (0..line).rev() {
        let words = document.text.line(above);
        if words.trim().is_empty() {
            continue;
        }
        if words.starts_with("---") {
            return None;
        }
        let trimmed = words.trim_start();
        let own = words.len() - trimmed.len();
        let key = trimmed.strip_prefix("- ").unwrap_or(trimmed);
        // A list may have its key's own indent.
        let outer = own < most || (own == most && !trimmed.starts_with('-') && most == indent);
        if outer && let Some((name, rest)) = key.split_once(':') {
            if rest.trim().is_empty() {
                return Some(name.trim().to_owned());
            }
            if trimmed.starts_with("- ") {
                most = own + 1;
                continue;
            }
            most = own.max(1);
        }
    }
    None
}

fn has_key(document: &Document, key: &str) -> bool {
    let text = document.text.as_str();
    let front = matter::split(text).matter.and_then(|matter| text.get(matter.range)).unwrap_or_default();
    front.lines().any(|line| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':')))
}

fn sections<'t>(session: &Session, document: &Document, before: &'t str) -> Option<Choice<'t>> {
    let level = before.len() - before.trim_start_matches('#').len();
    let text = document.text.as_str();
    let has = |heading: &str| text.lines().any(|line| line.trim_end() == heading.trim_end());
    let table = if document.kind == Kind::Page { PAGE_SECTIONS } else { REPORT_SECTIONS };
    let mut items = Vec::new();
    for (own, title) in table {
        let heading = format!("{} {title}", "#".repeat(usize::from(*own)));
        if usize::from(*own) >= level && !has(&heading) {
            items.push((heading, String::new(), CompletionItemKind::STRUCT));
        }
    }
    if document.kind == Kind::Page && level <= 3 {
        for cause in session.workspace(document).knowledge.book.vocabulary.causes() {
            let heading = format!("### {}", cause.id);
            let declared = text.contains(&format!("id: {}", cause.id));
            if declared && !has(&heading) {
                items.push((heading, cause.title.clone(), CompletionItemKind::STRUCT));
            }
        }
    }
    Some(Choice { typed: before, items })
}

/// Ids in running text: after the first letters and a dash of a report's id, in backticks, in a link to a recipe.
fn ids<'t>(session: &Session, document: &Document, before: &'t str) -> Option<Choice<'t>> {
    if let Some(at) = before.rfind("fixes/")
        && document.kind == Kind::Page
    {
        let typed = before.get(at + "fixes/".len()..)?;
        let recipes = builtin().recipes();
        let items = recipes.map(|r| (format!("{}.md", r.id), r.title, CompletionItemKind::FILE)).collect();
        return Some(Choice { typed, items });
    }
    let start = before
        .rfind(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_')))
        .map_or(0, |at| at + before.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8));
    let typed = before.get(start..)?;
    let head = typed.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
    let quoted = before.get(..start).is_some_and(|rest| rest.ends_with('`'));
    let mut items = Vec::new();
    if typed.contains(['-', '_']) || quoted {
        let own = session.workspace(document);
        let others = session.workspaces().filter(|workspace| workspace.root != own.root);
        let entries = std::iter::once(own).chain(others).flat_map(|workspace| lookup::living(&workspace.knowledge));
        // Two folders can belong to one project.
        let mut seen = HashSet::new();
        let entries = entries
            .filter(|entry| seen.insert(&entry.path))
            .filter(|entry| quoted || entry.id.to_ascii_lowercase().starts_with(&head));
        let reports = entries.map(|entry| (entry.id.clone(), entry.title.clone(), CompletionItemKind::REFERENCE));
        items.extend(reports.take(MOST));
    }
    if matches!(document.kind, Kind::Page | Kind::Report) && (quoted || typed.contains('-')) {
        items.extend(faults(session.workspace(document)));
    }
    (!items.is_empty()).then_some(Choice { typed, items })
}

fn faults(workspace: &Workspace) -> Vec<(String, String, CompletionItemKind)> {
    let pages = workspace.knowledge.book.faults.iter().take(MOST);
    pages.map(|page| (page.id.clone(), page.matter().title.clone(), CompletionItemKind::REFERENCE)).collect()
}

/// Tags that other reports carry, the most common first.
fn tags(workspace: &Workspace) -> Vec<(String, String, CompletionItemKind)> {
    let mut counts = std::collections::BTreeMap::<&str, usize>::new();
    for tag in lookup::living(&workspace.knowledge).flat_map(|entry| &entry.tags) {
        *counts.entry(tag).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let item = |(tag, count): (&str, usize)| (tag.to_owned(), format!("{count} reports"), CompletionItemKind::VALUE);
    counts.into_iter().take(MOST).map(item).collect()
}
