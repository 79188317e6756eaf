//! `faultbook scan --follow`: faults while they are written.

use std::fs::{self, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::Value;

use super::{OOM, traceback};

/// A running command, whose lines come one after the other.
struct Following {
    child: Child,
    lines: Receiver<String>,
}

impl Following {
    fn new(arguments: &[&str]) -> Self {
        let program = assert_cmd::cargo::cargo_bin("faultbook");
        let mut command = std::process::Command::new(program);
        command.args(["scan", "--follow", "--format", "jsonl", "--no-probe"]).args(arguments);
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child = spawned.expect("it starts");
        let output = child.stdout.take().expect("a pipe");
        let (send, lines) = channel();
        std::thread::spawn(move || {
            BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| send.send(line))
        });
        Self { child, lines }
    }

    /// The fault of the next line.
    fn next(&self) -> String {
        let line = self.lines.recv_timeout(Duration::from_secs(60)).expect("a fault is printed");
        let line: Value = serde_json::from_str(&line).expect("JSON");
        line["fault"].as_str().expect("an id").to_owned()
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn append(path: &Path, text: &str) {
    let mut file = OpenOptions::new().create(true).append(true).open(path).expect("a log");
    file.write_all(text.as_bytes()).expect("written");
}

#[test]
fn rotation_truncation_and_files_that_come_later() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("train.log");
    let following = Following::new(&[path.to_str().expect("text")]);
    append(&path, &traceback(0, OOM));
    assert_eq!(following.next(), "oom");
    // Half a line, then the rest of it.
    append(&path, "[rank1]: RuntimeError: CUDA error: an illegal ");
    append(&path, "memory access was encountered\n");
    assert_eq!(following.next(), "illegal-address");
    fs::rename(&path, folder.path().join("train.log.1")).expect("rotated");
    append(&folder.path().join("train.log.1"), "NVRM: Xid (PCI:0000:07:00): 79, GPU has fallen off the bus.\n");
    append(&path, &traceback(0, OOM));
    let mut both = [following.next(), following.next()];
    both.sort();
    assert_eq!(both, ["device-lost", "oom"]);
    fs::write(&path, "x\n").expect("cut");
    append(&path, &traceback(0, "RuntimeError: CUDA error: an illegal memory access was encountered"));
    assert_eq!(following.next(), "illegal-address");
}

#[test]
fn standard_input_that_goes_on() {
    let mut following = Following::new(&["-"]);
    let mut input = following.child.stdin.take().expect("a pipe");
    input.write_all(traceback(0, OOM).as_bytes()).expect("written");
    assert_eq!(following.next(), "oom");
    // The same on another rank is news, a repetition is not.
    input.write_all([traceback(0, OOM), traceback(4, OOM)].concat().as_bytes()).expect("written");
    assert_eq!(following.next(), "oom");
    drop(input);
    assert!(following.lines.recv().is_err());
    assert_eq!(following.child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn a_pipe_with_a_name_holds_up_nobody() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, pipe) = (folder.path().join("a.log"), folder.path().join("pipe"));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("it runs").success());
    let following = Following::new(&[pipe.to_str().expect("text"), path.to_str().expect("text")]);
    append(&path, &traceback(0, OOM));
    assert_eq!(following.next(), "oom");
    // What a writer writes is told of while it goes on.
    let mut writer = OpenOptions::new().write(true).open(&pipe).expect("it is read");
    writer
        .write_all(traceback(0, "RuntimeError: CUDA error: an illegal memory access was encountered").as_bytes())
        .expect("written");
    assert_eq!(following.next(), "illegal-address");

    let mut alone = Following::new(&["-", pipe.to_str().expect("text")]);
    drop(alone.child.stdin.take());
    drop((following, writer));
    fs::write(&pipe, traceback(0, OOM)).expect("written");
    assert_eq!(alone.next(), "oom");
    assert_eq!(alone.child.wait().expect("it ends").code(), Some(0));
}
