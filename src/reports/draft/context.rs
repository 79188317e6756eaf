//! What templates are filled from: one value with plain names, the whole contract between the program and a team's own
//! templates. Nothing in it is markup: templates escape with the filters `code`, `fence`, `words`, `cell`, `yaml`.

use serde::Serialize;

/// Everything a template may name.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Context {
    /// `BUG-20251110-003`.
    pub id: String,
    /// The title; a `TODO` where nothing is known.
    pub title: String,
    /// `2025-11-10 18:08 (KST)`.
    pub date: String,
    /// `2025-11-10`.
    pub day: String,
    /// The status of a new report.
    pub status: String,
    /// `critical`, `high`, `medium`, `low`, or a `TODO`.
    pub severity: String,
    /// Where the severity comes from, in words; empty if the user gave it.
    pub severity_why: String,
    pub tags: Vec<String>,
    /// One sentence that says what happened.
    pub summary: String,
    /// `known-fault`, `ordinary-error`, `unlisted-error`, `no-error`.
    pub verdict: String,
    /// The fault, if the book has it.
    pub fault: Option<Fault>,
    /// The primary error as the text has it.
    pub error: Option<PrimaryError>,
    /// What followed from it.
    pub cascade: Vec<Consequence>,
    /// What matters of the machine and the software.
    pub environment: Vec<Row>,
    /// One line about them.
    pub environment_line: String,
    /// Facts that matter for this kind of failure and are unknown, as `TODO`s.
    pub environment_todo: Vec<Row>,
    /// Environment variables that may be shared, `NAME=value`.
    pub variables: Vec<String>,
    /// The command that was run.
    pub command: Option<String>,
    /// The project's commit, branch and changed files.
    pub git: Option<Git>,
    /// Why the state of the code is unknown.
    pub git_why: String,
    /// Where in the run it happened: "in the backward pass", "at the first step".
    pub circumstances: Vec<String>,
    /// The log, cleaned, with the primary error marked; empty when there is no error.
    pub log: String,
    /// What was left out of it.
    pub log_note: String,
    /// The run over time as lines of characters, if it was asked for.
    pub picture: Option<String>,
    /// Causes, most probable first.
    pub causes: Vec<Cause>,
    /// Causes that are possible and not likely: title with its probability.
    pub unlikely: Vec<String>,
    /// The cause that a measurement confirmed, if any.
    pub confirmed: Option<String>,
    /// Fixes, the recommended one first.
    pub solutions: Vec<Solution>,
    /// What does not help, and why.
    pub dead_ends: Vec<String>,
    /// The plan to test it.
    pub phases: Vec<Phase>,
    /// What keeps it from happening again.
    pub prevention: Vec<String>,
    /// Related reports of the project.
    pub related: Vec<Related>,
    /// The former GPU beside this one.
    pub comparison: Option<Comparison>,
    /// What the probe measured.
    pub probe: Option<Probe>,
    /// Tests that were run, passed or failed.
    pub tests: Vec<Test>,
    /// The check that distinguishes the causes best.
    pub next_check: Option<Check>,
    /// How the text was read.
    pub notes: Vec<String>,
    /// What a commit changed, for a change log.
    pub change: Option<Change>,
    /// The report that a document is about.
    pub about: Option<Related>,
    /// `faultbook 0.1.0`.
    pub tool: String,
}

/// A fault page.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Fault {
    pub id: String,
    pub title: String,
    /// Its folder.
    pub area: String,
    /// Its path.
    pub page: String,
    /// What it means, as markdown.
    pub meaning: String,
    /// The physical line of the text.
    pub line: u32,
    /// The rank that failed first.
    pub rank: Option<u32>,
    /// What is easily mistaken for it, as markdown.
    pub lookalikes: Vec<String>,
}

#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct PrimaryError {
    /// Exception type, signal or status word.
    pub kind: String,
    pub message: String,
    /// Type and message in one line.
    pub headline: String,
    /// Type and message, shortened for a sentence.
    pub short: String,
    /// `ocr/models/fpn.py:51`.
    pub place: Option<String>,
    /// The function there.
    pub function: Option<String>,
    /// The physical line of the text.
    pub line: u32,
    /// The rank.
    pub rank: Option<u32>,
}

