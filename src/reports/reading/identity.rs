//! Which report it is: its id in whatever place, other ids that stand for it, its title, the ids it mentions.

use std::path::Path;

use super::environment::pairs;
use super::front::Front;
use super::ids;
use super::roles::{Role, Roles};
use super::stated::{in_brackets, in_front, is_shouted_status};
use super::words::{is_placeholder, without_marks};
use crate::book::blocks::Kind;
use crate::book::sections::{Document, clean_title, key, visit};
use crate::wording;

/// Who a document is.
#[derive(Debug, Default)]
pub(super) struct Identity {
    pub(super) id: String,
    pub(super) aliases: Vec<String>,
    pub(super) title: String,
}

/// The normal spelling of a report's id: `bug_001` is `BUG-001`.
pub fn normal_id(text: &str) -> Option<String> {
    ids::normal(text)
}

/// An id for comparing: they are written with blanks, underscores, hyphens, in any case.
pub fn comparable(id: &str) -> String {
    id.trim().chars().map(|c| if matches!(c, ' ' | '_') { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// Finds id, aliases and title. Places in the order in which people mean them: the key made for it, the section made
/// for it, a line, the title, the file's name.
pub(super) fn read(path: &Path, doc: &Document<'_>, roles: &[Roles], front: &Front) -> Identity {
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let headings = doc.sections.iter().filter(|s| s.level == 1).map(|s| s.title.as_str());
    let front_title = front.first(&["title", "name", "제목"]).unwrap_or_default();
    let mut candidates: Vec<String> = Vec::new();
    let written = ["bug_id", "issue_id", "report_id", "id", "버그_id"].iter().filter_map(|name| front.first(&[name]));
    candidates.extend(written.map(str::to_owned));
    candidates.extend(section_ids(doc, roles));
    candidates.extend(line_ids(doc));
    for title in std::iter::once(front_title).chain(headings.clone()) {
        candidates.extend(leading_id(title));
        candidates.extend(tracker_key(title).map(str::to_owned));
    }
    candidates.extend(ids::find(&stem).into_iter().next().map(|f| f.normal));
    // A slug such as `why-is-cudnn-failing` stands for the document only where no real id does.
    let real = candidates.iter().position(|c| ids::find(c).len() == 1);
    let id = match real.or(if candidates.is_empty() { None } else { Some(0) }) {
        Some(at) => candidates.get(at).cloned().unwrap_or_default(),
        None if stem.is_empty() => path.display().to_string(),
        None => stem.clone(),
    };
    let mut aliases: Vec<String> = Vec::new();
    let also = ["aliases", "alias", "former_ids"].iter().flat_map(|name| front.all(name)).map(str::to_owned);
    for other in candidates.iter().cloned().chain(also).chain(std::iter::once(stem.clone())) {
        let normal = ids::find(&other).into_iter().next().map(|f| f.normal);
        for alias in std::iter::once(other).chain(normal) {
            if !alias.is_empty() && alias != id && !aliases.contains(&alias) {
                aliases.push(alias);
            }
        }
    }
    if let Some(normal) =
        ids::find(&id).into_iter().next().map(|f| f.normal).filter(|n| *n != id && !aliases.contains(n))
    {
        aliases.insert(0, normal);
    }
    let title = title(front_title, headings, doc, roles, &stem, &id);
    Identity { id, aliases, title }
}

/// What the section "Bug ID" holds.
fn section_ids(doc: &Document<'_>, roles: &[Roles]) -> Vec<String> {
    let sections = doc.sections.iter().zip(roles).filter(|(_, r)| r.own == Some(Role::BugId));
    sections
        .filter_map(|(section, _)| {
            let tail = section.title.split_once([':', '：']).map(|(_, tail)| tail.trim().to_owned());
            let line = tail.or_else(|| doc.slice(&section.own).iter().find_map(first_words))?;
            let line = without_marks(line.trim_matches(['`', '*', '-', ' ']));
            let id = line.split_whitespace().next().unwrap_or_default().to_owned();
            let whole =
                ids::find(&line).into_iter().next().map(|f| line.get(f.start..f.end).unwrap_or_default().to_owned());
            Some(whole.unwrap_or(id)).filter(|id| !is_placeholder(id))
        })
        .collect()
}

fn first_words(block: &crate::book::blocks::Block) -> Option<String> {
    match &block.kind {
        Kind::Paragraph(words) => Some(words.line()),
        Kind::List(list) => Some(list.items.first()?.words()?.line()),
        Kind::Fence(fence) => fence.code.lines().next().map(str::to_owned),
        _ => None,
    }
}

/// Ids in lines such as `**Bug ID:** BUG-2025-002`.
fn line_ids(doc: &Document<'_>) -> Vec<String> {
    let mut out = Vec::new();
    visit(&doc.blocks, &mut |block| {
        let text = match &block.kind {
            Kind::Paragraph(words) if out.is_empty() => words.text.as_str(),
            Kind::Table(rows) if out.is_empty() => {
                let row = rows.iter().find(|row| row.first().is_some_and(|c| is_id_label(c)));
                let named = row.and_then(|row| row.get(1)).filter(|v| !is_placeholder(v)).cloned();
                let numbered = || {
                    let row = rows.iter().find(|row| row.first().is_some_and(|c| is_number_label(c)));
                    row.and_then(|row| row.get(1)).and_then(|value| only_id(value))
                };
                out.extend(named.or_else(numbered));
                return;
            }
            _ => return,
        };
        for line in text.lines() {
            let Some((label, value)) = line.split_once([':', '：']) else { continue };
            if label.len() <= 40 && is_id_label(label) && !is_placeholder(value) {
                let value = value.trim().trim_matches(['`', '*']);
                let found = ids::find(value).into_iter().next().and_then(|f| value.get(f.start..f.end));
                out.extend(found.or_else(|| value.split_whitespace().next()).map(str::to_owned));
            } else if label.len() <= 40 && is_number_label(label) {
                out.extend(only_id(value));
            }
        }
    });
    out
}

fn is_id_label(label: &str) -> bool {
    matches!(key(label).as_str(), "bug id" | "issue id" | "report id" | "id" | "버그 id" | "버그 번호" | "bug number")
}

/// Whether a label gives an id where its value is one: `Ticket: BUG-20260115-004`, but `Ticket: see Jira`.
fn is_number_label(label: &str) -> bool {
    wording::states().labels.id.contains(&key(label).as_str())
}

/// The id that a value is, as written.
fn only_id(value: &str) -> Option<String> {
    let value = value.trim().trim_matches(['`', '*', '#', ' ']);
    let found = ids::find(value).into_iter().next()?;
    (found.start == 0 && found.end == value.len()).then(|| value.to_owned())
}

/// The id at the beginning of a title, in normal spelling: "Bug 20251110 003 Cudnn ...".
fn leading_id(title: &str) -> Option<String> {
    let found = ids::find(title).into_iter().next()?;
    let before = title.get(..found.start)?.to_lowercase();
    let before = before.trim_matches(|c: char| !c.is_alphanumeric());
    matches!(before, "" | "bug report" | "bug" | "report" | "issue" | "버그 리포트" | "버그 보고서")
        .then_some(found.normal)
}

/// The title without "Bug Report:" and the id. A title that a script made from the file's name yields to the heading.
/// Without both, what the document names as its title, a heading further down that is no section's name, the words of
/// the file's name.
fn title<'d>(
    front: &'d str,
    headings: impl Iterator<Item = &'d str>,
    doc: &Document<'_>,
    roles: &[Roles],
    stem: &str,
    id: &str,
) -> String {
    let heading = headings.map(bare_title).find(|t| !is_placeholder(t) && !is_generic(t)).unwrap_or_default();
    let bare = bare_title(front);
    let is_made = ids::find(front).first().is_some_and(|f| f.start == 0) && !front.contains([':', '-']);
    if !heading.is_empty() && (bare.is_empty() || is_placeholder(&bare) || is_generic(&bare) || is_made) {
        return heading;
    }
    let says_nothing = bare.is_empty() || is_placeholder(&bare) || is_generic(&bare);
    if !says_nothing {
        return bare;
    }
    let named = named_title(doc, roles).or_else(|| lower_heading(doc, roles)).or_else(|| slug_words(stem));
    named.unwrap_or_else(|| if bare.is_empty() || is_placeholder(&bare) { id.to_owned() } else { bare })
}

/// What the section or line "Title" holds.
fn named_title(doc: &Document<'_>, roles: &[Roles]) -> Option<String> {
    const LABELS: [&str; 9] =
        ["title", "bug title", "issue title", "제목", "titel", "标题", "標題", "タイトル", "título"];
    let is_title = |label: &str| LABELS.contains(&key(label).as_str());
    for (section, role) in doc.sections.iter().zip(roles) {
        let label = section.title.split([':', '：']).next().unwrap_or_default();
        let under = is_title(label).then(|| {
            let tail = section.title.split_once([':', '：']).map(|(_, tail)| tail.to_owned());
            tail.or_else(|| doc.slice(&section.own).iter().find_map(first_words)).unwrap_or_default()
        });
        let lines =
            || pairs(doc.slice(&section.own)).into_iter().find(|(label, _)| is_title(label)).map(|(_, value)| value);
        let found = under.or_else(|| if role.own.is_none() { lines() } else { None });
        let found = found.map(|words| bare_title(words.trim_matches(['`', '*', '"'])));
        if let Some(title) = found.filter(|title| !is_placeholder(title) && title.chars().count() <= 200) {
            return Some(title);
        }
    }
    None
}

/// The first heading below the first level that is no name of a section, before the sections begin.
fn lower_heading(doc: &Document<'_>, roles: &[Roles]) -> Option<String> {
    let named = doc.sections.iter().zip(roles).filter(|(section, _)| section.level > 0);
    let before = named.take_while(|(_, role)| {
        matches!(role.own, None | Some(Role::BugId | Role::Status | Role::Severity | Role::Date))
    });
    let titles = before.filter(|(section, role)| role.own.is_none() && section.level > 1);
    let mut titles = titles.map(|(section, _)| bare_title(&section.title));
    titles.find(|title| {
        title.split_whitespace().count() > 1
            && !is_placeholder(title)
            && !is_generic(title)
            && ids::normal(title).is_none()
    })
}

/// The words of a file's name without date, time and id: `2025-11-10_1808_BUG_003_cudnn-workspace.md`.
fn slug_words(stem: &str) -> Option<String> {
    let rest = ids::find(stem).first().map_or(stem, |found| stem.get(found.end..).unwrap_or_default());
    let words: Vec<&str> =
        rest.split(|c: char| !c.is_alphanumeric() && c != '.').filter(|word| !word.is_empty()).collect();
    let is_number = |word: &&&str| word.bytes().all(|b| b.is_ascii_digit());
    let words: Vec<&str> = words.iter().skip_while(is_number).copied().collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !is_shouted_status(word)).collect();
    (words.len() > 1).then(|| words.join(" "))
}

fn bare_title(title: &str) -> String {
    let title = in_brackets(title).map_or_else(|| title.to_owned(), |(_, rest)| rest);
    let mut rest = clean_title(&title);
    loop {
        let before = rest.len();
        let opens = |f: &ids::Found| !rest.get(..f.start).unwrap_or_default().contains(char::is_alphanumeric);
        if let Some(found) = ids::find(&rest).into_iter().next().filter(opens) {
            let after = rest
                .get(found.end..)
                .unwrap_or_default()
                .trim_start_matches([']', ')', '】', ':', '-', '–', '—', ' ', '_', '：']);
            if !after.is_empty() {
                rest = after.to_owned();
            }
        }
        let lower = rest.to_lowercase();
        let marked = ["[bug]", "(bug)"].iter().find_map(|mark| lower.strip_prefix(mark));
        if let Some(after) = marked.and_then(|after| rest.get(rest.len() - after.len()..)) {
            rest = after.trim().to_owned();
        } else if let Some(after) = tracker_key(&rest).and_then(|key| rest.get(key.len() + 2..)) {
            rest = after.trim_start_matches([':', '-', ' ']).to_owned();
        } else if let Some(after) = after_document_name(&rest) {
            rest = after.to_owned();
        } else if let Some((_, after)) = in_front(&rest) {
            rest = after.to_owned();
        }
        if rest.len() == before {
            return rest;
        }
    }
}

/// What follows the name of a kind of document: "Bug report: it hangs", "Bug / 버그 – it hangs". "Bugs in cuDNN" and
/// "Issue with X" keep their words.
fn after_document_name(title: &str) -> Option<&str> {
    let ends = title.char_indices().filter(|(at, c)| match c {
        ':' | '：' | '–' | '—' => true,
        '-' => title.get(..*at).is_some_and(|before| before.ends_with(' ')),
        _ => false,
    });
    let (at, mark) = ends.into_iter().next()?;
    let after = title.get(at + mark.len_utf8()..)?.trim();
    let is_named = title.get(..at)?.split('/').all(is_document_name);
    (is_named && !after.is_empty()).then_some(after)
}

/// The key of a tracker that a title begins with: `[ML-482] Trainer stalls`.
fn tracker_key(title: &str) -> Option<&str> {
    const LONGEST: usize = 10;
    let (key, _) = title.strip_prefix('[')?.split_once(']')?;
    let (project, number) = key.split_once('-')?;
    let is_project = (2..=LONGEST).contains(&project.len()) && project.bytes().all(|b| b.is_ascii_uppercase());
    (is_project && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())).then_some(key)
}

