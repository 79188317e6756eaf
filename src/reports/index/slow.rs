//! A report whose reading never ends, or panics, costs itself and no other; and two versions of the program do not read
//! each other's caches.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::{Opened, Sources, open};
use crate::book::Book;
use crate::book::report::Report;
use crate::reports::files::ReportFile;
use crate::reports::knowledge::{Knowledge, Places};
use crate::reports::reading;
use crate::reports::search::search;

/// Three reports in a folder.
fn reports(folder: &Path) -> Vec<ReportFile> {
    let write = |n: usize| {
        let path = folder.join(format!("r{n}.md"));
        let text =
            format!("---\nbug_id: BUG-2026010{n}-001\ntitle: Number {n} quuxology\n---\n# T\n\nIt broke zorg{n}.\n");
        fs::write(&path, text).expect("a report");
        ReportFile::at(path)
    };
    (1..4).map(write).collect()
}

/// Reads a report as usual, except that nothing ends for the second and the third panics.
fn hostile(path: &Path) -> Option<Report> {
    let text = fs::read_to_string(path).ok()?;
    while text.contains("zorg2") && !std::hint::black_box(false) {}
    assert!(!text.contains("zorg3"), "a bug of the reader");
    Some(reading::read(path, &text))
}

fn opened(files: &[ReportFile], root: &Path, cache: Option<&Path>) -> Opened {
    let sources = Sources {
        files,
        roots: &[root.to_owned()],
        book: &Arc::new(Book::new(false)),
        read: Arc::new(hostile),
        faults: Arc::new(|_| Vec::new()),
        per_file: Duration::from_millis(100),
        progress: &|_, _| {},
    };
    open(&sources, cache, false).expect("an index")
}

/// The reports of a folder, indexed in a cache.
fn places(folder: &Path, cache: &Path) -> Places {
    Places { reports: reports(folder), roots: vec![folder.to_owned()], cache: Some(cache.to_owned()), rebuild: false }
}

#[test]
fn a_report_beyond_its_time_is_named_and_left_out_and_the_others_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let (root, cache) = (folder.path(), folder.path().join("cache"));
    let files = reports(root);
    for (place, cache) in [("in memory", None), ("on disk", Some(&cache)), ("kept on disk", Some(&cache))] {
        let index = opened(&files, root, cache.map(PathBuf::as_path));
        let ids: Vec<&str> = index.entries().map(|entry| entry.id.as_str()).collect();
        assert_eq!(ids, ["BUG-20260101-001"], "{place}");
        let why: Vec<String> = index.left_out().map(|(path, why)| format!("{}: {why}", path.display())).collect();
        let at = |name: &str| root.join(name).display().to_string();
        let expected = [
            format!("{}: left out: it takes longer than 0.1 s", at("r2.md")),
            format!("{}: left out: reading it failed, which is a bug in Faultbook", at("r3.md")),
        ];
        assert_eq!(why, expected, "{place}");
        // What is remembered costs no second attempt.
        assert_eq!(index.refreshed() == 0, place == "kept on disk", "{place}");
    }
}

#[test]
fn versions_with_different_books_share_a_cache() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = folder.path().join("cache");
    let places = places(folder.path(), &cache);
    // The book's fingerprint names a cache, as the version of the program and of the format do.
    let ask = |builtin: bool| {
        let knowledge = Knowledge::new(Book::new(builtin), places.clone(), Box::new(|_, _| {}));
        let found = search(&knowledge, "quuxology zorg2", 3).expect("an answer");
        assert_eq!(found.first().map(|hit| hit.id.as_str()), Some("BUG-20260102-001"));
        knowledge.index().map(Opened::refreshed)
    };
    assert_eq!([ask(true), ask(false)], [Some(3), Some(3)]);
    assert_eq!([ask(true), ask(false), ask(true)], [Some(0); 3], "neither takes the other's cache away");
    assert_eq!(fs::read_dir(&cache).expect("a cache").count(), 2);
}

#[test]
fn a_cache_of_another_format_under_this_name_is_built_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = folder.path().join("cache");
    let places = places(folder.path(), &cache);
    let ask = || {
        let knowledge = Knowledge::new(Book::new(false), places.clone(), Box::new(|_, _| {}));
        let found = search(&knowledge, "quuxology zorg2", 3).expect("an answer");
        found.into_iter().map(|hit| hit.id).collect::<Vec<_>>()
    };
    let right = ask();
    assert_eq!(right.first().map(String::as_str), Some("BUG-20260102-001"));
    let home = fs::read_dir(&cache).expect("a cache").flatten().next().expect("an index").path();
    // A list of reports with other fields, then an index with others, each whole and sealed.
    let other = postcard::to_stdvec(&vec![("r1.md", 7_u64)]).expect("bytes");
    fs::write(home.join("catalogue.postcard"), other).expect("it is written");
    super::seal::write(&home).expect("it is sealed");
    assert_eq!(ask(), right);
    let mut schema = tantivy::schema::Schema::builder();
    schema.add_u64_field("key", tantivy::schema::STORED);
    fs::remove_dir_all(home.join("tantivy")).expect("it goes");
    fs::create_dir(home.join("tantivy")).expect("a folder");
    tantivy::Index::create_in_dir(home.join("tantivy"), schema.build()).expect("an index");
    super::seal::write(&home).expect("it is sealed");
    assert_eq!(ask(), right);
}
