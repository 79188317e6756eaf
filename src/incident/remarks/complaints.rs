//! What the writer complains of where no message names a fault: "it hangs", "the GPU is idle", "the machine reboots".
//!
//! The wordings are data (`kb/wording/symptoms`, a file for each language). Asked only about texts in which the book
//! found nothing. A supposition, somebody's advice, a question about others and a problem that is over do not count.

use std::sync::LazyLock;

use super::clauses::{self, Clause, Splitter};
use super::gate::Gate;
use super::language::{groups, holds};
use super::{HEAD, TAIL, is_foreign, is_logged};
use crate::incident::{Incident, Meant, Role, is_conditional};
use crate::pattern::Pattern;
use crate::text::{Line, Transcript};
use crate::wording;

/// The page of a symptom that the writer describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Complaint {
    /// Index of the transcript line.
    pub(crate) line: usize,
    /// What it means.
    pub(crate) meant: Meant,
    /// No exception explains it.
    pub(crate) despite: bool,
}

/// A text of fewer lines is no log.
pub(super) const FEW_LINES: usize = 3;

/// The lines that can be the writer's sentences.
pub(super) fn prose<'t>(transcript: &'t Transcript, incident: &'t Incident) -> impl Iterator<Item = Line<'t>> {
    let len = transcript.len();
    // What comes before the colon of a short text is what it is about: "vllm: stuck as soon as ...".
    let names_topic = len <= FEW_LINES;
    let ends = (0..len).filter(move |&index| index < HEAD || index + TAIL >= len);
    ends.map(|index| transcript.line(index)).filter(move |line| {
        let said_by = line.prefix;
        matches!(incident.roles.get(line.index), Some(Role::Text))
            && said_by.level.is_none()
            && said_by.time.is_none()
            && (said_by.source.is_none() || names_topic)
            && said_by.rank.is_none()
            && (is_prose(line.text) || line.index == 0 && is_title(line.text))
    })
}

/// The complaint of a text that says most; the first of several of one page.
pub(crate) fn complaint(transcript: &Transcript, incident: &Incident) -> Option<Complaint> {
    let prose = || prose(transcript, incident);
    let found = prose().filter_map(|line| Some((READER.read(line.text)?, line.index)));
    let (said, line) = found.min_by_key(|(said, _)| said.place)?;
    if prose().any(|line| READER.is_over(line.text)) {
        return None;
    }
    Some(Complaint { line, meant: said.meant, despite: said.despite })
}

/// The sentence of a line that has the wording of a complaint; the whole line where no sentence has it alone.
pub(crate) fn complaining_sentence(line: &str) -> &str {
    let mut sentences = line.split_inclusive(['.', '?', '!', '。', '？', '！']);
    sentences.find(|sentence| READER.read(sentence).is_some()).unwrap_or(line)
}

/// Whether all that a line says is questions that nobody asks who has the problem: "can a worker be restarted?".
pub(super) fn is_question_of_others(text: &str) -> bool {
    let line = text.to_lowercase();
    let sentences = clauses::sentences(&line);
    sentences.iter().all(|sentence| {
        sentence.asks && !READER.languages.iter().any(|language| language.wonders.is_match(sentence.text))
    })
}

/// Whether a line can be a person's sentences.
fn is_prose(text: &str) -> bool {
    const MOST: usize = 4000;
    let words = text.trim();
    let spaced = || words.split_whitespace().take(3).count() == 3;
    (6..MOST).contains(&words.len()) && (spaced() || is_foreign(words)) && !is_logged(words)
}

/// Whether the first line of a post can be its title: "Training stuck".
fn is_title(text: &str) -> bool {
    let words = text.trim();
    words.split(' ').count() == 2 && words.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b' ')
}

/// A wording of a symptom.
struct Row {
    place: usize,
    meant: Meant,
    despite: bool,
    groups: Vec<Vec<&'static str>>,
    pattern: Pattern,
    unless: Option<Pattern>,
}

impl Row {
    fn matches(&self, text: &str) -> bool {
        holds(&self.groups, text)
            && self.pattern.is_match(text)
            && !self.unless.as_ref().is_some_and(|unless| unless.is_match(text))
    }
}

/// How one language speaks of problems.
struct Language {
    supposes: Pattern,
    wonders: Pattern,
    tells: Option<Pattern>,
    inquires: Option<Pattern>,
    resolved: Pattern,
    went_back: Option<Pattern>,
}

/// All languages.
struct Reader {
    languages: Vec<Language>,
    /// Each with the number of its language.
    rows: Vec<(usize, Row)>,
    gate: Gate,
    splitter: Splitter<'static>,
}

static READER: LazyLock<Reader> = LazyLock::new(Reader::new);

