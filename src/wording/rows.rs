//! The wordings as `build.rs`, which includes this file by path, packs them. `S` is a string: owned there, borrowed from
//! the binary in the library.

use serde::{Deserialize, Serialize};

use super::topics::Topics;

/// Words that make a line worth reading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alarms<S> {
    /// In lower case: words for which the surroundings of a line are kept where a text is too long to be read whole.
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
    /// "It works": what `{works}` at the beginning of a pattern stands for.
    pub works: S,
    /// Words of which such a clause holds one, whole.
    pub works_words: Vec<S>,
    /// What `{good}` at the end of a pattern stands for.
    pub good: S,
    /// A clause that denies what it says.
    pub denies: S,
    /// Facts that are no less true in a clause that denies something.
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
    /// Words of a sentence about a failure that may come.
    pub conditional: Vec<S>,
    /// How entries of change logs begin.
    pub changes: Vec<S>,
    /// Verbs before a quoted message that somebody only speaks of.
    pub mentions: Vec<S>,
    /// Words of a part that tells of the past.
    pub past: Vec<S>,
}
