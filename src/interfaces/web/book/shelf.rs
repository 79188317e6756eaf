//! What pages of the book and of the reports are made from: the same for the server and for files.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::names;
use crate::book::Book;
use crate::diagnosis::Search as _;
use crate::interfaces::web::frame::{Abilities, Frame, Section, encoded, report_address, report_file};
use crate::interfaces::workspace::Workspace;
use crate::reports::graph::{Edge, Graph, View};
use crate::reports::index::Entry;
use crate::reports::knowledge::Knowledge;
use crate::reports::mentions::{self, Finder};
use crate::reports::reading::comparable;
use crate::reports::record::{self, ParsedReport};
use crate::reports::{copies, links, lookup};

/// A book and a project's reports.
pub(crate) struct Shelf<'w> {
    pub knowledge: &'w Knowledge,
    pub told: Arc<Told>,
    pub can: Abilities,
    /// The address that the site will have, with a slash at its end; empty where nobody said.
    pub url: String,
    /// The project's folder.
    pub root: &'w Path,
    /// Whether the book that comes with the program is part of it.
    pub builtin: bool,
    uses: OnceCell<BTreeMap<String, Vec<usize>>>,
}

impl<'w> Shelf<'w> {
    pub(crate) fn new(workspace: &'w Workspace, told: Arc<Told>, can: Abilities) -> Self {
        Self {
            knowledge: &workspace.knowledge,
            told,
            can,
            url: String::new(),
            root: &workspace.root,
            builtin: !workspace.settings().no_builtin,
            uses: OnceCell::new(),
        }
    }

    /// The same book for other reports.
    pub(crate) fn beside(other: &Self, told: Told) -> Self {
        Self {
            knowledge: other.knowledge,
            told: told.into(),
            can: other.can,
            url: other.url.clone(),
            root: other.root,
            builtin: other.builtin,
            uses: OnceCell::new(),
        }
    }

    pub(crate) fn book(&self) -> &'w Book {
        &self.knowledge.book
    }

    /// The frame of the page at an address below the root.
    pub(crate) fn frame(&self, address: &str, section: Section, title: &str, description: &str) -> Frame {
        let root = match address.matches('/').count() {
            0 => "",
            1 => "../",
            _ => "../../",
        };
        let url = if self.url.is_empty() { String::new() } else { format!("{}{address}", self.url) };
        Frame {
            root: root.into(),
            title: title.to_owned(),
            description: shortened(description, 200),
            section,
            can: self.can,
            url,
        }
    }

    /// The address of a fault's page, also by a former id; `None` if there is none.
    pub(crate) fn fault(&self, id: &str) -> Option<String> {
        if self.can.reports_only {
            return None;
        }
        self.book().find(id).map(|index| fault_address(&self.book().faults[index].id))
    }

    /// The recipes that pages link to, each with the pages, by id.
    pub(crate) fn uses(&self) -> &BTreeMap<String, Vec<usize>> {
        self.uses.get_or_init(|| {
            let mut uses: BTreeMap<String, Vec<usize>> = BTreeMap::new();
            for (index, page) in self.book().faults.iter().enumerate() {
                for (_, rest) in
                    page.body().match_indices("fixes/").map(|(at, word)| page.body().split_at(at + word.len()))
                {
                    let Some((id, _)) = rest.split_once(".md").filter(|(id, _)| !id.contains([')', '/', '\n'])) else {
                        continue;
                    };
                    let pages = uses.entry(id.to_owned()).or_default();
                    if pages.last() != Some(&index) {
                        pages.push(index);
                    }
                }
            }
            uses
        })
    }

    /// Where a link of the book leads, seen from the root.
    pub(crate) fn of_book(&self, target: &str) -> Option<String> {
        let file = target.split('#').next()?;
        let id = file.rsplit('/').next()?.strip_suffix(".md")?;
        if file.contains("fixes/") && self.uses().contains_key(id) {
            return Some(recipe_address(id));
        }
        self.fault(id)
    }

    /// The names of pages and codes in code, which become links to them.
    pub(crate) fn page_names(&self, root: &str, text: &str, is_code: bool) -> Vec<(Range<usize>, String)> {
        if self.can.reports_only { Vec::new() } else { names::linked(self.book(), root, text, is_code) }
    }
}

pub(crate) fn fault_address(id: &str) -> String {
    format!("book/{id}.html")
}

pub(crate) fn recipe_address(id: &str) -> String {
    format!("book/fixes/{id}.html")
}

/// Text of at most so many characters, broken at a space.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(most) else { return text.to_owned() };
    let kept = &text[..end];
    let kept = kept.rfind(' ').filter(|at| *at > end / 2).map_or(kept, |at| &kept[..at]);
    format!("{}…", kept.trim_end_matches([' ', ',', ';', ':', '.']))
}

/// All reports of a project, and how they relate.
#[derive(Default)]
pub(crate) struct Told {
    /// Those that are no copies, by path.
    pub reports: Vec<ParsedReport>,
    /// The address of each, below the root.
    pub addresses: Vec<String>,
    /// Relations, by the places of their ends in `reports`.
    pub edges: Vec<Edge>,
    paths: HashMap<String, usize>,
    /// The place of each report itself, without its copies.
    at: HashMap<PathBuf, usize>,
    ids: HashMap<String, Vec<usize>>,
    finder: Option<Finder>,
}

