//! Ids in a text: which one stands at a place, and every place where one stands.

use std::ops::Range;

use crate::lookup::comparable;

/// The word of id characters around a byte: letters, digits, `-`, `_`.
pub(super) fn around(line: &str, at: usize) -> Option<Range<usize>> {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let at = (0..=at.min(line.len())).rev().find(|at| line.is_char_boundary(*at))?;
    let before = line.get(..at)?;
    let start = before.char_indices().rev().take_while(|(_, c)| inside(*c)).last().map_or(at, |(i, _)| i);
    let after = line.get(at..)?;
    let end = at + after.find(|c| !inside(c)).unwrap_or(after.len());
    let word = line.get(start..end)?;
    // A dash or two at the edges belongs to the sentence.
    let trimmed = word.trim_matches(['-', '_']);
    if trimmed.is_empty() {
        return None;
    }
    let start = start + (word.len() - word.trim_start_matches(['-', '_']).len());
    Some(start..start + trimmed.len())
}

/// Whether a word has the form of a report's id: letters, then a group with digits.
pub(super) fn is_report_id(word: &str) -> bool {
    let mut parts = word.split(['-', '_']);
    let head = parts.next().unwrap_or_default();
    let rest: Vec<&str> = parts.collect();
    (2..=12).contains(&head.len())
        && head.chars().all(|c| c.is_ascii_alphabetic())
        && !rest.is_empty()
        && rest.iter().all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()))
}

/// Every place where one of the ids stands as a word of its own, in any case, with `-` and `_` taken for the same.
pub(super) fn places(text: &str, ids: &[String]) -> Vec<Range<usize>> {
    let wanted: Vec<String> = ids.iter().map(|id| comparable(id)).filter(|id| !id.is_empty()).collect();
    let mut out = Vec::new();
    let bytes = text.as_bytes();
    let inside = |at: usize| bytes.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    let mut at = 0;
    while at < bytes.len() {
        if !inside(at) {
            at += 1;
            continue;
        }
        let start = at;
        while inside(at) {
            at += 1;
        }
        let Some(word) = text.get(start..at) else { continue };
        for id in &wanted {
            // A file name goes on behind its id: `BUG-20251110-003-out-of-memory.md`.
            let whole = word.len() == id.len()
                || (word.len() > id.len()
                    && matches!(bytes.get(start + id.len()), Some(b'-' | b'_'))
                    && is_report_id(id));
            if whole && word.get(..id.len()).is_some_and(|head| comparable(head) == *id) {
                out.push(start..start + id.len());
                break;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_around_a_place() {
        let line = "# see BUG-20251110-003, cudnn-no-engine -- ü-x";
        for (at, word) in [
            (6, Some("BUG-20251110-003")),
            (22, Some("BUG-20251110-003")),
            (30, Some("cudnn-no-engine")),
            (40, None),
            (0, None),
            (1, None),
            (2, Some("see")),
            (999, Some("ü-x")),
        ] {
            assert_eq!(around(line, at).map(|range| &line[range]), word, "{at}");
        }
    }

    #[test]
    fn forms_of_ids() {
        for word in ["BUG-20251110-003", "bug_001", "BUG-2025-002", "DIAG-20251110-001"] {
            assert!(is_report_id(word), "{word}");
        }
        for word in ["cudnn-no-engine", "BUG", "3-4", "sm-86x", "a-1", "bug--1"] {
            assert!(!is_report_id(word), "{word}");
        }
    }

    #[test]
    fn places_of_ids() {
        let text = "BUG-1-2 bug_1_2 BUG-1-23 xBUG-1-2 (BUG-1-2) docs/BUG-1-2-words.md é BUG-1-2";
        let found: Vec<usize> = places(text, &["BUG-1-2".to_owned()]).into_iter().map(|range| range.start).collect();
        assert_eq!(found, [0, 8, 35, 49, 69]);
        assert_eq!(places("no-device no-device-x", &["no-device".to_owned()]).len(), 1);
    }
}
