//! `show`, `search`, `list` and `index`.

use crate::place::{ENGINE, Place, REPORT};

#[test]
fn pages_codes_recipes_and_reports_are_shown() {
    let place = Place::with_report();
    for (asked, words) in [
        ("cudnn-no-engine", "cuDNN found no engine for the computation"),
        ("CUDNN-no-engine", "# Lookalikes"),
        ("nccl-timeout", "Checked with torch "),
        ("700", "cudaErrorIllegalAddress"),
        ("cudaerrorillegaladdress", "A kernel read or wrote memory outside its allocation"),
        ("CUDNN_STATUS_EXECUTION_FAILED", "cudnn8"),
        ("Xid 79", "device-lost"),
        ("reduce-batch", "Halve the batch"),
        ("BUG-20260101-007", "Solution 1: Halve the batch (RECOMMENDED)"),
        ("bug_20260101_007", "- [ ] one epoch passes"),
        ("BUG-20251110-003", "RTX 3060"),
    ] {
        let answer = place.run(&format!("show {asked}"), "");
        assert_eq!((answer.code, answer.err.as_str()), (0, ""), "{asked}");
        assert!(answer.out.contains(words), "{asked}: {}", answer.out);
    }
}

#[test]
fn nothing_of_a_report_is_lost() {
    let shown = Place::with_report().run("show BUG-20260101-007", "").out;
    for word in REPORT.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)) {
        let word = word.trim_matches('`');
        assert!(word == "bash" || shown.contains(word), "{word} in {shown}");
    }
}

#[test]
fn what_was_shown_is_given_as_source_and_as_json() {
    let place = Place::with_report();
    assert_eq!(place.run("show BUG-20260101-007 --format markdown", "").out, REPORT);
    let answer = place.run("show BUG-20260101-007 --format json", "").json();
    assert_eq!(answer["schema"], "faultbook/show/1");
    assert_eq!(answer["found"][0]["kind"], "report");
    assert_eq!(answer["found"][0]["text"], REPORT);
    let kinds: Vec<String> = place.run("show 700 --format json", "").json()["found"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|found| found["kind"].to_string())
        .collect();
    assert!(kinds.contains(&"\"code\"".to_owned()) && kinds.contains(&"\"page\"".to_owned()), "{kinds:?}");
}

#[test]
fn an_unknown_id_is_no_answer() {
    let answer = Place::new().run("show no-such-thing", "");
    assert_eq!((answer.code, answer.out.as_str()), (1, ""));
    assert!(answer.err.starts_with("error: no page, report or code `no-such-thing`\n"), "{}", answer.err);
    assert!(answer.err.contains("hint: "));
}

#[test]
fn a_part_of_an_id_is_enough_to_read_a_report_and_suggested_before_one_changes() {
    let place = Place::with_report();
    for words in ["20260101-007", "20260101_007", "0101-007"] {
        let shown = place.run(&format!("show {words}"), "");
        assert!(shown.code == 0 && shown.out.contains("Halve the batch"), "{words}: {}", shown.err);
    }
    for command in ["status 0101-007 open", "status BUG-20260101-07 open", "graph 0101-007", "new - --append 0101-007"]
    {
        let answer = place.run(command, ENGINE);
        assert!(answer.err.contains("did you mean `BUG-20260101-007`?"), "{command}: {}", answer.err);
    }
    let far = place.run("status cleaning open", "");
    assert!(far.err.contains("hint: `faultbook list` lists them all"), "{}", far.err);
}

#[test]
fn front_matter_is_shown_line_by_line() {
    let place = Place::new();
    let title = "The decoder stops at its first call after the driver was updated everywhere";
    place.file(
        "docs/bugs/a.md",
        format!("---\ntitle: \"{title}\"\ndate: \"2026-01-01\"\n---\n# Bug Report: {title}\n\n## Summary\nx\n"),
    );
    let shown = place.run("show a --width 80", "").out;
    assert!(shown.contains("\n  date: \"2026-01-01\"\n"), "{shown}");
}

#[test]
fn search_finds_pages_and_reports() {
    let place = Place::with_report();
    let hits = place.run("search lateral layer --format json", "").json();
    assert_eq!(hits["hits"][0]["id"], "BUG-20260101-007", "{hits}");
    let answer = place.run("search CUDA_ERROR_ILLEGAL_ADDRESS", "");
    assert_eq!(answer.code, 0);
    assert!(answer.out.contains("illegal-address"), "{}", answer.out);
    let nothing = place.run("search zyxwvutsrq", "");
    assert_eq!((nothing.code, nothing.out.as_str()), (1, "Nothing found.\n"));
}

#[test]
fn search_takes_what_people_type() {
    let place = Place::with_report();
    place.file(
        "docs/bug_reports/later.md",
        "# Stale lock\n\n**Date:** 2026-02-03\n\nBUG-20260203-011\n\nThe `batchSize` option is ignored after a resume.\n\n## Occurrences\n\n### 2026-02-05\n\n- again\n",
    );
    for (words, id) in [
        ("0101-007", "BUG-20260101-007"),
        ("lateral engin", "BUG-20260101-007"),
        ("decodr stops", "BUG-20260101-007"),
        ("wann bleibt der decoder stehen", "BUG-20260101-007"),
        ("batch size ignored", "later"),
        ("batch_size", "later"),
        ("batchsize", "later"),
        ("continuing a run", "later"),
    ] {
        let hits = place.run(&format!("search {words} --format json"), "").json();
        let first = hits["hits"][0].clone();
        assert!(first["id"] == id || first["path"].as_str().is_some_and(|path| path.contains(id)), "{words}: {hits}");
    }
    let hit = place.run("search batch size --format json", "").json()["hits"][0].clone();
    assert_eq!(hit["sentence"], "The `batchSize` option is ignored after a resume.");
    assert_eq!((&hit["date"], &hit["occurrences"]), (&"2026-02-03".into(), &2.into()));
    let shown = place.run("search batch size", "").out;
    assert!(shown.contains("docs/bug_reports/later.md, 2026-02-03, 2 times\n"), "{shown}");
}

#[test]
fn list_names_pages_and_reports() {
    let place = Place::with_report();
    let list = place.run("list --format json", "").json();
    let ids = |key: &str| -> Vec<String> {
        let rows = list[key].as_array().expect("a list").iter();
        rows.map(|row| row["id"].as_str().expect("an id").to_owned()).collect()
    };
    assert!(ids("pages").contains(&"oom".to_owned()));
    assert!(ids("reports").contains(&"BUG-20260101-007".to_owned()));
    let own = place.run("list --no-builtin", "");
    assert!(own.out.starts_with("1 bug report: 1 solved\n"), "{}", own.out);
    let none = Place::new().run("list --no-builtin", "");
    assert_eq!(none.code, 1);
    let markdown = place.run("list --pages --format markdown", "").out;
    assert!(markdown.contains("| oom | "), "{markdown}");
}

#[test]
fn index_reads_what_changed_and_nothing_else() {
    let place = Place::with_report();
    let read = |arguments: &str| place.run(arguments, "").json()["read"].clone();
    assert_eq!(read("index --format json"), 1);
    assert_eq!(read("index --format json"), 0);
    place.file("docs/bug_reports/BUG-20260101-008.md", REPORT.replace("007", "008"));
    assert_eq!(read("index --format json"), 1);
    assert_eq!(read("index --rebuild --format json"), 2);
}
