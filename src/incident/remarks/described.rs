//! What kind of problem the writer's sentences describe as a whole, where no wording of a complaint is known.

use super::clauses::sentences as sentences_of;
use super::complaints::{FEW_LINES, is_question_of_others, prose};
use crate::descriptions::{self, Described, described, no_problem};
use crate::incident::failures::ends_well;
use crate::incident::{Incident, Role, is_conditional, is_harmless, is_written};
use crate::text::{Line, Transcript};
use crate::wording;

/// Sentences that say what is wrong, at most.
const MOST_BYTES: usize = 4000;

/// Lines and letters in which a writer says what is wrong, at most.
const MOST_LINES: usize = 60;
const MOST_LETTERS: usize = 2000;

/// How much somebody tells: "the", "is", "but", "after", of which a message has few, or signs that say as much where words have
/// no spaces between them.
#[derive(Clone, Copy)]
pub(super) struct Least {
    pub(super) words: usize,
    pub(super) signs: usize,
}

const SENTENCE: Least = Least { words: 8, signs: 15 };
const HALF_A_SENTENCE: Least = Least { words: 3, signs: 6 };

/// A description, and where it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Description {
    /// Index of the transcript line that says most of it.
    pub(crate) line: usize,
    /// What the sentences describe together.
    pub(crate) described: Described,
    /// The probability that the text tells of no problem, by its letters and words alone; `None` where its sentences are too
    /// short, or those of a program.
    pub(crate) no_problem: Option<f32>,
    /// The same of a text that is a few sentences and nothing else, however short.
    pub(crate) no_problem_alone: Option<f32>,
    /// Whether one of the sentences only sounds like a failure.
    pub(crate) sounds_only: bool,
}

/// What somebody tells of the situation in which a known kind of problem arose.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Told {
    /// Index of the transcript line with the first sentence.
    pub(crate) line: usize,
    /// The situations of this kind, each with its probability if it is one of them.
    pub(crate) situations: Vec<(&'static str, f32)>,
}

/// What the sentences of a text tell of the situation of a kind of problem; `None` where there are none, or where its
/// situations are not distinguished. Beside a message only whole sentences count.
pub(crate) fn told_of(kind: &str, transcript: &Transcript, incident: &Incident, has_message: bool) -> Option<Told> {
    if !descriptions::has_situations(kind) {
        return None;
    }
    let (text, lines) = sentences(transcript, incident);
    let (line, _) = *lines.first()?;
    let counts = !has_message || told(&text);
    counts.then(|| Told { line, situations: descriptions::situations(kind, &text) })
}

/// The sentences of a text as one, and each with the index of its line.
fn sentences<'t>(transcript: &'t Transcript, incident: &'t Incident) -> (String, Vec<(usize, &'t str)>) {
    let mut text = String::new();
    let mut lines = Vec::new();
    for line in prose(transcript, incident).filter(|line| is_sentence(line.text)) {
        if text.len() > MOST_BYTES {
            break;
        }
        text.push_str(line.text);
        text.push('\n');
        lines.push((line.index, line.text));
    }
    (text, lines)
}

/// What the sentences of a text describe, whoever wrote them; `None` where it has none, or asks about something of others.
pub(crate) fn description(transcript: &Transcript, incident: &Incident) -> Option<Description> {
    let (text, lines) = sentences(transcript, incident);
    if lines.iter().all(|(_, text)| is_question_of_others(text)) {
        return None;
    }
    let together = described(&text)?;
    let says = |text: &str| {
        described(text).filter(|alone| alone.kind == together.kind).map_or(0.0, |alone| 1.0 - alone.no_problem)
    };
    let best = lines.iter().map(|(line, text)| (*line, says(text)));
    // The first of lines that say as much.
    let (line, _) = best.reduce(|best, next| if next.1 > best.1 { next } else { best })?;
    Some(Description {
        line,
        described: together,
        no_problem: told(&text).then(|| no_problem(&beginning(transcript, incident))),
        no_problem_alone: is_all(&lines, transcript).then(|| no_problem(&text)),
        sounds_only: lines.iter().any(|(_, text)| sounds_only(text)),
    })
}

