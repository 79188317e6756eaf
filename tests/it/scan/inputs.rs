//! Odd inputs: what has no text, what cannot be read, what has no end of a line.

use super::*;

fn text_of(output: &Output) -> (String, String, Option<i32>) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code())
}

#[test]
fn nothing_to_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let empty = written(folder.path(), "empty.log", "");
    let (stdout, _, code) = text_of(&scan(&[empty.to_str().expect("text")]));
    assert!(stdout.contains("No fault was found") && code == Some(1), "{stdout}");
    let (_, stderr, code) = text_of(&scan(&["no-such.log"]));
    assert!(stderr.contains("no such file") && code == Some(2), "{stderr}");
    let (_, stderr, code) = text_of(&scan(&["no-such-*.log"]));
    assert!(stderr.contains("no such file") && code == Some(2), "{stderr}");
    let (_, stderr, code) = text_of(&scan(&[]));
    assert!(stderr.contains("FILE|DIR|GLOB") && code == Some(2), "{stderr}");
}

#[test]
fn a_log_that_fails_does_not_hide_the_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = written(folder.path(), "a.log", traceback(0, OOM));
    let (stdout, stderr, code) = text_of(&scan(&["no-such.log", log.to_str().expect("text")]));
    assert!(stdout.contains("oom") && stderr.contains("no-such.log"), "{stdout}{stderr}");
    assert_eq!(code, Some(2));
}

#[test]
fn bytes_that_are_no_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let noise: Vec<u8> = (0..600_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let named = written(folder.path(), "noise.bin", &noise);
    assert_eq!(scan(&[named.to_str().expect("text")]).status.code(), Some(1));
    // Below a folder it is passed over.
    let report = json(&[folder.path().to_str().expect("text")]);
    assert_eq!(report["logs"], 0);
    // Around a failure it does not hide it.
    let mut mixed = steps(300_000, 0).into_bytes();
    mixed.extend_from_slice(b"\xff\xfe\x80\n");
    mixed.extend_from_slice(traceback(0, OOM).as_bytes());
    mixed.extend_from_slice(b"\xc3\x28\n");
    let mixed = written(folder.path(), "mixed.log", mixed);
    assert_eq!(found(&json(&[mixed.to_str().expect("text")]))[0].0, "oom");
}

#[test]
fn a_line_without_an_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut text = "x".repeat(3_000_000);
    text.push_str(" RuntimeError: CUDA error: an illegal memory access was encountered ");
    text.push_str(&"y".repeat(2_000_000));
    let path = written(folder.path(), "a.log", text);
    let report = json(&[path.to_str().expect("text")]);
    assert_eq!((&report["lines"], &report["faults"][0]["fault"]), (&1.into(), &"illegal-address".into()), "{report:#}");
}

#[cfg(unix)]
#[test]
fn links_that_lead_back_and_pipes_with_names() {
    let folder = tempfile::tempdir().expect("a folder");
    written(folder.path(), "a.log", traceback(0, OOM));
    std::os::unix::fs::symlink(folder.path(), folder.path().join("loop")).expect("a link");
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("it runs").success());
    let report = json(&[folder.path().to_str().expect("text")]);
    assert_eq!((&report["logs"], &report["faults"][0]["count"]), (&1.into(), &1.into()));
    // One that is named is read until its writer closes it.
    let writer = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::write(pipe, traceback(0, OOM))
    });
    let report = json(&[pipe.to_str().expect("text")]);
    writer.join().expect("no panic").expect("written");
    assert_eq!(report["faults"][0]["fault"], "oom");
}

#[cfg(unix)]
#[test]
fn a_log_with_several_names_below_a_folder_is_read_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("run-1")).expect("a folder");
    written(folder.path(), "run-3.log", traceback(0, OOM));
    written(&at("run-1"), "x.log", traceback(0, OOM));
    std::os::unix::fs::symlink("run-3.log", at("latest.log")).expect("a link");
    std::os::unix::fs::symlink("run-1", at("latest-run")).expect("a link");
    fs::hard_link(at("run-3.log"), at("same.log")).expect("a link");
    let report = json(&[folder.path().to_str().expect("text")]);
    assert_eq!((&report["logs"], &report["faults"][0]["count"]), (&2.into(), &2.into()), "{report:#}");
    // What is named counts each time.
    let (one, other) = (at("run-3.log"), at("same.log"));
    assert_eq!(json(&[one.to_str().expect("text"), other.to_str().expect("text")])["logs"], 2);
}

#[test]
fn one_rank_is_no_ranks() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(folder.path(), "a.log", traceback(3, OOM));
    let (stdout, ..) = text_of(&scan(&[path.to_str().expect("text")]));
    assert!(stdout.contains("rank 3") && !stdout.contains("ranks"), "{stdout}");
}

/// A ZIP archive.
fn zip(members: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in members {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).expect("memory");
        std::io::Write::write_all(&mut writer, text.as_bytes()).expect("memory");
    }
    writer.finish().expect("memory").into_inner()
}

#[test]
fn below_a_folder_archives_without_logs_are_passed_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let arrays = written(folder.path(), "data.npz", zip(&[("x.npy", "\u{1}\u{2}\0\0\0\0\0\0")]));
    let model = [("m/data.pkl", "\u{80}\u{2}"), ("m/byteorder", "little"), ("m/version", "3\n")];
    written(folder.path(), "model.pt", zip(&model));
    written(folder.path(), "logs.zip", zip(&[("x.npy", "\0\0\0\0"), ("a.log", &traceback(0, OOM))]));
    let output = scan(&[folder.path().to_str().expect("text"), "--format", "json"]);
    let (stdout, stderr, code) = text_of(&output);
    let report: Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!((&report["logs"], stderr.as_str(), code), (&1.into(), "", Some(0)));
    // One that is named says what it is.
    let (_, stderr, code) = text_of(&scan(&[arrays.to_str().expect("text")]));
    assert!(stderr.contains("ZIP archive without a log") && code == Some(2), "{stderr}");
    let (_, stderr, code) = text_of(&scan(&[folder.path().join("model.pt").to_str().expect("text")]));
    assert!(stderr.contains("a checkpoint of PyTorch") && code == Some(2), "{stderr}");
}

#[test]
fn a_log_in_an_archive_by_the_name_that_scan_prints() {
    let folder = tempfile::tempdir().expect("a folder");
    let illegal = "RuntimeError: CUDA error: an illegal memory access was encountered";
    let members = [("n1/a.log", &*traceback(0, OOM)), ("n2/b.log", &traceback(1, illegal))];
    let archive = written(folder.path(), "logs.zip", zip(&members));
    let all = json(&[archive.to_str().expect("text")]);
    for log in all["found_in"].as_array().expect("a list") {
        let one = json(&[log["file"].as_str().expect("a name")]);
        assert_eq!((&one["logs"], &one["found_in"][0]), (&1.into(), log));
    }
    let (_, stderr, code) = text_of(&scan(&[archive.join("n3/c.log").to_str().expect("text")]));
    assert!(stderr.contains("n3/c.log`: no such file") && code == Some(2), "{stderr}");
}
