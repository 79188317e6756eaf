//! `run --new`: a report after a failure, and only then.

use std::fs;
use std::path::PathBuf;

use super::pipes::{DEATH, faultbook, place};

fn reports(folder: &tempfile::TempDir) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.path().join("docs/bug_reports")).expect("a folder");
    entries.flatten().map(|entry| entry.path()).collect()
}

fn project() -> tempfile::TempDir {
    let folder = place();
    fs::create_dir_all(folder.path().join("docs/bug_reports")).expect("folders");
    fs::create_dir(folder.path().join(".git")).expect("a folder");
    folder
}

#[test]
fn a_failure_becomes_a_report() {
    let folder = project();
    let script = format!("cat >&2 <<'END'\n{DEATH}END\nexit 3 # it's done");
    let arguments =
        ["--no-probe", "--new", "--on-failure", "echo $FAULTBOOK_REPORT > where", "--", "sh", "-c", &script];
    let output = faultbook(&folder, &arguments).output().expect("runs");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{err}");
    assert!(output.stdout.is_empty(), "the command's own");
    let files = reports(&folder);
    let [file] = files.as_slice() else { panic!("{files:?}") };
    let name = file.file_name().expect("a name").to_string_lossy().into_owned();
    assert!(err.contains(&format!("drafted docs/bug_reports/{name}")), "{err}");
    let where_to = fs::read_to_string(folder.path().join("where")).expect("handed over");
    assert!(where_to.trim().ends_with(&name), "{where_to}");
    let report = fs::read_to_string(file).expect("the report");
    for part in ["cudnn-no-engine", "unable to find an engine", "sh -c '", r"it'\''s done"] {
        assert!(report.contains(part), "{part} is missing in {report}");
    }
}

#[test]
fn a_failure_that_says_nothing_becomes_one_too() {
    let folder = project();
    let output = faultbook(&folder, &["--no-probe", "--new", "--", "sh", "-c", "exit 7"]).output().expect("runs");
    assert_eq!(output.status.code(), Some(7));
    let files = reports(&folder);
    let [file] = files.as_slice() else { panic!("{files:?} {}", String::from_utf8_lossy(&output.stderr)) };
    assert!(fs::read_to_string(file).is_ok_and(|text| text.contains("ended with exit code 7")));
}

#[test]
fn a_success_and_an_interrupt_do_not() {
    let folder = project();
    for script in ["true", "kill -INT $$"] {
        let output = faultbook(&folder, &["--new", "--", "sh", "-c", script]).output().expect("runs");
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert!(reports(&folder).is_empty());
}

#[test]
fn a_project_without_a_folder_still_gets_the_answer_and_the_code() {
    let folder = place();
    fs::create_dir(folder.path().join(".git")).expect("a folder");
    let script = format!("cat <<'END'\n{DEATH}END\nexit 9");
    let output = faultbook(&folder, &["--no-probe", "--new", "--", "sh", "-c", &script]).output().expect("runs");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(9));
    assert!(err.contains("cudnn-no-engine") && err.contains("no folder for reports"), "{err}");
    assert!(err.contains("mkdir -p docs/bug_reports"), "{err}");
}