impl Told {
    /// Reads them; of those that did not change since `earlier`, the text is not read again.
    pub(crate) fn read(knowledge: &Knowledge, earlier: Option<(&[Entry], &Self)>) -> Self {
        let index = if knowledge.has_reports() { knowledge.index() } else { None };
        let files: Vec<_> = lookup::entries(knowledge).map(|entry| entry.path.clone()).collect();
        let known = |path: &Path| index.and_then(|index| index.entry(path));
        let (entries, told) = earlier.map_or((&[][..], None), |(entries, told)| (entries, Some(told)));
        let entries: HashMap<&Path, &Entry> = entries.iter().map(|entry| (entry.path.as_path(), entry)).collect();
        let kept = |path: &Path| {
            let is_same = entries.get(path).is_some_and(|entry| known(path) == Some(*entry));
            let told = told.filter(|_| is_same)?;
            told.at.get(path).map(|index| told.reports[*index].report.clone())
        };
        let told = record::reread(&files, known, kept);
        Self::new(copies::living(told, |one| &mut one.record))
    }

    pub(crate) fn new(reports: Vec<ParsedReport>) -> Self {
        let edges = Graph::new(&reports, &View { alone: true, ..View::default() }).edges;
        let mut counts: HashMap<String, usize> = HashMap::new();
        let mut told = Self { edges, ..Self::default() };
        for (index, one) in reports.iter().enumerate() {
            let record = &one.record;
            // Two names that differ in case only are one file on some systems.
            let count = counts.entry(report_file(&record.id).to_lowercase()).or_default();
            *count += 1;
            let address = report_address(&record.id);
            told.addresses.push(match *count {
                1 => address,
                count => address.replace(".html", &format!("~{count}.html")),
            });
            told.at.insert(record.path.clone(), index);
            for path in std::iter::once(&record.path).chain(&record.copies) {
                told.paths.insert(slashes(path), index);
            }
            for name in mentions::spellings(&record.id, record.aliases.iter()) {
                let named = told.ids.entry(comparable(&name)).or_default();
                if !named.contains(&index) {
                    named.push(index);
                }
            }
        }
        let mut ids: Vec<String> = told.ids.keys().cloned().collect();
        ids.sort();
        told.finder = Some(Finder::new(&ids));
        told.reports = reports;
        told
    }

    /// The report that a name in an address means: its own, or an id, a path, a file name.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        let own = format!("reports/{}.html", encoded(name));
        let by_address = self.addresses.iter().position(|address| *address == own);
        by_address.or_else(|| self.reports.iter().position(|one| one.record.is_called(name)))
    }

    /// The first report with an id.
    pub(crate) fn with_id(&self, id: &str) -> Option<usize> {
        self.reports.iter().position(|one| one.record.id == id)
    }

    /// The report that a link of another one leads to.
    pub(crate) fn linked(&self, from: &Path, target: &str) -> Option<usize> {
        let file = target.split(['#', '?']).next().filter(|file| !file.is_empty())?;
        let file = percent_encoding::percent_decode_str(file).decode_utf8().ok()?;
        self.paths.get(&links::join(&slashes(from), &file)).copied()
    }

    /// The ids of reports in a text.
    pub(crate) fn mentioned(&self, text: &str) -> Vec<(Range<usize>, usize)> {
        let places = self.finder.iter().flat_map(|finder| finder.places(text));
        let meant = |range: &Range<usize>| self.ids.get(&comparable(text.get(range.clone())?))?.first().copied();
        places.filter_map(|range| meant(&range).map(|index| (range, index))).collect()
    }

    /// The reports of a fault: those that failed of it first come first, then the newest.
    pub(crate) fn of_fault(&self, id: &str) -> Vec<usize> {
        let place = |index: usize| self.reports[index].record.faults.iter().position(|fault| fault == id);
        let mut found: Vec<usize> = (0..self.reports.len()).filter(|index| place(*index).is_some()).collect();
        found.sort_by_key(|index| {
            (place(*index) != Some(0), std::cmp::Reverse(self.reports[*index].record.day()), *index)
        });
        found
    }
}

fn slashes(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    links::join(&text, text.rsplit('/').next().unwrap_or_default())
}

/// The reports as last read: reading a thousand of them for every page would be slow.
#[derive(Default)]
pub(crate) struct Remembered(Mutex<Option<(Vec<Entry>, Arc<Told>)>>);

impl Remembered {
    /// The reports, read again if any of them changed.
    pub(crate) fn told(&self, knowledge: &Knowledge) -> Arc<Told> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((entries, told)) = &*kept
            && entries.iter().eq(lookup::entries(knowledge))
        {
            return told.clone();
        }
        let earlier = kept.as_ref().map(|(entries, told)| (entries.as_slice(), told.as_ref()));
        let told = Arc::new(Told::read(knowledge, earlier));
        *kept = Some((lookup::entries(knowledge).cloned().collect(), told.clone()));
        told
    }
}
