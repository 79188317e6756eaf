//! What operating systems print in other languages, as `kb/wording/translations.toml` has it. `build.rs` includes this file
//! by path.

use serde::{Deserialize, Serialize};

/// `translations.toml`: what operating systems print in other languages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Translations<S> {
    /// What shells write after the name of a signal when a core file was written.
    pub core_dumped: Vec<S>,
    /// Numbers of errors, in front of words in the system's language.
    pub code: Vec<NumberedMessage<S>>,
    /// Names of signals, which stand alone on their line.
    pub signal: Vec<Translation<S>>,
    /// Messages, which may stand anywhere.
    pub message: Vec<Translation<S>>,
}

/// The number of an error and its English message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NumberedMessage<S> {
    /// `[Errno 28]`.
    pub mark: S,
    /// `No space left on device`.
    pub english: S,
}

/// An English message and its translations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Translation<S> {
    /// As the book spells it.
    pub english: S,
    /// In other languages.
    pub words: Vec<S>,
}
