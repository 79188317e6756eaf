//! Colour, width, pipes that close, homes that cannot be written.

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};

use textwrap::core::display_width;

use crate::place::{Answer, ENGINE, Place};

#[test]
fn colour_only_where_it_is_wanted() {
    let place = Place::new();
    let colored = |arguments: &[&str], variables: &[(&str, &str)]| {
        let output = place.command().args(arguments).envs(variables.iter().copied()).write_stdin(ENGINE).output();
        Answer::of(&output.expect("runs")).out.contains('\u{1b}')
    };
    assert!(!colored(&[], &[]), "into a pipe");
    assert!(!colored(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    assert!(colored(&["--color", "always"], &[("NO_COLOR", "1")]), "an option outweighs the environment");
    assert!(colored(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!colored(&[], &[("NO_COLOR", "1")]));
    assert!(!colored(&["--format", "json", "--color", "always"], &[]));
    assert!(!colored(&["--format", "markdown", "--color", "always"], &[]));
}

#[test]
fn lines_keep_to_the_width() {
    let place = Place::with_report();
    for width in [60, 80, 120] {
        let answer = place.run(&format!("--width {width}"), ENGINE);
        // A word of a command is never broken: what is copied must run.
        let breakable = |line: &&str| line.trim().trim_end_matches(" \\").contains(' ');
        for line in answer.out.lines().filter(breakable) {
            assert!(display_width(line) <= width, "{width}: {line}");
        }
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let place = Place::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_faultbook"))
        .args(["show", "illegal-address"])
        .env("XDG_CACHE_HOME", place.path())
        .current_dir(place.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("runs");
    drop(child.stdout.take());
    let mut complaint = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut complaint).expect("text");
    assert_eq!((child.wait().expect("ends").code(), complaint.as_str()), (Some(0), ""));
}

#[test]
fn standard_input_that_comes_slowly_is_read_to_its_end() {
    let place = Place::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_faultbook"))
        .env("XDG_CACHE_HOME", place.path())
        .current_dir(place.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    for piece in ENGINE.as_bytes().chunks(60) {
        stdin.write_all(piece).expect("written");
        stdin.flush().expect("written");
    }
    drop(stdin);
    let output = child.wait_with_output().expect("ends");
    assert!(Answer::of(&output).out.contains("cudnn-no-engine"));
}

#[test]
fn a_home_that_cannot_be_used_costs_only_the_cache() {
    let place = Place::with_report();
    // A file where the folder should be: not even root can write below it.
    let blocked = place.file("blocked", "");
    for (name, value) in [("XDG_CACHE_HOME", Some(blocked.as_path())), ("HOME", None)] {
        let mut command = place.command();
        command.env_remove("XDG_CACHE_HOME").env("HOME", &blocked);
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name).env("XDG_CACHE_HOME", "relative/is/ignored"),
        };
        let output = command.args(["--format", "json"]).write_stdin(ENGINE).output().expect("runs");
        let answer = Answer::of(&output);
        assert_eq!((answer.code, answer.err.as_str()), (0, ""), "{name}");
        assert_eq!(answer.json()["reports"][0]["id"], "BUG-20260101-007", "{name}");
    }
}

#[test]
fn two_processes_at_once_do_no_harm() {
    let place = Place::with_report();
    let mut children: Vec<_> = (0..4)
        .map(|_| {
            Command::new(env!("CARGO_BIN_EXE_faultbook"))
                .args(["list", "--no-builtin"])
                .env("XDG_CACHE_HOME", place.path().join("cache"))
                .current_dir(place.path())
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .spawn()
                .expect("runs")
        })
        .collect();
    for child in children.drain(..) {
        let output = child.wait_with_output().expect("ends");
        assert!(Answer::of(&output).out.contains("BUG-20260101-007"));
    }
}
