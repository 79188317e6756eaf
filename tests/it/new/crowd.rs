//! Many at once: every process gets an id of its own and writes a whole file.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};

use super::report::project;
use crate::place::ENGINE;

#[test]
fn fifty_processes_get_fifty_ids_and_fifty_whole_files() {
    let place = project();
    let log = place.file("run.log", ENGINE);
    let started: Vec<_> = (0..50)
        .map(|_| {
            Command::new(assert_cmd::cargo::cargo_bin!("faultbook"))
                .current_dir(place.path())
                .env("XDG_CACHE_HOME", place.path().join("cache"))
                .args(["new", "--no-probe", "--no-input", "--date", "2025-11-10"])
                .arg(&log)
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("starts")
        })
        .collect();
    let mut paths = BTreeSet::new();
    let mut ids = BTreeSet::new();
    for process in started {
        let output = process.wait_with_output().expect("ends");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let path = place.path().join(String::from_utf8(output.stdout).expect("UTF-8").trim_end());
        let text = fs::read_to_string(&path).expect("written");
        assert!(text.starts_with("---\n") && text.trim_end().ends_with('*'), "whole: {text}");
        let id = text.lines().find_map(|line| line.strip_prefix("bug_id: ")).expect("an id").to_owned();
        assert!(path.to_string_lossy().contains(id.trim_matches('"')), "{id} in {path:?}");
        ids.insert(id);
        paths.insert(path);
    }
    assert_eq!((ids.len(), paths.len()), (50, 50));
    let left = fs::read_dir(place.path().join("docs/bug_reports")).expect("a folder").count();
    assert_eq!(left, 51, "nothing but the reports and the README");
}
