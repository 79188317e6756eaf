//! Keeping reports: filtered lists, the graph, mentions, the index page, counts over time. The command as a process.

use std::process::Command;

use textwrap::core::display_width;

use crate::place::Place;

const OOM: &str = "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity \
                   of 11.76 GiB of which 500.00 MiB is free.";
const ENGINE: &str = "RuntimeError: GET was unable to find an engine to execute this computation";

fn report(id: &str, date: &str, status: &str, severity: &str, error: &str, words: &str) -> String {
    format!(
        "---\ntitle: \"About {id}\"\ndate: {date}\nstatus: {status}\nseverity: {severity}\nbug_id: {id}\n---\n# About {id}\n\n{words}\n\n\
         ## Actual Behavior\n```\n{error}\n```\n\n## Root Cause\nThe workspace memory was exhausted.\n"
    )
}

/// Five reports; the last was written two days ago.
fn place() -> Place {
    let place = Place::new();
    let day = |days: i64| {
        let today = jiff::Zoned::now().date();
        today.checked_sub(jiff::Span::new().days(days)).expect("a day").to_string()
    };
    for (id, date, status, severity, error, words) in [
        ("BUG-20250110-001", "2025-01-10".to_owned(), "open", "high", OOM, "The first one."),
        ("BUG-20250210-001", "2025/02/10".to_owned(), "✅ Resolved", "P1", OOM, "A regression of BUG-20250110-001."),
        ("BUG-20250310-001", "Mar 10, 2025".to_owned(), "duplicate", "low", ENGINE, "Duplicate of BUG-20250110-001."),
        ("BUG-20250410-001", "some day".to_owned(), "진행중", "major", ENGINE, "See [it](BUG-20250310-001.md)."),
        ("BUG-20250510-001", day(2), "In Progress", "HIGH", OOM, "New."),
    ] {
        place.file(&format!("docs/bug_reports/{id}.md"), report(id, &date, status, severity, error, words));
    }
    place
}

fn ids(place: &Place, arguments: &str) -> Vec<String> {
    let answer = place.run(&format!("list --format json {arguments}"), "").json();
    assert_eq!(answer["pages"].as_array().map(Vec::len), Some(0), "a filter is about reports");
    let reports = answer["reports"].as_array().expect("a list");
    let mut ids: Vec<String> = reports.iter().map(|row| row["id"].as_str().expect("an id")[4..].to_owned()).collect();
    ids.sort();
    ids
}

#[test]
fn filters_combine() {
    let place = place();
    for (arguments, expected) in [
        ("--status open", &["20250110-001", "20250410-001", "20250510-001"][..]),
        ("--status closed", &["20250210-001"]),
        ("--status fixed", &[]),
        ("--status wip", &["20250410-001", "20250510-001"]),
        ("--status resolved,duplicate", &["20250210-001", "20250310-001"]),
        ("--severity high", &["20250110-001", "20250210-001", "20250410-001", "20250510-001"]),
        ("--severity MINOR", &["20250310-001"]),
        ("--since 30d", &["20250510-001"]),
        ("--since 72h", &["20250510-001"]),
        ("--since 2025-03-10", &["20250310-001", "20250410-001", "20250510-001"]),
        ("--fault oom", &["20250110-001", "20250210-001", "20250510-001"]),
        ("--fault no-engine", &["20250310-001", "20250410-001"]),
        ("--status open --severity high --since 30d --fault oom", &["20250510-001"]),
        ("--status open --fault oom --since 2025-02", &["20250510-001"]),
    ] {
        assert_eq!(ids(&place, arguments), expected, "{arguments}");
    }
    let found = place.run("list --status closed", "");
    assert_eq!(
        (found.code, found.out.as_str()),
        (0, "1 bug report: 1 solved\nBUG-20250210-001  2025-02-10  high  resolved  About BUG-20250210-001\n")
    );
    let table = place.run("list --status closed --format markdown", "").out;
    assert!(table.contains("| BUG-20250210-001 | About BUG-20250210-001 |") && table.contains("| oom |"), "{table}");
    let none = place.run("list --status wontfix", "");
    assert_eq!((none.code, none.out.as_str()), (1, "No report in this project matches.\n"));
    let own = place.run("list", "").out;
    assert!(own.starts_with("5 bug reports: 3 open, 1 solved\n") && !own.contains("fault pages"), "{own}");
    let first: Vec<&str> = own.lines().skip(1).filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(first[..2], ["BUG-20250510-001", "BUG-20250410-001"], "the newest first: {own}");
    assert!(place.run("list --pages", "").out.contains("fault pages"));
    let found = place.run("list --sort severity --limit 2 about", "").out;
    assert!(found.starts_with("The first 2 of 5 bug reports\nBUG-20250510-001 "), "{found}");
    assert_eq!(place.run("list 20250310", "").out.lines().count(), 2);
    for width in [40, 80, 120] {
        let shown = place.run(&format!("list --pages --width {width}"), "").out;
        assert!(shown.lines().all(|line| display_width(line) <= width), "{shown}");
    }
}

