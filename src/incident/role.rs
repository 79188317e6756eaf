//! What a line is for the reader of failures.

/// What a line of the transcript is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Anything not understood better.
    Text,
    /// A line that heads or ends an error: exception line, abort line, error status line.
    Error,
    /// "Traceback (most recent call last):" and the sentences between chained tracebacks.
    Header,
    /// A stack frame.
    Frame,
    /// Source code or local variables quoted by a traceback: never evidence.
    Code,
    /// Advice that a library prints with an error: never evidence.
    Advice,
    /// A report on something that was not run or not an error: skipped tests, pip listings, help texts, documents.
    Quiet,
    /// A line of one of Faultbook's own answers: never evidence.
    Answer,
}

impl Role {
    /// Whether the program that ran printed such a line about itself; anything else is no evidence.
    pub(crate) fn may_be_evidence(self) -> bool {
        !matches!(self, Role::Code | Role::Advice | Role::Quiet | Role::Answer)
    }
}
