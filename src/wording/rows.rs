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

/// `headings.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Headings<S> {
    /// In the order in which they are tried.
    pub heading: Vec<Heading<S>>,
}

/// Phrases of headings that say the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Heading<S> {
    /// What such a section is for.
    pub role: S,
    /// Where in the heading a phrase must be.
    pub at: At,
    /// In comparing form.
    pub phrases: Vec<S>,
}

/// Where in a heading a phrase must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum At {
    /// It is the whole heading.
    Whole,
    /// The heading begins or ends with it, at a word's border.
    Edge,
    /// Anywhere in the heading.
    Inside,
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

/// `failures.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failures<S> {
    /// Patterns of lines that are no failure, whatever else they say.
    pub never: Vec<S>,
    /// Patterns of lines that report the end of a process, whatever else they say.
    pub certain: Vec<S>,
    /// Patterns of lines that report a failure, unless they are harmless.
    pub likely: Vec<S>,
    /// Patterns of lines that only sound like one.
    pub harmless: Vec<S>,
    /// Patterns of lines by which a run shows that it survived what was above.
    pub ended_well: Vec<S>,
    /// Failures that a page describes, named by their symptom only.
    pub symptom: Vec<Symptom<S>>,
}

/// The words for a symptom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Symptom<S> {
    /// The page.
    pub fault: S,
    /// Matches the line.
    pub pattern: S,
}
