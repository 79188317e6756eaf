//! Which build of a framework to install here, by which command, and which driver it needs: from kb/hardware/wheels.csv,
//! for the GPU, driver, Python, system and package manager that the facts show.
//!
//! Only where the page has a recipe that shows it. Where the vendor is known and the GPU is not, the commands are the one
//! that shows the GPU and a line for each build that may fit. Where the vendor is not known, nothing is
//! computed, and the recipe says how to find out. Where the GPU is known and the framework is not, the command is that for
//! PyTorch, and the answer says so.

mod bounds;
mod driver;
mod install;
mod jetson;
mod machine;
mod unknown;
mod why;

use pep440_rs::VersionSpecifiers;

use crate::book::Book;
use crate::book::page::FaultPage;
use crate::book::wheels::Wheel;
use crate::compatibility::{self, branch};
use crate::facts::{Facts, Source, Value};
use crate::text::Transcript;
use crate::vendors::{self, Relatives, Vendor};

/// Adds `wheel.*`, `driver.needed`, `driver.last_branch`, `driver.why` and `driver.command`.
pub(super) fn add(page: &FaultPage, transcript: &Transcript, book: &Book, facts: &mut Facts) {
    let fixes = || page.causes.iter().flat_map(|cause| &cause.fixes);
    if !fixes().any(|fix| fix.computed.is_some()) {
        return;
    }
    let Some(machine) = Machine::of(transcript, book, facts) else { return };
    let mut found: Vec<(&str, String)> = Vec::new();
    if machine.is_nvidia() && machine.system != JETSON {
        found.extend(machine.driver_facts(facts.text("build.cuda")));
    }
    found.extend(machine.wheel_facts(book).into_iter().map(|(name, value)| (name, machine.qualified(name, value))));
    let bound = fixes().find_map(|fix| fix.scope.version.as_deref());
    found.extend(bound.and_then(|bound| machine.bounded(bound, book)));
    for (name, value) in found {
        facts.add(name, Value::Text(value), Source::Catalogue, None);
    }
}

const JETSON: &str = "jetson";
/// Where AMD describes its wheels for Windows.
const AMD_ON_WINDOWS: &str =
    "https://rocm.docs.amd.com/projects/radeon-ryzen/en/latest/docs/install/installrad/windows/install-pytorch.html";

/// What the build must fit.
#[derive(Debug, Default, Clone)]
struct Machine {
    /// "pytorch"; `None` where there is none whose build can be replaced.
    framework: Option<&'static str>,
    /// Whether nothing shows the framework, and the most frequent one is taken.
    assumed: bool,
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
    /// Whether the processor is an ARM one; a Jetson is known by its system.
    arm: bool,
    /// The major version of a Jetson's JetPack.
    jetpack: Option<u32>,
    /// Where the run is: "wsl2", "slurm".
    platform: Option<String>,
    /// Whether the text names a system with other packages than Ubuntu's.
    is_not_ubuntu: bool,
    /// "data-centre", "consumer".
    class: Option<String>,
    /// The releases among which to choose.
    bound: Option<VersionSpecifiers>,
}

