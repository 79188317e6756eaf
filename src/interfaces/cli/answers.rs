//! What somebody answered to the questions of `new`.

use crate::reports::draft::context::Row;

/// What somebody answered.
#[cfg_attr(not(feature = "prompts"), expect(dead_code, reason = "without prompts nobody stops or appends"))]
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
