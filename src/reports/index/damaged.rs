//! Every byte of the cache may be another one tomorrow: the answer stays what it was, with the seal and without it.

use std::fs;
use std::path::{Path, PathBuf};

use super::seal;
use crate::book::Book;
use crate::reports::files::ReportFile;
use crate::reports::knowledge::{Knowledge, Places};
use crate::reports::search::search;

/// The cache of three reports.
struct Cache {
    folder: tempfile::TempDir,
}

impl Cache {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for n in 1..4 {
            let text = format!(
                "---\nbug_id: BUG-2026010{n}-001\ntitle: Number {n} quuxology\n---\n# T\n\nIt broke zorg{n}.\n"
            );
            fs::write(folder.path().join(format!("r{n}.md")), text).expect("a report");
        }
        Self { folder }
    }

    /// The ids that a question finds, by a program that just started.
    fn ask(&self) -> Vec<String> {
        let at = self.folder.path();
        let places = Places {
            reports: (1..4).map(|n| ReportFile::at(at.join(format!("r{n}.md")))).collect(),
            roots: vec![at.to_owned()],
            cache: Some(at.join("cache")),
            rebuild: false,
        };
        // Without the book an index is small.
        let knowledge = Knowledge::new(Book::new(false), places, Box::new(|_, _| {}));
        let found = search(&knowledge, "quuxology zorg2", 5).expect("an answer");
        found.into_iter().map(|hit| hit.id).collect()
    }

    fn home(&self) -> PathBuf {
        let mut homes = fs::read_dir(self.folder.path().join("cache")).expect("a cache").flatten();
        homes.next().expect("an index").path()
    }
}

/// The files of an index, in the order of names.
fn files(home: &Path) -> Vec<PathBuf> {
    let all = [home.to_owned(), home.join("tantivy")];
    let entries = all.iter().flat_map(|folder| fs::read_dir(folder).expect("a folder").flatten());
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    files.retain(|path| fs::metadata(path).is_ok_and(|about| about.len() > 0));
    files.sort();
    files
}

/// Changes one byte at each of so many places.
fn flip(places: usize) {
    let cache = Cache::new();
    let right = cache.ask();
    assert_eq!(right.first().map(String::as_str), Some("BUG-20260102-001"));
    for place in 0..places {
        let home = cache.home();
        let files = files(&home);
        let path = &files[place % files.len()];
        let mut bytes = fs::read(path).expect("it is there");
        let at = place.wrapping_mul(0x9E37_79B9) % bytes.len();
        bytes[at] ^= 1 << (place % 8);
        fs::write(path, bytes).expect("it is written");
        // As if the engine itself had written it: only its own checks, and what catches its panics, are left.
        if place % 2 == 0 {
            seal::write(&home).expect("it is sealed");
        }
        let found = cache.ask();
        // With the seal on, what is damaged and reads well cannot be told from what was written.
        assert!(place % 2 == 0 || found == right, "byte {at} of {}: {found:?}", path.display());
        // The next one must find what was there before anything was changed.
        fs::remove_dir_all(&home).expect("a folder");
        assert_eq!(cache.ask(), right);
    }
}

#[test]
fn a_changed_byte_changes_no_answer() {
    flip(24);
}

#[test]
#[ignore = "takes minutes"]
fn a_changed_byte_changes_no_answer_at_a_thousand_places() {
    flip(1000);
}
