//! The lines of a report, each with its class: text, a heading, code, a label without value, a template's own words.
//!
//! Code fences contain program output, so only plain invitations to paste something count as a template's words there.

use std::ops::Range;

use super::placeholders::{LIFE, Left, invitation, is_boilerplate, is_bracketed, is_hole, is_todo, judge};
use crate::book::matter;

/// One line of a report's body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// Its bytes, without the line break.
    pub(super) range: Range<usize>,
    /// What it is.
    pub(super) class: Class,
    /// The words that a template left, where the line holds any.
    pub(super) left: Option<(Left, Range<usize>)>,
}

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Nothing, a rule, a comment, a fence's own line, an empty list item.
    Blank,
    /// A heading.
    Heading,
    /// A label without value: `- **GPU:**`, `- [ ] Confirmed`.
    Label,
    /// Inside a fence.
    Code,
    /// Anything else.
    Words,
}

impl Line {
    /// Whether the author wrote something here.
    pub(super) fn is_written(&self) -> bool {
        matches!(self.class, Class::Words | Class::Code) && !matches!(self.left, Some((Left::Placeholder, _)))
    }
}

/// All lines after the front matter.
pub(super) fn read(text: &str) -> Vec<Line> {
    let mut at = matter::split(text).body;
    let mut fence: Option<(u8, usize)> = None;
    let mut comment = false;
    let mut out = Vec::new();
    for raw in text.get(at..).unwrap_or_default().split_inclusive('\n') {
        let line = raw.trim_end_matches(['\n', '\r']);
        let range = at..at + line.len();
        at += raw.len();
        let words = line.trim_start().trim_start_matches(['>', ' ']);
        let blank = |range| Line { range, class: Class::Blank, left: None };
        if comment || words.starts_with("<!--") {
            comment = !words.contains("-->");
            out.push(blank(range));
            continue;
        }
        match (fence, fence_mark(words)) {
            (None, Some(mark)) => {
                fence = Some(mark);
                out.push(blank(range));
            }
            (Some((byte, length)), Some((other, longer)))
                if byte == other && longer >= length && words.trim().bytes().all(|b| b == byte) =>
            {
                fence = None;
                out.push(blank(range));
            }
            (Some(_), _) => {
                let class = if line.trim().is_empty() { Class::Blank } else { Class::Code };
                let left = invitation(line.trim())
                    .then(|| (Left::Placeholder, range.start + (line.len() - line.trim_start().len())..range.end));
                out.push(Line { range, class, left });
            }
            (None, None) => out.push(prose(line, range, text)),
        }
    }
    out
}

/// The fence that a line opens or closes: its character and length.
fn fence_mark(words: &str) -> Option<(u8, usize)> {
    let words = words.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '*' | '+' | '.' | ' '));
    let byte = *words.as_bytes().first().filter(|b| matches!(b, b'`' | b'~'))?;
    let length = words.bytes().take_while(|b| *b == byte).count();
    // Three backticks around words on one line are a code span.
    let span = byte == b'`' && words.get(length..).is_some_and(|rest| rest.contains('`'));
    (length >= 3 && !span).then_some((byte, length))
}

fn prose(line: &str, range: Range<usize>, text: &str) -> Line {
    let trimmed = line.trim();
    let make = |class, left| Line { range: range.clone(), class, left };
    if trimmed.is_empty() || is_rule(trimmed) || is_boilerplate(trimmed) {
        return make(Class::Blank, None);
    }
    if trimmed.starts_with('|') {
        return table_row(line, &range, text);
    }
    let is_heading = is_heading(trimmed);
    let (content, is_task) = strip_markers(line);
    let (label, value) = strip_label(content);
    let offset = |part: &str| part.as_ptr() as usize - line.as_ptr() as usize;
    let place = |part: &str| {
        let start = range.start + offset(part);
        start..start + part.len()
    };
    let left = match is_todo(content, "") && !is_heading {
        // "TODO: name the cause" looks like a label and its value.
        true => Some((Left::Todo, place(content))),
        false => judge(value, label.is_some(), is_task, text).map(|left| (left, place(value))),
    };
    let left = left.or_else(|| match label {
        // `[Component]: [what happened]` has a placeholder before the colon too.
        Some(label) if is_bracketed(label, true, text) => Some((Left::Placeholder, place(label))),
        _ => None,
    });
    // An open box of a bug's life cycle is an unanswered question.
    if is_task && trimmed.contains("[ ]") && LIFE.contains(&content.to_lowercase().as_str()) {
        return make(Class::Label, None);
    }
    // A heading may be worded like a template's sentence: "What actually happens".
    let left = left.filter(|_| !is_heading || is_bracketed(value, label.is_some(), text) || is_hole(value));
    let class = match (is_heading, value.is_empty(), label) {
        (true, ..) => Class::Heading,
        (false, true, Some(_)) => Class::Label,
        (false, true, None) => Class::Blank,
        _ => Class::Words,
    };
    make(class, left)
}

