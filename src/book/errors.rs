//! Errors that need no page of their own, as `kb/errors` has them: the words of a message, and what to do about it.
//!
//! `build.rs` includes this file by path, so it depends on serde, the schema and the literals alone. There are thousands of
//! entries: each stays packed until its words are found.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::schema::Cost;
use crate::literals::Literals;
use crate::numbers::Numbers;

/// What to do about one error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorEntry<S> {
    /// The id of its actions, after `unlisted#`.
    pub id: S,
    /// Names of exception types without their modules; none: every type.
    #[serde(default = "Vec::new")]
    pub types: Vec<S>,
    /// One of these is in the message, in lower case; parts joined by ` & ` must all be there. None: every message.
    #[serde(default = "Vec::new")]
    pub words: Vec<S>,
    /// The page that the error is a case of: it is answered with the page, these actions first.
    pub fault: Option<S>,
    /// The cause on that page that the words speak for.
    pub cause: Option<S>,
    /// Whether another version of the package that raised it helps more often than the actions.
    #[serde(default)]
    pub version: bool,
    /// Whether it is what people describe who have no message: its id is the name of a kind of `kb/descriptions`.
    #[serde(default)]
    pub described: bool,
    /// Whether runs print its words and go on, so that the words by themselves report no failure.
    #[serde(default)]
    pub notice: bool,
    /// What to do, what most often helps first.
    pub action: Vec<ErrorAction<S>>,
}

/// One thing to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorAction<S> {
    /// What to do, in the imperative.
    pub title: S,
    /// In an entry for what people describe: the situation in which it comes first, a file of `kb/descriptions/ID`.
    pub told: Option<S>,
    /// Why, and what to look at; `{frame}` is the innermost line of the user's own code, `{quoted}` the first name that
    /// the message quotes.
    pub detail: S,
    /// Blocks of commands.
    #[serde(default = "Vec::new")]
    pub commands: Vec<S>,
    /// How much effort it is.
    #[serde(default = "code")]
    pub cost: Cost,
}

fn code() -> Cost {
    Cost::Code
}

/// All entries, each packed by itself.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PackedErrors<'a> {
    /// Each entry.
    #[serde(borrow)]
    pub(crate) entries: Vec<&'a [u8]>,
    /// The entries that are cases of a page, by its id; under an empty id those without words.
    #[serde(borrow)]
    pub(crate) groups: Vec<(&'a str, Vec<u16>)>,
}

/// What finds entries in a text.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PackedWords<'a> {
    /// Of each alternative of an entry's words the longest part.
    #[serde(borrow)]
    pub(crate) literals: Literals<'a>,
    /// For each literal its entry.
    #[serde(borrow)]
    numbers: Numbers<'a>,
    /// For each literal where its alternative begins in `alternatives`; the end of the last one.
    #[serde(borrow)]
    starts: Numbers<'a>,
    /// All parts of each alternative.
    #[serde(borrow)]
    alternatives: Cow<'a, [u8]>,
}

#[allow(dead_code, reason = "only a build asks")]
impl PackedWords<'static> {
    /// Of the alternatives of all entries, each with the number of its entry.
    pub(crate) fn new(alternatives: &[(u16, &str)]) -> Self {
        let mut end = 0;
        let ends = alternatives.iter().map(|(_, words)| {
            end += u32::try_from(words.len()).expect("words of a few megabytes at most");
            end
        });
        Self {
            literals: finder(alternatives.iter().map(|(_, words)| *words)),
            starts: std::iter::once(0).chain(ends).collect(),
            numbers: alternatives.iter().map(|(number, _)| u32::from(*number)).collect(),
            alternatives: alternatives.iter().flat_map(|(_, words)| words.bytes()).collect(),
        }
    }
}

#[allow(dead_code, reason = "a build asks for none")]
impl PackedWords<'_> {
    /// The entry of a literal, and all parts of its alternative.
    pub(crate) fn alternative(&self, literal: usize) -> Option<(u16, &str)> {
        let (start, end) = (self.starts.get(literal)? as usize, self.starts.get(literal + 1)? as usize);
        let words = std::str::from_utf8(self.alternatives.get(start..end)?).ok()?;
        Some((u16::try_from(self.numbers.get(literal)?).ok()?, words))
    }
}

/// Finds entries by the words in texts.
#[allow(dead_code, reason = "only a build asks")]
fn finder<'a>(alternatives: impl Iterator<Item = &'a str>) -> Literals<'static> {
    Literals::new(alternatives.map(|words| words.split(AND).max_by_key(|part| part.len()).unwrap_or_default()))
}

/// What joins parts of `words` that must all be in a message.
pub const AND: &str = " & ";

/// Shorter words alone are in too many messages.
const FEWEST_BYTES: usize = 8;

/// What is wrong with an entry.
pub fn mistake(entry: &ErrorEntry<String>) -> Option<String> {
    if entry.described != (entry.types.is_empty() && entry.words.is_empty()) {
        return Some("it has neither types nor words, or it is described and has both".to_owned());
    }
    if entry.action.is_empty() {
        return Some("it has no action".to_owned());
    }
    if entry.cause.is_some() && entry.fault.is_none() {
        return Some("it names a cause and no page".to_owned());
    }
    entry.words.iter().find_map(|words| {
        if words.chars().any(|c| c.is_ascii_uppercase()) {
            Some(format!("{words:?} is not in lower case"))
        } else if words.split(AND).any(str::is_empty) || words.len() < FEWEST_BYTES && entry.types.is_empty() {
            Some(format!("{words:?} is too short"))
        } else {
            None
        }
    })
}
