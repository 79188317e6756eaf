//! The user's answers to the questions of `new`.

use crate::reports::draft::context::Row;

#[cfg_attr(not(feature = "prompts"), expect(dead_code, reason = "without prompts nobody stops or appends"))]
pub(crate) enum Answers {
    /// Write nothing.
    Stop,
    /// Add to this report.
    Append(String),
    /// Write a new report with these values.
    New {
        title: Option<String>,
        severity: Option<String>,
        command: Option<String>,
        /// What the log does not say about the machine.
        rows: Vec<Row>,
    },
}
