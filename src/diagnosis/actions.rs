//! All fixes of all causes as one list of what to do, the most useful first.
//!
//! The use of an action is how likely it is to help, summed over the causes it helps against, less what it costs: one
//! that serves the two likeliest causes may come before one that serves only the first.

use super::answer::{Action, CauseStatus, RankedCause};
use super::precedents::Precedents;
use crate::book::schema::Cost;

/// What is left of an action's use after its cost: a setting is tried before a reinstallation that helps as often.
fn after_cost(cost: Option<Cost>) -> f64 {
    match cost {
        Some(Cost::Setting) => 1.0,
        Some(Cost::Code) | None => 0.95,
        Some(Cost::Reinstall) => 0.9,
        Some(Cost::Machine) => 0.85,
        Some(Cost::Hardware) => 0.6,
    }
}

/// The list of what to do: an action appears once, in the words of its likeliest cause, and names all its causes. A
/// cause that the machine rules out adds none.
pub(super) fn ranked(causes: &mut [RankedCause], precedents: &Precedents) -> Vec<Action> {
    let mut actions: Vec<(Action, f64)> = Vec::new();
    for cause in causes.iter().filter(|cause| cause.status != CauseStatus::Refuted) {
        for (place, fix) in cause.fixes.iter().enumerate() {
            let helps = cause.probability * precedents.helps(&cause.id, &fix.id, place) * after_cost(fix.cost);
            match actions.iter_mut().find(|(action, _)| action.id == fix.id) {
                Some((action, using)) => {
                    action.causes.push(cause.id.clone());
                    *using += helps;
                }
                None => actions.push((Action { solved: precedents.solved(&fix.id), ..fix.clone() }, helps)),
            }
        }
    }
    actions.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let actions: Vec<Action> = actions.into_iter().map(|(action, _)| action).collect();
    for fix in causes.iter_mut().flat_map(|cause| &mut cause.fixes) {
        if let Some(action) = actions.iter().find(|action| action.id == fix.id) {
            fix.causes.clone_from(&action.causes);
            fix.solved.clone_from(&action.solved);
        }
    }
    actions
}
