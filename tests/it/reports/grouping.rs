//! Copies of one report are one report, whoever asks: on a generated project in the manner of a real one.

use serde_json::Value;

use super::project::{Expected, Project, project};
use crate::place::Place;

pub(super) fn json(place: &Place, line: &str) -> Value {
    let answer = place.run(line, "");
    serde_json::from_str(&answer.out).unwrap_or_else(|error| panic!("{line}: {error}: {}{}", answer.out, answer.err))
}

pub(super) fn word<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_default()
}

/// Paths as the generator has them, whether shown from the project's folder or whole.
pub(super) fn from_root(place: &Place, path: &str) -> String {
    let root = place.path().canonicalize().expect("there");
    let path = path.strip_prefix(root.to_str().expect("UTF-8")).unwrap_or(path);
    path.trim_start_matches('/').to_owned()
}

pub(super) fn copies(place: &Place, value: &Value) -> Vec<String> {
    let mut copies: Vec<String> = value["copies"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(|path| from_root(place, path))
        .collect();
    copies.sort();
    copies
}

/// The reports of an answer against those of the project: path, copies, id, title, status, severity, day.
fn compare(project: &Project, place: &Place, found: &[Value]) {
    let mut wrong = Vec::new();
    for one in &project.reports {
        let row = found.iter().find(|row| from_root(place, word(row, "path")) == one.living);
        let Some(row) = row else {
            wrong.push(format!("{} is missing", one.living));
            continue;
        };
        for (name, seen, expected) in [
            ("id", word(row, "id"), one.id.as_str()),
            ("title", word(row, "title"), one.title.as_str()),
            ("day", word(row, "date"), one.day.as_str()),
            ("severity", word(row, "severity"), one.severity),
        ] {
            if seen != expected {
                wrong.push(format!("{}: {name} is {seen:?}, not {expected:?}", one.living));
            }
        }
        if copies(place, row) != one.copies {
            wrong.push(format!("{}: {:?}, not {:?}", one.living, copies(place, row), one.copies));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), project.reports.len(), wrong.join("\n"));
    assert_eq!(found.len(), project.reports.len());
}

/// The living report of the project that has copies.
fn with_copies(project: &Project) -> &Expected {
    project.reports.iter().find(|one| one.copies.len() > 1).expect("one with copies")
}

#[test]
fn a_list_shows_every_report_once_with_what_it_says_of_itself() {
    let project = project(48);
    let place = project.written();
    let answer = json(&place, "list --format json --severity high");
    let rows = answer["reports"].as_array().expect("reports");
    compare(&project, &place, rows);
    for (word_asked, statuses) in [("open", ["open", "in_progress"].as_slice()), ("closed", &["resolved", "fixed"])] {
        let answer = json(&place, &format!("list --format json --status {word_asked}"));
        let expected = project.reports.iter().filter(|one| statuses.contains(&one.status)).count();
        assert_eq!(answer["reports"].as_array().map(Vec::len), Some(expected), "{word_asked}");
    }
}

#[test]
fn every_door_shows_the_same_grouping() {
    let project = project(24);
    let place = project.written();
    let one = with_copies(&project);
    let copy_paths = |value: &Value| copies(&place, value);
    for line in [format!("search {} --format json", one.title), format!("show {} --format json", one.living)] {
        let answer = json(&place, &line);
        let found = answer["hits"].as_array().or(answer["found"].as_array()).expect("hits").clone();
        let hit = found.iter().find(|hit| from_root(&place, word(hit, "path")) == one.living);
        let hit = hit.unwrap_or_else(|| panic!("{line}: {answer}"));
        assert_eq!(copy_paths(hit), one.copies, "{line}");
        let is_copy =
            |hit: &&Value| project.reports.iter().any(|one| one.copies.contains(&from_root(&place, word(hit, "path"))));
        assert!(!found.iter().any(|hit| is_copy(&hit)), "{line}: {answer}");
    }
    assert_eq!(json(&place, "stats --format json")["reports"], project.reports.len());
    let graph = json(&place, "graph --all --format json");
    assert_eq!(graph["reports"].as_array().map(Vec::len), Some(project.reports.len()));
    let same_ids =
        graph["relations"].as_array().expect("edges").iter().filter(|edge| word(edge, "relation") == "same id");
    assert_eq!(same_ids.count(), project.collisions.len());
    place.run("index-page docs/bug_reports", "");
    let page = std::fs::read_to_string(place.path().join("docs/bug_reports/INDEX.md")).expect("a page");
    assert!(
        page.contains(&format!("{} reports:", project.reports.len())),
        "{}",
        page.lines().take(5).collect::<String>()
    );
    let living = project.reports.iter().filter(|one| !one.copies.is_empty());
    assert_eq!(page.matches(" cop").count(), living.count(), "{page}");
    let shown = place.run(&format!("show {}", one.living), "").out;
    assert!(shown.contains(&format!("+{} copies", one.copies.len())), "{shown}");
}

#[test]
fn a_diagnosis_names_a_report_once_and_says_where_its_copies_are() {
    let project = project(24);
    let place = project.written();
    let log = "Traceback (most recent call last):\n  File \"train.py\", line 13, in <module>\n    main()\n\
               RuntimeError: GET was unable to find an engine to execute this computation\n";
    let answer = place.run("diagnose --no-probe --format json", log).json();
    let found = answer["reports"].as_array().expect("reports");
    let paths: Vec<String> = found.iter().map(|hit| from_root(&place, word(hit, "path"))).collect();
    assert!(!paths.is_empty());
    for (hit, path) in found.iter().zip(&paths) {
        let one = project.reports.iter().find(|one| one.living == *path).unwrap_or_else(|| panic!("{path} is a copy"));
        assert_eq!(copies(&place, hit), one.copies, "{path}");
    }
}

#[test]
fn a_number_given_twice_is_found_and_mended() {
    let project = project(12);
    let place = project.written();
    let found = json(&place, "check --select duplicate-id --format json");
    assert_eq!(found["findings"].as_array().map(Vec::len), Some(2 * project.collisions.len()), "{found}");
    place.run("check --renumber", "");
    assert_eq!(json(&place, "check --select duplicate-id --format json")["errors"], 0);
    assert_eq!(json(&place, "list --format json")["reports"].as_array().map(Vec::len), Some(project.reports.len()));
}

#[test]
fn fixing_loses_no_word() {
    let project = project(48);
    let place = project.written();
    let said = || {
        let rows = json(&place, "list --format json")["reports"].as_array().expect("reports").clone();
        let said =
            |row: &Value| ["id", "title", "status_word", "severity", "date"].map(|name| word(row, name).to_owned());
        let mut said: Vec<_> = rows.iter().map(|row| (word(row, "path").to_owned(), said(row))).collect();
        said.sort();
        said
    };
    let before = said();
    place.run("check --fix", "");
    assert_eq!(said(), before, "a fixed report says the same of itself");
    for (path, before) in &project.files {
        let after = std::fs::read_to_string(place.path().join(path)).expect("there");
        let words = |text: &str| -> Vec<String> {
            let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2);
            words.map(str::to_lowercase).collect()
        };
        let left = words(&after);
        let lost: Vec<String> = words(before).into_iter().filter(|word| !left.contains(word)).collect();
        assert!(lost.is_empty(), "{path}: {lost:?}");
    }
}

#[test]
fn a_status_is_changed_wherever_it_stands() {
    let project = project(8);
    let place = project.written();
    for one in &project.reports {
        let changed = place.run(&format!("status {} wontfix", one.living), "");
        assert_eq!(changed.code, 0, "{}: {}", one.living, changed.err);
    }
    let rows = json(&place, "list --status wontfix --format json");
    assert_eq!(rows["reports"].as_array().map(Vec::len), Some(project.reports.len()));
}
