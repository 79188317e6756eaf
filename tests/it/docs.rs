//! What is written twice stays true: the README's example, links between documents, the code map.

use std::fs;
use std::path::Path;

use assert_cmd::Command;

const DOCUMENTS: [&str; 4] = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn the_readmes_example_is_what_the_binary_prints() {
    let readme = read("README.md");
    let start = "The first one prints:\n\n```text\n";
    let (head, rest) = readme.split_once(start).expect("the README shows an example");
    let (shown, tail) = rest.split_once("```\n").expect("the example ends");
    let cache = tempfile::tempdir().expect("a temporary folder");
    // Away from this checkout, whose own kb/reports is no project of the reader's.
    let example = fs::canonicalize("examples/srun-rank-3.log").expect("the example is there");
    let output = Command::cargo_bin("faultbook")
        .expect("the binary is built")
        .current_dir(cache.path())
        .env("XDG_CACHE_HOME", cache.path())
        .arg("--no-probe")
        .arg(example)
        .output()
        .expect("the binary runs");
    let printed = String::from_utf8(output.stdout).expect("an answer is text");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write("README.md", format!("{head}{start}{printed}```\n{tail}")).expect("the README can be written");
        return;
    }
    assert_eq!(shown, printed, "run with UPDATE_EXPECT=1 to renew the README");
}

#[test]
fn links_between_documents_lead_somewhere() {
    for document in DOCUMENTS {
        for link in links(&read(document)).filter(|link| !link.contains("://") && !link.starts_with('#')) {
            let path = link.split('#').next().unwrap_or_default();
            assert!(Path::new(path).exists(), "{document} links to {path}");
        }
    }
}

#[test]
fn the_code_map_names_every_module() {
    let architecture = read("ARCHITECTURE.md");
    for name in read("src/lib.rs")
        .lines()
        .filter_map(|line| line.trim().trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'))
    {
        let (file, folder) = (format!("`src/{name}.rs`"), format!("`src/{name}`"));
        assert!(architecture.contains(&file) || architecture.contains(&folder), "ARCHITECTURE.md misses {name}");
    }
}

#[test]
fn the_counts_in_the_readme_are_right() {
    let pages = walk(Path::new("kb/faults"));
    assert!(read("README.md").contains(&format!("It knows {pages} faults")), "there are {pages} fault pages");
}

fn links(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("](").filter_map(|(at, _)| text[at + 2..].split(')').next())
}

fn walk(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).expect("a folder of pages").flatten();
    entries
        .map(|entry| match entry.path() {
            path if path.is_dir() => walk(&path),
            path => usize::from(path.extension().is_some_and(|extension| extension == "md")),
        })
        .sum()
}
