//! The live check of the machine: which facts would confirm or refute a cause, asked without harm.
//!
//! The quick level only reads. The functional level does what a training job does, check by check, in child processes
//! with deadlines; the stress level adds minutes of memory and arithmetic checks. It never fails: what cannot be known
//! is a fact with its reason. No vendor's library is linked, so that the program starts and answers without it.
//!
//! `vendor` says what a vendor of GPUs must answer; everything that belongs to one is in its folder.

#[macro_use]
mod native;

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
mod outcome;
mod packages;
mod python;
mod question;
mod quick;
mod relate;
mod save;
mod step;
mod system;
mod vendor;
pub mod view;
mod watch;
mod wheel;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use checks::Start;
use libraries::Chosen;
use loader::{By, Loader};
use note::Notes;
use vendor::{VENDORS, Vendor};

pub use native::leave;
pub use numbering::{called, index_of, ordinal_of};
pub use outcome::{Check, Level, Options, Outcome, Word, alike};
pub use relate::{is_software, relate};
pub use save::{Error, SCHEMA, load, save, to_json};
pub use step::answer as answer_step;
pub use watch::{Sample, Watch};

/// Whether this machine shows any trace of a GPU's driver: cheap enough to ask before anything else.
pub fn driver_here(options: &Options) -> bool {
    Driver::find(VENDORS, options, &Loader::new(&options.root, &options.environment, VENDORS)).is_some()
}

/// Asks the machine.
pub fn run(level: Level, options: &Options) -> Outcome {
    run_with(VENDORS, level, options)
}

fn run_with(vendors: &'static [&'static dyn Vendor], level: Level, options: &Options) -> Outcome {
    let taken = SystemTime::now();
    let shared = Arc::new(Shared::new(vendors, options.clone()));
    let started = Instant::now();
    let (mut notes, chosen) = quick::read(&shared);
    let mut checks = Vec::new();
    if level > Level::Quick {
        // The children that run the checks wake sleeping devices once more.
        let waking = started.elapsed();
        checks = functional(level, &shared, &chosen, waking, &mut notes);
    }
    question::settle(options, &checks, &mut notes);
    let (findings, broken) = findings::of(&notes.facts, shared.vendor, &checks);
    notes.flag("probe.healthy", shared.present && !broken);
    let looked_in = if shared.present { Vec::new() } else { shared.loader.places() };
    let vendor = shared.vendor.description();
    Outcome { vendor, level: level.word().to_owned(), facts: notes.facts, findings, checks, looked_in, taken }
}

/// What all parts of a probe use.
struct Shared {
    options: Options,
    loader: Loader,
    /// The first vendor with a driver here, or simply the first.
    vendor: &'static dyn Vendor,
    driver: Driver,
    present: bool,
    executable: PathBuf,
}

impl Shared {
    fn new(vendors: &'static [&'static dyn Vendor], options: Options) -> Self {
        let loader = Loader::new(&options.root, &options.environment, vendors);
        let found = Driver::find(vendors, &options, &loader);
        let present = found.is_some();
        let (vendor, driver) = found.unwrap_or((vendors[0], Driver::default()));
        let executable = options.executable.clone().or_else(|| std::env::current_exe().ok()).unwrap_or_default();
        Self { options, loader, vendor, driver, present, executable }
    }

    fn settings(&self) -> step::Settings {
        // A bare name where the loader finds the file itself, so that what is loaded is what a program would load.
        let load = |found: &Option<loader::Found>| {
            found.as_ref().filter(|found| found.by == By::Nothing).map(|found| found.path.clone())
        };
        step::Settings {
            root: self.options.root.clone(),
            vendor: self.vendor.description().id.clone(),
            driver: load(&self.driver.library),
            management: load(&self.driver.management),
            alive: self.options.patience.as_secs() + 10,
            seconds: 0,
            ..step::Settings::default()
        }
    }
}

/// Where the two libraries of a driver are.
#[derive(Default)]
struct Driver {
    library: Option<loader::Found>,
    management: Option<loader::Found>,
}

impl Driver {
    /// The first vendor with a trace of its driver on this machine.
    fn find(
        vendors: &[&'static dyn Vendor],
        options: &Options,
        loader: &Loader,
    ) -> Option<(&'static dyn Vendor, Self)> {
        vendors.iter().find_map(|vendor| {
            let files = &vendor.description().driver;
            let find = |name: &str| loader.find(name).filter(|_| !name.is_empty());
            let found = Self { library: find(files.library.here()), management: find(files.management.here()) };
            let traced = || files.traces.iter().any(|path| options.root.join(path).exists());
            (found.library.is_some() || found.management.is_some() || traced()).then_some((*vendor, found))
        })
    }

    fn write(&self, vendor: &dyn Vendor, notes: &mut Notes) {
        let description = vendor.description();
        let watcher = &description.management;
        for (found, name, by) in [
            (&self.library, "driver.library", "driver.library_by"),
            (&self.management, watcher.library_fact.as_str(), watcher.library_by_fact.as_str()),
        ] {
            match found {
                Some(found) => {
                    notes.text(name, found.path.display().to_string());
                    notes.text(by, found.by.word());
                }
                None => notes.set_unknown(name, "not found where the loader looks"),
            }
        }
        // libcuda.so.1 is a link to libcuda.so.580.95.05.
        let version = self.library.as_ref().and_then(|found| {
            let real = std::fs::canonicalize(&found.path).ok()?;
            let version = real.file_name()?.to_str()?.split_once(".so.")?.1.to_owned();
            version.contains('.').then_some(version)
        });
        match version {
            Some(version) => notes.text("driver.library_version", version),
            None => {
                let why = format!("the name of {} has no version", description.driver.library.stem());
                notes.set_unknown("driver.library_version", why);
            }
        }
    }
}

/// Runs the checks on every device that a program sees, all devices at once.
fn functional(level: Level, shared: &Shared, chosen: &Chosen, waking: Duration, notes: &mut Notes) -> Vec<Check> {
    if !shared.present {
        return Vec::new();
    }
    let offered = shared.vendor.checks();
    if notes.facts.text("driver.init") == Some("timed out") {
        let hangs = format!("{} hangs", shared.vendor.description().runtime.init);
        return checks::hung(offered, 0, notes.facts.text("driver.init_says").unwrap_or(&hangs));
    }
    let mut environment = shared.options.environment.clone();
    let name = OsString::from("LD_LIBRARY_PATH");
    let old = environment.get(&name).cloned().unwrap_or_default();
    let folders = chosen.folders.iter().cloned().chain(std::env::split_paths(&old));
    if let Ok(joined) = std::env::join_paths(folders.filter(|folder| !folder.as_os_str().is_empty())) {
        environment.insert(name, joined);
    }
    let runtime = &shared.vendor.description().runtime.facts;
    // Where initialising failed the checks still start on device 0: its first check tells the story.
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
                    ..shared.settings()
                };
                let start = Start {
                    executable: &shared.executable,
                    environment: &environment,
                    deadline: shared.options.deadline + waking,
                    time: shared.options.time + waking,
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
