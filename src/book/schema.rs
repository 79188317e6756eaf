//! The front matter of fault pages, recipes and notices exactly as authors write it. Strict: unknown keys are errors.
//!
//! `build.rs` includes this file by path, so it depends on serde alone. What the fields mean for readers is in
//! CONTRIBUTING.md; `kb/schema.json` is generated from these types.

use serde::{Deserialize, Serialize};

/// Front matter of `kb/faults/<area>/<id>.md`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FrontMatter {
    /// The fault in words, shown as the answer's first line.
    pub title: String,
    /// Whether the page is used.
    #[serde(default)]
    pub status: PageStatus,
    /// How much a run loses by it.
    pub severity: Severity,
    /// An ordinary error of the program, its settings or its files: no GPU, driver or library is at fault.
    #[serde(default)]
    pub ordinary: bool,
    /// Vendor codes that people look up: names, numbers, "Xid 79".
    #[serde(default)]
    pub codes: Vec<String>,
    /// Any one may match.
    #[serde(default)]
    pub signatures: Vec<SignatureSpec>,
    /// Expression over facts of the text with which no run works on the GPU: where it holds and no message tells what
    /// failed, this page is the answer.
    #[serde(default)]
    pub conflict: Option<String>,
    /// Faults that commonly follow from this one: where both occur in a text, this one is the primary.
    #[serde(default)]
    pub explains: Vec<String>,
    /// Why it happens, most common first.
    pub causes: Vec<CauseMatter>,
    /// For faults that print nothing: sets of lower-case words, any set of which identifies the operation.
    #[serde(default)]
    pub operations: Vec<Vec<String>>,
    /// Where the fault or its wording exists.
    #[serde(default)]
    pub affects: Vec<Affected>,
    /// Former ids of this page.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Addresses to read on.
    #[serde(default)]
    pub references: Vec<String>,
    /// Day of the last review, `YYYY-MM-DD`.
    #[serde(default)]
    pub reviewed: Option<String>,
}

/// Front matter of `kb/fixes/<id>.md`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FixMatter {
    /// What to do, in the imperative.
    pub title: String,
    /// How much effort it is.
    pub cost: Cost,
    /// Expression over facts; when it is true the fix is already in force and is not proposed.
    #[serde(default)]
    pub in_force: Option<String>,
    /// Expression over facts; when it is true the reader cannot do it, and it comes late.
    #[serde(default)]
    pub barred: Option<String>,
    /// Platforms of `kb/wording/platforms.toml`: proposed only where the run can be on one of them.
    #[serde(default)]
    pub only: Vec<String>,
    /// Platforms on which it is not proposed.
    #[serde(default)]
    pub not: Vec<String>,
    /// What is shown where the facts in it are known.
    #[serde(default)]
    pub computed: Option<Computed>,
}

/// Words and commands of a recipe that are computed from facts. Where a fact of theirs is missing, or a page has its own
/// commands, the recipe is shown as it is written. With both keys they replace the recipe's words and commands; `first`
/// alone comes before its words, `commands` alone in place of its commands. Where the facts of `none` are known, it is shown
/// alone, in place of everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Computed {
    /// The first words, with `{{ fact }}` placeholders.
    #[serde(default)]
    pub first: String,
    /// The commands, with `{{ fact }}` placeholders.
    #[serde(default)]
    pub commands: String,
    /// Why there is nothing to run, with `{{ fact }}` placeholders.
    #[serde(default)]
    pub none: String,
}

/// Front matter of `kb/notices/<id>.md`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NoticeMatter {
    /// What the harmless line says, in one clause.
    pub title: String,
    /// Any one may match.
    pub signatures: Vec<SignatureSpec>,
    /// Addresses to read on.
    #[serde(default)]
    pub references: Vec<String>,
}

