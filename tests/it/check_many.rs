//! The promise of `check` over a folder of several hundred messy reports: true findings only, none missed, no crash;
//! `--fix` changes the lines it names and no other byte, and a second `--fix` changes nothing.
//!
//! The folder is composed here from a seed: sound reports in many styles, with neutral mess (line breaks, byte order
//! marks, fences full of rules and headings, tables, other languages) and with mistakes whose rule, line and fixed
//! line the generator knows. The answer is compared exactly.

mod compose;
mod mistakes;
mod styles;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use assert_cmd::Command;

use compose::Composed;

/// Findings by file: rule and line.
type Findings = BTreeMap<String, BTreeSet<(String, u64)>>;

/// Runs `faultbook check` over the folder; its findings.
fn check(root: &Path, arguments: &[&str]) -> Findings {
    let output = Command::cargo_bin("faultbook")
        .expect("the binary")
        .current_dir(root)
        .env("XDG_CACHE_HOME", root.join("cache"))
        .args(["check", "--format", "json"])
        .args(arguments)
        .output()
        .expect("runs");
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&output.stderr));
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let mut found = Findings::new();
    for finding in answer["findings"].as_array().expect("a list") {
        let text = |key: &str| finding[key].as_str().expect("a word").to_owned();
        assert!(finding["column"].as_u64().is_some_and(|column| column > 0), "{finding}");
        let line = finding["line"].as_u64().expect("a line");
        found.entry(text("path")).or_default().insert((text("rule"), line));
    }
    found
}

/// What differs, one line each.
fn differences(expected: &Findings, seen: &Findings) -> Vec<String> {
    let mut out = Vec::new();
    let none = BTreeSet::new();
    let files: BTreeSet<&String> = expected.keys().chain(seen.keys()).collect();
    for file in files {
        let (expected, seen) = (expected.get(file).unwrap_or(&none), seen.get(file).unwrap_or(&none));
        out.extend(expected.difference(seen).map(|(rule, line)| format!("missed: {file}:{line} {rule}")));
        out.extend(seen.difference(expected).map(|(rule, line)| format!("false: {file}:{line} {rule}")));
    }
    out
}

fn write(root: &Path, all: &[Composed]) {
    for one in all {
        let path = root.join(&one.path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, &one.before.bytes).expect("a file");
    }
}

fn findings(all: &[Composed], which: impl Fn(&Composed) -> &compose::State) -> Findings {
    let of = |one: &Composed| {
        let found = which(one).findings.iter().map(|(rule, line)| ((*rule).to_owned(), *line)).collect();
        (one.path.clone(), found)
    };
    all.iter().map(of).filter(|(_, found): &(String, BTreeSet<_>)| !found.is_empty()).collect()
}

#[test]
fn several_hundred_messy_reports() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    fs::create_dir(root.join(".git")).expect("a folder");
    let all = compose::folder(480);
    assert!(all.len() >= 400);
    write(root, &all);
    fs::write(root.join("docs/bug_reports/INDEX.md"), "# Bug reports\n| Id |\n| --- |\n| [x](gone.md) |\n")
        .expect("a file");

    let wrong = differences(&findings(&all, |one| &one.before), &check(root, &[]));
    assert!(
        wrong.is_empty(),
        "{} wrong of {} reports:\n{}",
        wrong.len(),
        all.len(),
        wrong[..wrong.len().min(60)].join("\n")
    );

    let left = check(root, &["--fix", "--fix-removals"]);
    for one in &all {
        let bytes = fs::read(root.join(&one.path)).expect("a file");
        assert!(
            bytes == one.after.bytes,
            "{} is not as it should be after --fix:\n{}\n--- expected\n{}",
            one.path,
            String::from_utf8_lossy(&bytes),
            String::from_utf8_lossy(&one.after.bytes)
        );
    }
    let wrong = differences(&findings(&all, |one| &one.after), &left);
    assert!(wrong.is_empty(), "after --fix:\n{}", wrong[..wrong.len().min(60)].join("\n"));

    assert_eq!(check(root, &["--fix", "--fix-removals"]), left, "a second --fix finds the same");
    for one in &all {
        assert!(fs::read(root.join(&one.path)).expect("a file") == one.after.bytes, "{}: a second --fix", one.path);
    }
}

/// Every item of the promise is in the folder, often enough to mean something.
#[test]
fn the_folder_holds_every_mistake() {
    let all = compose::folder(480);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (rule, _) in all.iter().flat_map(|one| &one.before.findings) {
        *counts.entry(rule).or_default() += 1;
    }
    for rule in mistakes::RULES {
        assert!(counts.get(rule).is_some_and(|count| *count >= 3), "{rule}: {counts:?}");
    }
    let clean = all.iter().filter(|one| one.before.findings.is_empty()).count();
    assert!(clean >= 60, "{clean} sound ones");
    let fixed = all.iter().filter(|one| one.before.bytes != one.after.bytes).count();
    assert!(fixed >= 100, "{fixed} that are fixed");
    let ids: BTreeSet<&str> = all.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(ids.len(), all.len());
    let again = compose::folder(480);
    assert!(all.iter().zip(&again).all(|(a, b)| a.before.bytes == b.before.bytes), "the same seed, the same folder");
}
