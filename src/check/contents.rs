//! A table of contents against the headings.
//!
//! Only a table that consists of links to headings of the listed levels is fixed, in the list style it has: what its
//! author wrote into it otherwise (links to named anchors, headings further down) may be there for a reason. Entries
//! that stay keep their bytes.

use std::collections::BTreeMap;

use super::finding::{Finding, Source};
use super::links::{all_anchors, slug};
use crate::book::blocks::{Item, Kind, List};
use crate::book::sections::{Document, Section};

/// Headings of a table of contents.
const NAMES: [&str; 5] = ["table of contents", "contents", "toc", "목차", "index"];

/// A heading that the table should list.
struct Expected {
    /// 0 for the upper level.
    depth: usize,
    slug: String,
    /// Its markdown; `None` if it cannot be used inside a link as it is.
    title: Option<String>,
}

/// Checks the document's table of contents.
pub(super) fn check(source: &Source<'_>, doc: &Document<'_>) -> Option<Finding> {
    let index = doc.sections.iter().position(|section| NAMES.contains(&section.key.as_str()))?;
    let section = doc.sections.get(index)?;
    let block = doc.slice(&section.own).iter().find(|block| matches!(block.kind, Kind::List(_)))?;
    let Kind::List(list) = &block.kind else { return None };
    let entries = anchors(list)?;
    let anchors = all_anchors(source.text);
    let is_dead = |slug: &String| !anchors.contains(&slug.to_lowercase());
    let levels = headings(doc);
    let is_inner = |slug: &String| levels.iter().any(|(section, own)| own == slug && section.level == 3);
    let is_deep = entries.iter().any(|(depth, slug)| is_inner(slug) || (*depth > 0 && is_dead(slug)));
    let listed: Vec<String> = entries.into_iter().map(|(_, slug)| slug).collect();
    let expected = expected(doc, index, is_deep);
    if expected.is_empty() {
        return None;
    }
    let is_wanted = |slug: &String| expected.iter().any(|expected| expected.slug == *slug);
    let gone = listed.iter().filter(|slug| is_dead(slug)).count();
    let missing = expected.iter().filter(|expected| !listed.contains(&expected.slug)).count();
    let kept: Vec<&String> = listed.iter().filter(|slug| is_wanted(slug)).collect();
    let in_order = expected.iter().map(|expected| &expected.slug).filter(|slug| listed.contains(slug));
    let message = match (missing, gone) {
        (0, 0) if in_order.eq(kept.iter().copied()) => return None,
        (0, 0) => "the table of contents is in a different order than the headings".to_owned(),
        _ => format!("the table of contents lacks {missing} and has {gone} that lead nowhere"),
    };
    let line = source.line_of(section.range.start);
    let finding = source.finding_on_line(line, "contents", message);
    // Entries that are neither headings of these levels nor dead are there for a reason that only the author knows.
    let all_known = listed.iter().all(|slug| is_wanted(slug) || is_dead(slug));
    let raw = source.text.get(block.range.clone()).unwrap_or_default().trim_end();
    match Style::of(raw).filter(|_| all_known).and_then(|style| style.written(&expected, source.line_break())) {
        Some(table) => {
            let range = block.range.start..block.range.start + raw.len();
            let help = match gone {
                0 => "`faultbook check --fix` rewrites it",
                _ => "`faultbook check --fix --fix-removals` rewrites it and removes entries that lead nowhere",
            };
            Some(finding.help(help).fix(range, table))
        }
        None => Some(finding.help("make entries and headings match")),
    }
}

/// How the lines of a table are written.
struct Style<'t> {
    /// `-`, `*`, `+`; `1.` for numbers.
    marker: &'t str,
    /// Whether every number is 1.
    is_lazy: bool,
    /// Blanks before the first entry.
    outer: &'t str,
    /// Blanks before an inner entry, and its marker.
    inner: Option<(&'t str, &'t str)>,
    /// The links of the entries, as written.
    links: BTreeMap<&'t str, &'t str>,
}

impl<'t> Style<'t> {
    /// Reads a table, if each of its lines is one entry.
    fn of(raw: &'t str) -> Option<Self> {
        let mut lines =
            raw.lines().filter(|line| !line.trim().is_empty()).map(Entry::of).collect::<Option<Vec<_>>>()?;
        let first = lines.first()?;
        let (marker, outer) = (first.marker, first.indent);
        let inner = lines.iter().find(|line| line.indent.len() > outer.len()).map(|line| (line.indent, line.marker));
        let numbers: Vec<&str> = lines.iter().filter(|line| line.indent == outer).map(|line| line.marker).collect();
        let is_lazy = numbers.len() > 1 && numbers.iter().all(|number| *number == marker);
        let links = lines.drain(..).map(|line| (line.slug, line.link)).collect();
        Some(Self { marker, is_lazy, outer, inner, links })
    }

    /// The table with the entries that it should have.
    fn written(&self, expected: &[Expected], end: &str) -> Option<String> {
        let mut lines = Vec::new();
        let mut number = 0;
        let default = (" ".repeat(self.outer.len() + self.marker.len() + 1), "-");
        for expected in expected {
            let (indent, marker) = match (expected.depth, self.inner) {
                (0, _) => (self.outer, self.marker),
                (_, Some(inner)) => inner,
                (_, None) => (default.0.as_str(), default.1),
            };
            number += usize::from(expected.depth == 0);
            let is_number = expected.depth == 0 && marker.ends_with(['.', ')']) && !self.is_lazy;
            let marker = match is_number {
                true => format!("{number}{}", marker.get(marker.len() - 1..).unwrap_or(".")),
                false => marker.to_owned(),
            };
            let link = match self.links.get(expected.slug.as_str()) {
                Some(link) => (*link).to_owned(),
                None => format!("[{}](#{})", expected.title.as_ref()?, expected.slug),
            };
            lines.push(format!("{indent}{marker} {link}"));
        }
        Some(lines.join(end))
    }
}

