//! Sentences of a report: each says what is known, no more, and says it once.

use super::report::{project, second_run, written};
use crate::place::{ENGINE, Place, REPORT, UNLISTED};

fn of(log: &str) -> String {
    let place = project();
    place.run("new - --no-probe --stdout", log).out
}

fn summary(report: &str) -> &str {
    let section = report.split("## Summary\n\n").nth(1).expect("a summary");
    section.lines().next().expect("a sentence")
}

#[test]
fn a_measurement_settles_a_cause_and_does_no_other_check() {
    let place = project();
    let (_, text) = second_run(&place);
    let summary = summary(&text);
    assert!(
        summary.ends_with(
            "; the cause, confirmed by measurement: GPU memory is exhausted, with no room for the cuDNN workspace."
        ),
        "{summary}"
    );
    assert!(text.contains("- [x] `memory-exhausted`: confirmed by measurement: "), "{text}");
    assert!(!text.contains("[x] `memory-exhausted`: Run"), "{text}");
    // Saved facts are of the time when they were saved.
    assert!(text.contains("- **GPU memory free when measured:** 410.0 MiB"), "{text}");
    let measured = "a convolution without workspace works here";
    let hypotheses =
        text.split("### Hypotheses").nth(1).and_then(|rest| rest.split("## Proposed").next()).expect("some");
    assert_eq!(hypotheses.matches(measured).count(), 1, "{hypotheses}");
}

#[test]
fn a_repeated_failure_did_not_follow_from_itself() {
    let log = "[rank0]:[E711 19:02:31.410022781 ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation \
        timeout: WorkNCCL(SeqNum=12, OpType=ALLREDUCE, NumelIn=9, NumelOut=9, Timeout(ms)=600000) ran for 600020 \
        milliseconds before timing out.\n\
        [rank0]:[E711 19:02:31.410022799 ProcessGroupNCCL.cpp:1785] [PG ID 0 PG GUID 0(default_pg) Rank 0] Exception \
        (either an error or timeout) detected by watchdog at work: 12, last enqueued NCCL work: 12, last completed NCCL \
        work: 11.\n";
    let text = of(log);
    let summary = summary(&text);
    assert!(summary.contains("stops with `Watchdog caught collective operation timeout"), "{summary}");
    assert!(!summary.contains("followed from it") && !text.contains("^^^ followed"), "{text}");
    assert!(text.contains("Also in the log, but not the cause:\n"), "{text}");
    assert!(text.contains("^^^ the same failure, repeated: nccl-timeout, line 2 of the log"), "{text}");
}

#[test]
fn what_is_hardly_likely_is_named_in_one_line() {
    let log = "Traceback (most recent call last):\n  File \"/srv/bench/run.py\", line 212, in run\n    out = model(ids)\n\
        RuntimeError: CUDA error: CUBLAS_STATUS_INTERNAL_ERROR when calling `cublasCreate(handle)`\n";
    let text = of(log);
    assert!(text.contains("\nLess likely: "), "{text}");
    assert!(!text.contains("(2% confidence)") && !text.contains("TF_FORCE_GPU_ALLOW_GROWTH"), "{text}");
    assert!(summary(&text).contains("; the likeliest cause ("), "{text}");
}

#[test]
fn an_unknown_severity_stays_a_todo_in_every_place() {
    let text = of(UNLISTED);
    assert!(text.contains("### Severity: TODO: critical, high, medium or low\n"), "{text}");
    assert!(text.contains("- TODO: what prevents the failure from happening again\n"), "{text}");
}

#[test]
fn one_changed_file_is_one_and_a_marked_status_counts_as_solved() {
    let place = Place::with_report();
    let path =
        place.file("docs/bug_reports/BUG-20260101-007.md", REPORT.replace("resolved", "\"✅ Resolved (2026-01-09)\""));
    place.file(".gitignore", "cache\n");
    place.file("train.py", "a = 1\n");
    (0..12).for_each(|n| drop(place.file(&format!("conf/{n:02}.yaml"), "a: 1\n")));
    for arguments in [&["init", "-q"][..], &["add", "."], &["commit", "-qm", "the start"]] {
        let mut git = std::process::Command::new("git");
        git.current_dir(place.path()).args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(arguments);
        assert!(git.status().expect("git is there").success());
    }
    place.file("train.py", "a = 2\n");
    // A report that was written since is no change of the code.
    place.file("docs/bug_reports/BUG-20260101-007.md", &(std::fs::read_to_string(&path).expect("text") + "\nmore\n"));
    let written_anew = place.run("new - --no-probe --stdout", ENGINE).out;
    assert!(
        written_anew.contains("with 1 uncommitted file: `train.py` (checked out when this was written)"),
        "{written_anew}"
    );
    (0..12).for_each(|n| drop(place.file(&format!("conf/{n:02}.yaml"), "a: 2\n")));
    let many = place.run("new - --no-probe --stdout", ENGINE).out;
    assert!(many.contains("with 13 uncommitted files: ") && many.contains("`conf/09.yaml` and 3 more"), "{many}");
    (0..12).for_each(|n| drop(place.file(&format!("conf/{n:02}.yaml"), "a: 1\n")));
    let answer = place.run("new - --append BUG-20260101-007 --no-probe", ENGINE);
    let (_, text) = written(&place, &answer.out);
    assert!(text.contains(", with 1 uncommitted file\n"), "{}: {text}", path.display());
    assert!(text.contains("- **Came back:** "), "{text}");
}
