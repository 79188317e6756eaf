//! The part of a log for a report: the lines just before, the whole failure, the consequences as
//! headlines, each with its line in the original.
//!
//! Marks are on lines of their own, so that every line of the log stays as it was printed.

use crate::diagnosis::Diagnosis;
use crate::incident::{ErrorEvent, Incident};
use crate::text::Transcript;

/// Lines shown before the failure.
const BEFORE: usize = 6;
/// Lines shown from the start of a failure that is too long.
const HEAD: usize = 12;
/// Lines shown from its end.
const TAIL: usize = 60;
/// Consequences that are shown.
const CONSEQUENCES: usize = 6;
/// Characters of a line.
const WIDEST: usize = 2000;

/// An excerpt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Excerpt {
    /// Its lines.
    pub(super) text: String,
    /// What was left out, as a sentence; empty when nothing was.
    pub(super) note: String,
}

/// The excerpt for the primary error; empty if there is no error.
pub(super) fn excerpt(transcript: &Transcript, incident: &Incident, diagnosis: &Diagnosis) -> Excerpt {
    let Some(error) = &diagnosis.error else { return Excerpt::default() };
    let Some(event) = event(transcript, incident, diagnosis) else {
        let near = near(transcript, error.span.start.line);
        return Excerpt { text: near.unwrap_or_default(), note: String::new() };
    };
    let stream = transcript.streams().get(event.stream as usize);
    let own: Vec<usize> = match stream {
        Some(stream) => stream.lines.clone(),
        None => (0..transcript.len()).collect(),
    };
    let first = own.partition_point(|line| *line < event.lines.start);
    let last = own.partition_point(|line| *line < event.lines.end).max(first + 1).min(own.len());
    let mut out = Lines::default();
    let before = own.get(first.saturating_sub(BEFORE)..first).unwrap_or_default();
    before.iter().for_each(|line| out.line(transcript, *line));
    let body = own.get(first..last).unwrap_or_default();
    let cut = body.len().saturating_sub(HEAD + TAIL);
    for (place, line) in body.iter().enumerate() {
        if cut > 0 && (HEAD..HEAD + cut).contains(&place) && *line != event.headline {
            out.left_out += 1;
            if place == HEAD {
                out.text.push_str(&format!("... ({cut} lines left out)\n"));
            }
            continue;
        }
        out.line(transcript, *line);
        if *line == event.headline {
            out.mark(&format!("primary error, line {} of the log", transcript.line(*line).number));
        }
    }
    for echo in diagnosis.cascade.iter().take(CONSEQUENCES) {
        let inside = body.iter().any(|line| transcript.line(*line).number == echo.span.start.line);
        if !inside {
            out.text.push_str("...\n");
            out.words(&echo.text);
            out.mark(&format!("{}: {}, line {} of the log", echo.why, echo.id, echo.span.start.line));
        }
    }
    let shown = out.text.lines().count();
    let note = match diagnosis.lines_read as usize > shown {
        true => {
            format!("This is the failure from a log of {} lines, without time stamps and colors.", diagnosis.lines_read)
        }
        false => String::new(),
    };
    Excerpt { text: out.text.trim_end().to_owned(), note }
}

/// The event that the diagnosis took for the primary one.
pub(super) fn event<'i>(
    transcript: &Transcript,
    incident: &'i Incident,
    diagnosis: &Diagnosis,
) -> Option<&'i ErrorEvent> {
    let error = diagnosis.error.as_ref()?;
    let on_line = |event: &&ErrorEvent| {
        event.headline < transcript.len() && transcript.line(event.headline).number == error.span.start.line
    };
    let mut events = incident.errors.iter().filter(on_line);
    let first = events.next()?;
    if first.type_name == error.type_name {
        return Some(first);
    }
    events.find(|event| event.type_name == error.type_name).or(Some(first))
}

/// The clean lines around a physical line.
fn near(transcript: &Transcript, number: u32) -> Option<String> {
    let at = transcript.lines().position(|line| line.number == number)?;
    let mut out = Lines::default();
    for index in at.saturating_sub(BEFORE)..(at + 4).min(transcript.len()) {
        out.line(transcript, index);
        if index == at {
            out.mark(&format!("primary error, line {number} of the log"));
        }
    }
    Some(out.text.trim_end().to_owned())
}

#[derive(Default)]
struct Lines {
    text: String,
    left_out: usize,
}

impl Lines {
    fn line(&mut self, transcript: &Transcript, index: usize) {
        if index < transcript.len() {
            self.words(transcript.line(index).text);
        }
    }

    fn words(&mut self, words: &str) {
        if words.chars().nth(WIDEST).is_some() {
            self.text.extend(words.chars().take(WIDEST));
            self.text.push_str(" ...");
        } else {
            self.text.push_str(words.trim_end());
        }
        self.text.push('\n');
    }

    fn mark(&mut self, label: &str) {
        self.text.push_str(&format!("^^^ {label}\n"));
    }
}
