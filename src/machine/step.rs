//! The child's side of `child`: what this program does when it is called with the hidden subcommand.
//!
//! It writes JSON lines: which check starts, how it ended, facts. The line before each check shows the parent where a
//! crash happened. The child writes no core dump and ends when its parent is gone.

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
use super::{Check, child, strays};

/// Queries the management library.
pub(super) const MANAGEMENT: &str = "management";
/// Initialises the runtime without creating a context.
pub(super) const INIT: &str = "init";
/// Runs checks.
pub(super) const CHECKS: &str = "checks";

/// The input of a step.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Settings {
    /// `/` except in tests.
    pub(super) root: PathBuf,
    pub(super) vendor: String,
    /// The runtime's library to load; `None` for the loader's choice.
    pub(super) driver: Option<PathBuf>,
    /// The management library.
    pub(super) management: Option<PathBuf>,
    /// Other libraries, by stem.
    pub(super) libraries: BTreeMap<String, PathBuf>,
    /// The device, by its runtime number.
    pub(super) device: i32,
    pub(super) checks: Vec<String>,
    /// Whether another process computes on the device: then no check may use all of its memory.
    pub(super) shared: bool,
    /// Seconds for each check of the stress level.
    pub(super) seconds: u64,
    /// The child ends itself after this many seconds.
    pub(super) alive: u64,
}

/// One line from child to parent.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Message {
    /// A check starts.
    Begin(String),
    /// A check ended.
    End(CheckLayout),
    Facts(BTreeMap<String, Json>, BTreeMap<String, String>),
}

/// Runs a step if the arguments (without the program's name) ask for one, and returns the exit code.
pub(crate) fn answer(arguments: &[OsString], out: &mut dyn Write) -> Option<u8> {
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
    strays::mark_step();
    give_up_after(Duration::from_secs(settings.alive.max(1)));
    let Some(vendor) = VENDORS.iter().find(|vendor| vendor.description().id == settings.vendor) else {
        return Some(USAGE);
    };
    let known = step.to_str().is_some_and(|step| perform(step, *vendor, &settings, out));
    Some(if known { 0 } else { USAGE })
}

/// Runs one step; `false` if there is none with that name.
pub(super) fn perform(step: &str, vendor: &dyn Vendor, settings: &Settings, out: &mut dyn Write) -> bool {
    match step {
        // Facts are written piece by piece: a device that never answers must not lose the facts of the others.
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

/// Runs checks until one fails: the ones after it need a new process.
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
    // The process ends now and releases its devices; releasing handles one by one could hang.
    std::mem::forget(bench);
}

fn say_facts(out: &mut dyn Write, notes: &Notes) {
    let (known, unknown) = split(&notes.facts);
    say(out, &Message::Facts(known, unknown));
}

/// A parent that no longer reads is not an error.
fn say(out: &mut dyn Write, message: &Message) {
    if let Ok(line) = serde_json::to_string(message) {
        let _ = writeln!(out, "{line}");
        let _ = out.flush();
    }
}

/// A crash here is a result; it needs no core dump of many gigabytes.
fn no_core_dump() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    }
}

/// A parent whose budget is spent exits without waiting: a hung step must not stay behind.
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
