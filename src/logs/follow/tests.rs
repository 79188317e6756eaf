//! Following by hand: what is read when, and what is said.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::mem;

use super::feed::{PATIENCE, QUIET, STILL};
use super::followed::State;
use super::sources::Job;
use super::*;
use crate::book::Book;
use crate::diagnosis::{Library, NoReports};
use crate::matching::SignatureSet;
use crate::scan::Finder;

/// What a listener was told.
#[derive(Default)]
struct Told {
    faults: Vec<String>,
    remarks: Vec<String>,
}

impl Listener for Told {
    fn fault(&mut self, fault: &FaultReport) -> io::Result<()> {
        self.faults.push(fault.fault.clone().unwrap_or_else(|| fault.title.clone()));
        Ok(())
    }

    fn remark(&mut self, remark: &str) {
        self.remarks.push(remark.to_owned());
    }

    fn failed(&mut self, path: &Path, error: &io::Error) {
        self.remarks.push(format!("{} failed: {error}", path.display()));
    }

    fn unpacked(&mut self, path: &Path, outcome: &Outcome) {
        self.remarks.push(format!("{}: {} logs", path.display(), outcome.logs));
    }
}

fn with_desk(what: impl FnOnce(&mut Desk<'_, '_>)) -> Told {
    let book = Book::new(true);
    let signatures = SignatureSet::of_book(&book);
    let library = Library { book: &book, signatures: &signatures, search: &NoReports };
    let (finder, mut told) = (Finder::new(&signatures), Told::default());
    let request = Request { library, finder: &finder, since: None, threads: 1 };
    what(&mut Desk::new(&request, &mut told));
    told
}

fn append(path: &Path, text: &[u8]) {
    let mut file = OpenOptions::new().create(true).append(true).open(path).expect("a log");
    file.write_all(text).expect("written");
}

const ILLEGAL: &str = "RuntimeError: CUDA error: an illegal memory access was encountered\n";
const LOST: &str = "NVRM: Xid (PCI:0000:07:00): 79, GPU has fallen off the bus.\n";

/// Polls until nothing comes, then once more after a while.
fn poll<'k>(one: &mut Followed<'k>, desk: &mut Desk<'_, 'k>) {
    let mut read = |_: Job| unreachable!("it is no pipe");
    while one.poll(desk, Instant::now(), &mut read).expect("a listener") {}
    one.poll(desk, Instant::now() + STILL, &mut read).expect("a listener");
}

#[test]
fn half_a_line_waits_however_often_it_is_asked_for() {
    let told = with_desk(|desk| {
        let (mut feed, start) = (desk.begin(Path::new("a.log")), Instant::now());
        feed.add(&ILLEGAL.as_bytes()[..46], desk.request.finder, start);
        for _ in 0..1000 {
            feed.rest(desk.request.finder, start + STILL / 2);
        }
        feed.add(&ILLEGAL.as_bytes()[46..], desk.request.finder, start + STILL / 2);
        feed.rest(desk.request.finder, start + STILL);
        feed.tell(desk).expect("a listener");
        // A prompt never ends.
        feed.add(LOST.trim_end().as_bytes(), desk.request.finder, start + STILL);
        feed.rest(desk.request.finder, start + 2 * STILL);
        feed.tell(desk).expect("a listener");
    });
    assert_eq!(told.faults, ["illegal-address", "device-lost"]);
}

#[test]
fn what_was_written_before_a_rotation_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.log");
    append(&path, b"step 1\n");
    let told = with_desk(|desk| {
        let mut one = Followed::new(&path, Origin::Named, desk);
        poll(&mut one, desk);
        // The file was read to its end; then, before anybody asks whether it is still the one:
        append(&path, ILLEGAL.as_bytes());
        fs::rename(&path, folder.path().join("a.log.1")).expect("rotated");
        append(&path, LOST.as_bytes());
        assert!(one.turn(desk, Instant::now(), &mut |_| ()).expect("a listener"));
        poll(&mut one, desk);
    });
    assert_eq!(told.faults, ["illegal-address", "device-lost"]);
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_is_opened_again_where_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.log");
    append(&path, ILLEGAL.as_bytes());
    let told = with_desk(|desk| {
        let mut one = Followed::new(&path, Origin::Named, desk);
        poll(&mut one, desk);
        for _ in 0..3 {
            // A folder can be opened and not read, like what a server of files no longer knows.
            if let State::Open(open) = &mut one.state {
                open.file = File::open(folder.path()).expect("a folder");
            }
            assert!(!one.poll(desk, Instant::now(), &mut |_| ()).expect("a listener"));
            assert!(matches!(one.state, State::Closed(Some(_))));
            let State::Closed(before) = mem::replace(&mut one.state, State::Over) else { unreachable!() };
            one.open(before, desk, &mut |_| ()).expect("a listener");
        }
        append(&path, LOST.as_bytes());
        poll(&mut one, desk);
    });
    assert_eq!(told.faults, ["illegal-address", "device-lost"]);
    assert!(told.remarks.len() == 1 && told.remarks[0].contains("cannot be read"), "{:?}", told.remarks);
}