impl Reader {
    fn new() -> Self {
        let source = wording::symptoms();
        let row = |row: &'static wording::Complaint<&'static str>| Row {
            place: source.order.iter().position(|fault| *fault == row.fault).unwrap_or(usize::MAX),
            meant: Meant { fault: row.fault, cause: row.cause },
            despite: row.despite,
            groups: groups(row.words),
            pattern: Pattern::new(row.pattern),
            unless: row.unless.map(Pattern::new),
        };
        let language = |language: &wording::Complaints<&'static str>| Language {
            supposes: Pattern::new(language.supposes),
            wonders: Pattern::new(language.wonders),
            tells: language.tells.map(Pattern::new),
            inquires: language.inquires.map(Pattern::new),
            resolved: Pattern::new(language.resolved),
            went_back: language.went_back.map(Pattern::new),
        };
        let numbered = source.languages.iter().enumerate();
        let rows: Vec<_> =
            numbered.flat_map(|(number, one)| one.complaint.iter().map(move |it| (number, row(it)))).collect();
        Self {
            languages: source.languages.iter().map(language).collect(),
            gate: Gate::new(rows.iter().map(|(_, row)| row.groups.as_slice())),
            rows,
            splitter: Splitter::new(wording::statements()),
        }
    }

    /// The wording that says most of those in a line.
    fn read(&self, text: &str) -> Option<&Row> {
        // The parentheses of a call are none of the sentence.
        let line = text.to_lowercase().replace("()", "");
        let rows = self.gate.open(&line);
        if rows.is_empty() {
            return None;
        }
        let sentences = clauses::sentences(&line);
        let said = sentences.iter().flat_map(|sentence| {
            let parts = self.splitter.parts(sentence.text);
            let rows = rows.iter().map(|&row| &self.rows[row]);
            rows.filter(move |(language, row)| self.languages[*language].complains(sentence, &parts, row))
        });
        said.map(|(_, row)| row).min_by_key(|row| row.place)
    }

    /// Whether a line says that the problem is over.
    fn is_over(&self, text: &str) -> bool {
        let line = text.to_lowercase();
        let clauses = self.splitter.clauses(&line);
        clauses
            .iter()
            .filter(|clause| !clause.asks)
            .any(|clause| self.languages.iter().any(|language| language.is_over(clause.text)))
    }
}

impl Language {
    fn complains(&self, sentence: &Clause<'_>, parts: &[&str], row: &Row) -> bool {
        let says = |part: &str| row.matches(part) && !self.supposes.is_match(part) && !is_conditional(part);
        let wonders = !sentence.asks || self.wonders.is_match(sentence.text);
        // "It closes without any error, do I need more RAM?" tells something before it asks.
        let is_before = |part: &str| part.as_bytes().as_ptr_range().end < sentence.text.as_bytes().as_ptr_range().end;
        let tells = |part: &str| {
            wonders
                || self.tells.as_ref().is_some_and(|tells| tells.is_match(part))
                || is_before(part) && self.inquires.as_ref().is_some_and(|inquires| !inquires.is_match(part))
        };
        parts.iter().any(|part| tells(part) && says(part))
    }

    fn is_over(&self, clause: &str) -> bool {
        self.resolved.is_match(clause) && !self.went_back.as_ref().is_some_and(|back| back.is_match(clause))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wordings_compile() {
        for language in &wording::symptoms().languages {
            let optional = [language.tells, language.inquires, language.went_back].into_iter().flatten();
            let own = [language.supposes, language.wonders, language.resolved].into_iter().chain(optional);
            let rows = language.complaint.iter().flat_map(|row| [Some(row.pattern), row.unless]);
            for pattern in own.chain(rows.flatten()) {
                assert!(Pattern::check(pattern).is_ok(), "{pattern}");
            }
            let stray = language.complaint.iter().find(|row| row.pattern.contains("{p") || row.pattern.contains("{g"));
            assert_eq!(stray.map(|row| row.pattern), None, "a part that the language does not have");
        }
    }

    #[test]
    fn what_lines_say() {
        for (line, fault) in [
            ("It hangs.. I mean: the script just hangs", Some("hang")),
            ("If the first GPU is busy, it hangs", Some("hang")),
            ("If it hangs, dump the stacks", None),
            ("Does it hang with two GPUs?", None),
            ("Why does it hang with two GPUs?", Some("hang")),
            ("I have a 3090 and get OOM with batch 1, any way to reduce it?", Some("oom")),
            ("What batch size did you use, mine goes OOM at 4?", Some("oom")),
            ("Does it go OOM with 8 GB?", None),
            ("The script closes without any error, do I need more RAM?", Some("process-died")),
            ("Does it hang with NCCL, or is it slow?", None),
            ("我24G也显存溢出？", Some("oom")),
            ("24G会不会显存溢出？", None),
            ("it freezes, then the PC reboots", Some("process-died")),
            ("学習が固まる", Some("hang")),
        ] {
            assert_eq!(READER.read(line).map(|row| row.meant.fault), fault, "{line}");
        }
    }
}
