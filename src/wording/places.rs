//! Where and with what runs happen (`platforms.toml`), as `build.rs`, which includes this file by path, packs it.

use serde::{Deserialize, Serialize};

use crate::literals::Literals;

/// `platforms.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Platforms<S> {
    /// Words before a name that deny it.
    pub denials: Vec<S>,
    /// Words with which a clause only supposes a name.
    pub suppositions: Vec<S>,
    /// Words that may stand between a denial and the name.
    pub fillers: Vec<S>,
    /// Operating systems, containers, schedulers, hosted notebooks.
    pub system: Vec<Platform<S>>,
    /// Makers of GPUs.
    pub vendor: Vec<Platform<S>>,
    /// Frameworks and engines.
    pub framework: Vec<Platform<S>>,
    /// What starts the processes.
    pub launcher: Vec<Platform<S>>,
    /// What installs packages.
    pub package_manager: Vec<Platform<S>>,
}

/// One system, vendor, framework, launcher or package manager.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "S: Deserialize<'de>"))]
pub struct Platform<S> {
    /// As facts, `only` and `not` have it.
    pub name: S,
    /// Words that show it in a text.
    #[serde(default = "Vec::new")]
    pub traces: Vec<S>,
    /// Those of them that programs print on what excludes it as well: they count only where nothing else is shown.
    #[serde(default = "Vec::new")]
    pub weak: Vec<S>,
    /// Facts that show it: `os.windows`, `os.container_kind=docker`.
    #[serde(default = "Vec::new")]
    pub facts: Vec<S>,
    /// Of a maker of GPUs that no code asks: the number of its PCI devices as sysfs writes it.
    #[serde(default)]
    pub pci: Option<S>,
    /// Tools of the system that tell of its GPUs, the best first.
    #[serde(default = "Vec::new")]
    pub tools: Vec<Tool<S>>,
    /// Words of the comments that label its commands.
    #[serde(default = "Vec::new")]
    pub labels: Vec<S>,
    /// Words that show that a command is its own.
    #[serde(default = "Vec::new")]
    pub code: Vec<S>,
    /// What else is then there.
    #[serde(default = "Vec::new")]
    pub implies: Vec<S>,
    /// Whether it is released for one build of what it implies, which nobody replaces alone.
    #[serde(default)]
    pub pins: bool,
    /// What cannot be there as well.
    #[serde(default = "Vec::new")]
    pub excludes: Vec<S>,
    /// Programs that do not exist there.
    #[serde(default = "Vec::new")]
    pub absent: Vec<S>,
    /// Other words of commands that cannot work there.
    #[serde(default = "Vec::new")]
    pub never: Vec<S>,
    /// How variables are set there.
    #[serde(default)]
    pub shell: Option<Shell>,
    /// The recipe without which nothing else helps there.
    #[serde(default)]
    pub first: Option<First<S>>,
}

/// How environment variables are set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shell {
    /// `$env:NAME = "value"`.
    Powershell,
    /// `%env NAME=value` in a cell.
    Notebook,
}

/// A program that tells of GPUs, and where in its output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "S: Deserialize<'de>"))]
pub struct Tool<S> {
    /// The program and its arguments.
    pub command: Vec<S>,
    /// A regex with one group: the name of a GPU, for each.
    #[serde(default)]
    pub gpu: Option<S>,
    /// The same for the memory of the machine in bytes.
    #[serde(default)]
    pub memory: Option<S>,
}

/// A recipe that comes before all others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct First<S> {
    /// Its id.
    pub recipe: S,
    /// The areas of the faults that it is for.
    pub areas: Vec<S>,
}

/// What finds the words of all platforms, each list in their order.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PlatformWords<'a> {
    #[serde(borrow)]
    pub(crate) traces: Literals<'a>,
    #[serde(borrow)]
    pub(crate) labels: Literals<'a>,
    #[serde(borrow)]
    pub(crate) code: Literals<'a>,
    #[serde(borrow)]
    pub(crate) never: Literals<'a>,
}

#[allow(dead_code, reason = "only a build asks")]
impl PlatformWords<'static> {
    pub(crate) fn of<S: AsRef<str>>(platforms: &Platforms<S>) -> Self {
        let finder = |words: fn(&Platform<S>) -> &[S]| {
            let words = platforms.all().flat_map(|(_, platform)| words(platform));
            Literals::ignoring_case(words.map(|word| literal(word.as_ref())))
        };
        Self {
            traces: finder(|platform| &platform.traces),
            labels: finder(|platform| &platform.labels),
            code: finder(|platform| &platform.code),
            never: finder(|platform| &platform.never),
        }
    }
}

/// The word without the mark that it may continue.
pub(crate) fn literal(word: &str) -> &str {
    word.strip_suffix('*').unwrap_or(word)
}

impl<S> Platforms<S> {
    /// All of them, each with the group that it is in.
    pub fn all(&self) -> impl Iterator<Item = (PlatformKind, &Platform<S>)> {
        let groups = [
            (PlatformKind::System, &self.system),
            (PlatformKind::Vendor, &self.vendor),
            (PlatformKind::Framework, &self.framework),
            (PlatformKind::Launcher, &self.launcher),
            (PlatformKind::PackageManager, &self.package_manager),
        ];
        groups.into_iter().flat_map(|(kind, platforms)| platforms.iter().map(move |platform| (kind, platform)))
    }
}

/// The groups of `platforms.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlatformKind {
    /// Operating systems, containers, schedulers, hosted notebooks.
    System,
    /// Makers of GPUs.
    Vendor,
    /// Frameworks and engines.
    Framework,
    /// What starts the processes.
    Launcher,
    /// What installs packages.
    PackageManager,
}
