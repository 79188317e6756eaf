//! Gives the lines of a diagnosis their numbers in the whole text, when only a selection of it was diagnosed.

use crate::diagnosis::Diagnosis;
use crate::facts::Facts;
use crate::span::Span;

use super::reduce::Selection;

/// Rewrites every line number and says what was skipped.
pub(crate) fn renumber(diagnosis: &mut Diagnosis, selection: &Selection) {
    let move_to = |span: &mut Span| {
        span.start.line = selection.original(span.start.line);
        span.end.line = selection.original(span.end.line);
    };
    if let Some(fault) = &mut diagnosis.fault {
        move_to(&mut fault.span);
    }
    if let Some(error) = &mut diagnosis.error {
        move_to(&mut error.span);
    }
    diagnosis.cascade.iter_mut().for_each(|echo| move_to(&mut echo.span));
    let reasons = diagnosis.causes.iter_mut().flat_map(|cause| &mut cause.reasons);
    reasons.filter_map(|reason| reason.span.as_mut()).for_each(move_to);
    for notice in &mut diagnosis.notices {
        notice.line = selection.original(notice.line);
    }
    diagnosis.environment = facts(&diagnosis.environment, selection);
    diagnosis.lines_read = u32::try_from(selection.lines).unwrap_or(u32::MAX);
    diagnosis.notes.push(selection.note());
}

fn facts(facts: &Facts, selection: &Selection) -> Facts {
    let mut moved = Facts::default();
    for (name, fact) in facts.iter() {
        let line = fact.line.map(|line| selection.original(line));
        moved.add(name, fact.value.clone(), fact.source, line);
    }
    for (name, why) in facts.unknowns() {
        moved.set_unknown(name, why);
    }
    moved
}
