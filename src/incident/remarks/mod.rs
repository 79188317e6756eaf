//! What the person who pasted the text adds in words: what works, where it fails, what was tried. Facts `writer.*`.
//!
//! The wordings are data (`kb/wording/statements`, a file for each language). Only statements about circumstances are
//! read, not opinions about causes; negated clauses, questions and suppositions do not count. People write above or below
//! the machine's output, so only both ends of a long text are searched.

mod clauses;
mod complaints;
mod described;
mod gate;
mod language;
mod post;
#[cfg(test)]
mod tests;
mod titles;

use std::sync::LazyLock;

pub(crate) use self::complaints::{Complaint, complaining_sentence, complaint};
pub(crate) use self::described::{Description, Told, description, told_of};
pub(crate) use self::post::Post;
pub(crate) use self::titles::{Title, title};

use self::clauses::{Clause, Splitter};
use self::gate::Gate;
use self::language::{Language, Row, States};
use super::{Incident, Role};
use crate::facts::{Source, Value};
use crate::text::Transcript;
use crate::wording::{self, Statements};

/// Lines at the head and the tail that are looked at.
const HEAD: usize = 150;
const TAIL: usize = 300;

/// Records the writer's statements.
pub(super) fn facts(transcript: &Transcript, incident: &mut Incident) {
    let len = transcript.len();
    let mut tried: Vec<String> = Vec::new();
    let mut first = None;
    for index in (0..len).filter(|&index| index < HEAD || index + TAIL >= len) {
        if !matches!(incident.roles.get(index), Some(Role::Text | Role::Quiet)) {
            continue;
        }
        let line = transcript.line(index);
        if line.prefix.level.is_some() || line.prefix.time.is_some() || !is_said(line.text) {
            continue;
        }
        for said in REMARKS.said(line.text) {
            let (fact, value) = match said {
                Said::Yes(fact) => (fact, Value::Bool(true)),
                Said::Is(fact, value) => {
                    (fact, value.parse().map_or_else(|_| Value::Text(value.to_owned()), Value::Number))
                }
                Said::Tried(action) => {
                    first = first.or(Some(line.number));
                    if !tried.iter().any(|known| known == action) {
                        tried.push(action.to_owned());
                    }
                    continue;
                }
            };
            incident.facts.add(fact, value, Source::Text, Some(line.number));
        }
    }
    if !tried.is_empty() {
        incident.facts.add("writer.tried", Value::List(tried), Source::Text, first);
    }
}

/// Whether a line can be a person's sentence at all: words, not too long, no record of a logger or of progress.
fn is_said(text: &str) -> bool {
    let words = text.trim();
    let spaced = words.split_whitespace().take(3).count() == 3;
    words.len() >= 6
        && text.len() < 600
        && (spaced || is_foreign(words))
        && !is_logged(words)
        && !is_typed(words)
        && !words.contains("http://")
}

/// Whether a line is a frame of a traceback, a command, an import or the result of a test rather than a sentence.
fn is_typed(words: &str) -> bool {
    ["File \"", "$ ", ">>> ", "PS C:", "import ", "%"].iter().any(|start| words.starts_with(start))
        || words.starts_with("from ") && words.contains(" import ")
        || ["site-packages/", " PASSED", " FAILED"].iter().any(|mark| words.contains(mark))
}

/// Whether a line is a record of a logger or of progress, or a row of a tree.
fn is_logged(words: &str) -> bool {
    ["Warning:", "wandb:", "─", "━", "%|"].iter().any(|mark| words.contains(mark))
        || ["WARNING", "INFO", "DEBUG"].iter().any(|level| stands_alone(words, level))
        || is_rate(words)
}

/// Whether a word is part of no other: "INFO" of `NCCL_DEBUG=INFO` is a value that a person set.
fn stands_alone(words: &str, word: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '_' | '=');
    words.match_indices(word).any(|(at, _)| {
        !words[..at].ends_with(joins)
            && !words[at + word.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
    })
}

/// Whether a line is a rate that a program prints, bare or in a bar, and not one in a sentence: "it takes 20 s/it here".
fn is_rate(words: &str) -> bool {
    /// A sentence about a rate has more words beside it.
    const FEWEST_WORDS: usize = 4;
    let spoken = || words.split_whitespace().filter(|word| word.chars().all(char::is_alphabetic)).count();
    (words.contains("it/s") || words.contains("s/it"))
        && (words.contains(['[', '|', '=', '<']) || !is_foreign(words) && spoken() < FEWEST_WORDS)
}

/// Whether a text has letters of Chinese, Japanese or Korean, which need no spaces.
fn is_foreign(words: &str) -> bool {
    words.chars().any(|c| ('\u{3040}'..'\u{d7b0}').contains(&c))
}

/// What a line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said<'s> {
    /// A fact that is true.
    Yes(&'s str),
    /// A fact and its value.
    Is(&'s str, &'s str),
    /// A recipe that was tried without success.
    Tried(&'s str),
}

/// All languages.
struct Remarks<'s> {
    languages: Vec<Language<'s>>,
    rows: Vec<Row<'s>>,
    /// Facts that stay true where their clause is negated.
    blunt: Vec<&'s str>,
    splitter: Splitter<'s>,
    /// The words that the rows need.
    gate: Gate,
}

