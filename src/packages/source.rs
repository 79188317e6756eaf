//! Reads `kb/packages.csv`. `build.rs` includes this file by path.

use serde::{Deserialize, Serialize};

/// What a row of the catalogue is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A package of the Python environment that runs on the GPU itself.
    Framework,
    /// Another package of the Python environment.
    Python,
    /// Python itself.
    Language,
    /// A shared library.
    Library,
    /// The CUDA toolkit.
    Toolkit,
    /// The GPU's driver.
    Driver,
    /// Any other program.
    Tool,
    /// What another package was built for.
    Build,
}

/// One row. Several names in a field are separated by `|`; [`super::names`] splits them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Package<S> {
    /// The fact that holds the version: `torch.version`.
    pub fact: S,
    /// What it is.
    pub kind: Kind,
    /// Names under which Python code imports it.
    pub imports: S,
    /// Names in listings of package managers, with `-`; a final `*` matches any ending.
    pub distributions: S,
    /// Names that a version follows in a sentence.
    pub spellings: S,
    /// Further names that a version follows where they are the whole label.
    pub labels: S,
    /// What only the running package leaves in a line.
    pub traces: S,
}

/// The rows of the catalogue, and the broken ones as line and reason.
pub fn read(text: &str) -> (Vec<Package<String>>, Vec<(u64, String)>) {
    crate::table::rows(text)
}

/// A row of `kb/imports.csv`: a module of Python, and the package of PyPI that has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Import<S> {
    /// What is imported: `cv2`, `google.protobuf`.
    pub import: S,
    /// The name that pip knows: `opencv-python`.
    pub distribution: S,
}

/// The rows of `kb/imports.csv`, and the broken ones as line and reason.
pub fn read_imports(text: &str) -> (Vec<Import<String>>, Vec<(u64, String)>) {
    crate::table::rows(text)
}

/// Literals that mark a line in which a package's version may appear: each spelling as written, in lower case and
/// capitalised, each distribution as it is pinned. A name of two letters marks a line only before a space: it is a part of
/// too many words.
pub fn marks(packages: &[Package<String>]) -> Vec<String> {
    let fields = |field: fn(&Package<String>) -> &String| {
        packages.iter().flat_map(move |row| field(row).split('|')).filter(|name| !name.is_empty())
    };
    let mut marks: Vec<String> = Vec::new();
    for name in fields(|row| &row.spellings) {
        let lower = name.to_lowercase();
        let (first, rest) = lower.split_at(lower.chars().next().map_or(0, char::len_utf8));
        for mut mark in [name.to_owned(), format!("{}{rest}", first.to_uppercase()), lower.clone()] {
            if mark.len() < 3 {
                mark.push(' ');
            }
            marks.push(mark);
        }
    }
    marks.extend(fields(|row| &row.distributions).map(|name| match name.strip_suffix('*') {
        Some(start) => start.to_owned(),
        None => format!("{name}=="),
    }));
    // The shorter literal finds the longer one too.
    marks.sort_by_key(String::len);
    let mut kept: Vec<String> = Vec::new();
    for mark in marks {
        if !kept.iter().any(|shorter| mark.contains(shorter.as_str())) {
            kept.push(mark);
        }
    }
    kept
}

/// What only a running framework leaves in a line.
pub fn traces(packages: &[Package<String>]) -> Vec<String> {
    let all = packages.iter().flat_map(|row| row.traces.split('|'));
    all.filter(|trace| !trace.is_empty()).map(str::to_owned).collect()
}
