//! Keys on a real pty: typed words, Ctrl-C, Ctrl-D, a terminal that closes.

use std::io::Write as _;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::pipes::{gone, wait};
use super::terminal::Seat;

#[test]
fn typed_words_reach_the_command() {
    let mut seat = Seat::new(&["--", "sh", "-c", "echo ready; read word; echo got $word"]);
    seat.until("ready");
    seat.pty.write_all(b"checkpoint\r").expect("typed");
    let seen = seat.until("got");
    // Once, by the command's own terminal: ours does not echo.
    assert_eq!(seen.matches("checkpoint").count(), 1 + usize::from(seen.contains("got checkpoint")), "{seen}");
    assert_eq!(seat.end().1, Some(0));
}

#[test]
fn control_c_interrupts_the_command_alone() {
    let mut seat =
        Seat::new(&["--", "sh", "-c", "trap 'echo saving; exit 42' INT; echo ready; while :; do sleep 0.05; done"]);
    seat.until("ready");
    seat.pty.write_all(b"\x03").expect("typed");
    seat.until("saving");
    assert_eq!(seat.end().1, Some(42));
}

#[test]
fn control_c_leaves_no_child_behind() {
    let mut seat = Seat::new(&["--", "sh", "-c", "sleep 1000 & echo worker $!.; sleep 1000"]);
    let seen = seat.until(".");
    let worker: String = seen.chars().filter(char::is_ascii_digit).collect();
    // The shell still has to start the second one: an interrupt in between reaches only what is there.
    std::thread::sleep(Duration::from_millis(500));
    seat.pty.write_all(b"\x03").expect("typed");
    let (seen, code) = seat.end();
    assert_eq!(code, Some(130));
    assert!(!String::from_utf8_lossy(&seen).contains("faultbook"), "an interrupt is not a failure");
    gone(Pid::from_raw(worker.parse().expect("a number")).expect("a process"));
}

#[test]
fn a_signal_from_outside_reaches_the_command() {
    let mut seat =
        Seat::new(&["--", "sh", "-c", "trap 'echo ending; exit 9' TERM; echo ready; while :; do sleep 0.05; done"]);
    seat.until("ready");
    kill_process(Pid::from_child(&seat.child), Signal::TERM).expect("sent");
    seat.until("ending");
    assert_eq!(seat.end().1, Some(9));
}

#[test]
fn a_terminal_that_closes_ends_the_command() {
    let mut seat = Seat::new(&["--", "sh", "-c", "echo pid $$.; sleep 1000"]);
    let seen = seat.until(".");
    let pid: String = seen.chars().filter(char::is_ascii_digit).collect();
    let Seat { pty, mut child, .. } = seat;
    drop(pty);
    wait(&mut child);
    gone(Pid::from_raw(pid.parse().expect("a number")).expect("a process"));
}

#[test]
fn control_d_ends_the_input() {
    let mut seat = Seat::new(&["--", "sh", "-c", "echo ready; cat; echo end"]);
    seat.until("ready");
    seat.pty.write_all(b"\x04").expect("typed");
    seat.until("end");
    assert_eq!(seat.end().1, Some(0));
}
