//! The reports as last seen: enough to list them, to tell whether a file changed, and to name them in an answer
//! without reading a thousand files.
//!
//! Of most reports an answer needs only where they lie and whether they changed. The rest of an entry stays packed until
//! somebody asks for it.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::book::report::Report;
use crate::reports::files::{ReportFile, order};
use crate::reports::occurrences::{self, Occurrence, Occurrences};
use crate::reports::stamp::Stamp;
use crate::reports::status;

/// What is kept of one report.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Where it lies.
    #[serde(skip)]
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
    #[serde(skip)]
    pub copy_of: Option<PathBuf>,
    /// Why it is left out, where that is for the time that it takes.
    pub(super) left_out: Option<String>,
}

impl Entry {
    /// What is kept of a file that cannot be read: its path, no id.
    pub(super) fn unreadable(path: &Path) -> Self {
        Self { path: path.to_owned(), ..Self::default() }
    }

    /// Whether reading it takes too long.
    pub(crate) fn is_left_out(&self) -> bool {
        self.left_out.is_some()
    }

    /// What is kept of a report that was just read.
    pub(super) fn of(report: &Report, faults: Vec<String>) -> Self {
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

/// What every command asks of every report.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Listed {
    /// Where it lies.
    pub path: PathBuf,
    /// The state of the file when it was read.
    stamp: Stamp,
    /// A hash of its bytes then: a file that was only touched, or checked out again, need not be read again.
    bytes: u64,
    /// The report that this one is a copy of.
    pub copy_of: Option<PathBuf>,
    /// The id of the report that it says to be a duplicate of.
    pub duplicate_of: Option<String>,
    /// Whether it takes too long.
    pub left_out: bool,
    /// Where its entry is packed.
    packed: Range<u32>,
}

/// All reports of an index, in the order of their paths.
#[derive(Debug, Default)]
pub(super) struct Catalogue {
    /// Sorted by [`order`], so that a thousand of them compare with the files in one walk.
    listed: Vec<Listed>,
    /// Those that somebody has asked for.
    entries: Vec<OnceLock<Box<Entry>>>,
    /// Entries, packed one after the other, after the list as it was read.
    packed: Vec<u8>,
    /// Where they begin.
    start: usize,
}

/// What changed between a catalogue and the files as they are.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Changes {
    /// New or changed files, and those that may have changed.
    pub read: Vec<ReportFile>,
    /// Files that are gone.
    pub forget: Vec<PathBuf>,
}

impl Catalogue {
    /// The catalogue in these bytes, as [`to_bytes`](Self::to_bytes) writes them; `None` if they are something else.
    pub(super) fn from_bytes(bytes: Vec<u8>) -> Option<Self> {
        let (listed, rest) = postcard::take_from_bytes::<Vec<Listed>>(&bytes).ok()?;
        let start = bytes.len() - rest.len();
        let entries = listed.iter().map(|_| OnceLock::new()).collect();
        Some(Self { listed, entries, packed: bytes, start })
    }

    /// The catalogue as bytes: the list, then the packed entries.
    ///
    /// # Errors
    /// When an entry cannot be packed.
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>, postcard::Error> {
        let mut packed: Vec<u8> = Vec::with_capacity(self.packed.len());
        let mut listed = Vec::with_capacity(self.listed.len());
        for known in &self.listed {
            let start = packed.len();
            packed.extend_from_slice(self.bytes_of(known).unwrap_or_default());
            listed.push(Listed { packed: start as u32..packed.len() as u32, ..known.clone() });
        }
        let mut bytes = postcard::to_stdvec(&listed)?;
        bytes.append(&mut packed);
        Ok(bytes)
    }

    /// What every command asks of every report.
    pub(super) fn listed(&self) -> &[Listed] {
        &self.listed
    }

    /// The entries of those reports.
    pub(super) fn entries(&self, of: impl Fn(&Listed) -> bool) -> impl Iterator<Item = &Entry> {
        (0..self.listed.len()).filter(move |at| of(&self.listed[*at])).map(|at| self.entry(at))
    }

    /// The entry of a path.
    pub(super) fn get(&self, path: &Path) -> Option<&Entry> {
        self.place(path).ok().map(|at| self.entry(at))
    }

    /// The entry at a place of the list. One that cannot be unpacked is like a file that cannot be read.
    pub(super) fn entry(&self, at: usize) -> &Entry {
        self.entries[at].get_or_init(|| Box::new(self.unpacked(at)))
    }

    /// The same, for one who needs it once.
    pub(super) fn unpacked(&self, at: usize) -> Entry {
        let listed = &self.listed[at];
        let entry: Option<Entry> = self.bytes_of(listed).and_then(|bytes| postcard::from_bytes(bytes).ok());
        let (path, copy_of) = (listed.path.clone(), listed.copy_of.clone());
        Entry { path, copy_of, ..entry.unwrap_or_default() }
    }

