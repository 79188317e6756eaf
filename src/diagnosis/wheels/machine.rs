//! What a build must fit, as far as the text and the facts show it.

use super::{JETSON, Machine, Manager};
use crate::book::Book;
use crate::book::hardware::Gpu;
use crate::diagnosis::words::occurs;
use crate::facts::Facts;
use crate::incident::contains_folded;
use crate::text::Transcript;
use crate::vendors;
use crate::wording::{self, PlatformKind};

/// The framework of a text that names a GPU and no framework, which the answer says.
const ASSUMED: &str = "pytorch";

impl Machine {
    /// `None` where no build with GPU support exists.
    pub(super) fn of(transcript: &Transcript, book: &Book, facts: &Facts) -> Option<Self> {
        let platform = facts.text("run.platform");
        let gpu = facts.text("gpu.name").and_then(|name| book.hardware.gpu(name));
        let generation = facts.text("gpu.name").and_then(|name| book.hardware.of_generation(name));
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
            _ if gpu.is_none() && !amd && is_of_boards(facts, book) => JETSON,
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
        let framework = facts.text("run.framework");
        let capability = match board {
            _ if amd => gfx(transcript),
            Some(board) => Some(board.compute_capability.clone()),
            None => owned("gpu.compute_capability"),
        };
        let assumed = framework.is_none() && capability.is_some();
        Some(Self {
            framework: framework.or(assumed.then_some(ASSUMED)).and_then(|name| replaceable(name, book)),
            assumed,
            manager,
            system,
            container: match platform {
                _ if system == JETSON => None,
                Some("docker" | "container") if !installs => Some("docker"),
                Some("kubernetes") if !installs => Some("kubernetes"),
                _ => None,
            },
            gpu: capability,
            name: named,
            amd,
            vendor_shown: vendor.is_some(),
            driver: owned("driver.version").filter(|_| !amd),
            driver_cuda: owned("driver.cuda").filter(|_| !amd),
            python: owned("python.version"),
            arm: system == "linux" && has_arm(transcript, gpu),
            jetpack: (system == JETSON).then(|| jetpack(transcript)).flatten(),
            platform: platform.map(str::to_owned),
            is_not_ubuntu: is_not_ubuntu(transcript),
            class: gpu.or(generation).map(|gpu| gpu.class.clone()),
            bound: None,
        })
    }
}

/// Whether only boards have the compute capability that the text shows: `sm_87`.
fn is_of_boards(facts: &Facts, book: &Book) -> bool {
    facts.text("gpu.compute_capability").is_some_and(|capability| {
        let mut having = book.hardware.gpus().iter().filter(|gpu| gpu.compute_capability == capability).peekable();
        having.peek().is_some() && having.all(|gpu| gpu.class == "embedded")
    })
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
    // A row of `conda list`: "pytorch  2.1.0  py3.10_cuda11.8_cudnn8.7.0_0  pytorch".
    let is_build = |word: &str| word.starts_with("py3.") && word.contains("_cuda");
    let listed_by_conda = || transcript.lines().any(|line| line.text.split_whitespace().any(is_build));
    match facts.text("run.package_manager") {
        None if listed_by_conda() => Manager::Conda,
        Some("uv") if names(PROJECT) => Manager::UvProject,
        Some("uv") => Manager::Uv,
        Some("poetry") => Manager::Poetry,
        Some("conda") if !by_pip && (names(CONDA) || listed_by_conda()) => Manager::Conda,
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
    let names =
        |words: &[&str]| transcript.lines().any(|line| words.iter().any(|word| contains_folded(line.text, word)));
    gpu.is_some_and(|gpu| gpu.host == "aarch64") || names(ARM) && !names(OTHERS)
}

/// Whether a line names a system whose package manager is not apt, or whose packages of the driver have other names than
/// Ubuntu's, and none names Ubuntu.
fn is_not_ubuntu(transcript: &Transcript) -> bool {
    const OTHERS: &[&str] = &[
        "centos",
        "rocky linux",
        "almalinux",
        "red hat",
        "rhel",
        "fedora",
        "debian",
        "arch linux",
        "manjaro",
        "opensuse",
        "sles",
        "amazon linux",
    ];
    let names = |names: &[&str]| {
        transcript.lines().any(|line| {
            let here = |name: &&&str| contains_folded(line.text, name);
            names.iter().filter(here).any(|name| occurs(&line.text.to_ascii_lowercase(), name))
        })
    };
    names(OTHERS) && !names(&["ubuntu"])
}

/// The major version of JetPack: by the release of Jetson Linux (R36, L4T 36.4, nvidia-l4t-core 36.4.7), by its kernel
/// (5.15.148-tegra), else as the writer calls it.
fn jetpack(transcript: &Transcript) -> Option<u32> {
    let lowered = || transcript.lines().map(|line| line.text.to_ascii_lowercase());
    let of_release = |line: String| {
        let linux = numbers_after(&line, "l4t");
        let release = numbers_after(&line, "# r").into_iter().filter(|_| line.contains("(release)"));
        let release = linux.into_iter().chain(release).next();
        match release? {
            32 => Some(4),
            34 | 35 => Some(5),
            36 => Some(6),
            38 | 39 => Some(7),
            _ => None,
        }
    };
    let of_kernel = |line: String| {
        let before = line.split("-tegra").next().filter(|before| before.len() < line.len())?;
        let start = before.rfind(|c: char| !c.is_ascii_digit() && c != '.').map_or(0, |at| at + 1);
        let mut parts = before.get(start..)?.split('.').map(str::parse::<u32>);
        match (parts.next()?.ok()?, parts.next()?.ok()?) {
            (4, 9) => Some(4),
            (5, 10) => Some(5),
            (5, 15) => Some(6),
            (6, 8) => Some(7),
            _ => None,
        }
    };
    let majors =
        |line: String| numbers_after(&line, "jetpack").into_iter().filter(|major| (4..=7).contains(major)).max();
    let named = || lowered().filter_map(majors).max();
    lowered().find_map(of_release).or_else(|| lowered().find_map(of_kernel)).or_else(named)
}

/// The numbers that follow a word closely: 36 of "L4T R36.4.3" and of "nvidia-l4t-core 36.4.7".
fn numbers_after(line: &str, word: &str) -> Vec<u32> {
    let number = |(at, _): (usize, &str)| {
        let rest = line.get(at + word.len()..)?;
        let begins = rest.find(|c: char| c.is_ascii_digit()).filter(|begins| *begins <= 10)?;
        let digits = rest.get(begins..)?;
        let ends = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        digits.get(..ends)?.parse().ok()
    };
    line.match_indices(word).filter_map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    #[test]
    fn jetpack_is_known_by_its_release_its_kernel_or_its_name() {
        for (shown, expected) in [
            ("# R39 (release), REVISION: 2.0, BOARD: generic", Some(7)),
            ("L4T R36.4.3 on an Orin NX", Some(6)),
            ("nvidia-l4t-core 35.4.1-20230801", Some(5)),
            ("Linux orin 5.15.148-tegra #1 SMP aarch64", Some(6)),
            ("Linux-6.8.12-tegra-aarch64-with-glibc2.39", Some(7)),
            ("Linux nano 4.9.337-tegra", Some(4)),
            ("jetpack_version: 7.2", Some(7)),
            ("the wheels for JetPack 6 fail on JetPack 7.2", Some(7)),
            ("a Jetson without more", None),
        ] {
            assert_eq!(jetpack(&text::read(shown.as_bytes())), expected, "{shown}");
        }
    }
}
