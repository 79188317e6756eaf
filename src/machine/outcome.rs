//! What a probe is asked to do, and its result.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::{relate, save};
use crate::diagnosis::ProbeSummary;
use crate::facts::{Facts, Value};
use crate::vendors::Vendor;

/// How thoroughly the machine is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Only reads.
    Quick,
    /// Small operations on each device, with verified results.
    Functional,
    /// The functional level and minutes of memory and arithmetic checks.
    Stress,
}

impl Level {
    /// The name on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Level::Quick => "quick",
            Level::Functional => "functional",
            Level::Stress => "stress",
        }
    }
}

/// What to check, and how long to wait.
#[derive(Debug, Clone)]
pub struct Options {
    /// The interpreter or environment to read; `None` finds the project's own.
    pub python: Option<PathBuf>,
    /// The project's folder.
    pub project: PathBuf,
    /// The time budget of the quick level; `None` waits up to `patience` for each answer.
    pub budget: Option<Duration>,
    /// The longest time that the quick level waits for one answer of a driver: without persistence mode, the driver
    /// first wakes its devices one by one.
    pub patience: Duration,
    /// The longest time for one check; a check that takes longer counts as hung.
    pub deadline: Duration,
    /// The longest time for the checks of one device, without the stress level's own seconds and the time to wake the
    /// devices.
    pub time: Duration,
    /// Seconds for each check of the stress level.
    pub seconds: u64,
    /// The device in question, by its driver number; `None` picks the one with a problem.
    pub device: Option<u32>,
    /// The program that implements the hidden subcommand; `None` for the running one.
    pub executable: Option<PathBuf>,
    /// The environment variables of the run in question.
    pub environment: BTreeMap<OsString, OsString>,
    /// The folder that contains `/proc`, `/sys`, `/dev` and `/etc`: `/` except in tests.
    pub root: PathBuf,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            python: None,
            project: std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
            budget: None,
            patience: Duration::from_secs(30),
            deadline: Duration::from_secs(8),
            time: Duration::from_secs(10),
            seconds: 20,
            device: None,
            executable: None,
            environment: std::env::vars_os().collect(),
            root: PathBuf::from("/"),
        }
    }
}

/// The result of a probe.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The vendor whose driver was looked for.
    pub vendor: &'static Vendor,
    /// The name of the level.
    pub level: String,
    /// Everything measured, and why the rest is unknown.
    pub facts: Facts,
    /// What a user should know, one sentence each, most severe first.
    pub findings: Vec<String>,
    /// The checks in the order in which they ran; empty at the quick level.
    pub checks: Vec<Check>,
    /// Where a driver was looked for.
    pub looked_in: Vec<String>,
    /// When the probe ran.
    pub taken: SystemTime,
}

impl Outcome {
    /// Whether a driver is installed, working or not.
    pub fn has_driver(&self) -> bool {
        self.facts.get("driver.present").is_some_and(|fact| fact.value == Value::Bool(true))
    }

    /// Whether a driver answers and no check failed.
    pub fn is_healthy(&self) -> bool {
        self.facts.get("probe.healthy").is_some_and(|fact| fact.value == Value::Bool(true))
    }

    /// Whether the failing process itself recorded it: it is about the moment of failure, and about nothing else.
    pub fn is_inside(&self) -> bool {
        self.level == save::INSIDE
    }

    /// Adds what a probe found and the process does not know about itself.
    pub fn complete(&mut self, probe: &Self) {
        for (name, fact) in probe.facts.iter() {
            if self.facts.get(name).is_none() && relate::past(name, &probe.facts).is_none() {
                self.facts.add(name, fact.value.clone(), fact.source, fact.line);
            }
        }
        for (name, why) in probe.facts.unknowns() {
            if self.facts.get(name).is_none() && self.facts.why_unknown(name).is_none() {
                self.facts.set_unknown(name, why);
            }
        }
        self.vendor = probe.vendor;
        if probe.has_driver() {
            self.findings.extend(probe.findings.iter().cloned());
        }
    }

    /// The part that a diagnosis shows.
    pub fn summary(&self) -> ProbeSummary {
        ProbeSummary { level: self.level.clone(), findings: self.findings.clone() }
    }
}

/// The result of one check on one device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// `context`, `copy`, `gemm_fp16` and so on.
    pub name: String,
    /// The device, by its runtime number.
    pub device: u32,
    /// The result.
    pub word: CheckStatus,
    /// The message.
    pub says: String,
    /// The status code, if the library returned one.
    pub code: Option<i32>,
    /// How long the check took.
    pub milliseconds: u64,
}

/// Checks of a device with the same result and message: the first of them, and the names of all.
pub(crate) fn alike(checks: &[Check], wanted: fn(CheckStatus) -> bool) -> Vec<(&Check, Vec<String>)> {
    let mut groups: Vec<(&Check, Vec<String>)> = Vec::new();
    for check in checks.iter().filter(|check| wanted(check.word)) {
        let name = check.name.replace('_', " ");
        let same = |first: &Check| (first.device, first.word, &first.says) == (check.device, check.word, &check.says);
        match groups.iter_mut().find(|(first, _)| same(first)) {
            Some((_, names)) => names.push(name),
            None => groups.push((check, vec![name])),
        }
    }
    groups
}

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckStatus {
    /// The result is correct.
    Ok,
    /// The check finished with a wrong result.
    Wrong,
    /// A library returned an error.
    Failed,
    /// A library returned a status code that it has no name for.
    UnknownCode,
    /// The process crashed.
    Crashed,
    /// The check did not finish in time.
    TimedOut,
    /// Not tried: something that it needs is missing.
    Skipped,
    /// Not tried: an earlier check failed.
    NotReached,
}

impl CheckStatus {
    const ALL: [CheckStatus; 8] = [
        CheckStatus::Ok,
        CheckStatus::Wrong,
        CheckStatus::Failed,
        CheckStatus::UnknownCode,
        CheckStatus::Crashed,
        CheckStatus::TimedOut,
        CheckStatus::Skipped,
        CheckStatus::NotReached,
    ];

    /// The word in facts, files and answers.
    pub fn word(self) -> &'static str {
        match self {
            CheckStatus::Ok => "ok",
            CheckStatus::Wrong => "wrong",
            CheckStatus::Failed => "failed",
            CheckStatus::UnknownCode => "unknown code",
            CheckStatus::Crashed => "crashed",
            CheckStatus::TimedOut => "timed out",
            CheckStatus::Skipped => "skipped",
            CheckStatus::NotReached => "not reached",
        }
    }

    /// Parses such a word; anything else counts as not reached.
    pub fn of(word: &str) -> Self {
        Self::ALL.into_iter().find(|one| one.word() == word).unwrap_or(CheckStatus::NotReached)
    }

    /// Whether the check was tried and failed.
    pub fn is_broken(self) -> bool {
        !self.holds() && self != CheckStatus::NotReached
    }

    /// Whether later checks can rely on it.
    pub fn holds(self) -> bool {
        matches!(self, CheckStatus::Ok | CheckStatus::Skipped)
    }
}
