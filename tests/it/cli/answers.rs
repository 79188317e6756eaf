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

/// A run whose memory grows until there is none.
fn leaking() -> String {
    let line = |n: u32| format!("step {} loss 2.0 memory {:.1} GiB\n", n * 10, 10.0 + f64::from(n) * 0.3);
    let error = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.";
    format!(
        "{}Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n{error}\n",
        (0..40).map(line).collect::<String>()
    )
}

#[test]
fn the_run_over_time_is_drawn_on_request() {
    let place = Place::new();
    place.file("train.log", leaking());
    let plain = place.run("diagnose train.log", "").out;
    let drawn = place.run("diagnose --plot train.log --width 70", "");
    assert!(!plain.contains("a leak rises like this"), "{plain}");
    assert!(drawn.code == 0 && drawn.err.is_empty() && drawn.out.contains("a leak rises like this."), "{}", drawn.out);
    assert!(drawn.out.contains("✗ failure") && !drawn.out.contains('\u{1b}'), "{}", drawn.out);
    let schema = serde_json::from_str(include_str!("../../../schemas/diagnosis-2.json")).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let answer = place.run("diagnose --plot --format json train.log", "").json();
    assert!(validator.is_valid(&answer) && answer["picture"]["plots"][0]["kind"] == "memory", "{}", answer["picture"]);
    assert!(place.run("diagnose --format json train.log", "").json().get("picture").is_none());
    let markdown = place.run("diagnose --plot --format markdown train.log", "").out;
    assert!(markdown.contains("## The run over time\n\n```text\nGPU memory\n"), "{markdown}");
    let report = place.run("new --plot --stdout --no-input train.log", "").out;
    assert!(report.contains("## The Run over Time\n\n```text\nGPU memory\n"), "{report}");
    let nothing = place.run("diagnose --plot", ENGINE);
    assert!(nothing.err.contains("nothing to plot"), "{}", nothing.err);
}

#[test]
fn the_run_over_time_as_svg() {
    let place = Place::new();
    place.file("train.log", leaking());
    assert_eq!(place.run("diagnose --svg run.svg train.log", "").code, 0);
    let svg = std::fs::read_to_string(place.path().join("run.svg")).expect("a picture");
    assert!(roxmltree::Document::parse(&svg).is_ok() && svg.contains("a leak rises like this."), "{svg}");
    assert_eq!(place.run("diagnose --svg - train.log", "").out, svg);
    assert_eq!(place.run("diagnose --svg run.svg train.log", "").code, 0, "a picture of ours is renewed");
    assert_eq!(place.run("diagnose --svg train.log train.log", "").code, 2, "what somebody wrote is kept");
    place.file("other.log", ENGINE);
    assert_eq!(place.run("diagnose --svg - train.log other.log", "").code, 2);
}
