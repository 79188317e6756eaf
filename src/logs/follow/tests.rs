//! Following by hand: what is read when, and what is said.

use std::fs::OpenOptions;
use std::io::Write as _;

use super::*;
use crate::book::Book;
use crate::diagnosis::{Library, NoReports};
use crate::matching::SignatureSet;

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

    fn packed(&mut self, path: &Path) {
        self.remarks.push(format!("{} is packed", path.display()));
    }
}

fn with_desk(what: impl FnOnce(&mut Desk<'_, '_>)) -> Told {
    let book = Book::new(true);
    let signatures = SignatureSet::of_book(&book);
    let library = Library { book: &book, signatures: &signatures, search: &NoReports };
    let (finder, mut told) = (Finder::new(&signatures), Told::default());
    let request = Request { library, since: None, threads: 1 };
    what(&mut Desk { finder: &finder, request: &request, listener: &mut told, found: false });
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
    let listen = |_: &Path| unreachable!("it is no pipe");
    while one.poll(desk, Instant::now(), &listen).expect("a listener") {}
    one.poll(desk, Instant::now() + STILL, &listen).expect("a listener");
}

#[test]
fn half_a_line_waits_however_often_it_is_asked_for() {
    let told = with_desk(|desk| {
        let (mut feed, start) = (desk.begin(Path::new("a.log")), Instant::now());
        feed.add(&ILLEGAL.as_bytes()[..46], desk.finder, start);
        for _ in 0..1000 {
            feed.rest(desk.finder, start + STILL / 2);
        }
        feed.add(&ILLEGAL.as_bytes()[46..], desk.finder, start + STILL / 2);
        feed.rest(desk.finder, start + STILL);
        feed.tell(desk).expect("a listener");
        // A prompt never ends.
        feed.add(LOST.trim_end().as_bytes(), desk.finder, start + STILL);
        feed.rest(desk.finder, start + 2 * STILL);
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
        let mut one = Followed::new(&path, desk);
        poll(&mut one, desk);
        // The file was read to its end; then, before anybody asks whether it is still the one:
        append(&path, ILLEGAL.as_bytes());
        fs::rename(&path, folder.path().join("a.log.1")).expect("rotated");
        append(&path, LOST.as_bytes());
        assert!(one.turn(desk, Instant::now()).expect("a listener"));
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
        let mut one = Followed::new(&path, desk);
        poll(&mut one, desk);
        for _ in 0..3 {
            // A folder can be opened and not read, like what a server of files no longer knows.
            if let State::Open(open) = &mut one.state {
                open.file = File::open(folder.path()).expect("a folder");
            }
            assert!(!one.poll(desk, Instant::now(), &|_| ()).expect("a listener"));
            assert!(matches!(one.state, State::Closed(Some(_))));
            let State::Closed(before) = mem::replace(&mut one.state, State::Over) else { unreachable!() };
            one.open(before, desk, &|_| ()).expect("a listener");
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
        let mut one = Followed::new(&wide, desk);
        // In the middle of a unit.
        for piece in [&bytes[..51], &bytes[51..]] {
            append(&wide, piece);
            while one.poll(desk, Instant::now(), &|_| ()).expect("a listener") {}
        }
        poll(&mut one, desk);
        let mut other = Followed::new(&packed, desk);
        poll(&mut other, desk);
        assert!(matches!(other.state, State::Over));
    });
    assert_eq!(told.faults, ["illegal-address"]);
    assert_eq!(told.remarks, [format!("{} is packed", packed.display())]);
}
