//! Passages of documents about failures: rows of markdown tables, sections for people who look for help, patches,
//! documentation strings, and what pytest warns about in a session that passed.
//!
//! Exceptions and fenced blocks inside such a section still count, because a program printed them. The tables of
//! nvidia-smi also use `|`; they differ from markdown by the `+` in their rules.

use super::source::is_source;
use super::words::names_an_exception;
use super::{answer, is_written};
use crate::text::Transcript;

/// Words in the heading of a section about failures that others had or may have.
const HELP: [&str; 9] = [
    "troubleshoot",
    "faq",
    "frequently asked",
    "common error",
    "common issue",
    "common problem",
    "known issue",
    "runbook",
    "on-call",
];

/// For each line whether it is no evidence by itself: in an answer of Faultbook's own or in a document, or written by a
/// person as code or a mention.
pub(crate) fn lines_without_evidence(transcript: &Transcript) -> Vec<bool> {
    let mut found = answer::lines(transcript);
    for (index, slot) in found.iter_mut().enumerate() {
        let line = transcript.line(index);
        *slot |= line.prefix.level.is_none() && is_written(line.text);
    }
    for (slot, document) in found.iter_mut().zip(lines(transcript)) {
        *slot |= document;
    }
    found
}

/// For each line whether it belongs to such a passage; empty when the text has none.
pub(super) fn lines(transcript: &Transcript) -> Vec<bool> {
    if is_source(transcript) {
        return vec![true; transcript.len()];
    }
    let mut found = Vec::new();
    // The depth of the heading that opened a section, and whether a fenced block is open in it.
    let mut section: Option<usize> = None;
    let mut fenced = false;
    // Where the table and the patch end that were marked last: each line is marked once.
    let (mut table, mut patch) = (0, 0);
    for line in transcript.lines() {
        let text = line.text.trim();
        let mut mark = |index: usize| {
            if found.is_empty() {
                found = vec![false; transcript.len()];
            }
            found[index] = true;
        };
        if line.index >= table && is_rule(text) {
            let is_row = |index: &usize| transcript.line(*index).text.trim().starts_with('|');
            (0..line.index).rev().take(1).take_while(is_row).for_each(&mut mark);
            table = (line.index..transcript.len()).take_while(is_row).last().map_or(0, |last| last + 1);
            (line.index..table).for_each(&mut mark);
        }
        if let Some(depth) = heading(text) {
            let lower = text.to_ascii_lowercase();
            let opens = HELP.iter().any(|word| lower.contains(word));
            section = section.filter(|outer| depth > *outer).or_else(|| opens.then_some(depth));
        }
        if line.index >= patch && text.starts_with("@@ -") {
            let lines = (line.index..transcript.len()).take_while(|&index| is_patch(transcript.line(index).text));
            patch = lines.last().map_or(0, |last| last + 1);
            (line.index..patch).for_each(&mut mark);
        }
        let author = || transcript.line(line.index + 1).text;
        if text.starts_with("commit ") && line.index + 1 < transcript.len() && author().starts_with("Author: ") {
            let message = |index: &usize| {
                let text = transcript.line(*index).text;
                text.trim().is_empty()
                    || ["    ", "Author: ", "Date: ", "Merge: "].iter().any(|start| text.starts_with(start))
            };
            (line.index + 1..transcript.len()).take_while(message).for_each(&mut mark);
        }
        if opens_documentation(text) && line.index > 0 && is_definition(transcript.line(line.index - 1).text) {
            let rest = line.index + 1..transcript.len();
            let end = rest.take(LONGEST).find(|&index| transcript.line(index).text.contains(TRIPLE));
            (line.index..=end.unwrap_or(line.index)).for_each(&mut mark);
        }
        if text.starts_with('=') && text.contains(" warnings summary ") {
            let rest = line.index + 1..transcript.len();
            let end = rest.take(LONGEST).find(|&index| is_passed(transcript.line(index).text));
            (line.index..=end.unwrap_or(line.index)).for_each(&mut mark);
        }
        fenced = fenced != text.starts_with("```");
        if section.is_some() && !fenced && !is_exception(text) {
            mark(line.index);
        }
    }
    found
}

/// Most lines of a documentation string, and of what pytest warns about.
const LONGEST: usize = 200;
const TRIPLE: &str = "\"\"\"";

