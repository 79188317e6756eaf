//! `diagnose` in every spelling: exit codes and formats.

use crate::place::{ENGINE, HEALTHY, Place, UNLISTED};

#[test]
fn exit_codes_tell_the_verdict() {
    let place = Place::new();
    for (text, code, words) in [
        (ENGINE, 0, "cudnn-no-engine"),
        (UNLISTED, 1, "Not a failure in the book: GroundTruthError: sample 17 has no shrunk map"),
        (HEALTHY, 1, "No failure found in 3 lines."),
        ("", 1, "Nothing to diagnose: the text is empty."),
    ] {
        let answer = place.run("", text);
        assert_eq!((answer.code, answer.err.as_str()), (code, ""), "{}", answer.out);
        assert!(answer.out.contains(words), "{}", answer.out);
    }
}

#[test]
fn every_way_to_give_a_text_is_the_same() {
    let place = Place::new();
    place.file("train.log", ENGINE);
    let expected = place.run("diagnose train.log", "").out;
    for (arguments, stdin) in [
        ("train.log", ""),
        ("-", ENGINE),
        ("diagnose -", ENGINE),
        ("diagnose", ENGINE),
        ("", ENGINE),
        ("--no-probe", ENGINE),
    ] {
        let answer = place.run(arguments, stdin);
        assert_eq!((answer.code, &answer.out), (0, &expected), "{arguments:?}");
    }
}

#[test]
fn json_follows_the_published_schema() {
    let schema = serde_json::from_str(include_str!("../../../schemas/diagnosis-2.json")).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let place = Place::with_report();
    for (text, verdict) in
        [(ENGINE, "known-fault"), (UNLISTED, "unlisted-error"), (HEALTHY, "no-error"), ("", "no-error")]
    {
        let answer = place.run("diagnose --format json", text).json();
        let errors: Vec<String> = validator.iter_errors(&answer).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(answer["verdict"], verdict);
    }
}

#[test]
fn the_projects_own_report_is_named() {
    let answer = Place::with_report().run("--format json", ENGINE).json();
    assert_eq!(answer["reports"][0]["id"], "BUG-20260101-007", "{answer}");
}

#[test]
fn several_texts_are_answered_in_order() {
    let place = Place::new();
    place.file("a.log", HEALTHY);
    place.file("b.log", ENGINE);
    let answer = place.run("diagnose a.log b.log", "");
    assert_eq!(answer.code, 0);
    let heads: Vec<&str> = answer.out.lines().filter(|line| line.starts_with("==>")).collect();
    assert_eq!(heads, ["==> a.log <==", "==> b.log <=="]);

    let answer = place.run("diagnose a.log b.log --format json", "");
    let verdicts: Vec<String> = answer
        .out
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON")["verdict"].to_string())
        .collect();
    assert_eq!(verdicts, ["\"no-error\"", "\"known-fault\""]);
}

#[test]
fn a_file_that_cannot_be_read_does_not_hide_the_others() {
    let place = Place::new();
    place.file("b.log", ENGINE);
    let answer = place.run("diagnose gone.log b.log", "");
    assert_eq!(answer.code, 2);
    assert!(answer.out.contains("cudnn-no-engine"));
    assert!(answer.err.contains("error: could not read `gone.log`: no such file"), "{}", answer.err);
}

#[test]
fn markdown_is_for_an_issue_tracker() {
    let answer = Place::new().run("--format markdown", ENGINE);
    assert!(answer.out.starts_with("# cuDNN found no engine"), "{}", answer.out);
    assert!(answer.out.contains("```text\nRuntimeError: GET was unable"), "{}", answer.out);
}

#[test]
fn no_builtin_leaves_the_book_out() {
    let answer = Place::new().run("--no-builtin", ENGINE);
    assert_eq!(answer.code, 1);
    assert!(answer.out.starts_with("Not a failure in the book: RuntimeError"), "{}", answer.out);
}