static REMARKS: LazyLock<Remarks<'static>> = LazyLock::new(|| Remarks::new(wording::statements()));

impl<'s> Remarks<'s> {
    fn new<S: AsRef<str>>(source: &'s Statements<S>) -> Self {
        let mut rows = Vec::new();
        for (number, language) in source.languages.iter().enumerate() {
            rows.extend(language.statement.iter().map(|row| Row::new(row, number, language)));
        }
        Self {
            gate: Gate::new(rows.iter().map(|row| row.groups.as_slice())),
            languages: source.languages.iter().map(Language::new).collect(),
            rows,
            blunt: source.blunt.iter().map(AsRef::as_ref).collect(),
            splitter: Splitter::new(source),
        }
    }

    /// What the clauses of a line say.
    fn said(&self, text: &str) -> Vec<Said<'s>> {
        let line = text.to_lowercase();
        let rows: Vec<&Row<'s>> = self.gate.open(&line).into_iter().map(|row| &self.rows[row]).collect();
        let mut found = Vec::new();
        if rows.is_empty() {
            return found;
        }
        for clause in self.splitter.clauses(&line) {
            self.stated(&clause, &rows, &mut found);
        }
        self.told(&line, &rows, &mut found);
        self.trials(&line, &rows, &mut found);
        found
    }

    /// Statements that several clauses make together: "I updated it this morning, and now it crashes".
    fn told(&self, line: &str, rows: &[&Row<'s>], found: &mut Vec<Said<'s>>) {
        for row in rows.iter().filter(|row| row.across) {
            let States::Fact(said) = row.states else { continue };
            if !found.contains(&said) && row.matches(line) {
                found.push(said);
            }
        }
    }

    /// Statements of their own: "it fails at random".
    fn stated(&self, clause: &Clause<'_>, rows: &[&Row<'s>], found: &mut Vec<Said<'s>>) {
        for row in rows {
            let States::Fact(said) = row.states else { continue };
            let (Said::Yes(fact) | Said::Is(fact, _)) = said else { continue };
            if row.across || found.contains(&said) || !row.matches(clause.text) {
                continue;
            }
            let language = &self.languages[row.language];
            if language.advises(clause) {
                continue;
            }
            if fact == "writer.began_with_update" && language.no_beginning.is_match(clause.text) {
                continue;
            }
            if fact == "writer.needs_reboot" && language.outcome(clause.text).useless {
                continue;
            }
            // "Works on 1.12, fails on 2.0": the negation may follow after a comma.
            let states = |part: &str| row.says(part) && !language.denies(part) && !language.supposes(part, clause);
            if self.blunt.contains(&fact) || states(clause.text) || clause.text.split(", ").any(states) {
                found.push(said);
            }
        }
    }

    /// What works, what fails and what was tried: circumstances, and a word about each of them.
    fn trials(&self, line: &str, rows: &[&Row<'s>], found: &mut Vec<Said<'s>>) {
        let verdict = |text: &str| self.languages.iter().any(|language| language.judges(text));
        // "I tried X": without success, unless the next words tell of one.
        let mut pending = Vec::new();
        let mut useless = false;
        // What the part before says: "it works on one GPU, but not on two".
        let mut before = None;
        // What was tried and has no verdict yet: "I tried the CPU, and it worked".
        let mut open = Vec::new();
        for clause in self.splitter.segments(line, verdict) {
            let mut mentioned = false;
            useless &= clause.listed;
            if !clause.listed {
                before = self.languages.iter().find_map(|language| language.outcome(clause.text).works);
            }
            for row in rows {
                let States::Trial { works, fails, tried } = row.states else { continue };
                let language = &self.languages[row.language];
                if !row.matches(clause.text) || language.supposes(clause.text, &clause) {
                    continue;
                }
                if clause.listed {
                    pending.extend(tried.filter(|_| useless).map(Said::Tried));
                    let reversed = before.filter(|_| language.reverses(clause.text));
                    let said = reversed.and_then(|worked| if worked { fails } else { works });
                    found.extend(said.map(Said::Yes).filter(|said| !found.contains(said)));
                    continue;
                }
                if !mentioned {
                    open.clear();
                }
                mentioned = true;
                let outcome = language.outcome(clause.text);
                if outcome.works.is_none() {
                    open.push((works, fails));
                }
                let said = match outcome.works {
                    Some(true) => works,
                    Some(false) => fails,
                    None => None,
                };
                found.extend(said.map(Said::Yes).filter(|said| !found.contains(said)));
                useless = outcome.useless && outcome.works != Some(true);
                pending.extend(tried.filter(|_| useless).map(Said::Tried));
            }
            if mentioned || clause.listed || clause.asks {
                continue;
            }
            let Some(worked) = before else { continue };
            if !self.languages.iter().any(|language| language.supposes(clause.text, &clause)) {
                let said = open.drain(..).filter_map(|(works, fails)| if worked { works } else { fails });
                for said in said.map(Said::Yes) {
                    if !found.contains(&said) {
                        found.push(said);
                    }
                }
            }
            if worked {
                pending.clear();
            }
        }
        for said in pending {
            if !found.contains(&said) {
                found.push(said);
            }
        }
    }
}
