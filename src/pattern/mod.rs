//! A regex of the book that compiles when it is first needed and never fails: a pattern that does not compile matches
//! nothing (the linter names it).
//!
//! Patterns work on bytes with ASCII classes: `(?i)`, `\w`, `\b` and `\d` mean ASCII. What software prints about GPUs is
//! ASCII, and Unicode-aware patterns take half as long again to compile, which a short answer would feel. For the same
//! reason the engine is asked not to look for literals in a pattern, which is most of the work of compiling one, and a
//! pattern that has seen few lines is matched by backtracking: the automaton for long texts comes when there is one.
//! Before a pattern is compiled at all, a text must contain one of its needles.

mod needles;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use regex::bytes::RegexBuilder;
use regex_automata::meta::Regex;
use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::util::syntax;

use crate::literals::Literals;

#[cfg(test)]
thread_local! {
    /// How many patterns and conditions this thread compiled.
    pub(crate) static COMPILED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// A lazily compiled regex from the book.
#[derive(Debug)]
pub struct Pattern {
    source: String,
    needles: OnceLock<Option<Vec<String>>>,
    /// What finds the needles.
    finder: OnceLock<Option<Literals<'static>>>,
    /// Quickly compiled, slowly matched.
    quick: OnceLock<Option<Regex>>,
    /// Slowly compiled, quickly matched.
    thorough: OnceLock<Option<Regex>>,
    /// How many bytes it was matched against; those that were only searched for needles count less.
    seen: AtomicUsize,
}

impl Clone for Pattern {
    fn clone(&self) -> Self {
        Self::new(&self.source)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for Pattern {}

/// How many bytes a pattern may see before the automaton is worth its time.
const FEW: usize = 16 << 10;

/// How much longer a regex takes for a text than the search for needles does.
const TIMES_LONGER: usize = 16;

impl Pattern {
    /// Keeps the source; compiles nothing yet.
    pub(crate) fn new(source: &str) -> Self {
        Self {
            source: source.to_owned(),
            needles: OnceLock::new(),
            finder: OnceLock::new(),
            quick: OnceLock::new(),
            thorough: OnceLock::new(),
            seen: AtomicUsize::new(0),
        }
    }

    /// A pattern that matches where one of these does, whatever the case of ASCII letters.
    pub(crate) fn any_of(patterns: &[&str]) -> Self {
        let parts: Vec<String> = patterns.iter().map(|pattern| format!("(?:{pattern})")).collect();
        Self::new(&format!("(?i){}", parts.join("|")))
    }

    /// The regex as written.
    pub(crate) fn source(&self) -> &str {
        &self.source
    }

    /// Literals in lower case of which every match contains one, whatever the case of ASCII letters; `None` if no such
    /// literals are known.
    pub(crate) fn needles(&self) -> Option<&[String]> {
        self.needles.get_or_init(|| needles::needles(&self.source)).as_deref()
    }

    /// Whether the pattern matches somewhere in `text`.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        if self.seen.load(Ordering::Relaxed) <= FEW && !self.has_needle(text) {
            self.seen.fetch_add(text.len() / TIMES_LONGER, Ordering::Relaxed);
            return false;
        }
        self.confirms(text)
    }

    fn has_needle(&self, text: &str) -> bool {
        let finder = self.finder.get_or_init(|| self.needles().map(Literals::ignoring_case));
        finder.as_ref().is_none_or(|finder| finder.is_in(text))
    }

    /// Whether the pattern matches somewhere in `text`, which contains a needle.
    pub(crate) fn confirms(&self, text: &str) -> bool {
        let quick = self.seen.fetch_add(text.len(), Ordering::Relaxed) + text.len() <= FEW;
        let compiled = if quick { &self.quick } else { &self.thorough };
        compiled.get_or_init(|| self.compile(quick)).as_ref().is_some_and(|regex| regex.is_match(text.as_bytes()))
    }

    /// Checks a pattern's source.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn check(source: &str) -> Result<(), regex::Error> {
        RegexBuilder::new(source).unicode(false).build().map(|_| ())
    }

    fn compile(&self, quick: bool) -> Option<Regex> {
        #[cfg(test)]
        COMPILED.with(|compiled| compiled.set(compiled.get() + 1));
        let config = Regex::config()
            .utf8_empty(false)
            .auto_prefilter(false)
            .nfa_size_limit(Some(10 << 20))
            .which_captures(WhichCaptures::None)
            .hybrid(!quick)
            .onepass(!quick);
        let syntax = syntax::Config::new().unicode(false).utf8(false);
        Regex::builder().configure(config).syntax(syntax).build(&self.source).ok()
    }
}
