//! On a real pty: the command sees a terminal of the same size, and what it writes arrives byte by byte.

use std::io::Read as _;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};

use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};
use std::process::{Child, Stdio};

use super::pipes::{DEATH, place, wait};
use crate::support::PATIENCE;

/// `faultbook run` on a pty of its own.
pub(crate) struct Seat {
    pub(crate) pty: Pty,
    pub(crate) child: Child,
    folder: tempfile::TempDir,
}

impl Seat {
    pub(crate) fn new(arguments: &[&str]) -> Self {
        Self::with(arguments, |command| command)
    }

    pub(crate) fn with(arguments: &[&str], change: impl FnOnce(Command) -> Command) -> Self {
        let folder = place();
        let (pty, pts) = open().expect("a pty");
        pty.resize(Size::new(33, 101)).expect("a size");
        let command = Command::new(env!("CARGO_BIN_EXE_faultbook"))
            .arg("run")
            .args(arguments)
            .current_dir(folder.path())
            .env("XDG_CACHE_HOME", folder.path().join("cache"))
            .env("NO_COLOR", "1")
            .env_remove("COLUMNS");
        let child = change(command).spawn(pts).expect("runs");
        Self { pty, child, folder }
    }

    /// Reads until the text is there.
    pub(crate) fn until(&mut self, words: &str) -> String {
        let mut seen = Vec::new();
        let start = Instant::now();
        let mut buffer = [0; 4096];
        loop {
            let text = String::from_utf8_lossy(&seen);
            if text.contains(words) {
                return text.into_owned();
            }
            assert!(start.elapsed() < PATIENCE, "no {words:?} in {text:?}");
            let pause = Timespec::try_from(Duration::from_millis(200)).expect("short");
            if poll(&mut [PollFd::new(&self.pty, PollFlags::IN)], Some(&pause)) == Ok(0) {
                continue;
            }
            match self.pty.read(&mut buffer) {
                Ok(count) => seen.extend_from_slice(&buffer[..count]),
                Err(error) => panic!("{error}, no {words:?} in {text:?}"),
            }
        }
    }

    /// Reads to the end: all bytes and the exit code.
    pub(crate) fn end(mut self) -> (Vec<u8>, Option<i32>) {
        // A command that never ends must fail its test, not hold up all of them.
        let pid = Pid::from_child(&self.child);
        let (done, ended) = std::sync::mpsc::channel::<()>();
        let watch = std::thread::spawn(move || {
            if ended.recv_timeout(PATIENCE) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                let _ = kill_process(pid, Signal::KILL);
            }
        });
        let mut seen = Vec::new();
        let mut buffer = [0; 65536];
        // Linux ends a pty with an error.
        while let Ok(count @ 1..) = self.pty.read(&mut buffer) {
            seen.extend_from_slice(&buffer[..count]);
        }
        let status = wait(&mut self.child);
        drop(done);
        watch.join().expect("the watch ends");
        drop(self.folder);
        (seen, status.code())
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_command_sees_a_terminal_of_the_same_size() {
    let seat = Seat::new(&["--", "sh", "-c", "test -t 0 && test -t 1 && test -t 2 && stty size"]);
    let (seen, code) = seat.end();
    assert_eq!((text(&seen).as_str(), code), ("33 101\r\n", Some(0)));
}

#[test]
fn a_redirected_stream_is_no_terminal_for_the_command_either() {
    let seat = Seat::with(&["--", "sh", "-c", "test -t 1 || echo pipe >&2; test -t 2 && exit 6"], |command| {
        command.stdout(Stdio::null())
    });
    let (seen, code) = seat.end();
    assert!(text(&seen).starts_with("pipe\r\n"), "{}", text(&seen));
    assert_eq!(code, Some(6));
}

#[test]
fn every_byte_arrives() {
    let script =
        "i=0; while [ $i -lt 20000 ]; do printf '\\033[3%dmstep %d\\033[0m\\r' $((i % 8)) $i; i=$((i+1)); done";
    let (seen, code) = Seat::new(&["--", "sh", "-c", script]).end();
    let expected: String = (0..20000).map(|i| format!("\u{1b}[3{}mstep {i}\u{1b}[0m\r", i % 8)).collect();
    assert_eq!(code, Some(0));
    assert!(text(&seen) == expected, "{} of {} bytes", seen.len(), expected.len());
}

#[test]
fn a_failure_is_diagnosed_below() {
    let (seen, code) = Seat::new(&["--", "sh", "-c", &format!("cat <<'END'\n{DEATH}END\nexit 3")]).end();
    let seen = text(&seen);
    assert_eq!(code, Some(3));
    assert!(seen.starts_with(&DEATH.replace('\n', "\r\n")), "{seen}");
    // Our own lines must not run like stairs: the terminal is as it was before.
    assert!(seen.contains("cudnn-no-engine\r\n") && !seen.replace("\r\n", "").contains('\n'), "{seen}");
}

#[test]
fn another_size_reaches_the_command() {
    let script = "trap 'stty size; exit 0' WINCH; echo ready; while :; do sleep 0.05; done";
    let mut seat = Seat::new(&["--", "sh", "-c", script]);
    seat.until("ready");
    seat.pty.resize(Size::new(44, 88)).expect("a size");
    seat.until("44 88");
    assert_eq!(seat.end().1, Some(0));
}
