//! What a report says of itself where no front matter does: status, severity, date and title in bold lines, tables, marked
//! headings, file names.
//!
//! The words before the first section that tells of the failure count first. Further down only a status or severity that
//! can be read counts, and none of a test, a step or another report. What a later "Update" states is newer than the head.

use std::path::Path;

use super::roles::{Role, Roles};
use super::statements::{bare, pairs, role_of_label, ticked};
use super::words::{is_placeholder, without_marks};
use crate::book::sections::{Document, Section, is_decoration, key};
use crate::reports::{dates, status};
use crate::wording;

/// What it says.
#[derive(Debug, Default)]
pub(super) struct Stated {
    pub(super) status: String,
    pub(super) severity: String,
    pub(super) date: String,
    /// The status that a later addition states.
    pub(super) newer: Option<String>,
}

/// Reads a document at `path`.
pub(super) fn read(path: &Path, doc: &Document<'_>, roles: &[Roles]) -> Stated {
    let mut stated = Stated::default();
    let mut in_header = true;
    // What "Resolution: Fixed" says, where nothing says more.
    let mut ended: Option<String> = None;
    let mut mark: Option<String> = None;
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
        let own = doc.slice(&section.own);
        let ticked = if role.own == Some(Role::Status) { ticked(own) } else { None };
        if let Some(ticked) = ticked {
            stated.take(Role::Status, &ticked, true);
            continue;
        }
        // `## Статус: открыт`: only what can be read, because "Impact: ..." may be any heading.
        let titled = section.title.split_once([':', '：']);
        if let Some((role, value)) = titled.and_then(|(label, value)| Some((role_of_label(label)?, value))) {
            stated.take(role, value, false);
        }
        let is_update = is_update(section);
        for (label, value) in pairs(doc, own) {
            if is_update && role_of_label(&label) == Some(Role::Status) && status::reading(&value).is_some() {
                stated.newer = Some(status::latest(&value).to_owned());
            }
            if label.is_empty() && role.own == Some(Role::Status) {
                stated.take(Role::Status, &value, in_header);
            } else if let Some(role) = role_of_label(&label) {
                stated.take(role, &value, in_header);
            } else if status::canonical(&value).is_some_and(is_outcome)
                && wording::states().labels.resolution.contains(&key(&label).as_str())
            {
                ended = Some(value);
            }
        }
        if in_header && section.level <= 2 {
            for (role, value) in bare(own) {
                stated.take(role, &value, true);
            }
        }
        mark = mark.or_else(|| marked(section));
    }
    if stated.status.is_empty() {
        stated.status = mark.or(ended).unwrap_or_default();
    }
    if stated.status.is_empty() {
        stated.status = of_path(path).unwrap_or_default().to_owned();
    }
    stated
}

impl Stated {
    fn take(&mut self, role: Role, value: &str, in_header: bool) {
        let value = without_marks(value.trim_matches(['`', '*', '_', ' ']));
        let value = if role == Role::Status { status::latest(&value).to_owned() } else { value };
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

/// Whether a section is a later addition: `## Update 2025-07-01`.
fn is_update(section: &Section) -> bool {
    let headings = &wording::states().updates;
    let rest = |heading: &&str| section.key.strip_prefix(*heading).map(|rest| rest.chars().next());
    section.level > 0
        && headings.iter().filter_map(rest).any(|next| next.is_none_or(|c| c == ' ' || c.is_ascii_digit()))
}

/// The status that a heading is: `## ✅ RESOLVED`, `# Loss is NaN [FIXED]`.
fn marked(section: &Section) -> Option<String> {
    let is_marked = section.raw_title.trim_start().starts_with(is_decoration);
    let word = status::canonical(&section.title).filter(|word| is_marked && is_outcome(word));
    let bracketed = || in_brackets(&section.raw_title).filter(|_| section.level <= 2).map(|(word, _)| word);
    let first = || in_front(&section.title).filter(|_| section.level <= 2).map(|(word, _)| word);
    word.or_else(bracketed).or_else(first).map(str::to_owned)
}

/// A status in front of a title, and the title without it: `FIXED: greedy decoding crashes`.
pub(super) fn in_front(title: &str) -> Option<(&'static str, &str)> {
    let (first, rest) = title.split_once([':', '：'])?;
    let word = status::canonical(first).filter(|word| is_outcome(word))?;
    // "Open: ..." may be a title about opening; shouted it is none.
    let is_shouted = first.chars().any(char::is_alphabetic) && !first.chars().any(char::is_lowercase);
    let is_over = matches!(word, "resolved" | "fixed" | "closed" | "wontfix");
    ((is_shouted || is_over) && !rest.trim().is_empty()).then(|| (word, rest.trim()))
}

/// Whether a word of a file's name is a status that somebody added to it.
pub(super) fn is_shouted_status(word: &str) -> bool {
    word.len() > 3 && word.chars().all(char::is_uppercase) && status::canonical(word).is_some_and(is_outcome)
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

/// The status at the end of a name in lower case, or `resolved` at its beginning; `fixed-seed` and `open-files` are none.
fn at_an_end(stem: &str) -> Option<&'static str> {
    let mut words = stem.split(['-', '_', ' ']).filter(|word| !word.is_empty());
    let first = words.next().filter(|word| word.eq_ignore_ascii_case("resolved"));
    let ends = |word: &&str| matches!(*word, "resolved" | "fixed" | "closed" | "wontfix" | "duplicate");
    words.next_back().and_then(status::canonical).filter(ends).or_else(|| first.and_then(status::canonical))
}

/// The status in a file's name, shouted or after a dot, in brackets or at an end, or that of the folder it lies in.
fn of_path(path: &Path) -> Option<&'static str> {
    let stem = path.file_stem()?.to_string_lossy();
    let shouted = stem.split(|c: char| !c.is_alphabetic()).find(|word| is_shouted_status(word));
    let shouted = shouted.and_then(status::canonical);
    let last = || stem.rsplit_once('.').and_then(|(_, last)| status::canonical(last)).filter(|word| is_outcome(word));
    let folder = || {
        let folder = path.parent()?.file_name()?.to_string_lossy();
        status::canonical(&folder).filter(|word| is_outcome(word))
    };
    let bracketed = || in_brackets(&stem).map(|(word, _)| word);
    shouted.or_else(last).or_else(bracketed).or_else(|| at_an_end(&stem)).or_else(folder)
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
            ("docs/bug-012-oom-resolved.md", Some("resolved")),
            ("docs/oom_in_validation_fixed.md", Some("fixed")),
            ("docs/resolved-nan.md", Some("resolved")),
            ("docs/fixed-seed-gives-nan.md", None),
            ("docs/fixed.md", None),
            ("docs/files-left-open.md", None),
            ("docs/too-many-open-files.md", None),
            ("docs/nan.md", None),
        ] {
            assert_eq!(of_path(Path::new(path)), status, "{path}");
        }
        assert_eq!(in_brackets("[RESOLVED] Loss is NaN"), Some(("resolved", "Loss is NaN".to_owned())));
        assert_eq!(in_brackets("Loss is NaN (RTX 3060)"), None);
        assert_eq!(in_front("FIXED: Loss is NaN"), Some(("fixed", "Loss is NaN")));
        assert_eq!(in_front("Open: files leak"), None);
    }
}
