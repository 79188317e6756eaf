//! The one check that would best distinguish the remaining causes.

use crate::diagnosis::{CauseStatus, NextCheck, RankedCause};

/// Causes beyond this place in the ranking are not worth a check.
const CONSIDERED: usize = 4;

/// The check of the cause whose truth is most open: nearest to one half, and not already settled. Where causes are tied, it
/// is one of theirs.
pub(super) fn next_check(causes: &[RankedCause]) -> Option<NextCheck> {
    let openness = |cause: &RankedCause| cause.probability * (1.0 - cause.probability);
    let tied = causes.iter().filter(|cause| cause.tied).count();
    causes
        .iter()
        .take(if tied > 0 { tied } else { CONSIDERED })
        .filter(|cause| !matches!(cause.status, CauseStatus::Confirmed | CauseStatus::Refuted))
        .filter(|cause| !cause.check.is_empty())
        .max_by(|a, b| openness(a).total_cmp(&openness(b)))
        .map(|cause| NextCheck { says: cause.check.clone(), command: cause.check_command.clone() })
}
