//! The live check of the machine: which facts would confirm or refute a cause, asked without harm.
//!
//! The quick level only reads. The functional level does what a training job does, rung by rung, in child processes
//! with deadlines; the stress level adds minutes of memory and arithmetic checks. It never fails: what cannot be known
//! is a fact with its reason. Nothing of NVIDIA's is linked, so that the program starts and answers without it.

mod child;
mod devices;
mod environment;
mod findings;
mod kernel_log;
mod ladder;
mod libraries;
mod loader;
mod native;
mod note;
mod nvml;
mod python;
mod question;
mod reference;
mod relate;
mod rungs;
mod save;
mod step;
mod system;
mod watch;
mod wheel;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant, SystemTime};

use crate::diagnosis::ProbeSummary;
use crate::facts::Facts;
use child::End;
use ladder::Start;
use libraries::Chosen;
use loader::{By, Loader};
use note::Notes;

pub use relate::relate;
pub use save::{Error, SCHEMA, load, save, to_json};
pub use step::answer as answer_step;
pub use watch::{Sample, Watch};

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
    /// The whole time of the quick level; `None` waits for each answer as long as `deadline`.
    pub budget: Option<Duration>,
    /// The longest time to wait for one answer of a driver.
    pub deadline: Duration,
    /// Seconds for each rung of the stress level.
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
            deadline: Duration::from_secs(20),
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
    /// The level's word.
    pub level: String,
    /// Everything measured, and why the rest could not be.
    pub facts: Facts,
    /// What a person should know, one sentence each, the gravest first.
    pub findings: Vec<String>,
    /// The rungs of the ladder in the order climbed; empty at the quick level.
    pub rungs: Vec<Rung>,
    /// Where a driver was looked for.
    pub looked_in: Vec<String>,
    /// When.
    pub taken: SystemTime,
}

impl Outcome {
    /// Whether an NVIDIA driver is there at all, working or not.
    pub fn has_driver(&self) -> bool {
        self.facts.get("driver.present").is_some_and(|fact| fact.value == crate::facts::Value::Bool(true))
    }

    /// Whether a driver answers and nothing is broken.
    pub fn is_healthy(&self) -> bool {
        self.facts.get("probe.healthy").is_some_and(|fact| fact.value == crate::facts::Value::Bool(true))
    }

    /// The part of it that a diagnosis shows.
    pub fn summary(&self) -> ProbeSummary {
        ProbeSummary { level: self.level.clone(), findings: self.findings.clone() }
    }
}

/// One rung of the ladder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rung {
    /// `context`, `copy`, `gemm_fp16` and so on.
    pub name: String,
    /// CUDA's number of the device.
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

/// How a rung went.
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
    /// Not tried: a rung below it broke.
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

    /// The rung's ending of that word; anything else was not reached.
    pub fn of(word: &str) -> Self {
        Self::ALL.into_iter().find(|one| one.word() == word).unwrap_or(Word::NotReached)
    }

    /// Whether one can stand on it.
    pub fn holds(self) -> bool {
        matches!(self, Word::Ok | Word::Skipped)
    }
}

/// The longest time that the quick level waits for one answer: a driver without persistence mode wakes its devices
/// first, one after the other.
const PATIENCE: Duration = Duration::from_secs(10);

/// Whether this machine shows any trace of an NVIDIA driver: cheap enough to ask before anything else.
pub fn driver_here(options: &Options) -> bool {
    let loader = Loader::new(&options.root, &options.environment);
    devices::any_trace(&options.root) || Places::find(&loader).any()
}

