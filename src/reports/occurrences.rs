//! How often a report's failure happened: the day of the report, and those of the occurrences that were added to it.

use crate::book::sections::{Document, Outline};
use crate::reports::dates;
use crate::reports::draft::moment::Moment;
use crate::wording;

/// What Faultbook writes of an occurrence after the report was solved.
const CAME_BACK: &str = "**Came back:**";

/// The occurrences that a report's text tells of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Occurrences {
    /// Their days, in the order of the text.
    pub days: Vec<String>,
    /// Whether one of them was after the report had been solved.
    pub returned: bool,
}

/// Reads them.
pub(crate) fn read(text: &str) -> Occurrences {
    // Headings under which each dated heading is an occurrence.
    let headings = &wording::headings().occurrences;
    let lower = text.to_lowercase();
    if !headings.iter().any(|heading| lower.contains(heading)) {
        return Occurrences::default();
    }
    let doc = Document::read(text, Outline::Strict);
    let mut found = Occurrences::default();
    for (index, section) in doc.sections.iter().enumerate().filter(|(_, s)| headings.contains(&s.key.as_str())) {
        let days = doc.children(index).filter_map(|(_, child)| day(&child.title));
        found.days.extend(days);
        found.returned |= text.get(section.range.clone()).is_some_and(|text| text.contains(CAME_BACK));
    }
    found
}

/// The day that a heading begins with.
fn day(title: &str) -> Option<String> {
    let words: Vec<&str> = title.split_whitespace().collect();
    let read = |count: usize| dates::reading(&words.get(..count)?.join(" ")).and_then(|date| Moment::parse(&date));
    (1..=3).find_map(read).map(|moment| moment.day())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dated_headings_are_occurrences() {
        let text = "# T\n\n## Occurrences\n\n### 2026-01-02 18:08 (KST)\n\n- x\n\n### Nov 12, 2026\n\n- **Came back:** the status\n\n### Notes\n\n## Other\n\n### 2026-05-05\n";
        let found = read(text);
        assert_eq!((found.days, found.returned), (vec!["2026-01-02".to_owned(), "2026-11-12".to_owned()], true));
        assert_eq!(read("# T\n\n## Summary\n\nNo occurrences yet.\n"), Occurrences::default());
    }
}
