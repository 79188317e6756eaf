//! The live check of the machine: which facts confirm or refute a cause, found without side effects.
//!
//! The quick level only reads. The functional level does what a training job does, check by check, in child processes
//! with deadlines; the stress level adds minutes of memory and arithmetic checks. A probe never fails: what is unknown
//! is a fact with its reason. No vendor library is linked, so the program starts without them.
//!
//! `vendor` defines what a vendor of GPUs provides; everything specific to one is in its folder.

#[macro_use]
mod native;

mod amd;
mod checks;
mod child;
mod environment;
mod findings;
mod kernel_log;
mod libraries;
mod loader;
mod note;
mod numbering;
mod nvidia;
mod others;
mod outcome;
mod packages;
mod pci;
mod process;
mod python;
mod question;
mod quick;
mod relate;
mod save;
mod seat;
mod step;
mod strays;
mod system;
mod tools;
mod vendor;
pub mod view;
mod watch;
mod wheel;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use checks::{Start, Tell};
use libraries::Chosen;
use loader::Loader;
use note::Notes;
use seat::{Driver, Seat};
use vendor::{VENDORS, Vendor};

#[cfg(feature = "web")]
pub(crate) use checks::Progress;
pub(crate) use native::leave;
pub(crate) use numbering::called;
pub(crate) use others::gpus as other_gpus;
pub(crate) use outcome::alike;
pub use outcome::{Check, CheckStatus, Level, Options, Outcome};
#[cfg(feature = "web")]
pub(crate) use process::memory_of;
pub(crate) use relate::is_software;
pub use relate::relate;
#[cfg(feature = "web")]
pub(crate) use save::read as read_saved;
pub use save::{Error, load, save, to_json};
pub(crate) use step::answer as answer_step;
pub(crate) use watch::Watch;

/// Whether this machine shows any trace of a GPU driver: cheap enough to call before anything else.
pub fn driver_here(options: &Options) -> bool {
    let loader = Loader::new(&options.root, &options.environment, VENDORS);
    VENDORS.iter().any(|vendor| Driver::find(*vendor, options, &loader).is_some())
}

/// Runs a probe.
pub fn run(level: Level, options: &Options) -> Outcome {
    run_with(VENDORS, level, options, &|_| {})
}

/// Runs a probe, and tells about each check as it begins and ends.
#[cfg(feature = "web")]
pub(crate) fn run_telling(level: Level, options: &Options, tell: &Tell<'_>) -> Outcome {
    run_with(VENDORS, level, options, tell)
}

fn run_with(vendors: &'static [&'static dyn Vendor], level: Level, options: &Options, tell: &Tell<'_>) -> Outcome {
    let taken = SystemTime::now();
    let shared = Arc::new(Shared::new(vendors, options.clone()));
    let started = Instant::now();
    let read = quick::read(&shared);
    let (seat, mut notes, chosen) = others::in_question(&shared, read);
    let mut checks = Vec::new();
    if level > Level::Quick {
        // The children that run the checks wake sleeping devices again.
        let waking = started.elapsed();
        checks = functional(level, &shared, seat, &chosen, waking, &mut notes, tell);
    }
    question::settle(options, &checks, &mut notes);
    let (mut findings, broken) = findings::of(&notes.facts, seat.vendor, &checks);
    if level > Level::Quick && seat.present && seat.vendor.checks().functional.is_empty() {
        let maker = &seat.vendor.description().name;
        findings.push(format!("there are no functional checks for GPUs from {maker} yet: nothing was computed"));
    }
    others::describe(seat, &notes.facts, &mut findings);
    notes.flag("probe.healthy", seat.present && !broken);
    let looked_in = if seat.present { Vec::new() } else { shared.loader.places() };
    let vendor = seat.vendor.description();
    Outcome { vendor, level: level.word().to_owned(), facts: notes.facts, findings, checks, looked_in, taken }
}

