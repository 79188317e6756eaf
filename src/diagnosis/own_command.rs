//! A recipe as a change of the command line that the writer ran: "--batch-size 8" where it has "--batch-size 16".

use crate::incident::{CommandLine, Form, Override};

/// The overrides to change in the user's own command line, in its own spelling.
pub(super) fn adapted(recipe: &str, commands: &[CommandLine]) -> Option<String> {
    commands.iter().rev().find_map(|command| match recipe {
        "reduce-batch" => smaller_batch(command),
        "mixed-precision" => set(command, &["precision", "mixed_precision"], "16-mixed"),
        "fewer-workers" => set(command, &["num_workers", "dataloader_num_workers", "workers"], "0"),
        _ => None,
    })
}

/// Halves the batch and doubles the accumulation, so that the effective batch stays.
fn smaller_batch(command: &CommandLine) -> Option<String> {
    const TRAINING: [&str; 7] = [
        "batch_size",
        "train_batch_size",
        "per_device_train_batch_size",
        "micro_batch_size",
        "train_micro_batch_size_per_gpu",
        "samples_per_gpu",
        "batch",
    ];
    const ACCUMULATION: [&str; 3] = ["accumulate_grad_batches", "gradient_accumulation_steps", "accum_iter"];
    let batch = command.overrides.iter().find(|it| TRAINING.contains(&last(&it.key).as_str()) && !is_evaluation(it))?;
    let size: u64 = batch.value.parse().ok().filter(|size| *size > 1)?;
    let mut tokens = vec![spelled(batch, &(size / 2).to_string())];
    let accumulation = command.overrides.iter().find(|it| ACCUMULATION.contains(&last(&it.key).as_str()));
    tokens.push(match accumulation {
        Some(given) => spelled(given, &(given.value.parse().unwrap_or(1_u64) * 2).to_string()),
        None => match batch.form {
            Form::Hydra => "trainer.accumulate_grad_batches=2".to_owned(),
            Form::DashEquals => "--gradient_accumulation_steps=2".to_owned(),
            Form::DashSpace => "--gradient_accumulation_steps 2".to_owned(),
        },
    });
    Some(tokens.join(" "))
}

fn is_evaluation(given: &Override) -> bool {
    ["val", "eval", "test"].iter().any(|word| given.key.to_ascii_lowercase().contains(word))
}

/// Sets the first override with one of these names to another value.
fn set(command: &CommandLine, names: &[&str], value: &str) -> Option<String> {
    let given = command.overrides.iter().find(|it| names.contains(&last(&it.key).as_str()))?;
    Some(spelled(given, value))
}

/// The last part of a dotted key, with `-` as `_`.
fn last(key: &str) -> String {
    key.rsplit('.').next().unwrap_or(key).trim_start_matches('-').replace('-', "_")
}

/// An override in its own spelling with another value.
fn spelled(given: &Override, value: &str) -> String {
    match given.form {
        Form::Hydra => format!("{}={value}", given.key),
        Form::DashEquals => format!("--{}={value}", given.key),
        Form::DashSpace => format!("--{} {value}", given.key),
    }
}
