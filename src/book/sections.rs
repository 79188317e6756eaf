//! A document's front matter and its tree of sections with byte ranges and line numbers. Both readers use it.
//!
//! Sections are one flat list in the order of the text; a section knows its parent. In a lenient outline a line that
//! is bold as a whole counts as a heading below all real ones, because people write documents that way.

use std::ops::Range;

use super::blocks::{self, Block, Fence, Item, Kind, Words};
use super::matter::{self, Matter};

/// Level of a bold line that begins with a number; below every real heading.
const NUMBERED_BOLD: u8 = 7;
/// Level of any other bold line.
const BOLD: u8 = 8;

/// Which lines count as headings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outline {
    /// Headings only.
    Strict,
    /// Also lines that are bold as a whole.
    Lenient,
}

/// A document, parsed.
#[derive(Debug)]
pub(crate) struct Document<'t> {
    /// The whole text.
    pub text: &'t str,
    /// The front matter, where there is one.
    pub matter: Option<Matter>,
    /// Top-level blocks of the body.
    pub blocks: Vec<Block>,
    /// Sections in the order of the text. The first one has no heading: it holds what precedes all headings.
    pub sections: Vec<Section>,
    line_starts: Vec<usize>,
}

/// One section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Section {
    /// 0 for the words before the first heading, 1 to 6 for headings, more for bold lines.
    pub level: u8,
    /// The heading without emoji, marks and a colon at its end.
    pub title: String,
    /// The heading as written, marks included.
    pub raw_title: String,
    /// The title for comparing: lower case, without numbering, words separated by one space.
    pub key: String,
    /// Index of the section around it.
    pub parent: Option<usize>,
    /// Bytes from its heading to the next heading of its level or above.
    pub range: Range<usize>,
    /// Its own blocks, up to the next heading of any level.
    pub own: Range<usize>,
    /// Its own blocks and those of the sections inside it.
    pub whole: Range<usize>,
    /// One past the last section inside it.
    pub end: usize,
}

impl<'t> Document<'t> {
    /// Parses `text`, front matter first.
    pub(crate) fn read(text: &'t str, outline: Outline) -> Self {
        let split = matter::split(text);
        Self::build(text, split.matter, split.body, outline)
    }

    /// Parses a body without front matter.
    pub(crate) fn read_body(text: &'t str, outline: Outline) -> Self {
        Self::build(text, None, 0, outline)
    }

    fn build(text: &'t str, matter: Option<Matter>, body: usize, outline: Outline) -> Self {
        let blocks = blocks::read(text.get(body..).unwrap_or_default(), body);
        let sections = sections(&blocks, body, text.len(), outline);
        let line_starts =
            std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|i| i + 1)).collect();
        Self { text, matter, blocks, sections, line_starts }
    }

    /// The markdown after the front matter.
    pub(crate) fn body(&self) -> &'t str {
        self.sections.first().and_then(|first| self.text.get(first.range.start..)).unwrap_or_default()
    }

    /// The text of the front matter.
    pub(crate) fn matter_text(&self) -> &'t str {
        self.matter.as_ref().and_then(|m| self.text.get(m.range.clone())).unwrap_or_default()
    }

    /// Line and column, both from 1, of a byte offset.
    pub(crate) fn place(&self, offset: usize) -> (u32, u32) {
        let line = self.line_starts.partition_point(|start| *start <= offset).max(1);
        let start = self.line_starts.get(line - 1).copied().unwrap_or(0);
        let column = self.text.get(start..offset).map_or(1, |before| before.chars().count() + 1);
        (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
    }

    /// The raw markdown of a range, trimmed, a list's indentation taken off its later lines.
    pub(crate) fn markdown(&self, range: Range<usize>) -> String {
        dedent(self.text.get(range).unwrap_or_default())
    }

    /// The blocks of a range of block indices.
    pub(crate) fn slice(&self, range: &Range<usize>) -> &[Block] {
        self.blocks.get(range.clone()).unwrap_or_default()
    }

    /// The raw markdown of several neighbouring blocks.
    pub(crate) fn markdown_of(&self, blocks: &[Block]) -> String {
        match (blocks.first(), blocks.last()) {
            (Some(first), Some(last)) => self.markdown(first.range.start..last.range.end),
            _ => String::new(),
        }
    }

    /// The sections directly inside the one with that index.
    pub(crate) fn children(&self, index: usize) -> impl Iterator<Item = (usize, &Section)> {
        let end = self.sections.get(index).map_or(0, |s| s.end);
        (index + 1..end)
            .filter_map(move |i| Some((i, self.sections.get(i)?)))
            .filter(move |(_, s)| s.parent == Some(index))
    }
}

