//! `check`: what it reads, how it answers, and what it writes.

use crate::place::Place;

const SOUND: &str = "\
---
title: \"It stops\"
date: \"2026-01-02\"
type: bug_report
status: open
bug_id: BUG-20260102-001
---
# Bug Report: It stops

## Summary
It stops at its first step.

## Environment
- **GPU:** RTX 3060

## Steps to Reproduce
1. Run it.

## Expected Behavior
It runs.

## Actual Behavior
It stops.
";

#[test]
fn a_clean_project_is_clean() {
    let place = Place::new();
    place.file("docs/bug_reports/BUG-20260102-001.md", SOUND);
    place.file("docs/bug_reports/README.md", "# Reports\n[dead](link.md)\n");
    for arguments in ["check", "check docs", "check docs/bug_reports/BUG-20260102-001.md", "check --fix"] {
        let answer = place.run(arguments, "");
        assert_eq!((answer.code, answer.out.as_str()), (0, "1 report: nothing to fix\n"), "{arguments} {}", answer.err);
    }
}

#[test]
fn findings_have_a_place_in_every_format() {
    let place = Place::new();
    place.file("docs/bug_reports/BUG-20260102-001.md", SOUND.replace("It runs.", "TBD"));
    let answer = place.run("check", "");
    let expected = "\
docs/bug_reports/BUG-20260102-001.md:20:1  todo: still to be written in Expected Behavior: TBD
1 report: 0 errors, 1 warning
";
    assert_eq!((answer.code, answer.out.as_str()), (1, expected));
    let long = place.run("check --long", "").out;
    assert!(long.contains("  20 | TBD\n     | ^^^\n"), "{long}");
    let counted = place.run("check --statistics", "").out;
    assert_eq!(counted, "    1  todo\n1 report: 0 errors, 1 warning\n");
    assert_eq!(place.run("check --ignore todo", "").out, "1 report: nothing to fix\n");
    assert_eq!(place.run("check --select dead-link", "").code, 0);
    let unknown = place.run("check --select link-dead", "");
    assert!(unknown.code == 2 && unknown.err.contains("similar: dead-link"), "{}", unknown.err);
    let json = place.run("check --format json", "").json();
    assert_eq!((&json["schema"], &json["findings"][0]["line"]), (&"faultbook/findings/1".into(), &20.into()));
    let sarif = place.run("check --format sarif", "").json();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "todo");
    let github = place.run("check --format github", "");
    assert!(github.out.starts_with("::warning file=docs/bug_reports/BUG-20260102-001.md,line=20,"), "{}", github.out);
    assert_eq!(place.run("check --format markdown", "").code, 2);
    assert_eq!(place.run("list --format sarif", "").code, 2);
}

#[test]
fn fixing_writes_what_it_names_and_keeps_the_rest() {
    let place = Place::new();
    let messy = SOUND
        .replace("status: open", "status: Open")
        .replace("date: \"2026-01-02\"", "date: 2026/1/2")
        .replace('\n', "\r\n");
    let messy = messy.replace("It runs.", "It runs. TODO  ");
    let file = place.file("docs/bug_reports/BUG-20260102-001.md", &messy);
    let bytes =
        [b"---\r\ntitle: x\r\nstatus: Open\r\ndate: 2026-01-02\r\n---\r\n## Summary\r\n\xff\xfe caf\xe9\r\n"
            .as_slice()]
        .concat();
    let other = place.file("docs/bug_reports/BUG-20260102-002.md", &bytes);
    let answer = place.run("check --fix", "");
    assert_eq!(answer.code, 1, "{}", answer.out);
    let right = messy.replace("status: Open", "status: open").replace("2026/1/2", "2026-01-02");
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), right);
    assert_eq!(std::fs::read(&other).expect("a file"), bytes, "what is not UTF-8 is not written");
    let beside: Vec<_> = std::fs::read_dir(file.parent().expect("a folder")).expect("a folder").flatten().collect();
    assert_eq!(beside.len(), 2, "no file is left behind");
    let second = place.run("check --fix docs/bug_reports/BUG-20260102-001.md", "");
    assert_eq!((second.code, second.out.as_str()), (0, "1 report: nothing to fix\n"));
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), right);
}

