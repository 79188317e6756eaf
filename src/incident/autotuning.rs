//! Kernels that fail while a compiler autotunes: it reports the failure and tries the next candidate, so the run goes
//! on.
//!
//! The format is that of PyTorch's `torch/_inductor/select_algorithm.py`: a headline, the error, "Ignoring this
//! choice."

use super::Role;
use super::context::ParserContext;

/// Lines between the headline and the end.
const LONGEST: usize = 40;

/// Marks a candidate's failure; returns the position after it.
pub(super) fn read(r: &mut ParserContext<'_>, at: usize) -> Option<usize> {
    if !r.text(at).contains("rror during autotuning:") {
        return None;
    }
    let ends = |position: &usize| r.text(*position).contains("Ignoring this choice");
    let end = (at..(at + LONGEST).min(r.len())).find(ends)?;
    (at..=end).for_each(|position| r.set(position, Role::Quiet));
    Some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::super::{Role, read};
    use crate::text;

    #[test]
    fn a_choice_that_is_ignored_is_quiet_and_one_that_is_not_is_an_error() {
        let tried =
            "Runtime error during autotuning: \nout of resource: shared memory, Required: 9, Hardware limit: 1. \n";
        let roles = |text: &str| read(&text::read(text.as_bytes())).roles;
        assert!(roles(&format!("{tried}Ignoring this choice.\n")).iter().all(|role| *role == Role::Quiet));
        assert!(roles(tried).iter().all(|role| *role != Role::Quiet));
    }
}
