//! The wordings as `build.rs`, which includes this file by path, packs them. `S` is a string: owned there, borrowed here.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::topics::Topics;

/// Words that make a line worth reading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alarms<S> {
    /// In lower case: words whose surrounding lines are kept when a text is too long to read completely.
    pub alarms: Vec<S>,
    /// As they are printed: words for which the output of a running command is kept.
    pub printed: Vec<S>,
    /// In lower case: words of any program that reports a failure.
    pub reported: Vec<S>,
    /// In lower case: words that come before the number of a status code.
    pub numbered: Vec<S>,
    /// In lower case: what lines of healthy logs have.
    pub ordinary: Vec<S>,
    /// As they are printed: words of a pasted error.
    pub errors: Vec<S>,
    /// Words of lines that are none in spite of those.
    pub not_errors: Vec<S>,
    /// Literals as they are printed, each with its topics; packed by themselves.
    #[serde(skip)]
    pub literals: Vec<(S, Topics)>,
}

/// `advice.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Advice<S> {
    /// How lines begin that are advice from their first word to their last.
    pub lines: Vec<S>,
    /// How sentences begin that are advice wherever they are printed.
    pub sentences: Vec<S>,
    /// Words, in lower case, of a sentence in which a message says what to do about it.
    pub remedies: Vec<S>,
    /// The first words of what such a sentence quotes to be typed.
    pub programs: Vec<S>,
    /// Words of sentences that ask for something and mend nothing.
    pub no_remedies: Vec<S>,
}

/// `statements.toml` with the languages of its folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statements<S> {
    /// Facts that stay true in a negated clause.
    pub blunt: Vec<S>,
    /// What ends a clause besides punctuation: "but", "aber", "けど".
    pub contrasts: Vec<S>,
    /// What joins two things of which one may be said of the other.
    pub joins: Vec<S>,
    /// How people say it, language by language.
    pub languages: Vec<Language<S>>,
}

/// `statements/<language>.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Language<S> {
    /// "It works": what replaces `{works}` in a pattern.
    pub works: Wording<S>,
    /// "It fails", "it does not work".
    pub fails: Wording<S>,
    /// "I tried", "did not help", "still".
    pub useless: Wording<S>,
    /// "No error", "it does not crash": it works, said of the failure.
    pub avoids: Option<Wording<S>>,
    /// Matches a clause that denies what it says.
    pub denies: S,
    /// Matches a clause that only supposes it, asks for it or advises it.
    pub supposes: S,
    /// An update that changed nothing, or fixed it.
    pub no_beginning: S,
    /// Matches advice, and questions for yes or no (which end in `?`): they state nothing at all.
    pub advises: Option<S>,
    /// Matches words without a verdict that say the opposite of the verdict before them: "but not on the CPU".
    pub reverses: Option<S>,
    /// The wordings.
    pub statement: Vec<Statement<S>>,
}

/// A regex, and the words of which a clause holds one before the regex is looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wording<S> {
    /// Groups of beginnings of words: groups separated by `&`, words by `|`.
    pub words: S,
    /// The regex.
    pub pattern: S,
}

/// One wording: a statement of its own (`fact`), or what works, fails or was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement<S> {
    /// The fact that it states.
    pub fact: Option<S>,
    /// The fact's value, where it is not a yes.
    pub value: Option<S>,
    /// The fact where the clause says that this works.
    pub works: Option<S>,
    /// The fact where the clause says that this fails.
    pub fails: Option<S>,
    /// The recipe that was tried where the clause says that it did not help.
    pub tried: Option<S>,
    /// The pattern is told by several clauses or sentences of a line, and says itself what is denied.
    #[serde(default)]
    pub across: bool,
    /// As in `Wording`.
    pub words: S,
    /// The regex.
    pub pattern: S,
    /// Matches words that mean something else.
    pub unless: Option<S>,
}

/// `headings.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Headings<S> {
    /// Words in the names of folders where finished reports are put.
    pub archives: Vec<S>,
    /// Last words of the names of files that are copies.
    pub copies: Vec<S>,
    /// Headings under which each dated heading is an occurrence.
    pub occurrences: Vec<S>,
    /// In the order in which they are tried.
    pub heading: Vec<Heading<S>>,
}

/// Phrases of headings that say the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Heading<S> {
    /// What such a section is for.
    pub role: S,
    /// Where in the heading a phrase must be.
    pub at: At,
    /// In comparing form.
    pub phrases: Vec<S>,
}

/// Where in a heading a phrase must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum At {
    /// It is the whole heading.
    Whole,
    /// The heading begins or ends with it, at a word's border.
    Edge,
    /// Anywhere in the heading.
    Inside,
}

/// `states.toml`: how reports state their status, severity and day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct States<S> {
    /// What documents call themselves in front of a title.
    pub documents: Vec<S>,
    /// Headings of later additions, or their first words.
    pub updates: Vec<S>,
    /// Words between the numbers of a date.
    pub date_particles: Vec<S>,
    /// Names of the twelve months.
    pub months: Vec<Vec<S>>,
    /// Labels whose values are a status, a severity, a day.
    pub labels: StateLabels<S>,
    /// Spellings of each status.
    pub status: Vec<Spellings<S>>,
    /// Spellings of each severity.
    pub severity: Vec<Spellings<S>>,
}

/// Labels of lines and tables, in comparing form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateLabels<S> {
    /// An id, where the value is one.
    pub id: Vec<S>,
    /// Of a status.
    pub status: Vec<S>,
    /// Of a severity.
    pub severity: Vec<S>,
    /// Of a day.
    pub date: Vec<S>,
    /// Of how a report ended, which may be a status.
    pub resolution: Vec<S>,
    /// Of the name of a machine.
    pub host: Vec<S>,
    /// What a machine's name begins with.
    pub hosts: Vec<S>,
}