/// A fault that followed.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Consequence {
    /// The page's id.
    pub id: String,
    /// The page's title.
    pub title: String,
    /// The words in the text.
    pub text: String,
    /// Their line.
    pub line: u32,
    /// Why it counts as a consequence.
    pub why: String,
}

/// A fact for people.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct Row {
    /// "GPU".
    pub label: String,
    /// "NVIDIA GeForce RTX 3060 12GB".
    pub value: String,
    /// "text", "probe", "saved facts", "catalogue".
    pub source: String,
}

/// The state of the working tree.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Git {
    /// The whole hash.
    pub commit: String,
    /// Its first nine characters.
    pub short: String,
    /// The first line of its message.
    pub subject: String,
    /// The branch, empty when none.
    pub branch: String,
    /// Whether files differ from it.
    pub dirty: bool,
    /// Whether no file differs from it; neither where that is not known.
    pub clean: bool,
    /// "line 3 of the log", "checked out when this was written".
    pub source: String,
    /// How many differ; 0 where that is not known.
    pub changes: usize,
    /// Some of them.
    pub changed: Vec<String>,
}

/// A candidate cause.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Cause {
    /// From 1.
    pub number: usize,
    /// From the closed list.
    pub id: String,
    /// In words.
    pub title: String,
    /// 0 to 100.
    pub percent: u32,
    /// `confirmed`, `supported`, `refuted`, `unverified`.
    pub status: String,
    /// Why.
    pub status_says: Option<String>,
    /// Evidence for it.
    pub reasons_for: Vec<Reason>,
    /// Evidence against it.
    pub reasons_against: Vec<Reason>,
    /// How to settle it.
    pub check: Option<Check>,
}

#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Reason {
    /// In words.
    pub says: String,
    /// "text, line 412", "probe".
    pub source: String,
}

/// Something to do, with a command where there is one.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Check {
    /// In words.
    pub says: String,
    /// The command or code.
    pub command: Option<String>,
}

/// A fix.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Solution {
    /// From 1.
    pub number: usize,
    /// In the imperative.
    pub title: String,
    /// Whether it is the one to begin with.
    pub recommended: bool,
    /// An explanation, as markdown.
    pub detail: String,
    /// Commands or code.
    pub commands: Vec<String>,
    /// What it is good for.
    pub benefits: Vec<String>,
    /// What it costs.
    pub trade_offs: Vec<String>,
}

/// A part of the plan.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Phase {
    /// From 1.
    pub number: usize,
    /// Its name.
    pub title: String,
    /// Its boxes.
    pub tasks: Vec<Task>,
}

/// A box.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Task {
    /// What to do.
    pub text: String,
    /// Whether a measurement has done it.
    pub done: bool,
}

/// Another report.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Related {
    pub id: String,
    pub title: String,
    pub status: String,
    /// The relative path from this document to it.
    pub link: String,
    /// "same fault, same frames".
    pub relation: String,
    /// How alike it is, 0 to 1; 0 where that was not measured.
    pub score: f64,
    /// What they have in common.
    pub why: Vec<String>,
}

/// Two GPUs side by side.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Comparison {
    /// The former one.
    pub from: String,
    /// This one.
    pub to: String,
    /// Property, former value, this value, how they compare.
    pub rows: Vec<[String; 4]>,
    /// What to consider when moving.
    pub checklist: Vec<String>,
}

/// What the probe measured.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Probe {
    /// `quick`, `functional`, `stress`, `saved`.
    pub level: String,
    /// One sentence each.
    pub findings: Vec<String>,
}

/// A test that was run.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct Test {
    /// "GEMM fp16".
    pub name: String,
    /// `passed`, `failed`, `not run`.
    pub result: String,
    /// Details.
    pub says: String,
}

/// What a commit changed.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Change {
    /// Its hash, shortened.
    pub short: String,
    pub day: String,
    /// The first line of its message.
    pub subject: String,
    pub files: Vec<ChangedFile>,
}

/// A file that a commit changed.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct ChangedFile {
    pub path: String,
    /// "+12 -3", "binary".
    pub lines: String,
}
