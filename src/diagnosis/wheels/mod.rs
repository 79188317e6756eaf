//! Which build of a framework to install here, by which command, and which driver it needs: from kb/hardware/wheels.csv,
//! for the GPU, driver, Python, system and package manager that the facts show.
//!
//! Only where the page has a recipe that shows it. Where the vendor is known and the GPU is not, the commands are the one
//! that shows the GPU and a line for each build that may fit. Where the vendor or the framework is not known, nothing is
//! computed, and the recipe says how to find out.

mod install;
mod unknown;

use crate::book::Book;
use crate::book::page::FaultPage;
use crate::book::wheels::Wheel;
use crate::compatibility::{self, branch};
use crate::facts::{Facts, Source, Value};
use crate::text::Transcript;
use crate::vendors::{self, Vendor};
use crate::wording::{self, PlatformKind};

/// Adds `wheel.*`, `driver.needed`, `driver.last_branch` and `driver.why`.
pub(super) fn add(page: &FaultPage, transcript: &Transcript, book: &Book, facts: &mut Facts) {
    if !page.causes.iter().flat_map(|cause| &cause.fixes).any(|fix| fix.computed.is_some()) {
        return;
    }
    let Some(machine) = Machine::of(transcript, book, facts) else { return };
    let mut found: Vec<(&str, String)> = Vec::new();
    if machine.is_nvidia() && machine.system != JETSON {
        found.extend(machine.driver_facts(facts.text("build.cuda")));
    }
    found.extend(machine.wheel_facts(book));
    for (name, value) in found {
        facts.add(name, Value::Text(value), Source::Catalogue, None);
    }
}

const JETSON: &str = "jetson";

/// What the build must fit.
#[derive(Debug, Default, Clone)]
struct Machine {
    /// "pytorch"; `None` where there is none whose build can be replaced.
    framework: Option<&'static str>,
    manager: Manager,
    /// "linux", "windows", "jetson".
    system: &'static str,
    /// "docker", "kubernetes".
    container: Option<&'static str>,
    /// "8.6" or "gfx1100".
    gpu: Option<String>,
    /// "the RTX 3060".
    name: Option<String>,
    amd: bool,
    /// Whether the text shows the vendor; NVIDIA's is assumed otherwise.
    vendor_shown: bool,
    driver: Option<String>,
    /// The CUDA that the driver supports.
    driver_cuda: Option<String>,
    python: Option<String>,
}

/// A build with code for the GPU.
struct Candidate<'b> {
    wheel: &'b Wheel,
    /// Whether it exists for the Python.
    has_python: bool,
    /// The oldest branch of drivers for it.
    needed: Option<u32>,
}

/// What installs packages.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Manager {
    #[default]
    Pip,
    Uv,
    /// uv with a project: what is installed beside it is undone by the next `uv run`.
    UvProject,
    Poetry,
    Conda,
}

impl Machine {
    /// `None` where no build with GPU support exists.
    fn of(transcript: &Transcript, book: &Book, facts: &Facts) -> Option<Self> {
        let platform = facts.text("run.platform");
        let gpu = facts.text("gpu.name").and_then(|name| book.hardware.gpu(name));
        let vendor = facts.text("gpu.vendor");
        if !matches!(vendor, None | Some("nvidia" | "amd")) {
            return None;
        }
        let amd = vendor == Some("amd");
        // A board is the GPU, also for the containers on it.
        let on_board = |name: &str| book.hardware.gpu(name).filter(|gpu| gpu.class == "embedded");
        let names_board = || gpu.is_none() && transcript.lines().any(|line| on_board(line.text).is_some());
        let system = match platform {
            Some("macos" | "wsl1") => return None,
            Some("windows") => "windows",
            Some(JETSON) => JETSON,
            _ if gpu.is_some_and(|gpu| gpu.class == "embedded") => JETSON,
            Some("docker" | "container") if names_board() => JETSON,
            _ => "linux",
        };
        let owned = |name: &str| facts.text(name).map(str::to_owned);
        let board =
            gpu.or_else(|| (system == JETSON).then(|| transcript.lines().find_map(|line| on_board(line.text)))?);
        let board = board.filter(|_| system == JETSON);
        let named = facts.text("gpu.name").or(board.map(|board| board.name.as_str()));
        let named = named.map(|name| format!("the {}", vendors::model(name)));
        Some(Self {
            framework: facts.text("run.framework").and_then(|name| replaceable(name, book)),
            manager: manager(transcript, facts),
            system,
            container: match platform {
                _ if system == JETSON => None,
                Some("docker" | "container") if facts.text("run.package_manager").is_none() => Some("docker"),
                Some("kubernetes") if facts.text("run.package_manager").is_none() => Some("kubernetes"),
                _ => None,
            },
            gpu: match board {
                _ if amd => gfx(transcript),
                Some(board) => Some(board.compute_capability.clone()),
                None => owned("gpu.compute_capability"),
            },
            name: named,
            amd,
            vendor_shown: vendor.is_some(),
            driver: owned("driver.version").filter(|_| !amd),
            driver_cuda: owned("driver.cuda").filter(|_| !amd),
            python: owned("python.version"),
        })
    }

