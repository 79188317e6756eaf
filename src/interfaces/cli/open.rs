//! Opens the book and the project's reports according to the options.

use crate::book::report::Report;
use crate::diagnosis::Search as _;
use crate::reports::copies;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::reports::knowledge::{Knowledge, Places, Progress};
use crate::reports::project::Project;
use crate::reports::record::{self, ParsedReport, Record};
use crate::reports::{bounds, files, lookup};
use etcetera::BaseStrategy as _;
use indicatif::ProgressBar;

use super::common::Common;
use super::failure::{Failure, Result};
use super::{output, progress, words};

/// The number of reports that are indexed without showing progress.
const QUIETLY: usize = 50;

/// The book and the reports of this run. Nothing is indexed until it is needed.
pub(crate) fn knowledge(common: &Common, rebuild: bool) -> Result<Knowledge> {
    Ok(project(common, rebuild)?.1)
}

/// The project that was found, with the book and its reports.
pub(crate) fn project(common: &Common, rebuild: bool) -> Result<(Project, Knowledge)> {
    let mut project = Project::find(&here(), &common.reports)?;
    let book = project.book(!common.no_builtin)?;
    for note in &project.notes {
        output::remark(&format!("{}: {}", note.path.display(), note.message));
    }
    let places =
        Places { reports: project.files.clone(), roots: project.roots.clone(), cache: cache_folder(), rebuild };
    let left_out = Box::new(|path: &Path, why: &str| output::remark(&format!("{}: {why}", shown(path))));
    Ok((project, Knowledge::new(book, places, progress()).telling(left_out)))
}

/// Summaries of the project's reports, by path; copies are with the report that they are copies of.
pub(crate) fn records(knowledge: &Knowledge) -> Vec<Record> {
    copies::living(lookup::entries(knowledge).map(Record::of).collect(), |record| record)
}

/// The project's complete reports, by path, with what the index knows of them: fault pages and copies.
pub(crate) fn told(project: &Project, knowledge: &Knowledge) -> Vec<ParsedReport> {
    let index = if knowledge.has_reports() { knowledge.index() } else { None };
    let told = record::read(&project.files, |path| index.and_then(|index| index.entry(path)));
    copies::living(told, |one| &mut one.record)
}

/// The project's only report with that id, to be changed; of copies the one that people work with, and a remark says so.
pub(crate) fn one_report(knowledge: &Knowledge, id: &str) -> Result<Report> {
    let paths: Vec<&Path> = lookup::entries_meant(knowledge, id).iter().map(|entry| entry.path.as_path()).collect();
    match paths.as_slice() {
        [path] => {
            let copies = lookup::copies(knowledge, path);
            if !copies.is_empty() {
                let names: Vec<String> = copies.iter().map(|path| shown(path)).collect();
                let are =
                    if names.len() == 1 { "its copy is left as it is" } else { "its copies are left as they are" };
                output::remark(&format!("`{id}` is {}; {are}: {}", shown(path), names.join(", ")));
            }
            Ok(files::read_report(path)?)
        }
        [] => Err(no_report(knowledge, id)),
        several => {
            let names: Vec<String> = several.iter().map(|path| shown(path)).collect();
            Err(Failure::new(format!("{} reports have the id `{id}`", several.len()))
                .hint(format!("name one by its file: {}", names.join(", "))))
        }
    }
}

/// Fails if a file would be changed outside of the project that the user did not name with `--reports`.
pub(crate) fn may_write(common: &Common, path: &Path) -> Result<()> {
    if common.reports.is_empty() {
        bounds::may_write(&here(), path)?;
    }
    Ok(())
}

/// Nothing of the project is called so.
pub(crate) fn no_report(knowledge: &Knowledge, id: &str) -> Failure {
    Failure::new(format!("the project has no report `{id}`")).hint(words::report_meant(id, knowledge))
}

/// A path as users type it: relative if it is below the current folder.
pub(crate) fn shown(path: &Path) -> String {
    path.strip_prefix(here()).unwrap_or(path).display().to_string()
}

pub(crate) fn here() -> PathBuf {
    env::current_dir().unwrap_or_else(|_| PathBuf::from("."))
}

/// The user's cache folder; `None` without a home folder: the index is then kept in memory.
pub(crate) fn cache_folder() -> Option<PathBuf> {
    Some(etcetera::choose_base_strategy().ok()?.cache_dir().join("faultbook"))
}

fn progress() -> Box<Progress> {
    let bar: OnceLock<ProgressBar> = OnceLock::new();
    Box::new(move |done, total| {
        if total < QUIETLY {
            return;
        }
        let bar = bar.get_or_init(|| progress::reports(total as u64));
        bar.set_position(done as u64);
        if done >= total {
            bar.finish_and_clear();
        }
    })
}
