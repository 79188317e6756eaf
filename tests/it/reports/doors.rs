//! Copies of one report are one report for agents, for editors and for commands that change reports.

use std::fs;

use serde_json::{Value, json};

use super::grouping::{copies, from_root, word};
use super::project::{Expected, Project, project};
use crate::place::Place;

const LOG: &str = "Traceback (most recent call last):\n  File \"train.py\", line 13, in <module>\n    main()\n\
                   RuntimeError: GET was unable to find an engine to execute this computation\n";

/// A report with copies whose id no other one has.
fn with_copies(project: &Project) -> &Expected {
    let found = project.reports.iter().find(|one| one.copies.len() > 1 && !project.collisions.contains(&one.id));
    found.expect("one with copies")
}

#[cfg(feature = "mcp")]
#[test]
fn agents_are_shown_the_living_report_once() {
    use crate::mcp::{Agent, text};
    let project = project(12);
    let mut agent = Agent::among(&project.files);
    let root = agent.folder.path().canonicalize().expect("there");
    let relative =
        |path: &str| path.trim_start_matches(root.to_str().expect("UTF-8")).trim_start_matches('/').to_owned();
    let grouped = |hits: &Value| {
        let mut named = 0;
        for hit in hits.as_array().expect("hits").iter().filter(|hit| word(hit, "kind") != "page") {
            let path = relative(word(hit, "path"));
            let Some(one) = project.reports.iter().find(|one| one.living == path) else {
                assert!(path.ends_with("BUG-20260101-007.md"), "{path} is a copy");
                continue;
            };
            let mut seen: Vec<String> =
                hit["copies"].as_array().into_iter().flatten().filter_map(Value::as_str).map(relative).collect();
            seen.sort();
            assert_eq!(seen, one.copies, "{path}");
            named += 1;
        }
        assert!(named > 0, "{hits}");
    };
    let one = with_copies(&project);
    grouped(&agent.call("search", json!({ "words": one.title }))["structuredContent"]["hits"]);
    grouped(&agent.call("diagnose", json!({ "text": LOG, "detail": "full" }))["structuredContent"]["reports"]);
    let shown = text(&agent.call("show", json!({ "id": one.id })));
    assert!(shown.contains(&one.living) && shown.contains(&format!("+{} copies", one.copies.len())), "{shown}");
    assert_eq!(shown.matches(&format!("`{}`: ", one.id)).count(), 1, "{shown}");
}

#[cfg(feature = "lsp")]
#[test]
fn editors_are_shown_the_living_report_once() {
    use crate::lsp::client::{Client, words};
    let project = project(12);
    let mut client = Client::silent();
    for (path, text) in &project.files {
        client.file(path, text);
    }
    client.greet();
    for one in project.reports.iter().filter(|one| !project.collisions.contains(&one.id)).take(8) {
        let uri = client.open(&format!("{}.py", one.id), "python", &format!("# see {}", one.id));
        let text = words(&client.at("textDocument/hover", &uri, 0, 8));
        let copies = match one.copies.len() {
            0 => None,
            1 => Some("+1 copy".to_owned()),
            count => Some(format!("+{count} copies")),
        };
        assert!(text.contains(&one.title) && copies.is_none_or(|copies| text.contains(&copies)), "{}: {text}", one.id);
        assert!(!text.contains("---\n"), "one report, not several: {text}");
        let found = client.at("textDocument/definition", &uri, 0, 8);
        let places = found.as_array().expect("places");
        assert_eq!(places.len(), 1, "{found}");
        let place = word(&places[0], "uri").replace("%20", " ").replace("%28", "(").replace("%29", ")");
        assert!(place.ends_with(&one.living), "{place}, not {}", one.living);
    }
}

