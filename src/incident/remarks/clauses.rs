//! Lines as clauses: one statement each.

use crate::wording::Statements;

/// A part of a sentence that makes one statement.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Clause<'t> {
    pub(super) text: &'t str,
    /// Its sentence is a question.
    pub(super) asks: bool,
    /// It continues a list: "I tried a reboot, another driver".
    pub(super) listed: bool,
}

/// Where clauses end.
pub(super) struct Splitter<'s> {
    /// What ends a clause besides punctuation.
    contrasts: Vec<&'s str>,
    joins: Vec<&'s str>,
}

/// How far before a verdict, in bytes, what it is about may be mentioned if other parts of the sentence come between.
const NEAR: usize = 80;

/// What ends a sentence; whoever writes the first four asks.
const SENTENCES: [&str; 9] = ["? ", "?)", "？", "吗", ". ", "! ", "; ", "。", "；"];
const QUESTIONS: usize = 4;

impl<'s> Splitter<'s> {
    pub(super) fn new<S: AsRef<str>>(source: &'s Statements<S>) -> Self {
        Self {
            contrasts: source.contrasts.iter().map(AsRef::as_ref).collect(),
            joins: source.joins.iter().map(AsRef::as_ref).collect(),
        }
    }

    /// The clauses of a line.
    pub(super) fn clauses<'t>(&self, line: &'t str) -> Vec<Clause<'t>> {
        let mut clauses = Vec::new();
        for Clause { text, asks, .. } in sentences(line) {
            // A comma of Chinese separates what other languages separate by a full stop.
            for text in split(text, self.contrasts.iter().copied().chain(["，"])) {
                clauses.push(Clause { text, asks, listed: false });
            }
        }
        clauses
    }

    /// A sentence, its clauses and what is between their commas: one of them may say alone what the others hide.
    pub(super) fn parts<'t>(&self, sentence: &'t str) -> Vec<&'t str> {
        let mut parts = vec![sentence];
        for clause in split(sentence, self.contrasts.iter().copied().chain(["，"])) {
            parts.push(clause);
            for part in clause.split([',', '、', ':', '：']) {
                parts.push(part);
            }
        }
        parts.dedup();
        parts
    }

    /// The shortest parts of a line that hold a verdict, each with what was mentioned just before it: "with one GPU, it
    /// works" is one part, "works on one GPU, fails on two" is two. What follows the last verdict is `listed`.
    pub(super) fn segments<'t>(&self, line: &'t str, verdict: impl Fn(&str) -> bool) -> Vec<Clause<'t>> {
        let mut segments = Vec::new();
        for Clause { text, asks, .. } in sentences(line) {
            let (mut from, mut told) = (0, false);
            for part in split(text, self.contrasts.iter().chain(&self.joins).copied()) {
                let to = part.as_ptr().addr() - text.as_ptr().addr() + part.len();
                if verdict(&text[from..to]) {
                    segments.push(Clause { text: &text[from..to], asks, listed: false });
                    (from, told) = (to, true);
                } else if to - from > NEAR {
                    from = to - part.len();
                }
            }
            if told && from < text.len() {
                segments.push(Clause { text: &text[from..], asks, listed: true });
            }
        }
        segments
    }
}

/// The sentences of a line.
pub(super) fn sentences(line: &str) -> Vec<Clause<'_>> {
    let mut sentences = Vec::new();
    let mut rest = line;
    while let Some((at, which)) = first_of(rest, &SENTENCES) {
        sentences.push(Clause { text: &rest[..at], asks: which < QUESTIONS, listed: false });
        rest = &rest[at + SENTENCES[which].len()..];
    }
    sentences.push(Clause { text: rest, asks: rest.trim_end().ends_with('?'), listed: false });
    sentences
}

/// Where the first of these is, and which one it is.
fn first_of(text: &str, ends: &[&str]) -> Option<(usize, usize)> {
    ends.iter().enumerate().filter_map(|(which, end)| Some((text.find(end)?, which))).min()
}

fn split<'t, 'e>(text: &'t str, ends: impl Iterator<Item = &'e str>) -> Vec<&'t str> {
    let mut parts = vec![text];
    for end in ends {
        parts = parts.into_iter().flat_map(|part| part.split(end)).collect();
    }
    parts
}

/// Whether a word may begin at a place of a text; in scripts other than ASCII's it may do so anywhere.
pub(super) fn begins_word(text: &str, at: usize) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric();
    !text[at..].starts_with(is_word) || !text[..at].ends_with(is_word)
}
