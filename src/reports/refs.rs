//! What mentions a report: code, other reports, commit messages.

use std::path::{Path, PathBuf};

use super::index_page;
use super::mentions::{self, Finder};
use crate::reports::draft::git::{self, Commit};

/// Longer lines are shown around the mention only: they come from minified files and data.
const LONGEST: usize = 400;

/// A mention in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mention {
    /// The file.
    pub path: PathBuf,
    /// From 1.
    pub line: u32,
    /// From 1, in Unicode scalar values.
    pub column: u32,
    /// The line without blanks around it.
    pub text: String,
    /// Whether the file is a report.
    pub in_report: bool,
}

/// A mention in a commit's message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommitMention {
    pub commit: Commit,
    /// The line of its message that names the report.
    pub text: String,
}

/// Mentions in the text files of some folders, by path and place. The report's own files and written indexes are left
/// out.
pub(crate) fn in_files(folders: &[PathBuf], ids: &[String], own: &[PathBuf], reports: &[PathBuf]) -> Vec<Mention> {
    let finder = Finder::new(ids);
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (own, reports): (Vec<PathBuf>, Vec<PathBuf>) =
        (own.iter().map(|path| real(path)).collect(), reports.iter().map(|path| real(path)).collect());
    let mut found = Vec::new();
    mentions::walk(folders, &mut |_| true, &mut |path, bytes| {
        let text = String::from_utf8_lossy(&bytes);
        let places = finder.places(&text);
        if places.is_empty() || own.contains(&real(path)) || index_page::is_ours(&text) {
            return;
        }
        let in_report = reports.contains(&real(path));
        let (mut line, mut start, mut at) = (1_u32, 0, 0);
        for place in places {
            for (newline, _) in text.get(at..place.start).unwrap_or_default().match_indices('\n') {
                line += 1;
                start = at + newline + 1;
            }
            at = place.start;
            let words = text.get(start..).unwrap_or_default().lines().next().unwrap_or_default();
            let before = text.get(start..place.start).unwrap_or_default().chars().count();
            let column = u32::try_from(before + 1).unwrap_or(u32::MAX);
            found.push(Mention { path: path.to_owned(), line, column, text: around(words, before), in_report });
        }
    });
    found
}

/// Mentions in the messages of commits, newest first.
///
/// # Errors
/// When git is not installed, or the folder is not in a repository with a commit.
pub(crate) fn in_commits(folder: &Path, ids: &[String]) -> Result<Vec<CommitMention>, crate::reports::draft::Error> {
    let finder = Finder::new(ids);
    let pattern = |id: &String| id.split(['-', '_', ' ']).map(regex::escape).collect::<Vec<_>>().join("[-_ ]");
    let pattern = ids.iter().map(pattern).collect::<Vec<_>>().join("|");
    let mut found = Vec::new();
    for (commit, message) in git::messages_that_say(folder, &pattern)? {
        for line in message.lines().filter(|line| !finder.places(line).is_empty()) {
            found.push(CommitMention { commit: commit.clone(), text: line.trim().to_owned() });
        }
    }
    Ok(found)
}

/// A line, or the part around the character `at` if it is very long.
fn around(line: &str, at: usize) -> String {
    if line.len() <= LONGEST {
        return line.trim().to_owned();
    }
    let from = at.saturating_sub(LONGEST / 4);
    let words: String = line.chars().skip(from).take(LONGEST / 2).collect();
    format!("{}{}...", if from > 0 { "..." } else { "" }, words.trim())
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    #[test]
    fn places_are_lines_and_columns() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let write = |name: &str, bytes: &[u8]| {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let own = write("docs/BUG-20251110-003.md", b"BUG-20251110-003\n");
        let other = write("docs/BUG-20251110-004.md", b"---\nrelated: [BUG-20251110-003]\n---\n");
        write(
            "src/train.py",
            "x = 1  # \u{e9} BUG-20251110-003: BUG-20251110-003\r\n\n# bug_20251110_003\n".as_bytes(),
        );
        write("src/old.py", b"# caf\xe9\n# BUG-20251110-003\n");
        write("src/data.bin", b"\0BUG-20251110-003");
        write("out/log.txt", b"BUG-20251110-003");
        write("min.js", format!("{} BUG-20251110-003 {}", "x".repeat(900), "y".repeat(900)).as_bytes());
        write(".ignore", b"out\n");
        let ids = ["BUG-20251110-003".to_owned()];
        let found = in_files(&[root.to_owned()], &ids, std::slice::from_ref(&own), std::slice::from_ref(&other));
        let places: Vec<(String, u32, u32, bool)> = found
            .iter()
            .map(|one| {
                (one.path.strip_prefix(root).unwrap().display().to_string(), one.line, one.column, one.in_report)
            })
            .collect();
        let place = |name: &str, line, column, report| (name.to_owned(), line, column, report);
        assert_eq!(
            places,
            [
                place("docs/BUG-20251110-004.md", 2, 11, true),
                place("min.js", 1, 902, false),
                place("src/old.py", 2, 3, false),
                place("src/train.py", 1, 12, false),
                place("src/train.py", 1, 30, false),
                place("src/train.py", 3, 3, false),
            ]
        );
        assert!(found[1].text.contains("BUG-20251110-003") && found[1].text.len() < 300);
        assert_eq!(found[3].text, "x = 1  # \u{e9} BUG-20251110-003: BUG-20251110-003");
    }
}
