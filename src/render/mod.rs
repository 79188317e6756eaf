//! A diagnosis as text for people and programs. Decides nothing: no ranking, no filtering, no input or output.
//!
//! `json` and `markdown` show everything. `terminal` is made for one screen: it shows the best of each list in full and
//! says how much more there is and where. `sarif`, `github` and `junit` write findings of any command. Every renderer
//! takes hostile text for granted: words out of a log never carry control characters to a terminal.

pub mod article;
pub mod chart;
pub mod finding;
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
