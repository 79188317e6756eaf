//! `faultbook check kb` is clean: the book holds itself to its own rules.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::path::{Path, PathBuf};

use faultbook::check::{self, Document, Sample, Setting};

#[test]
fn the_book_is_clean() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut documents = Vec::new();
    for path in files(&root.join("kb"), "md") {
        let shown = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
        documents.push(Document::new(shown, std::fs::read_to_string(&path).unwrap()));
    }
    assert!(documents.len() > 100, "the book is there");
    let healthy: Vec<Sample> = files(&root.join("tests/corpus/_negative"), "txt")
        .into_iter()
        .filter(|path| path.to_string_lossy().ends_with(".healthy.txt"))
        .map(sample)
        .collect();
    let exists = |path: &str| root.join(path).exists();
    let setting = Setting { exists: &exists, healthy: &healthy, ..Setting::default() };
    let findings = check::check(&documents, &setting);
    if !check::output::is_clean(&findings) {
        let shown = check::output::terminal(&findings, &documents, check::output::Shown::default());
        panic!("\n{}", anstream::adapter::strip_str(&shown));
    }
}

/// A pattern with a comma in it needs quotes, or its row is another one.
#[test]
fn every_cause_is_read() {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("kb/causes.csv")).unwrap();
    let book = faultbook::book::Book::new(true);
    let known: Vec<&str> = book.vocabulary.causes().iter().map(|cause| cause.id.as_str()).collect();
    for line in text.lines().skip(1) {
        assert!(known.contains(&line.split(',').next().unwrap()), "{line}");
    }
}

fn sample(path: PathBuf) -> Sample {
    let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
    Sample { name: path.file_name().unwrap().to_string_lossy().into_owned(), text }
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// `tests/truth/blocks.py` ran or parsed every block of code, and none failed.
#[test]
fn no_block_of_code_fails() {
    let text = std::fs::read_to_string("tests/truth/blocks.csv").expect("blocks.csv");
    let text: String = text.lines().skip_while(|line| line.starts_with('#')).map(|line| format!("{line}\n")).collect();
    let rows: Vec<csv::StringRecord> =
        csv::Reader::from_reader(text.as_bytes()).records().map(|row| row.expect("a row")).collect();
    let failed: Vec<_> = rows.iter().filter(|row| &row[3] == "fails").collect();
    assert!(failed.is_empty() && rows.len() > 2000, "{} blocks, failed: {failed:?}", rows.len());
}