/// A line of a patch below its `@@`.
fn is_patch(text: &str) -> bool {
    const HEADS: [&str; 7] =
        ["@@ ", "diff --git ", "index ", "new file ", "deleted file ", "similarity ", "\\ No newline"];
    text.is_empty() || text.starts_with(['+', '-', ' ']) || HEADS.iter().any(|head| text.starts_with(head))
}

/// The first line of a documentation string of several lines.
fn opens_documentation(text: &str) -> bool {
    text.strip_prefix(TRIPLE).or_else(|| text.strip_prefix("r\"\"\"")).is_some_and(|rest| !rest.contains(TRIPLE))
}

/// What a documentation string follows.
fn is_definition(text: &str) -> bool {
    let text = text.trim();
    text.ends_with(':') && ["def ", "class ", "async def ", ") ->", "):"].iter().any(|start| text.starts_with(start))
}

/// The end of a session of pytest in which nothing failed.
fn is_passed(text: &str) -> bool {
    text.starts_with('=') && text.contains(" passed") && !text.contains(" failed") && !text.contains(" error")
}

/// The depth of a markdown heading.
fn heading(text: &str) -> Option<usize> {
    let words = text.trim_start_matches('#');
    let depth = text.len() - words.len();
    ((1..=6).contains(&depth) && words.starts_with(' ')).then_some(depth)
}

/// `|---|:---:|` below the head of a table.
fn is_rule(text: &str) -> bool {
    text.starts_with('|') && text.contains("---") && text.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

/// A line that Python prints for an exception, or its traceback's beginning.
fn is_exception(text: &str) -> bool {
    let names_one = || text.split_once(": ").is_some_and(|(name, _)| names_an_exception(name));
    text.starts_with("Traceback (most recent") || names_one()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(text: &str) -> Vec<usize> {
        let marks = lines(&crate::text::read(text.as_bytes()));
        marks.iter().enumerate().filter(|(_, mark)| **mark).map(|(index, _)| index).collect()
    }

    #[test]
    fn tables_and_sections() {
        let table = "see\n| Xid | meaning |\n|-----|:-------:|\n| 79 | GPU has fallen off the bus |\nend";
        assert_eq!(marked(table), [1, 2, 3]);
        let page = "## Common errors\nCUDA out of memory: use less\n### oom\nmore\n## Log\nCUDA out of memory";
        assert_eq!(marked(page), [0, 1, 2, 3]);
    }

    #[test]
    fn patches_and_documentation_strings() {
        let patch = "see\n@@ -1,2 +1,2 @@ def f\n-CUDA out of memory\n+    it\n line\nRuntimeError: CUDA out of memory";
        assert_eq!(marked(patch), [1, 2, 3, 4]);
        let code =
            "def run(x):\n    \"\"\"Runs it.\n    CUDA out of memory: too large.\n    \"\"\"\n    CUDA out of memory";
        assert_eq!(marked(code), [1, 2, 3]);
        assert!(marked("print(\n\"\"\"CUDA out of memory\n\"\"\")").is_empty());
    }

    #[test]
    fn messages_of_commits() {
        let log = "commit 9a1e4f2b7c\nAuthor: A\nDate: today\n\n    retry on CUDA out of memory\n\nCUDA out of memory";
        assert_eq!(marked(log), [1, 2, 3, 4, 5]);
        assert!(marked("commit 9a1e4f2b7c\n    CUDA out of memory\ncommit 9a1e4f2b7c").is_empty());
    }

    #[test]
    fn warnings_of_a_session_that_passed() {
        let session = |end: &str| format!("== warnings summary ==\nno NVIDIA driver\n== {end} in 1 s ==\nKilled");
        assert_eq!(marked(&session("3 passed, 1 warning")), [0, 1, 2]);
        assert_eq!(marked(&session("1 failed, 3 passed")), [0]);
    }

    #[test]
    fn what_programs_printed_stays() {
        let report = "# FAQ\n```\nCUDA error: out of memory\n```\nRuntimeError: CUDA error: out of memory";
        assert_eq!(marked(report), [0, 3]);
        let smi = "|-----+-----|\n| 0 ERR! |\n+-----+-----+";
        assert!(marked(smi).is_empty() && marked("#1 CUDA out of memory\n# Bug\nCUDA out of memory").is_empty());
    }
}
