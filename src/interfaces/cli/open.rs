//! Opens the book and the project's reports as the options ask.

use crate::diagnosis::Search as _;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::reports::knowledge::{Knowledge, Places, Progress};
use crate::reports::project::Project;
use crate::reports::record::{self, ParsedReport, Record};
use etcetera::BaseStrategy as _;
use indicatif::ProgressBar;

use super::common::Common;
use super::failure::Result;
use super::{output, progress};

/// Reports indexed without a word about it.
const QUIETLY: usize = 50;

/// All knowledge of this run. Nothing is indexed before somebody asks for it.
pub(crate) fn knowledge(common: &Common, rebuild: bool) -> Result<Knowledge> {
    Ok(project(common, rebuild)?.1)
}

/// The project as found, and all knowledge of this run.
pub(crate) fn project(common: &Common, rebuild: bool) -> Result<(Project, Knowledge)> {
    let mut project = Project::find(&here(), &common.reports)?;
    let book = project.book(!common.no_builtin)?;
    for note in &project.notes {
        output::remark(&format!("{}: {}", note.path.display(), note.message));
    }
    let places =
        Places { reports: project.files.clone(), roots: project.roots.clone(), cache: cache_folder(), rebuild };
    Ok((project, Knowledge::new(book, places, progress())))
}

/// The project's reports in short, by path.
pub(crate) fn records(knowledge: &Knowledge) -> Vec<Record> {
    let index = if knowledge.has_reports() { knowledge.index() } else { None };
    index.into_iter().flat_map(|index| index.entries()).map(Record::of).collect()
}

/// The project's reports in full, by path, with the fault pages that the index found them to match.
pub(crate) fn told(project: &Project, knowledge: &Knowledge) -> Vec<ParsedReport> {
    let index = if knowledge.has_reports() { knowledge.index() } else { None };
    let faults =
        |path: &Path| index.and_then(|index| index.entry(path)).map(|entry| entry.faults.clone()).unwrap_or_default();
    record::read(&project.files, faults)
}

/// Where the command was called.
pub(crate) fn here() -> PathBuf {
    env::current_dir().unwrap_or_else(|_| PathBuf::from("."))
}

/// The folder for caches of this user; `None` where there is no home: the index then lives in memory.
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
