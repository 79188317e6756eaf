//! How one language says that something works, fails, or did not help.

use memchr::memmem;

use super::Said;
use super::clauses::{Clause, begins_word};
use crate::pattern::Pattern;
use crate::wording;

/// A regex that is only looked at where one word of each group is in the text.
struct Guarded<'s> {
    groups: Vec<Vec<&'s str>>,
    pattern: Pattern,
}

impl<'s> Guarded<'s> {
    fn new<S: AsRef<str>>(source: &'s wording::Wording<S>) -> Self {
        Self { groups: groups(source.words.as_ref()), pattern: Pattern::new(source.pattern.as_ref()) }
    }

    fn may_match(&self, text: &str) -> bool {
        holds(&self.groups, text)
    }

    fn matches(&self, text: &str) -> bool {
        self.may_match(text) && self.pattern.is_match(text)
    }
}

/// The words about success and failure.
pub(super) struct Language<'s> {
    works: Guarded<'s>,
    fails: Guarded<'s>,
    useless: Guarded<'s>,
    avoids: Option<Guarded<'s>>,
    denies: Pattern,
    supposes: Pattern,
    advises: Option<Pattern>,
    reverses: Option<Pattern>,
    pub(super) no_beginning: Pattern,
}

/// What a clause says of what it mentions.
#[derive(Default)]
pub(super) struct Outcome {
    /// It works, or it fails.
    pub(super) works: Option<bool>,
    /// It did not help.
    pub(super) useless: bool,
}

impl<'s> Language<'s> {
    pub(super) fn new<S: AsRef<str>>(source: &'s wording::Language<S>) -> Self {
        Self {
            works: Guarded::new(&source.works),
            fails: Guarded::new(&source.fails),
            useless: Guarded::new(&source.useless),
            avoids: source.avoids.as_ref().map(Guarded::new),
            denies: Pattern::new(source.denies.as_ref()),
            supposes: Pattern::new(source.supposes.as_ref()),
            advises: pattern(source.advises.as_ref()),
            reverses: pattern(source.reverses.as_ref()),
            no_beginning: Pattern::new(source.no_beginning.as_ref()),
        }
    }

    /// Whether a text says how something went.
    pub(super) fn judges(&self, text: &str) -> bool {
        [&self.works, &self.fails, &self.useless].iter().any(|guarded| guarded.matches(text)) || self.avoids(text)
    }

    /// Whether a text says that the failure does not occur.
    fn avoids(&self, text: &str) -> bool {
        self.avoids.as_ref().is_some_and(|guarded| guarded.matches(text))
    }

    /// Whether words say the opposite of what the words before them say.
    pub(super) fn reverses(&self, text: &str) -> bool {
        self.reverses.as_ref().is_some_and(|pattern| pattern.is_match(text))
    }

    /// Whether a clause advises, or asks for yes or no.
    pub(super) fn advises(&self, clause: &Clause<'_>) -> bool {
        let asked = clause.asks.then(|| format!("{}?", clause.text));
        let text = asked.as_deref().unwrap_or(clause.text);
        self.advises.as_ref().is_some_and(|pattern| pattern.is_match(text))
    }

    pub(super) fn denies(&self, text: &str) -> bool {
        self.denies.is_match(text)
    }

    /// Whether a text is a question, a supposition or a piece of advice.
    pub(super) fn supposes(&self, text: &str, clause: &Clause<'_>) -> bool {
        clause.asks || self.supposes.is_match(text)
    }

    pub(super) fn outcome(&self, text: &str) -> Outcome {
        let useless = self.useless.matches(text);
        let works = if self.avoids(text) {
            Some(true)
        } else if self.fails.matches(text) {
            Some(false)
        } else {
            (self.works.matches(text) && !self.denies(text)).then_some(true)
        };
        Outcome { works, useless }
    }
}

/// One wording of one language.
pub(super) struct Row<'s> {
    pub(super) language: usize,
    pub(super) states: States<'s>,
    /// It is told by several clauses of a line.
    pub(super) across: bool,
    pub(super) groups: Vec<Vec<&'s str>>,
    pattern: Pattern,
    unless: Option<Pattern>,
}

/// What a wording states.
#[derive(Debug, Clone, Copy)]
pub(super) enum States<'s> {
    /// A fact of its own.
    Fact(Said<'s>),
    /// A circumstance: the facts if it works and if it fails there, and the recipe that was tried.
    Trial { works: Option<&'s str>, fails: Option<&'s str>, tried: Option<&'s str> },
}

impl<'s> Row<'s> {
    pub(super) fn new<S: AsRef<str>>(
        source: &'s wording::Statement<S>,
        number: usize,
        language: &'s wording::Language<S>,
    ) -> Self {
        let text = |field: &'s Option<S>| field.as_ref().map(AsRef::as_ref);
        let pattern = source.pattern.as_ref();
        let mut groups = groups(source.words.as_ref());
        let states = match (text(&source.fact), text(&source.value)) {
            (Some(fact), Some(value)) => States::Fact(Said::Is(fact, value)),
            (Some(fact), None) => States::Fact(Said::Yes(fact)),
            (None, _) => {
                let (works, fails, tried) = (text(&source.works), text(&source.fails), text(&source.tried));
                let told = |wording: &'s wording::Wording<S>, one: Option<&str>| {
                    let words = one.map(|_| self::groups(wording.words.as_ref()));
                    words.into_iter().flatten().flatten()
                };
                let avoids = language.avoids.iter().flat_map(|avoids| told(avoids, works));
                let outcomes = told(&language.works, works)
                    .chain(avoids)
                    .chain(told(&language.fails, fails))
                    .chain(told(&language.useless, tried));
                groups.push(outcomes.collect());
                States::Trial { works, fails, tried }
            }
        };
        if pattern.contains(WORKS) {
            groups.extend(self::groups(language.works.words.as_ref()));
        }
        let pattern = pattern.replace(WORKS, language.works.pattern.as_ref());
        let unless = source.unless.as_ref().map(|unless| Pattern::new(unless.as_ref()));
        Self { language: number, states, across: source.across, groups, pattern: Pattern::new(&pattern), unless }
    }

    /// Whether a clause mentions it. Cheap tests come first: a pattern that is never needed is never compiled.
    pub(super) fn matches(&self, clause: &str) -> bool {
        let groups = match self.states {
            States::Fact(_) => self.groups.as_slice(),
            // The word about success may be in another language's group: the verdict is asked later.
            States::Trial { .. } => self.groups.split_last().map_or(&[][..], |(_, groups)| groups),
        };
        holds(groups, clause) && self.says(clause)
    }

    /// Whether a part of such a clause mentions it as well.
    pub(super) fn says(&self, part: &str) -> bool {
        self.pattern.is_match(part) && !self.unless.as_ref().is_some_and(|unless| unless.is_match(part))
    }
}

fn pattern<S: AsRef<str>>(source: Option<&S>) -> Option<Pattern> {
    source.map(|pattern| Pattern::new(pattern.as_ref()))
}

/// What a pattern has in place of the language's own "it works".
const WORKS: &str = "{works}";

pub(super) fn groups(words: &str) -> Vec<Vec<&str>> {
    words.split('&').map(|group| group.split('|').collect()).collect()
}

/// Whether a text in lower case has a word of each group.
pub(super) fn holds(groups: &[Vec<&str>], text: &str) -> bool {
    let begins = |word: &str| memmem::find_iter(text.as_bytes(), word).any(|at| begins_word(text, at));
    groups.iter().all(|group| group.iter().any(|word| begins(word)))
}
