//! Findings at places of files: what the formats of CI show, whichever command found it.
//!
//! `check` and `diagnose` turn what they have into these values, and [`sarif`](super::sarif), [`github`](super::github)
//! and [`junit`](super::junit) write them: a new format of this kind is one file that serves both.

use super::inline;
use super::words::percent;
use crate::diagnosis::{Diagnosis, FrameRef, Verdict};
use crate::span::Span;

/// What a command looked at, and what it found there.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// Every file that was looked at.
    pub inputs: Vec<String>,
    /// The rules that findings name.
    pub rules: Vec<Rule>,
    /// What was found, in the order of the inputs.
    pub found: Vec<Finding>,
}

/// A kind of finding.
#[derive(Debug, Clone)]
pub struct Rule {
    /// `unknown-cause`, `cudnn-no-engine`.
    pub id: String,
    /// What it is about, in one sentence.
    pub description: String,
    /// How bad a finding of this kind is.
    pub level: Level,
}

/// Something found at a place.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The rule's id.
    pub rule: String,
    /// How bad it is.
    pub level: Level,
    /// Its name for people, where the rule's id is none.
    pub title: Option<String>,
    /// All that is to be said of it; may have several lines.
    pub message: String,
    /// Where it is.
    pub place: Place,
    /// The user's own code that raised it: a file of the repository.
    pub raised_in: Option<FrameRef>,
    /// Places of what only followed from it, with words: one failure is one finding.
    pub consequences: Vec<(Place, String)>,
    /// The edit that fixes it.
    pub fix: Option<Edit>,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Worth knowing.
    Note,
    /// Should be fixed.
    Warning,
    /// Must be fixed.
    Error,
}

/// A stretch of a file.
#[derive(Debug, Clone)]
pub struct Place {
    /// The path as the user gave it.
    pub path: String,
    /// Where in the file.
    pub span: Span,
}

/// A change of the file's text, in Unicode scalar values.
#[derive(Debug, Clone)]
pub struct Edit {
    /// What makes it.
    pub description: String,
    /// Where it begins.
    pub offset: usize,
    /// How much is replaced.
    pub length: usize,
    /// What takes its place.
    pub replacement: String,
}

impl Findings {
    /// Adds the answer for a text: at most one finding, because what follows from a failure is no alert of its own.
    pub fn add(&mut self, path: &str, diagnosis: &Diagnosis) {
        self.inputs.push(path.to_owned());
        let error = diagnosis.error.as_ref();
        let (id, title, level, span) = match (diagnosis.verdict, &diagnosis.fault, error) {
            (Verdict::KnownFault, Some(fault), _) => {
                (fault.id.as_str(), inline::plain(&fault.title), Level::Error, fault.span)
            }
            (Verdict::UnlistedError, _, Some(error)) => {
                ("unlisted-error", "Not a failure in the book".to_owned(), Level::Warning, error.span)
            }
            _ => return,
        };
        if !self.rules.iter().any(|rule| rule.id == id) {
            self.rules.push(Rule { id: id.to_owned(), description: title.clone(), level });
        }
        let place = |span| Place { path: path.to_owned(), span };
        let consequence = |echo: &crate::diagnosis::Consequence| {
            (place(echo.span), format!("follows from it ({}): {}", echo.why, inline::plain(&echo.title)))
        };
        self.found.push(Finding {
            rule: id.to_owned(),
            level,
            message: message(diagnosis, &title),
            title: Some(title),
            place: place(span),
            raised_in: error.and_then(|error| error.frame.clone()).filter(is_of_the_repository),
            consequences: diagnosis.cascade.iter().map(consequence).collect(),
            fix: None,
        });
    }
}

/// Only a relative path can name a file of the repository.
fn is_of_the_repository(frame: &FrameRef) -> bool {
    frame.line > 0 && !frame.file.starts_with(['/', '<', '\\']) && !frame.file.contains(':')
}

/// The answer in a few lines.
fn message(diagnosis: &Diagnosis, title: &str) -> String {
    let mut lines = vec![title.to_owned()];
    if diagnosis.fault.is_none()
        && let Some(error) = &diagnosis.error
    {
        lines.push(format!("{}: {}", error.type_name, error.message.lines().next().unwrap_or_default()));
    }
    if let Some(cause) = diagnosis.causes.first() {
        let figure = percent(cause.probability).map(|figure| format!(" ({figure})")).unwrap_or_default();
        lines.push(format!("Most likely: {}{figure}", inline::plain(&cause.title)));
    }
    lines.extend(diagnosis.actions.first().map(|action| format!("Do this: {}", inline::plain(&action.title))));
    lines.extend(diagnosis.reports.first().map(|report| format!("Seen before: {} {}", report.id, report.title)));
    lines.join("\n")
}
