//! A shorthand for recording measured facts: every value gets the source "probe", every failure its reason.

use crate::facts::{Facts, Source, Value};

/// Collects facts.
#[derive(Debug, Clone, Default)]
pub(super) struct Notes {
    pub(super) facts: Facts,
}

impl Notes {
    /// A count, a size in bytes, or a duration in seconds.
    #[expect(clippy::cast_precision_loss, reason = "sizes beyond 2^53 bytes do not occur")]
    pub(super) fn count(&mut self, name: impl Into<String>, value: u64) {
        self.number(name, value as f64);
    }

    pub(super) fn number(&mut self, name: impl Into<String>, value: f64) {
        self.facts.add(name, Value::Number(value), Source::Probe, None);
    }

    pub(super) fn text(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.facts.add(name, Value::Text(value.into()), Source::Probe, None);
    }

    pub(super) fn flag(&mut self, name: impl Into<String>, value: bool) {
        self.facts.add(name, Value::Bool(value), Source::Probe, None);
    }

    pub(super) fn list(&mut self, name: impl Into<String>, value: Vec<String>) {
        self.facts.add(name, Value::List(value), Source::Probe, None);
    }

    /// Records that a fact is unknown, and why.
    pub(super) fn set_unknown(&mut self, name: impl Into<String>, why: impl Into<String>) {
        self.facts.set_unknown(name, why);
    }
}
