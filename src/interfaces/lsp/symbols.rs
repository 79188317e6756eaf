//! The outline of a document: sections of reports and pages, errors of logs.

use lsp_types::{DocumentSymbol, Range, SymbolKind};

use super::kind::Kind;
use super::session::Document;
use super::text::Text;
use crate::book::sections::{Document as Sections, Outline, Section};

/// The outline.
pub(super) fn of(document: &Document) -> Vec<DocumentSymbol> {
    let text = &document.text;
    match document.kind {
        Kind::Log => {
            let errors = document.log().map(|analysis| analysis.errors.as_slice()).unwrap_or_default();
            errors.iter().map(|(first, last, words)| error(text, *first, *last, words)).collect()
        }
        Kind::Report | Kind::Page => {
            let sections = Sections::read(text.as_str(), Outline::Strict);
            children(text, &sections.sections, None, 0)
        }
        Kind::Source => Vec::new(),
    }
}

fn error(text: &Text, first: u32, last: u32, words: &str) -> DocumentSymbol {
    let line = |line: u32| text.line_range(usize::try_from(line).unwrap_or(usize::MAX));
    let headline = line(first);
    symbol(
        words,
        SymbolKind::EVENT,
        text.range(&(headline.start..line(last).end.max(headline.end))),
        text.range(&headline),
    )
}

/// Sections inside `parent`; headings have six levels, so the depth is bounded.
fn children(text: &Text, sections: &[Section], parent: Option<usize>, depth: usize) -> Vec<DocumentSymbol> {
    const DEEPEST: usize = 8;
    let end = parent.and_then(|parent| sections.get(parent)).map_or(sections.len(), |section| section.end);
    let mut out = Vec::new();
    let mut next = parent.map_or(0, |parent| parent + 1);
    while next < end && depth <= DEEPEST {
        let Some(section) = sections.get(next) else { break };
        let index = next;
        // What precedes all headings is not a section; it may contain no others or all of them.
        if section.level == 0 {
            next += 1;
            continue;
        }
        next = section.end.max(index + 1);
        let heading = text.line_range(text.line_of(section.range.start));
        let whole = section.range.start..section.range.end.max(heading.end);
        let mut one = symbol(&section.title, SymbolKind::STRING, text.range(&whole), text.range(&heading));
        one.children = Some(children(text, sections, Some(index), depth + 1));
        out.push(one);
    }
    out
}

#[expect(deprecated, reason = "the type has a field that is no longer used and cannot be left out")]
fn symbol(name: &str, kind: SymbolKind, range: Range, selection_range: Range) -> DocumentSymbol {
    let name = if name.trim().is_empty() { "(no words)".to_owned() } else { name.to_owned() };
    DocumentSymbol { name, detail: None, kind, tags: None, deprecated: None, range, selection_range, children: None }
}
