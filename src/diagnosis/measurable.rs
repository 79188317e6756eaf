//! Whether the causes of a fault depend on something that a machine can be asked.

use crate::book::page::{Cause, FaultPage};
use crate::condition::Condition;

/// Groups of facts that only a text tells: the message's own numbers, where in the run it happened, how it was run.
const OF_THE_TEXT: &[&str] = &["oom", "smem", "assert", "where", "rank", "run", "exit", "symbol", "lib", "test"];

/// Whether some evidence of the fault's page rests on a fact of the machine.
pub(super) fn asks_the_machine(page: &FaultPage) -> bool {
    let of_the_machine = |name: &str| {
        let group = name.split('.').next().unwrap_or_default();
        !OF_THE_TEXT.contains(&group)
    };
    page.causes.iter().flat_map(Cause::conditions).flat_map(Condition::names).any(of_the_machine)
}
