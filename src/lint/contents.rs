//! A table of contents against the headings. It is rewritten as a whole, in the list style it has, because every line
//! of it follows from the headings.

use super::finding::{Finding, Source};
use super::links::slug;
use crate::book::blocks::{Item, Kind, List};
use crate::book::sections::{Document, Section};

/// Headings that a table of contents stands under.
const NAMES: [&str; 5] = ["table of contents", "contents", "toc", "목차", "index"];

/// Checks the document's table of contents.
pub(super) fn check(source: &Source<'_>, doc: &Document<'_>) -> Option<Finding> {
    let index = doc.sections.iter().position(|section| NAMES.contains(&section.key.as_str()))?;
    let section = doc.sections.get(index)?;
    let block = doc.slice(&section.own).iter().find(|block| matches!(block.kind, Kind::List(_)))?;
    let Kind::List(list) = &block.kind else { return None };
    if !list.items.iter().all(is_anchor) {
        return None;
    }
    let deep = list.items.iter().any(|item| item.blocks.iter().any(|block| matches!(block.kind, Kind::List(_))));
    let listed: Vec<String> = anchors(list);
    let wanted = wanted(doc, index, deep);
    let right: Vec<String> = wanted.iter().map(|(_, _, slug)| slug.clone()).collect();
    if listed == right || wanted.is_empty() {
        return None;
    }
    let missing = right.iter().filter(|slug| !listed.contains(slug)).count();
    let gone = listed.iter().filter(|slug| !right.contains(slug)).count();
    let message = match (missing, gone) {
        (0, 0) => "the table of contents has another order than the headings".to_owned(),
        _ => format!("the table of contents lacks {missing} and has {gone} that lead nowhere"),
    };
    let end = source.line_break();
    let lines: Vec<String> = wanted
        .iter()
        .enumerate()
        .map(|(i, (depth, title, slug))| {
            let marker = if list.ordered && *depth == 0 {
                let number = wanted.iter().take(i + 1).filter(|(depth, ..)| *depth == 0).count();
                format!("{number}.")
            } else {
                "-".to_owned()
            };
            let indent = if list.ordered { 3 } else { 2 };
            format!("{}{marker} [{title}](#{slug})", " ".repeat(indent * depth))
        })
        .collect();
    let raw = source.text.get(block.range.clone()).unwrap_or_default();
    let range = block.range.start..block.range.start + raw.trim_end().len();
    let line = source.line_of(section.range.start);
    let finding = source.finding_on_line(line, "contents", message).help("`faultbook check --fix` writes it anew");
    Some(finding.fix(range, lines.join(end)))
}

/// Whether an item is a link to a heading and nothing else.
fn is_anchor(item: &Item) -> bool {
    item.words().is_some_and(|words| {
        words.links.len() == 1
            && words.links.iter().all(|(name, to)| to.starts_with('#') && name.trim() == words.text.trim())
    })
}

fn anchors(list: &List) -> Vec<String> {
    let mut out = Vec::new();
    for item in &list.items {
        out.extend(
            item.words().into_iter().flat_map(|w| &w.links).map(|(_, to)| to.trim_start_matches('#').to_owned()),
        );
        for block in &item.blocks {
            if let Kind::List(inner) = &block.kind {
                out.extend(
                    inner
                        .items
                        .iter()
                        .filter_map(|item| item.words())
                        .flat_map(|w| &w.links)
                        .map(|(_, to)| to.trim_start_matches('#').to_owned()),
                );
            }
        }
    }
    out
}

/// The headings that the table should list: depth, title, anchor.
fn wanted(doc: &Document<'_>, contents: usize, deep: bool) -> Vec<(usize, String, String)> {
    let mut counts: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
    let mut out = Vec::new();
    for (index, section) in doc.sections.iter().enumerate().skip(1) {
        let base = slug(&section.raw_title);
        let count = counts.entry(base.clone()).or_default();
        let anchor = if *count == 0 { base } else { format!("{base}-{count}") };
        *count += 1;
        if index != contents && in_table(section, deep) {
            out.push((usize::from(section.level) - 2, section.raw_title.clone(), anchor));
        }
    }
    out
}

fn in_table(section: &Section, deep: bool) -> bool {
    section.level == 2 || (deep && section.level == 3)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;
    use crate::book::sections::Outline;

    fn mended(text: &str) -> Option<String> {
        let doc = Document::read(text, Outline::Strict);
        let finding = check(&Source::new("a.md", text), &doc)?;
        Some(crate::lint::apply(text, &[finding]))
    }

    #[test]
    fn the_table_follows_the_headings() {
        let text =
            "# t\n## Contents\n- [Summary](#summary)\n- [Gone](#gone)\n\n## Summary\na\n### Inner\n## Next: a & b\nb\n";
        let right = "# t\n## Contents\n- [Summary](#summary)\n- [Next: a & b](#next-a--b)\n\n## Summary\na\n### Inner\n## Next: a & b\nb\n";
        assert_eq!(mended(text).as_deref(), Some(right));
        assert_eq!(mended(right), None);
        let ordered = "## TOC\n1. [A](#a)\n   - [B](#c)\n\n## A\n### B\nx\n## D\nx\n";
        assert_eq!(
            mended(ordered).as_deref(),
            Some("## TOC\n1. [A](#a)\n   - [B](#b)\n2. [D](#d)\n\n## A\n### B\nx\n## D\nx\n")
        );
        assert_eq!(mended(&mended(ordered).unwrap()), None);
        assert_eq!(mended("## Contents\n- a box of cables\n\n## A\nx\n"), None);
        assert_eq!(mended("## Contents\n- [log](log.md)\n\n## A\nx\n"), None);
    }
}
