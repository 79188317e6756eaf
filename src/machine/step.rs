//! The other side of `child`: what this program does when it is called with the hidden subcommand.
//!
//! It answers in JSON lines: which check begins, how it ended, facts. A line before each check tells the parent where a
//! crash happened. It keeps no core dump and kills itself when its parent is gone for long.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::loader::DRIVER;
use super::note::Notes;
use super::nvidia::native::driver::Driver;
use super::nvidia::{checks, nvml};
use super::save::{CheckLayout, split};
use super::{Check, child};

/// Asks NVML.
pub(super) const NVML: &str = "nvml";
/// Initialises CUDA, makes no context.
pub(super) const INIT: &str = "init";
/// Runs checks of the checks.
pub(super) const CHECKS: &str = "checks";

/// What a step needs to know.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Settings {
    /// `/` except in tests.
    pub(super) root: PathBuf,
    /// The driver library to load, `None` for the loader's choice.
    pub(super) cuda: Option<PathBuf>,
    /// NVML.
    pub(super) nvml: Option<PathBuf>,
    /// NVRTC.
    pub(super) nvrtc: Option<PathBuf>,
    /// cuBLAS.
    pub(super) cublas: Option<PathBuf>,
    /// cuDNN.
    pub(super) cudnn: Option<PathBuf>,
    /// CUDA's number of the device.
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
    match step.to_str() {
        Some(NVML) => {
            // Said piece by piece: a device that never answers must not take the others' facts along.
            nvml::read(settings.nvml.as_deref(), &settings.root, &mut |notes| say_facts(out, notes));
        }
        Some(INIT) => {
            let mut notes = Notes::default();
            init(settings.cuda.as_deref(), &mut notes);
            say_facts(out, &notes);
        }
        Some(CHECKS) => run(&settings, out),
        _ => return Some(USAGE),
    }
    Some(0)
}

/// `cuInit`, the driver's CUDA version, the number of devices that a program sees.
fn init(library: Option<&Path>, notes: &mut Notes) {
    let library = library.map_or(OsStr::new(DRIVER[0]), Path::as_os_str);
    let answer = Driver::open(library).and_then(|driver| {
        driver.init()?;
        let version = driver.version()?;
        notes.text("driver.cuda", format!("{}.{}", version / 1000, version % 1000 / 10));
        let count = driver.device_count()?;
        notes.count("cuda.device_count", u64::try_from(count).unwrap_or(0));
        for ordinal in 0..count {
            if let Ok(pci) = driver.device(ordinal).and_then(|device| device.pci()) {
                notes.text(format!("cuda.{ordinal}.pci"), pci);
            }
        }
        Ok(())
    });
    match answer {
        Ok(()) => notes.text("driver.init", "ok"),
        Err(trouble) => {
            if let Some(code) = trouble.code() {
                notes.number("driver.init_code", f64::from(code));
            }
            notes.text("driver.init", checks::word_of(&trouble));
            notes.text("driver.init_says", trouble.says());
        }
    }
}

/// Runs until a check does not hold: what comes after it deserves a fresh process.
fn run(settings: &Settings, out: &mut dyn Write) {
    let mut bench = checks::Bench::new(settings.clone());
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
        if !bench.notes.facts.is_empty() {
            say_facts(out, &std::mem::take(&mut bench.notes));
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
