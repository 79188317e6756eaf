//! Removes secrets and personal data from a text that is to be shared: tokens, passwords, e-mail addresses, user names
//! in paths, host names, network addresses, values of environment variables that are not on the list.
//!
//! Each is replaced by a word (`REDACTED_HF_TOKEN`) that is safe in shells, YAML and markdown; the number of lines does
//! not change. A name learned in one place (a host in an NCCL line) is removed everywhere, also from texts that the
//! same [`Redactor`] sees later.

mod addresses;
mod cuts;
mod hosts;
mod learned;
mod lines;
mod named;
mod odd;
mod people;
mod private_keys;
mod random;
mod shapes;
mod tokens;
mod urls;
mod variables;
mod views;

#[cfg(test)]
mod defects;
#[cfg(test)]
mod generated;
#[cfg(test)]
mod harmless;
#[cfg(test)]
mod kept;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::fingerprint::Fingerprint;
use crate::wording;
use cuts::{apart, parts_of, touched};
use learned::Learned;
pub(crate) use variables::is_allowed;

/// A replacement can expose a neighbour that was joined to it; each round removes something.
const ROUNDS: usize = 16;

/// Which kind of data was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    /// A key, token or password.
    Secret,
    /// An e-mail address or a user name.
    Person,
    /// A host name or a network address.
    Host,
    /// The value of an environment variable that is not on the list of harmless ones.
    Variable,
}

impl Kind {
    /// The word for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Kind::Secret => "secret",
            Kind::Person => "person",
            Kind::Host => "host",
            Kind::Variable => "variable",
        }
    }
}

/// Something that was removed, once per different value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Redaction {
    /// What kind of thing it is.
    pub kind: Kind,
    /// What it is: "a Hugging Face token".
    pub what: &'static str,
    /// How it looked, enough to recognise it and too little to use it.
    pub looked: String,
    /// What replaces it.
    pub replaced_by: String,
    /// How often it occurred.
    pub count: usize,
    /// Its name for [`Redactor::keeping`], which does not show it.
    #[cfg_attr(not(feature = "web"), allow(dead_code, reason = "only the page shows it"))]
    pub mark: String,
}

/// A secret and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Secret {
    /// Its bytes.
    pub range: Range<usize>,
    /// What it opens: "a Hugging Face token".
    pub what: &'static str,
}

/// The secrets of a text that have a name or a known shape, in order and without overlap. Random
/// values without a name are not among them.
pub(crate) fn secrets(text: &str) -> Vec<Secret> {
    let mut cuts = Vec::new();
    explained(text, &mut cuts);
    cuts.retain(|cut| cut.kind == Kind::Secret);
    apart(cuts).into_iter().map(|cut| Secret { range: cut.range, what: cut.what }).collect()
}

/// Names that are known beforehand, because no pattern would find them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known {
    /// Login names of people.
    pub users: Vec<String>,
    /// Names of machines.
    pub hosts: Vec<String>,
}

/// Removes what should not be shared and remembers what it was.
#[derive(Debug, Default)]
pub(crate) struct Redactor {
    learned: Learned,
    /// By kind, what and value: the value never leaves this map.
    found: BTreeMap<(Kind, &'static str, String), Redaction>,
    /// Marks of what somebody decided to share.
    keep: BTreeSet<String>,
    /// What was kept for that reason, by kind and mark.
    kept: BTreeMap<(Kind, String), Redaction>,
}

/// A range to be replaced.
#[derive(Debug, Clone)]
struct Cut {
    range: Range<usize>,
    kind: Kind,
    what: &'static str,
    /// Its replacement; a number is added where several values of the kind must stay distinguishable.
    word: Word,
    /// It is a token of exactly the length that its service documents.
    exact: bool,
}

/// How something is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    /// Always by the same word.
    Fixed(&'static str),
    /// Numbered by value, so that two machines stay two machines.
    Host,
    /// Numbered by value.
    Address,
}

impl Redactor {
    /// A redactor that knows these names.
    pub(crate) fn new(known: &Known) -> Self {
        let mut redactor = Self::default();
        known.users.iter().for_each(|name| redactor.learned.user(name));
        known.hosts.iter().for_each(|name| redactor.learned.known_host(name));
        redactor
    }

    /// Leaves in what has one of these marks: each is one value, and somebody looked at it.
    #[must_use]
    pub(crate) fn keeping(mut self, marks: BTreeSet<String>) -> Self {
        self.keep = marks;
        self
    }