#[test]
fn unknown_words_are_reported() {
    let place = place();
    for (arguments, words) in [
        ("--status sleeping", "`sleeping` is not a status"),
        ("--severity awful", "`awful` is not a severity"),
        ("--since yesterday", "`yesterday` is neither an age nor a day"),
        ("--since -3d", "`-3d` is neither an age nor a day"),
        ("--fault cudnn", "`cudnn` can mean"),
        ("--fault nonsense", "no fault page has `nonsense` in its id"),
    ] {
        let answer = place.run(&format!("list {arguments}"), "");
        assert_eq!((answer.code, answer.out.as_str()), (2, ""), "{arguments}");
        assert!(answer.err.contains(words) && answer.err.contains("hint: "), "{arguments}: {}", answer.err);
    }
}

#[test]
fn the_graph_is_what_the_reports_say() {
    let place = place();
    let answer = place.run("graph --format json", "").json();
    let relations: Vec<String> = answer["relations"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| {
            format!(
                "{} {} {}",
                &one["from"].as_str().expect("a name")[6..10],
                one["relation"].as_str().expect("a word"),
                &one["to"].as_str().expect("a name")[6..10]
            )
        })
        .collect();
    assert_eq!(
        relations,
        ["2501 followed by 2502", "2502 same fault 2505", "2503 duplicates 2501", "2504 links to 2503"]
    );
    let dot = place.run("graph", "");
    assert!(dot.out.starts_with("digraph reports {\n") && dot.out.ends_with("}\n"), "{}", dot.out);
    assert!(dot.out.contains("\"BUG-20250310-001\" -> \"BUG-20250110-001\" [label=\"duplicates\""), "{}", dot.out);
    let mermaid = place.run("graph --mermaid", "").out;
    assert!(mermaid.starts_with("flowchart LR\n") && mermaid.contains("-->|\"links to\"|"), "{mermaid}");
    assert_eq!(place.run("graph --format markdown", "").out, format!("```mermaid\n{mermaid}```\n"));
    assert_eq!(place.run("graph --mermaid", "").out, mermaid, "the same reports, the same graph");
    let near = place.run("graph bug_20250410_001 --mermaid", "").out;
    assert_eq!(near.matches("-->|").count() + near.matches("==>|").count(), 1, "{near}");
    let wider = place.run("graph bug_20250410_001 --steps 2 --mermaid", "").out;
    assert!(wider.contains("duplicates"), "{wider}");
    let unknown = place.run("graph BUG-20990101-001", "");
    assert!(unknown.code == 2 && unknown.err.contains("no report `BUG-20990101-001`"), "{}", unknown.err);
}

#[test]
fn mentions_are_found_in_code_reports_and_commits() {
    let place = place();
    std::fs::remove_dir_all(place.path().join(".git")).expect("a folder");
    place.file("src/train.py", "import x\n\nx()  # BUG-20250110-001: small batch\n");
    place.file("src/data.bin", b"\0BUG-20250110-001".as_slice());
    place.file("out/big.log", "BUG-20250110-001\n");
    place.file(".gitignore", "out/\ncache/\n");
    let git = |arguments: &[&str]| {
        let run = Command::new("git")
            .current_dir(place.path())
            .args(["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"])
            .args(arguments)
            .output()
            .expect("git is there");
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "Halve the batch\n\nWhy: bug_20250110_001 and BUG-20250110-0011"]);
    place.run("index-page", "");
    let answer = place.run("refs bug_20250110_001 --format json", "").json();
    let places: Vec<String> = answer["mentions"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| {
            format!(
                "{} {}:{}:{}",
                one["kind"].as_str().expect("a word"),
                one["path"].as_str().expect("a path"),
                one["line"],
                one["column"]
            )
        })
        .collect();
    assert_eq!(
        places,
        [
            "report docs/bug_reports/BUG-20250210-001.md:10:17",
            "report docs/bug_reports/BUG-20250310-001.md:10:14",
            "file src/train.py:3:8",
        ]
    );
    assert_eq!(answer["commits"][0]["text"], "Why: bug_20250110_001 and BUG-20250110-0011");
    assert_eq!(answer["commits"].as_array().map(Vec::len), Some(1));
    let shown = place.run("refs BUG-20250110-001", "");
    assert!(
        shown.code == 0 && shown.out.contains("src/train.py:3:8\n    x()  # BUG-20250110-001: small batch\n"),
        "{}",
        shown.out
    );
    let dangling = place.run("refs BUG-20250110-0011", "");
    assert!(
        dangling.code == 0 && dangling.err.contains("the project has no report"),
        "{} {}",
        dangling.out,
        dangling.err
    );
    let none = place.run("refs BUG-20990101-001", "");
    assert_eq!((none.code, none.out.as_str()), (1, "Nothing else mentions BUG-20990101-001.\n"));
}

