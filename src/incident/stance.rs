//! Whether a person's sentences report the failure whose message they contain: a question about the meaning of a
//! message, a note that it is solved and a page of documentation mention it; "I get `CUDA error 700`" reports it.
//!
//! The words are in `kb/wording/mentions.toml`. They are looked at only where every failure of a text could be a mention.

use std::ops::Range;
use std::sync::LazyLock;

use super::words::names_an_exception;
use super::{Incident, Role, contains_folded, failures, is_change, position};
use crate::pattern::Pattern;
use crate::text::{Level, Line, Transcript};
use crate::wording;

/// Lines at the beginning and the end of a text in which people write.
const HEAD: usize = 150;
const TAIL: usize = 150;
/// The beginning of a line that is read.
const MOST_BYTES: usize = 2000;

struct Words {
    present: Pattern,
    past: Pattern,
    resolved: Pattern,
    doubts: Pattern,
    elsewhere: Pattern,
    healthy: Pattern,
    all_works: Pattern,
    run_is_fine: Pattern,
    asks: Pattern,
    documents: Pattern,
    no_gpu: Pattern,
    off_gpu: Pattern,
    recovers: Pattern,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let words = wording::mentions();
    Words {
        present: Pattern::any_of(&words.present),
        past: Pattern::any_of(&words.past),
        resolved: Pattern::any_of(&words.resolved),
        doubts: Pattern::any_of(&words.doubts),
        elsewhere: Pattern::any_of(&words.elsewhere),
        healthy: Pattern::any_of(&words.healthy),
        all_works: Pattern::any_of(&words.all_works),
        run_is_fine: Pattern::any_of(&words.run_is_fine),
        asks: Pattern::any_of(&words.asks),
        documents: Pattern::any_of(&words.documents),
        no_gpu: Pattern::any_of(&words.no_gpu),
        off_gpu: Pattern::any_of(&words.off_gpu),
        recovers: Pattern::any_of(&words.recovers),
    }
});

/// What the sentences of a text say about its failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Stance {
    /// The writer has a failure now, or asks for help.
    pub(crate) has_it: bool,
    /// The writer had one.
    had_it: bool,
    /// It is over.
    is_over: bool,
    /// The last line that says so.
    over_at: Option<usize>,
    /// Its first line says so: "[SOLVED] ...".
    titled_over: bool,
    /// Nothing is wrong.
    is_well: bool,
    /// All that the writer runs works.
    all_works: bool,
    /// The run is well in spite of what it prints.
    pub(crate) run_is_fine: bool,
    /// The text is documentation, a plan, a change log.
    is_document: bool,
    /// No GPU is there, or none is wanted.
    pub(crate) wants_no_gpu: bool,
    /// The run was started without it.
    pub(crate) runs_off_gpu: bool,
    /// A program's output is part of the text.
    has_output: bool,
}

impl Stance {
    /// Reads the sentences of a text.
    pub(crate) fn of(transcript: &Transcript, incident: &Incident) -> Self {
        let mut stance = Self::default();
        let len = transcript.len();
        let (mut stamped, mut only_entries, mut changes) = (0, true, 0);
        let mut first = true;
        for index in (0..len).filter(|&index| index < HEAD || index + TAIL >= len) {
            let line = transcript.line(index);
            if incident.roles.get(index) == Some(&Role::Answer) || line.text.trim().is_empty() {
                continue;
            }
            stance.runs_off_gpu |= is_off_gpu(head(line.text));
            stamped += usize::from(line.prefix.time.is_some());
            if is_output(&line, incident) || stamped > 1 && line.prefix.time.is_some() {
                stance.has_output = true;
                continue;
            }
            let is_entry = line.text.trim_start().starts_with(['#', '-', '*', '•']) || line.text.starts_with("  ");
            only_entries &= is_entry || is_version(line.text);
            changes += usize::from(is_change(line.text.trim()));
            if stance.hear(&unquoted(head(line.text))) {
                stance.over_at = Some(index);
                stance.titled_over |= first;
            }
            first = false;
        }
        stance.is_document |= only_entries && changes > 0;
        stance.has_output |= len > HEAD + TAIL;
        stance
    }

