//! A project's reports and its own pages: as given on the command line, as configured, or where such
//! things usually are.

use std::path::{Path, PathBuf};

use crate::book::Book;
use crate::reports::Error;
use crate::reports::config;
use crate::reports::files::{self, Note, ReportFile};
use crate::reports::own_pages;

/// A project's reports and pages, found but not read.
#[derive(Debug, Default)]
pub(crate) struct Project {
    /// The folders that hold reports.
    pub roots: Vec<PathBuf>,
    /// Report files, each once, by path.
    pub files: Vec<ReportFile>,
    /// Folders with fault pages of its own.
    pub pages: Vec<PathBuf>,
    /// What its configuration says, where there is one.
    pub config: config::Config,
    /// What was left out, and why.
    pub notes: Vec<Note>,
}

impl Project {
    /// The project that contains `start`. Folders that were given replace the project's own.
    ///
    /// # Errors
    /// When a folder that the user named does not exist, or `faultbook.toml` is wrong.
    pub(crate) fn find(start: &Path, given: &[PathBuf]) -> Result<Self, Error> {
        let config = config::nearest(start)?.unwrap_or_default();
        let mut roots = match (given.is_empty(), config.reports.is_empty()) {
            (false, _) => given.to_vec(),
            (true, false) => config.reports.clone(),
            (true, true) => files::usual_places(start),
        };
        forget_other_names(&mut roots);
        let mut project = Self { roots, pages: config.book.clone(), config, ..Self::default() };
        for root in &project.roots {
            let (files, notes) = files::report_files(root)?;
            project.files.extend(files);
            project.notes.extend(notes);
        }
        project.files.sort_unstable_by(|a, b| files::order(&a.path, &b.path));
        project.files.dedup_by(|a, b| a.path == b.path);
        Ok(project)
    }

    /// Where its reports lie.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.iter().map(|file| &file.path)
    }

    /// The built-in book (unless it is not wanted) with the project's own pages; broken pages become notes.
    ///
    /// # Errors
    /// When a configured folder of pages is not there.
    pub(crate) fn book(&mut self, builtin: bool) -> Result<Book, Error> {
        let mut book = Book::new(builtin);
        for folder in &self.pages {
            let mut pages = own_pages::read(folder, &|id| book.recipe(id))?;
            for (path, problems) in std::mem::take(&mut pages.broken) {
                let reason = problems.first().map_or_else(String::new, |problem| problem.message.clone());
                self.notes.push(Note { path, message: format!("the page is left out: {reason}") });
            }
            book.add_pages(pages);
        }
        Ok(book)
    }
}

/// The same folder by another name would give every report twice.
fn forget_other_names(roots: &mut Vec<PathBuf>) {
    let mut seen = Vec::new();
    roots.retain(|root| {
        let real = root.canonicalize().unwrap_or_else(|_| root.clone());
        let new = !seen.contains(&real);
        seen.push(real);
        new
    });
}
