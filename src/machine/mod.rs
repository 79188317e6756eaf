//! The live check of the machine: which facts would confirm or refute a cause, asked without harm.
//!
//! The quick level only reads. The functional level does what a training job does, rung by rung, in child processes
//! with deadlines; the stress level adds minutes of memory and arithmetic checks. It never fails: what cannot be known
//! is a fact with its reason. Nothing of NVIDIA's is linked, so that the program starts and answers without it.

mod arithmetic;
mod child;
mod devices;
mod environment;
#[cfg(test)]
mod files;
mod findings;
mod kernel_log;
mod ladder;
mod libraries;
mod loader;
mod native;
mod note;
mod numbering;
mod nvml;
mod nvml_modes;
mod nvml_words;
mod outcome;
mod packages;
mod python;
mod question;
mod quick;
mod reference;
mod relate;
mod rungs;
mod save;
mod step;
mod system;
pub mod view;
mod watch;
mod wheel;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use ladder::Start;
use libraries::Chosen;
use loader::{By, DRIVER, Loader};
use note::Notes;

pub use native::leave;
pub use numbering::{called, index_of, ordinal_of};
pub use outcome::{Level, Options, Outcome, Rung, Word, alike};
pub use relate::{is_software, relate};
pub use save::{Error, SCHEMA, load, save, to_json};
pub use step::answer as answer_step;
pub use watch::{Sample, Watch};

/// Whether this machine shows any trace of an NVIDIA driver: cheap enough to ask before anything else.
pub fn driver_here(options: &Options) -> bool {
    let loader = Loader::new(&options.root, &options.environment);
    devices::any_trace(&options.root) || Places::find(&loader).any()
}

/// Asks the machine.
pub fn run(level: Level, options: &Options) -> Outcome {
    let taken = SystemTime::now();
    let shared = Arc::new(Shared::new(options.clone()));
    let started = Instant::now();
    let (mut notes, chosen) = quick::read(&shared);
    let mut rungs = Vec::new();
    if level > Level::Quick {
        // The ladder's children wake sleeping devices once more.
        let waking = started.elapsed();
        rungs = functional(level, &shared, &chosen, waking, &mut notes);
    }
    question::settle(options, &rungs, &mut notes);
    let (findings, broken) = findings::of(&notes.facts, &rungs);
    notes.flag("probe.healthy", shared.present && !broken);
    let looked_in = if shared.present { Vec::new() } else { shared.loader.places() };
    Outcome { level: level.word().to_owned(), facts: notes.facts, findings, rungs, looked_in, taken }
}

/// What all parts of a probe use.
struct Shared {
    options: Options,
    loader: Loader,
    places: Places,
    present: bool,
    executable: PathBuf,
}

impl Shared {
    fn new(options: Options) -> Self {
        let loader = Loader::new(&options.root, &options.environment);
        let places = Places::find(&loader);
        let present = places.any() || devices::any_trace(&options.root);
        let executable = options.executable.clone().or_else(|| std::env::current_exe().ok()).unwrap_or_default();
        Self { options, loader, places, present, executable }
    }

    fn settings(&self) -> step::Settings {
        // A bare name where the loader finds the file itself, so that what is loaded is what a program would load.
        let load = |found: &Option<loader::Found>| {
            found.as_ref().filter(|found| found.by == By::Nothing).map(|found| found.path.clone())
        };
        step::Settings {
            root: self.options.root.clone(),
            cuda: load(&self.places.cuda),
            nvml: load(&self.places.nvml),
            alive: self.options.patience.as_secs() + 10,
            seconds: 0,
            ..step::Settings::default()
        }
    }
}

/// Where the two libraries of the driver lie.
struct Places {
    cuda: Option<loader::Found>,
    nvml: Option<loader::Found>,
}

impl Places {
    fn find(loader: &Loader) -> Self {
        let [cuda, nvml] = DRIVER;
        Self { cuda: loader.find(cuda), nvml: loader.find(nvml) }
    }

    fn any(&self) -> bool {
        self.cuda.is_some() || self.nvml.is_some()
    }

    fn write(&self, notes: &mut Notes) {
        for (found, name, by) in [
            (&self.cuda, "driver.library", "driver.library_by"),
            (&self.nvml, "driver.nvml_library", "driver.nvml_library_by"),
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
        let version = self.cuda.as_ref().and_then(|found| {
            let real = std::fs::canonicalize(&found.path).ok()?;
            let version = real.file_name()?.to_str()?.split_once(".so.")?.1.to_owned();
            version.contains('.').then_some(version)
        });
        match version {
            Some(version) => notes.text("driver.library_version", version),
            None => notes.set_unknown("driver.library_version", "the name of libcuda tells no version"),
        }
    }
}

/// Climbs the ladder on every device that a program sees, all devices at once.
fn functional(level: Level, shared: &Shared, chosen: &Chosen, waking: Duration, notes: &mut Notes) -> Vec<Rung> {
    if !shared.present {
        return Vec::new();
    }
    if notes.facts.text("driver.init") == Some("timed out") {
        return ladder::hung(0, notes.facts.text("driver.init_says").unwrap_or("cuInit hangs"));
    }
    let mut environment = shared.options.environment.clone();
    let name = OsString::from("LD_LIBRARY_PATH");
    let old = environment.get(&name).cloned().unwrap_or_default();
    let folders = chosen.folders.iter().cloned().chain(std::env::split_paths(&old));
    if let Ok(joined) = std::env::join_paths(folders.filter(|folder| !folder.as_os_str().is_empty())) {
        environment.insert(name, joined);
    }
    // Where initialising failed the ladder still starts on device 0: its first rung tells the story.
    #[expect(clippy::cast_possible_truncation, reason = "a count of devices")]
    let count = notes.facts.number("cuda.device_count").map_or(1, |count| count as i32).clamp(1, 64);
    let mut climbed: Vec<(Vec<Rung>, Notes)> = Vec::new();
    std::thread::scope(|scope| {
        let devices: Vec<_> = (0..count)
            .map(|device| {
                let settings = step::Settings {
                    device,
                    nvrtc: chosen.nvrtc.clone(),
                    cublas: chosen.cublas.clone(),
                    cudnn: chosen.cudnn.clone(),
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
                scope.spawn(move || ladder::climb(start, level, &settings))
            })
            .collect();
        climbed = devices.into_iter().filter_map(|device| device.join().ok()).collect();
    });
    let mut rungs = Vec::new();
    for (device_rungs, device_notes) in climbed {
        notes.facts.merge(&device_notes.facts);
        rungs.extend(device_rungs);
    }
    rungs
}
