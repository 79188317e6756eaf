//! What the probe says of a cause: confirmed, supported, refuted, or unverified with the reason.

use super::conditions::Conditions;
use super::weigh::Weighed;
use crate::book::page::Cause;
use crate::book::schema::Weight;
use crate::condition::Condition;
use crate::diagnosis::CauseStatus;
use crate::facts::Source;

/// The status of a cause and the sentence behind it.
///
/// Only measured values count: what the text says moves the probability, not the status.
pub(super) fn of(cause: &Cause, weighed: &Weighed, conditions: &Conditions) -> (CauseStatus, Option<String>) {
    let measured = |source: Source| source >= Source::Saved;
    let strongest = weighed.reasons.iter().find(|(_, reason)| measured(reason.source));
    match strongest {
        Some((weight, reason)) if *weight >= super::weigh::weight(Weight::Decisive) => {
            (CauseStatus::Confirmed, Some(reason.says.clone()))
        }
        Some((weight, reason)) if *weight <= super::weigh::weight(Weight::Refutes) => {
            (CauseStatus::Refuted, Some(reason.says.clone()))
        }
        Some((weight, reason)) if *weight > 0.0 => (CauseStatus::Supported, Some(reason.says.clone())),
        _ => (CauseStatus::Unverified, why_unverified(cause, conditions)),
    }
}

/// The reason that a fact which would settle the cause cannot be known, where somebody said one.
fn why_unverified(cause: &Cause, conditions: &Conditions) -> Option<String> {
    cause.conditions().flat_map(Condition::names).find_map(|name| conditions.why_unknown(name))
}
