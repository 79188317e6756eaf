//! A diagnosis as text for people and programs. Decides nothing: no ranking, no filtering, no input or output.
//!
//! `json` and `markdown` show everything, each in its own frozen shape. `terminal` is made for one screen: it shows
//! the best of each list in full and says how much more there is and where. Every renderer takes hostile text for
//! granted: words out of a log never carry control characters to a terminal.

pub mod article;
pub mod chart;
pub mod github;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod sarif;

pub mod terminal;
pub(crate) mod uri;

pub mod clean;
pub mod command;
pub mod inline;
pub mod layout;
pub mod style;
pub mod words;
mod xml;

/// An answer with the name of the text that it is for: formats of CI put several into one document.
#[derive(Debug, Clone, Copy)]
pub struct Answered<'a> {
    /// The text's path as the user gave it.
    pub path: &'a str,
    /// The answer.
    pub diagnosis: &'a crate::diagnosis::Diagnosis,
}
