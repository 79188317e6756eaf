//! How people name a problem in a few words, as `kb/wording/titles.toml` has it. `build.rs` includes this file by path.

use serde::{Deserialize, Serialize};

use super::rows::Symptom;

/// `titles.toml`: how people name a problem in a few words, without a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Titles<S> {
    /// Matches a title of a change, a document, a question about others or a problem that is over.
    pub never: S,
    /// Beside these words such a title names a problem of its writer all the same.
    pub nonetheless: S,
    /// Matches a title that names some failure.
    pub failing: S,
    /// Matches the pages whose words name only what a title is about: they count beside a word of `failing`.
    pub subjects: S,
    /// The words for a page, those that say more first.
    pub title: Vec<Symptom<S>>,
}
