//! A report's status, changed where it stands; every other byte stays.
//!
//! The front matter holds it; where there is none, the line `**Status:** open` does. Which words are in use is the
//! linter's list.

use std::path::Path;

use super::error::Error;
use super::write;
use crate::book::matter;
use crate::book::sections::is_decoration;
use crate::reports::reading;
use crate::reports::status;

/// What a change came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Changed {
    /// The word before, as written; empty where there was none.
    pub before: String,
    /// The word now.
    pub after: String,
}

/// Gives the report at `path` another status, and notes the commit that did it.
///
/// # Errors
/// When the word is no status, or the file cannot be changed.
pub(crate) fn set(path: &Path, word: &str, commit: Option<&str>) -> Result<Changed, Error> {
    let after = status::canonical(word).ok_or_else(|| {
        Error::report(
            format!("`{word}` is not a status"),
            "open, in_progress, investigating, resolved, closed, wontfix, duplicate, archived, ...",
        )
    })?;
    let mut before = String::new();
    write::change(path, |text| {
        let (changed, was) = with_status(text, after, commit)?;
        before = was;
        Ok(changed)
    })?;
    Ok(Changed { before, after: after.to_owned() })
}

/// The text with another status, and the one it had.
fn with_status(text: &str, word: &str, commit: Option<&str>) -> Result<(String, String), Error> {
    let Some(matter) = matter::split(text).matter else {
        // A line that is not what the reader of reports takes would change nothing.
        let is_read = |text: &str| status::reading(&reading::read(Path::new(""), text).status) == Some(word);
        return match in_words(text, word, commit) {
            Ok((changed, was)) if is_read(&changed) => Ok((changed, was)),
            Ok(_) => where_it_is_read(text, word, commit).ok_or_else(|| {
                Error::report(
                    "the status is in a place where it cannot be changed",
                    "change it by hand where the report states it",
                )
            }),
            Err(error) => where_it_is_read(text, word, commit).ok_or(error),
        };
    };
    let mut out = text.to_owned();
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    // From the back to the front, so that places stay right.
    if let Some(commit) = commit {
        match value_of(text, matter.range.clone(), &["commit"]) {
            Some(range) => out.replace_range(range, &format!("\"{commit}\"")),
            None => out.insert_str(matter.range.end, &format!("commit: \"{commit}\"{end}")),
        }
    }
    // The first of two equal keys is what the reader of reports takes.
    match value_of(text, matter.range.clone(), &["status", "state"]) {
        Some(range) => {
            let written = text.get(range.clone()).unwrap_or_default();
            let quote =
                written.chars().next().filter(|c| matches!(c, '"' | '\'')).map(String::from).unwrap_or_default();
            let before = written.trim_matches(['"', '\'']).to_owned();
            let new = format!("{quote}{word}{quote}");
            // A commit that was written further up has moved nothing before it.
            let range = match commit.and_then(|_| value_of(&out, matter.range.start..out.len(), &["status", "state"])) {
                Some(moved) => moved,
                None => range,
            };
            // `status:` without a value has no blank behind its colon either.
            let blank = if out.get(..range.start).is_some_and(|before| before.ends_with(':')) { " " } else { "" };
            out.replace_range(range, &format!("{blank}{new}"));
            Ok((out, before))
        }
        None => {
            out.insert_str(matter.range.end, &format!("status: \"{word}\"{end}"));
            Ok((out, String::new()))
        }
    }
}

/// Where the value of a top-level key stands, its quotes included.
fn value_of(text: &str, range: std::ops::Range<usize>, keys: &[&str]) -> Option<std::ops::Range<usize>> {
    let mut start = range.start;
    for line in text.get(range)?.split_inclusive('\n') {
        let at = start;
        start += line.len();
        let words = line.trim_end_matches(['\n', '\r']);
        if words.starts_with("---") || words.starts_with("...") {
            return None;
        }
        let Some((key, rest)) = words.split_once(':') else { continue };
        let plain = key.trim_matches(['"', '\'']).to_ascii_lowercase();
        if key.starts_with([' ', '\t']) || !keys.contains(&plain.as_str()) {
            continue;
        }
        let value = rest.trim_start();
        let from = at + key.len() + 1 + (rest.len() - value.len());
        let length = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                value.get(1..).and_then(|rest| rest.find(quote)).map_or(value.trim_end().len(), |end| end + 2)
            }
            _ => value.split(" #").next().unwrap_or_default().trim_end().len(),
        };
        return Some(from..from + length);
    }
    None
}

/// `**Status:** open`, `- Status: open`, or the first line below `## Status`, in a report without front matter.
fn in_words(text: &str, word: &str, commit: Option<&str>) -> Result<(String, String), Error> {
    let mut start = 0;
    let mut below_heading = false;
    let mut fenced = false;
    for line in text.split_inclusive('\n') {
        let at = start;
        start += line.len();
        let words = line.trim_end_matches(['\n', '\r']);
        fenced ^= words.trim_start().starts_with("```");
        if fenced || words.trim().is_empty() {
            continue;
        }
        let found = if below_heading {
            Some((at, words))
        } else {
            labelled(words).map(|value| (at + words.len() - value.len(), value))
        };
        if let Some((from, value)) = found {
            let value = value.trim();
            let from = from + text.get(from..).map_or(0, |rest| rest.len() - rest.trim_start().len());
            let mut out = text.to_owned();
            let noted = commit.map(|commit| format!(" (`{commit}`)")).unwrap_or_default();
            out.replace_range(from..from + value.len(), &format!("{word}{noted}"));
            return Ok((out, value.to_owned()));
        }
        below_heading = words.trim_start_matches('#').trim().eq_ignore_ascii_case("status") && words.starts_with('#');
    }
    Err(Error::report("the report has no status", "`faultbook check --fix` adds front matter to it"))
}