    /// Notes what a line without its quotations says; whether it says that the failure is over.
    fn hear(&mut self, line: &str) -> bool {
        let mut over = false;
        self.is_document |= WORDS.documents.is_match(line);
        for clause in clauses(line) {
            self.wants_no_gpu |= WORDS.no_gpu.is_match(clause);
            let is_over = WORDS.resolved.is_match(clause) && !WORDS.doubts.is_match(clause);
            let here = || !WORDS.elsewhere.is_match(clause);
            let all_works = WORDS.all_works.is_match(clause) && here();
            let is_well = all_works || WORDS.healthy.is_match(clause) && here();
            let run_is_fine = WORDS.run_is_fine.is_match(clause) && here();
            over |= is_over;
            self.is_well |= is_well;
            self.all_works |= all_works;
            self.run_is_fine |= run_is_fine;
            if !is_over && !is_well && !run_is_fine {
                self.has_it |= WORDS.present.is_match(clause);
                self.had_it |= WORDS.past.is_match(clause);
            }
        }
        self.is_over |= over;
        over
    }

    /// Whether the failure on a line is only mentioned there.
    pub(crate) fn only_mentions(&self, line: &str) -> bool {
        let about_words = || self.is_document || WORDS.asks.is_match(&unquoted(head(line)));
        let mentions = || (self.is_well || !self.had_it) && about_words();
        !self.has_it && !self.has_output && (self.is_over || mentions())
    }

    /// Whether the writer says that all works, and complains of nothing.
    pub(crate) fn is_all_well(&self) -> bool {
        self.all_works && !self.has_it && !self.had_it
    }

    /// Whether the text says, in its title or below the failure on a line, that it is over, and asks for nothing. Then what
    /// programs printed is quoted.
    pub(crate) fn is_settled(&self, line: usize) -> bool {
        !self.has_it && (self.titled_over || self.over_at.is_some_and(|at| at > line))
    }
}

/// Whether the first line, or one of the last below the failure on a line, has words by which it may be over: what
/// [`Stance::is_settled`] looks for, without reading everything that is written.
pub(crate) fn may_be_over(transcript: &Transcript, incident: &Incident, failure: usize) -> bool {
    /// Lines at the end of a text in which people close it.
    const CLOSING: usize = 20;
    let says_so = |line: Line<'_>| !is_output(&line, incident) && WORDS.resolved.is_match(head(line.text));
    let first = transcript.lines().find(|line| !line.text.trim().is_empty());
    let below = (failure + 1).max(transcript.len().saturating_sub(CLOSING))..transcript.len();
    first.is_some_and(says_so) || below.map(|index| transcript.line(index)).any(says_so)
}

/// Whether a text without a traceback is the description of a change, by its first line: it tells of a failure that others had.
pub(crate) fn describes_a_change(transcript: &Transcript, incident: &Incident) -> bool {
    static CHANGES: LazyLock<Pattern> = LazyLock::new(|| Pattern::any_of(&wording::mentions().changes));
    let traced = incident.errors.iter().any(|error| !error.frames.is_empty());
    let first = transcript.lines().find(|line| !line.text.trim().is_empty());
    // A message alone is no description.
    !traced && transcript.len() > 1 && first.is_some_and(|line| CHANGES.is_match(head(line.text)))
}

