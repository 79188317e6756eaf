//! The other side of `child`: what this program does when it is called with the hidden subcommand.
//!
//! It answers in JSON lines: which check begins, how it ended, facts. A line before each check tells the parent where a
//! crash happened. It keeps no core dump and kills itself when its parent is gone for long.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::note::Notes;
use super::save::{CheckLayout, split};
use super::vendor::{VENDORS, Vendor};
use super::{Check, child};

/// Asks the management library.
pub(super) const MANAGEMENT: &str = "management";
/// Initialises the runtime, makes no context.
pub(super) const INIT: &str = "init";
/// Runs checks.
pub(super) const CHECKS: &str = "checks";

/// What a step needs to know.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Settings {
    /// `/` except in tests.
    pub(super) root: PathBuf,
    /// Which vendor is asked.
    pub(super) vendor: String,
    /// The runtime's library to load, `None` for the loader's choice.
    pub(super) driver: Option<PathBuf>,
    /// The management library.
    pub(super) management: Option<PathBuf>,
    /// Other libraries by their stems.
    pub(super) libraries: BTreeMap<String, PathBuf>,
    /// The runtime's number of the device.
    pub(super) device: i32,
    /// The checks to run.
    pub(super) checks: Vec<String>,
    /// Whether somebody else computes on the device: then no check takes all of its memory.
    pub(super) shared: bool,
    /// Seconds for each check of the stress level.
    pub(super) seconds: u64,
    /// The child gives up by itself after this many seconds.
    pub(super) alive: u64,
}

/// One line from child to parent.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Message {
    /// A check begins.
    Begin(String),
    /// A check ended.
    End(CheckLayout),
    /// Facts.
    Facts(BTreeMap<String, Json>, BTreeMap<String, String>),
}

/// Runs a step when the arguments (without the program's name) ask for one; the exit code of the process then.
pub fn answer(arguments: &[OsString], out: &mut dyn Write) -> Option<u8> {
    let [subcommand, step, settings] = arguments else { return None };
    if subcommand != OsStr::new(child::SUBCOMMAND) {
        return None;
    }
    const USAGE: u8 = 2;
    let Some(settings) = settings.to_str().and_then(|text| serde_json::from_str::<Settings>(text).ok()) else {
        return Some(USAGE);
    };
    no_core_dump();
    die_with_parent();
    give_up_after(Duration::from_secs(settings.alive.max(1)));
    let Some(vendor) = VENDORS.iter().find(|vendor| vendor.description().id == settings.vendor) else {
        return Some(USAGE);
    };
    let known = step.to_str().is_some_and(|step| perform(step, *vendor, &settings, out));
    Some(if known { 0 } else { USAGE })
}

/// Does one step; `false` where there is none of that name.
pub(super) fn perform(step: &str, vendor: &dyn Vendor, settings: &Settings, out: &mut dyn Write) -> bool {
    match step {
        // Said piece by piece: a device that never answers must not take the others' facts along.
        MANAGEMENT => vendor.read_management(settings, &mut |notes| say_facts(out, notes)),
        INIT => {
            let mut notes = Notes::default();
            vendor.initialise(settings, &mut notes);
            say_facts(out, &notes);
        }
        CHECKS => run(vendor, settings, out),
        _ => return false,
    }
    true
}

/// Runs until a check does not hold: what comes after it deserves a fresh process.
fn run(vendor: &dyn Vendor, settings: &Settings, out: &mut dyn Write) {
    let mut bench = vendor.bench(settings);
    for name in &settings.checks {
        say(out, &Message::Begin(name.clone()));
        let started = Instant::now();
        let result = bench.run(name);
        let milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let holds = result.word.holds();
        let check = Check {
            name: name.clone(),
            device: u32::try_from(settings.device).unwrap_or(0),
            word: result.word,
            says: result.says,
            code: result.code,
            milliseconds,
        };
        let notes = bench.take_notes();
        if !notes.facts.is_empty() {
            say_facts(out, &notes);
        }
        say(out, &Message::End(CheckLayout::of(&check)));
        if !holds {
            break;
        }
    }
    // The process ends now and its devices with it: giving handles back one by one could only hang.
    std::mem::forget(bench);
}

fn say_facts(out: &mut dyn Write, notes: &Notes) {
    let (known, unknown) = split(&notes.facts);
    say(out, &Message::Facts(known, unknown));
}

/// A parent that no longer listens is no reason to fail.
fn say(out: &mut dyn Write, message: &Message) {
    if let Ok(line) = serde_json::to_string(message) {
        let _ = writeln!(out, "{line}");
        let _ = out.flush();
    }
}

/// A crash in here is an answer, not something to keep gigabytes of.
fn no_core_dump() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    }
}

/// A parent whose budget is spent goes away without waiting: a step that hangs must not stay behind.
fn die_with_parent() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
}

/// Ends a child whose parent was killed before it could end it.
fn give_up_after(time: Duration) {
    std::thread::spawn(move || {
        std::thread::sleep(time);
        std::process::abort();
    });
}