    fn bytes_of(&self, listed: &Listed) -> Option<&[u8]> {
        self.packed.get(self.start + listed.packed.start as usize..self.start + listed.packed.end as usize)
    }

    /// Adds or replaces the entry of a file.
    ///
    /// # Errors
    /// When it cannot be packed.
    pub(super) fn insert(&mut self, file: &ReportFile, bytes: u64, entry: &Entry) -> Result<(), postcard::Error> {
        let start = (self.packed.len() - self.start) as u32;
        self.packed = postcard::to_extend(entry, std::mem::take(&mut self.packed))?;
        let listed = Listed {
            path: file.path.clone(),
            stamp: file.stamp,
            bytes,
            copy_of: None,
            duplicate_of: entry.duplicate_of.clone(),
            left_out: entry.is_left_out(),
            packed: start..(self.packed.len() - self.start) as u32,
        };
        match self.place(&file.path) {
            Ok(at) => (self.listed[at], self.entries[at]) = (listed, OnceLock::new()),
            Err(at) => {
                self.listed.insert(at, listed);
                self.entries.insert(at, OnceLock::new());
            }
        }
        Ok(())
    }

    /// Notes which report the one at a place of the list is a copy of.
    pub(super) fn set_copy_of(&mut self, at: usize, of: Option<PathBuf>) {
        self.listed[at].copy_of = of;
        self.entries[at] = OnceLock::new();
    }

    /// Notes that a file which has these bytes is the one that was read. False if it is another one.
    pub(super) fn is_still(&mut self, file: &ReportFile, bytes: u64) -> bool {
        let known = self.place(&file.path).ok().map(|at| &mut self.listed[at]).filter(|known| known.bytes == bytes);
        known.is_some_and(|known| {
            known.stamp = file.stamp;
            true
        })
    }

    /// Forgets a path.
    pub(super) fn remove(&mut self, path: &Path) {
        if let Ok(at) = self.place(path) {
            self.listed.remove(at);
            self.entries.remove(at);
        }
    }

    /// Compares with the files found now, which come in [`order`].
    pub(super) fn changes(&self, files: &[ReportFile]) -> Changes {
        let mut changes = Changes::default();
        let mut known = self.listed.iter().peekable();
        for file in files {
            while let Some(gone) = known.next_if(|listed| order(&listed.path, &file.path).is_lt()) {
                changes.forget.push(gone.path.clone());
            }
            match known.next_if(|listed| order(&listed.path, &file.path).is_eq()) {
                Some(listed) if listed.stamp.proves(&file.stamp) => {}
                _ => changes.read.push(file.clone()),
            }
        }
        changes.forget.extend(known.map(|listed| listed.path.clone()));
        changes
    }

    /// The place of a path in the list, or where it would be.
    pub(super) fn place(&self, path: &Path) -> Result<usize, usize> {
        self.listed.binary_search_by(|listed| order(&listed.path, path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, size: u64) -> ReportFile {
        ReportFile { path: path.into(), stamp: Stamp::settled(size) }
    }

    #[test]
    fn new_changed_and_vanished_files_are_told_apart() {
        let mut catalogue = Catalogue::default();
        for name in ["c", "a", "b"] {
            let entry = Entry { id: name.to_uppercase(), ..Entry::unreadable(Path::new(name)) };
            catalogue.insert(&file(name, 1), 0, &entry).expect("it is packed");
        }
        catalogue.set_copy_of(1, Some("a".into()));
        let mut catalogue = Catalogue::from_bytes(catalogue.to_bytes().expect("bytes")).expect("a catalogue");
        let shown: Vec<_> = catalogue
            .entries(|_| true)
            .map(|entry| (entry.path.clone(), entry.id.as_str(), entry.copy_of.clone()))
            .collect();
        assert_eq!(shown, [("a".into(), "A", None), ("b".into(), "B", Some("a".into())), ("c".into(), "C", None)]);
        let changes = catalogue.changes(&[file("a", 1), file("b", 2), file("bb", 1)]);
        assert_eq!(changes.read, [file("b", 2), file("bb", 1)]);
        assert_eq!(changes.forget, [PathBuf::from("c")]);
        assert_eq!(catalogue.changes(&[file("a", 1), file("b", 1), file("c", 1)]), Changes::default());
        assert!(catalogue.is_still(&file("b", 2), 0) && !catalogue.is_still(&file("c", 2), 7));
        catalogue.remove(Path::new("c"));
        assert_eq!(catalogue.changes(&[file("a", 1), file("b", 2)]), Changes::default());
    }
}
