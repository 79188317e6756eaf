//! A diagnosis as text for people and programs. Decides nothing: no ranking, no filtering, no input or output.
//!
//! `json` and `markdown` show everything. `terminal` fits one screen: it shows the best of each list in full and says
//! how much more there is and where. `brief` is for a language model. `sarif`, `github` and `junit` write findings of any command. Every renderer treats
//! text as untrusted: text from a log never sends control characters to a terminal.

pub(crate) mod article;
pub mod brief;
pub(crate) mod chart;
pub(crate) mod finding;
pub mod github;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod plot;
pub mod sarif;

pub mod terminal;
pub(crate) mod uri;

pub mod clean;
pub(crate) mod command;
pub(crate) mod inline;
pub(crate) mod layout;
pub(crate) mod safe;
pub(crate) mod style;
pub(crate) mod words;
mod xml;
