//! Markdown as blocks that know their bytes: headings, paragraphs, list items, fences, tables.
//!
//! Only what a reader of pages needs is kept; emphasis is dropped, code spans keep their backticks. Nesting deeper than
//! [`DEEPEST`] is not followed: the words stay in the raw text of the block around it, so no input can exhaust the
//! stack.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// How many blocks may stand inside one another.
const DEEPEST: usize = 12;

/// One block of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// What it is.
    pub kind: Kind,
    /// Its bytes in the document.
    pub range: Range<usize>,
}

/// What a block is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A heading of level 1 to 6.
    Heading(u8, Words),
    /// A paragraph, or the words of a tight list item.
    Paragraph(Words),
    /// A list.
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
pub struct Words {
    /// The text.
    pub text: String,
    /// Which parts of the text are bold.
    pub bold: Vec<Range<usize>>,
    /// Links in it: words and address.
    pub links: Vec<(String, String)>,
}

impl Words {
    /// The bold words that the whole text consists of, a colon after them left out.
    pub fn all_bold(&self) -> Option<&str> {
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
    pub fn labelled_lines(&self) -> Vec<(Option<&str>, &str)> {
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
    pub fn line(&self) -> String {
        self.text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// A list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    /// Whether it is numbered.
    pub ordered: bool,
    /// Its items.
    pub items: Vec<Item>,
}

/// One item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its bytes, marker included.
    pub range: Range<usize>,
    /// A task box: ticked or open.
    pub task: Option<bool>,
    /// What stands in it.
    pub blocks: Vec<Block>,
}

impl Item {
    /// The words of its first paragraph.
    pub fn words(&self) -> Option<&Words> {
        match &self.blocks.first()?.kind {
            Kind::Paragraph(words) | Kind::Heading(_, words) => Some(words),
            _ => None,
        }
    }
}

/// A code block.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fence {
    /// The first word of the info string, lower case; empty where none is given.
    pub language: String,
    /// The code, without the fence lines.
    pub code: String,
}

/// The blocks of `text`; ranges count from `offset`, the place of `text` in its document.
pub fn read(text: &str, offset: usize) -> Vec<Block> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
    let mut builder = Builder { offset, stack: vec![Open::default()], ..Builder::default() };
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        builder.event(event, range);
    }
    builder.finish()
}

/// A container that is still open.
#[derive(Debug, Default)]
struct Open {
    blocks: Vec<Block>,
    list: Option<List>,
    task: Option<bool>,
    /// Inline words of a tight item, collected until a block or the end comes.
    tight: Words,
    tight_range: Range<usize>,
}

#[derive(Debug, Default)]
struct Builder {
    offset: usize,
    stack: Vec<Open>,
    /// Containers inside the deepest one that is followed.
    skipped: usize,
    /// The leaf whose words are collected.
    words: Option<Words>,
    fence: Option<Fence>,
    table: Option<Vec<Vec<String>>>,
    bold_from: Option<usize>,
    link: Option<(usize, String)>,
}

