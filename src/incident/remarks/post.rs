//! A text as a post: what a person wrote, with the logs and messages that it quotes.

use super::described::{Least, is_only_told, is_sentence, own, tells, tells_enough};
use crate::descriptions;
use crate::incident::Incident;
use crate::text::{Line, Transcript};
use crate::wording;

/// Lines of a post, at most: a log is none.
const MOST_LINES: usize = 120;

/// Of what a person writes, so many bytes are read: five times the longest of the posts from which was learned.
const LONGEST: usize = 16 * 1024;

/// How much a person tells in a post: more than a title and a sentence, which are too short to be judged as a whole.
const STORY: Least = Least { words: 14, signs: 30 };

/// A text that is no longer than what people post.
#[derive(Clone, Copy)]
pub(crate) struct Post<'t> {
    transcript: &'t Transcript,
    incident: &'t Incident,
}

impl<'t> Post<'t> {
    /// The text as a post, unless it is too long.
    pub(crate) fn of(transcript: &'t Transcript, incident: &'t Incident) -> Option<Self> {
        (transcript.len() <= MOST_LINES).then_some(Self { transcript, incident })
    }

    /// Whether a person certainly tells a story in it: enough is in sentences, without paths, numbers and signs. Costs little
    /// for what programs print.
    pub(crate) fn is_story(self) -> bool {
        let text = self.transcript.text();
        wording::writing().writers.iter().any(|word| text.contains(word)) && tells(&self.said(is_sentence), STORY)
    }

    /// The probability that nothing failed for its writer; `None` where a person tells less than a sentence.
    pub(crate) fn nothing_failed(self) -> Option<f32> {
        tells_enough(&self.said(|_| true)).then(|| descriptions::nothing_failed(&self.whole()))
    }

    /// The page that most posts like this one are about, and how probable it is for the letters and words of this one alone.
    pub(crate) fn page(self) -> (&'static str, f32) {
        descriptions::page_of_posts(&self.whole())
    }

    /// The page that it is most likely about, and how probable that is for its words and concepts together; `None` where a person
    /// tells less than a sentence.
    pub(crate) fn likeliest_page(self) -> Option<(&'static str, f32)> {
        tells_enough(&self.said(|_| true)).then(|| descriptions::likeliest_page(&self.whole()))?
    }

    fn whole(self) -> String {
        together(own(self.transcript, self.incident))
    }

    /// Whether every line is a sentence, and no program's message is among them.
    pub(crate) fn is_only_told(self) -> bool {
        is_only_told(self.transcript, self.incident)
    }

    /// Whether a person seems to write a part of it. Decodes the concepts, so ask last.
    pub(crate) fn is_by_person(self) -> bool {
        descriptions::described(&self.said(|_| true)).is_some_and(|it| it.by_person)
    }

    /// The lines that no program seems to have logged and for which `counts` holds. A message may be quoted in the middle of
    /// a sentence.
    fn said(self, counts: impl Fn(&str) -> bool) -> String {
        let is_said = |line: &Line<'_>| line.prefix.level.is_none() && line.prefix.time.is_none() && counts(line.text);
        together(own(self.transcript, self.incident).filter(is_said))
    }
}

fn together<'t>(lines: impl Iterator<Item = Line<'t>>) -> String {
    let mut text = String::new();
    for line in lines {
        let end = line.text.floor_char_boundary(LONGEST.saturating_sub(text.len()));
        text.extend([&line.text[..end], "\n"]);
        if text.len() >= LONGEST {
            break;
        }
    }
    text
}
