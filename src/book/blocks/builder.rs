//! From the events of the markdown parser to blocks.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Tag, TagEnd};

use super::{Block, Fence, Item, Kind, List, Words};

/// How deep blocks may be nested.
const DEEPEST: usize = 12;

/// A container that is still open.
#[derive(Debug, Default)]
struct Open {
    blocks: Vec<Block>,
    list: Option<List>,
    task: Option<bool>,
    /// Inline text of a tight item, collected until a block or the item's end.
    tight: Words,
    tight_range: Range<usize>,
}

/// Builds blocks from the parser's events.
#[derive(Debug, Default)]
pub(super) struct Builder {
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
    /// A builder for a text that begins at `offset` in its document.
    pub(super) fn new(offset: usize) -> Self {
        Self { offset, stack: vec![Open::default()], ..Self::default() }
    }

    /// Takes the parser's next event, with its range in the text.
    pub(super) fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        let range = range.start + self.offset..range.end + self.offset;
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Text(text) => match &mut self.fence {
                Some(fence) => fence.code.push_str(&text),
                None => self.push(&text, &range),
            },
            Event::Code(code) => {
                // A code span may itself contain backticks; two of them around it keep it readable.
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
                // Text over a line of dashes or equals signs: several lines are prose with a rule, not a heading.
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

    /// The blocks of the whole text.
    pub(super) fn finish(mut self) -> Vec<Block> {
        self.flush_tight();
        // The parser closes what it opens; if it ever did not, the blocks inside would still be kept.
        while self.stack.len() > 1 {
            self.close(TagEnd::BlockQuote(None), 0..0);
        }
        self.stack.pop().map(|open| open.blocks).unwrap_or_default()
    }
}

/// Blocks in a list outside of any item: the parser makes none, but nothing may be lost.
fn open_items(blocks: Vec<Block>) -> Vec<Item> {
    blocks.into_iter().map(|b| Item { range: b.range.clone(), task: None, blocks: vec![b] }).collect()
}