/// Shared by all parts of a probe.
struct Shared {
    options: Options,
    loader: Loader,
    /// All vendors, in the order of the list.
    seats: Vec<Seat>,
    executable: PathBuf,
    /// The steps that run now.
    running: strays::Running,
}

impl Shared {
    fn new(vendors: &'static [&'static dyn Vendor], options: Options) -> Self {
        let loader = Loader::new(&options.root, &options.environment, vendors);
        let seats = vendors.iter().map(|vendor| Seat::new(*vendor, &options, &loader)).collect();
        let executable = options.executable.clone().or_else(|| std::env::current_exe().ok()).unwrap_or_default();
        Self { options, loader, seats, executable, running: strays::Running::default() }
    }

    /// The vendor in question as far as files of the driver and the bus decide it: the first with a GPU, otherwise the
    /// first with a driver, otherwise the first.
    fn first(&self) -> usize {
        let with_gpu = self.seats.iter().position(|seat| seat.on_bus);
        with_gpu.or_else(|| self.seats.iter().position(|seat| seat.present)).unwrap_or(0)
    }

    fn settings(&self, seat: &Seat) -> step::Settings {
        step::Settings {
            root: self.options.root.clone(),
            vendor: seat.vendor.description().id.clone(),
            driver: seat.driver.library.as_ref().map(loader::Found::to_load),
            management: seat.driver.management.as_ref().map(loader::Found::to_load),
            alive: self.options.patience.as_secs() + 10,
            seconds: 0,
            ..step::Settings::default()
        }
    }
}

/// Runs the checks on every visible device, all devices in parallel.
fn functional(
    level: Level,
    shared: &Shared,
    seat: &Seat,
    chosen: &Chosen,
    waking: Duration,
    notes: &mut Notes,
    tell: &Tell<'_>,
) -> Vec<Check> {
    let offered = seat.vendor.checks();
    if !seat.present || offered.functional.is_empty() {
        return Vec::new();
    }
    if notes.facts.text("driver.init") == Some("timed out") {
        let hangs = format!("{} hangs", seat.vendor.description().runtime.init);
        return checks::hung(offered, 0, notes.facts.text("driver.init_says").unwrap_or(&hangs));
    }
    let mut environment = shared.options.environment.clone();
    let name = OsString::from("LD_LIBRARY_PATH");
    let old = environment.get(&name).cloned().unwrap_or_default();
    let folders = chosen.folders.iter().cloned().chain(std::env::split_paths(&old));
    if let Ok(joined) = std::env::join_paths(folders.filter(|folder| !folder.as_os_str().is_empty())) {
        environment.insert(name, joined);
    }
    let runtime = &seat.vendor.description().runtime.facts;
    // If initialisation failed, the checks still start on device 0: its first check reports the reason.
    #[expect(clippy::cast_possible_truncation, reason = "a count of devices")]
    let count = notes.facts.number(&format!("{runtime}.device_count")).map_or(1, |count| count as i32).clamp(1, 64);
    let mut ended: Vec<(Vec<Check>, Notes)> = Vec::new();
    std::thread::scope(|scope| {
        let devices: Vec<_> = (0..count)
            .map(|device| {
                let settings = step::Settings {
                    device,
                    libraries: chosen.libraries.clone(),
                    shared: question::is_shared(&notes.facts),
                    seconds: if level == Level::Stress { shared.options.seconds } else { 0 },
                    ..shared.settings(seat)
                };
                let start = Start {
                    executable: &shared.executable,
                    environment: &environment,
                    running: &shared.running,
                    deadline: shared.options.deadline + waking,
                    time: shared.options.time + waking,
                    tell,
                };
                scope.spawn(move || checks::run(start, offered, level, &settings))
            })
            .collect();
        ended = devices.into_iter().filter_map(|device| device.join().ok()).collect();
    });
    let mut checks = Vec::new();
    for (device_checks, device_notes) in ended {
        notes.facts.merge(&device_notes.facts);
        checks.extend(device_checks);
    }
    checks
}

#[cfg(test)]
mod files;
#[cfg(test)]
mod vendor_tests;
