//! What to do about a failure, from its diagnosis: fixes, the plan to test them, prevention.
//!
//! Every sentence comes from the book, the probe or the diagnosis; a benefit is what a fix is proposed for.

use super::context::{Check, Phase, Solution, Task};
use crate::diagnosis::{Action, CauseStatus, Diagnosis, RankedCause};
use crate::render::inline;
use crate::render::markdown;
use crate::text::words::capital;

/// Causes whose fixes are proposed.
const CAUSES: usize = 4;
/// Causes that are less likely than this are named in one line, without check and fix, unless a measurement concerns
/// them.
pub(super) const WELL_NAMED: f64 = 0.05;
/// Fixes taken from each.
const FIXES: usize = 3;
/// Checks in the first phase.
const CHECKS: usize = 4;

/// Fixes, the recommended one first: those for the likeliest cause, then the first one for each of the others.
pub(super) fn solutions(diagnosis: &Diagnosis) -> Vec<Solution> {
    let mut out: Vec<Solution> = Vec::new();
    for (place, cause) in open(diagnosis).enumerate() {
        for fix in cause.fixes.iter().take(if place == 0 { FIXES } else { 1 }) {
            let benefit = format!("Acts on: {} ({}% confidence)", portable(&cause.title), percent(cause.probability));
            match out.iter_mut().find(|known| known.title == portable(&fix.title)) {
                Some(known) => known.benefits.push(benefit),
                None => out.push(solution(fix, benefit)),
            }
        }
    }
    for (place, solution) in out.iter_mut().enumerate() {
        solution.number = place + 1;
        solution.recommended = place == 0;
    }
    out
}

fn solution(fix: &Action, benefit: String) -> Solution {
    Solution {
        title: portable(&fix.title),
        detail: capital(&portable(&fix.detail)),
        commands: fix.commands.clone(),
        benefits: vec![benefit],
        trade_offs: fix.trade_offs.iter().map(|cost| capital(&portable(cost))).collect(),
        ..Solution::default()
    }
}

/// What does not help: for the likeliest cause as it is, for others that are plausible with their name, because
/// what does not help against one cause can be the fix for another.
pub(super) fn dead_ends(diagnosis: &Diagnosis) -> Vec<String> {
    const WELL_POSSIBLE: f64 = 0.15;
    let mut out: Vec<String> = Vec::new();
    for (place, cause) in open(diagnosis).enumerate() {
        if place > 0 && cause.probability < WELL_POSSIBLE {
            break;
        }
        for dead_end in &cause.dead_ends {
            let dead_end = portable(dead_end);
            out.push(if place == 0 { dead_end } else { format!("If the cause is `{}`: {dead_end}", cause.id) });
        }
    }
    out
}

/// Other causes that are still possible.
pub(super) fn open(diagnosis: &Diagnosis) -> impl Iterator<Item = &RankedCause> {
    let causes = diagnosis.causes.iter().enumerate();
    let worth = |(place, cause): &(usize, &RankedCause)| *place == 0 || cause.probability >= WELL_NAMED;
    causes.filter(worth).map(|(_, cause)| cause).filter(|cause| cause.status != CauseStatus::Refuted).take(CAUSES)
}

/// The plan: confirm, fix, guard.
pub(super) fn phases(diagnosis: &Diagnosis, solutions: &[Solution], has_command: bool) -> Vec<Phase> {
    let Some(error) = &diagnosis.error else { return Vec::new() };
    let name = if error.type_name.is_empty() { "the error".to_owned() } else { format!("`{}`", error.type_name) };
    let again = if has_command { "Run the command from Steps to Reproduce again" } else { "Run it again" };
    let task = |text: String| Task { text, done: false };
    let mut phases = Vec::new();
    let settled = diagnosis.causes.iter().filter(|cause| cause.status == CauseStatus::Refuted);
    let checks: Vec<Task> = open(diagnosis)
        .chain(settled)
        .filter(|cause| !cause.check.trim().is_empty())
        .take(CHECKS)
        .map(|cause| Task { text: check_task(cause), done: is_settled(cause.status) })
        .collect();
    if !checks.is_empty() {
        phases.push(("Confirm the cause", checks));
    }
    let mut fix = Vec::new();
    if let Some(solution) = solutions.first() {
        fix.push(task(format!("Apply Solution 1: {}", solution.title)));
    }
    fix.push(task(format!("{again}: it gets past the point of failure without {name}")));
    if let Some(second) = solutions.get(1) {
        fix.push(task(format!("If it still fails: revert Solution 1 and apply Solution 2: {}", second.title)));
    }
    phases.push(("Fix and reproduce", fix));
    phases.push((
        "Full run",
        vec![
            task("Run to the end with the production settings".to_owned()),
            task("Compare the results with those of the last good run".to_owned()),
        ],
    ));
    let numbered = phases.into_iter().enumerate();
    numbered.map(|(place, (title, tasks))| Phase { number: place + 1, title: title.to_owned(), tasks }).collect()
}

fn is_settled(status: CauseStatus) -> bool {
    matches!(status, CauseStatus::Confirmed | CauseStatus::Refuted)
}

fn check_task(cause: &RankedCause) -> String {
    // What a measurement settled needs no check from the page, which was not run either.
    match (cause.status, &cause.status_says) {
        (CauseStatus::Confirmed, Some(says)) => format!("`{}`: confirmed by measurement: {}", cause.id, one_line(says)),
        (CauseStatus::Refuted, Some(says)) => format!("`{}`: refuted by measurement: {}", cause.id, one_line(says)),
        _ => format!("`{}`: {}", cause.id, one_line(&cause.check)),
    }
}

/// What keeps it from happening again, as far as that holds for any reproducible failure.
pub(super) fn prevention(has_command: bool) -> Vec<String> {
    let smoke = "Run the command from Steps to Reproduce for a few steps before a long run, and after every change of \
                 machine or software.";
    match has_command {
        true => vec![smoke.to_owned(), "TODO: what else prevents the failure from happening again".to_owned()],
        false => vec!["TODO: what prevents the failure from happening again".to_owned()],
    }
}

/// A check for a template.
pub(super) fn check(says: &str, command: Option<&String>) -> Option<Check> {
    let says = one_line(says);
    (!says.is_empty()).then(|| Check { says, command: command.cloned() })
}

/// From 1 to 99: no listed cause is certain or impossible.
pub(super) fn percent(probability: f64) -> u32 {
    (probability.clamp(0.0, 1.0) * 100.0).round().clamp(1.0, 99.0) as u32
}

/// A sentence of the book for use outside of it: without links that would be dead there.
pub(super) fn portable(text: &str) -> String {
    inline::portable(text.trim())
}

/// The same on one line, safe if it contains text of a log.
pub(super) fn one_line(text: &str) -> String {
    markdown::sentence(text.trim())
}
