//! Whether the causes of a diagnosis depend on something that a machine can be asked.

use super::conditions::Conditions;
use crate::book::Book;
use crate::diagnosis::Diagnosis;
use crate::facts::{self, Facts};

/// Whether some evidence of the fault's page rests on a fact of the machine.
pub fn asks_the_machine(diagnosis: &Diagnosis, book: &Book) -> bool {
    let Some(index) = diagnosis.fault.as_ref().and_then(|fault| book.find(&fault.id)) else { return false };
    let page = book.fault(index);
    let nothing = Facts::default();
    let conditions = Conditions::new(&nothing);
    let of_the_machine =
        |name: &String| facts::describe(name).is_some_and(|described| described.definition.is_measurable());
    page.causes
        .iter()
        .flat_map(|cause| &cause.evidence)
        .filter_map(|item| item.when.as_deref())
        .any(|when| conditions.names(when).iter().any(of_the_machine))
}
