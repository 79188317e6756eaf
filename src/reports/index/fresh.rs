//! What changed since the last command is seen by the next one, and nothing else is read again.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::{Opened, Sources, open};
use crate::book::Book;
use crate::reports::files::{self, ReportFile};

/// The index of a folder's reports as they are, kept on disk or not.
fn opened(root: &Path, found: &[ReportFile], cache: Option<&Path>) -> Opened {
    let sources = Sources {
        files: found,
        roots: &[root.to_owned()],
        book: &Arc::new(Book::new(false)),
        read: Arc::new(|path| files::read_unbounded(path).ok()),
        faults: Arc::new(|_| Vec::new()),
        per_file: Duration::from_secs(10),
        progress: &|_, _| {},
    };
    open(&sources, cache, false).expect("an index")
}

/// A folder with one for reports and the place of a cache.
fn places() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let (root, cache) = (folder.path().join("reports"), folder.path().join("cache"));
    fs::create_dir(&root).expect("a folder");
    (folder, root, cache)
}

fn found(root: &Path) -> Vec<ReportFile> {
    files::report_files(root).expect("a folder").0
}

/// A text of its own for each number.
fn body(seed: u64) -> String {
    let word = |n: u64| xxhash_rust::xxh3::xxh3_64(&(seed * 1000 + n).to_le_bytes()) % 5000;
    (0..100).map(|n| format!("word{} ", word(n))).collect()
}

fn report(id: usize, seed: u64) -> String {
    format!("---\nbug_id: BUG-20260101-{id:03}\n---\n# Number {seed}\n\n{}\n", body(seed))
}

#[test]
fn a_change_that_no_time_tells_of_is_seen() {
    let (_folder, root, cache) = places();
    let path = root.join("a.md");
    fs::write(&path, report(1, 1)).expect("a report");
    let before = found(&root);
    assert_eq!(opened(&root, &before, Some(&cache)).refreshed(), 1);
    // A coarse clock gives the file the same times: it was changed just before it was read.
    fs::write(&path, report(1, 2)).expect("a report");
    let index = opened(&root, &before, Some(&cache));
    assert_eq!(index.entries().map(|entry| entry.title.as_str()).collect::<Vec<_>>(), ["Number 2"]);
}

#[test]
fn a_file_that_was_only_touched_is_not_read_again() {
    let (_folder, root, cache) = places();
    let path = root.join("a.md");
    fs::write(&path, report(1, 1)).expect("a report");
    assert_eq!(opened(&root, &found(&root), Some(&cache)).refreshed(), 1);
    let long_ago = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    fs::File::options().write(true).open(&path).and_then(|file| file.set_modified(long_ago)).expect("a time");
    let index = opened(&root, &found(&root), Some(&cache));
    assert_eq!((index.refreshed(), index.entries().count()), (0, 1));
}

#[test]
fn groups_after_changes_are_those_of_a_new_index() {
    let (_folder, root, cache) = places();
    let archive = root.join("archive");
    fs::create_dir(&archive).expect("a folder");
    let put = |name: &str, id, seed| fs::write(root.join(name), report(id, seed)).expect("a report");
    for number in 0..40 {
        put(&format!("r{number:02}.md"), number, number as u64);
    }
    put("archive/r03.md", 3, 3);
    put("archive/r04.md", 4, 4);
    let changes: [&dyn Fn(); 7] = [
        &|| {},
        &|| put("r05 (1).md", 5, 5),
        // A copy goes its own way, and another report becomes one.
        &|| put("archive/r03.md", 3, 77),
        &|| put("r20.md", 20, 4),
        // The living one goes, and comes back under another name.
        &|| fs::remove_file(root.join("r04.md")).expect("it goes"),
        &|| put("r41.md", 4, 4),
        &|| fs::rename(root.join("r06.md"), archive.join("r06.md")).expect("it moves"),
    ];
    let groups = |index: &Opened| {
        let copies = index.entries().filter_map(|entry| Some((entry.path.clone(), entry.copy_of.clone()?)));
        copies.collect::<Vec<(PathBuf, PathBuf)>>()
    };
    for (step, change) in changes.iter().enumerate() {
        change();
        let found = found(&root);
        let (kept, new) = (groups(&opened(&root, &found, Some(&cache))), groups(&opened(&root, &found, None)));
        assert_eq!(kept, new, "step {step}");
        assert!(!kept.is_empty(), "step {step}");
    }
}

#[test]
fn one_of_very_many_copies_is_found_when_it_comes() {
    let (_folder, root, cache) = places();
    // More than have a phrase in common that still tells something.
    for number in 0..80 {
        fs::write(root.join(format!("r{number:02}.md")), report(1, 1)).expect("a report");
    }
    opened(&root, &found(&root), Some(&cache));
    fs::write(root.join("another.md"), report(1, 1)).expect("a report");
    let index = opened(&root, &found(&root), Some(&cache));
    assert_eq!((index.refreshed(), index.entries().filter(|entry| entry.copy_of.is_some()).count()), (1, 80));
}
