//! The code of a report is that of the run, and what is only supposed is no evidence.

use crate::place::{ENGINE, Place};

fn git(place: &Place, arguments: &[&str]) {
    let mut git = std::process::Command::new("git");
    git.current_dir(place.path()).args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(arguments);
    assert!(git.output().expect("git is there").status.success(), "{arguments:?}");
}

#[test]
fn the_commit_is_that_of_the_run() {
    const HASH: &str = "3af9fa878e73b6894ce3596450a8d9b89d918ca9";
    let place = Place::new();
    place.file(".gitignore", "cache\n");
    for arguments in [&["init", "-q", "-b", "main"][..], &["add", "."], &["commit", "-qm", "the start"]] {
        git(&place, arguments);
    }
    let draft = |log: &str| place.run("new - --no-probe --stdout", log).out;
    // Nothing that the log names is here.
    let text = draft(ENGINE);
    assert!(
        text.contains("- **Commit:** TODO: the commit of the code (no file that the log names is in this folder)"),
        "{text}"
    );
    assert!(text.contains("1. TODO: say which version of the code to check out."), "{text}");
    let named = draft(&format!("git:\n  sha: {HASH}, status: clean, branch: fpn/wide\n{ENGINE}"));
    assert!(
        named.contains("- **Commit:** `3af9fa878` on `fpn/wide`, no tracked file changed (line 2 of the log)\n"),
        "{named}"
    );
    assert!(named.contains("1. Check out `3af9fa878`.\n"), "{named}");
    let named = draft(&format!("INFO git commit: {HASH} (dirty)\n{ENGINE}"));
    assert!(named.contains("- **Commit:** `3af9fa878`, with uncommitted changes (line 1 of the log)\n"), "{named}");
    // The same code in another folder of the machine.
    place.file("models/fpn.py", "");
    let text = draft(ENGINE);
    assert!(text.contains("` on `main`, no tracked file changed (checked out when this was written)\n"), "{text}");
    let text = draft(&format!("$ git status\nOn branch fpn/wide\n{ENGINE}"));
    assert!(text.contains("(the log names the branch `fpn/wide`, which is not checked out here)"), "{text}");
}

#[test]
fn a_draft_is_no_evidence() {
    let place = Place::new();
    let causes = |place: &Place| place.run("- --no-probe --format json", ENGINE).json()["causes"].clone();
    let before = causes(&place);
    std::fs::create_dir_all(place.path().join("docs/bug_reports")).expect("a folder");
    let path = place.run("new - --no-probe", ENGINE).out;
    let drafted = place.path().join(path.trim());
    let text = std::fs::read_to_string(&drafted).expect("a report");
    assert!(text.contains("TODO: confirm the cause") && text.contains("#### Hypothesis 1: "), "{text}");
    let after = place.run("- --no-probe --format json", ENGINE).json();
    assert_eq!(after["causes"], before);
    // The report is named, but what it proposes are words of Faultbook.
    assert_eq!(after["reports"][0]["solution"], serde_json::Value::Null, "{}", after["reports"]);
    // Once somebody found the cause, it is evidence.
    let found = text.replace(
        "TODO: confirm the cause. None of the candidates below is confirmed yet.",
        "The workspace limit is too small for the convolution.",
    );
    std::fs::write(&drafted, found.replace("status: \"open\"", "status: \"resolved\"")).expect("written");
    assert_ne!(
        place.run("- --no-probe --format json", ENGINE).json()["reports"][0]["solution"],
        serde_json::Value::Null
    );
}