    /// The text without what should not be shared, with the same number of lines.
    pub(crate) fn text<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        self.learned.numbers_in(&text);
        // After the first round only what changed is looked at again, and the whole for names that were learned since.
        let mut parts = Vec::from([Range { start: 0, end: text.len() }]);
        let mut applied = 0;
        for _ in 0..ROUNDS {
            let mut cuts = Vec::new();
            for part in &parts {
                self.find(text.get(part.clone()).unwrap_or_default(), part.start, &mut cuts);
            }
            let all = [Range { start: 0, end: text.len() }];
            let seen = if self.learned.names() > applied { &all[..] } else { &parts };
            applied = self.learned.names();
            for part in seen {
                let words = text.get(part.clone()).unwrap_or_default();
                add_open(words, part.start, &mut cuts, |words, cuts| self.learned.find(words, cuts));
            }
            if !self.keep.is_empty() {
                cuts = self.without_kept(&text, cuts);
            }
            if cuts.is_empty() {
                break;
            }
            let changed = touched(&text, &cuts);
            text = Cow::Owned(self.replace(&text, cuts));
            parts = parts_of(&text, &changed);
        }
        text
    }

    /// Adds what is found in a part of a text that begins at `start`.
    fn find(&mut self, part: &str, start: usize, cuts: &mut Vec<Cut>) {
        let learned = &mut self.learned;
        add_open(part, start, cuts, |part, cuts| {
            let mut personal = |part: &str, cuts: &mut Vec<Cut>| {
                addresses::find(part, cuts);
                people::find(part, cuts, learned);
                hosts::find(part, cuts, learned);
            };
            named_or_shaped(part, cuts);
            tokens::unnamed(part, cuts);
            variables::find(part, cuts);
            personal(part, cuts);
            views::find(part, cuts, |view, encoding, cuts| {
                named_or_shaped(view, cuts);
                tokens::unnamed(view, cuts);
                if encoding != views::Encoding::Json {
                    personal(view, cuts);
                }
            });
            broken(part, cuts, |view, cuts| {
                joined(view, cuts);
                tokens::unnamed(view, cuts);
            });
        });
    }

    /// What was removed so far, secrets first.
    pub(crate) fn found(&self) -> impl Iterator<Item = &Redaction> {
        self.found.values()
    }

    /// What was left in because somebody decided so.
    pub(crate) fn kept(&self) -> impl Iterator<Item = &Redaction> {
        self.kept.values()
    }

    fn without_kept(&mut self, text: &str, cuts: Vec<Cut>) -> Vec<Cut> {
        let mut cuts = apart(cuts);
        cuts.retain(|cut| {
            let value = text.get(cut.range.clone()).unwrap_or_default();
            let mark = mark(value);
            let is_kept = self.keep.contains(&mark);
            if is_kept {
                self.kept.entry((cut.kind, mark.clone())).or_insert_with(|| Redaction {
                    kind: cut.kind,
                    what: cut.what,
                    looked: masked(value),
                    replaced_by: String::new(),
                    count: 1,
                    mark,
                });
            }
            !is_kept
        });
        cuts
    }

    fn replace(&mut self, text: &str, cuts: Vec<Cut>) -> String {
        let mut out = String::with_capacity(text.len());
        let mut end = 0;
        for cut in apart(cuts) {
            let Some(value) = text.get(cut.range.clone()) else { continue };
            out.push_str(text.get(end..cut.range.start).unwrap_or_default());
            let word = match cut.word {
                Word::Fixed(word) => word.to_owned(),
                Word::Host => format!("REDACTED_HOST_{}", self.learned.number_of(value)),
                Word::Address => format!("REDACTED_IP_{}", self.learned.number_of(value)),
            };
            out.push_str(&word);
            // Line numbers must stay valid: what spans several lines keeps its line breaks.
            out.extend(value.matches('\n'));
            end = cut.range.end;
            let entry = self.found.entry((cut.kind, cut.what, value.to_owned())).or_insert_with(|| Redaction {
                kind: cut.kind,
                what: cut.what,
                looked: masked(value),
                replaced_by: word,
                count: 0,
                mark: mark(value),
            });
            entry.count += 1;
        }
        out.push_str(text.get(end..).unwrap_or_default());
        out
    }
}

/// Adds the secrets that have a name or a known shape, also those that an encoding or a line break hides.
fn explained(text: &str, cuts: &mut Vec<Cut>) {
    named_or_shaped(text, cuts);
    views::find(text, cuts, |view, _, cuts| named_or_shaped(view, cuts));
    broken(text, cuts, joined);
}

