//! A mistake on a page, with its position and what to do about it; made by the strict reader and by `check`.

use std::fmt;

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Line of the file, from 1.
    pub line: u32,
    /// Column in Unicode scalar values, from 1.
    pub column: u32,
    /// The rule's name: `unknown-recipe`.
    pub rule: &'static str,
    /// What is wrong, on what.
    pub message: String,
    /// What to do next; empty where the message says it all.
    pub help: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}  {}: {}", self.line, self.column, self.rule, self.message)?;
        if self.help.is_empty() { Ok(()) } else { write!(f, "\n  help: {}", self.help) }
    }
}
