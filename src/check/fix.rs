//! Applies the edits of findings. All other bytes stay as they are, and fixing a fixed document
//! changes nothing.

use super::finding::{Edit, Finding};
use super::{Document, Setting, check};

/// The text with the edits of its findings made. Of two edits that overlap the first is made; the other one comes up
/// again when the text is checked again.
pub fn apply(text: &str, findings: &[Finding]) -> String {
    let mut edits: Vec<&Edit> = findings.iter().filter_map(|finding| finding.fix.as_ref()).collect();
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    edits.dedup();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        let (Some(before), true) = (text.get(at..edit.range.start.max(at)), edit.range.start >= at) else { continue };
        if !text.is_char_boundary(edit.range.end) || edit.range.end > text.len() {
            continue;
        }
        out.push_str(before);
        out.push_str(&edit.replacement);
        at = edit.range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// Fixes documents until nothing fixable is left; returns the remaining findings.
pub fn fix_all(documents: &mut [Document], setting: &Setting<'_>) -> Vec<Finding> {
    /// One fix can reveal another (keys can only be read once the quotes are right); this is more than any needs.
    const ROUNDS: usize = 6;
    let mut findings = check(documents, setting);
    for _ in 0..ROUNDS {
        if findings.iter().all(|finding| finding.fix.is_none()) {
            break;
        }
        for document in documents.iter_mut().filter(|document| document.replaced.is_none()) {
            let own: Vec<Finding> = findings.iter().filter(|finding| finding.path == document.path).cloned().collect();
            document.text = apply(&document.text, &own);
        }
        findings = check(documents, setting);
    }
    findings
}

/// Whether an edit takes a word out that it does not put back.
pub(super) fn loses_words(text: &str, edit: &Edit) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let kept = words(&edit.replacement);
    let out = words(text.get(edit.range.clone()).unwrap_or_default());
    // Numbers of a list are counted again.
    out.iter().any(|word| !kept.contains(word) && word.chars().any(char::is_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::finding::Source;

    #[test]
    fn edits_are_made_once_and_in_order() {
        let text = "one two three";
        let source = Source::new("a.md", text);
        let at = |range: std::ops::Range<usize>, to: &str| source.finding(0..1, "todo", "").fix(range, to);
        assert_eq!(apply(text, &[at(8..13, "3"), at(0..3, "1"), at(2..5, "?")]), "1 two 3");
        assert_eq!(apply(text, &[at(3..3, ","), at(3..3, ",")]), "one, two three");
        assert_eq!(apply(text, &[at(3..3, ","), at(3..3, ";")]), "one,; two three");
        assert_eq!(apply(text, &[at(10..99, "")]), text);
        assert_eq!(apply(text, &[]), text);
    }
}
