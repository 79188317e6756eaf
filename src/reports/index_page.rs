//! A folder's INDEX.md: all its reports by what is to be done, the latest first. The same reports give the same bytes.
//!
//! A page that somebody else wrote is left alone: ours begin with a mark.

use std::path::{Path, PathBuf};

use super::draft::related::way;
use super::record::{ParsedReport, Record};
use crate::render::markdown;
use crate::render::words::copies;
use crate::reports::status::Stage;

/// The file's name.
pub(crate) const FILE: &str = "INDEX.md";

/// How a page of ours begins.
const MARK: &str = "<!-- Written by `faultbook index-page`: changes made here are lost. -->";

/// The page for the reports of a folder.
pub(crate) fn page(folder: &Path, told: &[ParsedReport]) -> String {
    let mut out = format!("{MARK}\n\n# Bug reports\n\n");
    let groups = [("Open", Stage::Open), ("Solved", Stage::Solved), ("Other", Stage::Other)];
    let mut tables = String::new();
    let mut counts = Vec::new();
    for (heading, stage) in groups {
        // A status that nobody can tell is neither open nor solved.
        let belongs = |record: &&Record| record.stage.unwrap_or(Stage::Other) == stage;
        let mut rows: Vec<&Record> = told.iter().map(|one| &one.record).filter(belongs).collect();
        if rows.is_empty() {
            continue;
        }
        rows.sort_by(|a, b| b.day().cmp(&a.day()).then_with(|| b.id.cmp(&a.id)).then_with(|| a.path.cmp(&b.path)));
        counts.push(format!("{} {}", rows.len(), heading.to_lowercase()));
        tables.push_str(&format!(
            "\n## {heading}\n\n| Id | Title | Status | Severity | Date |\n| --- | --- | --- | --- | --- |\n"
        ));
        for record in rows {
            tables.push_str(&format!(
                "| [{}]({}) | {} | {} | {} | {} |\n",
                markdown::cell(&record.id),
                way(folder, &record.path),
                title(folder, record),
                markdown::cell(record.status_word.unwrap_or(&record.status)),
                record.severity.unwrap_or_default(),
                record.day()
            ));
        }
    }
    let reports = if told.len() == 1 { "1 report".to_owned() } else { format!("{} reports", told.len()) };
    match counts.is_empty() {
        true => out.push_str(&format!("{reports}.\n")),
        false => out.push_str(&format!("{reports}: {}.\n", counts.join(", "))),
    }
    out.push_str(&tables);
    out
}

/// The title, with links to the copies.
fn title(folder: &Path, record: &Record) -> String {
    let seen = record.seen().map(|seen| format!(" (seen {seen})")).unwrap_or_default();
    let title = format!("{}{seen}", markdown::cell(&record.title));
    let links = record.copies.iter().enumerate().map(|(at, path)| format!("[{}]({})", at + 1, way(folder, path)));
    match record.copies.len() {
        0 => title,
        count => format!("{title} ({}: {})", copies(count), links.collect::<Vec<_>>().join(", ")),
    }
}

/// Whether a page was written by this program.
pub(crate) fn is_ours(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').starts_with(MARK)
}

/// Whether two pages say the same: git may have given one of them other line breaks.
pub(crate) fn is_same(a: &str, b: &str) -> bool {
    a.replace("\r\n", "\n") == b.replace("\r\n", "\n")
}

/// Where a folder's page lies.
pub(crate) fn file(folder: &Path) -> PathBuf {
    folder.join(FILE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reports::reading;

    #[test]
    fn the_page_is_sorted_and_says_what_is_known() {
        let told = |name: &str, text: &str| {
            let report = reading::read(Path::new(name), text);
            ParsedReport { record: Record::of_report(&report, Vec::new()), report }
        };
        let all = [
            told("docs/b/BUG-20251110-001.md", "---\ntitle: \"a | [b] *c*\"\nstatus: Open\nseverity: P1\n---\n"),
            told(
                "docs/b/old (1)/x y.md",
                "---\ntitle: z\nbug_id: BUG-20250101-001\nstatus: active\ndate: 2025-12-01\n---\n",
            ),
            told("docs/b/BUG-20251110-002.md", "---\ntitle: solved\nstatus: ✅ Fixed\n---\n"),
            told("docs/b/note.md", "words of a note that nobody gave a title to"),
        ];
        let page = page(Path::new("docs/b"), &all);
        let expected = "<!-- Written by `faultbook index-page`: changes made here are lost. -->

# Bug reports

4 reports: 2 open, 1 solved, 1 other.

## Open

| Id | Title | Status | Severity | Date |
| --- | --- | --- | --- | --- |
| [BUG-20250101-001](old%20%281%29/x%20y.md) | z | active |  | 2025-12-01 |
| [BUG-20251110-001](BUG-20251110-001.md) | a \\| \\[b\\] \\*c\\* | open | high | 2025-11-10 |

## Solved

| Id | Title | Status | Severity | Date |
| --- | --- | --- | --- | --- |
| [BUG-20251110-002](BUG-20251110-002.md) | solved | fixed |  | 2025-11-10 |

## Other

| Id | Title | Status | Severity | Date |
| --- | --- | --- | --- | --- |
| [note](note.md) | note |  |  |  |
";
        assert_eq!(page, expected);
        assert!(is_ours(&page) && !is_ours("# Bug reports\n") && is_same(&page, &page.replace('\n', "\r\n")));
    }
}
