//! What a build must fit, as far as the text and the facts show it.

use super::{JETSON, Machine, Manager};
use crate::book::Book;
use crate::book::hardware::Gpu;
use crate::facts::Facts;
use crate::text::Transcript;
use crate::vendors;
use crate::wording::{self, PlatformKind};

impl Machine {
    /// `None` where no build with GPU support exists.
    pub(super) fn of(transcript: &Transcript, book: &Book, facts: &Facts) -> Option<Self> {
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
        let manager = manager(transcript, facts);
        // The path /opt/conda of an image is no sign that somebody installs with conda.
        let installs =
            facts.text("run.package_manager").is_some_and(|name| name != "conda" || manager == Manager::Conda);
        Some(Self {
            framework: facts.text("run.framework").and_then(|name| replaceable(name, book)),
            manager,
            system,
            container: match platform {
                _ if system == JETSON => None,
                Some("docker" | "container") if !installs => Some("docker"),
                Some("kubernetes") if !installs => Some("kubernetes"),
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
            arm: system == "linux" && has_arm(transcript, gpu),
        })
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

/// Whether the processor is an ARM one: the GPU comes with it (GH200), or a line names it.
fn has_arm(transcript: &Transcript, gpu: Option<&Gpu>) -> bool {
    const ARM: &[&str] = &["aarch64", "arm64", "graviton", "grace hopper", "grace blackwell", "dgx spark"];
    const OTHERS: &[&str] = &["x86_64", "amd64"];
    let names = |words: &[&str]| {
        transcript.lines().any(|line| {
            let lower = line.text.to_ascii_lowercase();
            words.iter().any(|word| lower.contains(word))
        })
    };
    gpu.is_some_and(|gpu| gpu.host == "aarch64") || names(ARM) && !names(OTHERS)
}
