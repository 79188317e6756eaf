//! What an id means: a report of the project or of the book, a fault page, a vendor's code; and where it is defined.

use std::ops::Range;
use std::path::PathBuf;

use lsp_types::{Location, Position};

use super::kind::Kind;
use super::session::{Document, Session};
use super::text::Text;
use super::{pages, uri, words};
use crate::book::codes::Code;
use crate::book::report::Report;
use crate::interfaces::workspace::Workspace;
use crate::reports::lookup;
use crate::reports::mentions;
use crate::reports::reading;
use crate::vendors;

/// What an id refers to.
pub(super) enum Meaning<'w> {
    /// A fault page, by its place in the book.
    Page(usize),
    /// Reports: two can carry one id.
    Reports(Vec<Report>),
    /// Codes of vendor libraries.
    Codes(Vec<&'w Code>),
}

/// A known id in a document.
pub(super) struct Mention<'w> {
    /// The id as written.
    pub(super) word: String,
    /// Its bytes in the document.
    pub(super) range: Range<usize>,
    /// What it refers to.
    pub(super) meaning: Meaning<'w>,
    /// The workspace of the document, whose book defines the meaning.
    pub(super) workspace: &'w Workspace,
}

/// The known id at a place.
pub(super) fn at<'w>(session: &'w Session, document: &Document, position: Position) -> Option<Mention<'w>> {
    let (line, byte) = document.at(position);
    let words = document.text.line(line);
    let range = words::around(words, byte)?;
    let word = words.get(range.clone())?;
    let (meaning, length) = meaning(session, document, word)?;
    let start = document.text.line_range(line).start + range.start;
    Some(Mention {
        word: word.get(..length)?.to_owned(),
        range: start..start + length,
        meaning,
        workspace: session.workspace(document),
    })
}

/// What a word means in a kind of document, and how much of it is the id.
fn meaning<'w>(session: &'w Session, document: &Document, word: &str) -> Option<(Meaning<'w>, usize)> {
    let book = &session.workspace(document).knowledge.book;
    // A file's name continues after its id.
    let ids = std::iter::once(word.len()).chain(word.match_indices(['-', '_']).map(|(at, _)| at).rev());
    for length in ids {
        let Some(id) = word.get(..length).filter(|id| mentions::is_report_id(id)) else { continue };
        let reports = reports(session, document, id);
        if !reports.is_empty() {
            return Some((Meaning::Reports(reports), length));
        }
    }
    // One word such as `xid` is an id on our own pages only.
    let may_be_page = matches!(document.kind, Kind::Page | Kind::Report) || word.contains('-');
    if may_be_page && let Some(page) = book.find(word) {
        return Some((Meaning::Page(page), word.len()));
    }
    let is_name = word.contains('_') || vendors::is_code(word);
    if is_name && word.len() > 6 {
        let codes = book.codes().by_name(word);
        if !codes.is_empty() {
            return Some((Meaning::Codes(codes), word.len()));
        }
    }
    None
}

/// Reports with an id, as a document means it: those open in the editor, whether saved or not, those of its project and
/// of the workspace's others, the book's.
pub(super) fn reports(session: &Session, document: &Document, id: &str) -> Vec<Report> {
    let key = reading::comparable(id);
    let is_named = |report: &Report| {
        std::iter::once(&report.id).chain(&report.aliases).any(|name| reading::comparable(name) == key)
    };
    let open = session.documents.values().filter(|document| document.kind == Kind::Report);
    let mut found: Vec<Report> = open
        .map(|document| {
            let path = document.path.clone().unwrap_or_else(|| PathBuf::from(document.uri.as_str()));
            reading::read(&path, document.text.as_str())
        })
        .filter(is_named)
        .collect();
    for report in std::iter::once(session.workspace(document))
        .chain(session.workspaces())
        .flat_map(|workspace| workspace.reports_named(id))
    {
        let known = |other: &Report| {
            other.path == report.path
                || other.path.canonicalize().ok().is_some_and(|p| report.path.canonicalize().ok() == Some(p))
        };
        if !found.iter().any(known) {
            found.push(report);
        }
    }
    // An open copy of a report that is here too says nothing new.
    let knowledge = &session.workspace(document).knowledge;
    let paths: Vec<PathBuf> = found.iter().map(|report| report.path.clone()).collect();
    found.retain(|report| lookup::copy_of(knowledge, &report.path).is_none_or(|living| !paths.contains(&living)));
    found
}

/// Where an id is defined.
pub(super) fn definitions(session: &Session, mention: &Mention<'_>) -> Vec<Location> {
    let workspace = mention.workspace;
    let at_start = |uri| Location { uri, range: lsp_types::Range::default() };
    match &mention.meaning {
        Meaning::Page(page) => pages::of(workspace, *page).map(at_start).into_iter().collect(),
        Meaning::Reports(reports) => reports
            .iter()
            .filter_map(|report| {
                if let Some(uri) =
                    report.path.to_str().and_then(|path| session.documents.get(path)).map(|d| d.uri.clone())
                {
                    return Some(at_start(uri));
                }
                let uri = if report.path.is_file() {
                    uri::of(&report.path)?
                } else {
                    pages::keep(workspace, &report.id, &report.text)?
                };
                let text = Text::new(report.text.clone());
                let place = mentions::places(&report.text, std::slice::from_ref(&report.id)).into_iter().next();
                Some(Location { uri, range: place.map(|place| text.range(&place)).unwrap_or_default() })
            })
            .collect(),
        Meaning::Codes(codes) => {
            let book = &workspace.knowledge.book;
            let mut pages: Vec<usize> = codes.iter().filter_map(|code| book.find(code.fault()?)).collect();
            pages.sort_unstable();
            pages.dedup();
            pages.into_iter().filter_map(|page| pages::of(workspace, page)).map(at_start).collect()
        }
    }
}

/// All spellings of an id that mentions may use.
pub(super) fn spellings(mention: &Mention<'_>) -> Vec<String> {
    match &mention.meaning {
        Meaning::Page(page) => {
            let entry = &mention.workspace.knowledge.book.faults[*page];
            std::iter::once(entry.id.clone()).chain(entry.matter().aliases.iter().cloned()).collect()
        }
        Meaning::Reports(reports) => {
            let all = reports.iter().flat_map(|report| std::iter::once(&report.id).chain(&report.aliases));
            mentions::spellings(&mention.word, all)
        }
        Meaning::Codes(_) => vec![mention.word.clone()],
    }
}
