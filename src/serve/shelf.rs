//! What a server has at hand: the project's reports and pages, and the knowledge made of them.
//!
//! A server outlives the files it read: it opens a new shelf when they change. Opening is cheap, because the index
//! on disk only takes in what changed. Nothing here fails: a broken configuration becomes a note.

use std::path::{Path, PathBuf};

use crate::book::Book;
use crate::book::lenient::{self, comparable};
use crate::book::load;
use crate::book::naming::Naming;
use crate::book::report::Report;
use crate::diagnose::{Measured, diagnose};
use crate::diagnosis::Diagnosis;
use crate::index::Entry;
use crate::knowledge::{Knowledge, Places};
use crate::project::Project;
use crate::{incident, transcript};

/// How a shelf is opened.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Folders of reports that take the place of the project's own.
    pub reports: Vec<PathBuf>,
    /// Whether to leave out the built-in pages and reports.
    pub no_builtin: bool,
    /// Where caches live; `None` keeps everything in memory.
    pub cache: Option<PathBuf>,
}

/// Everything known in one project.
pub struct Shelf {
    /// The folder that the project was looked for in.
    pub root: PathBuf,
    /// Folders of reports.
    pub reports: Vec<PathBuf>,
    /// Folders of the project's own pages.
    pub pages: Vec<PathBuf>,
    /// How the project names its reports, where it chose.
    pub naming: Option<Naming>,
    /// What could not be read.
    pub notes: Vec<String>,
    /// Pages, signatures, index.
    pub knowledge: Knowledge,
    settings: Settings,
}

impl Shelf {
    /// The shelf of the project that `root` lies in.
    pub fn open(root: &Path, settings: &Settings) -> Self {
        let mut notes = Vec::new();
        let mut project = Project::find(root, &settings.reports).unwrap_or_else(|error| {
            notes.push(error.to_string());
            Project::default()
        });
        let book = project.book(!settings.no_builtin).unwrap_or_else(|error| {
            notes.push(error.to_string());
            Book::new(!settings.no_builtin)
        });
        notes.extend(project.notes.iter().map(|note| format!("{}: {}", note.path.display(), note.says)));
        let config = &project.config;
        let naming = Naming::new(config.id.as_deref(), config.file_name.as_deref()).unwrap_or_else(|error| {
            notes.push(error.to_string());
            None
        });
        let places = Places {
            reports: project.files,
            roots: project.roots.clone(),
            cache: settings.cache.clone(),
            rebuild: false,
        };
        Self {
            root: root.to_owned(),
            reports: project.roots,
            pages: project.pages,
            naming,
            notes,
            knowledge: Knowledge::new(book, places, Box::new(|_, _| {})),
            settings: settings.clone(),
        }
    }

    /// The same project with its files as they are now.
    pub fn again(&self) -> Self {
        Self::open(&self.root, &self.settings)
    }

    /// Where caches live.
    pub fn cache(&self) -> Option<&Path> {
        self.settings.cache.as_deref()
    }

    /// Diagnoses a text without asking the machine.
    pub fn diagnose(&self, text: &[u8]) -> Diagnosis {
        let transcript = transcript::read(text);
        let incident = incident::read(&transcript);
        diagnose(&transcript, &incident, &self.knowledge, &Measured::default())
    }

    /// The project's reports with that id, in any spelling.
    pub fn entries(&self, id: &str) -> Vec<&Entry> {
        let asked = comparable(id);
        let entries = self.all_entries();
        entries.filter(|entry| names(entry).any(|name| comparable(name) == asked)).collect()
    }

    /// All reports of the project.
    pub fn all_entries(&self) -> impl Iterator<Item = &Entry> {
        let index = if self.knowledge.has_reports() { self.knowledge.index() } else { None };
        index.into_iter().flat_map(|index| index.entries())
    }

    /// The project's reports with that id, else those that come with the book.
    pub fn reports_named(&self, id: &str) -> Vec<Report> {
        let own: Vec<Report> =
            self.entries(id).iter().filter_map(|entry| load::read_report(&entry.path).ok()).collect();
        if !own.is_empty() || self.settings.no_builtin {
            return own;
        }
        let asked = comparable(id);
        let built_in = self.knowledge.book.reports().map(|(path, text)| lenient::read(Path::new(path), text));
        let is_named = |report: &Report| {
            comparable(&report.id) == asked || report.aliases.iter().any(|alias| comparable(alias) == asked)
        };
        built_in.filter(is_named).collect()
    }
}

/// The id and everything that stands for it.
pub fn names(entry: &Entry) -> impl Iterator<Item = &str> {
    std::iter::once(entry.id.as_str()).chain(entry.aliases.iter().map(String::as_str))
}