/// Lays sections over the blocks.
fn sections(blocks: &[Block], start: usize, end: usize, outline: Outline) -> Vec<Section> {
    let first = Section {
        level: 0,
        title: String::new(),
        raw_title: String::new(),
        key: String::new(),
        parent: None,
        range: start..end,
        own: 0..blocks.len(),
        whole: 0..blocks.len(),
        end: 0,
    };
    let mut out = vec![first];
    // Indices of the sections around the current place, outermost first.
    let mut open: Vec<usize> = vec![0];
    for (i, block) in blocks.iter().enumerate() {
        let Some((level, raw)) = heading(block, outline) else { continue };
        if let Some(last) = out.last_mut() {
            last.own.end = i;
        }
        let count = out.len();
        while let Some(&top) = open.last() {
            let Some(section) = out.get_mut(top) else { break };
            if section.level < level && section.level != 0 {
                break;
            }
            section.range.end = block.range.start;
            section.whole.end = i;
            section.end = count;
            open.pop();
        }
        let title = clean_title(&raw);
        out.push(Section {
            level,
            key: key(&title),
            title,
            raw_title: raw,
            parent: open.last().copied(),
            range: block.range.start..end,
            own: i + 1..blocks.len(),
            whole: i + 1..blocks.len(),
            end: 0,
        });
        open.push(count);
    }
    let count = out.len();
    for index in open {
        if let Some(section) = out.get_mut(index) {
            section.end = count;
        }
    }
    out
}

fn heading(block: &Block, outline: Outline) -> Option<(u8, String)> {
    match &block.kind {
        Kind::Heading(level, words) => Some((*level, words.line())),
        Kind::Paragraph(words) if outline == Outline::Lenient && !words.text.contains('\n') => {
            let title = words.all_bold().filter(|t| t.chars().count() <= 120)?;
            let numbered = title.starts_with(|c: char| c.is_ascii_digit());
            Some((if numbered { NUMBERED_BOLD } else { BOLD }, title.to_owned()))
        }
        _ => None,
    }
}

/// A heading without emoji, shortcodes, arrows, ticks and a colon at its end.
pub(crate) fn clean_title(raw: &str) -> String {
    let mut rest = raw.trim();
    loop {
        let before = rest;
        rest = rest.trim_start_matches(is_decoration).trim_end_matches(is_decoration);
        rest = rest.trim_end_matches([':', '：', '#']).trim();
        rest = without_shortcode(rest);
        for dash in ["- ", "– ", "— ", "* ", "# "] {
            rest = rest.strip_prefix(dash).unwrap_or(rest).trim_start();
        }
        if rest.len() == before.len() {
            return rest.split_whitespace().collect::<Vec<_>>().join(" ");
        }
    }
}

/// Takes `:rocket:` off the beginning.
fn without_shortcode(text: &str) -> &str {
    let Some((name, rest)) = text.strip_prefix(':').and_then(|t| t.split_once(':')) else { return text };
    let is_name =
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_+-".contains(&b));
    if is_name { rest.trim_start() } else { text }
}

/// Emoji, arrows, ticks, stars and what joins them.
pub(crate) fn is_decoration(c: char) -> bool {
    c.is_whitespace()
        || matches!(c,
            '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}' | '\u{fe00}'..='\u{fe0f}' | '\u{200b}'..='\u{200d}'
            | '\u{20e3}' | '\u{feff}' | '\u{fffd}' | '•' | '·' | '※' | '\u{e0020}'..='\u{e007f}' | '\u{2122}')
}

/// A title for comparing.
pub(crate) fn key(title: &str) -> String {
    let lower = title.to_lowercase();
    let words = lower.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|w| !w.is_empty());
    let mut words: Vec<&str> = words.collect();
    // "2. Root cause" and "root cause" are the same section; "3 gpus" alone stays.
    let numbered =
        title.trim_start().trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').starts_with([' ', ')', ':']);
    while numbered && words.len() > 1 && words.first().is_some_and(|w| w.bytes().all(|b| b.is_ascii_digit())) {
        words.remove(0);
    }
    words.join(" ")
}

