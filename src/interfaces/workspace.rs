//! A project as a server sees it: its reports and pages, and the knowledge built from them.
//!
//! Files change while a server runs: it then opens a new workspace. Opening is cheap, because the index
//! on disk only takes in what changed. Nothing here fails: a broken configuration becomes a note.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::book::Book;
use crate::book::report::Report;
use crate::diagnosis::Diagnosis;
use crate::diagnosis::{Measured, diagnose};
use crate::incident;
use crate::reports::config::Config;
use crate::reports::knowledge::{Knowledge, Places};
use crate::reports::lookup;
use crate::reports::naming::Naming;
use crate::reports::project::Project;
use crate::text;

/// How a workspace is opened.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Folders of reports, instead of the project's own.
    pub reports: Vec<PathBuf>,
    /// Whether to leave out the built-in pages and reports.
    pub no_builtin: bool,
    /// Where caches live; `None` keeps everything in memory.
    pub cache: Option<PathBuf>,
    /// Whether this machine's GPU, driver and Python environment may be probed.
    pub probe: bool,
    /// The Python interpreter or environment that runs use, if given.
    pub python: Option<PathBuf>,
    /// Whether an agent may have reports written.
    pub allow_write: bool,
}

/// Everything known in one project.
pub struct Workspace {
    /// The folder that the project was looked for in.
    pub root: PathBuf,
    /// Folders of reports.
    pub reports: Vec<PathBuf>,
    /// Folders of the project's own pages.
    pub pages: Vec<PathBuf>,
    /// How the project names its reports, where it chose.
    pub naming: Option<Naming>,
    /// What the project configured.
    pub config: Config,
    /// What could not be read.
    pub notes: Vec<String>,
    /// Pages, signatures, index.
    pub knowledge: Knowledge,
    /// Reports that were left out, and why, that nobody has asked for yet.
    left_out: Arc<Mutex<Vec<String>>>,
    settings: Settings,
}

impl Workspace {
    /// The workspace of the project that contains `root`.
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
        notes.extend(project.notes.iter().map(|note| format!("{}: {}", note.path.display(), note.message)));
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
        let left_out: Arc<Mutex<Vec<String>>> = Arc::default();
        let telling = Arc::clone(&left_out);
        let tell = Box::new(move |path: &Path, why: &str| {
            telling.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{}: {why}", path.display()));
        });
        Self {
            root: root.to_owned(),
            left_out,
            reports: project.roots,
            pages: project.pages,
            naming,
            config: project.config,
            notes,
            knowledge: Knowledge::new(book, places, Box::new(|_, _| {})).telling(tell),
            settings: settings.clone(),
        }
    }

    /// The same project with its files as they are now.
    pub fn reopened(&self) -> Self {
        Self::open(&self.root, &self.settings)
    }

    /// The reports that were left out since the last call because they take too long, each with why.
    pub fn left_out(&self) -> Vec<String> {
        std::mem::take(&mut *self.left_out.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// How it was opened.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Where caches live.
    pub fn cache(&self) -> Option<&Path> {
        self.settings.cache.as_deref()
    }

    /// Diagnoses a text without asking the machine; `note` is what its reader should know of how it came here.
    pub fn diagnose(&self, text: &[u8], note: Option<String>) -> Diagnosis {
        let mut transcript = text::read(text);
        note.into_iter().for_each(|note| transcript.note(note));
        let incident = incident::read(&transcript);
        diagnose(&transcript, &incident, self.knowledge.library(), &Measured::default())
    }

    /// The reports with that id: the project's, else the book's. One that cannot be read any
    /// more is left out.
    pub fn reports_named(&self, id: &str) -> Vec<Report> {
        lookup::reports(&self.knowledge, id, !self.settings.no_builtin).unwrap_or_default()
    }
}