fn table_row(line: &str, range: &Range<usize>, text: &str) -> Line {
    let cells: Vec<&str> = line.split('|').map(str::trim).filter(|cell| !cell.is_empty()).collect();
    if cells.iter().all(|cell| cell.bytes().all(|b| matches!(b, b'-' | b':'))) {
        return Line { range: range.clone(), class: Class::Blank, left: None };
    }
    let left = cells.iter().find_map(|cell| {
        let start = range.start + (cell.as_ptr() as usize - line.as_ptr() as usize);
        Some((judge(cell, true, false, text)?, start..start + cell.len()))
    });
    let class = if cells.len() < 2 && line.matches('|').count() > 2 { Class::Label } else { Class::Words };
    Line { range: range.clone(), class, left }
}

fn is_heading(trimmed: &str) -> bool {
    let marks = trimmed.bytes().take_while(|b| *b == b'#').count();
    (1..=6).contains(&marks) && trimmed.as_bytes().get(marks).is_none_or(|b| *b == b' ')
}

fn is_rule(trimmed: &str) -> bool {
    let mut bytes = trimmed.bytes().filter(|b| *b != b' ');
    let Some(first) = bytes.next().filter(|b| matches!(b, b'-' | b'*' | b'_' | b'=')) else { return false };
    trimmed.len() >= 3 && bytes.all(|b| b == first)
}

/// The words after quote marks, heading marks, list markers and a task box, and whether there was a box.
fn strip_markers(line: &str) -> (&str, bool) {
    let mut rest = line.trim().trim_start_matches(['>', '#', ' ']);
    for marker in ["- ", "* ", "+ ", "• "] {
        rest = rest.strip_prefix(marker).unwrap_or(rest).trim_start();
    }
    if matches!(rest, "-" | "*" | "+") {
        return ("", false);
    }
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if (1..=3).contains(&digits)
        && let Some(after) = rest.get(digits..)
        && let Some(after) =
            after.strip_prefix(". ").or_else(|| after.strip_prefix(") ")).or((after == ".").then_some(""))
    {
        rest = after.trim_start();
    }
    for task in ["[ ]", "[x]", "[X]"] {
        if let Some(after) = rest.strip_prefix(task).filter(|after| after.is_empty() || after.starts_with(' ')) {
            return (after.trim(), true);
        }
    }
    (rest, false)
}

