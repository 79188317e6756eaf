//! A regex of the book that compiles when it is first needed and never fails: a pattern that does not compile matches
//! nothing (the linter names it).
//!
//! Patterns work on bytes with ASCII classes: `(?i)`, `\w`, `\b` and `\d` mean ASCII. What software prints about GPUs is
//! ASCII, and Unicode-aware patterns take half as long again to compile, which a short answer would feel.

use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

/// A lazily compiled regex from the book.
#[derive(Debug)]
pub struct Pattern {
    source: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// Keeps the source; compiles nothing yet.
    pub fn new(source: &str) -> Self {
        Self { source: source.to_owned(), compiled: OnceLock::new() }
    }

    /// Whether the pattern matches somewhere in `text`.
    pub fn is_match(&self, text: &str) -> bool {
        self.compiled().is_some_and(|regex| regex.is_match(text.as_bytes()))
    }

    /// Compiles the pattern.
    ///
    /// # Errors
    /// What is wrong with the source.
    pub fn compile(source: &str) -> Result<Regex, regex::Error> {
        RegexBuilder::new(source).unicode(false).build()
    }

    fn compiled(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| Self::compile(&self.source).ok()).as_ref()
    }
}
