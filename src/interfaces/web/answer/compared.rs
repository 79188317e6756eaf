//! What a measurement changed in an answer: each cause before and after.

use super::view::AnswerView;
use crate::diagnosis::Diagnosis;
use crate::render::words::percent;

/// A cause that became more or less likely, or was settled.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Change {
    /// Its title, as HTML.
    pub title: String,
    pub before: String,
    pub after: String,
    /// `confirmed` and the like.
    pub status: &'static str,
}

/// Adds how likely each cause was before the machine was asked, and lists those that moved.
pub(super) fn compare(answer: &mut AnswerView, before: &Diagnosis) {
    let same = |one: Option<&str>| answer.page.as_deref() == one;
    if !same(before.fault.as_ref().map(|fault| fault.id.as_str())) {
        return;
    }
    for cause in &mut answer.causes {
        let former = before.causes.iter().find(|former| former.id == cause.id);
        let former = former.and_then(|former| percent(former.probability));
        cause.was = former.filter(|former| cause.share.as_ref().is_some_and(|share| share != former));
        if cause.was.is_some() || cause.status.is_some() {
            let now = cause.share.clone().unwrap_or_default();
            answer.changes.push(Change {
                title: cause.title.clone(),
                before: cause.was.clone().unwrap_or_else(|| now.clone()),
                after: now,
                status: cause.status.unwrap_or_default(),
            });
        }
    }
}