    fn is_nvidia(&self) -> bool {
        !self.amd
    }

    fn vendor(&self) -> &'static Vendor {
        vendors::by_id(if self.amd { "amd" } else { "nvidia" }).expect("kb/vendors has both")
    }

    fn driver_branch(&self) -> Option<u32> {
        self.driver.as_deref().and_then(branch)
    }

    /// "the RTX 5090 (sm_120)".
    fn gpu_in_words(&self) -> String {
        let arch = match &self.gpu {
            Some(gpu) if gpu.starts_with("gfx") => gpu.clone(),
            Some(gpu) => format!("sm_{}", gpu.replace('.', "")),
            None => return self.name.clone().unwrap_or_else(|| "this GPU".to_owned()),
        };
        match &self.name {
            Some(name) if name.contains(&arch) => name.clone(),
            Some(name) => format!("{name} ({arch})"),
            None => format!("this GPU ({arch})"),
        }
    }

    fn first_cuda(&self) -> Option<String> {
        self.gpu.as_deref().and_then(compatibility::first_cuda)
    }

    /// The oldest branch of drivers for a build with that CUDA on this GPU.
    fn needed(&self, cuda: &str) -> Option<u32> {
        let floor = compatibility::driver_floor(cuda).and_then(branch);
        floor.max(self.gpu.as_deref().and_then(compatibility::first_driver))
    }

    /// Whether the driver runs a build with that CUDA; `None` where that is not known.
    fn driver_runs(&self, cuda: &str) -> Option<bool> {
        self.driver_runs_with(cuda, self.driver_branch(), || self.needed(cuda))
    }

    /// The same for a driver of that branch, and what `needed` says.
    fn driver_runs_with(&self, cuda: &str, driver: Option<u32>, needed: impl FnOnce() -> Option<u32>) -> Option<bool> {
        if self.amd || self.system == JETSON {
            return Some(true);
        }
        if let Some(driver) = driver {
            return needed().map(|needed| driver >= needed);
        }
        // A text that says which CUDA the driver supports: builds of the same major version run.
        let of_driver = self.driver_cuda.as_deref()?;
        let major = |version: &str| version.split('.').next().and_then(|major| major.parse::<u32>().ok());
        let known = self.gpu.as_deref().is_none_or(|gpu| compatibility::cuda_knows(of_driver, gpu));
        Some(known && major(of_driver) >= major(cuda))
    }

    fn wheel_facts(&self, book: &Book) -> Vec<(&'static str, String)> {
        let Some(framework) = self.framework else { return Vec::new() };
        let wheels = self.wheels(framework, book);
        let alone = self.gpu.is_none().then(|| self.decided_by_the_driver(&wheels));
        let Some(chosen) = alone.unwrap_or_else(|| self.choose(&wheels)) else {
            return if self.gpu.is_none() && self.vendor_shown { self.unknown_gpu(&wheels) } else { Vec::new() };
        };
        let newer = wheels.iter().take_while(|wheel| **wheel != chosen).find(|wheel| self.has_python(wheel));
        // Where the driver is not known, the build that runs with older ones as well.
        let otherwise = || {
            let needed = self.needed(&chosen.cuda)?;
            let with_older = wheels.iter().find(|wheel| {
                self.has_code(wheel)
                    && self.has_python(wheel)
                    && self.needed(&wheel.cuda).is_some_and(|driver| driver < needed)
            })?;
            let line = self.install(with_older, false).pop()?;
            let tool = &self.vendor().management.tool;
            Some(format!("# with a driver older than {needed} (see {tool}): {line}"))
        };
        let mut command = self.command(chosen);
        if self.is_nvidia() && self.driver_runs(&chosen.cuda).is_none() && self.container.is_none() {
            command.extend(otherwise());
        }
        let mut found = vec![
            ("wheel.index", chosen.index.clone()),
            ("wheel.why", self.why(chosen, newer.copied())),
            ("wheel.command", command.join("\n")),
        ];
        if !chosen.is_of_conda() && self.container.is_none() {
            found.extend(self.install(chosen, true).pop().map(|line| ("wheel.pinned", line)));
        }
        found
    }

    /// The builds of this vendor for this system and package manager; pip's where conda has none.
    fn wheels<'b>(&self, framework: &'static str, book: &'b Book) -> Vec<&'b Wheel> {
        let fits = |wheel: &&Wheel| wheel.exists_on(self.system) && wheel.cuda.is_empty() == self.amd;
        let all: Vec<&Wheel> = book.wheels.of(framework).filter(fits).collect();
        let of_conda = self.manager == Manager::Conda && all.iter().any(|wheel| wheel.is_of_conda());
        all.into_iter().filter(|wheel| wheel.is_of_conda() == of_conda).collect()
    }

    /// The first build with code for the GPU that runs with this Python and driver; else with another driver, else with
    /// another Python.
    fn choose<'b>(&self, wheels: &[&'b Wheel]) -> Option<&'b Wheel> {
        Some(self.choose_of(&self.with_code(wheels), self.driver_branch())?.wheel)
    }

    /// Those with code for the GPU.
    fn with_code<'b>(&self, wheels: &[&'b Wheel]) -> Vec<Candidate<'b>> {
        let with_code = wheels.iter().copied().filter(|wheel| self.has_code(wheel));
        let candidate = |wheel: &'b Wheel| Candidate {
            wheel,
            has_python: self.has_python(wheel),
            needed: self.needed(&wheel.cuda),
        };
        with_code.map(candidate).collect()
    }

    /// The one to choose with a driver of that branch.
    fn choose_of<'c, 'b>(&self, candidates: &'c [Candidate<'b>], driver: Option<u32>) -> Option<&'c Candidate<'b>> {
        let runs = |one: &&Candidate<'b>| self.runs(one, driver) != Some(false);
        let fits = candidates.iter().find(|one| one.has_python && runs(one));
        fits.or_else(|| candidates.iter().find(|one| one.has_python)).or_else(|| candidates.iter().find(runs))
    }

    /// Whether a driver of that branch runs it; `None` where that is not known.
    fn runs(&self, candidate: &Candidate<'_>, driver: Option<u32>) -> Option<bool> {
        self.driver_runs_with(&candidate.wheel.cuda, driver, || candidate.needed)
    }

    fn has_code(&self, wheel: &Wheel) -> bool {
        self.gpu.as_deref().is_none_or(|gpu| wheel.has_code_for(gpu))
    }

    fn has_python(&self, wheel: &Wheel) -> bool {
        self.python.as_deref().is_none_or(|python| wheel.runs_on(python))
    }

    /// Why this build, in one line. `newer` comes before it in the table and does not fit.
    fn why(&self, wheel: &Wheel, newer: Option<&Wheel>) -> String {
        let gpu = self.gpu_in_words();
        let mut says: Vec<String> = Vec::new();
        let last = self.last_branch();
        if let Some(last) = last.filter(|last| self.driver_branch() > Some(*last)) {
            says.push(format!("drivers after {last} do not support {gpu}: install driver {last} first"));
        }
        let needed = self.needed(&wheel.cuda);
        if let Some(needed) = needed.filter(|_| self.driver_runs(&wheel.cuda) == Some(false)) {
            let supports = self.driver_cuda.as_deref().unwrap_or("an older release");
            let first = self.first_cuda().filter(|first| older(supports, first));
            let needs = match first {
                Some(first) => format!("{gpu} needs CUDA {first} or later"),
                None => format!("a build for CUDA {} needs driver {needed}", wheel.cuda),
            };
            let driver =
                self.driver.as_ref().map_or_else(|| "the driver".to_owned(), |driver| format!("driver {driver}"));
            says.push(format!("{needs}, and {driver} supports CUDA {supports}: upgrade the driver to {needed} first"));
        }
        let index = wheel.name();
        let code = if self.gpu.is_some() { gpu } else { wheel.span() };
        let cuda = (!wheel.cuda.is_empty()).then(|| format!("CUDA {}", wheel.cuda));
        let version = (!wheel.version.is_empty()).then(|| format!("up to version {}", wheel.version));
        let of: Vec<String> = cuda.into_iter().chain(version).collect();
        let build = if of.is_empty() { String::new() } else { format!(" ({})", of.join(", ")) };
        let mut main = format!("`{index}`{build} has code for {code}");
        if let Some(needed) = needed.filter(|_| self.is_nvidia() && self.system != JETSON) {
            let range = last.map_or_else(|| format!("{needed} or newer"), |last| format!("{needed} to {last}"));
            main.push_str(&format!(" and runs with driver {range}"));
        }
        says.push(main);
        if let Some(python) = self.python.as_deref().filter(|python| !wheel.runs_on(python)) {
            let range = wheel.python();
            says.push(format!("it needs Python {range}, not {python}: make a new environment with that first"));
        }
        if let Some(newer) = newer {
            let without = self.gpu.as_deref().is_some_and(|gpu| !newer.has_code_for(gpu));
            match self.needed(&newer.cuda) {
                _ if without => says.push(format!("`{}` has no code for it", newer.name())),
                Some(needed) if newer.cuda != wheel.cuda => {
                    says.push(format!("`{}` needs driver {needed}", newer.name()));
                }
                _ => {}
            }
        }
        sentence(&says.join("; "))
    }

    fn last_branch(&self) -> Option<u32> {
        self.gpu.as_deref().filter(|_| self.is_nvidia()).and_then(compatibility::last_driver)
    }

    /// Which driver the installed build and the GPU need.
    fn driver_facts(&self, build: Option<&str>) -> Vec<(&'static str, String)> {
        let mut found = Vec::new();
        let last = self.last_branch();
        found.extend(last.map(|last| ("driver.last_branch", last.to_string())));
        let first = self.gpu.as_deref().and_then(compatibility::first_driver);
        let floor = build.and_then(compatibility::driver_floor).and_then(branch);
        let Some(needed) = floor.max(first) else { return found };
        found.push(("driver.needed", needed.to_string()));
        let gpu = self.gpu_in_words();
        let installed = match (&self.driver, self.driver_branch()) {
            (Some(driver), Some(branch)) if branch < needed => format!("; {driver} is installed"),
            (Some(_), _) => String::new(),
            _ => format!("; `{}` shows yours", self.vendor().management.tool),
        };
        let ends = last.map(|last| format!("; {last} is the last branch for {gpu}")).unwrap_or_default();
        let too_new = last.is_some_and(|last| self.driver_branch() > Some(last));
        let why = match build.filter(|_| floor >= first) {
            _ if too_new => format!("driver {} is too new for {gpu}{ends}", self.driver.as_deref().unwrap_or_default()),
            _ if installed.is_empty() => return found,
            Some(build) => {
                format!("the installed build uses CUDA {build} and needs driver {needed} or newer{installed}{ends}")
            }
            None => format!("{gpu} needs driver {needed} or newer{installed}{ends}"),
        };
        found.push(("driver.why", sentence(&why)));
        found
    }
}

