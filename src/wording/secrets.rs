//! `secrets.toml` as `build.rs`, which includes this file by path, packs it: what is removed from a text that is shared.

use serde::{Deserialize, Serialize};

/// `secrets.toml`: what is removed from a text that is shared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Secrets<S> {
    /// What names imply about their values.
    pub names: SecretNames<S>,
    /// Which runs of hexadecimal digits are keys.
    pub hexadecimal: Hexadecimal<S>,
    /// Commands that take secrets or addresses.
    pub commands: SecretCommands<S>,
    /// Words that end no value of the line above them.
    pub wrapped: Wrapped<S>,
    /// Headers of cookies.
    pub cookies: Cookies<S>,
    /// Secrets that show what they are.
    pub token: Vec<Token<S>>,
    /// Secrets that only a name beside them shows.
    pub named: Vec<NamedSecret<S>>,
}

/// Names in lower case without `_` and `-`, or their last words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecretNames<S> {
    /// The value is a secret whatever it looks like.
    pub sure: Vec<S>,
    /// The value is a secret if it looks random.
    pub doubtful: Vec<S>,
    /// Words of which a line has one that names a secret.
    pub hints: Vec<S>,
}

/// Words before runs of hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hexadecimal<S> {
    /// Words before keys.
    pub keys: Vec<S>,
    /// Words before hashes.
    pub hashes: Vec<S>,
}

/// Names of commands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecretCommands<S> {
    /// Those that take a password in the same word as the option `-p`.
    pub glued: Vec<S>,
    /// Those that take `user@host`, and words before such a comment.
    pub remote: Vec<S>,
}

/// Lines that are one word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wrapped<S> {
    /// In lower case: they end no value of the line above them.
    pub lone: Vec<S>,
}

/// Headers of cookies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cookies<S> {
    /// Names that are not those of cookies.
    pub attributes: Vec<S>,
}

/// A kind of secret that shows what it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Token<S> {
    /// What it is: "a GitHub token".
    pub what: S,
    /// What replaces it, if it has a word of its own.
    pub left: Option<S>,
    /// How it is composed.
    pub shapes: Vec<S>,
    /// The shortest last run, where it may be shorter than the service documents.
    pub least: Option<u16>,
}

/// A kind of secret that a name beside it shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedSecret<S> {
    /// What it is.
    pub what: S,
    /// Variables and settings that hold it.
    pub names: Vec<S>,
    /// How it is composed.
    pub shape: S,
}
