//! At a terminal: asked is only what could not be found out, with what was found as the default.

use std::io::{Read as _, Write as _};
use std::process::Child;
use std::time::{Duration, Instant};

use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::report::{facts, project};
use crate::place::{ENGINE, Place, REPORT, UNLISTED};
use crate::support::PATIENCE;

/// `faultbook new` on a pty.
struct Seat {
    pty: Pty,
    child: Child,
    seen: String,
}

impl Seat {
    fn new(place: &Place, log: &str, arguments: &[&str], editor: Option<&str>) -> Self {
        let log = place.file("run.log", log);
        let (pty, pts) = open().expect("a pty");
        pty.resize(Size::new(40, 120)).expect("a size");
        let mut command = Command::new(env!("CARGO_BIN_EXE_faultbook"))
            .arg("new")
            .arg(log)
            .args(arguments)
            .current_dir(place.path())
            .env("XDG_CACHE_HOME", place.path().join("cache"))
            .env("TERM", "xterm")
            .env_remove("VISUAL")
            .env_remove("EDITOR");
        if let Some(editor) = editor {
            command = command.env("EDITOR", editor);
        }
        Self { pty, child: command.spawn(pts).expect("runs"), seen: String::new() }
    }

    /// Reads until the words appear after what was seen before, then types.
    fn answer(&mut self, words: &str, keys: &str) {
        let start = Instant::now();
        let pause = Timespec::try_from(Duration::from_millis(200)).expect("short");
        let mut buffer = [0; 4096];
        while !self.seen.contains(words) {
            assert!(start.elapsed() < PATIENCE, "no {words:?} in {:?}", self.seen);
            if poll(&mut [PollFd::new(&self.pty, PollFlags::IN)], Some(&pause)) == Ok(0) {
                continue;
            }
            let count = self.pty.read(&mut buffer).unwrap_or_else(|error| panic!("{error}: {:?}", self.seen));
            self.seen.push_str(&String::from_utf8_lossy(&buffer[..count]));
        }
        self.seen.clear();
        self.pty.write_all(keys.as_bytes()).expect("typed");
    }

    /// The exit code, and what was written to the end.
    fn end(mut self) -> (Option<i32>, String) {
        let mut buffer = [0; 4096];
        // Linux ends a pty with an error.
        while let Ok(count @ 1..) = self.pty.read(&mut buffer) {
            self.seen.push_str(&String::from_utf8_lossy(&buffer[..count]));
        }
        (self.child.wait().expect("ends").code(), self.seen)
    }
}

fn reports(place: &Place) -> Vec<String> {
    let folder = std::fs::read_dir(place.path().join("docs/bug_reports")).expect("a folder");
    let texts = folder.flatten().filter(|entry| entry.file_name() != "README.md");
    texts.map(|entry| std::fs::read_to_string(entry.path()).expect("text")).collect()
}

#[test]
fn what_nobody_said_is_asked_and_what_was_found_is_the_default() {
    let place = project();
    let mut seat = Seat::new(&place, UNLISTED, &["--no-probe"], None);
    seat.answer("Title", "\r");
    seat.answer("Severity", "\r");
    seat.answer("The command that was run", "python ocr/train.py\r");
    seat.answer("GPU (", "RTX 3060\r");
    for todo in ["Driver (", "Framework (", "Python (", "OS ("] {
        seat.answer(todo, "\r");
    }
    let (code, seen) = seat.end();
    assert_eq!(code, Some(0), "{seen}");
    let texts = reports(&place);
    assert_eq!(texts.len(), 1);
    for part in [
        "GroundTruthError: sample 17 has no shrunk map",
        "python ocr/train.py",
        "- **GPU:** RTX 3060",
        "- **Driver:** TODO:",
    ] {
        assert!(texts[0].contains(part), "{part} is not in\n{}", texts[0]);
    }
}

#[test]
fn where_all_is_known_only_the_title_and_the_severity_are_asked() {
    let place = project();
    let facts = facts();
    let facts = facts.to_string_lossy();
    let log = format!("$ python train.py\n{ENGINE}");
    let mut seat = Seat::new(&place, &log, &["--facts", &facts], None);
    seat.answer("Title", "\r");
    seat.answer("Severity", "\r");
    let (code, seen) = seat.end();
    assert_eq!(code, Some(0), "{seen}");
    assert_eq!(reports(&place).len(), 1);
}

#[test]
fn a_likely_duplicate_gets_the_occurrence() {
    let place = project();
    place.file("docs/bug_reports/BUG-20260101-007.md", REPORT);
    let mut seat = Seat::new(&place, ENGINE, &["--no-probe"], None);
    seat.answer("write a new report", "\r");
    let (code, seen) = seat.end();
    assert_eq!(code, Some(0), "{seen}");
    let texts = reports(&place);
    assert_eq!(texts.len(), 1);
    assert!(texts[0].starts_with(REPORT) && texts[0].contains("## Occurrences"), "{}", texts[0]);
}

#[test]
fn escape_writes_nothing() {
    let place = project();
    let mut seat = Seat::new(&place, UNLISTED, &["--no-probe"], None);
    seat.answer("Title", "\x1b");
    let (code, _) = seat.end();
    assert_eq!(code, Some(1));
    assert!(reports(&place).is_empty());
}

#[test]
fn the_editor_opens_the_report() {
    let place = project();
    let editor = place.file("editor.sh", "echo edited >> \"$2\"\n");
    let editor = format!("sh {} --wait", editor.display());
    let seat = Seat::new(&place, ENGINE, &["--no-probe", "--no-input", "--edit"], Some(&editor));
    let (code, seen) = seat.end();
    assert_eq!(code, Some(0), "{seen}");
    assert!(reports(&place)[0].ends_with("edited\n"));
    let seat = Seat::new(&place, ENGINE, &["--no-probe", "--no-input", "--edit"], None);
    let (code, seen) = seat.end();
    assert_eq!(code, Some(2));
    assert!(seen.contains("set $VISUAL or $EDITOR"), "{seen}");
}
