//! The wordings as `build.rs`, which includes this file by path, packs them. `S` is a string: owned there, borrowed from
//! the binary in the library.

use serde::{Deserialize, Serialize};

use super::topics::Topics;

/// Words that make a line worth reading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alarms<S> {
    /// In lower case: words whose surrounding lines are kept when a text is too long to read completely.
    pub alarms: Vec<S>,
    /// Literals as they are printed, each with its topics.
    pub literals: Vec<(S, Topics)>,
}

/// `advice.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Advice<S> {
    /// How lines begin that are advice from their first word to their last.
    pub lines: Vec<S>,
    /// How sentences begin that are advice wherever they are printed.
    pub sentences: Vec<S>,
}

/// `statements.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statements<S> {
    /// "It works": what replaces `{works}` at the beginning of a pattern.
    pub works: S,
    /// Such a clause contains one of these words.
    pub works_words: Vec<S>,
    /// What replaces `{good}` at the end of a pattern.
    pub good: S,
    /// Matches a negated clause.
    pub denies: S,
    /// Facts that stay true in a negated clause.
    pub blunt: Vec<S>,
    /// An update that changed nothing, or fixed it.
    pub no_beginning: S,
    /// The wordings.
    pub statement: Vec<Statement<S>>,
}

/// One wording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement<S> {
    /// The fact that it states.
    pub fact: S,
    /// Groups of beginnings of words: groups separated by `&`, words by `|`.
    pub words: S,
    /// The regex.
    pub pattern: S,
}

/// `writing.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Writing<S> {
    /// Words of a sentence about a possible failure.
    pub conditional: Vec<S>,
    /// How entries of change logs begin.
    pub changes: Vec<S>,
    /// Verbs before a quoted message that is only mentioned.
    pub mentions: Vec<S>,
    /// Words of a part about the past.
    pub past: Vec<S>,
}
