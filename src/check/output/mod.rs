//! Findings as text for people and machines. Renderers decide nothing: they show every finding that they are given.

pub(crate) mod github;
mod json;
mod sarif;
mod terminal;

pub use github::github;
pub use json::json;
pub use sarif::sarif;
pub use terminal::{Shown, terminal};

use super::{Finding, Severity};

/// How many findings of each severity there are: info, warnings, errors.
pub fn counts(findings: &[Finding]) -> [usize; 3] {
    [Severity::Info, Severity::Warning, Severity::Error]
        .map(|severity| findings.iter().filter(|finding| finding.severity == severity).count())
}

/// Whether a check with these findings is clean: nothing worse than [`Severity::Info`].
pub fn is_clean(findings: &[Finding]) -> bool {
    findings.iter().all(|finding| finding.severity == Severity::Info)
}