/// Spellings that mean one word of the format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spellings<S> {
    /// The word.
    pub word: S,
    /// What means it, in lower case with `_` between words.
    pub same: Vec<S>,
}

/// `recall.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recall<S: Ord> {
    /// Words whose number says which failure it is.
    pub numbered: Vec<S>,
    /// Files and functions that every project has.
    pub generic_names: Vec<S>,
    /// Words that mean nothing in a question, by language, separated by white space.
    pub function_words: BTreeMap<S, S>,
}

/// `concepts.toml`: names, and beginnings of words that mean the same, joined by `|`; a name may occur twice.
pub type Concepts<S> = Vec<(S, S)>;

/// `writing.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Writing<S> {
    /// Words of a sentence about a possible failure.
    pub conditional: Vec<S>,
    /// How entries of change logs begin.
    pub changes: Vec<S>,
    /// Verbs before a quoted message that is only mentioned.
    pub mentions: Vec<S>,
    /// Words of a part about the past.
    pub past: Vec<S>,
    /// Lower-case words between two messages, of which the first came first.
    pub afterwards: Vec<S>,
    /// How an installer's lines about packages that are not installed yet begin.
    pub candidates: Vec<S>,
    /// Lower-case words of lines about required versions.
    pub requirements: Vec<S>,
    /// One of these is in every story that a person tells.
    pub writers: Vec<S>,
    /// Lower-case words by which somebody asks for a remedy.
    pub pleas: Vec<S>,
    /// Lower-case beginnings of the words of thanks, praise and greetings.
    pub courtesies: Vec<S>,
}

/// `commands.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Commands<S> {
    /// Programs followed by a script, a flag or a word such as "run".
    pub programs: Vec<S>,
    /// Programs followed by any setting.
    pub runners: Vec<S>,
}

/// `variables.toml`: names and beginnings of names of environment variables.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variables<S> {
    /// Beginnings of those that are read from texts.
    pub logged: Vec<S>,
    /// Those whose values may be shared; a final `_` stands for any ending.
    pub shared: Vec<S>,
    /// Those that a probe records.
    pub recorded: Vec<S>,
    /// Beginnings of those that a probe records.
    pub recorded_families: Vec<S>,
}

/// `redaction.toml`: what is not removed from a text that is shared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Redaction<S> {
    /// Hosts of public services.
    pub public_hosts: Vec<S>,
    /// Words found where a host's name would be.
    pub not_hosts: Vec<S>,
    /// The same with a number behind them.
    pub numbered: Vec<S>,
    /// Login names and hosts that are words of logs as well.
    pub common: Vec<S>,
    /// Words before a version.
    pub version_words: Vec<S>,
    /// The same, as parts of words.
    pub version_parts: Vec<S>,
}

/// `symptoms.toml` with the languages of its folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symptoms<S> {
    /// The pages, the one first whose symptom says most: of two complaints in a text it is the one that counts.
    pub order: Vec<S>,
    /// How people say it, language by language.
    pub languages: Vec<Complaints<S>>,
}

/// `symptoms/<language>.toml`: what people complain of who have no message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Complaints<S> {
    /// Matches a clause that only supposes it, advises it or asks about others.
    pub supposes: S,
    /// Matches a question of somebody who has the problem: "why", "any idea".
    pub wonders: S,
    /// Matches a part of any question that tells what its writer has: "I get OOM, what batch size did you use?".
    pub tells: Option<S>,
    /// Matches a part that asks: what comes before the last comma of a question tells something where it does not match.
    pub inquires: Option<S>,
    /// Matches a clause by which the problem is over: "solved", "used to hang".
    pub resolved: S,
    /// Matches such a clause that tells of an older version: "went back to 1.2, all ok again".
    pub went_back: Option<S>,
    /// The wordings.
    pub complaint: Vec<Complaint<S>>,
}

/// One wording of a symptom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Complaint<S> {
    /// The page.
    pub fault: S,
    /// The cause on that page that the words speak for.
    pub cause: Option<S>,
    /// It counts beside an exception without a page as well, because no exception explains it.
    #[serde(default)]
    pub despite: bool,
    /// As in `Wording`.
    pub words: S,
    /// The regex.
    pub pattern: S,
    /// Matches a clause that does not mean it.
    pub unless: Option<S>,
}

/// `failures.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failures<S> {
    /// Patterns of lines that are no failure, whatever else they say.
    pub never: Vec<S>,
    /// Patterns of lines that report the end of a process, whatever else they say.
    pub certain: Vec<S>,
    /// Patterns of lines that report a failure, unless they are harmless.
    pub likely: Vec<S>,
    /// Patterns of lines that only sound like one.
    pub harmless: Vec<S>,
    /// Patterns of lines after which a run goes on, even where they have the words of an error that is known.
    pub goes_on: Vec<S>,
    /// Patterns of lines by which a run shows that it survived what was above.
    pub ended_well: Vec<S>,
    /// Patterns of what a shell or a window prints once the program is gone.
    pub pauses: Vec<S>,
    /// The page of a program that is gone before its progress bar was full.
    pub stopped: S,
    /// Failures that a page describes, named by their symptom only.
    pub symptom: Vec<Symptom<S>>,
}

/// The words for a symptom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Symptom<S> {
    /// The page.
    pub fault: S,
    /// The cause on that page that the words speak for.
    pub cause: Option<S>,
    /// The message of an error without a page does not count, only a line of a text without errors.
    #[serde(default)]
    pub line_only: bool,
    /// Matches the line.
    pub pattern: S,
    /// Matches a line that does not mean it.
    pub unless: Option<S>,
}
