//! Copies of one report are one report, whoever asks: on a generated project in the manner of a real one.

use serde_json::Value;

use super::project::{Project, project};
use crate::place::Place;

fn json(place: &Place, line: &str) -> Value {
    let answer = place.run(line, "");
    serde_json::from_str(&answer.out).unwrap_or_else(|error| panic!("{line}: {error}: {}{}", answer.out, answer.err))
}

fn word<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_default()
}

/// Paths as the generator has them, whether shown from the project's folder or whole.
fn from_root(place: &Place, path: &str) -> String {
    let root = place.path().canonicalize().expect("there");
    let path = path.strip_prefix(root.to_str().expect("UTF-8")).unwrap_or(path);
    path.trim_start_matches('/').to_owned()
}

fn copies(place: &Place, value: &Value) -> Vec<String> {
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