/// Adds the secrets of one line, which was several.
fn joined(line: &str, cuts: &mut Vec<Cut>) {
    tokens::find(line, cuts);
    urls::find(line, cuts);
    named::find(line, cuts);
}

/// Adds secrets that a line break cuts, as a finder sees them where the lines are joined.
fn broken(text: &str, cuts: &mut Vec<Cut>, finder: impl FnMut(&str, &mut Vec<Cut>)) {
    let mut whole: Vec<usize> = cuts.iter().filter(|cut| cut.exact).map(|cut| cut.range.end).collect();
    whole.sort_unstable();
    let lone = &wording::secrets().wrapped.lone;
    views::find_broken(text, cuts, finder, |cut, broken| {
        if cut.kind != Kind::Secret {
            return false;
        }
        let word = broken.word.trim_end_matches('=');
        let long = word.len() >= 4;
        let mixed = long && random::is_part(word.as_bytes());
        let part = broken.boundary - cut.range.start >= 4;
        let ending =
            word.rsplit_once('.').is_some_and(|(_, end)| end.len() < 6 && end.bytes().all(|b| b.is_ascii_lowercase()));
        let other = ending || word.contains([':', '@']) || lone.iter().any(|lone| lone.eq_ignore_ascii_case(word));
        let ends = broken.alone && !other;
        match tokens::is_kind(cut.what) {
            // What is complete in its line goes on in the next one only where that makes it another complete token.
            _ if whole.binary_search(&broken.end).is_ok() => cut.exact && mixed,
            _ if cut.exact || broken.quoted && broken.alone && part => true,
            true => mixed || ends && part,
            false => part && (ends && (long || mixed) || broken.wide && mixed),
        }
    });
}

/// Adds the secrets that have a name or a known shape.
fn named_or_shaped(text: &str, cuts: &mut Vec<Cut>) {
    tokens::find(text, cuts);
    private_keys::find(text, cuts);
    urls::find(text, cuts);
    named::find(text, cuts);
}

/// Adds what is found in a part of a text that begins at `start`, except what an earlier redaction left: that is
/// nobody's secret any more.
fn add_open(part: &str, start: usize, cuts: &mut Vec<Cut>, find: impl FnOnce(&str, &mut Vec<Cut>)) {
    let mut found = Vec::new();
    find(part, &mut found);
    let left = if found.is_empty() { Vec::new() } else { left_before(part) };
    cuts.extend(found.into_iter().filter_map(|mut cut| {
        let next = left.partition_point(|word| word.end <= cut.range.start);
        let open = left.get(next).is_none_or(|word| word.start >= cut.range.end);
        cut.range = cut.range.start + start..cut.range.end + start;
        open.then_some(cut)
    }));
}

/// The words that earlier redactions left.
fn left_before(text: &str) -> Vec<Range<usize>> {
    let length = |at: usize| {
        let rest = text.as_bytes().get(at..).unwrap_or_default();
        rest.iter().take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || **b == b'_').count()
    };
    text.match_indices("REDACTED_").map(|(at, _)| at..at + length(at)).collect()
}

/// A value's mark.
fn mark(value: &str) -> String {
    let mut fingerprint = Fingerprint::new();
    fingerprint.add(value.as_bytes());
    fingerprint.hex().chars().take(16).collect()
}

/// The first characters of a value, never more than a quarter of it, and its length.
fn masked(value: &str) -> String {
    let length = value.chars().count();
    let shown: String = value.chars().take((length / 4).min(4)).filter(|c| !c.is_control()).collect();
    format!("{shown}... ({length} characters)")
}

/// Whether the byte before `at` ends a word, so that a new one begins at `at`.
fn begins_word(text: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|before| before.chars().next_back());
    !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
}

/// Whether a word ends at `at`.
fn ends_word(text: &str, at: usize) -> bool {
    let after = text.get(at..).and_then(|after| after.chars().next());
    !after.is_some_and(|c| c.is_alphanumeric() || c == '_')
}

/// Whether a value is what a redaction or an author put in place of a secret.
fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let marks = ["redacted", "example", "xxxx", "your_", "your-", "placeholder", "****", "changeme", "dummy", "<"];
    let words = [
        "", "none", "null", "true", "false", "password", "pass", "passwd", "secret", "token", "user", "str", "string",
        "bytes", "optional", "...", "***", "x", "xxx", "yes", "no", "int", "self", "key", "value", "field", "property",
        "ask", "prompt",
    ];
    value.starts_with(['$', '{', '%', '(', '[', '&'])
        || marks.iter().any(|mark| lower.contains(mark))
        || words.contains(&lower.as_str())
}
