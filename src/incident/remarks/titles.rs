//! What a text of a few words names: "NCCL hang on 8 nodes", "OOM with 24 GB". Titles of posts and questions to a search
//! have no message and no sentence, and still say what failed.
//!
//! The words are in `kb/wording/titles.toml`. Asked only about texts in which nothing else was found.

use std::sync::LazyLock;

use super::described::is_sentence;
use crate::incident::failures::Symptom;
use crate::incident::{Incident, Meant, Role, is_conditional, is_harmless, is_written};
use crate::pattern::Pattern;
use crate::text::Transcript;
use crate::wording;

/// Longer lines are sentences, or no title.
const MOST_WORDS: usize = 14;
const MOST_BYTES: usize = 160;

/// What a title names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Title {
    /// A change, a document, a question about others, a problem that is over.
    NoProblem,
    /// A failure of which the book has no page, on this line of the transcript.
    Failure(usize),
    /// What is on this line of the transcript.
    Known(usize, Meant),
}

/// The words of `kb/wording/titles.toml` as patterns.
struct Words {
    never: Pattern,
    nonetheless: Pattern,
    failing: Pattern,
    /// Of the rows of `known`, those that count beside a word of `failing` only.
    subjects: Pattern,
    known: Vec<Symptom>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let titles = wording::titles();
    Words {
        never: Pattern::any_of(&[titles.never]),
        nonetheless: Pattern::any_of(&[titles.nonetheless]),
        failing: Pattern::any_of(&[titles.failing]),
        subjects: Pattern::any_of(&[titles.subjects]),
        known: titles.title.iter().map(Symptom::new).collect(),
    }
});

/// What a text names that is a title and nothing else; `None` where it is more, or names nothing.
pub(crate) fn title(transcript: &Transcript, incident: &Incident) -> Option<Title> {
    let mut lines = transcript.lines().filter(|line| !line.text.trim().is_empty());
    let line = lines.next().filter(|_| lines.next().is_none())?;
    let text = line.text.trim();
    let is_title = text.len() <= MOST_BYTES
        && !text.ends_with(['.', '。', '！', '!'])
        && text.split_whitespace().count() <= MOST_WORDS
        && line.prefix.level.is_none()
        && line.prefix.time.is_none()
        && matches!(incident.roles.get(line.index), None | Some(Role::Text))
        && !text.starts_with('-')
        && !is_written(text)
        && !is_harmless(text)
        && !is_conditional(text);
    if !is_title {
        return None;
    }
    if WORDS.never.is_match(text) && !WORDS.nonetheless.is_match(text) {
        return Some(Title::NoProblem);
    }
    let fails = WORDS.failing.is_match(text);
    let says_enough = |known: &&Symptom| fails || !WORDS.subjects.is_match(known.row.fault);
    match WORDS.known.iter().filter(says_enough).find(|known| known.is_named(text)).map(|known| known.row) {
        Some(row) => Some(Title::Known(line.index, Meant { fault: row.fault, cause: row.cause })),
        None => {
            // A program prints such words as well, among figures and names.
            let says = fails && is_sentence(text) && !text.contains(": ");
            says.then_some(Title::Failure(line.index))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{incident, text};

    #[test]
    fn wordings_compile() {
        let titles = wording::titles();
        let rows = titles.title.iter().flat_map(|row| [Some(row.pattern), row.unless]).flatten();
        for pattern in [titles.never, titles.nonetheless, titles.failing, titles.subjects].into_iter().chain(rows) {
            assert!(Pattern::check(pattern).is_ok(), "{pattern}");
        }
    }

    #[test]
    fn a_few_words_name_a_problem() {
        let named = |words: &str| {
            let transcript = text::read(words.as_bytes());
            match title(&transcript, &incident::read(&transcript)) {
                Some(Title::Known(_, meant)) => Some(Some(meant.fault)),
                Some(Title::Failure(_)) => Some(None),
                Some(Title::NoProblem) | None => None,
            }
        };
        for (words, expected) in [
            ("nccl hang on 8 nodes", Some(Some("hang"))),
            ("OOM with 24GB", Some(Some("oom"))),
            ("vram leak in the sampler", Some(Some("oom"))),
            ("RAM keeps growing every epoch", Some(Some("host-oom"))),
            ("the frobnicator is broken", Some(None)),
            ("Fix hang in the data loader", None),
            ("How NCCL timeouts work", None),
            ("my fix for the hang broke again", Some(Some("hang"))),
            ("NVSwitch fabric manager down", Some(Some("nvlink-fabric"))),
            ("NVSwitch fabric manager", None),
            ("a first line\nnccl hang on 8 nodes", None),
        ] {
            assert_eq!(named(words), expected, "{words}");
        }
    }
}
