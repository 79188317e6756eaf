//! Without the feature `prompts` nobody is asked anything.

use faultbook::draft::context::{Context, Row};
use faultbook::draft::duplicates::Duplicate;

/// What somebody answered.
#[expect(dead_code, reason = "only the prompts give the other answers")]
pub(crate) enum Answers {
    /// Write nothing.
    Stop,
    /// Add to this report.
    Append(String),
    /// Write a new one with these values.
    New {
        /// The title.
        title: Option<String>,
        /// The severity.
        severity: Option<String>,
        /// The command.
        command: Option<String>,
        /// What the log does not say of the machine.
        rows: Vec<Row>,
    },
}

/// Asks nothing.
#[expect(clippy::unnecessary_wraps, reason = "asking can fail")]
pub(crate) fn about(_: Option<&Duplicate>, _: &Context, _: bool) -> anyhow::Result<Answers> {
    Ok(Answers::New { title: None, severity: None, command: None, rows: Vec::new() })
}