/// Splits `**GPU:** RTX 3060`, `GPU: RTX 3060` into label and value.
pub(super) fn strip_label(content: &str) -> (Option<&str>, &str) {
    if let Some(opened) = content.strip_prefix("**").or_else(|| content.strip_prefix("__"))
        && let Some(end) = opened.find("**").or_else(|| opened.find("__"))
        && end <= 60
    {
        let label = &opened[..end];
        let after = &opened[end + 2..];
        let colon = label.trim_end().ends_with([':', '：']) || after.trim_start().starts_with([':', '：']);
        if colon {
            let label = label.trim().trim_end_matches([':', '：']);
            return (Some(label), after.trim_start().trim_start_matches([':', '：']).trim());
        }
        return (None, content);
    }
    let Some(at) = content.find([':', '：']) else { return (None, content) };
    let (label, rest) = content.split_at(at);
    let value = rest.trim_start_matches([':', '：']);
    let fits = !label.trim().is_empty()
        && label.chars().count() <= 40
        && label.split_whitespace().count() <= 5
        && !label.contains(['`', '"', '(', '=', '{', '\\', '<'])
        && (value.is_empty() || value.starts_with(' '));
    if fits { (Some(label.trim()), value.trim()) } else { (None, content) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(text: &str) -> Option<(Left, String)> {
        read(text).into_iter().find_map(|line| line.left).map(|(left, range)| (left, text[range].to_owned()))
    }

    #[test]
    fn a_templates_own_words_are_known() {
        for (line, words) in [
            ("Brief description of the bug.", "Brief description of the bug."),
            ("- **GPU:** [GPU model]", "[GPU model]"),
            ("* OS: [e.g. Ubuntu 22.04]", "[e.g. Ubuntu 22.04]"),
            ("# Bug Report: [Title]", "[Title]"),
            ("1. First step", "First step"),
            ("| Python | <your version> |", "<your version>"),
            ("**Date:** YYYY-MM-DD", "YYYY-MM-DD"),
            ("BUG-YYYYMMDD-NNN", "BUG-YYYYMMDD-NNN"),
            ("```\n[Paste the log here]\n```", "[Paste the log here]"),
            ("Summary is {{ summary }}.", "Summary is {{ summary }}."),
            (
                "A clear and concise description of what the bug is.",
                "A clear and concise description of what the bug is.",
            ),
            ("```\nError message here\n```", "Error message here"),
            ("- **OS**: Not specified", "Not specified"),
            ("- **Trigger**: What triggers the issue", "What triggers the issue"),
            ("여기에 로그를 붙여 넣으세요", "여기에 로그를 붙여 넣으세요"),
        ] {
            assert_eq!(left(line), Some((Left::Placeholder, words.to_owned())), "{line}");
        }
        for (line, words) in [
            ("TODO: name the cause", "TODO: name the cause"),
            ("- **Impact:** TBD", "TBD"),
            ("To be determined.", "To be determined."),
        ] {
            assert_eq!(left(line), Some((Left::Todo, words.to_owned())), "{line}");
        }
    }

    #[test]
    fn what_people_write_is_left_alone() {
        for line in [
            "[rank0]: RuntimeError: x",
            "```\n[INFO] Training started\n[Test 1] Forward\n{{ x }}\n```",
            "[see the log](log.md)",
            "[the other report]\n\n[the other report]: x.md",
            "- [ ] Describe the flag in the README",
            "- [x] Run it for 100 steps",
            "The TODO in the code is old",
            "**GPU:** [RTX 3090, RTX 3060]",
            "<details><summary>Log</summary>",
            "- `{{ gpu }}` is printed as it is",
            "- Provide a fallback when cuDNN fails",
            "N/A",
            "Describing the bug is hard",
            "tags: ['a', 'b']",
            "<omitting python frames>",
            "## TODO",
            "### What actually happens",
            "Dates are written in the YYYY-MM-DD format.",
            "<details open>",
            "{{WS|a.b}} and {{}}",
            "What should happen is that it trains.",
            "*This bug report follows the project's standardized format for issue tracking.*",
            "- [ ] Confirmed",
            "[0, 1, 2]",
        ] {
            assert_eq!(left(line), None, "{line}");
        }
    }

    #[test]
    fn lines_have_classes() {
        let text = "---\na: b\n---\n# H\n\n- **GPU:**\n- \n---\n<!-- a\nb -->\n```\ncode\n\n```\n| a | b |\n|---|---|\nwords\n";
        let classes: Vec<Class> = read(text).into_iter().map(|line| line.class).collect();
        use Class::{Blank, Code, Heading, Label, Words};
        assert_eq!(
            classes,
            [Heading, Blank, Label, Blank, Blank, Blank, Blank, Blank, Code, Blank, Blank, Words, Blank, Words]
        );
        assert_eq!(strip_label("https://a.b"), (None, "https://a.b"));
        assert_eq!(strip_label("**Bold** words"), (None, "**Bold** words"));
    }
}
