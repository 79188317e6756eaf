//! What a report says of itself where no front matter does: status, severity, date and title in bold lines, tables, marked
//! headings, file names.
//!
//! The words before the first section that tells of the failure count first. Further down only a status or severity that
//! can be read counts, and none of a test, a step or another report.

use std::path::Path;

use super::roles::{self, Role, Roles};
use super::words::{is_placeholder, labelled, without_marks};
use crate::book::blocks::{Block, Kind};
use crate::book::sections::{Document, Section, is_decoration, key, visit};
use crate::reports::{dates, status};

/// What it says.
#[derive(Debug, Default)]
pub(super) struct Stated {
    pub(super) status: String,
    pub(super) severity: String,
    pub(super) date: String,
}

/// Reads a document at `path`.
pub(super) fn read(path: &Path, doc: &Document<'_>, roles: &[Roles]) -> Stated {
    let mut stated = Stated::default();
    let mut in_header = true;
    for (section, role) in doc.sections.iter().zip(roles) {
        let is_about = matches!(
            role.own,
            None | Some(
                Role::BugId | Role::Status | Role::Severity | Role::Date | Role::Tags | Role::Impact | Role::Other
            )
        );
        in_header &= is_about;
        let told_elsewhere = role.holds.is_some_and(|role| {
            matches!(
                role,
                Role::Tests
                    | Role::NextSteps
                    | Role::Hypotheses
                    | Role::DeadEnds
                    | Role::Related
                    | Role::Examples
                    | Role::Implementation
            )
        });
        if told_elsewhere {
            continue;
        }
        for (label, value) in pairs(doc.slice(&section.own)) {
            let own = role.own.filter(|role| *role == Role::Status && label.is_empty());
            let Some(role) = own.or_else(|| roles::of_key(&key(&label))) else { continue };
            stated.take(role, &value, in_header);
        }
        if stated.status.is_empty() {
            stated.status = marked(section).unwrap_or_default();
        }
    }
    if stated.status.is_empty() {
        stated.status = of_path(path).unwrap_or_default().to_owned();
    }
    stated
}

impl Stated {
    fn take(&mut self, role: Role, value: &str, in_header: bool) {
        let value = without_marks(value.trim_matches(['`', '*', ' ']));
        if is_placeholder(&value) || value.chars().count() > 120 {
            return;
        }
        let (field, is_read) = match role {
            Role::Status => (&mut self.status, status::reading(&value).is_some()),
            Role::Severity => (&mut self.severity, status::severity(&value).is_some()),
            Role::Date => (&mut self.date, dates::reading(&value).is_some()),
            _ => return,
        };
        if field.is_empty() && (is_read || (in_header && role != Role::Date && value.chars().count() <= 60)) {
            *field = value;
        }
    }
}

/// Labels and values: of lines, several to a line too, and of tables in both directions.
fn pairs(blocks: &[Block]) -> Vec<(String, String)> {
    let mut out = Vec::new();
    visit(blocks, &mut |block| match &block.kind {
        Kind::Paragraph(words) => {
            for (label, value) in labelled(words) {
                let mut parts = value.split([';', '|', '·', '•']).map(str::trim);
                out.push((label, parts.next().unwrap_or_default().to_owned()));
                for part in parts {
                    if let Some((label, value)) = part.split_once([':', '：']) {
                        out.push((label.to_owned(), value.to_owned()));
                    }
                }
            }
        }
        Kind::Table(rows) => {
            let known = |label: &&String| {
                matches!(roles::of_key(&key(label)), Some(Role::Status | Role::Severity | Role::Date))
            };
            // A row of labels over a row of values.
            if let [head, values, ..] = rows.as_slice()
                && (head.iter().filter(known).count() > 1 || head.iter().skip(1).any(|label| known(&label)))
            {
                out.extend(head.iter().cloned().zip(values.iter().cloned()));
                return;
            }
            for row in rows {
                if let [label, value, ..] = row.as_slice() {
                    out.push((label.trim_matches(['*', ' ']).to_owned(), value.clone()));
                }
            }
        }
        _ => {}
    });
    out
}

/// The status that a heading is: `## ✅ RESOLVED`, `# Loss is NaN [FIXED]`.
fn marked(section: &Section) -> Option<String> {
    let is_marked = section.raw_title.trim_start().starts_with(is_decoration);
    let word = status::canonical(&section.title).filter(|word| is_marked && is_outcome(word));
    let bracketed = || in_brackets(&section.raw_title).filter(|_| section.level <= 2).map(|(word, _)| word);
    word.or_else(bracketed).map(str::to_owned)
}

/// A status in brackets at the beginning or the end of a title, and the title without it.
pub(super) fn in_brackets(title: &str) -> Option<(&'static str, String)> {
    for (open, close) in [('[', ']'), ('(', ')'), ('【', '】')] {
        for start in [title.find(open), title.rfind(open)].into_iter().flatten() {
            let rest = title.get(start + open.len_utf8()..)?;
            let Some(end) = rest.find(close) else { continue };
            let word = rest.get(..end).and_then(status::canonical).filter(|word| is_outcome(word));
            if let Some(word) = word {
                let after = rest.get(end + close.len_utf8()..).unwrap_or_default();
                return Some((word, format!("{} {}", title.get(..start)?.trim(), after.trim()).trim().to_owned()));
            }
        }
    }
    None
}

/// Words that say how a report stands and are no name of a step.
fn is_outcome(word: &str) -> bool {
    matches!(
        word,
        "open" | "in_progress" | "reopened" | "resolved" | "fixed" | "closed" | "wontfix" | "duplicate" | "invalid"
    )
}

/// The status in a file's name, shouted or after a dot or in brackets, or that of the folder it lies in.
fn of_path(path: &Path) -> Option<&'static str> {
    let stem = path.file_stem()?.to_string_lossy();
    let shouted =
        stem.split(|c: char| !c.is_alphabetic()).filter(|word| word.len() > 3 && word.chars().all(char::is_uppercase));
    let shouted = shouted.filter_map(status::canonical).find(|word| is_outcome(word));
    let last = || stem.rsplit_once('.').and_then(|(_, last)| status::canonical(last)).filter(|word| is_outcome(word));
    let folder = || {
        let folder = path.parent()?.file_name()?.to_string_lossy();
        status::canonical(&folder).filter(|word| is_outcome(word))
    };
    shouted.or_else(last).or_else(|| in_brackets(&stem).map(|(word, _)| word)).or_else(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_in_a_path() {
        for (path, status) in [
            ("docs/BUG-001_RESOLVED.md", Some("resolved")),
            ("docs/resolved/nan.md", Some("resolved")),
            ("docs/nan.fixed.md", Some("fixed")),
            ("docs/nan (closed).md", Some("closed")),
            ("docs/too-many-open-files.md", None),
            ("docs/nan.md", None),
        ] {
            assert_eq!(of_path(Path::new(path)), status, "{path}");
        }
        assert_eq!(in_brackets("[RESOLVED] Loss is NaN"), Some(("resolved", "Loss is NaN".to_owned())));
        assert_eq!(in_brackets("Loss is NaN (RTX 3060)"), None);
    }
}
