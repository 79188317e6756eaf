//! The title and the one sentence that say what happened, from what is known and nothing else.

use super::context::{Context, PrimaryError};
use super::filters::code;
use super::{environment, plan};
use crate::diagnosis::{CauseStatus, Consequence, Diagnosis};
use crate::facts::Facts;
use crate::render::words;
use crate::vendors;

pub(super) fn title(diagnosis: &Diagnosis, error: Option<&PrimaryError>, own: &Facts) -> String {
    let what = match (&diagnosis.fault, error) {
        (Some(fault), _) => fault.title.clone(),
        (None, Some(error)) => match &error.function {
            Some(function) if !function.starts_with('<') => format!("{} in {function}", error.short),
            _ => error.short.clone(),
        },
        (None, None) => return "TODO: name the bug in one line".to_owned(),
    };
    match own.text("gpu.name").and(environment::gpu_in_words(own)) {
        Some(gpu) => format!("{what} on {}", vendors::model(&gpu)),
        None => what,
    }
}

/// One sentence from what is known; empty when nothing failed.
pub(super) fn summary(context: &Context, diagnosis: &Diagnosis, own: &Facts) -> String {
    let Some(error) = &context.error else { return String::new() };
    let mut sentence = match error.rank {
        Some(rank) => format!("Rank {rank} of the run stops"),
        None => "The run stops".to_owned(),
    };
    sentence.push_str(&format!(" with {}", code(&error.short)));
    if let Some(place) = &error.place {
        sentence.push_str(&format!(" in {}", code(place)));
    }
    for part in &context.circumstances {
        sentence.push_str(&format!(", {part}"));
    }
    if let Some(gpu) = environment::gpu_in_words(own) {
        sentence.push_str(&format!(", on {gpu}"));
    }
    match &context.fault {
        Some(fault) => sentence.push_str(&format!(": {} ({})", mid(&fault.title), code(&fault.id))),
        None => sentence.push_str(", a failure for which the book has no page"),
    }
    let confirmed = diagnosis.causes.iter().find(|cause| cause.status == CauseStatus::Confirmed);
    match (confirmed, context.causes.first()) {
        (Some(cause), _) => {
            sentence.push_str(&format!("; the cause, confirmed by measurement: {}", mid(&cause.title)));
        }
        (None, Some(cause)) => {
            let percent = cause.percent;
            sentence.push_str(&format!("; the likeliest cause ({percent}%, not confirmed): {}", mid(&cause.title)));
        }
        (None, None) => {}
    }
    // What was printed before the failure, or repeats it, is not a consequence.
    let followed = |echo: &&Consequence| {
        let same = diagnosis.fault.as_ref().is_some_and(|fault| fault.id == echo.id);
        !same && echo.span.start.line > error.line
    };
    match diagnosis.cascade.iter().filter(followed).count() {
        0 => {}
        1 => sentence.push_str("; one later error followed from it"),
        several => sentence.push_str(&format!("; {several} later errors followed from it")),
    }
    sentence.push('.');
    sentence
}

/// A title inside a sentence.
fn mid(title: &str) -> String {
    words::mid_sentence(words::open_ended(&plan::one_line(title)))
}
