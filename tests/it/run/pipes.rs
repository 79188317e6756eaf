//! Without a terminal: streams stay apart, no byte is lost, the exit code is the command's.

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::support::PATIENCE;

/// What a dying training run prints.
pub(crate) const DEATH: &str = "Traceback (most recent call last):\n  File \"train.py\", line 3, in <module>\n    \
     step()\nRuntimeError: GET was unable to find an engine to execute this computation\n";

/// `faultbook run` with these words, in a folder of its own.
pub(crate) fn faultbook(folder: &tempfile::TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_faultbook"));
    command.current_dir(folder).env("XDG_CACHE_HOME", folder.path().join("cache")).arg("run").args(arguments);
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"] {
        command.env_remove(name);
    }
    command
}

pub(crate) fn place() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn shell(script: &str) -> Output {
    faultbook(&place(), &["--", "sh", "-c", script]).output().expect("runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_command_that_succeeds_is_left_alone() {
    let output = shell("printf 'a\\tb'; printf 'c\\r' >&2");
    assert_eq!(
        (output.status.code(), text(&output.stdout), text(&output.stderr)),
        (Some(0), "a\tb".into(), "c\r".into())
    );
}

#[test]
fn a_failure_is_diagnosed_below() {
    let script = format!("echo epoch 1; cat >&2 <<'END'\n{DEATH}END\nexit 3");
    let output = shell(&script);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!((output.status.code(), out.as_str()), (Some(3), "epoch 1\n"));
    assert!(err.starts_with(DEATH), "{err}");
    assert!(err.contains("the command ended with exit code 3") && err.contains("cudnn-no-engine"), "{err}");
}

#[test]
fn an_exit_code_alone_is_a_failure() {
    let err = text(&shell("echo all is well; exit 3").stderr);
    assert!(err.contains("Not a failure in the book: it ended with exit code 3"), "{err}");
    let err = text(&shell("kill -9 $$").stderr);
    assert!(err.contains("it ended with signal 9 (SIGKILL)"), "{err}");
}

#[test]
fn a_run_inside_a_run_is_explained_once() {
    let program = env!("CARGO_BIN_EXE_faultbook");
    let output = shell(&format!("{program} run -- sh -c 'cat >&2; exit 3' <<'END'\n{DEATH}END"));
    let err = text(&output.stderr);
    assert_eq!((output.status.code(), err.matches("More: faultbook show").count()), (Some(3), 1), "{err}");
    assert!(err.ends_with("exit code 3; the answer is above\n"), "{err}");
}

#[test]
fn codes_are_those_of_a_shell() {
    for (script, code, says) in [
        ("exit 77", 77, "exit code 77"),
        ("kill -SEGV $$", 139, "signal 11 (SIGSEGV)"),
        ("kill -KILL $$", 137, "signal 9 (SIGKILL)"),
    ] {
        let output = shell(script);
        assert_eq!(output.status.code(), Some(code), "{script}");
        assert!(text(&output.stderr).contains(says), "{}", text(&output.stderr));
    }
    let folder = place();
    let absent = faultbook(&folder, &["no-such-command-here"]).output().expect("runs");
    assert_eq!(absent.status.code(), Some(127));
    assert!(text(&absent.stderr).contains("could not start `no-such-command-here`: no such file"));
    fs::write(folder.path().join("plain.txt"), "x").expect("a file");
    let plain = faultbook(&folder, &["./plain.txt"]).output().expect("runs");
    assert_eq!(plain.status.code(), Some(126), "{}", text(&plain.stderr));
    let none = faultbook(&folder, &[]).output().expect("runs");
    assert_eq!(none.status.code(), Some(2));
}

#[test]
fn no_byte_is_lost() {
    let folder = place();
    let mut blob = Vec::new();
    let mut state = 1_u32;
    while blob.len() < 20_000_000 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        blob.extend_from_slice(&state.to_le_bytes());
    }
    fs::write(folder.path().join("blob"), &blob).expect("a file");
    let arguments = ["--log", "all", "--", "sh", "-c", "cat blob; cat blob >&2"];
    let output = faultbook(&folder, &arguments).output().expect("runs");
    assert!(output.status.success());
    assert!(output.stdout == blob && output.stderr == blob, "{} and {}", output.stdout.len(), output.stderr.len());
    let log = fs::read(folder.path().join("all")).expect("the log");
    assert_eq!(log.len(), 2 * blob.len());
    assert!(log.starts_with(&blob) || log.len() == 2 * blob.len());
}

