//! The form of `kb/facts.toml`. `build.rs` includes this file by path, so it depends on serde alone.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// Everything in `kb/facts.toml`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Registry<'a> {
    /// The vendors whose names may precede that of a fact: see [`Group::each_vendor`].
    #[serde(borrow)]
    pub vendors: Vec<Cow<'a, str>>,
    /// Groups in the order of the file.
    #[serde(borrow, rename = "group")]
    pub groups: Vec<Group<'a>>,
}

/// Facts that belong together.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group<'a> {
    /// Its heading.
    pub title: Cow<'a, str>,
    /// What applies to all its facts.
    #[serde(default)]
    pub about: Cow<'a, str>,
    /// Whether the machine's GPUs have each fact too: `gpu.1.uuid` besides `gpu.uuid`.
    #[serde(default)]
    pub each_gpu: bool,
    /// Whether a machine with GPUs of several vendors has each fact for those that are not in question too:
    /// `amd.gpu.name` besides `gpu.name`.
    #[serde(default)]
    pub each_vendor: bool,
    /// The only words that may take the place of a name's part in braces; any word where there are none.
    #[serde(default)]
    pub names: Vec<Cow<'a, str>>,
    /// Its facts.
    #[serde(borrow)]
    pub facts: Vec<Definition<'a>>,
}

/// One fact.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition<'a> {
    /// `oom.requested`; `env.{variable}` covers many.
    pub name: Cow<'a, str>,
    /// What kind of value it has.
    #[serde(rename = "type")]
    pub fact_type: FactType,
    /// What a number measures; a count by default.
    #[serde(default)]
    pub unit: Option<Unit>,
    /// Where its value can come from.
    pub origin: Vec<Origin>,
    /// Whether a draft of a report has a row for it.
    #[serde(default)]
    pub report: Option<ReportRow>,
    /// A row's heading, possibly with the name's part in braces.
    pub label: Cow<'a, str>,
    /// What it means, for authors.
    pub meaning: Cow<'a, str>,
    /// A value; empty where the form is obvious.
    #[serde(default)]
    pub example: Cow<'a, str>,
}

/// What kind of value a fact has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FactType {
    /// A count, or an amount in its unit.
    Number,
    /// Words.
    Text,
    /// A version, compared by `matches`.
    Version,
    /// Yes or no.
    Bool,
    /// Several names.
    List,
}

/// What a number measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Shown in KiB, MiB, GiB.
    Bytes,
    /// Shown as `s`.
    Seconds,
    /// Shown as `ms`.
    Milliseconds,
    /// Shown as `°C`.
    Celsius,
    /// Shown as `W`.
    Watts,
    /// Shown as `MHz`.
    Megahertz,
    /// Shown as `%`.
    Percent,
}

/// Where a fact's value can come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The pasted text.
    Text,
    /// A probe of the machine.
    Machine,
    /// The failing process itself, where the Python package was installed in it.
    Process,
    /// Computed from other facts and our own tables.
    Computed,
    /// Stated by the person who pasted the text.
    Writer,
    /// A bug report of the project.
    Report,
}

/// When a draft of a report has a row for a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReportRow {
    /// Wherever it is known.
    Always,
    /// Where the fault's page needs it.
    Relevant,
}