/// One way to recognise a fault in a text. All keys must hold on one line, `near` and `without` around it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SignatureSpec {
    /// Literal words, compared without ASCII case; a list means all of them.
    pub contains: OneOrMany,
    /// Regex that the line must match too.
    #[serde(default)]
    pub regex: Option<String>,
    /// Regex that cancels the hit when the line matches it.
    #[serde(default)]
    pub unless: Option<String>,
    /// Regex that some line within [`NEAR`] lines must match.
    #[serde(default)]
    pub near: Option<String>,
    /// Regex that no line within [`NEAR`] lines may match.
    #[serde(default)]
    pub without: Option<String>,
    /// Whether the line must report a missing name of a package that the catalogues know.
    #[serde(default)]
    pub known_name: bool,
    /// What kind of statement the line is.
    #[serde(default)]
    pub standing: SignatureRole,
    /// Whether a run ends with it; false for notices that a run can survive.
    #[serde(default = "yes")]
    pub fatal: bool,
}

/// How many lines before and after a hit `near` and `without` look at.
pub const NEAR: usize = 30;

/// One string or several, as an author likes.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(with = "OneOrManyMatter"))]
pub struct OneOrMany(pub Vec<String>);

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
enum OneOrManyMatter {
    One(String),
    Many(Vec<String>),
}

impl<'de> Deserialize<'de> for OneOrMany {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The built-in book travels in a format that does not describe itself: there it is always a list.
        if !deserializer.is_human_readable() {
            return Vec::deserialize(deserializer).map(Self);
        }
        Ok(match OneOrManyMatter::deserialize(deserializer)? {
            OneOrManyMatter::One(one) => Self(vec![one]),
            OneOrManyMatter::Many(many) => Self(many),
        })
    }
}

/// What a line that a signature hits is to the failure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SignatureRole {
    /// A launcher's, wrapper's or shell's report of a death.
    Echo,
    /// Printed because something else failed or hung first.
    Symptom,
    /// A specific failure of this process.
    #[default]
    Cause,
}

/// One cause of a fault.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CauseMatter {
    /// An id from the closed list of causes.
    pub id: String,
    /// This cause in words, for this fault.
    pub title: String,
    /// How common it is, with nothing else known.
    pub prior: Prior,
    /// Evidence for or against it.
    #[serde(default)]
    pub evidence: Vec<EvidenceSpec>,
}

/// One piece of evidence: exactly one of `text`, `before`, `message`, `frame`, `when`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EvidenceSpec {
    /// Regex over the lines of the whole text.
    #[serde(default)]
    pub text: Option<String>,
    /// Regex over the lines above the primary failure: what comes later cannot have caused it.
    #[serde(default)]
    pub before: Option<String>,
    /// Regex over the primary error's message.
    #[serde(default)]
    pub message: Option<String>,
    /// Regex over function and file names of the failing traceback.
    #[serde(default)]
    pub frame: Option<String>,
    /// Expression over facts.
    #[serde(default)]
    pub when: Option<String>,
    /// How strong it is.
    pub weight: Weight,
    /// The reason as shown; may hold `{{ fact }}` placeholders.
    pub says: String,
}

/// Where a fault exists.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Affected {
    /// Package name as in `<package>.version` facts.
    pub package: String,
    /// PEP 440 range.
    pub versions: String,
}

/// Whether a page is used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum PageStatus {
    /// Used, still being worked on.
    Draft,
    /// Used.
    #[default]
    Stable,
    /// Kept for its history, never matched.
    Withdrawn,
}

/// How much a run loses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// An inconvenience.
    Low,
    /// The step or the feature is lost.
    Medium,
    /// The run is lost.
    High,
    /// The machine or its results cannot be trusted.
    Critical,
}

/// How often a cause is the cause of the fault, with nothing else known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Prior {
    /// Seen now and then.
    Rare,
    /// Must be thought of.
    Plausible,
    /// The usual one or one of the usual ones.
    Common,
}

/// How strong a piece of evidence is. `diagnose::weigh` maps the words to log-odds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Weight {
    /// Settles it.
    Decisive,
    /// Seldom wrong.
    Strong,
    /// More likely than not.
    Moderate,
    /// A hint.
    Weak,
    /// Evidence against the cause.
    Against,
    /// Rules the cause out.
    Refutes,
}

/// How much effort a fix is, least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Cost {
    /// A flag or a variable.
    Setting,
    /// A change of the program.
    Code,
    /// Another version or build.
    Reinstall,
    /// An administrator, a reboot, a container.
    Machine,
    /// Other or repaired hardware.
    Hardware,
}

fn yes() -> bool {
    true
}
