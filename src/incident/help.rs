//! The help text of a program. Options named after failures ("--oom-retries") are not failures.

use super::Role;
use super::context::ParserContext;

/// Marks the lines of a usage message; returns the position after it.
pub(super) fn read(r: &mut ParserContext<'_>, at: usize) -> Option<usize> {
    if !r.text(at).starts_with("usage: ") {
        return None;
    }
    r.set(at, Role::Quiet);
    let mut next = at + 1;
    while next < r.len() && belongs(r.text(next)) {
        r.set(next, Role::Quiet);
        next += 1;
    }
    Some(next)
}

/// Whether a line continues a usage message: indented, empty, or a heading over options.
fn belongs(text: &str) -> bool {
    let heading = text.ends_with(':') && (text.ends_with("options:") || text.ends_with("arguments:"));
    text.is_empty() || text.starts_with([' ', '\t']) || heading
}

#[cfg(test)]
mod tests {
    use super::super::{Role, read};
    use crate::text;

    #[test]
    fn a_help_text_is_quiet_and_the_error_below_it_is_not() {
        let text = "usage: train.py [-h] [--oom-retries N]\n\noptions:\n  --oom-retries N  after CUDA out of memory\n\
                    train.py: error: argument --n: invalid int value\n";
        let transcript = text::read(text.as_bytes());
        let incident = read(&transcript);
        assert!(incident.roles[..4].iter().all(|role| *role == Role::Quiet));
        assert_ne!(incident.roles[4], Role::Quiet);
    }
}
