//! CONTRIBUTING.md says for each kind of contribution what it touches. Its paths exist, its commands run something, and
//! what it calls data is enough: no Rust changes.

use std::fs;
use std::path::Path;

use crate::place::Place;

/// The kinds of contributions that a newcomer looks for, and where a test does them literally.
const WALKS: &[(&str, &str)] = &[
    ("Adding a fault page", "tests/it/contributing.rs"),
    ("Adding a fact", "tests/it/facts.rs"),
    ("Adding a case", "tests/labelled.rs"),
    ("Adding a name that a package removed or renamed", "src/removed/mod.rs"),
    ("Adding a resolved case", "tests/it/contributing.rs"),
    ("Adding an ordinary error", "src/diagnosis/unlisted/entries.rs"),
    ("Adding a kind of problem that people describe", "src/descriptions/mod.rs"),
    ("Adding a package", "src/incident/tests.rs"),
    ("Adding a wording", "src/incident/tests.rs"),
    ("Adding a platform", "src/diagnosis/platform_tests.rs"),
    ("Adding a log prefix", "src/text/prefix/mod.rs"),
    ("Adding an output format", "tests/it/contributing.rs"),
    ("Adding a text format", "tests/it/properties.rs"),
    ("Adding a GPU, a driver or an architecture", "src/book/hardware.rs"),
    ("Adding an error prefix, a tool or a library of a vendor", "src/incident/tests.rs"),
    ("Adding a vendor", "src/machine/vendor_tests.rs"),
];

#[test]
fn every_walk_is_there_and_names_what_exists() {
    let text = fs::read_to_string("CONTRIBUTING.md").expect("the guide");
    let headings: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    for (walk, test) in WALKS {
        assert!(headings.contains(walk), "CONTRIBUTING.md has no `{walk}`");
        let code = fs::read_to_string(test).unwrap_or_else(|error| panic!("{test}: {error}"));
        assert!(code.contains("#[test]") || code.contains("Trial::test"), "{test} tests nothing");
    }
    for heading in headings.iter().filter(|heading| heading.starts_with("Adding")) {
        assert!(WALKS.iter().any(|(walk, _)| walk == heading), "`{heading}` has no test in tests/it/contributing.rs");
    }
    for path in text.split('`').skip(1).step_by(2).filter(|code| is_path(code)) {
        assert!(Path::new(path).exists(), "CONTRIBUTING.md names {path}");
    }
}

fn is_path(code: &str) -> bool {
    let rooted = ["src/", "kb/", "tests/", "docs/", "templates/", "schemas/"].iter().any(|root| code.starts_with(root));
    rooted && !code.contains(['<', '*', '{', ' '])
}

/// A fault is one file: a project's own page, laid out as the guide says, answers at once.
#[test]
fn a_fault_is_one_file() {
    let place = Place::new();
    place.file("faultbook.toml", "[book]\npaths = [\"faults\"]\n");
    place.file(
        "faults/faults/data/ledger-locked.md",
        "---\ntitle: The ledger is locked\nseverity: high\nsignatures:\n  - contains: \"ledger is locked by another trainer\"\n\
         causes:\n  - id: peer-failed\n    title: Another trainer kept the lock\n    prior: common\n---\n\
         # The ledger is locked\n\n## Meaning\nTwo trainers use one ledger.\n\n## Example\n```text\n\
         RuntimeError: ledger is locked by another trainer\n```\n\n## Causes\n\n### peer-failed\nIt died with the lock.\n\n\
         **Check.** List the trainers.\n\n**Fix.**\n1. Remove the lock file.\n",
    );
    let answer = place.run("--no-probe -", "RuntimeError: ledger is locked by another trainer\n");
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(
        answer.out.contains("The ledger is locked") && answer.out.contains("emove the lock file"),
        "{}",
        answer.out
    );
}

/// A format is a variant of its command's enum: a wrong one is answered with the list, and each on the list writes
/// something of its own.
#[test]
fn every_format_of_a_command_writes_an_answer_of_its_own() {
    let place = Place::new();
    place.file("run.log", crate::place::ENGINE);
    place.file("docs/bug_reports/BUG-20260101-001.md", "---\nid: BUG-20260101-001\nstatus: perhaps\n---\n# TODO\n");
    for command in ["diagnose run.log", "check docs/bug_reports/BUG-20260101-001.md"] {
        let refused = place.run(&format!("{command} --format none-of-these"), "").err;
        let listed = refused.split("possible values: ").nth(1).and_then(|rest| rest.split(']').next());
        let formats: Vec<&str> = listed.unwrap_or_default().split(", ").collect();
        assert!(formats.len() >= 4, "{command}: {refused}");
        let mut written: Vec<String> = Vec::new();
        for format in formats {
            let answer = place.run(&format!("{command} --format {format}"), "");
            assert!(answer.code < 2 && !answer.out.is_empty(), "{command} --format {format}: {}", answer.err);
            assert!(!written.contains(&answer.out), "{command} --format {format} writes what another format does");
            written.push(answer.out);
        }
    }
}

/// A resolved case is one entry of data: the ranking of its page counts it.
#[test]
fn a_resolved_case_counts() {
    let written = fs::read_to_string("kb/cases/oom.toml").expect("the cases").matches("[[case]]").count();
    let shown = Place::new().run("show oom --why --format json", "").out;
    let why: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
    assert_eq!((why["schema"].as_str(), why["cases"].as_u64()), (Some("faultbook/why/1"), Some(written as u64)));
    let counted: u64 =
        why["causes"].as_array().expect("causes").iter().filter_map(|cause| cause["cases"].as_u64()).sum();
    assert!(counted > 0 && counted <= written as u64, "{shown}");
}

/// So is a labelled post.
#[test]
fn a_labelled_post_counts() {
    let posts = fs::read_to_string("kb/threads/open.jsonl").expect("the posts");
    let posts: Vec<serde_json::Value> = posts.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let why: serde_json::Value =
        serde_json::from_str(&Place::new().run("show oom --why --format json", "").out).expect("JSON");
    let causes = why["causes"].as_array().expect("causes");
    for cause in causes {
        let written = posts.iter().filter(|post| post["fault"] == "oom" && post["cause"] == cause["id"]).count();
        assert_eq!(cause["posts"].as_u64(), Some(written as u64), "{cause}");
    }
    assert!(why["posts"].as_u64() > Some(50), "{why}");
}
