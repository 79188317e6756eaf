//! The reports as last seen: enough to list them, to tell whether a file changed, and to name them in an answer
//! without reading a thousand files.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use crate::book::report::Report;
use crate::reports::copies::Group;
use crate::reports::occurrences::{self, Occurrence, Occurrences};
use crate::reports::status;

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
    /// Host, GPU, driver and versions of what it was written about.
    pub place: Vec<(String, String)>,
    /// The further occurrences that it tells of.
    pub occurrences: Vec<Occurrence>,
    /// The id of the report that it says to be a duplicate of.
    pub duplicate_of: Option<String>,
    /// Whether it came back after it had been solved.
    pub returned: bool,
    /// The report that this one is a copy of.
    pub copy_of: Option<PathBuf>,
    /// Why it is left out, where that is for the time that it takes.
    pub(super) left_out: Option<String>,
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
    /// Nanoseconds since the epoch when the system last changed anything of the file, where it says: nobody can set it
    /// back, as some tools do with the time of modification.
    changed: i64,
}

impl Stamp {
    /// The stamp of a file; that of an absent file is all zero.
    pub(super) fn of(path: &Path) -> Self {
        let Ok(metadata) = path.metadata() else { return Self::default() };
        let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Self {
            size: metadata.len(),
            modified: modified.map_or(0, |time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)),
            changed: changed(&metadata),
        }
    }
}

#[cfg(unix)]
fn changed(metadata: &std::fs::Metadata) -> i64 {
    use std::os::unix::fs::MetadataExt as _;
    metadata.ctime().saturating_mul(1_000_000_000).saturating_add(metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn changed(_metadata: &std::fs::Metadata) -> i64 {
    0
}

impl Entry {
    /// What is kept of a file that cannot be read: its path and stamp, no id.
    pub(super) fn unreadable(path: &Path, stamp: Stamp) -> Self {
        Self { path: path.to_owned(), stamp, ..Self::default() }
    }

    /// Whether reading it takes too long.
    pub(crate) fn is_left_out(&self) -> bool {
        self.left_out.is_some()
    }

    /// What is kept of a report that was just read.
    pub(super) fn of(report: &Report, faults: Vec<String>, stamp: Stamp) -> Self {
        let Occurrences { place, later: occurrences, returned } = occurrences::read(report);
        Self {
            place,
            occurrences,
            duplicate_of: duplicate_of(report),
            returned,
            path: report.path.clone(),
            id: report.id.clone(),
            aliases: report.aliases.clone(),
            title: report.title.clone(),
            status: report.status.clone(),
            severity: report.severity.clone(),
            date: report.date.clone(),
            tags: report.tags.clone(),
            faults,
            copy_of: None,
            left_out: None,
            stamp,
        }
    }
}

/// The only report that one with the status "duplicate" names.
pub(crate) fn duplicate_of(report: &Report) -> Option<String> {
    let is_duplicate = status::reading(&report.status) == Some("duplicate");
    match report.related.as_slice() {
        [one] if is_duplicate => Some(one.clone()),
        _ => None,
    }
}

/// All reports of an index, in the order of their paths.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Catalogue {
    /// Sorted by [`order`], so that a thousand of them compare with the files in one walk.
    entries: Vec<Entry>,
}

/// What changed between a catalogue and the files as they are.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Changes {
    /// New or changed files.
    pub read: Vec<(PathBuf, Stamp)>,
    /// Files that are gone.
    pub forget: Vec<PathBuf>,
}

/// The order of paths by their bytes: comparing them part by part takes a noticeable share of a short answer.
pub(super) fn order(a: &Path, b: &Path) -> Ordering {
    a.as_os_str().as_encoded_bytes().cmp(b.as_os_str().as_encoded_bytes())
}

impl Catalogue {
    /// All entries.
    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Notes which reports are copies of which.
    pub(super) fn set_copies(&mut self, groups: &[Group]) {
        self.entries.iter_mut().for_each(|entry| entry.copy_of = None);
        for group in groups {
            let Some(living) = self.entries.get(group.living).map(|entry| entry.path.clone()) else { continue };
            for copy in &group.copies {
                if let Some(entry) = self.entries.get_mut(*copy) {
                    entry.copy_of = Some(living.clone());
                }
            }
        }
    }

    /// The entry of a path.
    pub(super) fn get(&self, path: &Path) -> Option<&Entry> {
        self.place(path).ok().map(|at| &self.entries[at])
    }

    /// Adds or replaces an entry.
    pub(super) fn insert(&mut self, entry: Entry) {
        match self.place(&entry.path) {
            Ok(at) => self.entries[at] = entry,
            Err(at) => self.entries.insert(at, entry),
        }
    }

    /// Forgets a path.
    pub(super) fn remove(&mut self, path: &Path) {
        if let Ok(at) = self.place(path) {
            self.entries.remove(at);
        }
    }

    /// Compares with the files found now, which come in [`order`].
    pub(super) fn changes(&self, files: &[(PathBuf, Stamp)]) -> Changes {
        let mut changes = Changes::default();
        let mut known = self.entries.iter().peekable();
        for (path, stamp) in files {
            while let Some(gone) = known.next_if(|entry| order(&entry.path, path).is_lt()) {
                changes.forget.push(gone.path.clone());
            }
            match known.next_if(|entry| entry.path == *path) {
                Some(entry) if entry.stamp == *stamp => {}
                _ => changes.read.push((path.clone(), *stamp)),
            }
        }
        changes.forget.extend(known.map(|entry| entry.path.clone()));
        changes
    }

    fn place(&self, path: &Path) -> Result<usize, usize> {
        self.entries.binary_search_by(|entry| order(&entry.path, path))
    }
}

impl Changes {
    /// Whether nothing changed.
    pub(super) fn none(&self) -> bool {
        self.read.is_empty() && self.forget.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str, size: u64) -> Entry {
        Entry { path: path.into(), stamp: Stamp { size, modified: 1, changed: 1 }, ..Entry::default() }
    }

    #[test]
    fn new_changed_and_vanished_files_are_told_apart() {
        let mut catalogue = Catalogue::default();
        for name in ["c", "a", "b"] {
            catalogue.insert(entry(name, 1));
        }
        let file = |name: &str, size| (PathBuf::from(name), Stamp { size, modified: 1, changed: 1 });
        let changes = catalogue.changes(&[file("a", 1), file("b", 2), file("bb", 1)]);
        assert_eq!(changes.read, [file("b", 2), file("bb", 1)]);
        assert_eq!(changes.forget, [PathBuf::from("c")]);
        assert!(catalogue.changes(&[file("a", 1), file("b", 1), file("c", 1)]).none());
    }
}
