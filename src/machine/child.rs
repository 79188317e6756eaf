//! Runs one step in a child process with a deadline, so that a hang, a crash or an exit is an answer.
//!
//! The child is this very program with a hidden subcommand. A child that does not die when it is killed (the driver
//! holds it inside the kernel) is left behind rather than waited for.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The hidden subcommand.
pub(super) const SUBCOMMAND: &str = "__probe-step";

/// What to run.
pub(super) struct Call<'a> {
    /// This program.
    pub(super) executable: &'a Path,
    /// The step's name.
    pub(super) step: &'a str,
    /// Its settings, as JSON.
    pub(super) settings: String,
    /// The whole environment of the child.
    pub(super) environment: &'a BTreeMap<OsString, OsString>,
    /// After this time without a line it is killed.
    pub(super) deadline: Duration,
    /// At this moment it is killed whatever it says; `None` for never.
    pub(super) until: Option<Instant>,
}

/// How it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    /// By itself, successfully.
    Done,
    /// With that exit code.
    Code(i32),
    /// By that signal.
    #[cfg_attr(not(unix), expect(dead_code, reason = "other platforms have no signals"))]
    Signal(i32),
    /// It was killed at its deadline.
    TimedOut(Duration),
    /// It was killed because the time for all of it was spent, before its own deadline.
    CutOff,
    /// It could not be started.
    NotStarted(String),
}

impl End {
    /// In words, after "it".
    pub(super) fn says(&self) -> String {
        match self {
            End::Done => "ended".to_owned(),
            End::Code(code) => format!("ended with exit code {code}"),
            End::Signal(signal) => match signal_name(*signal) {
                Some(name) => format!("was killed by {name} (signal {signal})"),
                None => format!("was killed by signal {signal}"),
            },
            End::TimedOut(after) => format!("did not answer within {}", crate::amounts::seconds(*after)),
            End::CutOff => "was stopped: the time for this device was spent".to_owned(),
            End::NotStarted(why) => format!("could not be started: {why}"),
        }
    }
}

fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        4 => "SIGILL",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        15 => "SIGTERM",
        _ => return None,
    })
}

/// What it said and how it ended.
#[derive(Debug, Clone)]
pub(super) struct Reply {
    /// Its lines on stdout.
    pub(super) lines: Vec<String>,
    /// The last words on stderr.
    pub(super) complaint: String,
    /// How it ended.
    pub(super) end: End,
}

/// Runs a step to its end or its deadline, which starts anew with each line.
pub(super) fn call(call: &Call<'_>) -> Reply {
    let child = Command::new(call.executable)
        .arg(SUBCOMMAND)
        .arg(call.step)
        .arg(&call.settings)
        .env_clear()
        .envs(call.environment)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => {
            return Reply { lines: Vec::new(), complaint: String::new(), end: End::NotStarted(error.to_string()) };
        }
    };
    let stream = child.stdout.take().map(listen);
    let complaint = child.stderr.take().map(listen);
    let (mut lines, mut silent) = (Vec::new(), false);
    let deadline = || {
        let own = Instant::now() + call.deadline;
        call.until.map_or(own, |until| until.min(own))
    };
    let mut until = deadline();
    if let Some(stream) = stream {
        loop {
            match stream.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    lines.push(line);
                    until = deadline();
                }
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    silent = true;
                    break;
                }
            }
        }
    }
    let end = match wait(&mut child, if silent { Instant::now() } else { until }) {
        Some(status) => end_of(status),
        None => {
            let _ = child.kill();
            // Reaps it where it dies at once; one that sits inside the kernel is left behind.
            wait(&mut child, Instant::now() + Duration::from_millis(100));
            if call.until == Some(until) { End::CutOff } else { End::TimedOut(call.deadline) }
        }
    };
    let complaint = complaint.map(collect).unwrap_or_default();
    let last: Vec<String> = complaint.into_iter().rev().take(5).collect();
    Reply { lines, complaint: last.into_iter().rev().collect::<Vec<_>>().join("\n"), end }
}

/// The status when it ends before the deadline.
fn wait(child: &mut Child, deadline: Instant) -> Option<ExitStatus> {
    let mut pause = Duration::from_micros(300);
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        let now = Instant::now();
        if now >= deadline {
            return None;
        }
        std::thread::sleep(pause.min(deadline - now));
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

#[cfg(unix)]
fn end_of(status: ExitStatus) -> End {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(0), _) => End::Done,
        (Some(code), _) => End::Code(code),
        (None, Some(signal)) => End::Signal(signal),
        (None, None) => End::Code(-1),
    }
}

#[cfg(not(unix))]
fn end_of(status: ExitStatus) -> End {
    match status.code() {
        Some(0) => End::Done,
        code => End::Code(code.unwrap_or(-1)),
    }
}

/// Reads lines in a thread of its own, so that a full pipe stops nobody; very long output is cut.
fn listen(stream: impl Read + Send + 'static) -> Receiver<String> {
    const MOST: u64 = 4 << 20;
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut reader = BufReader::new(stream.take(MOST));
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            if sender.send(String::from_utf8_lossy(&line).trim_end().to_owned()).is_err() {
                return;
            }
            line.clear();
        }
    });
    receiver
}

/// All lines until the stream closes; something that inherited it and lives on is not waited for.
fn collect(lines: Receiver<String>) -> Vec<String> {
    let mut all = Vec::new();
    while let Ok(line) = lines.recv_timeout(Duration::from_millis(100)) {
        all.push(line);
    }
    all
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// `sh` takes the hidden subcommand for the name of a script, so each test writes one.
    fn run(script: &str, deadline: Duration) -> Reply {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("program");
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).expect("a file");
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("permission");
        let environment = std::env::vars_os().collect();
        call(&Call {
            executable: &program,
            step: "test",
            settings: "{}".into(),
            environment: &environment,
            deadline,
            until: None,
        })
    }

    const LONG: Duration = Duration::from_secs(20);

    #[test]
    fn ends_are_told_apart() {
        let reply = run("echo one; echo two; echo bad >&2", LONG);
        assert_eq!((reply.lines.len(), reply.complaint.as_str(), reply.end), (2, "bad", End::Done));
        assert_eq!(run("exit 101", LONG).end, End::Code(101));
        assert_eq!(run("kill -SEGV $$", LONG).end, End::Signal(11));
    }

    #[test]
    fn a_hang_costs_its_deadline_and_keeps_what_was_said() {
        let started = Instant::now();
        let reply = run("echo begun; exec sleep 60", Duration::from_millis(300));
        assert_eq!(reply.end, End::TimedOut(Duration::from_millis(300)));
        assert_eq!(reply.lines, ["begun"]);
        assert!(started.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn a_program_that_is_not_there() {
        let environment = BTreeMap::new();
        let reply = call(&Call {
            executable: Path::new("/nonexistent/faultbook"),
            step: "test",
            settings: String::new(),
            environment: &environment,
            deadline: LONG,
            until: None,
        });
        assert!(matches!(reply.end, End::NotStarted(_)));
    }
}