#[test]
fn other_encodings_and_what_is_packed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (wide, packed) = (folder.path().join("wide.log"), folder.path().join("a.log.gz"));
    append(&packed, b"\x1f\x8b\x08\0\0\0\0\0");
    append(&wide, &[0xFF, 0xFE]);
    let bytes: Vec<u8> = ILLEGAL.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let told = with_desk(|desk| {
        let mut one = Followed::new(&wide, Origin::Named, desk);
        // In the middle of a unit.
        for piece in [&bytes[..51], &bytes[51..]] {
            append(&wide, piece);
            while one.poll(desk, Instant::now(), &mut |_| ()).expect("a listener") {}
        }
        poll(&mut one, desk);
        let mut jobs = 0;
        for (origin, expected) in [
            (Origin::Named, 1),
            (Origin::Below { id: None, is_late: false }, 2),
            // What is compressed while its folder is followed was followed before.
            (Origin::Below { id: None, is_late: true }, 2),
        ] {
            let mut other = Followed::new(&packed, origin, desk);
            assert!(other.poll(desk, Instant::now(), &mut |_| jobs += 1).expect("a listener"));
            assert_eq!((jobs, other.is_over()), (expected, origin == Origin::Below { id: None, is_late: true }));
        }
    });
    assert_eq!(told.faults, ["illegal-address"]);
    assert!(told.remarks.is_empty(), "{:?}", told.remarks);
}

#[test]
fn a_fault_is_told_of_while_the_log_grows() {
    let told = with_desk(|desk| {
        let (mut feed, start) = (desk.begin(Path::new("a.log")), Instant::now());
        feed.add(ILLEGAL.as_bytes(), desk.request.finder, start);
        let mut now = start;
        while now < start + PATIENCE + QUIET {
            now += QUIET / 2;
            feed.add(b"step 7, loss 2.31\n", desk.request.finder, now);
        }
        feed.tell(desk).expect("a listener");
    });
    assert_eq!(told.faults, ["illegal-address"]);
}

#[test]
fn a_line_in_two_parts_that_are_far_apart() {
    let lost = LOST.trim_end();
    // The first part may itself be an error, or end within what a fault is known by.
    for (first, second) in [
        ("ERROR: trainer stopped: ", ILLEGAL),
        ("RuntimeError: CUDA error: an illegal mem", "ory access was encountered\n"),
        (&lost[..30], &lost[30..]),
        ("RuntimeError: CUDA error: an illegal memory access was encountered", " at step 7\n"),
    ] {
        let told = with_desk(|desk| {
            let (mut feed, start) = (desk.begin(Path::new("a.log")), Instant::now());
            feed.add(b"step 1\n", desk.request.finder, start);
            feed.add(first.as_bytes(), desk.request.finder, start);
            feed.rest(desk.request.finder, start + STILL);
            feed.add(second.as_bytes(), desk.request.finder, start + 2 * STILL);
            feed.rest(desk.request.finder, start + 4 * STILL);
            feed.tell(desk).expect("a listener");
        });
        let fault = if lost.starts_with(first) { "device-lost" } else { "illegal-address" };
        assert_eq!(told.faults.last().map(String::as_str), Some(fault), "{first}|{second}: {:?}", told.faults);
        let times = told.faults.iter().filter(|one| *one == fault).count();
        assert_eq!(times, 1, "{first}|{second}: {:?}", told.faults);
    }
}
