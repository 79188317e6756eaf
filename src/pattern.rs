//! A regex of the book that compiles when it is first needed and never fails: a pattern that does not compile matches
//! nothing (the linter names it).
//!
//! Patterns work on bytes with ASCII classes: `(?i)`, `\w`, `\b` and `\d` mean ASCII. What software prints about GPUs is
//! ASCII, and Unicode-aware patterns take half as long again to compile, which a short answer would feel. For the same
//! reason the engine is asked not to look for literals in a pattern, which is most of the work of compiling one: a
//! pattern sees single lines, mostly few of them.

use std::sync::OnceLock;

use regex::bytes::RegexBuilder;
use regex_automata::meta::Regex;
use regex_automata::util::syntax;

#[cfg(test)]
thread_local! {
    /// How many patterns and conditions this thread compiled.
    pub(crate) static COMPILED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// A lazily compiled regex from the book.
#[derive(Debug)]
pub struct Pattern {
    source: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// Keeps the source; compiles nothing yet.
    pub(crate) fn new(source: &str) -> Self {
        Self { source: source.to_owned(), compiled: OnceLock::new() }
    }

    /// Whether the pattern matches somewhere in `text`.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.compiled().is_some_and(|regex| regex.is_match(text.as_bytes()))
    }

    /// Checks a pattern's source.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn check(source: &str) -> Result<(), regex::Error> {
        RegexBuilder::new(source).unicode(false).build().map(|_| ())
    }

    fn compiled(&self) -> Option<&Regex> {
        let compile = || {
            #[cfg(test)]
            COMPILED.with(|compiled| compiled.set(compiled.get() + 1));
            Regex::builder()
                .configure(Regex::config().utf8_empty(false).auto_prefilter(false).nfa_size_limit(Some(10 << 20)))
                .syntax(syntax::Config::new().unicode(false).utf8(false))
                .build(&self.source)
                .ok()
        };
        self.compiled.get_or_init(compile).as_ref()
    }
}
