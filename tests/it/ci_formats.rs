//! `diagnose` for CI: SARIF against its official schema, annotations, JUnit.

use std::fs;
use std::process::Command;

use serde_json::Value;

const FAILED: &str = "Traceback (most recent call last):\n  File \"ocr/model.py\", line 51, in forward\n    x = self.lateral(x)\n\
                      RuntimeError: GET was unable to find an engine to execute this computation\n";
const UNLISTED: &str =
    "Traceback (most recent call last):\n  File \"ocr/data.py\", line 4, in f\nGroundTruthError: '<a> & \\x01'\n";

/// A folder with logs of three runs.
fn logs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in [("failed run.log", FAILED), ("unlisted.log", UNLISTED), ("well.log", "epoch 1\ndone\n")] {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

fn answer(format: &str) -> (String, Option<i32>) {
    let folder = logs();
    let output = Command::new(env!("CARGO_BIN_EXE_faultbook"))
        .args(["--format", format, "failed run.log", "unlisted.log", "well.log"])
        .current_dir(&folder)
        .env("XDG_CACHE_HOME", folder.path().join("cache"))
        .output()
        .expect("runs");
    (String::from_utf8(output.stdout).expect("text"), output.status.code())
}

/// The official schema of SARIF 2.1.0.
fn schema() -> Value {
    let text = fs::read_to_string("tests/schemas/sarif-2.1.0.json").expect("the schema");
    let mut schema: Value = serde_json::from_str(&text).expect("JSON");
    // The standard itself has a bracket too many in this pattern; strict validators reject all of it for that.
    for place in ["/definitions/run/properties/language", "/definitions/toolComponent/properties/language"] {
        let language = schema.pointer_mut(place).and_then(Value::as_object_mut).expect("the known place");
        language.remove("pattern").expect("the known pattern");
    }
    schema
}

#[test]
fn sarif_is_valid_and_points_at_the_line() {
    let (text, code) = answer("sarif");
    assert_eq!(code, Some(0));
    let log: Value = serde_json::from_str(&text).expect("JSON");
    let validator = jsonschema::validator_for(&schema()).expect("a schema");
    let errors: Vec<String> = validator.iter_errors(&log).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let results = log["runs"][0]["results"].as_array().expect("results");
    let ids: Vec<&str> = results.iter().filter_map(|result| result["ruleId"].as_str()).collect();
    assert_eq!(ids, ["cudnn-no-engine", "unlisted-error"]);
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(
        (&place["artifactLocation"]["uri"], &place["region"]["startLine"]),
        (&"failed%20run.log".into(), &4.into())
    );
    let code = &results[0]["relatedLocations"][0]["physicalLocation"];
    assert_eq!((&code["artifactLocation"]["uri"], &code["region"]["startLine"]), (&"ocr/model.py".into(), &51.into()));
}

#[test]
fn annotations_are_in_the_code() {
    let (text, _) = answer("github");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].starts_with("::error file=ocr/model.py,line=51,title=cuDNN found no engine"), "{}", lines[0]);
    assert!(lines[0].contains("%0AMost likely%3A") || lines[0].contains("%0AMost likely:"), "{}", lines[0]);
    assert!(lines[1].starts_with("::warning file=ocr/data.py,line=4,"), "{}", lines[1]);
}

#[test]
fn the_problem_matcher_of_the_documents_reads_them() {
    let text = fs::read_to_string("docs/ci.md").expect("the document");
    let (_, task) = text.split_once("```json\n").expect("the task");
    let task: Value = serde_json::from_str(task.split_once("```").expect("its end").0).expect("JSON");
    let pattern = &task["problemMatcher"]["pattern"];
    let regex = regex::Regex::new(pattern["regexp"].as_str().expect("a pattern")).expect("a regex");
    let group = |found: &regex::Captures<'_>, name: &str| {
        let number = pattern[name].as_u64().expect("a group");
        found.get(usize::try_from(number).expect("small")).expect("a match").as_str().to_owned()
    };
    let (annotations, _) = answer("github");
    let found: Vec<[String; 3]> = annotations
        .lines()
        .map(|line| {
            let found = regex.captures(line).unwrap_or_else(|| panic!("no match: {line}"));
            assert!(!group(&found, "message").is_empty());
            ["severity", "file", "line"].map(|name| group(&found, name))
        })
        .collect();
    assert_eq!(found, [["error", "ocr/model.py", "51"], ["warning", "ocr/data.py", "4"]]);
}