fn is_document_name(name: &str) -> bool {
    wording::states().documents.iter().any(|known| *known == key(name) || *known == name.trim().to_lowercase())
}

/// Titles that name a kind of document, not a bug.
fn is_generic(title: &str) -> bool {
    key(title).is_empty() || title.split('/').all(is_document_name)
}

/// Labels and values above the first real section: status, severity, date.
pub(super) fn header_pairs(doc: &Document<'_>, roles: &[Roles]) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for (section, role) in doc.sections.iter().zip(roles) {
        let is_header = section.level <= 1
            || matches!(role.own, Some(Role::BugId | Role::Impact))
            || matches!(
                section.key.as_str(),
                "metadata"
                    | "info"
                    | "information"
                    | "basic information"
                    | "bug information"
                    | "details"
                    | "정보"
                    | "기본 정보"
            );
        if is_header {
            for (label, value) in pairs(doc.slice(&section.own)) {
                let value = without_marks(value.trim_matches(['`', '*']));
                if !label.is_empty() && !is_placeholder(&value) {
                    out.push((key(&label), value));
                }
            }
        }
    }
    out
}

/// Ids of other reports in the order in which the text names them.
pub(super) fn related(text: &str, own: &Identity) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for found in ids::find(text) {
        let is_own = found.normal == own.id
            || own.aliases.contains(&found.normal)
            || ids::normal(&own.id).as_deref() == Some(found.normal.as_str());
        if !is_own && !out.contains(&found.normal) && out.len() < 200 {
            out.push(found.normal);
        }
    }
    out
}
