//! The title and the one sentence that say what happened, out of what is known and nothing else.

use super::context::{Context, PrimaryError};
use super::templates::code;
use super::{environment, plan};
use crate::diagnosis::Diagnosis;
use crate::facts::Facts;
use crate::render::words;

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
        Some(gpu) => format!("{what} on {}", gpu.trim_start_matches("NVIDIA ").trim_start_matches("GeForce ")),
        None => what,
    }
}

/// One sentence out of what is known; empty when nothing failed.
pub(super) fn summary(context: &Context, diagnosis: &Diagnosis, own: &Facts) -> String {
    let Some(error) = &context.error else { return String::new() };
    let mut says = match error.rank {
        Some(rank) => format!("Rank {rank} of the run stops"),
        None => "The run stops".to_owned(),
    };
    says.push_str(&format!(" with {}", code(&error.short)));
    if let Some(place) = &error.place {
        says.push_str(&format!(" in {}", code(place)));
    }
    for part in &context.circumstances {
        says.push_str(&format!(", {part}"));
    }
    if let Some(gpu) = environment::gpu_in_words(own) {
        says.push_str(&format!(", on {gpu}"));
    }
    match (&context.fault, &context.confirmed, context.causes.first()) {
        (Some(fault), Some(confirmed), _) => {
            says.push_str(&format!(": {} ({}); {confirmed}", mid(&fault.title), code(&fault.id)));
        }
        (Some(fault), None, Some(cause)) => {
            let id = code(&fault.id);
            says.push_str(&format!(
                ": {} ({id}), likeliest because {} ({} %, not confirmed)",
                mid(&fault.title),
                mid(&cause.title),
                cause.percent
            ));
        }
        (Some(fault), None, None) => says.push_str(&format!(": {}", mid(&fault.title))),
        (None, ..) => says.push_str(", which is no failure that the book holds"),
    }
    let echoes = diagnosis.cascade.len();
    if echoes > 0 {
        says.push_str(&format!("; {echoes} later error{} followed from it", if echoes == 1 { "" } else { "s" }));
    }
    says.push('.');
    says
}

/// A title inside a sentence.
fn mid(title: &str) -> String {
    words::mid_sentence(words::open_ended(&plan::one_line(title)))
}