#[test]
fn an_id_of_several_files_means_the_living_one_and_says_so() {
    let project = project(12);
    let place = project.written();
    let one = with_copies(&project);
    let read = |path: &str| fs::read_to_string(place.path().join(path)).expect("there");
    let before: Vec<String> = one.copies.iter().map(|path| read(path)).collect();
    let shown = place.run(&format!("show {} --format json", one.id), "").json();
    let found = shown["found"].as_array().expect("found");
    assert_eq!((found.len(), from_root(&place, word(&found[0], "path"))), (1, one.living.clone()));
    assert_eq!(copies(&place, &found[0]), one.copies);
    let changed = place.run(&format!("status {} wontfix", one.id), "");
    assert_eq!(changed.code, 0, "{}", changed.err);
    let appended = place.run(&format!("new - --append {} --no-probe", one.id), LOG);
    assert_eq!(appended.code, 0, "{}", appended.err);
    for answer in [&changed, &appended] {
        assert!(answer.err.contains("its copies are left as they are"), "{}", answer.err);
        assert!(one.copies.iter().all(|copy| answer.err.contains(copy.as_str())), "{}", answer.err);
    }
    assert!(read(&one.living).contains("wontfix") && read(&one.living).contains("## Occurrences"));
    assert_eq!(one.copies.iter().map(|path| read(path)).collect::<Vec<_>>(), before);
    let row = |id: &str| {
        let all = place.run(&format!("list {id} --format json"), "").json();
        all["reports"].as_array().expect("reports").iter().find(|row| word(row, "id") == id).cloned().expect("listed")
    };
    let seen = row(&one.id);
    assert_eq!((word(&seen, "status_word"), &seen["times"]), ("wontfix", &json!(2)));
    assert_eq!(copies(&place, &seen), one.copies, "a changed report keeps its copies");
    // Of two different reports nothing is guessed.
    let twice = &project.collisions[0];
    let refused = place.run(&format!("status {twice} wontfix"), "");
    let both: Vec<&Expected> = project.reports.iter().filter(|one| one.id == *twice).collect();
    assert!(refused.code > 1 && both.iter().all(|one| refused.err.contains(&one.living)), "{}", refused.err);
    let shown = place.run(&format!("show {twice} --format json"), "").json();
    assert_eq!(shown["found"].as_array().map(Vec::len), Some(both.len()));
}

#[test]
fn the_younger_of_two_reports_with_one_id_gets_another_and_its_links_follow() {
    let place = Place::new();
    let report = |title: &str, day: &str, body: &str| {
        format!(
            "---\ntitle: \"{title}\"\nbug_id: BUG-20251110-001\nstatus: open\nseverity: high\ndate: {day}\n---\n# {title}\n\n## Summary\n\n{body}\n"
        )
    };
    let words = |seed: u32| (0..60).map(|n| format!("word{} ", (seed + 1) * 1000 + n * n % 97)).collect::<String>();
    place.file("docs/bug_reports/BUG-20251110-001-first.md", report("The first", "2025-11-10", &words(1)));
    place.file("docs/bug_reports/BUG-20251110-001-second.md", report("The second", "2025-11-12", &words(2)));
    let links = "# Notes\n\nSee [one](BUG-20251110-001-first.md) and [two](BUG-20251110-001-second.md).\n";
    place.file("docs/bug_reports/BUG-20251113-001-third.md", links);
    let answer = place.run("check --renumber", "");
    let read = |path: &str| fs::read_to_string(place.path().join("docs/bug_reports").join(path));
    let first = read("BUG-20251110-001-first.md").expect("the older one stays");
    assert!(first.contains("bug_id: BUG-20251110-001"), "{first}");
    let second = read("BUG-20251110-002-second.md").unwrap_or_else(|_| panic!("{}{}", answer.out, answer.err));
    assert!(second.contains("bug_id: BUG-20251110-002"), "{second}");
    let third = read("BUG-20251113-001-third.md").expect("there");
    assert!(third.contains("(BUG-20251110-001-first.md)") && third.contains("(BUG-20251110-002-second.md)"), "{third}");
}
