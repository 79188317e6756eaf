//! Passages of documents about failures: rows of markdown tables, and sections for people who look for help.
//!
//! Exceptions and fenced blocks inside such a section still count, because a program printed them. The tables of
//! nvidia-smi also use `|`; they differ from markdown by the `+` in their rules.

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

/// For each line whether it belongs to such a passage; empty when the text has none.
pub(super) fn lines(transcript: &Transcript) -> Vec<bool> {
    let mut found = Vec::new();
    // The depth of the heading that opened a section, and whether a fenced block is open in it.
    let mut section: Option<usize> = None;
    let mut fenced = false;
    for line in transcript.lines() {
        let text = line.text.trim();
        let mut mark = |index: usize| {
            if found.is_empty() {
                found = vec![false; transcript.len()];
            }
            found[index] = true;
        };
        if is_rule(text) {
            let is_row = |index: &usize| transcript.line(*index).text.trim().starts_with('|');
            (0..line.index).rev().take(1).take_while(is_row).for_each(&mut mark);
            (line.index..transcript.len()).take_while(is_row).for_each(&mut mark);
        }
        if let Some(depth) = heading(text) {
            let lower = text.to_ascii_lowercase();
            let opens = HELP.iter().any(|word| lower.contains(word));
            section = section.filter(|outer| depth > *outer).or_else(|| opens.then_some(depth));
        }
        fenced = fenced != text.starts_with("```");
        if section.is_some() && !fenced && !is_exception(text) {
            mark(line.index);
        }
    }
    found
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
    let name = text.split_once(": ").map_or("", |(name, _)| name);
    text.starts_with("Traceback (most recent") || ["Error", "Exception"].iter().any(|ending| name.ends_with(ending))
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
    fn what_programs_printed_stays() {
        let report = "# FAQ\n```\nCUDA error: out of memory\n```\nRuntimeError: CUDA error: out of memory";
        assert_eq!(marked(report), [0, 3]);
        let smi = "|-----+-----|\n| 0 ERR! |\n+-----+-----+";
        assert!(marked(smi).is_empty() && marked("#1 CUDA out of memory\n# Bug\nCUDA out of memory").is_empty());
    }
}
