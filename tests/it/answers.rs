//! A text that holds an answer of ours, as a log of `faultbook run` and a terminal's memory do, gives the same answer.

use std::fs;

use faultbook::diagnosis::{Diagnosis, RankedCause};
use faultbook::render::terminal;

/// What counts of an answer.
fn gist(diagnosis: &Diagnosis) -> String {
    let fault = diagnosis.fault.as_ref().map(|fault| (&fault.id, fault.span.start.line));
    let error = diagnosis.error.as_ref().map(|error| (&error.type_name, &error.message, error.span.start.line));
    let commands = |cause: &RankedCause| cause.fixes.iter().flat_map(|fix| fix.commands.clone()).collect::<Vec<_>>();
    let causes: Vec<_> =
        diagnosis.causes.iter().map(|c| (&c.id, (c.probability * 1000.0).round(), commands(c))).collect();
    let cascade: Vec<_> = diagnosis.cascade.iter().map(|echo| (&echo.id, echo.span.start.line)).collect();
    format!("{:?} {fault:?} {error:?} {cascade:?} {causes:?}", diagnosis.verdict)
}

/// Texts of a compose project.
const PREFIXED: [&str; 2] = ["hard-registry-prefix-cascade.txt", "hard-compose-postgres-worker.txt"];

#[test]
fn an_answer_in_the_text_is_no_evidence() {
    let mut wrong = Vec::new();
    let mut count = 0;
    let folders = fs::read_dir("tests/corpus").expect("the corpus is there").flatten();
    for file in folders.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten().flatten()) {
        let text = fs::read(file.path()).expect("a text");
        let name = file.file_name();
        // Wide and UTF-16 texts cannot be written on in UTF-8; a container's name before every line is known by being there.
        if std::str::from_utf8(&text).is_err() || PREFIXED.iter().any(|prefixed| name == *prefixed) {
            continue;
        }
        let alone = crate::support::diagnose(&text);
        count += 1;
        let (width, color) = if count % 2 == 0 { (80, false) } else { (100, true) };
        let answer = terminal::render(&alone, terminal::Terminal { width, color });
        let mut both = text.clone();
        both.extend_from_slice(format!("\nfaultbook: the command ended with exit code 1\n\n{answer}").as_bytes());
        let (before, after) = (gist(&alone), gist(&crate::support::diagnose(&both)));
        if before != after {
            wrong.push(format!("{} at {width}:\n  {before}\n  {after}", file.path().display()));
        }
    }
    assert!(count > 400, "{count}");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}