/// A line of a table.
struct Entry<'t> {
    indent: &'t str,
    marker: &'t str,
    link: &'t str,
    slug: &'t str,
}

impl<'t> Entry<'t> {
    fn of(line: &'t str) -> Option<Self> {
        let words = line.trim_start_matches(' ');
        let indent = line.get(..line.len() - words.len())?;
        let (marker, link) = words.split_once(' ')?;
        let digits = marker.trim_end_matches(['.', ')']);
        let is_marker = matches!(marker, "-" | "*" | "+")
            || (digits.len() + 1 == marker.len() && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()));
        let link = link.trim();
        let slug = link.rsplit_once("](#")?.1.strip_suffix(')')?;
        (is_marker && link.starts_with('[')).then_some(Self { indent, marker, link, slug })
    }
}

/// The anchors that the entries lead to, each with its depth; `None` if an entry is anything but a link to a heading.
fn anchors(list: &List) -> Option<Vec<(usize, String)>> {
    fn add(list: &List, depth: usize, out: &mut Vec<(usize, String)>) -> Option<()> {
        for item in &list.items {
            out.push((depth, anchor(item)?));
            for block in &item.blocks {
                match &block.kind {
                    Kind::List(inner) if depth < 6 => add(inner, depth + 1, out)?,
                    Kind::List(_) => return None,
                    _ => {}
                }
            }
        }
        Some(())
    }
    let mut out = Vec::new();
    add(list, 0, &mut out)?;
    Some(out)
}

/// Where an item that is a link to a heading and nothing else leads.
fn anchor(item: &Item) -> Option<String> {
    let words = item.words()?;
    let [(name, to)] = words.links.as_slice() else { return None };
    (name.trim() == words.text.trim()).then(|| to.strip_prefix('#').map(str::to_owned)).flatten()
}

/// All headings with their anchors.
fn headings<'d>(doc: &'d Document<'_>) -> Vec<(&'d Section, String)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut out = Vec::new();
    for section in doc.sections.iter().skip(1) {
        let base = slug(&section.raw_title);
        let count = counts.entry(base.clone()).or_default();
        out.push((section, if *count == 0 { base } else { format!("{base}-{count}") }));
        *count += 1;
    }
    out
}

/// The headings that the table should list.
fn expected(doc: &Document<'_>, contents: usize, is_deep: bool) -> Vec<Expected> {
    let own = doc.sections.get(contents).map(|section| section.range.start);
    let listed = headings(doc).into_iter().filter(|(section, _)| {
        Some(section.range.start) != own && (section.level == 2 || (is_deep && section.level == 3))
    });
    listed
        .map(|(section, slug)| {
            let line = doc.text.get(section.range.clone()).unwrap_or_default().lines().next().unwrap_or_default();
            let title = line.trim().trim_matches('#').trim();
            let is_plain = line.trim_start().starts_with('#') && !title.contains(['[', ']', '<', '\\', '!']);
            Expected { depth: usize::from(section.level) - 2, slug, title: is_plain.then(|| title.to_owned()) }
        })
        .collect()
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;
    use crate::book::sections::Outline;

    fn fixed(text: &str) -> Option<String> {
        let doc = Document::read(text, Outline::Strict);
        let finding = check(&Source::new("a.md", text), &doc)?;
        Some(crate::check::apply(text, &[finding]))
    }

    #[test]
    fn the_table_follows_the_headings() {
        let text =
            "# t\n## Contents\n- [Summary](#summary)\n- [Gone](#gone)\n\n## Summary\na\n### Inner\n## Next: a & b\nb\n";
        let right = "# t\n## Contents\n- [Summary](#summary)\n- [Next: a & b](#next-a--b)\n\n## Summary\na\n### Inner\n## Next: a & b\nb\n";
        assert_eq!(fixed(text).as_deref(), Some(right));
        assert_eq!(fixed(right), None);
        let ordered = "## TOC\n1. [A](#a)\n   - [B](#c)\n\n## A\n### B\nx\n## D\nx\n";
        assert_eq!(
            fixed(ordered).as_deref(),
            Some("## TOC\n1. [A](#a)\n   - [B](#b)\n2. [D](#d)\n\n## A\n### B\nx\n## D\nx\n")
        );
        assert_eq!(fixed(&fixed(ordered).unwrap()), None);
        let kept = "## Contents\n* [All of A](#a)\n* [`old`](#old)\n\n## A\nx\n## New _one_\nx\n";
        let after = kept.replace("* [`old`](#old)", "* [New _one_](#new-one)");
        assert_eq!(fixed(kept), Some(after), "the marker and the entries that lead somewhere keep their bytes");
        assert_eq!(fixed("## Contents\n- a box of cables\n\n## A\nx\n"), None);
        // A named anchor and a heading further down are the author's choice.
        let named = "## Contents\n* [A](#a)\n  * [`x()`](#x)\n  * [Deep](#deep)\n\n## A\n#### <a name=\"x\"></a> x\nx\n#### Deep\nx\n";
        assert_eq!(fixed(named), None);
        assert_eq!(fixed(&format!("{named}## B\nx\n")), Some(format!("{named}## B\nx\n")), "named, not fixed");
        assert_eq!(fixed("## Contents\n- [log](log.md)\n\n## A\nx\n"), None);
    }
}
