//! What a probe is asked for and what it answers.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::diagnosis::ProbeSummary;
use crate::facts::{Facts, Value};
use crate::vendors::Vendor;

/// How much is asked of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Reads only.
    Quick,
    /// Small work on each device, checked.
    Functional,
    /// The same and minutes of memory and arithmetic checks.
    Stress,
}

impl Level {
    /// The word of the command line.
    pub fn word(self) -> &'static str {
        match self {
            Level::Quick => "quick",
            Level::Functional => "functional",
            Level::Stress => "stress",
        }
    }
}

/// What to ask, and how long to wait.
#[derive(Debug, Clone)]
pub struct Options {
    /// The interpreter or environment to look at; `None` finds the project's own.
    pub python: Option<PathBuf>,
    /// The folder of the project.
    pub project: PathBuf,
    /// The whole time of the quick level; `None` waits for each answer as long as `patience`.
    pub budget: Option<Duration>,
    /// The longest time of the quick level to wait for one answer of a driver: without persistence mode it wakes its
    /// devices first, one after the other.
    pub patience: Duration,
    /// The longest time for one check; what takes longer hangs.
    pub deadline: Duration,
    /// The longest time for the checks of one device, the stress level's own seconds and the time of waking the devices
    /// not counted.
    pub time: Duration,
    /// Seconds for each check of the stress level.
    pub seconds: u64,
    /// The device that the question is about, by its number in the driver's list; `None` picks the one with trouble.
    pub device: Option<u32>,
    /// The program that answers the hidden subcommand; `None` is the running one.
    pub executable: Option<PathBuf>,
    /// The environment variables of the run that is asked about.
    pub environment: BTreeMap<OsString, OsString>,
    /// Where `/proc`, `/sys`, `/dev` and `/etc` lie: `/` except in tests.
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

/// The answer of a probe.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Whose driver was looked for or asked.
    pub vendor: &'static Vendor,
    /// The level's word.
    pub level: String,
    /// Everything measured, and why the rest could not be.
    pub facts: Facts,
    /// What a person should know, one sentence each, the gravest first.
    pub findings: Vec<String>,
    /// The checks in the order run; empty at the quick level.
    pub checks: Vec<Check>,
    /// Where a driver was looked for.
    pub looked_in: Vec<String>,
    /// When.
    pub taken: SystemTime,
}

impl Outcome {
    /// Whether a driver is there at all, working or not.
    pub fn has_driver(&self) -> bool {
        self.facts.get("driver.present").is_some_and(|fact| fact.value == Value::Bool(true))
    }

    /// Whether a driver answers and nothing is broken.
    pub fn is_healthy(&self) -> bool {
        self.facts.get("probe.healthy").is_some_and(|fact| fact.value == Value::Bool(true))
    }

    /// The part of it that a diagnosis shows.
    pub fn summary(&self) -> ProbeSummary {
        ProbeSummary { level: self.level.clone(), findings: self.findings.clone() }
    }
}

/// One check of the checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// `context`, `copy`, `gemm_fp16` and so on.
    pub name: String,
    /// The runtime's number of the device.
    pub device: u32,
    /// How it went.
    pub word: Word,
    /// In words.
    pub says: String,
    /// The status code, where there is one.
    pub code: Option<i32>,
    /// How long it took.
    pub milliseconds: u64,
}

/// Checks of a device that went the same way with the same words, as the first of them and all their names.
pub fn alike(checks: &[Check], wanted: fn(Word) -> bool) -> Vec<(&Check, Vec<String>)> {
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

/// How a check went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// As it should.
    Ok,
    /// It ended, with a result that is not right.
    Wrong,
    /// A library returned an error.
    Failed,
    /// A library returned a code that it does not name itself.
    UnknownCode,
    /// The process died.
    Crashed,
    /// It did not answer in time.
    TimedOut,
    /// Not tried: something it needs is not here.
    Skipped,
    /// Not tried: a check below it broke.
    NotReached,
}

impl Word {
    const ALL: [Word; 8] = [
        Word::Ok,
        Word::Wrong,
        Word::Failed,
        Word::UnknownCode,
        Word::Crashed,
        Word::TimedOut,
        Word::Skipped,
        Word::NotReached,
    ];

    /// The word in facts, files and answers.
    pub fn word(self) -> &'static str {
        match self {
            Word::Ok => "ok",
            Word::Wrong => "wrong",
            Word::Failed => "failed",
            Word::UnknownCode => "unknown code",
            Word::Crashed => "crashed",
            Word::TimedOut => "timed out",
            Word::Skipped => "skipped",
            Word::NotReached => "not reached",
        }
    }

    /// The check's ending of that word; anything else was not reached.
    pub fn of(word: &str) -> Self {
        Self::ALL.into_iter().find(|one| one.word() == word).unwrap_or(Word::NotReached)
    }

    /// Whether it was tried and did not go as it should.
    pub fn is_broken(self) -> bool {
        !self.holds() && self != Word::NotReached
    }

    /// Whether one can stand on it.
    pub fn holds(self) -> bool {
        matches!(self, Word::Ok | Word::Skipped)
    }
}
