//! `faultbook scan` as a process: the same answer however a log is cut, packed or read, and odd inputs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

#[cfg(unix)]
mod follow;
mod inputs;

/// Runs `faultbook scan` with these arguments.
fn scan(arguments: &[&str]) -> Output {
    command(arguments).output().expect("it runs")
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("faultbook").expect("the binary");
    command.arg("scan").args(arguments).args(["--no-probe", "--color", "never"]).env("TZ", "UTC");
    command
}

/// The JSON of `faultbook scan`.
fn json(arguments: &[&str]) -> Value {
    let output = scan(&[arguments, &["--format", "json"]].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

/// What was found, by id or title: how often, and the first and last line.
fn found(report: &Value) -> Vec<(String, u64, u64, u64)> {
    let faults = report["faults"].as_array().expect("a list");
    let number = |value: &Value| value.as_u64().expect("a number");
    let mut found: Vec<_> = faults
        .iter()
        .map(|fault| {
            let name = fault["fault"].as_str().or(fault["title"].as_str()).expect("a name").to_owned();
            (name, number(&fault["count"]), number(&fault["first"]["line"]), number(&fault["last"]["line"]))
        })
        .collect();
    found.sort();
    found
}

const OOM: &str = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of \
                   79.10 GiB of which 1.12 GiB is free.";

/// A traceback that one rank prints.
fn traceback(rank: u32, message: &str) -> String {
    format!(
        "[rank{rank}]: Traceback (most recent call last):\n[rank{rank}]:   File \"/w/train.py\", line 7, in step\n\
         [rank{rank}]:     loss = model(batch)\n[rank{rank}]: {message}\n"
    )
}

/// Steps of a healthy run, so many bytes of them.
fn steps(bytes: usize, from: usize) -> String {
    let mut text = String::new();
    for step in from.. {
        text.push_str(&format!(
            "2026-11-21T03:15:22Z INFO [rank{}] trainer: step {step} loss 2.31 lr 1e-4\n",
            step % 8
        ));
        if text.len() >= bytes {
            break;
        }
    }
    text
}

/// A log of several chunks with failures in it.
fn long_log() -> String {
    let nccl = "NVRM: Xid (PCI:0000:07:00): 79, pid=4242, GPU has fallen off the bus.";
    [
        steps(300_000, 0),
        traceback(3, OOM),
        steps(210_000, 5000),
        format!("Nov 21 03:15:22 gpu-7 kernel: {nccl}\n"),
        steps(400_000, 9000),
        traceback(5, OOM),
        traceback(1, "pipeline.ShardError: the list of shards names one that is gone"),
    ]
    .concat()
}

fn written(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, bytes).expect("a file is written");
    path
}

#[test]
fn threads_and_packing_change_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = long_log();
    let plain = written(folder.path(), "a.log", &text);
    let expected = found(&json(&[plain.to_str().expect("text"), "--threads", "1"]));
    let names: Vec<(&str, u64)> = expected.iter().map(|one| (one.0.as_str(), one.1)).collect();
    let unlisted = "pipeline.ShardError: the list of shards names one that is gone";
    assert_eq!(names, [("device-lost", 1), ("oom", 2), (unlisted, 1)]);
    let line = |words: &str| 1 + text[..text.find(words).expect("it is there")].matches('\n').count() as u64;
    assert_eq!((expected[1].2, expected[0].2), (line(OOM), line("NVRM")));
    assert_eq!(found(&json(&[plain.to_str().expect("text"), "--threads", "5"])), expected);

    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut encoder, text.as_bytes()).expect("memory");
    let gz = written(folder.path(), "b.log.gz", encoder.finish().expect("memory"));
    assert_eq!(found(&json(&[gz.to_str().expect("text")])), expected);
    let wide: Vec<u8> = [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let wide = written(folder.path(), "c.log", wide);
    assert_eq!(found(&json(&[wide.to_str().expect("text")])), expected);
    let piped = command(&["-", "--format", "json"]).write_stdin(text).output().expect("it runs");
    assert_eq!(found(&serde_json::from_slice(&piped.stdout).expect("JSON")), expected);

    let all = json(&[folder.path().to_str().expect("text")]);
    assert_eq!((all["logs"].as_u64(), all["found_in"].as_array().map(Vec::len)), (Some(3), Some(3)));
    assert!(all["faults"].as_array().expect("a list").iter().all(|fault| fault["logs"] == 3), "{all:#}");
}

#[test]
fn ranks_nodes_and_the_primary_failure() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(folder.path(), "a.log", long_log());
    let report = json(&[path.to_str().expect("text")]);
    let of = |id: &str| {
        let faults = report["faults"].as_array().expect("a list");
        faults.iter().find(|fault| fault["fault"] == id).expect("it was found").clone()
    };
    assert_eq!(of("oom")["ranks"], serde_json::json!([3, 5]));
    assert_eq!(of("device-lost")["nodes"], serde_json::json!(["gpu-7"]));
    // A lost GPU comes before everything.
    assert_eq!(report["found_in"][0]["primary"], "device-lost");
    assert_eq!(of("device-lost")["primary_in"], 1);
    let schema = fs::read_to_string("schemas/scan-1.json").expect("the schema");
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    assert!(validator.is_valid(&report), "{report:#}");
}

#[test]
fn each_line_of_jsonl_is_one_fault_of_one_log() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["a.log", "b.log"] {
        written(folder.path(), name, traceback(0, OOM));
    }
    let output = scan(&[folder.path().to_str().expect("text"), "--format", "jsonl"]);
    let lines: Vec<Value> = output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).expect("JSON"))
        .collect();
    assert_eq!(lines.len(), 2);
    for line in lines {
        assert_eq!((&line["schema"], &line["primary_in"]), (&"faultbook/scan/1".into(), &1.into()));
    }
}

