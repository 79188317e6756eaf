//! Ctrl-Z under a shell with job control: the command stops, the shell has the terminal, `fg` goes on.

use crate::support::{PATIENCE, left_out};
use std::io::{Read as _, Write as _};
use std::process::Child;
use std::time::{Duration, Instant};

use pty_process::blocking::{Command, Pty, open};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::pipes::place;

/// An interactive bash on a pty.
struct Shell {
    pty: Pty,
    child: Child,
    seen: String,
    _folder: tempfile::TempDir,
}

impl Shell {
    fn new() -> Option<Self> {
        let folder = place();
        let (pty, pts) = open().expect("a pty");
        let command = Command::new("bash")
            .args(["--norc", "--noprofile", "-i"])
            .current_dir(folder.path())
            .env("XDG_CACHE_HOME", folder.path().join("cache"))
            .env("PS1", "PROMPT> ")
            .env("HISTFILE", "/dev/null");
        let child = command.spawn(pts).ok()?;
        Some(Self { pty, child, seen: String::new(), _folder: folder })
    }

    fn types(&mut self, keys: &str) {
        self.seen.clear();
        self.pty.write_all(keys.as_bytes()).expect("typed");
    }

    /// Reads until the words are there; what else is there by then.
    fn until(&mut self, words: &str) {
        let start = Instant::now();
        while !self.seen.contains(words) {
            let last: String = self.seen.chars().take(500).collect();
            assert!(start.elapsed() < PATIENCE, "no {words:?} in {last:?} ...");
            self.take(Duration::from_millis(100));
        }
    }

    /// Takes what comes within a time.
    fn take(&mut self, most: Duration) {
        let pause = Timespec::try_from(most).expect("short");
        let ready = poll(&mut [PollFd::new(&self.pty, PollFlags::IN)], Some(&pause)).expect("polled");
        let mut buffer = [0; 4096];
        if ready > 0
            && let Ok(count) = self.pty.read(&mut buffer)
        {
            self.seen.push_str(&String::from_utf8_lossy(&buffer[..count]));
        }
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn control_z_stops_and_fg_goes_on() {
    let Some(mut shell) = Shell::new() else {
        left_out::note("jobs of a shell", "bash is not installed");
        return;
    };
    shell.until("PROMPT> ");
    // Not sh: dash starts programs with vfork, and a child that is stopped in the middle of that stops no other process.
    let script = "for i in {1..400}; do echo tick; sleep 0.05; done";
    shell.types(&format!("{} run -- bash -c '{script}'\r", env!("CARGO_BIN_EXE_faultbook")));
    shell.until("tick\r\ntick\r\n");
    shell.types("\x1a");
    shell.until("Stopped");
    shell.until("PROMPT> ");
    // Stopped is stopped: nothing comes any more, and the terminal is the shell's, which echoes and edits.
    shell.types("");
    for _ in 0..5 {
        shell.take(Duration::from_millis(100));
    }
    assert!(!shell.seen.contains("tick"), "{:?}", shell.seen);
    shell.types("jobs; echo one'-'word\r");
    shell.until("one-word");
    assert!(shell.seen.contains("Stopped"), "{:?}", shell.seen);
    shell.types("fg\r");
    shell.until("tick\r\ntick\r\n");
    // A second time, and on in the background.
    shell.types("\x1a");
    shell.until("Stopped");
    shell.types("bg; sleep 0.5; fg\r");
    shell.until("tick\r\ntick\r\n");
    shell.types("\x03");
    shell.until("PROMPT> ");
    shell.types("echo code=$?\r");
    shell.until("code=130");
}

#[test]
fn control_z_without_a_shell_outside_stops_nothing_for_ever() {
    let mut seat = super::terminal::Seat::new(&["--", "sh", "-c", "echo ready; read word; echo went on"]);
    seat.until("ready");
    seat.pty.write_all(b"\x1a").expect("typed");
    std::thread::sleep(Duration::from_millis(300));
    seat.pty.write_all(b"word\r").expect("typed");
    seat.until("went on");
    assert_eq!(seat.end().1, Some(0));
}

/// Starts a program where the processes outside have no numbers, as in a container.
const UNSHARE: &str = "unshare --user --map-root-user --pid --fork --mount-proc";

#[test]
fn a_shell_outside_of_the_container_has_no_number() {
    let mut words = UNSHARE.split(' ');
    let mut unshare = std::process::Command::new(words.next().expect("a program"));
    if !unshare.args(words).arg("true").output().is_ok_and(|ended| ended.status.success()) {
        left_out::note("run in a container", "no PID namespace can be made here");
        return;
    }
    let Some(mut shell) = Shell::new() else {
        left_out::note("jobs of a shell", "bash is not installed");
        return;
    };
    let run = format!("{} run -- bash -c 'echo ready; read word; echo went on'", env!("CARGO_BIN_EXE_faultbook"));
    shell.until("PROMPT> ");
    // Started from outside, and by a shell whose session and group are outside: no visible process could continue it.
    for start in [run.clone(), format!("sh -c \"{run}; exit \\$?\"")] {
        shell.types(&format!("{UNSHARE} {start}; echo code=$?\r"));
        shell.until("ready\r\n");
        shell.types("\x1a");
        shell.take(Duration::from_millis(300));
        shell.types("word\r");
        shell.until("went on\r\n");
        shell.until("code=0\r\n");
    }
    // A shell in there does what a shell outside does.
    shell.types(&format!("PS1='INSIDE> ' {UNSHARE} bash --norc --noprofile -i\r"));
    shell.until("INSIDE> ");
    shell.types(&format!("{run}\r"));
    shell.until("ready\r\n");
    shell.types("\x1a");
    shell.until("Stopped");
    shell.types("fg\r");
    shell.until("word; echo went on'");
    shell.types("word\r");
    shell.until("went on\r\n");
}

#[test]
fn a_command_that_cannot_be_started_says_so_on_a_terminal_too() {
    let (seen, code) = super::terminal::Seat::new(&["--", "no-such-command-here"]).end();
    let seen = String::from_utf8_lossy(&seen);
    assert!(code == Some(127) && seen.contains("could not start `no-such-command-here`: no such file"), "{seen}");
    let (seen, code) = super::terminal::Seat::new(&["--", "/"]).end();
    let seen = String::from_utf8_lossy(&seen);
    assert!(code == Some(126) && seen.contains("could not start `/`"), "{seen}");
}