/// Where TensorFlow's GPU support ended: tensorflow.org/install/pip, "Windows Native".
const TENSORFLOW_ON_WINDOWS: &str = "Since release 2.11, TensorFlow uses no GPU on Windows itself: install it in WSL2.";

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

    /// What the answer says first where it took a framework for granted.
    fn qualified(&self, fact: &str, value: String) -> String {
        if self.assumed && matches!(fact, "wheel.why" | "wheel.none") {
            format!("If this is PyTorch: {value}")
        } else {
            value
        }
    }

    fn wheel_facts(&self, book: &Book) -> Vec<(&'static str, String)> {
        let Some(framework) = self.framework else { return Vec::new() };
        let mut wheels = self.wheels(framework, book);
        if self.system == JETSON {
            match self.of_jetson(&wheels) {
                Some(left) => wheels = left,
                None => return self.unknown_jetpack(&wheels),
            }
        }
        if let Some(none) = self.none(&wheels) {
            return vec![("wheel.none", none)];
        }
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
            let line = self.command(with_older).pop()?;
            let tool = &self.vendor().management.tool;
            Some(format!("# with a driver older than {needed} (see {tool}): {line}"))
        };
        let mut command = self.command(chosen);
        if self.is_nvidia() && self.driver_runs(&chosen.cuda).is_none() {
            command.extend(otherwise());
        }
        let mut found = vec![
            ("wheel.index", chosen.index.clone()),
            ("wheel.why", self.why(chosen, newer.copied())),
            ("wheel.command", command.join("\n")),
        ];
        if !chosen.is_of_conda() && self.container.is_none() {
            found.extend(self.install(chosen, true).pop().map(|line| ("wheel.pinned", line)));
            let new =
                self.install(chosen, false).pop().filter(|_| self.manager == Manager::Pip && self.system != "windows");
            found.extend(new.map(|line| ("wheel.install", line)));
        }
        found
    }

    /// The builds of this vendor for this system and package manager; pip's where conda has none, and conda's where pip has
    /// none for the GPU. Where a Jetson's JetPack is not known, those of all.
    fn wheels<'b>(&self, framework: &'static str, book: &'b Book) -> Vec<&'b Wheel> {
        let fits =
            |wheel: &&Wheel| self.exists_here(wheel) && wheel.cuda.is_empty() == self.amd && self.has_release(wheel);
        let all: Vec<&Wheel> = book.wheels.of(framework).filter(fits).collect();
        if self.system == JETSON && self.jetpack.is_none() {
            return all;
        }
        let any = |of_conda: bool| all.iter().any(|wheel| wheel.is_of_conda() == of_conda && self.has_code(wheel));
        let of_conda = any(true) && (self.manager == Manager::Conda || self.gpu.is_some() && !any(false));
        all.into_iter().filter(|wheel| wheel.is_of_conda() == of_conda).collect()
    }

    /// Whether a build exists for this system and processor.
    fn exists_here(&self, wheel: &Wheel) -> bool {
        match (self.system, self.jetpack) {
            (JETSON, Some(major)) => wheel.jetpack() == Some(major),
            (JETSON, None) => wheel.jetpack().is_some(),
            (system, _) => wheel.exists_on(system) && wheel.targets(self.arm).next().is_some(),
        }
    }

    /// Why there is nothing to install, where no build has code for the GPU.
    fn none(&self, wheels: &[&Wheel]) -> Option<String> {
        if self.amd && self.system == "windows" && self.framework == Some("pytorch") {
            if let Some(gpu) = self.gpu.as_deref().filter(|gpu| !gpu.starts_with("gfx11") && !gpu.starts_with("gfx12"))
            {
                return Some(format!(
                    "AMD's wheels for Windows have code for the RX 7000 and 9000 and their relatives, not for {gpu}: use Linux."
                ));
            }
            return Some(format!(
                "PyTorch's index has no ROCm wheel for Windows: install AMD's own wheels as {AMD_ON_WINDOWS} describes, or use Linux."
            ));
        }
        if self.system == "windows" && self.framework == Some("tensorflow") {
            return Some(TENSORFLOW_ON_WINDOWS.to_owned());
        }
        let known = self.gpu.is_some() && (self.is_nvidia() || self.system == "linux");
        if self.bound.is_some() || !known || wheels.iter().any(|wheel| self.has_code(wheel)) {
            return None;
        }
        let gpu = self.gpu_in_words();
        Some(match self.system {
            JETSON => self.none_for_jetson(),
            _ if self.arm => {
                format!(
                    "No wheel that we know has code for {gpu} on ARM: build the framework from source, or use another GPU."
                )
            }
            _ => format!(
                "No wheel that we know has code for {gpu}: build the framework from source, or use another GPU."
            ),
        })
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
        self.gpu.as_deref().is_none_or(|gpu| wheel.has_code_for(gpu, self.arm)) || self.borrowed(wheel).is_some()
    }

    /// The GPU whose code in this build the one here can run, which has none of its own there.
    fn borrowed(&self, wheel: &Wheel) -> Option<&'static Relatives> {
        let gpu = self.gpu.as_ref()?;
        let relatives = self.vendor().relatives.iter().find(|relatives| relatives.targets.contains(gpu))?;
        let is_needed = !wheel.has_code_for(gpu, self.arm) && wheel.has_code_for(&relatives.run, self.arm);
        is_needed.then_some(relatives)
    }

    /// An image brings its own Python.
    fn has_python(&self, wheel: &Wheel) -> bool {
        self.image(wheel).is_some() || self.python.as_deref().is_none_or(|python| wheel.runs_on(python))
    }

    /// The image with that build, where the run is in a container.
    fn image<'b>(&self, wheel: &'b Wheel) -> Option<&'b str> {
        let image = self.container.filter(|_| !self.arm).map(|_| wheel.image.as_str());
        image.filter(|image| !image.is_empty())
    }

    fn last_branch(&self) -> Option<u32> {
        self.gpu.as_deref().filter(|_| self.is_nvidia()).and_then(compatibility::last_driver)
    }
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
