//! The id at a position of a text.

use std::ops::Range;

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
}
