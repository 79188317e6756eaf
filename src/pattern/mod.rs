//! A regex of the book that compiles when it is first needed and never fails: what does not compile matches nothing, be it
//! one of the alternatives or, once a pattern has seen much text, the pattern as one (the linter names it).
//!
//! Patterns work on bytes with ASCII classes: `(?i)`, `\w`, `\b` and `\d` mean ASCII. What software prints about GPUs is
//! ASCII, and Unicode-aware patterns take half as long again to compile, which a short answer would feel. For the same
//! reason the engine is asked not to look for literals in a pattern, which is most of the work of compiling one, and a
//! pattern that has seen few lines is matched by backtracking: the automaton for long texts comes when there is one.
//! Of a pattern only the alternatives are compiled that a text may match, as their needles tell.

mod alternatives;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use regex::bytes::RegexBuilder;
use regex_automata::meta::Regex;
use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::util::syntax;

pub(crate) use self::alternatives::Alternative;
use crate::literals::Literals;

#[cfg(test)]
thread_local! {
    /// How many patterns and conditions this thread compiled.
    pub(crate) static COMPILED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// A lazily compiled regex from the book.
#[derive(Debug)]
pub struct Pattern {
    whole: LazyRegex,
    alternatives: OnceLock<Vec<Alternative>>,
    finder: OnceLock<Finder>,
}

/// Finds the alternatives that a text may match.
#[derive(Debug)]
struct Finder {
    needles: Literals<'static>,
    /// For each needle its alternative.
    numbers: Vec<usize>,
    /// The alternative without needles.
    always: Option<usize>,
}

impl Finder {
    fn new(alternatives: &[Alternative]) -> Self {
        let needles = || {
            let numbered = alternatives.iter().enumerate();
            numbered.flat_map(|(number, one)| one.needles.iter().map(move |needle| (number, needle)))
        };
        Self {
            needles: Literals::ignoring_case(needles().map(|(_, needle)| needle)),
            numbers: needles().map(|(number, _)| number).collect(),
            always: alternatives.iter().position(|one| one.needles.is_empty()),
        }
    }

    /// The alternatives that a text may match, those without needles last.
    fn find(&self, text: &str) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        self.needles.find(text, |needle, _| {
            let number = self.numbers[needle];
            if !found.contains(&number) {
                found.push(number);
            }
        });
        found.extend(self.always);
        found
    }
}

/// A regex that is compiled when it is first needed.
#[derive(Debug)]
struct LazyRegex {
    source: String,
    /// Quickly compiled, slowly matched.
    quick: OnceLock<Option<Regex>>,
    /// Slowly compiled, quickly matched.
    thorough: OnceLock<Option<Regex>>,
    /// How many bytes it was matched against.
    seen: AtomicUsize,
}

impl Clone for Pattern {
    fn clone(&self) -> Self {
        Self::new(self.source())
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source() == other.source()
    }
}

impl Eq for Pattern {}

/// How many bytes a pattern may see before the automaton is worth its time.
const FEW: usize = 16 << 10;

/// How much longer a regex takes for a text than the search for needles does.
const TIMES_LONGER: usize = 16;

/// The most bytes of states that an automaton keeps for one thread, before it forgets them and begins again. A server has
/// hundreds of automata, several times over.
const STATES: usize = 256 << 10;

impl Pattern {
    /// Keeps the source; compiles nothing yet.
    pub(crate) fn new(source: &str) -> Self {
        Self { whole: LazyRegex::new(source.to_owned()), alternatives: OnceLock::new(), finder: OnceLock::new() }
    }

    /// A pattern that matches where one of these does, whatever the case of ASCII letters.
    pub(crate) fn any_of(patterns: &[&str]) -> Self {
        let parts: Vec<String> = patterns.iter().map(|pattern| format!("(?:{pattern})")).collect();
        Self::new(&format!("(?i){}", parts.join("|")))
    }

    /// The regex as written.
    pub(crate) fn source(&self) -> &str {
        &self.whole.source
    }

    /// Its alternatives; those without needles come last, as one.
    pub(crate) fn alternatives(&self) -> &[Alternative] {
        self.alternatives.get_or_init(|| alternatives::alternatives(self.source()))
    }

    /// Whether the pattern matches somewhere in `text`.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        if self.whole.has_seen_much() {
            return self.whole.is_match(text);
        }
        self.whole.seen.fetch_add(text.len() / TIMES_LONGER, Ordering::Relaxed);
        let alternatives = self.alternatives();
        let finder = self.finder.get_or_init(|| Finder::new(alternatives));
        finder.find(text).into_iter().any(|number| alternatives[number].confirms(text))
    }

    /// Checks a pattern's source.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn check(source: &str) -> Result<(), regex::Error> {
        RegexBuilder::new(source).unicode(false).build().map(|_| ())
    }
}

impl LazyRegex {
    fn new(source: String) -> Self {
        Self { source, quick: OnceLock::new(), thorough: OnceLock::new(), seen: AtomicUsize::new(0) }
    }

    fn has_seen_much(&self) -> bool {
        self.seen.load(Ordering::Relaxed) > FEW
    }

    fn is_match(&self, text: &str) -> bool {
        self.seen.fetch_add(text.len(), Ordering::Relaxed);
        let quick = !self.has_seen_much();
        let compiled = if quick { &self.quick } else { &self.thorough };
        compiled.get_or_init(|| self.compile(quick)).as_ref().is_some_and(|regex| regex.is_match(text.as_bytes()))
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
            .hybrid_cache_capacity(STATES)
            .onepass(!quick);
        let syntax = syntax::Config::new().unicode(false).utf8(false);
        Regex::builder().configure(config).syntax(syntax).build(&self.source).ok()
    }
}
