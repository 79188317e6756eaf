//! Markdown as blocks with byte ranges: headings, paragraphs, list items, fences, tables.
//!
//! Only what a reader of pages needs is kept; emphasis is dropped, code spans keep their backticks. Nesting deeper than
//! twelve blocks is not followed: the words stay in the raw text of the block around it, so no input can exhaust the
//! stack.

mod builder;

use std::ops::Range;

use pulldown_cmark::{Options, Parser};

use builder::Builder;

/// One block of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// What it is.
    pub kind: Kind,
    /// Its byte range in the document.
    pub range: Range<usize>,
}

/// What a block is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A heading of level 1 to 6.
    Heading(u8, Words),
    /// A paragraph, or the words of a tight list item.
    Paragraph(Words),
    List(List),
    /// A code block.
    Fence(Fence),
    /// A table, header first, each row its cells.
    Table(Vec<Vec<String>>),
    /// A quotation.
    Quote(Vec<Block>),
    /// Raw HTML, as it is.
    Html,
    /// A horizontal rule.
    Rule,
}

/// Inline text: emphasis dropped, code spans in backticks, line breaks kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Words {
    pub text: String,
    /// Which parts of the text are bold.
    pub bold: Vec<Range<usize>>,
    /// Links in it: words and address.
    pub links: Vec<(String, String)>,
}

impl Words {
    /// The text without a trailing colon, if all of it is bold.
    pub(crate) fn all_bold(&self) -> Option<&str> {
        let trimmed = self.text.trim();
        let begin = self.text.len() - self.text.trim_start().len();
        match self.bold.as_slice() {
            [one] if one.start <= begin && !trimmed.is_empty() => {
                let rest = self.text.get(one.end..)?.trim();
                (rest.is_empty() || rest == ":").then(|| trimmed.trim_end_matches(':').trim_end())
            }
            _ => None,
        }
    }

    /// Splits into lines; a line that begins in bold gives its bold words as label: `**Result:** PASSED`.
    pub(crate) fn labelled_lines(&self) -> Vec<(Option<&str>, &str)> {
        let mut out = Vec::new();
        let mut at = 0;
        let mut bolds = self.bold.iter().peekable();
        for line in self.text.split('\n') {
            let start = at;
            at += line.len() + 1;
            while bolds.next_if(|b| b.start < start).is_some() {}
            let bold = bolds.next_if(|b| b.start == start && b.end <= start + line.len() && !b.is_empty());
            let label = bold.and_then(|b| self.text.get(b.clone()));
            let rest = bold.and_then(|b| self.text.get(b.end..start + line.len())).unwrap_or(line);
            match label {
                Some(label) => {
                    let rest = rest.trim_start().trim_start_matches([':', '：']).trim();
                    out.push((Some(label.trim().trim_end_matches([':', '：', '.']).trim_end()), rest));
                }
                None => out.push((None, rest.trim())),
            }
        }
        out
    }

    /// The text on one line.
    pub(crate) fn line(&self) -> String {
        self.text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct List {
    /// Whether it is numbered.
    pub ordered: bool,
    pub items: Vec<Item>,
}

/// One item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    /// Its bytes, marker included.
    pub range: Range<usize>,
    /// A task box: ticked or open.
    pub task: Option<bool>,
    /// The blocks inside it.
    pub blocks: Vec<Block>,
}

impl Item {
    /// The words of its first paragraph.
    pub(crate) fn words(&self) -> Option<&Words> {
        match &self.blocks.first()?.kind {
            Kind::Paragraph(words) | Kind::Heading(_, words) => Some(words),
            _ => None,
        }
    }
}

/// A code block.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Fence {
    /// The first word of the info string, lower case; empty where none is given.
    pub language: String,
    /// The code, without the fence lines.
    pub code: String,
}

/// The blocks of `text`; ranges count from `offset`, the place of `text` in its document.
pub(crate) fn read(text: &str, offset: usize) -> Vec<Block> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
    let mut builder = Builder::new(offset);
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        builder.event(event, range);
    }
    builder.finish()
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    #[test]
    fn reads_lists_with_boxes_and_fences() {
        let text = "1. **Set** `x`\n   ```sh\n   run\n   ```\n   Trade-off: slow.\n2. [Name](a.md) more\n\n- [x] done\n- [ ] open\n  - deeper\n";
        let blocks = read(text, 0);
        let Kind::List(list) = &blocks[0].kind else { panic!("{blocks:?}") };
        assert!(list.ordered);
        assert_eq!(list.items[0].words().unwrap().text, "Set `x`");
        assert_eq!(list.items[0].words().unwrap().bold.first(), Some(&(0..3)));
        assert!(matches!(&list.items[0].blocks[1].kind, Kind::Fence(f) if f.language == "sh" && f.code == "run\n"));
        assert!(matches!(&list.items[0].blocks[2].kind, Kind::Paragraph(w) if w.text == "Trade-off: slow."));
        assert_eq!(list.items[1].words().unwrap().links, [("Name".to_owned(), "a.md".to_owned())]);
        let Kind::List(tasks) = &blocks[1].kind else { panic!() };
        assert_eq!(tasks.items.iter().map(|i| i.task).collect::<Vec<_>>(), [Some(true), Some(false)]);
        assert!(matches!(&tasks.items[1].blocks[1].kind, Kind::List(l) if l.items.len() == 1));
    }

    #[test]
    fn knows_bold_lines_and_labels() {
        let blocks = read("**1. Understanding:**\n\n**File:** `a.py`\n**Result:** PASSED\nplain\n", 0);
        let Kind::Paragraph(words) = &blocks[0].kind else { panic!() };
        assert_eq!(words.all_bold(), Some("1. Understanding"));
        let Kind::Paragraph(words) = &blocks[1].kind else { panic!() };
        assert_eq!(words.all_bold(), None);
        assert_eq!(words.labelled_lines(), [(Some("File"), "`a.py`"), (Some("Result"), "PASSED"), (None, "plain")]);
    }

    #[test]
    fn ranges_of_tight_items_hold_their_marks() {
        let text = "- **bold** and [a](b)\n- `x`: y\n";
        let blocks = read(text, 0);
        let Kind::List(list) = &blocks[0].kind else { panic!() };
        assert_eq!(&text[list.items[0].blocks[0].range.clone()], "**bold** and [a](b)");
        assert_eq!(&text[list.items[1].blocks[0].range.clone()], "`x`: y");
    }

    #[test]
    fn survives_depth() {
        for mark in ["> ", "- ", "1. "] {
            let text = format!("{}deep\n\nafter", mark.repeat(3000));
            let blocks = read(&text, 0);
            assert!(
                matches!(&blocks.last().unwrap().kind, Kind::Paragraph(w) if w.text.contains("after"))
                    || blocks.len() == 1
            );
        }
    }
}
