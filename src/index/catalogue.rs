//! The reports as last seen: enough to list them, to tell whether a file changed, and to name them in an answer
//! without reading a thousand files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use crate::book::report::Report;

/// What is kept of one report.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Where it lies.
    pub path: PathBuf,
    /// Its id.
    pub id: String,
    /// Other ids that stand for it.
    pub aliases: Vec<String>,
    /// Its title.
    pub title: String,
    /// Its status word.
    pub status: String,
    /// Its severity word.
    pub severity: String,
    /// Its date as written.
    pub date: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Fault pages that its own error texts match, the primary one first.
    pub faults: Vec<String>,
    /// Size and time of the file when it was read.
    pub(super) stamp: Stamp,
}

/// What tells that a file changed, without reading it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    /// Bytes.
    size: u64,
    /// Nanoseconds since the epoch of the last modification.
    modified: u64,
}

impl Stamp {
    /// The stamp of a file; that of an absent file is all zero.
    pub(super) fn of(path: &Path) -> Self {
        let Ok(metadata) = path.metadata() else { return Self::default() };
        let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Self {
            size: metadata.len(),
            modified: modified.map_or(0, |time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)),
        }
    }
}

impl Entry {
    /// What is kept of a file that cannot be read: its path and stamp, no id.
    pub(super) fn unreadable(path: &Path, stamp: Stamp) -> Self {
        Self { path: path.to_owned(), stamp, ..Self::default() }
    }

    /// What is kept of a report that was just read.
    pub(super) fn of(report: &Report, faults: Vec<String>, stamp: Stamp) -> Self {
        Self {
            path: report.path.clone(),
            id: report.id.clone(),
            aliases: report.aliases.clone(),
            title: report.title.clone(),
            status: report.status.clone(),
            severity: report.severity.clone(),
            date: report.date.clone(),
            tags: report.tags.clone(),
            faults,
            stamp,
        }
    }
}

/// All reports of an index, by path.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Catalogue {
    /// By path, so that lists come out in a steady order.
    pub entries: BTreeMap<PathBuf, Entry>,
}

/// What changed between a catalogue and the files as they are.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Changes {
    /// New or changed files.
    pub read: Vec<(PathBuf, Stamp)>,
    /// Files that are gone.
    pub forget: Vec<PathBuf>,
}

impl Catalogue {
    /// Compares with the files found now.
    pub(super) fn changes(&self, files: &[(PathBuf, Stamp)]) -> Changes {
        let fresh = |path: &PathBuf, stamp: &Stamp| self.entries.get(path).is_some_and(|entry| entry.stamp == *stamp);
        let present: std::collections::BTreeSet<&PathBuf> = files.iter().map(|(path, _)| path).collect();
        Changes {
            read: files.iter().filter(|(path, stamp)| !fresh(path, stamp)).cloned().collect(),
            forget: self.entries.keys().filter(|path| !present.contains(path)).cloned().collect(),
        }
    }
}

impl Changes {
    /// Whether nothing changed.
    pub(super) fn none(&self) -> bool {
        self.read.is_empty() && self.forget.is_empty()
    }
}