#[test]
fn a_teams_own_pages_are_checked() {
    let place = Place::new();
    place.file("faultbook.toml", "[book]\npaths = [\"kb\"]\n");
    place.file("kb/faults/frob/frob-dry.md", "---\ntitle: Dry\nseverity: high\n---\n# Dry\n");
    let answer = place.run("check", "");
    assert_eq!(answer.code, 1);
    assert!(answer.out.contains("kb/faults/frob/frob-dry.md:"), "{}", answer.out);
}

#[test]
fn a_number_given_twice_is_mended_on_request() {
    let place = Place::new();
    let (folder, id) = ("docs/bug_reports", "BUG-20260102-001");
    place.file("docs/bug_reports/BUG-20260102-001.md", SOUND);
    let later = SOUND
        .replace("2026-01-02", "2026-01-05")
        .replace("It stops", "Every value of the loss is NaN from step 120 on, and it stops");
    let words: Vec<String> = (0..80).map(|n| format!("later{n}")).collect();
    let later = format!("{later}\n{}\n", words.join(" "));
    place.file("docs/bug_reports/BUG-20260102-001-nan.md", &later);
    let found = place.run("check", "");
    assert!(found.out.contains(&format!("duplicate-id: {id} is also the id of {folder}/{id}")), "{}", found.out);
    let diff = place.run("check --renumber --diff", "");
    assert_eq!(diff.code, 1, "{}", diff.err);
    assert!(
        diff.out.contains(&format!("--- {folder}/{id}-nan.md\n+++ {folder}/BUG-20260102-002-nan.md\n")),
        "{}",
        diff.out
    );
    assert_eq!(std::fs::read_to_string(place.path().join(format!("{folder}/{id}-nan.md"))).expect("there"), later);
    let done = place.run("check --renumber", "");
    assert!(done.err.contains("BUG-20260102-001 is now BUG-20260102-002"), "{}", done.err);
    assert!(!done.out.contains("duplicate-id"), "{}", done.out);
    let text = std::fs::read_to_string(place.path().join(format!("{folder}/BUG-20260102-002-nan.md"))).expect("moved");
    assert_eq!(text, later.replace(id, "BUG-20260102-002"));
}

#[test]
fn a_projects_own_scheme_is_kept() {
    let place = Place::new();
    place.file(
        "faultbook.toml",
        "[reports]\npaths = [\"bugs\"]\nid = \"INFRA_{nnnn}\"\nfile_name = \"{id}-{slug}.md\"\n",
    );
    let own = SOUND.replace("BUG-20260102-001", "INFRA_0042");
    place.file("bugs/INFRA_0042-it-stops.md", &own);
    assert_eq!(place.run("check", "").out, "1 report: nothing to fix\n");
    let other = own
        .replace("It stops at", "After INFRA_0042 and INFRA_0099 it stops at")
        .replace("bug_id: INFRA_0042", "bug_id: infra-43");
    let file = place.file("bugs/INFRA_0043-again.md", &other);
    place.file("bugs/crash.md", own.replace("INFRA_0042", "BUG-20260102-001"));
    place.file("bugs/INFRA_0044-copy.md", &own);
    let answer = place.run("check --format json", "").json();
    let found: Vec<String> = answer["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| {
            format!(
                "{}:{} {}",
                one["path"].as_str().expect("a path"),
                one["line"],
                one["rule"].as_str().expect("a rule")
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            "bugs/INFRA_0043-again.md:6 id-spelling",
            "bugs/INFRA_0043-again.md:11 unknown-report",
            "bugs/INFRA_0044-copy.md:6 copied-report",
            "bugs/INFRA_0044-copy.md:6 id-file-name",
            "bugs/crash.md:1 file-name",
            "bugs/crash.md:6 id-scheme",
        ]
    );
    place.run("check --fix", "");
    assert_eq!(std::fs::read_to_string(file).expect("a file"), other.replace("infra-43", "INFRA_0043"));
    place.file("faultbook.toml", "[reports]\npaths = [\"bugs\"]\nid = \"INFRA\"\n");
    let wrong = place.run("check", "");
    assert!(wrong.code == 2 && wrong.err.contains("needs one number"), "{}", wrong.err);
}

#[test]
fn wrong_use_gets_a_message() {
    let place = Place::new();
    for (arguments, words) in
        [("check", "nothing to check"), ("check no-such", "no such file"), ("check --texts gone .", "gone")]
    {
        let answer = place.run(arguments, "");
        assert_eq!((answer.code, answer.out.as_str()), (2, ""), "{arguments}");
        assert!(answer.err.contains(words), "{arguments}: {}", answer.err);
    }
}
