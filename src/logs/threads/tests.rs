//! Steps put together, pieces that cannot be read, a job that panics.

use super::*;
use crate::book::Book;
use crate::diagnosis::{Library, NoReports};
use crate::matching::SignatureSet;

/// What is told of these steps: bytes of logs, and what failed.
fn told(steps: impl FnOnce(&Finder) -> Vec<Step>) -> Vec<String> {
    let book = Book::new(true);
    let signatures = SignatureSet::of_book(&book);
    let library = Library { book: &book, signatures: &signatures, search: &NoReports };
    let finder = Finder::new(&signatures);
    let request = Request { library, finder: &finder, since: None, threads: 1 };
    let mut told = Vec::new();
    let mut assembly = Assembly { request: &request, log: None };
    for step in steps(&finder) {
        let taken = assembly.take(step, &mut |event| -> Result<(), ()> {
            match event {
                Event::Progress(_) => {}
                Event::Log(scanned, _) => told.push(format!("{} of {} bytes", scanned.file, scanned.bytes)),
                Event::Shrunk(file) => told.push(format!("{file} shrank")),
                Event::Unpacked(path, _) => told.push(format!("{} unpacked", path.display())),
                Event::Failed(path, error) => told.push(format!("{}: {:?}", path.display(), error.kind())),
            }
            Ok(())
        });
        taken.expect("nobody stops");
    }
    told
}

#[test]
fn a_log_ends_where_it_cannot_be_read() {
    let chunk = |finder: &Finder, bytes: &[u8]| finder.mark(bytes.to_vec(), bytes.len());
    let steps = |finder: &Finder| {
        vec![
            Step::Begin("a.log".to_owned()),
            Step::Chunk(chunk(finder, b"one\n"), None),
            Step::Chunk(chunk(finder, b"tw"), Some(io::ErrorKind::TimedOut.into())),
            Step::Chunk(chunk(finder, b"three\n"), None),
            Step::End(None, Some(14)),
            Step::Begin("b.log".to_owned()),
            Step::Chunk(chunk(finder, b"one\n"), None),
            Step::End(None, Some(4)),
        ]
    };
    assert_eq!(told(steps), ["a.log of 6 bytes", "a.log: TimedOut", "b.log of 4 bytes"]);
}

#[cfg(unix)]
#[test]
fn a_piece_that_cannot_be_read_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    told(|finder| {
        let file = Arc::new(File::open(folder.path()).expect("a folder can be opened"));
        let step = Job::Piece { file, offset: 0, length: 10, buffer: Vec::new() }.mark(finder);
        assert!(matches!(step, Step::Chunk(marked, Some(_)) if marked.bytes.is_empty()));
        Vec::new()
    });
}

#[test]
fn a_job_that_panics_is_told_of_and_the_next_is_done() {
    let ((jobs, todo), (done, steps)) = (sync_channel(2), channel());
    jobs.send(Some((0, "panics"))).and_then(|()| jobs.send(Some((1, "does not")))).expect("there is room");
    drop(jobs);
    work(&Mutex::new(todo), &done, |job| match job {
        "panics" => panic!("a defect, made for this test"),
        _ => Step::End(None, None),
    });
    assert!(matches!(steps.recv(), Ok((0, Step::Panicked(_)))));
    assert!(matches!(steps.recv(), Ok((1, Step::End(..)))));
}

#[test]
fn only_plain_texts_have_a_length_beforehand() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("a file is written");
        path
    };
    let (plain, packed) = (at("a.log", b"one\ntwo\n"), at("b.log.gz", b"\x1f\x8b\x08\0\0\0\0\0"));
    assert_eq!(total(&[plain.clone(), plain.clone()]), Some(16));
    assert_eq!(total(&[plain, packed]), None);
}
