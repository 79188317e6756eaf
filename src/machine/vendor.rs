//! What the probe needs of a vendor of GPUs, and the vendors there are.
//!
//! A vendor is a folder beside this file and a description under kb/vendors. Whatever loads its libraries runs in a
//! child process (see `super::child`); what runs in the parent only reads files.

use std::path::Path;

use super::Word;
use super::findings::Findings;
use super::native::Trouble;
use super::note::Notes;
use super::step::Settings;
use crate::facts::Facts;
use crate::vendors::Vendor as Description;

/// Every vendor that a machine can be asked about, in the order in which they are looked for.
pub(super) static VENDORS: &[&dyn Vendor] = &[&super::nvidia::Nvidia];

/// A vendor of GPUs.
pub(super) trait Vendor: Sync {
    /// Its names, files and libraries.
    fn description(&self) -> &'static Description;

    /// In the parent: what files show without asking the driver, such as its version, device nodes and the bus.
    fn read_system(&self, root: &Path, notes: &mut Notes);

    /// In the parent: its toolkit on this machine.
    fn read_toolkit(&self, root: &Path, conda: Option<&Path>, notes: &mut Notes);

    /// In the parent: what the kernel log says of its devices, or why it cannot be read. `uptime` is in seconds.
    fn read_kernel_log(&self, log: Result<&str, &str>, uptime: Option<f64>, notes: &mut Notes);

    /// In a child: what the management library says, told piece by piece.
    fn read_management(&self, settings: &Settings, tell: &mut dyn FnMut(&Notes));

    /// In a child: initialises the runtime and makes no context. `driver.init` says how it went.
    fn initialise(&self, settings: &Settings, notes: &mut Notes);

    /// The checks it offers.
    fn checks(&self) -> Checks;

    /// In a child: what runs the checks.
    fn bench(&self, settings: &Settings) -> Box<dyn Bench>;

    /// What a person should know beyond what holds for every vendor.
    fn findings(&self, facts: &Facts, findings: &mut Findings);
}

/// The names of checks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Checks {
    /// What a training job does, from the ground up; the first one makes the context that the others need.
    pub(super) functional: &'static [&'static str],
    /// What the stress level adds.
    pub(super) stress: &'static [&'static str],
}

/// Runs checks on one device, inside a child process.
pub(super) trait Bench {
    /// Runs one check.
    fn run(&mut self, check: &str) -> Ended;

    /// The facts found on the way since the last call.
    fn take_notes(&mut self) -> Notes;
}

/// How a check ended.
pub(super) struct Ended {
    pub(super) word: Word,
    pub(super) says: String,
    pub(super) code: Option<i32>,
}

/// What a check returns: words of success, or how it failed.
pub(super) type Answer = Result<String, Ended>;

impl Ended {
    /// Not tried: something it needs is not here.
    pub(super) fn skipped(says: &str) -> Self {
        Self { word: Word::Skipped, says: says.to_owned(), code: None }
    }

    /// A result that is not right.
    pub(super) fn wrong(says: String) -> Self {
        Self { word: Word::Wrong, says, code: None }
    }
}

impl From<Answer> for Ended {
    fn from(answer: Answer) -> Self {
        answer.map_or_else(|ended| ended, |says| Self { word: Word::Ok, says, code: None })
    }
}

impl From<Trouble> for Ended {
    fn from(trouble: Trouble) -> Self {
        let unknown = matches!(&trouble, Trouble::Status { name: None, .. });
        let word = if unknown { Word::UnknownCode } else { Word::Failed };
        Self { word, says: trouble.says(), code: trouble.code() }
    }
}
