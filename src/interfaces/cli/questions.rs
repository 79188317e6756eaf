//! The questions of `new` at a terminal: only what it could not find out, with what it found as the default.
//!
//! Enter keeps the default or leaves the answer empty; Escape and Ctrl-C write nothing.

use crate::render::clean;
use crate::reports::draft::context::{Context, Row};
use crate::reports::draft::duplicates::Duplicate;
use inquire::{InquireError, Select, Text};

use crate::interfaces::cli::answers::Answers;
use crate::interfaces::cli::failure::{Failure, Result};

/// Asks the questions; `append` if it is already decided that a known report gets an occurrence.
pub(crate) fn about(alike: Option<&Duplicate>, found: &Context, append: bool) -> Result<Answers> {
    if append {
        return Ok(Answers::New { title: None, severity: None, command: None, rows: Vec::new() });
    }
    match ask(alike, found) {
        Err(InquireError::OperationCanceled | InquireError::OperationInterrupted) => Ok(Answers::Stop),
        other => other.map_err(|error| Failure::new(error.to_string())),
    }
}

fn ask(alike: Option<&Duplicate>, found: &Context) -> Result<Answers, InquireError> {
    if let Some(alike) = alike {
        let add = clean::line(&format!("add this occurrence to {}", alike.id));
        let choices = vec![add.clone(), "write a new report".to_owned(), "stop".to_owned()];
        let chosen = Select::new(&clean::line(&alike.message()), choices).prompt()?;
        if chosen == add {
            return Ok(Answers::Append(alike.id.clone()));
        }
        if chosen == "stop" {
            return Ok(Answers::Stop);
        }
    }
    let title = Text::new("Title").with_default(&clean::line(&found.title)).prompt()?;
    let known = ["critical", "high", "medium", "low"];
    let at = known.iter().position(|word| *word == found.severity).unwrap_or(1);
    let severity = Select::new("Severity", known.to_vec()).with_starting_cursor(at).prompt()?;
    let command = match &found.command {
        Some(_) => None,
        None => open("The command that was run")?,
    };
    let mut rows = Vec::new();
    for todo in &found.environment_todo {
        if let Some(value) = open(&clean::line(&format!("{} ({})", todo.label, todo.value)))? {
            rows.push(Row { label: todo.label.clone(), value, source: "asked".to_owned() });
        }
    }
    Ok(Answers::New { title: Some(title), severity: Some(severity.to_owned()), command, rows })
}

/// An optional answer.
fn open(question: &str) -> Result<Option<String>, InquireError> {
    let answer = Text::new(question).with_help_message("press Enter to skip this question").prompt()?;
    Ok(Some(answer.trim().to_owned()).filter(|answer| !answer.is_empty()))
}
