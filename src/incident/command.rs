//! Command lines that a text shows, with their overrides, so that a fix can be shown in the user's own spelling.

/// A command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    /// Program words before the first override.
    pub program: Vec<String>,
    /// `key=value` and `--key value` tokens.
    pub overrides: Vec<Override>,
    /// Index of the transcript line.
    pub at: usize,
}

/// One override.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Override {
    /// Key with its dashes.
    pub key: String,
    /// Value.
    pub value: String,
    /// Spelling.
    pub form: Form,
}

/// How an override is spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `a.b=c`
    Hydra,
    /// `--a b`
    DashSpace,
    /// `--a=b`
    DashEquals,
}
