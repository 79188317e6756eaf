//! The memory budget of an out-of-memory error: what the message and the probe say about memory use, and which batch
//! would fit. Estimates, labelled as such.

use super::capacity::{GIB, OVERHEAD, Split, floor_u32};
use crate::amounts::size;
use crate::diagnosis::RankedCause;
use crate::facts::Facts;

/// The memory budget of an out-of-memory error.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Budget {
    /// What is known about memory use, in one sentence.
    pub(super) message: String,
    /// The batch that should fit, with the effective batch kept; `None` where the text names no batch.
    pub(super) fits: Option<Split>,
}

/// Causes for which the budget is worth a line.
const OF_MEMORY: [&str; 4] = ["memory-exhausted", "memory-held", "memory-fragmented", "memory-leak"];

/// The budget as a note to a diagnosis whose best cause is about memory.
pub(super) fn note(facts: &Facts, causes: &[RankedCause]) -> Option<String> {
    let best = causes.first().filter(|cause| OF_MEMORY.contains(&cause.id.as_str()))?;
    let budget = budget(facts)?;
    // A smaller batch does not help against memory that other processes use.
    let message = match best.id.as_str() {
        "memory-held" => budget.message.split(';').next().unwrap_or_default().to_owned(),
        _ => budget.message,
    };
    Some(format!("memory budget: {message}"))
}

/// What the message and the probe say about memory use, and which batch would fit.
pub(super) fn budget(facts: &Facts) -> Option<Budget> {
    let total = facts.number("oom.total").or(facts.number("gpu.memory.total"))?;
    let free = facts.number("oom.free").or(facts.number("gpu.memory.free"));
    let own = facts.number("oom.process").or(facts.number("oom.allocated"));
    let others = facts.number("oom.others").filter(|bytes| *bytes > 0.02 * total);
    let requested = facts.number("oom.requested");
    let mut parts = vec![format!("{} in all", size(total))];
    parts.extend(own.map(|bytes| format!("{} held by this process", size(bytes))));
    parts.extend(others.map(|bytes| format!("{} by others", size(bytes))));
    if own.is_none() {
        let held = facts.number("gpu.held_by_processes").filter(|bytes| *bytes > 0.0);
        parts.extend(held.map(|bytes| format!("{} held by processes", size(bytes))));
    }
    parts.extend(free.map(|bytes| format!("{} free", size(bytes))));
    parts.extend(requested.map(|bytes| format!("{} asked for", size(bytes))));
    let (measured, workspace) = match workspace(facts, total) {
        Workspace::Measured(bytes) => {
            (true, format!("cuDNN wants {} of workspace for a plain layer here", size(bytes)))
        }
        Workspace::Assumed(bytes) => (false, format!("a workspace may need {} (estimate)", size(bytes))),
    };
    if parts.len() + usize::from(measured) < 3 {
        return None;
    }
    parts.push(workspace);
    let fits = fitting(facts, own, free, requested, total);
    let mut message = parts.join(", ");
    if let Some(split) = fits {
        message.push_str(&format!(
            "; batch {} with accumulation {} should fit (estimate, {:.0} % of the memory taken as fixed)",
            split.batch,
            split.accumulation,
            OVERHEAD * 100.0
        ));
    }
    Some(Budget { message, fits })
}

/// What a convolution's workspace may need.
enum Workspace {
    /// What cuDNN requested in the functional probe of this machine.
    Measured(f64),
    /// Workspaces of convolutions are of this order; less on small GPUs.
    Assumed(f64),
}

fn workspace(facts: &Facts, total: f64) -> Workspace {
    match facts.number("ladder.workspace") {
        Some(bytes) => Workspace::Measured(bytes),
        None => Workspace::Assumed((0.05 * total).min(GIB)),
    }
}

/// The batch whose samples, as large as now, leave room for what was requested and for a workspace.
fn fitting(facts: &Facts, own: Option<f64>, free: Option<f64>, requested: Option<f64>, total: f64) -> Option<Split> {
    let (Workspace::Measured(workspace) | Workspace::Assumed(workspace)) = workspace(facts, total);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be a small whole number")]
    let batch = facts.number("run.batch_size").filter(|n| (2.0..=65536.0).contains(n) && n.fract() == 0.0)? as u32;
    let own = own.or_else(|| Some(total - free?))?;
    let sample = own * (1.0 - OVERHEAD) / f64::from(batch);
    let missing = requested.unwrap_or(0.0).max(workspace) - free.unwrap_or(0.0);
    if sample <= 0.0 || requested.is_some_and(|requested| requested > total) {
        return None;
    }
    let fewer = floor_u32((missing / sample).ceil().max(1.0)).max(1);
    Some(Split::of(batch, batch.saturating_sub(fewer)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_from_a_message() {
        let mut facts = Facts::default();
        for (name, gib) in [("oom.total", 12.0), ("oom.free", 0.2), ("oom.process", 11.5), ("oom.requested", 1.0)] {
            facts.number_in_text(name, gib * GIB, 1);
        }
        let plain = budget(&facts).expect("a budget");
        assert!(
            plain.message.starts_with("12.0 GiB in all, 11.5 GiB held by this process, 204.8 MiB free"),
            "{}",
            plain.message
        );
        assert_eq!(plain.fits, None);
        facts.number_in_text("run.batch_size", 8.0, 1);
        assert_eq!(budget(&facts).expect("a budget").fits, Some(Split { batch: 4, accumulation: 2 }));
        assert_eq!(budget(&Facts::default()), None);
    }
}
