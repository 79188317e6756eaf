//! What a vendor of GPUs provides to the probe, and the list of vendors.
//!
//! A vendor is a folder next to this file and a description under kb/vendors. Code that loads its libraries runs in a
//! child process (see `super::child`); code that runs in the parent only reads files.

use std::ffi::OsStr;
use std::path::Path;

use super::CheckStatus;
use super::findings::Findings;
use super::native::CallError;
use super::note::Notes;
use super::step::Settings;
use crate::facts::Facts;
use crate::vendors::Vendor as Description;

/// All vendors. Each whose driver shows is asked; where nothing else decides, the first of them is the one in question.
pub(super) static VENDORS: &[&dyn Vendor] = &[&super::nvidia::Nvidia, &super::amd::Amd];

/// A vendor of GPUs.
pub(super) trait Vendor: Sync {
    fn description(&self) -> &'static Description;

    /// In the parent: what files show without the driver, such as its version, device nodes and the bus.
    fn read_system(&self, root: &Path, notes: &mut Notes);

    /// In the parent: its toolkit on this machine.
    fn read_toolkit(&self, root: &Path, conda: Option<&Path>, notes: &mut Notes);

    /// In the parent: the kernel log's messages about its devices, or why it cannot be read. `uptime` is in seconds.
    fn read_kernel_log(&self, log: Result<&str, &str>, uptime: Option<f64>, notes: &mut Notes);

    /// In a child: queries the management library and writes the facts piece by piece.
    fn read_management(&self, settings: &Settings, tell: &mut dyn FnMut(&Notes));

    /// In a child: initialises the runtime of a library without creating a context, and notes its version and devices.
    fn start(&self, library: &OsStr, notes: &mut Notes) -> Result<(), CallError>;

    /// In a child: `start` with the library that was asked for; `driver.init` holds the result.
    fn initialise(&self, settings: &Settings, notes: &mut Notes) {
        let usual = OsStr::new(self.description().driver.library.here());
        match self.start(settings.driver.as_deref().map_or(usual, Path::as_os_str), notes) {
            Ok(()) => notes.text("driver.init", "ok"),
            Err(trouble) => {
                if let Some(code) = trouble.code() {
                    notes.number("driver.init_code", f64::from(code));
                }
                notes.text("driver.init", trouble.word());
                notes.text("driver.init_says", trouble.says());
            }
        }
    }

    /// The checks it offers.
    fn checks(&self) -> Checks;

    /// In a child: creates what runs the checks.
    fn bench(&self, settings: &Settings) -> Box<dyn Bench>;

    /// Findings specific to the vendor.
    fn findings(&self, facts: &Facts, findings: &mut Findings);
}

/// The names of checks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Checks {
    /// The operations of a training job, simplest first; the first creates the context that the others need.
    pub(super) functional: &'static [&'static str],
    /// Added by the stress level.
    pub(super) stress: &'static [&'static str],
}

/// Runs checks on one device, inside a child process.
pub(super) trait Bench {
    /// Runs one check.
    fn run(&mut self, check: &str) -> Ended;

    /// The facts found since the last call.
    fn take_notes(&mut self) -> Notes;
}

/// How a check ended, if it did not succeed.
pub(super) struct Ended {
    pub(super) word: CheckStatus,
    pub(super) says: String,
    pub(super) code: Option<i32>,
}

/// What a check returns: a message, or how it failed.
pub(super) type Answer = Result<String, Ended>;

impl Ended {
    /// Not tried: something that it needs is missing.
    pub(super) fn skipped(says: &str) -> Self {
        Self { word: CheckStatus::Skipped, says: says.to_owned(), code: None }
    }

    /// A wrong result.
    pub(super) fn wrong(says: String) -> Self {
        Self { word: CheckStatus::Wrong, says, code: None }
    }
}

impl From<Answer> for Ended {
    fn from(answer: Answer) -> Self {
        answer.map_or_else(|ended| ended, |says| Self { word: CheckStatus::Ok, says, code: None })
    }
}

impl From<CallError> for Ended {
    fn from(trouble: CallError) -> Self {
        let unknown = matches!(&trouble, CallError::Status { name: None, .. });
        let word = if unknown { CheckStatus::UnknownCode } else { CheckStatus::Failed };
        Self { word, says: trouble.says(), code: trouble.code() }
    }
}
