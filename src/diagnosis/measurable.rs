//! Whether the causes of a fault depend on something that a machine can be asked.

use crate::book::page::{Cause, FaultPage};
use crate::condition::Condition;
use crate::facts;

/// Whether some evidence of the fault's page rests on a fact of the machine.
pub(super) fn asks_the_machine(page: &FaultPage) -> bool {
    let of_the_machine = |name: &str| facts::describe(name).is_some_and(|fact| fact.definition.is_measurable());
    page.causes.iter().flat_map(Cause::conditions).flat_map(Condition::names).any(of_the_machine)
}
