//! The kind of a file: from its folder, else from its content.
//!
//! Folders of reports also hold indexes, templates and notes; those are not reports and are left alone.

use crate::book::matter;

/// What a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A page on a fault.
    Fault,
    /// A recipe.
    Fix,
    /// A notice of harmless lines.
    Notice,
    /// A bug report or a document like one.
    Report,
    /// Anything else: not checked.
    Other,
}

/// Files that many projects keep beside reports and pages.
const NOT_CHECKED: [&str; 9] =
    ["readme", "index", "contributing", "changelog", "license", "architecture", "summary", "todo", "agents"];

/// Headings of which a report has at least two.
const HEADINGS: [&str; 18] = [
    "summary",
    "bug id",
    "steps to reproduce",
    "reproduction",
    "expected behavior",
    "expected behaviour",
    "actual behavior",
    "actual behaviour",
    "environment",
    "root cause",
    "root cause analysis",
    "resolution",
    "stack trace",
    "error messages",
    "symptoms",
    "재현 방법",
    "원인 분석",
    "해결 방법",
];

impl Kind {
    /// The kind of the document at `path` with that text.
    pub fn of(path: &str, text: &str) -> Self {
        let mut parts = path.rsplit('/');
        let name = parts.next().unwrap_or_default().to_lowercase();
        // A `.txt` file is a report only if it has front matter; else it is a log.
        let text_file = name.strip_suffix(".txt").filter(|_| matter::split(text).matter.is_some());
        let Some(stem) = name.strip_suffix(".md").or_else(|| name.strip_suffix(".markdown")).or(text_file) else {
            return Self::Other;
        };
        if NOT_CHECKED.contains(&stem) || stem.starts_with('_') || stem.contains("template") {
            return Self::Other;
        }
        let folders: Vec<&str> = parts.collect();
        if folders.iter().any(|folder| folder.to_lowercase().contains("template")) {
            return Self::Other;
        }
        match (folders.first(), folders.get(1)) {
            (Some(&"fixes"), _) if has_key(text, "cost") => return Self::Fix,
            (Some(&"notices"), _) if has_key(text, "signatures") => return Self::Notice,
            (_, Some(&"faults")) => return Self::Fault,
            _ => {}
        }
        if has_key(text, "causes") && (has_key(text, "signatures") || has_key(text, "codes")) {
            Self::Fault
        } else if has_key(text, "cost") && has_key(text, "title") && !has_key(text, "date") {
            Self::Fix
        } else if has_key(text, "signatures") && has_key(text, "title") {
            Self::Notice
        } else if is_report(stem, &folders, text) {
            Self::Report
        } else if folders.first() == Some(&"notices") && has_key(text, "title") {
            Self::Notice
        } else {
            Self::Other
        }
    }

    /// Why the document at a path has no kind, for people who expected it to be checked.
    pub fn why_other(path: &str) -> &'static str {
        let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
        let (stem, ending) = name.rsplit_once('.').unwrap_or((&name, ""));
        if NOT_CHECKED.contains(&stem) || stem.starts_with('_') {
            "its name is that of an index or a note"
        } else if path.to_lowercase().contains("template") {
            "a template"
        } else if ending == "txt" {
            "a text without front matter is taken for a log"
        } else {
            "no id, no front matter with a title, and fewer than two headings of a report"
        }
    }
}

fn is_report(stem: &str, folders: &[&str], text: &str) -> bool {
    let named = super::ids::in_file_name(stem).is_some();
    let typed = ["bug_id", "type", "severity"].iter().any(|key| has_key(text, key)) && has_key(text, "title");
    let kept_with_reports = folders.first().is_some_and(|folder| folder.contains("report") || folder.contains("bugs"))
        && has_key(text, "title");
    named || typed || kept_with_reports || headings(text) >= 2
}

/// How many different headings of a report the text has.
fn headings(text: &str) -> usize {
    let mut found: Vec<&str> = Vec::new();
    for line in text.lines().filter(|line| line.starts_with('#')) {
        let title = crate::book::sections::clean_title(line.trim_start_matches('#'));
        let key = crate::book::sections::key(&title);
        found.extend(HEADINGS.iter().find(|heading| **heading == key));
    }
    found.sort_unstable();
    found.dedup();
    found.len()
}

/// Whether the front matter has a top-level key.
fn has_key(text: &str, key: &str) -> bool {
    let Some(matter) = matter::split(text).matter else { return false };
    let lines = text.get(matter.range).unwrap_or_default().lines();
    lines.filter_map(|line| line.split_once(':')).any(|(name, _)| name == key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_contents_tell_the_kind() {
        for (path, text, kind) in [
            ("kb/faults/cudnn/cudnn-no-engine.md", "", Kind::Fault),
            ("kb/fixes/reboot.md", "---\ntitle: x\ncost: machine\n---\n", Kind::Fix),
            ("kb/notices/a.md", "---\ntitle: x\nsignatures: []\n---\n", Kind::Notice),
            ("kb/notices/a.md", "---\ntitle: x\n---\n", Kind::Notice),
            ("kb/notices/list.md", "# Notices\n", Kind::Other),
            ("our/pages/a.md", "---\ntitle: x\ncodes: []\ncauses: []\n---\n", Kind::Fault),
            ("docs/BUG-20251110-003-x.md", "", Kind::Report),
            ("docs/bug_001.md", "", Kind::Report),
            ("docs/reports/crash.md", "---\ntitle: x\n---\n", Kind::Report),
            ("docs/crash.md", "# x\n## Summary\n## 3. Environment\n", Kind::Report),
            ("docs/crash.md", "# x\n## Summary\n## Design\n", Kind::Other),
            ("docs/fixes/crash.md", "# x\n## Root Cause\n## Resolution\n", Kind::Report),
            ("docs/reports/INDEX.md", "---\ntitle: x\n---\n", Kind::Other),
            (".github/ISSUE_TEMPLATE/bug_report.md", "---\ntitle: x\ntype: bug\n---\n", Kind::Other),
            ("docs/templates/bug_report.md", "## Summary\n## Environment\n", Kind::Other),
            ("docs/reports/x.txt", "---\ntitle: x\n---\n", Kind::Report),
            ("docs/reports/x.txt", "## Summary\n## Environment\n", Kind::Other),
            ("train.log", "## Summary\n## Environment\n", Kind::Other),
        ] {
            assert_eq!(Kind::of(path, text), kind, "{path}");
        }
    }
}
