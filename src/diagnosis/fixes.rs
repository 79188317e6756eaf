//! The fixes of each cause as proposed to this user.
//!
//! Fixes in force are left out, commands are adapted to the command line that the text shows. What cannot be adapted is
//! shown as the recipe has it. A fix whose title needs a fact that is not known is left out, and so is a paragraph or a
//! command that does.

use super::alternatives::{self, Frameworks};
use super::conditions::Conditions;
use crate::book::page::{Cause, Fix};
use crate::diagnosis::Action;
use crate::incident::Incident;
use crate::incident::{CommandLine, Form, Override};

/// The fixes of a cause to propose, in the page's order, which is by cost.
pub(super) fn proposed(
    page: &str,
    cause: &Cause,
    incident: &Incident,
    conditions: &Conditions,
    frameworks: &Frameworks,
) -> Vec<Action> {
    let to_action = |(place, fix): (usize, &Fix)| {
        let adapted = fix.recipe.as_deref().and_then(|recipe| adapted(recipe, &incident.commands));
        let commands = match adapted {
            Some(command) => vec![command],
            None => {
                let filled = fix.commands.iter().filter_map(|block| conditions.filled(block));
                filled.map(|block| alternatives::relevant(&block, frameworks)).collect()
            }
        };
        let detail: Vec<String> = fix.detail.split("\n\n").filter_map(|words| conditions.filled(words)).collect();
        Some(Action {
            id: fix.recipe.clone().unwrap_or_else(|| format!("{page}#{}#{place}", cause.id)),
            title: conditions.filled(&fix.title)?,
            detail: detail.join("\n\n"),
            commands: alternatives::relevant_blocks(commands, frameworks),
            trade_offs: fix.trade_offs.clone(),
            cost: fix.cost,
            solved: None,
            causes: vec![cause.id.clone()],
        })
    };
    let in_force = |fix: &Fix| fix.in_force.as_ref().is_some_and(|when| conditions.holds(when).is_some());
    (1..).zip(&cause.fixes).filter(|(_, fix)| !in_force(fix)).filter_map(to_action).collect()
}

/// The overrides to change in the user's own command line, in its own spelling.
fn adapted(recipe: &str, commands: &[CommandLine]) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn cause(id: &str, status: CauseStatus, fixes: &[(&str, &str)]) -> RankedCause {
        let action = |(fix, detail): &(&str, &str)| Action {
            id: (*fix).into(),
            title: String::new(),
            detail: (*detail).into(),
            commands: Vec::new(),
            trade_offs: Vec::new(),
            causes: vec![id.into()],
        };
        RankedCause {
            id: id.into(),
            title: String::new(),
            probability: 0.5,
            prior: 0.0,
            status,
            status_says: None,
            reasons: Vec::new(),
            check: String::new(),
            check_command: None,
            fixes: fixes.iter().map(action).collect(),
            dead_ends: Vec::new(),
        }
    }

    #[test]
    fn an_action_appears_once_in_the_words_of_its_likeliest_cause() {
        let mut causes = [
            cause("likely", CauseStatus::Unverified, &[("batch", "words of likely"), ("precision", "")]),
            cause("ruled-out", CauseStatus::Refuted, &[("driver", ""), ("batch", "")]),
            cause("other", CauseStatus::Supported, &[("wait", ""), ("batch", "words of other")]),
        ];
        let actions = actions(&mut causes);
        let ids: Vec<&str> = actions.iter().map(|action| action.id.as_str()).collect();
        assert_eq!(ids, ["batch", "precision", "wait"]);
        assert_eq!(
            (actions[0].detail.as_str(), &actions[0].causes),
            ("words of likely", &vec!["likely".into(), "other".into()])
        );
        let fix = &causes[2].fixes[1];
        assert_eq!((fix.detail.as_str(), &fix.causes), ("words of other", &actions[0].causes));
    }
}