/// Takes the indentation of the second and later lines off, as far as all of them share it.
pub(crate) fn dedent(text: &str) -> String {
    let text = text.trim();
    let mut rest = text.lines().skip(1).filter(|l| !l.trim().is_empty());
    let common = rest.by_ref().map(|l| l.len() - l.trim_start_matches(' ').len()).min().unwrap_or(0);
    let mut out = String::with_capacity(text.len());
    for (i, line) in text.lines().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        out.push_str(if i == 0 { line } else { line.get(common..).unwrap_or_default() }.trim_end());
    }
    out
}

/// Every fence in `blocks`, also inside lists and quotes, in the order of the text.
pub(crate) fn fences(blocks: &[Block]) -> Vec<&Fence> {
    let mut out = Vec::new();
    visit(blocks, &mut |block| {
        if let Kind::Fence(fence) = &block.kind {
            out.push(fence);
        }
    });
    out
}

/// Every list item in `blocks`, nested ones after the one around them.
pub(crate) fn items(blocks: &[Block]) -> Vec<&Item> {
    let mut out = Vec::new();
    visit(blocks, &mut |block| {
        if let Kind::List(list) = &block.kind {
            out.extend(list.items.iter());
        }
    });
    out
}

/// The items of the lists directly in `blocks`.
pub(crate) fn top_items(blocks: &[Block]) -> impl Iterator<Item = &Item> {
    blocks.iter().filter_map(|b| if let Kind::List(list) = &b.kind { Some(&list.items) } else { None }).flatten()
}

/// The paragraphs directly in `blocks`.
pub(crate) fn paragraphs(blocks: &[Block]) -> impl Iterator<Item = &Words> {
    blocks.iter().filter_map(|b| if let Kind::Paragraph(words) = &b.kind { Some(words) } else { None })
}

/// Calls `f` on every block, outer ones first. The depth is bounded by the reader of blocks.
pub(crate) fn visit<'b>(blocks: &'b [Block], f: &mut impl FnMut(&'b Block)) {
    for block in blocks {
        f(block);
        match &block.kind {
            Kind::Quote(inner) => visit(inner, f),
            Kind::List(list) => list.items.iter().for_each(|item| visit(&item.blocks, f)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lays_out_the_tree() {
        let text =
            "---\na: 1\n---\nbefore\n# 🐛 One\n## 2. Two:\ntext\n**3. Bold one:**\n\n**Benefits:**\n- x\n\n# Three\n";
        let doc = Document::read(text, Outline::Lenient);
        assert_eq!(doc.matter_text(), "a: 1\n");
        let seen: Vec<_> = doc.sections.iter().map(|s| (s.level, s.title.as_str(), s.key.as_str(), s.parent)).collect();
        // A bold line inside a paragraph is not a heading: other words precede it.
        assert_eq!(
            seen,
            [
                (0, "", "", None),
                (1, "One", "one", None),
                (2, "2. Two", "two", Some(1)),
                (8, "Benefits", "benefits", Some(2)),
                (1, "Three", "three", None)
            ]
        );
        assert_eq!(doc.place(doc.sections[2].range.start), (6, 1));
        assert_eq!(doc.sections[1].end, 4);
        assert_eq!(doc.children(1).map(|(i, _)| i).collect::<Vec<_>>(), [2]);
        let strict = Document::read(text, Outline::Strict);
        assert_eq!(strict.sections.len(), 4);
    }

    #[test]
    fn cleans_titles() {
        for (raw, clean) in [
            ("✅ Solution: ", "Solution"),
            (":bug: Bug Report", "Bug Report"),
            ("🛠️ Environment ⚙️", "Environment"),
            ("Test 1: Basic ✅", "Test 1: Basic"),
            ("`--flag` help", "`--flag` help"),
            ("요약", "요약"),
            ("***", "***"),
            ("", ""),
        ] {
            assert_eq!(clean_title(raw), clean, "{raw}");
        }
        assert_eq!(key("1) Root-Cause Analysis"), "root cause analysis");
        assert_eq!(key("3.2 재현 방법"), "재현 방법");
        assert_eq!(key("3"), "3");
    }
}