/// The text with another word where the reader of reports finds the status: a table, a marked heading, another language's
/// label. Each place that has the word is tried.
fn where_it_is_read(text: &str, word: &str, commit: Option<&str>) -> Option<(String, String)> {
    const TRIED: usize = 40;
    let before = reading::read(Path::new(""), text).status;
    if before.is_empty() {
        return None;
    }
    let noted = commit.map(|commit| format!(" (`{commit}`)")).unwrap_or_default();
    text.match_indices(before.as_str()).take(TRIED).find_map(|(at, _)| {
        let head = text.get(..at)?;
        // A tick before the old word says the same as the word.
        let kept = head.trim_end_matches(|c: char| is_decoration(c) && c != '\n');
        let blank = if kept.len() < at && !kept.ends_with('\n') && head.len() > kept.len() { " " } else { "" };
        let changed = format!("{kept}{blank}{word}{noted}{}", text.get(at + before.len()..)?);
        let is_read = status::reading(&reading::read(Path::new(""), &changed).status) == Some(word);
        is_read.then(|| (changed, before.clone()))
    })
}

/// What follows `Status:`.
fn labelled(words: &str) -> Option<&str> {
    let plain = words.trim_start_matches([' ', '-', '*', '|']);
    let rest = plain.strip_prefix("Status").or_else(|| plain.strip_prefix("status"))?;
    let rest = rest.trim_start_matches('*').strip_prefix(':')?.trim_start_matches('*');
    (!rest.trim().is_empty()).then_some(rest)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;
    use crate::hint::Hint as _;

    #[test]
    fn a_status_is_changed_wherever_it_is_read() {
        for (text, changed) in [
            ("# T\n\n| Field | Value |\n| --- | --- |\n| Status | ✅ Resolved |\n", "| Status | wontfix |"),
            ("# T\n\n**Date:** 2025-11-10 | **Status:** open | **Severity:** High\n", "| **Status:** wontfix |"),
            ("# T\n\n- **상태**: 해결됨\n", "- **상태**: wontfix\n"),
            ("# T\n\n| 状态 | 日期 |\n| --- | --- |\n| 已解决 | 2025-11-10 |\n", "| wontfix | 2025-11-10 |"),
            ("# T\n\n## Status: ✅ Resolved\n", "## Status: wontfix\n"),
            ("# T\n\nStatus: Open\n\n## Update 2025-07-01\n\nStatus: Closed\n", "2025-07-01\n\nStatus: wontfix\n"),
            ("# T\n\n<table><tr><td>Status</td><td>Open</td></tr></table>\n", "<td>wontfix</td>"),
        ] {
            let (seen, _) = with_status(text, "wontfix", None).unwrap();
            assert!(seen.contains(changed), "{seen}");
            assert_eq!(reading::read(Path::new(""), &seen).status, "wontfix", "{seen}");
        }
        assert!(with_status("# T\n\nIt is open.\n", "wontfix", None).is_err());
    }

    #[test]
    fn every_other_byte_stays() {
        for (text, word, commit, wanted, before) in [
            (
                "---\nstatus: \"active\"\nx: 1\n---\nb\n",
                "resolved",
                None,
                "---\nstatus: \"resolved\"\nx: 1\n---\nb\n",
                "active",
            ),
            (
                "---\r\nStatus: open # now\r\n---\r\nb",
                "closed",
                None,
                "---\r\nStatus: closed # now\r\n---\r\nb",
                "open",
            ),
            ("\u{feff}---\nstatus: 'a'\n---\n", "open", None, "\u{feff}---\nstatus: 'open'\n---\n", "a"),
            ("---\nstatus:\nx: 1\n---\n", "open", None, "---\nstatus: open\nx: 1\n---\n", ""),
            ("---\ntitle: x\n---\nstatus: y\n", "open", None, "---\ntitle: x\nstatus: \"open\"\n---\nstatus: y\n", ""),
            (
                "---\nstatus: open\ntitle: x\n---\nb\n",
                "resolved",
                Some("abc"),
                "---\nstatus: resolved\ntitle: x\ncommit: \"abc\"\n---\nb\n",
                "open",
            ),
            (
                "---\ncommit: \"1234567890\"\nstatus: open\n---\nb\n",
                "resolved",
                Some("abc"),
                "---\ncommit: \"abc\"\nstatus: resolved\n---\nb\n",
                "open",
            ),
            (
                "# T\n\n**Status:** 🔴 Open\n\nx\n",
                "resolved",
                Some("abc"),
                "# T\n\n**Status:** resolved (`abc`)\n\nx\n",
                "🔴 Open",
            ),
            ("# T\n\n## Status\n\nOpen\n\nx\n", "closed", None, "# T\n\n## Status\n\nclosed\n\nx\n", "Open"),
        ] {
            assert_eq!(with_status(text, word, commit).unwrap(), (wanted.to_owned(), before.to_owned()), "{text}");
        }
        assert!(with_status("# T\n", "open", None).is_err());
    }

    #[test]
    fn the_file_changes_only_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md");
        std::fs::write(&path, "---\nstatus: open\n---\nx \t \n").unwrap();
        let changed = set(&path, "In Progress", None).unwrap();
        assert_eq!((changed.before.as_str(), changed.after.as_str()), ("open", "in_progress"));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "---\nstatus: in_progress\n---\nx \t \n");
        assert!(set(&path, "sleeping", None).unwrap_err().hint().is_some());
        std::fs::write(&path, b"---\nstatus: open\n---\n\xff\n").unwrap();
        assert!(set(&path, "closed", None).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"---\nstatus: open\n---\n\xff\n");
    }
}
