//! The boundaries of SECURITY.md, as far as the sources show them: who writes to a terminal, where `unsafe` is, and that
//! every test that SECURITY.md names is there.

use std::fs;
use std::path::{Path, PathBuf};

use crate::layers::sources;

/// What may write to standard output or error, and what it writes.
const WRITERS: &[(&str, &str)] = &[
    ("interfaces/cli/output.rs", "the writer: every answer passes render::safe"),
    ("interfaces/cli/probe.rs", "what a step of the probe tells its parent process"),
    ("interfaces/cli/progress.rs", "progress in words of the program"),
    ("interfaces/cli/servers.rs", "messages of a protocol, to a program"),
    ("runner/plain.rs", "the bytes of the command that is run"),
    ("runner/unix.rs", "the bytes of the command that is run"),
    ("runner/writer.rs", "the bytes of the command that is run"),
];

/// Questions about a stream that write nothing.
const QUESTIONS: [&str; 5] = [
    "use_stderr()",
    "stdout().is_terminal()",
    "terminal_size_of(io::stdout())",
    "AutoStream::choice(&io::stdout())",
    "AutoStream::choice(&io::stderr())",
];

/// Where foreign functions are called.
const UNSAFE: [&str; 3] = ["machine/native.rs", "machine/amd/native/", "machine/nvidia/native/"];

fn texts() -> impl Iterator<Item = (String, String)> {
    sources(Path::new("src")).into_iter().map(|file: PathBuf| {
        let name = file.strip_prefix("src").expect("a source").to_string_lossy().replace('\\', "/");
        (name, fs::read_to_string(&file).expect("a source file reads"))
    })
}

#[test]
fn one_writer_reaches_the_terminal() {
    let mut found = Vec::new();
    for (name, mut text) in texts() {
        for question in QUESTIONS {
            text = text.replace(question, "");
        }
        if ["stdout()", "stderr()", "/dev/stdout", "/dev/stderr"].iter().any(|stream| text.contains(stream)) {
            found.push(name);
        }
    }
    let allowed: Vec<&str> = WRITERS.iter().map(|(name, _)| *name).collect();
    assert_eq!(found, allowed, "whoever else prints must do it through interfaces::cli::output");
    let manifest = fs::read_to_string("Cargo.toml").expect("it reads");
    assert!(manifest.contains("print_stdout = \"warn\"") && manifest.contains("print_stderr = \"warn\""));
}

#[test]
fn unsafe_is_where_foreign_functions_are_called() {
    let manifest = fs::read_to_string("Cargo.toml").expect("it reads");
    assert!(manifest.contains("unsafe_code = \"deny\""));
    for (name, text) in texts() {
        let inside = UNSAFE.iter().any(|place| name.starts_with(place));
        let says = ["unsafe {", "unsafe fn", "unsafe extern", "unsafe impl", "(unsafe_code"];
        let found = says.iter().find(|word| text.contains(**word));
        assert!(inside || found.is_none(), "{name} has {found:?}");
        for (number, line) in text.lines().enumerate().filter(|(_, line)| line.contains("unsafe {")) {
            let before = text.lines().take(number).collect::<Vec<_>>();
            let reason = before.iter().rev().take(8).any(|line| line.contains("SAFETY"));
            assert!(reason, "{name}:{} gives no reason: {line}", number + 1);
        }
    }
}

/// Fails unless the last cell of each row of a table names tests that exist.
fn named_tests_exist(rows: &str) -> usize {
    let tests: String = ["src", "tests/it"]
        .into_iter()
        .flat_map(|folder| sources(Path::new(folder)))
        .map(|file| fs::read_to_string(file).expect("it reads"))
        .collect();
    let is_head = |line: &str| ["| boundary", "| defect", "| ---"].iter().any(|head| line.starts_with(head));
    let mut named = 0;
    for row in rows.lines().filter(|line| line.starts_with("| ") && !is_head(line)) {
        let cell = row.trim_end_matches([' ', '|']).rsplit('|').next().unwrap_or_default();
        let names: Vec<&str> = cell.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "no test holds {row}");
        for name in names {
            assert!(tests.contains(&format!("fn {name}(")), "{name} is no test: {row}");
            named += 1;
        }
    }
    named
}

#[test]
fn the_tests_of_the_threat_model_exist() {
    let named = named_tests_exist(&fs::read_to_string("SECURITY.md").expect("it reads"));
    assert!(named >= 15, "{named}");
}

#[test]
fn the_tests_of_every_known_defect_exist() {
    let page = fs::read_to_string("docs/robustness.md").expect("it reads");
    let (_, section) = page.split_once("## Defects and their tests").expect("the section is there");
    let named = named_tests_exist(section.split("\n## ").next().unwrap_or_default());
    assert!(named >= 40, "{named}");
}
