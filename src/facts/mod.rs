//! What is known about the run and the machine, by name: `oom.free`, `torch.version`, `gpu.memory.total`.
//!
//! Facts come from the pasted text, from a probe of the machine, from a saved file or from our own catalogue. All of
//! them use the same names, so a page's condition does not depend on where a value came from. What could have been
//! known but is not is a fact too, with the reason. `kb/facts.toml` gives the meaning and the unit of each name.

mod amount;
mod definition;
mod registry;

use std::collections::BTreeMap;

use serde::Serialize;

pub use definition::{Definition, FactType, Group, Origin, ReportRow, Unit};
pub use registry::Described;
pub use registry::{belongs_to_vendor, definitions, describe, groups, label, packages, vendors, words};

/// A value of a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Value {
    /// Yes or no.
    Bool(bool),
    /// A count, or an amount in the unit that the registry gives to the name.
    Number(f64),
    /// A name or a version.
    Text(String),
    /// Several names, in the order found.
    List(Vec<String>),
}

/// Where a fact comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Our own tables: a GPU's memory by its name, a driver's CUDA by its number.
    Catalogue,
    /// A bug report of the project, where the text itself has no value.
    Report,
    /// The pasted text.
    Text,
    /// A saved probe of the machine where the run died.
    Saved,
    /// A probe of the machine just now.
    Probe,
}

impl Source {
    /// The word shown with a reason.
    pub fn word(self) -> &'static str {
        match self {
            Source::Catalogue => "catalogue",
            Source::Report => "report",
            Source::Text => "text",
            Source::Saved => "saved facts",
            Source::Probe => "probe",
        }
    }
}

/// One known value with its origin.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Fact {
    /// The value.
    pub value: Value,
    /// Where it comes from.
    pub source: Source,
    /// The physical line (from 1) of the pasted text that says so.
    pub line: Option<u32>,
}

/// Everything known, by dotted name.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Facts {
    /// Values, by name.
    known: BTreeMap<String, Fact>,
    /// Why a value cannot be known, by name.
    unknown: BTreeMap<String, String>,
}

/// No machine and no run has so many facts; a text can name any number of variables.
const MOST: usize = 10_000;

impl Facts {
    /// Records a value unless a stronger source already gave one (the order of [`Source`]); among equals the first stays.
    pub fn add(&mut self, name: impl Into<String>, value: Value, source: Source, line: Option<u32>) {
        let name = name.into();
        match self.known.get(&name) {
            Some(old) if old.source >= source => {}
            None if self.known.len() >= MOST => {}
            _ => {
                self.known.insert(name, Fact { value, source, line });
            }
        }
    }

    /// Records a number found in the pasted text.
    pub(crate) fn number_in_text(&mut self, name: &str, value: f64, line: u32) {
        self.add(name, Value::Number(value), Source::Text, Some(line));
    }

    /// Records a value found in the pasted text in place of another from the text: for maxima and running counts.
    pub(crate) fn replace_in_text(&mut self, name: &str, value: Value, line: u32) {
        if self.known.get(name).is_none_or(|old| old.source <= Source::Text) {
            self.known.insert(name.to_owned(), Fact { value, source: Source::Text, line: Some(line) });
        }
    }

    /// Records words found in the pasted text.
    pub fn words_in_text(&mut self, name: &str, value: impl Into<String>, line: u32) {
        self.add(name, Value::Text(value.into()), Source::Text, Some(line));
    }

    /// Records why a fact cannot be known.
    pub fn set_unknown(&mut self, name: impl Into<String>, why: impl Into<String>) {
        self.unknown.entry(name.into()).or_insert_with(|| why.into());
    }

    /// The fact of that name.
    pub fn get(&self, name: &str) -> Option<&Fact> {
        self.known.get(name)
    }

    /// The number of that name.
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.known.get(name)?.value {
            Value::Number(n) => Some(n),
            _ => None,
        }
    }

    /// The words of that name.
    pub fn text(&self, name: &str) -> Option<&str> {
        match &self.known.get(name)?.value {
            Value::Text(t) => Some(t),
            _ => None,
        }
    }

    /// Why the fact of that name cannot be known, if a reason was given.
    pub fn why_unknown(&self, name: &str) -> Option<&str> {
        self.unknown.get(name).map(String::as_str)
    }

    /// All known facts in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Fact)> {
        self.known.iter().map(|(name, fact)| (name.as_str(), fact))
    }

    /// All facts that cannot be known, with the reason.
    pub fn unknowns(&self) -> impl Iterator<Item = (&str, &str)> {
        self.unknown.iter().map(|(name, why)| (name.as_str(), why.as_str()))
    }

    /// Takes over what `other` knows; the stronger source wins.
    pub(crate) fn merge(&mut self, other: &Facts) {
        self.merge_some(other, |_| true);
    }

    /// The same for facts with a `wanted` name.
    pub(crate) fn merge_some(&mut self, other: &Facts, wanted: impl Fn(&str) -> bool) {
        for (name, fact) in other.known.iter().filter(|(name, _)| wanted(name)) {
            self.add(name.clone(), fact.value.clone(), fact.source, fact.line);
        }
        for (name, why) in &other.unknown {
            self.set_unknown(name.clone(), why.clone());
        }
    }

    /// The facts of a machine for a run on a GPU of `vendor`: where that is another one than the vendor whose facts have
    /// the plain names, its own get them.
    pub(crate) fn for_vendor(&self, vendor: &str) -> Self {
        let plain = self.text("driver.vendor");
        if plain.is_none_or(|plain| plain == vendor) {
            return self.clone();
        }
        let own = |name: &str| name.strip_prefix(vendor)?.strip_prefix('.').map(str::to_owned);
        let mut facts = Self::default();
        let kept = |name: &str| own(name).or_else(|| (!belongs_to_vendor(name)).then(|| name.to_owned()));
        for (name, fact) in &self.known {
            if let Some(name) = kept(name) {
                facts.add(name, fact.value.clone(), fact.source, fact.line);
            }
        }
        for (name, why) in &self.unknown {
            if let Some(name) = kept(name) {
                facts.set_unknown(name, why.clone());
            }
        }
        let source = self.get("driver.vendor").map_or(Source::Probe, |fact| fact.source);
        facts.add("driver.vendor", Value::Text(vendor.to_owned()), source, None);
        facts.add("driver.present", Value::Bool(false), source, None);
        facts
    }

    /// The same facts as another source gives them: without places in a text.
    pub(crate) fn into_source(mut self, source: Source) -> Self {
        for fact in self.known.values_mut() {
            (fact.source, fact.line) = (source, None);
        }
        self
    }

    /// Keeps what is known under the names that `keep` accepts.
    pub fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        self.known.retain(|name, _| keep(name));
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }
}