/// The framework of the table whose build serves this one, if it can be replaced alone.
fn replaceable(name: &str, book: &Book) -> Option<&'static str> {
    let mut frameworks = wording::platforms().all().filter(|(kind, _)| *kind == PlatformKind::Framework);
    let (_, platform) = frameworks.find(|(_, platform)| platform.name == name)?;
    let has_rows = |name: &&str| book.wheels.of(name).next().is_some();
    let implied = platform.implies.iter().copied().filter(|_| !platform.pins);
    [platform.name].into_iter().chain(implied).find(has_rows)
}

/// What installs packages here. A path below miniconda3 is no sign that conda installed the framework.
fn manager(transcript: &Transcript, facts: &Facts) -> Manager {
    const CONDA: &[&str] = &["conda install", "mamba install", "conda-forge"];
    const PROJECT: &[&str] = &["uv add", "uv run", "uv sync", "uv.lock"];
    let names = |words: &[&str]| transcript.lines().any(|line| words.iter().any(|word| line.text.contains(word)));
    let by_pip = facts.text("torch.version").is_some_and(|version| version.contains('+'));
    match facts.text("run.package_manager") {
        Some("uv") if names(PROJECT) => Manager::UvProject,
        Some("uv") => Manager::Uv,
        Some("poetry") => Manager::Poetry,
        Some("conda") if !by_pip && names(CONDA) => Manager::Conda,
        _ => Manager::Pip,
    }
}

/// The first AMD target that a text names alone: "gfx90a", "gfx1100". Several in a line are what a build has
/// code for, and a comment says what a command is for.
fn gfx(transcript: &Transcript) -> Option<String> {
    transcript.lines().find_map(|line| {
        let text = line.text.split('#').next()?;
        let mut targets = text.match_indices("gfx").filter_map(|(at, _)| {
            let rest = text.get(at + 3..)?;
            let end = rest.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(rest.len());
            (3..=4).contains(&end).then(|| format!("gfx{}", &rest[..end]))
        });
        let first = targets.next()?;
        targets.all(|other| other == first).then_some(first)
    })
}

fn older(one: &str, other: &str) -> bool {
    compatibility::matches(one, &format!("<{other}"))
}

/// With a capital and a full stop.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", letters.as_str())
}
