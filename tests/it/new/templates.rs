//! The other templates, and a team's own.

use super::report::{SECOND_RUN, facts, project, written};
use crate::place::{ENGINE, Place};

#[test]
fn the_investigation_has_what_the_probe_tried() {
    let place = project();
    let facts = facts();
    let line = format!("new - --facts {} --template diagnosis --date 2025-11-10", facts.display());
    let answer = place.run(&line, SECOND_RUN);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let (path, text) = written(&place, &answer.out);
    assert!(path.to_string_lossy().contains("DIAG-20251110-001"), "{path:?}");
    for part in [
        "- ✅ conv forward no workspace",
        "- ❌ conv backward filter",
        "**Clue 1:**",
        "### Hypothesis 1:",
        "**Test:**",
        "## Immediate Next Steps",
        "### Workaround 1:",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert_eq!(place.run("check", "").code, 0, "{}", place.run("check", "").out);
}

#[test]
fn a_change_log_needs_no_log_and_names_the_report() {
    let place = Place::with_report();
    let answer = place.run("new --template code_changes --for BUG-20260101-007 --stdout", "");
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.out.contains("Code Changes for BUG-20260101-007"), "{}", answer.out);
}

#[test]
fn a_team_has_its_own_templates() {
    let place = project();
    place.file(".faultbook/templates/short.md", "{# a short note #}\n# {{ id }}: {{ title }}\n\n{{ error.short }}\n");
    let list = place.run("templates", "");
    assert!(list.out.contains("a short note") && list.out.contains("short.md"), "{}", list.out);
    let answer = place.run("new - --no-probe --template short --stdout --date 2025-11-10", ENGINE);
    assert_eq!(
        answer.out,
        "# BUG-20251110-001: cuDNN found no engine for the computation\n\n\
         RuntimeError: GET was unable to find an engine to execute this computation\n"
    );
    place.file(".faultbook/templates/bug_report.md", "{% if false %}{{ eror }}{% endif %}\n");
    let answer = place.run("new - --no-probe", ENGINE);
    assert_eq!(answer.code, 2);
    assert!(answer.err.contains("uses the unknown name `eror`"), "{}", answer.err);
    let answer = place.run("new - --no-probe --template nope", ENGINE);
    assert!(answer.err.contains("there are: bug_report, code_changes, diagnosis, short"), "{}", answer.err);
}