#[test]
fn standard_input_is_the_commands() {
    let mut child =
        faultbook(&place(), &["--", "cat"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("runs");
    child.stdin.take().expect("a pipe").write_all(b"words\n").expect("written");
    assert_eq!(text(&child.wait_with_output().expect("ends").stdout), "words\n");
}

#[test]
fn a_failure_is_handed_over() {
    let folder = place();
    let script = format!("cat <<'END'\n{DEATH}END\nexit 4");
    let arguments = [
        "--log",
        "run.log",
        "--on-failure",
        "cat > answer.json; echo $FAULTBOOK_EXIT_CODE $FAULTBOOK_LOG > code; exit 9",
    ];
    let output = faultbook(&folder, &arguments).args(["--", "sh", "-c", &script]).output().expect("runs");
    assert_eq!(output.status.code(), Some(4));
    let answer = fs::read_to_string(folder.path().join("answer.json")).expect("an answer");
    let answer: serde_json::Value = serde_json::from_str(&answer).expect("JSON");
    assert_eq!(
        (&answer["schema"], &answer["fault"]["id"]),
        (&"faultbook/diagnosis/2".into(), &"cudnn-no-engine".into())
    );
    assert_eq!(fs::read_to_string(folder.path().join("code")).expect("a code"), "4 run.log\n");
    assert_eq!(fs::read_to_string(folder.path().join("run.log")).expect("a log"), DEATH);
    assert!(text(&output.stderr).contains("--on-failure failed"), "{}", text(&output.stderr));
}

#[test]
fn a_log_that_cannot_be_written_starts_nothing() {
    let folder = place();
    let output = faultbook(&folder, &["--log", "no/such/folder", "--", "touch", "started"]).output().expect("runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(!folder.path().join("started").exists());
}

#[test]
fn a_reader_that_leaves_ends_the_command() {
    let mut child =
        faultbook(&place(), &["--", "yes"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("runs");
    let mut first = [0; 2];
    child.stdout.take().expect("a pipe").read_exact(&mut first).expect("bytes");
    // Dropping the pipe is what `| head` does.
    let status = wait(&mut child);
    assert_eq!(status.code(), Some(141), "{status:?}");
    // Whoever left knows why it ended.
    let mut says = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut says).expect("text");
    assert_eq!(says, "");
}

#[test]
fn a_reader_that_leaves_one_stream_takes_nothing_from_the_other() {
    let script = format!(
        "trap '' PIPE; echo step; read again; echo step; sleep 0.3; echo step; cat >&2 <<'END'\n{DEATH}END\nexit 4"
    );
    let mut child = faultbook(&place(), &["--", "sh", "-c", &script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("runs");
    child.stdout.take().expect("a pipe").read_exact(&mut [0; 5]).expect("bytes");
    child.stdin.take().expect("a pipe").write_all(b"go on\n").expect("written");
    let output = child.wait_with_output().expect("ends");
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{err}");
    assert!(err.contains(DEATH) && err.contains("cudnn-no-engine"), "{err}");
}

#[test]
fn signals_go_on_and_nothing_stays_behind() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)] {
        // A worker that would live forever, as data loaders do.
        let mut child = faultbook(&place(), &["--", "sh", "-c", "sleep 1000 & echo $!; echo $$; wait"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("runs");
        let mut out = child.stdout.take().expect("a pipe");
        let pids = lines(&mut out, 2);
        kill_process(Pid::from_child(&child), signal).expect("sent");
        let status = wait(&mut child);
        assert_eq!(status.code(), Some(code), "{status:?} {:?}", status.signal());
        for pid in pids {
            gone(pid);
        }
    }
}

#[test]
fn a_command_may_answer_a_signal_itself() {
    let script = "trap 'echo saved; exit 5' USR1; echo ready; while :; do sleep 0.05; done";
    let mut child = faultbook(&place(), &["--", "sh", "-c", script])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("runs");
    let mut out = child.stdout.take().expect("a pipe");
    let mut ready = [0; 6];
    out.read_exact(&mut ready).expect("ready");
    kill_process(Pid::from_child(&child), Signal::USR1).expect("sent");
    let mut rest = String::new();
    out.read_to_string(&mut rest).expect("text");
    assert_eq!((child.wait().expect("ends").code(), rest.as_str()), (Some(5), "saved\n"));
}

/// Reads that many lines, each a number.
pub(crate) fn lines(from: &mut impl std::io::Read, count: usize) -> Vec<Pid> {
    let mut text = String::new();
    let mut byte = [0];
    while text.matches('\n').count() < count {
        from.read_exact(&mut byte).expect("a byte");
        text.push(char::from(byte[0]));
    }
    text.lines().map(|line| Pid::from_raw(line.trim().parse().expect("a number")).expect("a process")).collect()
}

/// Waits until a process is gone, a zombie at most.
pub(crate) fn gone(pid: Pid) {
    let start = Instant::now();
    while test_kill_process(pid).is_ok() {
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
        if stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z')) {
            return;
        }
        assert!(start.elapsed() < PATIENCE, "{pid:?} was left behind");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits for an end that must come.
pub(crate) fn wait(child: &mut std::process::Child) -> std::process::ExitStatus {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("its status") {
            return status;
        }
        if start.elapsed() > PATIENCE {
            child.kill().expect("killed");
            panic!("still running after {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
