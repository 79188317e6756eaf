//! Reads `kb/removed.csv` and `kb/lifetimes.csv`. `build.rs` includes this file by path.

use serde::{Deserialize, Serialize};

/// What a name is to its package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A name of a module, imported or read as its attribute.
    Import,
    /// An attribute of a class's objects.
    Attribute,
    /// A keyword argument of a function or a class.
    Argument,
    /// A module.
    Module,
}

impl Kind {
    /// The word in the table and in facts.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Import => "import",
            Kind::Attribute => "attribute",
            Kind::Argument => "argument",
            Kind::Module => "module",
        }
    }
}

/// One name that some versions of a package do not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row<S> {
    /// The top-level module: `PIL`.
    pub package: S,
    /// The dotted name below it, after the module, class or function that it belongs to: `Image.ANTIALIAS`.
    pub name: S,
    /// What it is.
    pub kind: Kind,
    /// The first version without it; empty if none.
    pub removed_in: S,
    /// The first version with it; empty if it was there from the beginning.
    pub since: S,
    /// What to use instead, as markdown.
    pub replacement: S,
    /// Versions that have the name: `pillow<10`, `python<3.12`.
    pub pin: S,
    /// Software that is known to use the name.
    pub users: S,
    /// What the package's own error says, where it has a sentence of its own.
    pub message: S,
    /// Where the change is documented.
    pub source: S,
}

/// The rows of the table, and the broken ones as line and reason.
pub fn read(text: &str) -> (Vec<Row<String>>, Vec<(u64, String)>) {
    crate::table::rows(text)
}

/// One row of `kb/lifetimes.csv`: the columns of `kb/removed.csv` that wheels tell.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LifetimeRow {
    package: String,
    name: String,
    kind: Kind,
    since: String,
    removed_in: String,
    distribution: String,
}

/// The rows of the table of lifetimes, and the broken ones as line and reason.
pub fn read_lifetimes(text: &str) -> (Vec<LifetimeRow>, Vec<(u64, String)>) {
    crate::table::rows(text)
}

/// The rows as the lines that `lifetimes.rs` searches.
pub fn sorted_lines(rows: &[LifetimeRow]) -> String {
    let line = |row: &LifetimeRow| {
        let (owner, leaf) = row.name.rsplit_once('.').unwrap_or(("", &row.name));
        let LifetimeRow { package, since, removed_in, distribution, .. } = row;
        format!("{leaf}\t{}\t{package}\t{owner}\t{since}\t{removed_in}\t{distribution}\n", row.kind.word())
    };
    let mut lines: Vec<String> = rows.iter().map(line).collect();
    lines.sort_unstable();
    format!("\n{}", lines.concat())
}
