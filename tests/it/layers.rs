//! The layers of ARCHITECTURE.md: a module may use what stands before it, nothing after it.

use std::fs;
use std::path::{Path, PathBuf};

/// Modules from the ground up. `cli` and `main.rs` are another crate and see `pub` items only.
const LAYERS: &[&str] = &[
    "error",
    "span",
    "facts",
    "pattern",
    "amounts",
    "compatibility",
    "transcript",
    "incident",
    "book",
    "signature",
    "index",
    "diagnosis",
    "probe",
    "project",
    "knowledge",
    "lookup",
    "diagnose",
    "lint",
    "render",
    "draft",
    "life",
    "run",
    "serve",
];

#[test]
fn modules_use_only_what_stands_before_them() {
    let mut wrong = Vec::new();
    for file in sources(Path::new("src")) {
        let Some(own) = layer_of(&file) else { continue };
        let text = fs::read_to_string(&file).expect("a source file reads");
        // Tests may look at anything.
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (number, line) in code.lines().enumerate() {
            if line.trim_start().starts_with("//") {
                continue;
            }
            for used in names_after(line, "crate::") {
                let Some(rank) = LAYERS.iter().position(|layer| *layer == used) else { continue };
                if rank > own {
                    wrong.push(format!("{}:{}: `{}` uses `{used}`", file.display(), number + 1, LAYERS[own]));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "upward use:\n{}", wrong.join("\n"));
}

#[test]
fn every_module_has_its_layer() {
    let lib = fs::read_to_string("src/lib.rs").expect("the library's root reads");
    for name in lib.lines().filter_map(|line| line.trim().strip_prefix("pub mod ")?.strip_suffix(';')) {
        assert!(LAYERS.contains(&name), "`{name}` has no layer in tests/layers.rs");
    }
}

#[test]
fn every_file_says_what_it_is_for() {
    for file in sources(Path::new("src")) {
        let text = fs::read_to_string(&file).expect("a source file reads");
        assert!(text.starts_with("//!"), "{} does not begin with //!", file.display());
    }
}

/// The layer of a source file of the library; none for the binary's.
fn layer_of(file: &Path) -> Option<usize> {
    let first = file.strip_prefix("src").ok()?.components().next()?.as_os_str().to_str()?;
    LAYERS.iter().position(|layer| *layer == first.trim_end_matches(".rs"))
}

/// The names that follow each `mark` on a line: `crate::{a, b}` gives both.
fn names_after<'l>(line: &'l str, mark: &str) -> Vec<&'l str> {
    let mut names = Vec::new();
    for (at, _) in line.match_indices(mark) {
        let rest = &line[at + mark.len()..];
        let list = rest.strip_prefix('{').map_or(rest, |list| list.split('}').next().unwrap_or_default());
        let parts: Vec<&str> = if rest.starts_with('{') { list.split(',').collect() } else { vec![list] };
        names.extend(parts.iter().map(|part| {
            let part = part.trim();
            part.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default()
        }));
    }
    names
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a source folder reads").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}
