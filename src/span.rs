//! Places in the text as the user sees it.
//!
//! Lines and columns count from 1; a column counts Unicode scalar values. UTF-16 columns exist only inside the
//! language server, which converts for itself.

/// One place: line and column, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Position {
    /// Physical line of the original text, from 1.
    pub line: u32,
    /// Column in Unicode scalar values, from 1.
    pub column: u32,
}

/// A stretch of text; `end` is the first place after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Span {
    /// The first place inside.
    pub start: Position,
    /// The first place after.
    pub end: Position,
}

impl Span {
    /// The whole of one line whose text has `width` characters.
    pub fn of_line(line: u32, width: usize) -> Self {
        let end = u32::try_from(width).unwrap_or(u32::MAX - 1) + 1;
        Self { start: Position { line, column: 1 }, end: Position { line, column: end } }
    }
}