#[test]
fn a_fault_at_the_end_of_a_piece_of_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let lost = "NVRM: Xid (PCI:0000:07:00): 79, pid=4242, GPU has fallen off the bus.\n";
    // How files are read: pieces of 256 KiB.
    for before in [1, 2, 7, 20, lost.len()] {
        let mut text = steps(262_144, 0);
        text.truncate(262_144 - before - 1);
        text.push('\n');
        text.push_str(&lost.repeat(21));
        written(folder.path(), &format!("{before}.log"), &text);
    }
    let report = json(&[folder.path().to_str().expect("text")]);
    assert_eq!(report["found_in"].as_array().map(Vec::len), Some(5), "{report:#}");
    assert_eq!((&report["faults"][0]["fault"], &report["faults"][0]["count"]), (&"device-lost".into(), &105.into()));
}

/// A reader that leaves after one line.
#[cfg(unix)]
#[test]
fn whoever_has_enough_is_told_no_more() {
    use std::io::{BufRead as _, BufReader};
    let folder = tempfile::tempdir().expect("a folder");
    let wait = folder.path().join("z-pipe");
    written(folder.path(), "a.log", traceback(0, OOM));
    for number in 0..30 {
        written(folder.path(), &format!("b{number}.log"), traceback(0, OOM));
    }
    assert!(std::process::Command::new("mkfifo").arg(&wait).status().expect("it runs").success());
    let name = |name: &str| folder.path().join(name).display().to_string();
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("faultbook"));
    // The pipe has no writer: whoever goes on would wait for one.
    command.args(["scan", "--no-probe", "--format", "jsonl", "--threads", "1", &name("a.log")]);
    command.args([name("b*.log"), name("z-pipe")]).stdout(std::process::Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    assert!(line.contains("\"oom\""), "{line}");
    // Threads that wait for the pipe are let go by its writer.
    let _ = fs::OpenOptions::new().read(true).write(true).open(&wait);
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

/// A reader that leaves while standard input stays open.
#[test]
fn an_open_standard_input_holds_up_nobody() {
    use std::process::Stdio;
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(folder.path(), "a.log", traceback(0, OOM));
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("faultbook"));
    command.args(["scan", "--no-probe", "--format", "jsonl", path.to_str().expect("text"), "-"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    drop(child.stdout.take());
    let input = child.stdin.take().expect("a pipe");
    let code = (0..600).find_map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        child.try_wait().expect("a process")
    });
    drop(input);
    assert_eq!(code.expect("it ends").code(), Some(0));
}

#[test]
fn repetitions_are_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let text: String = (0..20_000)
        .map(|n| {
            format!("[rank{}]: RuntimeError: CUDA error: an illegal memory access was encountered at {n}000\n", n % 16)
        })
        .collect();
    let path = written(folder.path(), "a.log", text);
    let report = json(&[path.to_str().expect("text")]);
    assert_eq!(found(&report), [("illegal-address".to_owned(), 20_000, 1, 20_000)]);
    assert_eq!(report["faults"][0]["ranks"].as_array().map(Vec::len), Some(16));
}

#[test]
fn only_lines_since_a_moment() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!(
        "2026-11-20T03:00:00Z INFO: start\n{}2026-11-21T04:00:00Z INFO: restarted\n{}",
        traceback(0, OOM),
        traceback(1, "RuntimeError: CUDA error: an illegal memory access was encountered")
    );
    let long = [steps(300_000, 0).replace("11-21", "11-19"), text.clone()].concat();
    for text in [text, long] {
        let path = written(folder.path(), "a.log", text);
        let ids = |since: &str| -> Vec<String> {
            found(&json(&[path.to_str().expect("text"), "--since", since])).into_iter().map(|one| one.0).collect()
        };
        assert_eq!(ids("2026-11-01"), ["illegal-address", "oom"]);
        assert_eq!(ids("2026-11-21T03:59:00Z"), ["illegal-address"]);
        assert!(ids("2026-11-22").is_empty());
    }
    let output = scan(&["x.log", "--since", "yesterday"]);
    assert_eq!(output.status.code(), Some(2));
}

/// Texts of tests/corpus whose fault no signature finds.
const NO_SIGNATURE: &[(&str, &str)] = &[
    ("sym-", "the writer describes what happens and quotes no message"),
    ("entry-", "an entry of kb/errors has the message, and scan looks for the signatures of pages"),
    ("own-triton24-assembler", "only frames name Triton, and signatures do not look at frames"),
    ("own-tf-visible.cpu-build", "the program's own words tell, of which no signature knows"),
    ("dist-debug-detail.collective-mismatch", "`diagnose` answers otherwise too"),
];

#[test]
fn what_diagnose_names_by_a_signature_is_found() {
    let report = json(&["tests/corpus"]);
    let logs = report["found_in"].as_array().expect("a list");
    let mut wrong = Vec::new();
    let mut compared = 0;
    for path in crate::support::texts() {
        let Some(fault) = crate::support::Case::of(&path).fault else { continue };
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if NO_SIGNATURE.iter().any(|(start, _)| name.starts_with(start)) {
            continue;
        }
        compared += 1;
        let log = logs.iter().find(|log| log["file"] == *path.to_string_lossy());
        if log.is_none_or(|log| log["primary"] != *fault) {
            wrong.push(format!("{name}: {fault}, found {:?}", log.map(|log| (&log["primary"], &log["faults"]))));
        }
    }
    assert!(wrong.is_empty() && compared > 700, "of {compared}:\n{}", wrong.join("\n"));
}
