//! `faultbook scan --follow`: faults while they are written.

use std::fs::{self, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::Value;

use super::{OOM, steps, traceback};

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
        self.next_in().0
    }

    /// The fault of the next line, and the name of its file.
    fn next_in(&self) -> (String, String) {
        let line = self.lines.recv_timeout(Duration::from_secs(60)).expect("a fault is printed");
        let line: Value = serde_json::from_str(&line).expect("JSON");
        let file =
            Path::new(line["last"]["file"].as_str().expect("a file")).file_name().map(|name| name.to_string_lossy());
        (line["fault"].as_str().expect("an id").to_owned(), file.unwrap_or_default().into_owned())
    }

    /// Ends it as a shell does; the faults that are still printed, and its status.
    fn end(mut self, signal: &str) -> (Vec<String>, std::process::ExitStatus) {
        let id = self.child.id().to_string();
        assert!(std::process::Command::new("kill").args([signal, &id]).status().expect("it runs").success());
        let status = self.child.wait().expect("it ends");
        let fault =
            |line: String| serde_json::from_str::<Value>(&line).expect("JSON")["fault"].as_str().map(str::to_owned);
        (self.lines.iter().filter_map(fault).collect(), status)
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

const ILLEGAL: &str = "RuntimeError: CUDA error: an illegal memory access was encountered";
const LOST: &str = "NVRM: Xid (PCI:0000:07:00): 79, GPU has fallen off the bus.\n";

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).expect("memory");
    encoder.finish().expect("memory")
}

#[test]
fn a_log_that_grows_slowly_hides_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("train.log");
    append(&path, &traceback(0, OOM));
    let following = Following::new(&[path.to_str().expect("text")]);
    let (stop, stopped) = channel::<()>();
    let writer = std::thread::spawn(move || {
        while stopped.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
            append(&path, &steps(10, 0));
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    assert_eq!(following.next(), "oom");
    drop(stop);
    writer.join().expect("no panic");
}

/// Whether this process ignores a signal, as jobs in the background of a script ignore SIGINT.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    ignored & (1 << (signal - 1)) != 0
}

#[test]
fn what_waits_is_told_of_before_a_signal_ends_it() {
    use std::os::unix::process::ExitStatusExt as _;
    for (signal, number) in [("-INT", 2), ("-TERM", 15)] {
        if is_ignored(number) {
            crate::support::left_out::note("a signal that ends scan", "what started the tests ignores it");
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("train.log");
        append(&path, &traceback(0, OOM));
        let following = Following::new(&[path.to_str().expect("text")]);
        assert_eq!(following.next(), "oom");
        // A line without an end, right before.
        append(&path, &traceback(0, ILLEGAL));
        append(&path, LOST.trim_end());
        let (mut faults, status) = following.end(signal);
        faults.sort();
        assert_eq!(faults, ["device-lost", "illegal-address"], "{signal}");
        assert_eq!(status.signal(), Some(number));
    }
}

#[test]
fn a_folder_is_followed_through_rotation() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    append(&at("a.log"), &traceback(0, OOM));
    append(&at("a.log.1"), LOST);
    fs::write(at("a.log.2.gz"), gzip(&traceback(0, ILLEGAL))).expect("written");
    let noise: Vec<u8> = (0..9000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    fs::write(at("model.bin"), [&noise, b"\n".as_slice(), ILLEGAL.as_bytes(), b"\n"].concat()).expect("written");
    let following = Following::new(&[folder.path().to_str().expect("text")]);
    let mut first = [following.next_in(), following.next_in(), following.next_in()];
    first.sort();
    let expected = [("device-lost", "a.log.1"), ("illegal-address", "a.log.2.gz"), ("oom", "a.log")];
    assert_eq!(first, expected.map(|(fault, file)| (fault.to_owned(), file.to_owned())));
    // What was followed is not read again under its new name, nor compressed; what is new is read.
    fs::rename(at("a.log.1"), at("a.log.3")).expect("rotated");
    fs::rename(at("a.log"), at("a.log.1")).expect("rotated");
    fs::write(at("a.log.1.gz"), gzip(&traceback(0, OOM))).expect("written");
    append(&at("a.log"), &traceback(0, ILLEGAL));
    append(&at("b.log"), LOST);
    let mut second = [following.next_in(), following.next_in()];
    second.sort();
    let expected = [("device-lost", "b.log"), ("illegal-address", "a.log")];
    assert_eq!(second, expected.map(|(fault, file)| (fault.to_owned(), file.to_owned())));
    // Its writer may still have it open.
    append(&at("a.log.1"), LOST);
    assert_eq!(following.next_in(), ("device-lost".to_owned(), "a.log.1".to_owned()));
    assert_eq!(following.end("-TERM").0, Vec::<String>::new());
}

#[test]
fn what_is_compressed_is_read_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.log.gz");
    fs::write(&path, gzip(&traceback(0, OOM))).expect("written");
    let mut following = Following::new(&[path.to_str().expect("text")]);
    assert_eq!(following.next_in(), ("oom".to_owned(), "a.log.gz".to_owned()));
    assert_eq!(following.child.wait().expect("it ends").code(), Some(0));
    let mut piped = Following::new(&["-"]);
    let mut input = piped.child.stdin.take().expect("a pipe");
    input.write_all(&gzip(&traceback(0, OOM))).expect("written");
    drop(input);
    assert_eq!(piped.next(), "oom");
    assert_eq!(piped.child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn more_files_than_may_be_open() {
    let folder = tempfile::tempdir().expect("a folder");
    for number in 0..120 {
        append(&folder.path().join(format!("{number:03}.log")), "step 1\n");
    }
    let run = |limit: &str| {
        let program = assert_cmd::cargo::cargo_bin("faultbook");
        let script = format!("ulimit -{limit} 64; exec \"$0\" scan --follow --no-probe --format jsonl \"$1\"");
        let mut command = std::process::Command::new("bash");
        command.args(["-c", &script]).arg(program).arg(folder.path());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        (
            BufReader::new(child.stdout.take().expect("a pipe")),
            BufReader::new(child.stderr.take().expect("a pipe")),
            child,
        )
    };
    let mut line = String::new();
    // The soft limit is raised.
    let (mut stdout, _stderr, mut child) = run("Sn");
    append(&folder.path().join("119.log"), LOST);
    stdout.read_line(&mut line).expect("a fault");
    assert!(line.contains("device-lost") && line.contains("119.log"), "{line}");
    child.kill().and_then(|()| child.wait()).expect("it ends");
    // Beyond the hard one, what is left out is said once.
    let (_stdout, mut stderr, mut child) = run("n");
    line.clear();
    stderr.read_line(&mut line).expect("a remark");
    assert!(line.contains("files are left out") && line.contains("ulimit -n"), "{line}");
    child.kill().and_then(|()| child.wait()).expect("it ends");
}
