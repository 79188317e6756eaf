//! Runs one step in a child process with a deadline, so that a hang, a crash or an exit becomes a result.
//!
//! The child is this program with a hidden subcommand. A child that survives SIGKILL (blocked in the driver, inside the
//! kernel) is abandoned instead of waited for.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::strays;

/// The hidden subcommand.
pub(super) const SUBCOMMAND: &str = "__probe-step";

pub(super) struct Call<'a> {
    pub(super) executable: &'a Path,
    pub(super) step: &'a str,
    pub(super) settings: String,
    /// The complete environment of the child.
    pub(super) environment: &'a BTreeMap<OsString, OsString>,
    /// The child is killed after this time without a line of output.
    pub(super) deadline: Duration,
    /// The child is killed at this time in any case; `None` for never.
    pub(super) until: Option<Instant>,
    /// The steps of the same probe.
    pub(super) running: &'a strays::Running,
    /// Called with each line of output as it comes.
    pub(super) heard: &'a dyn Fn(&str),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    /// With exit code 0.
    Done,
    Code(i32),
    #[cfg_attr(not(unix), expect(dead_code, reason = "other platforms have no signals"))]
    Signal(i32),
    /// Killed at its own deadline.
    TimedOut(Duration),
    /// Killed because the total budget ran out before its own deadline.
    CutOff,
    NotStarted(String),
}

impl End {
    /// A phrase to follow "it".
    pub(super) fn says(&self) -> String {
        match self {
            End::Done => "ended".to_owned(),
            End::Code(code) => format!("ended with exit code {code}"),
            End::Signal(signal) => match signal_name(*signal) {
                Some(name) => format!("was killed by {name} (signal {signal})"),
                None => format!("was killed by signal {signal}"),
            },
            End::TimedOut(after) => format!("did not answer within {}", crate::amounts::seconds(*after)),
            End::CutOff => "was stopped: the time for this device ran out".to_owned(),
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

/// How often a child that says nothing is asked whether it still lives.
const TICK: Duration = Duration::from_millis(20);

#[derive(Debug, Clone)]
pub(super) struct Reply {
    pub(super) lines: Vec<String>,
    /// The end of stderr.
    pub(super) complaint: String,
    pub(super) end: End,
}

/// Runs a step until it ends or reaches its deadline; each line of output restarts the deadline.
pub(super) fn call(call: &Call<'_>) -> Reply {
    let mut command = Command::new(call.executable);
    strays::own_group(&mut command);
    command
        .arg(SUBCOMMAND)
        .arg(call.step)
        .arg(&call.settings)
        .env_clear()
        .envs(call.environment)
        .env(strays::MARK, std::process::id().to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let (mut child, family) = match strays::Family::start(&mut command, call.running) {
        Ok(started) => started,
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
    let mut ended = false;
    if let Some(stream) = &stream {
        loop {
            match stream.recv_timeout(until.saturating_duration_since(Instant::now()).min(TICK)) {
                Ok(line) => {
                    (call.heard)(&line);
                    lines.push(line);
                    until = deadline();
                }
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) if Instant::now() >= until => {
                    silent = true;
                    break;
                }
                // Whoever inherited the stream and lives on is not waited for.
                Err(RecvTimeoutError::Timeout) if matches!(child.try_wait(), Ok(Some(_))) => {
                    ended = true;
                    break;
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
    let end = match wait(&mut child, if silent { Instant::now() } else { until }) {
        Some(status) => end_of(status),
        None => {
            let _ = child.kill();
            // Reap the child if it dies at once; one that is blocked in the kernel is abandoned.
            wait(&mut child, Instant::now() + Duration::from_millis(100));
            if call.until == Some(until) { End::CutOff } else { End::TimedOut(call.deadline) }
        }
    };
    family.end();
    if let Some(stream) = stream.filter(|_| ended) {
        // Its last words may still be in the pipe, which ends now that nobody holds it any more.
        let until = Instant::now() + LAST_WORDS;
        while let Ok(line) = stream.recv_timeout(until.saturating_duration_since(Instant::now())) {
            (call.heard)(&line);
            lines.push(line);
        }
    }
    let complaint = complaint.map(collect).unwrap_or_default();
    let last: Vec<String> = complaint.into_iter().rev().take(5).collect();
    Reply { lines, complaint: last.into_iter().rev().collect::<Vec<_>>().join("\n"), end }
}

/// How long the last words of a child that ended are waited for where somebody else holds its stream.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// The exit status, if the child ends before the deadline.
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

/// Reads lines in a separate thread, so that a full pipe cannot block the child; very long output is truncated.
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

/// All lines until the stream closes. A process that inherited the stream and is still running is not waited for.
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

    /// `sh` reads the hidden subcommand as the name of a script, so each test writes one.
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
            running: &strays::Running::default(),
            heard: &|_| {},
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
    fn who_inherits_the_stream_is_neither_waited_for_nor_left_behind() {
        let folder = tempfile::tempdir().expect("a folder");
        let pids = folder.path().join("pids");
        let script = format!(
            "(sleep 61 & echo $! >> {0}; setsid sleep 62 & echo $! >> {0}; (setsid sleep 63 & echo $! >> {0}) &) \nsleep 0.3\necho done",
            pids.display()
        );
        let started = Instant::now();
        let reply = run(&script, LONG);
        assert_eq!((reply.lines.as_slice(), reply.end), (&["done".to_owned()][..], End::Done));
        assert!(started.elapsed() < LONG / 2, "{:?}", started.elapsed());
        let pids = std::fs::read_to_string(pids).expect("they were written");
        assert_eq!(pids.lines().count(), 3);
        #[cfg(target_os = "linux")]
        for pid in pids.lines() {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            assert!(stat.is_empty() || stat.contains(") Z "), "{stat}");
        }
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
            running: &strays::Running::default(),
            heard: &|_| {},
        });
        assert!(matches!(reply.end, End::NotStarted(_)));
    }
}