/// Asks the machine.
pub fn run(level: Level, options: &Options) -> Outcome {
    let taken = SystemTime::now();
    let shared = Arc::new(Shared::new(options.clone()));
    let (mut notes, chosen) = quick(&shared);
    let mut rungs = Vec::new();
    if level > Level::Quick {
        rungs = functional(level, &shared, &chosen, &mut notes);
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
            alive: self.options.deadline.as_secs() + 10,
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
        Self { cuda: loader.find("libcuda.so.1"), nvml: loader.find("libnvidia-ml.so.1") }
    }

    fn any(&self) -> bool {
        self.cuda.is_some() || self.nvml.is_some()
    }

    fn write(&self, notes: &mut Notes) {
        for (found, name) in [(&self.cuda, "driver.library"), (&self.nvml, "driver.nvml_library")] {
            match found {
                Some(found) => {
                    notes.text(name, found.path.display().to_string());
                    notes.text(format!("{name}_by"), found.by.word());
                }
                None => notes.cannot_tell(name, "not found where the loader looks"),
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
            None => notes.cannot_tell("driver.library_version", "the name of libcuda tells no version"),
        }
    }
}

/// A part of the quick level, as it arrives.
enum Part {
    Machine(Notes),
    Software(Notes, Chosen),
    Nvml(Notes, End),
    Init(Notes, End),
}

/// Reads everything at once, each part in a thread of its own, until all is there or the budget is spent.
fn quick(shared: &Arc<Shared>) -> (Notes, Chosen) {
    type Work = fn(&Shared) -> Part;
    let until = shared.options.budget.map(|budget| Instant::now() + budget);
    let (sender, receiver) = channel();
    let start = |work: Work| {
        let (sender, shared) = (sender.clone(), Arc::clone(shared));
        std::thread::spawn(move || {
            // Nobody listens any more when the budget is spent.
            let _ = sender.send(work(&shared));
        });
    };
    let mut notes = Notes::default();
    let mut open = vec![("machine", machine as Work), ("software", software)];
    notes.flag("driver.present", shared.present);
    if shared.present {
        shared.places.write(&mut notes);
        open.extend([("nvml", ask_nvml as Work), ("init", ask_init)]);
    } else {
        no_driver(&mut notes);
    }
    for (_, work) in &open {
        start(*work);
    }
    let mut open: Vec<&str> = open.into_iter().map(|(name, _)| name).collect();
    drop(sender);
    let mut chosen = Chosen::default();
    while !open.is_empty() {
        let part = match until {
            Some(until) => receiver.recv_timeout(until.saturating_duration_since(Instant::now())).ok(),
            None => receiver.recv().ok(),
        };
        let Some(part) = part else { break };
        let (name, part_notes) = match part {
            Part::Machine(notes) => ("machine", notes),
            Part::Software(notes, found) => {
                chosen = found;
                ("software", notes)
            }
            Part::Nvml(mut notes, end) => {
                nvml_end(&end, &mut notes);
                ("nvml", notes)
            }
            Part::Init(mut notes, end) => {
                init_end(&end, &mut notes);
                ("init", notes)
            }
        };
        open.retain(|other| *other != name);
        notes.facts.merge(&part_notes.facts);
    }
    for late in open {
        too_late(late, shared.options.budget.unwrap_or_default(), &mut notes);
    }
    (notes, chosen)
}

fn machine(shared: &Shared) -> Part {
    let mut notes = Notes::default();
    environment::read(&shared.options.environment, &mut notes);
    system::read(&shared.options.root, &mut notes);
    devices::read(&shared.options.root, &mut notes);
    kernel_log::read(&shared.options.root, &mut notes);
    Part::Machine(notes)
}

fn software(shared: &Shared) -> Part {
    let options = &shared.options;
    let mut notes = Notes::default();
    let question = python::Question {
        root: &options.root,
        project: &options.project,
        asked: options.python.as_deref(),
        environment: &options.environment,
    };
    let python = python::read(&question, &mut notes);
    let conda = options.environment.get(&OsString::from("CONDA_PREFIX")).map(PathBuf::from);
    let chosen = libraries::read(&options.root, &shared.loader, &python, conda.as_deref(), &mut notes);
    Part::Software(notes, chosen)
}

fn ask_nvml(shared: &Shared) -> Part {
    let (notes, end) = ladder::ask(start(shared, &shared.options.environment), step::NVML, &shared.settings());
    Part::Nvml(notes, end)
}

fn ask_init(shared: &Shared) -> Part {
    let (notes, end) = ladder::ask(start(shared, &shared.options.environment), step::INIT, &shared.settings());
    Part::Init(notes, end)
}

fn start<'a>(shared: &'a Shared, environment: &'a BTreeMap<OsString, OsString>) -> Start<'a> {
    let options = &shared.options;
    let deadline = options.budget.unwrap_or(PATIENCE).min(options.deadline);
    Start { executable: &shared.executable, environment, deadline }
}

fn no_driver(notes: &mut Notes) {
    let why = "no NVIDIA driver on this machine";
    for name in [
        "driver.version",
        "driver.cuda",
        "driver.init",
        "gpu.count",
        "gpu.name",
        "gpu.compute_capability",
        "gpu.arch",
        "gpu.memory.total",
        "gpu.memory.free",
        "gpu.memory.used",
        "gpu.ecc.uncorrected",
        "gpu.temperature",
        "gpu.mig",
        "gpu.compute_mode",
    ] {
        notes.cannot_tell(name, why);
    }
}

fn nvml_end(end: &End, notes: &mut Notes) {
    if *end == End::Done {
        return;
    }
    let word = match end {
        End::TimedOut(_) => "timed out",
        End::NotStarted(_) => "not started",
        _ => "crashed",
    };
    notes.text("nvml.error", word);
    notes.text("nvml.says", format!("NVML {}", end.says()));
    for name in ["gpu.count", "gpu.name", "gpu.memory.free", "gpu.ecc.uncorrected", "driver.version"] {
        notes.cannot_tell(name, format!("NVML {}", end.says()));
    }
}

fn init_end(end: &End, notes: &mut Notes) {
    let word = match end {
        End::Done => return,
        End::TimedOut(_) => "timed out",
        End::NotStarted(_) => {
            notes.cannot_tell("driver.init", format!("the step {}", end.says()));
            return;
        }
        _ => "crashed",
    };
    notes.text("driver.init", word);
    notes.text("driver.init_says", format!("cuInit {}", end.says()));
}

/// What a part would have told that did not arrive within the budget.
fn too_late(part: &str, budget: Duration, notes: &mut Notes) {
    let names: &[&str] = match part {
        "machine" => &["os.wsl", "os.container", "host.memory.available", "host.shm.free", "kernel.xid.count"],
        "software" => &["torch.version", "torch.cuda", "torch.arch_list", "python.version", "cudnn.version"],
        "nvml" => &["gpu.name", "gpu.memory.free", "gpu.ecc.uncorrected", "driver.version"],
        _ => &["driver.init"],
    };
    for name in names {
        let why = format!("no answer within {} ms; `faultbook probe` waits longer", budget.as_millis());
        notes.cannot_tell(*name, why);
    }
}

/// Climbs the ladder on every device that a program sees, all devices at once.
fn functional(level: Level, shared: &Shared, chosen: &Chosen, notes: &mut Notes) -> Vec<Rung> {
    if !shared.present {
        return Vec::new();
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
                    deadline: shared.options.deadline,
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