/// Whether the run got over what the lines in `failure` report: it says so near them, and goes on. A notice needs no
/// such words.
pub(crate) fn went_on(transcript: &Transcript, incident: &Incident, failure: &Range<usize>, is_notice: bool) -> bool {
    /// Lines around the failure in which the program says how it gets over it.
    const ABOVE: usize = 2;
    const BELOW: usize = 4;
    /// Lines below the failure that are read.
    const MOST: usize = 4000;
    /// Steps that show that the run goes on.
    const STEPS: usize = 3;
    let below = failure.end..transcript.len().min(failure.end + MOST);
    let is_answer = |line: &Line<'_>| incident.roles.get(line.index) == Some(&Role::Answer);
    let below = || below.clone().map(|index| transcript.line(index)).filter(|line| !is_answer(line));
    let steps = below().filter(|line| is_progress(head(line.text))).count();
    let is_death = |index: usize| transcript.line(index).prefix.level == Some(Level::Fatal);
    let dies = |line: Line<'_>| is_death(line.index) || failures::ends_badly(head(line.text));
    if steps == 0 || below().any(dies) {
        return false;
    }
    let ended_well = below().any(|line| failures::ends_well(head(line.text)));
    if is_notice {
        return steps >= STEPS || ended_well;
    }
    let near = failure.start.saturating_sub(ABOVE)..transcript.len().min(failure.end + BELOW);
    let recovers = |index: usize| WORDS.recovers.is_match(head(transcript.line(index).text));
    // "Out of memory, skipped" says it at once.
    if failure.len() == 1 && recovers(failure.start) && !failure.clone().any(is_death) {
        return true;
    }
    (steps + 1 >= STEPS || ended_well) && !failure.clone().any(is_death) && near.into_iter().any(recovers)
}

/// Whether a program printed a line, or a person typed it as a command.
pub(crate) fn is_output(line: &Line<'_>, incident: &Incident) -> bool {
    const BEGINNINGS: [&str; 9] = ["$ ", ">>> ", "In [", "E   ", "> ", "FAILED ", "ERROR ", "root@", "Traceback "];
    let text = line.text.trim();
    let role = incident.roles.get(line.index).copied().unwrap_or(Role::Text);
    // A date alone is what people put before a note.
    let short = text.split_whitespace().take(8).count() < 8;
    matches!(role, Role::Frame | Role::Header)
        || line.prefix.level.is_some()
        || line.prefix.rank.is_some()
        || line.prefix.time.is_some() && short
        || BEGINNINGS.iter().any(|start| text.starts_with(start))
        || is_exception(text) && role != Role::Quiet
        || is_progress(text)
}

/// Whether a line is a version and nothing else: "v0.9.3", as headings of change logs are.
fn is_version(text: &str) -> bool {
    let number = text.trim().trim_start_matches('v');
    number.contains('.') && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// Whether a line sets that the run gets no GPU.
fn is_off_gpu(text: &str) -> bool {
    let mut words = wording::mentions().off_gpu_words.iter();
    words.any(|word| contains_folded(text, word)) && WORDS.off_gpu.is_match(text)
}

/// A step of a run, or what the trainer of Transformers logs after some.
fn is_progress(text: &str) -> bool {
    position::is_step(text) || text.starts_with('{') && (text.contains("'loss': ") || text.contains("'train_loss': "))
}

/// `RuntimeError: ...` from the first letter.
fn is_exception(text: &str) -> bool {
    text.split_once(": ").is_some_and(|(name, _)| !name.contains(' ') && names_an_exception(name))
}

/// The line without what it quotes.
fn unquoted(line: &str) -> String {
    const PAIRS: [(char, char); 6] = [('"', '"'), ('`', '`'), ('“', '”'), ('«', '»'), ('「', '」'), ('„', '“')];
    let mut kept = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        let close = PAIRS.iter().find(|(open, _)| *open == c).and_then(|(_, close)| {
            let end = after.find(*close)?;
            Some(end + close.len_utf8())
        });
        match close {
            Some(end) => {
                kept.push('\u{b7}');
                rest = &after[end..];
            }
            None => {
                kept.push(c);
                rest = after;
            }
        }
    }
    kept
}

