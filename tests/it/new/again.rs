//! The same failure once more: said before a second report is written, added to the first on request; and a status that
//! changes without touching another byte.

use std::fs;

use super::report::{SECOND_RUN, facts, project, written};
use crate::place::{ENGINE, Place, REPORT, UNLISTED};

fn git(place: &Place, arguments: &[&str]) {
    let output = std::process::Command::new("git")
        .current_dir(place.path())
        .args(["-c", "user.name=a", "-c", "user.email=a@example.org"])
        .args(arguments)
        .output()
        .expect("git is there");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_likely_duplicate_is_named_with_its_likeness_and_what_is_alike() {
    let place = project();
    for text in [SECOND_RUN, UNLISTED] {
        let first = place.run("new - --no-probe", text);
        assert!(!first.err.contains("this looks like"), "{}", first.err);
        let second = place.run("new - --no-probe", text);
        let (path, _) = written(&place, &first.out);
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        let id = name.get(..16).expect("an id");
        assert!(second.err.contains(&format!("this looks like {id} (0.")), "{}", second.err);
        assert!(second.err.contains(&format!("--append {id}")), "{}", second.err);
        assert!(second.err.contains("same frames"), "{}", second.err);
        // Reported, and written all the same: without a terminal there are no questions.
        assert_ne!(first.out, second.out);
    }
    // Of several that are equally alike it is the first, every time.
    for _ in 0..3 {
        let again = place.run("new - --no-probe", SECOND_RUN);
        assert!(again.err.contains("-001 (0."), "{}", again.err);
    }
    let json = place.run("new - --no-probe --stdout --format json", SECOND_RUN).json();
    assert_eq!(json["looks_like"]["relation"], "same fault, same frames");
    assert_eq!(json["written"], false);
}

#[test]
fn two_occurrences_of_one_minute_are_two() {
    let place = Place::with_report();
    for _ in 0..2 {
        let answer = place.run("new - --append BUG-20260101-007 --no-probe --date 2026-03-04T05:06", ENGINE);
        assert_eq!(answer.code, 0, "{}", answer.err);
    }
    let stats = place.run("stats --json", "").json();
    assert_eq!((&stats["recurring"][0]["times"], &stats["occurrences"]), (&3.into(), &3.into()), "{stats}");
    // A copy of the report tells of the same ones.
    let text = fs::read_to_string(place.path().join("docs/bug_reports/BUG-20260101-007.md")).expect("a report");
    place.file("docs/bug_reports/archive/BUG-20260101-007.md", text);
    let stats = place.run("stats --json", "").json();
    assert_eq!(stats["recurring"][0]["times"], 3, "{stats}");
}

#[test]
fn another_failure_is_no_duplicate() {
    let place = Place::with_report();
    let answer = place.run("new - --no-probe", UNLISTED);
    assert!(!answer.err.contains("this looks like"), "{}", answer.err);
}

#[test]
fn an_occurrence_is_added_and_every_other_byte_stays() {
    let place = Place::with_report();
    git(&place, &["init", "-q"]);
    place.file(".gitignore", "cache\n");
    place.file("models/fpn.py", "");
    git(&place, &["add", "."]);
    git(&place, &["commit", "-qm", "the start"]);
    let facts = facts();
    let answer = place
        .run(&format!("new - --append BUG-20260101-007 --facts {} --date 2026-02-03T04:05", facts.display()), ENGINE);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let (_, text) = written(&place, &answer.out);
    let added = text.strip_prefix(REPORT).expect("what was there stays");
    for part in [
        "## Occurrences\n",
        "### 2026-02-03 04:05",
        "- **Commit:** `",
        "NVIDIA GeForce RTX 3060",
        "- **Came back:** the status of this report was resolved",
    ] {
        assert!(added.contains(part), "{part} is not in\n{added}");
    }
    let answer = place.run("new - --append BUG-20260101-007 --no-probe --date 2026-03-04", ENGINE);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let (_, twice) = written(&place, &answer.out);
    assert!(twice.starts_with(text.trim_end()), "{twice}");
    assert_eq!(twice.matches("## Occurrences").count(), 1, "{twice}");
    let unknown = place.run("new - --append BUG-19990101-001 --no-probe", ENGINE);
    assert_eq!(unknown.code, 2);
    assert!(unknown.err.contains("has no report `BUG-19990101-001`"), "{}", unknown.err);
}

#[test]
fn a_status_changes_alone_and_with_its_commit() {
    let place = Place::with_report();
    git(&place, &["init", "-q"]);
    place.file(".gitignore", "cache\n");
    git(&place, &["add", "."]);
    git(&place, &["commit", "-qm", "the fix"]);
    let answer = place.run("status BUG-20260101-007 open --commit HEAD", "");
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.out.contains("resolved -> open"), "{}", answer.out);
    let text = fs::read_to_string(place.path().join("docs/bug_reports/BUG-20260101-007.md")).expect("there");
    let changed: Vec<&str> = text.lines().filter(|line| !REPORT.lines().any(|old| old == *line)).collect();
    assert_eq!(changed.len(), 2, "{changed:?}");
    assert_eq!(changed[0], "status: open");
    assert!(changed[1].starts_with("commit: \""), "{changed:?}");
    assert_eq!(text.lines().count(), REPORT.lines().count() + 1);
    for (line, wanted) in [
        ("status BUG-20260101-007 sleeping", "a status is one of"),
        ("status BUG-20260101-007 open --commit nowhere", "nowhere"),
        ("status BUG-1 open", "has no report"),
    ] {
        let answer = place.run(line, "");
        assert_eq!(answer.code, 2, "{line}");
        assert!(answer.err.contains(wanted), "{line}: {}", answer.err);
    }
    assert_eq!(fs::read_to_string(place.path().join("docs/bug_reports/BUG-20260101-007.md")).expect("there"), text);
}

