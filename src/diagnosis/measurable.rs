//! Whether the causes of a diagnosis depend on something that a machine can be asked.

use crate::book::Book;
use crate::book::page::Cause;
use crate::condition::Condition;
use crate::diagnosis::Diagnosis;

/// Groups of facts that only a text tells: the message's own numbers, where in the run it happened, how it was run.
const OF_THE_TEXT: &[&str] = &["oom", "smem", "assert", "where", "rank", "run", "exit", "symbol", "lib", "test"];

/// Whether some evidence of the fault's page rests on a fact of the machine.
pub fn asks_the_machine(diagnosis: &Diagnosis, book: &Book) -> bool {
    let Some(index) = diagnosis.fault.as_ref().and_then(|fault| book.find(&fault.id)) else { return false };
    let page = book.fault(index);
    let of_the_machine = |name: &str| {
        let group = name.split('.').next().unwrap_or_default();
        !OF_THE_TEXT.contains(&group)
    };
    page.causes.iter().flat_map(Cause::conditions).flat_map(Condition::names).any(of_the_machine)
}
