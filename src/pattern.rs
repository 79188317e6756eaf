//! A regex that compiles when it is first needed and never fails: a pattern that does not compile matches nothing.

use std::sync::OnceLock;

use regex::Regex;

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
        self.compiled().is_some_and(|regex| regex.is_match(text))
    }

    /// The first match in `text`, in bytes.
    pub fn find(&self, text: &str) -> Option<std::ops::Range<usize>> {
        self.compiled()?.find(text).map(|found| found.range())
    }

    fn compiled(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| Regex::new(&self.source).ok()).as_ref()
    }
}