#[test]
fn the_index_page_is_written_once_and_guarded() {
    let place = place();
    let file = place.path().join("docs/bug_reports/INDEX.md");
    assert_eq!(place.run("index-page --check", "").code, 1, "there is none yet");
    assert!(!file.exists(), "--check writes nothing");
    assert_eq!(place.run("index-page", "").out, "docs/bug_reports/INDEX.md: written\n");
    let page = std::fs::read_to_string(&file).expect("a page");
    assert!(
        page.contains("5 reports: 3 open, 1 solved, 1 other.") && page.contains("](BUG-20250410-001.md)"),
        "{page}"
    );
    assert_eq!(place.run("index-page", "").out, "docs/bug_reports/INDEX.md: unchanged\n");
    assert_eq!(place.run("index-page --check", "").code, 0);
    // Neither the reader nor the linter takes it for a report.
    assert_eq!(ids(&place, "--since 2000-01-01").len(), 5);
    assert!(!place.run("check --format json", "").out.contains("INDEX.md"));
    std::fs::write(&file, page.replace('\n', "\r\n")).expect("a page");
    assert_eq!(place.run("index-page --check", "").code, 0, "git's line breaks are no change");
    place.run("status BUG-20250110-001 resolved", "");
    let behind = place.run("index-page --check", "");
    assert_eq!((behind.code, behind.out.as_str()), (1, "docs/bug_reports/INDEX.md: outdated\n"));
    std::fs::write(&file, "# Ours\n").expect("a page");
    let refused = place.run("index-page", "");
    assert!(refused.code == 2 && refused.err.contains("not written by Faultbook"), "{}", refused.err);
    assert_eq!(std::fs::read_to_string(&file).expect("a page"), "# Ours\n");
    assert_eq!(place.run("index-page docs/bug_reports --force", "").code, 0);
    assert!(std::fs::read_to_string(&file).expect("a page").contains("2 open, 2 solved"));
}

#[test]
fn counts_over_time() {
    let place = place();
    let answer = place.run("stats --format json --since 2025-01-01", "").json();
    assert_eq!((&answer["reports"], &answer["undated"]), (&5.into(), &0.into()), "the day in the id stands in");
    let totals = |group: usize| -> Vec<String> {
        let rows = answer["groups"][group]["rows"].as_array().expect("rows");
        rows.iter().map(|row| format!("{} {}", row["name"].as_str().expect("a name"), row["total"])).collect()
    };
    assert_eq!(totals(0), ["oom 3", "cudnn-no-engine 2"]);
    assert_eq!(totals(1), ["memory-exhausted 5"]);
    assert_eq!(totals(2), ["in_progress 2", "duplicate 1", "open 1", "resolved 1"]);
    let shown = place.run("stats --fault oom --svg chart.svg", "");
    assert!(shown.code == 0 && shown.out.starts_with("3 reports by ") && shown.out.contains('█'), "{}", shown.out);
    let svg = std::fs::read_to_string(place.path().join("chart.svg")).expect("a picture");
    assert!(roxmltree::Document::parse(&svg).is_ok() && svg.contains("<title id=\"title\">3 reports by "), "{svg}");
    assert_eq!(place.run("stats --fault oom --svg -", "").out, svg);
    assert_eq!(place.run("stats --svg chart.svg", "").code, 0, "a chart of ours is renewed");
    let file = place.file("train.py", "x = 1\n");
    assert_eq!(place.run("stats --svg train.py", "").code, 2);
    assert_eq!(std::fs::read_to_string(file).expect("a file"), "x = 1\n", "what somebody wrote is kept");
    assert_eq!(place.run("stats --status wontfix", "").code, 1);
}

#[test]
fn a_project_without_reports() {
    let place = Place::new();
    for (arguments, code) in
        [("list --status open", 1), ("graph", 1), ("stats", 1), ("index-page", 2), ("refs BUG-1", 1)]
    {
        let answer = place.run(arguments, "");
        assert_eq!(answer.code, code, "{arguments}: {}{}", answer.out, answer.err);
    }
}