#[test]
fn junit_has_a_case_for_every_text() {
    let (text, _) = answer("junit");
    assert_eq!(text.matches("<testcase").count(), 3);
    assert_eq!(text.matches("<failure").count(), 2);
    assert!(text.contains("failures=\"2\"") && text.contains("&lt;a&gt; &amp; "), "{text}");
    assert!(!text.contains('\u{1}'));
}

#[test]
fn check_writes_the_same_formats() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("BUG-20250101-001.md"), "---\nid: BUG-20250101-001\n---\n# Bug\n").expect("a file");
    for (format, mark) in [("junit", "<failure type=\""), ("sarif", "\"ruleId\""), ("github", "::warning file=")] {
        let output = Command::new(env!("CARGO_BIN_EXE_faultbook"))
            .args(["check", "--format", format, "."])
            .current_dir(&folder)
            .output()
            .expect("runs");
        let text = String::from_utf8(output.stdout).expect("text");
        assert_eq!((output.status.code(), text.contains(mark)), (Some(1), true), "{format}: {text}");
    }
}

#[test]
fn a_format_that_a_command_does_not_write_is_refused_with_those_it_does() {
    for arguments in [
        ["--format", "markdown", "check"],
        ["check", "--format", "markdown"],
        ["--format", "sarif", "list"],
        ["list", "--format", "sarif"],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_faultbook")).args(arguments).output().expect("runs");
        let says = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(says.contains("terminal, json, "), "{arguments:?}: {says}");
    }
}

/// What the GitHub action runs, with these settings: its output, exit code, and the files it writes for the runner.
#[cfg(unix)]
fn action(settings: &[(&str, &str)]) -> (String, Option<i32>, String, String, tempfile::TempDir) {
    let folder = logs();
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_faultbook"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", program.parent().expect("a folder").display());
    let output = Command::new("bash")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/editors/ci/diagnose.sh"))
        .current_dir(&folder)
        .env("PATH", path)
        .env("XDG_CACHE_HOME", folder.path().join("cache"))
        .env("GITHUB_STEP_SUMMARY", "summary.md")
        .env("GITHUB_OUTPUT", "output")
        .envs(settings.iter().copied())
        .output()
        .expect("bash runs");
    let file = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap_or_default();
    let (summary, outputs) = (file("summary.md"), file("output"));
    (String::from_utf8(output.stdout).expect("text"), output.status.code(), summary, outputs, folder)
}

#[test]
#[cfg(unix)]
fn the_action_annotates_sums_up_and_names_the_fault() {
    // The known fault is in the second log.
    let logs = "unlisted.log\n*run.log\nnone-such-*.log\n";
    let (out, code, summary, outputs, folder) = action(&[("LOGS", logs), ("SARIF", "out.sarif")]);
    assert_eq!((code, outputs.as_str()), (Some(0), "fault=cudnn-no-engine\n"), "{out}");
    assert!(out.contains("::error file=ocr/model.py,line=51") && out.contains("::warning file=ocr/data.py"), "{out}");
    assert!(summary.contains("# cuDNN found no engine") && summary.contains("GroundTruthError"), "{summary}");
    let sarif: Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("out.sarif")).expect("SARIF")).expect("JSON");
    assert_eq!(sarif["version"], "2.1.0");

    assert_eq!(action(&[("LOGS", logs), ("FAIL", "true")]).1, Some(1));
    let (_, code, _, outputs, _) = action(&[("LOGS", "well.log"), ("FAIL", "true")]);
    assert_eq!((code, outputs.as_str()), (Some(0), "fault=\n"));
    assert_eq!(action(&[("LOGS", "none.log")]).1, Some(0));
}