#[test]
fn of_two_reports_with_one_id_each_is_reached_by_its_file() {
    let place = Place::with_report();
    let other = "---\ntitle: The loss is NaN\nbug_id: BUG-20260101-007\nstatus: resolved\n---\n# The loss is NaN\n\n## Summary\n\nFrom step 120 on every value of the loss is NaN.\n";
    place.file("docs/bug_reports/BUG-20260101-007-nan.md", other);
    let both = place.run("status BUG-20260101-007 open", "");
    assert_eq!(both.code, 2);
    let hint = "name one by its file: docs/bug_reports/BUG-20260101-007-nan.md, docs/bug_reports/BUG-20260101-007.md";
    assert!(both.err.contains(hint), "{}", both.err);
    let one = place.run("status docs/bug_reports/BUG-20260101-007-nan.md open", "");
    assert!(one.out.contains("resolved -> open (docs/bug_reports/BUG-20260101-007-nan.md)"), "{}{}", one.out, one.err);
    let added = place.run("new - --no-probe --append docs/bug_reports/BUG-20260101-007-nan.md", ENGINE);
    assert_eq!(added.out.trim_end(), "docs/bug_reports/BUG-20260101-007-nan.md", "{}", added.err);
    let other = fs::read_to_string(place.path().join("docs/bug_reports/BUG-20260101-007.md")).expect("there");
    assert_eq!(other, REPORT);
}

#[test]
fn of_copies_the_one_that_people_work_with_is_changed() {
    let place = Place::with_report();
    place.file("docs/bug_reports/archive/BUG-20260101-007.md", REPORT);
    let changed = place.run("status BUG-20260101-007 open", "");
    assert!(changed.out.contains("resolved -> open (docs/bug_reports/BUG-20260101-007.md)"), "{}", changed.err);
    let remark = "`BUG-20260101-007` is docs/bug_reports/BUG-20260101-007.md; its copy is left as it is: \
                  docs/bug_reports/archive/BUG-20260101-007.md";
    assert!(changed.err.contains(remark), "{}", changed.err);
    let added = place.run("new - --no-probe --append BUG-20260101-007", ENGINE);
    assert_eq!(added.out.trim_end(), "docs/bug_reports/BUG-20260101-007.md", "{}", added.err);
    let archived =
        fs::read_to_string(place.path().join("docs/bug_reports/archive/BUG-20260101-007.md")).expect("there");
    assert_eq!(archived, REPORT);
    let shown = place.run("show BUG-20260101-007", "");
    assert!(shown.out.contains("+1 copy: docs/bug_reports/archive/BUG-20260101-007.md"), "{}", shown.out);
    let one = place.run("status docs/bug_reports/archive/BUG-20260101-007.md archived", "");
    assert!(one.out.contains("(docs/bug_reports/archive/BUG-20260101-007.md)"), "{}{}", one.out, one.err);
}

#[test]
fn a_time_that_is_none_is_refused() {
    let place = project();
    let empty = place.command().args(["new", "-", "--title", ""]).output().expect("runs");
    assert_eq!(empty.status.code(), Some(2));
    for date in ["2025-11-10T25:00", "2025-02-30", "soon"] {
        let answer = place.run(&format!("new - --no-probe --date {date}"), ENGINE);
        assert_eq!((answer.code, answer.out.as_str()), (2, ""), "{date}");
    }
}
