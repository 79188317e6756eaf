//! The leader of the session on the pty: this very program with a hidden subcommand, the parent of the command.
//!
//! Ctrl-Z stops a command only if its session has a process that could continue it: without a parent in the same
//! session the kernel discards the stop. So the command gets one, and the terminal's foreground. When the command
//! stops, the leader stops too, which the other side sees and passes on to the shell outside. How the command ended is
//! the leader's exit code, 128+n for signal n; that it could not be started, one of three signals that no other program
//! would send.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rustix::process::{self, Pid, Signal, WaitId, WaitIdOptions};
use rustix::termios::tcsetpgrp;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGUSR1, SIGUSR2, SIGWINCH};
use signal_hook::iterator::Signals;

use super::unix::GRACE;

/// The hidden subcommand.
const SUBCOMMAND: &str = "__run-session";

/// Signals by which the leader reports that the command could not be started: not found, not allowed, not a program.
const REFUSALS: [(Signal, io::ErrorKind); 3] = [
    (Signal::ALARM, io::ErrorKind::NotFound),
    (Signal::VTALARM, io::ErrorKind::PermissionDenied),
    (Signal::PROF, io::ErrorKind::Other),
];

/// How the leader of a command is started.
pub(super) fn leader(program: &OsString, arguments: &[OsString]) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(SUBCOMMAND).arg(program).args(arguments);
    Ok(command)
}

/// Why the leader could not start the command, if that is how it ended.
pub(super) fn refusal(status: ExitStatus) -> Option<io::Error> {
    let signal = status.signal()?;
    let (_, kind) = REFUSALS.into_iter().find(|(refusal, _)| refusal.as_raw() == signal)?;
    Some(match kind {
        // What exec returns for a script without `#!`.
        io::ErrorKind::Other => io::Error::from_raw_os_error(rustix::io::Errno::NOEXEC.raw_os_error()),
        kind => io::Error::from(kind),
    })
}

/// Leads a session if this process was started for that: the exit code. `None` for any other call.
pub(crate) fn lead(mut arguments: impl Iterator<Item = OsString>) -> Option<u8> {
    if arguments.next()? != SUBCOMMAND {
        return None;
    }
    let mut command = Command::new(arguments.next()?);
    command.args(arguments).process_group(0);
    // Before the command exists, or one could be missed. Keys and sizes come to us until the command has the
    // foreground.
    let all = [SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT, SIGWINCH];
    let signals = Signals::new(all).ok()?;
    let child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Some(refuse(&error)),
    };
    let group = Pid::from_child(&child);
    let told_to_end = Arc::new(AtomicBool::new(false));
    hand_on(signals, group, told_to_end.clone());
    if let Ok(terminal) = File::open(Path::new("/dev/tty")) {
        // Without a terminal there is no foreground to give.
        let _ = tcsetpgrp(terminal, group);
    }
    // It may have touched the terminal before it had the foreground, which stops it.
    send(group, Signal::CONT);
    let code = wait(group);
    if told_to_end.load(Ordering::Relaxed) {
        clear_up(group);
    }
    Some(code)
}

/// Ends this process by the signal that says why the command did not start.
fn refuse(error: &io::Error) -> u8 {
    let refusal = REFUSALS.into_iter().find(|(_, kind)| *kind == error.kind()).unwrap_or(REFUSALS[2]);
    let _ = process::kill_process(process::getpid(), refusal.0);
    // Not reached: these signals are not caught.
    126
}

/// Signals to this process are meant for the command and its children.
fn hand_on(mut signals: Signals, group: Pid, told_to_end: Arc<AtomicBool>) {
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if matches!(signal, SIGTERM | SIGHUP | SIGINT | SIGQUIT) {
                told_to_end.store(true, Ordering::Relaxed);
            }
            if let Some(signal) = Signal::from_named_raw(signal) {
                send(group, signal);
            }
        }
    });
}

/// Waits for the command's end, and stops whenever it stops.
fn wait(command: Pid) -> u8 {
    loop {
        match process::waitid(WaitId::Pid(command), WaitIdOptions::EXITED | WaitIdOptions::STOPPED) {
            Ok(Some(status)) if status.stopped() => {
                let _ = process::kill_process(process::getpid(), Signal::STOP);
            }
            Ok(Some(status)) => {
                let code = match status.terminating_signal() {
                    Some(signal) => 128 + signal,
                    None => status.exit_status().unwrap_or(1),
                };
                return u8::try_from(code & 0xff).unwrap_or(u8::MAX);
            }
            Ok(None) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return 1,
        }
    }
}

/// Ends what is left of a command after its end was requested: workers that nothing else would stop.
fn clear_up(group: Pid) {
    send(group, Signal::TERM);
    send(group, Signal::CONT);
    let start = Instant::now();
    while process::test_kill_process_group(group).is_ok() && start.elapsed() < GRACE {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    send(group, Signal::KILL);
}

fn send(group: Pid, signal: Signal) {
    // It may have ended just now.
    let _ = process::kill_process_group(group, signal);
}