/// The parts of a line that make one statement each.
fn clauses(line: &str) -> impl Iterator<Item = &str> {
    const MARKS: [char; 12] = ['.', '!', '?', ';', ',', ':', '。', '，', '、', '！', '？', '；'];
    let mut rest = line;
    std::iter::from_fn(move || {
        loop {
            if rest.is_empty() {
                return None;
            }
            let end = rest.char_indices().find_map(|(at, c)| {
                let after = rest.get(at + c.len_utf8()..)?;
                let ends = MARKS.contains(&c) && (!c.is_ascii() || after.is_empty() || after.starts_with([' ', ')']));
                let contrast = c == ' '
                    && [" but ", " yet ", " aber ", " mais ", " pero ", " но "]
                        .iter()
                        .any(|word| rest[at..].starts_with(word));
                (ends || contrast).then_some((at, if contrast { at + 1 } else { at + c.len_utf8() }))
            });
            let (clause, next) = match end {
                Some((_, next)) => rest.split_at(next),
                None => (rest, ""),
            };
            rest = next;
            if clause.chars().any(char::is_alphanumeric) {
                return Some(clause.trim());
            }
        }
    })
}

fn head(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MOST_BYTES)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        let words = wording::mentions();
        let lists = [
            &words.present,
            &words.past,
            &words.resolved,
            &words.doubts,
            &words.elsewhere,
            &words.healthy,
            &words.all_works,
            &words.run_is_fine,
            &words.asks,
            &words.documents,
            &words.no_gpu,
            &words.off_gpu,
            &words.recovers,
        ];
        for pattern in lists.into_iter().flatten() {
            assert!(Pattern::check(&format!("(?i){pattern}")).is_ok(), "{pattern}");
        }
    }

    #[test]
    fn quotations_and_clauses() {
        assert_eq!(unquoted("it says \"a. b\" and `c`, 5\" wide"), "it says · and ·, 5\" wide");
        let parts: Vec<&str> = clauses("It works, torch 2.1. But not here 但是，不行 but why?").collect();
        assert_eq!(parts, ["It works,", "torch 2.1.", "But not here 但是，", "不行", "but why?"]);
    }

    #[test]
    fn what_a_sentence_says() {
        let stance = |text: &str| {
            let transcript = crate::text::read(text.as_bytes());
            Stance::of(&transcript, &super::super::read(&transcript))
        };
        let asks = "What does \"CUDA error 700\" mean?";
        assert!(stance(asks).only_mentions(asks));
        let has_it = format!("{asks} I get it since yesterday.");
        assert!(stance(&has_it).has_it && !stance(&has_it).only_mentions(&has_it));
        let solved = "The error \"CUDA error 700\" was fixed by the new driver.";
        assert!(stance(solved).only_mentions(solved));
        let doubt = "It should be fixed by the new driver.";
        assert!(!stance(doubt).only_mentions(doubt));
        let output = format!("step 1 loss 2.0\n{solved}");
        assert!(!stance(&output).only_mentions(solved));
    }

    #[test]
    fn what_is_over_above_or_below_its_message() {
        let settled = |text: &str| {
            let transcript = crate::text::read(text.as_bytes());
            let printed =
                transcript.lines().find(|line| line.text.starts_with("RuntimeError")).expect("an error").index;
            Stance::of(&transcript, &super::super::read(&transcript)).is_settled(printed)
        };
        let error = "RuntimeError: CUDA error: out of memory";
        assert!(settled(&format!("[SOLVED] out of memory\n{error}\nIt was the batch size.")));
        assert!(settled(&format!("I had\n{error}\nIt never came back since, closing this issue.")));
        assert!(!settled(&format!("Hi.\nThe driver problem was solved by an update.\nI had it once.\n{error}")));
        assert!(!settled(&format!("[SOLVED] the driver\n{error}\nAny ideas?")));
    }
}
