//! Reads `kb/truth.csv`. `build.rs` includes this file by path.

use serde::{Deserialize, Serialize};

/// What a name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A dotted name of Python.
    Attribute,
    /// A status code, which the tables under `kb/codes` hold.
    Code,
    /// A program.
    Command,
    /// A flag of a program.
    Flag,
    /// A container image.
    Image,
    /// A keyword of a call or a configuration.
    Option,
    /// A package of PyPI, with the versions asked for.
    Package,
    /// An environment variable, or another name in capitals.
    Variable,
    /// A build of a framework, a row of `kb/hardware/wheels.csv`.
    Wheel,
}

/// What a machine found out about a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The newest release that was looked at has it.
    Exists,
    /// An older release has it, the newest does not.
    Gone,
    /// No package holds it; the note names a source.
    Documented,
    /// A word that the reader replaces.
    Example,
    /// Nothing that was looked at can prove it.
    Unproved,
    /// It surely does not exist.
    #[serde(rename = "does not exist")]
    Missing,
}

/// One name that the book prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row<S> {
    /// As the book prints it.
    pub name: S,
    /// What it is.
    pub kind: Kind,
    /// The package that has it; `deb:` begins a package of Debian.
    pub owner: S,
    /// The oldest release looked at that has it.
    pub first: S,
    /// The newest release looked at that has it.
    pub last: S,
    /// The month of the check, `2026-11`.
    pub date: S,
    /// The result.
    pub verdict: Verdict,
    /// A source, or why it cannot be proved.
    pub note: S,
}

/// The rows of the table, and the broken ones as line and reason.
pub fn read(text: &str) -> (Vec<Row<String>>, Vec<(u64, String)>) {
    crate::table::rows(text)
}
