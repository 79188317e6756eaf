//! A template that was left above the real text: its sections hold only its own words, and the same headings come again
//! below with something in them.
//!
//! Its sections can be taken out without losing anything, so this is the one finding whose fix removes lines. A
//! section of it with a filled-in value stays.

use std::ops::Range;

use super::finding::{Finding, Source};
use super::lines::Line;
use super::placeholders::Left;
use super::report_sections::below;
use crate::book::sections::Document;

/// The finding, and the bytes of the template that was left.
pub(super) fn check(source: &Source<'_>, doc: &Document<'_>, lines: &[Line]) -> Option<(Finding, Range<usize>)> {
    let sections = &doc.sections;
    // A section of the template and the first real one of the same name below it.
    let (first, real) = sections.iter().enumerate().find_map(|(index, section)| {
        if section.level < 2 || !is_template(doc, index, lines) {
            return None;
        }
        let again = sections.iter().enumerate().skip(index + 1);
        let real =
            again.filter(|(_, other)| other.key == section.key).find(|(other, _)| !is_template(doc, *other, lines));
        real.map(|(real, _)| (index, real))
    })?;
    // The real text may begin with a title of its own.
    let begins = match sections.get(real).and_then(|section| section.parent).filter(|parent| *parent > first) {
        Some(parent) => parent,
        None => real,
    };
    let title = first.checked_sub(1).filter(|before| {
        let is_title = sections.get(*before).is_some_and(|section| section.level == 1);
        let two_titles = sections.get(begins).is_some_and(|section| section.level == 1);
        is_title && two_titles && own_lines_are_template(doc, *before, lines)
    });
    let start = sections.get(title.unwrap_or(first))?.range.start;
    let end = sections.get(begins)?.range.start;
    let kept = own_sections(doc, first..begins, lines);
    let words = sections.get(first)?;
    let mark = below(doc, words, lines).iter().find_map(|line| line.left.clone().map(|(_, range)| range));
    let message = format!("the template's placeholder text is left in {}", words.title);
    let real_line = source.line_of(sections.get(real)?.range.start);
    let help = format!(
        "the real {} begins at line {real_line}; `faultbook check --fix --fix-removals` removes the template",
        words.title
    );
    let finding = source.finding(mark.unwrap_or(start..start + 1), "template-left", message).help(help);
    Some((finding.fix(start..end, kept), start..end))
}

/// Whether a section holds at least one of the template's own words and nothing else.
fn is_template(doc: &Document<'_>, index: usize, lines: &[Line]) -> bool {
    let Some(section) = doc.sections.get(index) else { return false };
    let below = below(doc, section, lines);
    below.iter().any(|line| matches!(line.left, Some((Left::Placeholder, _)))) && !below.iter().any(Line::is_written)
}

/// The text of the sections that were filled in, headings around them included.
fn own_sections(doc: &Document<'_>, range: Range<usize>, lines: &[Line]) -> String {
    let mut kept = vec![false; range.len()];
    for index in range.clone().filter(|index| !own_lines_are_template(doc, *index, lines)) {
        let mut around = Some(index);
        while let Some(section) = around.filter(|section| range.contains(section)) {
            if let Some(kept) = kept.get_mut(section - range.start) {
                *kept = true;
            }
            around = doc.sections.get(section).and_then(|section| section.parent);
        }
    }
    let text = |index: usize| {
        let start = doc.sections.get(index)?.range.start;
        doc.text.get(start..doc.sections.get(index + 1)?.range.start)
    };
    range.zip(kept).filter(|(_, kept)| *kept).filter_map(|(index, _)| text(index)).collect()
}

/// Whether the lines of a section before its first inner heading are all the template's.
fn own_lines_are_template(doc: &Document<'_>, index: usize, lines: &[Line]) -> bool {
    let Some(section) = doc.sections.get(index) else { return false };
    let end = doc.sections.get(index + 1).map_or(section.range.end, |next| next.range.start);
    below(doc, section, lines).iter().take_while(|line| line.range.start < end).all(|line| !line.is_written())
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;
    use crate::book::sections::Outline;
    use crate::check::lines;

    const LEFT: &str = "---\ntitle: x\n---\n# Bug Report: [Title]\n\n## Summary\nBrief description of the bug.\n\n## Environment\n- **GPU:** [GPU]\n- **OS:**\n\n# It breaks\n\n## Summary\nIt breaks at step 3.\n\n## Environment\n- **GPU:** A100\n";

    fn fixed(text: &str) -> Option<String> {
        let source = Source::new("a.md", text);
        let doc = Document::read(text, Outline::Strict);
        let (finding, _) = check(&source, &doc, &lines::read(text))?;
        Some(crate::check::apply(text, &[finding]))
    }

    #[test]
    fn the_template_goes_and_every_other_byte_stays() {
        let after = fixed(LEFT).unwrap();
        assert_eq!(
            after,
            "---\ntitle: x\n---\n# It breaks\n\n## Summary\nIt breaks at step 3.\n\n## Environment\n- **GPU:** A100\n"
        );
        assert_eq!(fixed(&after), None);
    }

    #[test]
    fn anybodys_own_words_stay() {
        let after = fixed(&LEFT.replace("[GPU]", "A100")).unwrap();
        assert_eq!(
            after,
            "---\ntitle: x\n---\n## Environment\n- **GPU:** A100\n- **OS:**\n\n# It breaks\n\n## Summary\nIt breaks at step 3.\n\n## Environment\n- **GPU:** A100\n"
        );
        assert_eq!(fixed(&after), None);
        assert_eq!(
            fixed(
                &LEFT.replace(
                    "# It breaks\n\n## Summary\nIt breaks at step 3.\n\n## Environment\n- **GPU:** A100\n",
                    ""
                )
            ),
            None
        );
    }
}
