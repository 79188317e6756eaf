//! All pages in hand: the built-in ones and a team's own, which override them by id. Bodies are read on demand.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use super::builtin::{Builtin, BuiltinFault, builtin};
use super::cases::Case;
use super::codes::CodeTable;
use super::framework_builds::FrameworkBuilds;
use super::hardware::Hardware;
use super::page::{FaultPage, Notice, Recipe};
use super::page_reader::{self, PageLocation};
use super::pages::Pages;
use super::schema::{FrontMatter, PageStatus};
use super::vocabulary::Vocabulary;
use super::wheels::Wheels;
use crate::fingerprint::Fingerprint;

/// The book as one run uses it.
pub struct Book {
    /// Fault pages in use, by id.
    pub faults: Vec<Entry>,
    /// Notices of harmless lines.
    pub notices: Vec<Notice>,
    /// GPUs and wheels.
    pub hardware: Hardware,
    /// Builds of frameworks by index.
    pub(crate) wheels: Wheels,
    /// What releases of frameworks are built with.
    pub(crate) framework_builds: FrameworkBuilds,
    /// The closed list of causes.
    pub vocabulary: Vocabulary,
    /// A team's own recipes.
    recipes: BTreeMap<String, Recipe>,
    by_id: HashMap<String, usize>,
    builtin: &'static Builtin,
}

/// A fault page that is read when it is needed.
pub struct Entry {
    /// The file's stem.
    pub id: String,
    /// The folder.
    pub area: String,
    /// Path as shown.
    pub path: String,
    source: PageSource,
    page: OnceLock<FaultPage>,
}

/// Where a page comes from.
enum PageSource {
    Builtin(BuiltinFault),
    Own { matter: Box<FrontMatter>, body: String },
}

impl Entry {
    /// The front matter.
    pub fn matter(&self) -> &FrontMatter {
        match &self.source {
            PageSource::Builtin(fault) => fault.matter(),
            PageSource::Own { matter, .. } => matter,
        }
    }

    /// The markdown after the front matter.
    pub fn body(&self) -> &str {
        match &self.source {
            PageSource::Builtin(fault) => fault.body(),
            PageSource::Own { body, .. } => body,
        }
    }

    /// The number among the built-in pages, where it is one.
    pub(crate) fn builtin_number(&self) -> Option<u32> {
        match &self.source {
            PageSource::Builtin(fault) => Some(fault.number()),
            PageSource::Own { .. } => None,
        }
    }

    /// Whether it may be about an operation that failed without a message, where versions of these packages are known;
    /// `unbound` if a page may be that is bound to no package.
    pub(crate) fn may_be_silent(&self, unbound: bool, is_known: impl Fn(&str) -> bool) -> bool {
        match &self.source {
            PageSource::Builtin(fault) => match fault.summary().silent {
                None => false,
                Some("") => unbound,
                Some(packages) => packages.split(' ').any(is_known),
            },
            PageSource::Own { matter, .. } => !matter.operations.is_empty(),
        }
    }

    /// The expression of the conflict between versions that it knows.
    pub(crate) fn conflict(&self) -> Option<&str> {
        match &self.source {
            PageSource::Builtin(fault) if !fault.summary().conflicting => None,
            _ => self.matter().conflict.as_deref(),
        }
    }
}

impl Book {
    /// The built-in book; without its pages when `builtin_pages` is false (tables and recipes stay).
    pub fn new(builtin_pages: bool) -> Self {
        let builtin = builtin();
        let mut book = Self {
            faults: Vec::new(),
            notices: Vec::new(),
            hardware: Hardware::new(
                include_str!(concat!(env!("OUT_DIR"), "/gpus.table")),
                include_str!(concat!(env!("OUT_DIR"), "/torch-wheels.table")),
            ),
            wheels: Wheels::new(include_str!(concat!(env!("OUT_DIR"), "/wheels.table"))),
            framework_builds: FrameworkBuilds::new(include_str!(concat!(env!("OUT_DIR"), "/framework-builds.table"))),
            vocabulary: Vocabulary::new(include_str!("../../kb/causes.csv")),
            recipes: BTreeMap::new(),
            by_id: HashMap::new(),
            builtin,
        };
        if builtin_pages {
            book.notices = builtin.notices().collect();
            for fault in builtin.faults() {
                let aliases = fault.summary().aliases.split_whitespace().map(str::to_owned);
                book.add(
                    aliases,
                    Entry {
                        id: fault.id().to_owned(),
                        area: fault.area().to_owned(),
                        path: fault.path().to_owned(),
                        source: PageSource::Builtin(fault),
                        page: OnceLock::new(),
                    },
                );
            }
        }
        book
    }

    /// Adds a team's own pages, recipes and notices; a page with a known id takes the place of the one that had it.
    pub fn add_pages(&mut self, pages: Pages) {
        for file in pages.faults.into_iter().filter(|file| file.matter.status != PageStatus::Withdrawn) {
            self.add(
                file.matter.aliases.clone(),
                Entry {
                    id: file.id,
                    area: file.area,
                    path: file.path.to_string_lossy().into_owned(),
                    source: PageSource::Own { matter: Box::new(file.matter), body: file.body },
                    page: OnceLock::new(),
                },
            );
        }
        self.notices.extend(pages.notices);
        self.recipes.extend(pages.recipes);
    }

    fn add(&mut self, aliases: impl IntoIterator<Item = String>, entry: Entry) {
        match self.by_id.get(&entry.id) {
            Some(&index) => self.faults[index] = entry,
            None => {
                let index = self.faults.len();
                for alias in aliases {
                    self.by_id.entry(alias).or_insert(index);
                }
                self.by_id.insert(entry.id.clone(), index);
                self.faults.push(entry);
            }
        }
    }

    /// The index of the page with that id or former id.
    pub fn find(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// The whole page at that index.
    pub fn fault(&self, index: usize) -> &FaultPage {
        let entry = &self.faults[index];
        entry.page.get_or_init(|| {
            let shelf = PageLocation { id: &entry.id, area: &entry.area, path: &entry.path };
            let recipes = |id: &str| self.recipe(id);
            page_reader::read_body(shelf, entry.matter().clone(), entry.body(), &recipes)
        })
    }

    /// The recipe with that id.
    pub fn recipe(&self, id: &str) -> Option<Recipe> {
        self.recipes.get(id).cloned().or_else(|| self.builtin.recipe(id))
    }

    /// The resolved public cases of a fault; those of a page of a team's own are unknown.
    pub fn cases(&self, fault: &str) -> Vec<Case<'static>> {
        Builtin::cases(fault)
    }

    /// The causes of a fault that labelled posts have, and in how many; those of a page of a team's own are unknown.
    pub(crate) fn posts(&self, fault: &str) -> &'static [(&'static str, u16)] {
        Builtin::posts(fault)
    }

    /// The tables of status codes.
    pub fn codes(&self) -> &'static CodeTable {
        self.builtin.codes()
    }

    /// The reports that come with the book: path as shown and text.
    pub fn reports(&self) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
        self.builtin.reports()
    }

    /// What changes when any page does: caches made from another book are not used.
    pub(crate) fn fingerprint(&self) -> String {
        let mut print = Fingerprint::new();
        print.add(super::builtin::BYTES);
        for entry in self.faults.iter().filter(|entry| entry.builtin_number().is_none()) {
            print.add(entry.id.as_bytes());
            print.add(format!("{:?}", entry.matter()).as_bytes());
            print.add(entry.body().as_bytes());
        }
        print.add(&self.faults.len().to_le_bytes());
        print.hex()
    }
}
