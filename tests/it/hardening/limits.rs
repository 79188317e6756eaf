//! Numbers, depths and counts beyond all measure.

use std::fs;

use super::{project, run, says};

#[test]
fn as_many_hits_as_there_are_numbers() {
    let folder = project();
    for limit in ["18446744073709551615", "99999999999"] {
        let found = says(folder.path(), &["search", "quuxology", "--limit", limit]);
        assert!(found.contains("BUG-20260101-001"), "{found}");
    }
}

#[test]
fn templates_that_nest_fifty_thousand_deep_are_errors() {
    const DEEP: usize = 50_000;
    let folder = project();
    let home = folder.path().join("p/.faultbook/templates");
    fs::create_dir_all(&home).expect("a folder");
    let chains = [
        ("not", "not ", "1", ""),
        ("minus", "-", "1", ""),
        ("plus", "1 + ", "1", ""),
        ("dots", "", "id", ".b"),
        ("filters", "", "id", "|upper"),
        ("index", "", "id", "[0]"),
        ("calls", "", "id", "()"),
        ("or", "1 or ", "1", ""),
        ("choice", "1 if 1 else ", "1", ""),
        ("joined", "1 ~ ", "1", ""),
        ("braces", "(", "1", ")"),
        ("quoted", "\"}}\" ~ ", "1", ""),
    ];
    for (name, before, middle, after) in chains {
        let text = format!("{{{{ {}{middle}{} }}}}", before.repeat(DEEP), after.repeat(DEEP));
        fs::write(home.join(format!("{name}.md")), text).expect("a template");
    }
    let branches = format!("{{% if 1 %}}{}{{% endif %}}", "{% elif 1 %}".repeat(DEEP));
    fs::write(home.join("branches.md"), branches).expect("a template");
    for name in chains.iter().map(|chain| chain.0).chain(["branches"]) {
        let output =
            run(folder.path(), &["new", "train.log", "--stdout", "--no-input", "--no-probe", "--template", name]);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {err}");
    }
    let listed = says(folder.path(), &["templates"]);
    assert!(listed.contains("bug_report") && listed.contains("cannot be used"), "{listed}");
}

#[test]
fn conditions_of_a_page_that_nest_are_unknown() {
    let deep = |before: &str| format!("{}1", before.repeat(50_000));
    for condition in [deep("not "), deep("-"), deep("1 + "), format!("gpu{}", ".x".repeat(50_000))] {
        let condition = faultbook::condition::Condition::new(&condition);
        assert!(condition.names().is_empty());
    }
    let usual = faultbook::condition::Condition::new("not (oom.free < 1 * GiB and oom.total > 2)");
    assert_eq!(usual.names(), ["oom.free", "oom.total"]);
}