impl Builder {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        let range = range.start + self.offset..range.end + self.offset;
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Text(text) => match &mut self.fence {
                Some(fence) => fence.code.push_str(&text),
                None => self.push(&text, &range),
            },
            Event::Code(code) => {
                // A code span may itself hold backticks; two of them around it keep it readable.
                let ticks = if code.contains('`') { "``" } else { "`" };
                self.push(&format!("{ticks}{code}{ticks}"), &range);
            }
            Event::InlineHtml(html) => self.push(&html, &range),
            Event::SoftBreak | Event::HardBreak => self.push("\n", &range),
            Event::TaskListMarker(done) => {
                if self.skipped == 0
                    && let Some(open) = self.stack.last_mut()
                {
                    open.task = Some(done);
                }
            }
            Event::Rule => self.add(Kind::Rule, range),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        if matches!(tag, Tag::Strong | Tag::Emphasis | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. }) {
            self.touch(&range);
        }
        match tag {
            Tag::Paragraph | Tag::Heading { .. } => {
                self.flush_tight();
                self.words = Some(Words::default());
            }
            Tag::CodeBlock(kind) => {
                self.flush_tight();
                let language = match kind {
                    CodeBlockKind::Fenced(info) => {
                        info.split([' ', ',', '{', '\t']).next().unwrap_or_default().to_lowercase()
                    }
                    CodeBlockKind::Indented => String::new(),
                };
                self.fence = Some(Fence { language, code: String::new() });
            }
            Tag::List(_) | Tag::Item | Tag::BlockQuote(_) => {
                self.flush_tight();
                if self.skipped > 0 || self.stack.len() >= DEEPEST {
                    self.skipped += 1;
                    return;
                }
                let list = match tag {
                    Tag::List(first) => Some(List { ordered: first.is_some(), items: Vec::new() }),
                    _ => None,
                };
                self.stack.push(Open { list, ..Open::default() });
            }
            Tag::Table(_) => {
                self.flush_tight();
                self.table = Some(Vec::new());
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.push(Vec::new());
                }
            }
            Tag::TableCell => self.words = Some(Words::default()),
            Tag::Strong => self.bold_from = self.inline().map(|w| w.text.len()),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                let from = self.inline().map_or(0, |w| w.text.len());
                self.link = Some((from, dest_url.to_string()));
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Paragraph => {
                let words = self.words.take().unwrap_or_default();
                self.add(Kind::Paragraph(words), range);
            }
            TagEnd::Heading(level) => {
                let words = self.words.take().unwrap_or_default();
                // Words over a line of dashes or equals signs: several lines are prose with a rule, not a heading.
                let kind = match words.text.contains('\n') || words.text.chars().count() > 150 {
                    true => Kind::Paragraph(words),
                    false => Kind::Heading(level as u8, words),
                };
                self.add(kind, range);
            }
            TagEnd::CodeBlock => {
                let fence = self.fence.take().unwrap_or_default();
                self.add(Kind::Fence(fence), range);
            }
            TagEnd::HtmlBlock => self.add(Kind::Html, range),
            TagEnd::List(_) | TagEnd::Item | TagEnd::BlockQuote(_) => self.close(tag, range),
            TagEnd::TableCell => {
                let cell = self.words.take().unwrap_or_default().line();
                if let Some(row) = self.table.as_mut().and_then(|t| t.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::Table => {
                let rows = self.table.take().unwrap_or_default();
                self.add(Kind::Table(rows), range);
            }
            TagEnd::Strong => {
                if let Some(from) = self.bold_from.take()
                    && let Some(words) = self.inline()
                    && from < words.text.len()
                {
                    let end = words.text.len();
                    words.bold.push(from..end);
                }
            }
            TagEnd::Link | TagEnd::Image => {
                if let Some((from, address)) = self.link.take()
                    && let Some(words) = self.inline()
                {
                    let name = words.text.get(from..).unwrap_or_default().to_owned();
                    words.links.push((name, address));
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, tag: TagEnd, range: Range<usize>) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        self.flush_tight();
        if self.stack.len() < 2 {
            return;
        }
        let Some(open) = self.stack.pop() else { return };
        match tag {
            TagEnd::Item => {
                let item = Item { range, task: open.task, blocks: open.blocks };
                if let Some(list) = self.stack.last_mut().and_then(|o| o.list.as_mut()) {
                    list.items.push(item);
                }
            }
            TagEnd::List(_) => {
                let list = open.list.unwrap_or(List { ordered: false, items: open_items(open.blocks) });
                self.add(Kind::List(list), range);
            }
            _ => self.add(Kind::Quote(open.blocks), range),
        }
    }

    /// Adds inline text to the leaf that is open, or to the words of a tight list item.
    fn push(&mut self, text: &str, range: &Range<usize>) {
        if self.skipped > 0 {
            return;
        }
        if let Some(words) = &mut self.words {
            words.text.push_str(text);
        } else if let Some(open) = self.stack.last_mut() {
            open.tight.text.push_str(text);
        }
        self.touch(range);
    }

    /// Widens the range of the words of a tight item.
    fn touch(&mut self, range: &Range<usize>) {
        if self.words.is_none()
            && self.skipped == 0
            && let Some(open) = self.stack.last_mut()
        {
            match open.tight_range.is_empty() {
                true => open.tight_range = range.clone(),
                false => open.tight_range.end = open.tight_range.end.max(range.end),
            }
        }
    }

    fn inline(&mut self) -> Option<&mut Words> {
        match &mut self.words {
            Some(words) => Some(words),
            None => self.stack.last_mut().map(|open| &mut open.tight),
        }
    }

    fn flush_tight(&mut self) {
        if let Some(open) = self.stack.last_mut()
            && !open.tight.text.trim().is_empty()
        {
            let words = std::mem::take(&mut open.tight);
            let range = std::mem::take(&mut open.tight_range);
            open.blocks.push(Block { kind: Kind::Paragraph(words), range });
        }
    }

    fn add(&mut self, kind: Kind, range: Range<usize>) {
        if self.skipped > 0 {
            return;
        }
        self.flush_tight();
        if let Some(open) = self.stack.last_mut() {
            open.blocks.push(Block { kind, range });
        }
    }

    fn finish(mut self) -> Vec<Block> {
        self.flush_tight();
        // The parser closes what it opens; were it not to, the blocks inside would still be handed up.
        while self.stack.len() > 1 {
            self.close(TagEnd::BlockQuote(None), 0..0);
        }
        self.stack.pop().map(|open| open.blocks).unwrap_or_default()
    }
}

/// Blocks that stand in a list without an item; the parser makes none, but nothing may be lost.
fn open_items(blocks: Vec<Block>) -> Vec<Item> {
    blocks.into_iter().map(|b| Item { range: b.range.clone(), task: None, blocks: vec![b] }).collect()
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
