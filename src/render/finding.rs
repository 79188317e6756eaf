//! Findings at positions in files: what the CI formats show, whichever command found them.
//!
//! `check` and `diagnose` convert their results to these types, and [`sarif`](super::sarif), [`github`](super::github)
//! and [`junit`](super::junit) write them: a new CI format is one file that serves both commands.

use super::inline;
use super::words::percent;
use crate::diagnosis::{Diagnosis, FrameRef, Verdict};
use crate::span::Span;

/// The files that a command read, and what it found in them.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    pub inputs: Vec<String>,
    /// The rules that the findings refer to.
    pub rules: Vec<Rule>,
    /// The findings, in the order of the inputs.
    pub found: Vec<Finding>,
}

/// A kind of finding.
#[derive(Debug, Clone)]
pub struct Rule {
    /// `unknown-cause`, `cudnn-no-engine`.
    pub id: String,
    /// What the rule checks, in one sentence.
    pub description: String,
    /// The severity of its findings.
    pub level: Level,
}

#[derive(Debug, Clone)]
pub struct Finding {
    pub rule: String,
    pub level: Level,
    /// A readable name, if the rule's id is not one.
    pub title: Option<String>,
    /// The full message; may have several lines.
    pub message: String,
    pub place: Place,
    /// The user's code that raised it: a file of the repository.
    pub raised_in: Option<FrameRef>,
    /// Consequences of it, with messages: one failure is one finding.
    pub consequences: Vec<(Place, String)>,
    /// The edit that fixes it.
    pub fix: Option<Edit>,
}

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    Note,
    Warning,
    Error,
}

/// A range in a file.
#[derive(Debug, Clone)]
pub struct Place {
    /// The path as the user gave it.
    pub path: String,
    /// The position in the file.
    pub span: Span,
}

/// A replacement in the file's text, counted in Unicode scalar values.
#[derive(Debug, Clone)]
pub struct Edit {
    /// What the edit does.
    pub description: String,
    pub offset: usize,
    /// How much is replaced.
    pub length: usize,
    /// The replacement.
    pub replacement: String,
}

impl Findings {
    /// Adds the answer for a text: at most one finding, because the consequences of a failure need no alert of their
    /// own.
    pub fn add(&mut self, path: &str, diagnosis: &Diagnosis) {
        self.inputs.push(path.to_owned());
        let error = diagnosis.error.as_ref();
        let (id, title, level, span) = match (diagnosis.verdict, &diagnosis.fault, error) {
            (Verdict::KnownFault | Verdict::OrdinaryError, Some(fault), _) => {
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