/// Whether every line is a sentence of the writer: no program's message is among them.
pub(crate) fn is_only_told(transcript: &Transcript, incident: &Incident) -> bool {
    let told = prose(transcript, incident).filter(|line| is_sentence(line.text)).count();
    told > 0 && told == transcript.lines().filter(|line| !line.text.trim().is_empty()).count()
}

/// The lines that are not an answer of Faultbook's.
pub(super) fn own<'t>(transcript: &'t Transcript, incident: &'t Incident) -> impl Iterator<Item = Line<'t>> {
    transcript.lines().filter(|line| incident.roles.get(line.index) != Some(&Role::Answer))
}

/// Where a writer says what is wrong.
fn beginning(transcript: &Transcript, incident: &Incident) -> String {
    let lines = own(transcript, incident).take(MOST_LINES);
    lines.flat_map(|line| line.text.chars().chain(['\n'])).take(MOST_LETTERS).collect()
}

/// Whether a text is these few lines.
fn is_all(lines: &[(usize, &str)], transcript: &Transcript) -> bool {
    let printed = transcript.lines().filter(|line| !line.text.trim().is_empty()).count();
    printed <= FEW_LINES && lines.len() == printed
}

fn sounds_only(text: &str) -> bool {
    is_written(text) || is_harmless(text) || is_conditional(text) || ends_well(text)
}

/// Whether somebody tells something: words that no message has many of, or the signs of a language without spaces.
fn told(text: &str) -> bool {
    tells(text, SENTENCE)
}

/// The same, or several short sentences together: "tp=1: perfect. tp=2: never gets past loading".
pub(super) fn tells_enough(text: &str) -> bool {
    const WORDS: usize = 10;
    let several = || text.lines().map(|line| sentences_of(line).len()).sum::<usize>() > 1;
    told(text) || tells(text, HALF_A_SENTENCE) && text.split_whitespace().nth(WORDS).is_some() && several()
}

/// Whether it is at least so much.
pub(super) fn tells(text: &str, least: Least) -> bool {
    let little = text.split(|letter: char| !letter.is_alphanumeric() && letter != '\'');
    let little = little.filter(|word| wording::is_function_word(&word.to_lowercase())).take(least.words).count();
    let signs = || text.chars().filter(|&letter| letter >= '\u{3040}' && letter.is_alphabetic()).take(least.signs);
    little == least.words || signs().count() == least.signs
}

/// Whether a line reads like a person's words: hardly any digits and signs, as progress, tables, code and paths have; more of
/// them where it certainly tells something.
pub(super) fn is_sentence(text: &str) -> bool {
    let text = text.trim();
    const DRAWN: &[char] = &['|', '━', '█', '=', '{', '}', '[', ']', '<', '>', '\\', '#', '+', '*', '_', '$', ';', '/'];
    let letters = text.chars().filter(|letter| letter.is_alphabetic() || letter.is_whitespace()).count();
    let drawn = text.chars().filter(|letter| DRAWN.contains(letter)).count();
    let all = text.chars().count();
    // "core/process_util.cc:146]"
    let is_location = |word: &str| word.matches('/').count() > 1 && word.contains(':') && !word.contains("://");
    (letters * 5 >= all * 4 || letters * 5 >= all * 3 && tells(text, HALF_A_SENTENCE))
        && !text.split_whitespace().any(is_location)
        && drawn * 16 <= all
        && !text.trim().contains("   ")
}

#[cfg(test)]
mod tests {
    use super::is_sentence;

    #[test]
    fn people_write_sentences() {
        for text in [
            "each epoch takes 40 minutes on my RTX 3090, why?",
            "为什么训练这么慢，显存只占了253MB左右",
            "I use num_workers=8 and batch_size 64, still it crawls",
        ] {
            assert!(is_sentence(text), "{text}");
        }
        for text in [
            "391/391 ━━━━━━━━━━━━━━━━━━━━ 21s 48ms/step - accuracy: 0.5127 - loss: 1.3441",
            "Beginning of Epoch 1/16, Total Micro Batches 1840 [2023-04-28 06:51:29,903] [INFO] x=3",
            "I tensorflow/core/common_runtime/process_util.cc:146] Creating new thread pool with default inter op setting: 2.",
            "CUDA Version                              : 12.2",
            "for (int i = 0; i < n; ++i) { a[i] = b[i]; }",
        ] {
            assert!(!is_sentence(text), "{text}");
        }
    }
}
