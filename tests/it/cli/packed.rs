//! Compressed logs and archives of logs.

use std::io::Write as _;

use crate::place::{ENGINE, Place, UNLISTED};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory")
}

fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        builder.append_data(&mut header, name, *bytes).expect("memory");
    }
    builder.into_inner().expect("memory")
}

#[test]
fn a_compressed_log_is_answered_like_the_log() {
    let place = Place::new();
    let packed = gzip(ENGINE.as_bytes());
    let plain = place.run("--no-probe -", ENGINE);
    // The name does not matter.
    place.file("train.log", &packed);
    for answer in [place.run("--no-probe train.log", ""), place.run("--no-probe -", packed)] {
        assert_eq!((answer.code, &answer.out, &answer.err), (0, &plain.out, &plain.err));
    }
}

#[test]
fn an_archive_is_answered_log_by_log() {
    let place = Place::new();
    let packed =
        gzip(&tar(&[("node3/rank0.log", ENGINE.as_bytes()), ("core", &[0; 9]), ("b.log", UNLISTED.as_bytes())]));
    place.file("logs.tgz", &packed);
    let answer = place.run("--no-probe logs.tgz", "");
    let headings: Vec<&str> = answer.out.lines().filter(|line| line.starts_with("==>")).collect();
    assert_eq!(headings, ["==> logs.tgz/node3/rank0.log <==", "==> logs.tgz/b.log <=="]);
    assert_eq!((answer.code, answer.err.as_str()), (0, "note: 1 member of `logs.tgz` is not text: core\n"));
    let lines = place.run("--no-probe --json logs.tgz", "").out;
    let names: Vec<String> = lines
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON")["input"].to_string())
        .collect();
    assert_eq!(names, ["\"logs.tgz/node3/rank0.log\"", "\"logs.tgz/b.log\""]);
    // The names that are shown can be typed.
    let one = place.run("--no-probe logs.tgz/b.log", "");
    assert_eq!((one.code, one.out), (1, place.run("--no-probe -", UNLISTED).out));
    let none = place.run("--no-probe logs.tgz/gone.log", "");
    assert!(none.code == 2 && none.err.starts_with("error: `logs.tgz` has no log `gone.log`"), "{}", none.err);
    let new = place.run("--no-probe new --stdout logs.tgz", "");
    assert!(new.code == 2 && new.err.contains("holds 2 logs: ") && new.err.contains("for example"), "{}", new.err);
    assert!(place.run("--no-probe new --stdout logs.tgz/b.log", "").out.starts_with("---\n"));
}

#[test]
fn a_cut_log_is_answered_with_a_note() {
    let place = Place::new();
    let text = format!("{ENGINE}{}", (0..9000).map(|n| format!("line {}\n", n * 7919 % 1000)).collect::<String>());
    let packed = gzip(text.as_bytes());
    let answer = place.run("--no-probe -", &packed[..packed.len() / 2]);
    assert_eq!(answer.code, 0);
    assert!(
        answer.out.contains("Note: the gzip data ends early: only what comes before that was read"),
        "{}",
        answer.out
    );
    let answer = place.run("--no-probe -", &packed[..12]);
    assert_eq!((answer.code, answer.out.as_str()), (2, ""));
    assert!(
        answer.err.starts_with("error: nothing could be read from standard input: the gzip data"),
        "{}",
        answer.err
    );
}

#[test]
fn the_format_and_the_length_of_an_answer_have_short_options() {
    let place = Place::new();
    for command in ["diagnose --no-probe -", "list", "search oom", "show oom", "stats", "templates", "index"] {
        let json = place.run(&format!("{command} --json"), ENGINE).out;
        assert_eq!(json, place.run(&format!("{command} -f json"), ENGINE).out, "{command}");
        let verbose = place.run(&format!("{command} -v"), ENGINE);
        assert!(verbose.code < 2, "{command}: {}", verbose.err);
    }
    let [short, long] = ["-", "-v -"].map(|options| place.run(&format!("--no-probe {options}"), ENGINE).out);
    assert!(long.lines().count() > short.lines().count() && !long.contains("less likely one"), "{long}");
    let both = place.run("list --json --format markdown", "");
    assert!(both.code == 2 && both.err.contains("different formats"), "{}", both.err);
}
