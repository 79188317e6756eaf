//! Exception groups: the margin `  | ` and the rulers between the members.
//!
//! Where a cleaner removed the margin, the rulers alone show which exceptions are members. The tracebacks themselves
//! are read elsewhere.

use super::super::context::ParserContext;
use super::super::{Link, Role};

/// Reads the ruler between the members of an exception group: `+-+---------------- 1 ----------------`.
pub(super) fn ruler(r: &mut ParserContext<'_>, at: usize, words: &str) -> bool {
    if !words.starts_with('+')
        || !words.contains("------------")
        || !words.chars().all(|c| matches!(c, '+' | '-' | ' ' | '.') || c.is_ascii_digit())
    {
        return false;
    }
    r.set(at, Role::Header);
    if words.contains(|c: char| c.is_ascii_digit() || c == '.') {
        r.chain = r.groups.last().map(|&group| (group, Link::Member));
    } else {
        r.groups.pop();
    }
    true
}

/// The margin that an exception group draws: `  | `, `    | `.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Gutter(Option<usize>);

impl Gutter {
    pub(super) fn of(text: &str) -> Gutter {
        let words = text.trim_start();
        let columns = text.len() - words.len();
        Gutter((words.starts_with("| ") || words.starts_with("+ ")).then_some(columns))
    }

    pub(super) fn is_group(self) -> bool {
        self.0.is_some()
    }

    pub(super) fn strip(self, text: &str) -> &str {
        if self.0.is_none() {
            return text;
        }
        let words = text.trim_start();
        words
            .strip_prefix("| ")
            .or_else(|| words.strip_prefix("+ "))
            .or_else(|| words.strip_prefix('|'))
            .unwrap_or(text)
    }

    /// Whether a line is the ruler between members: `  +-+---------------- 1 ----------------`.
    pub(super) fn ends_member(self, text: &str) -> bool {
        let words = text.trim();
        self.0.is_some() && words.starts_with('+') && words.contains("------------")
    }
}
