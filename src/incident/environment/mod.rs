//! What the text says about the machine and its software: versions, GPUs, drivers, the operating system, libraries.
//!
//! Only what is installed counts, not requirements ("torch>=2.0") or the resolver's messages. What the tools
//! of one vendor print is read in `incident::vendors`.

mod answers;
mod clients;
mod described;
mod gpu;
mod listing;
mod loader;
mod version;

pub(crate) use described::{described, run_settings};
pub(super) use gpu::name as gpu_name;

use super::triggers::{self, Topics};
use super::vendors::{ALL as FORMATS, Table};
use super::words::{after, is_word};
use super::{ErrorEvent, Role};
use crate::facts::{Facts, Source, Value};
use crate::packages::Packages;
use crate::vendors;

/// Tables that stretch over several lines, and weak hints kept until the end.
#[derive(Debug)]
pub(super) struct Tables<'p> {
    packages: &'p Packages,
    of_vendors: Vec<Box<dyn Table>>,
    answers: answers::Answers,
    present: loader::Present,
    listing: bool,
    /// Hints from paths; anything stated is better.
    hints: Vec<(&'static str, String, u32)>,
}

impl<'p> Tables<'p> {
    /// The reader before the first line.
    pub(super) fn new(packages: &'p Packages) -> Self {
        Self {
            packages,
            of_vendors: FORMATS.iter().filter_map(|formats| formats.tables()).collect(),
            answers: answers::Answers::default(),
            present: loader::Present::default(),
            listing: false,
            hints: Vec::new(),
        }
    }

    /// Whether a table is being read, so that every line matters.
    pub(super) fn open(&self) -> bool {
        self.of_vendors.iter().any(|table| table.open()) || self.answers.open() || self.listing
    }

    /// Reads one line with these topics; returns whether the line is only a listing.
    pub(super) fn read(&mut self, text: &str, topics: Topics, line: u32, role: Role, facts: &mut Facts) -> bool {
        if text.len() > 8000 {
            return false;
        }
        let words = text.trim();
        let has = |topic: Topics| topics & topic != 0;
        if has(triggers::CLIENTS) {
            clients::read(words, line, self.packages, facts);
        }
        if role == Role::Frame {
            if has(triggers::PATHS) {
                self.paths(words, line, facts);
            }
            return false;
        }
        self.answers.read(words, line, self.packages, facts);
        if self.of_vendors.iter_mut().any(|table| table.read(words, line, facts)) {
            return false;
        }
        if listing::is_title(words) {
            self.listing = true;
            return true;
        }
        if self.listing {
            self.listing = !words.is_empty();
            if let Some((name, version)) = listing::row(words) {
                builds(words, line, facts);
                version::package(name, version, line, self.packages, facts);
                return true;
            }
            self.listing &= words.starts_with("---") || words.starts_with('#');
            return self.listing;
        }
        if let Some((name, version)) = listing::pinned(words) {
            builds(words, line, facts);
            version::package(name, version, line, self.packages, facts);
            return words.split_whitespace().count() <= 2 && !words.starts_with(['-', '*']);
        }
        if words.contains("NCCL INFO") {
            return false;
        }
        if !(has(triggers::BUILDS) && builds(words, line, facts)) {
            version::read(words, line, self.packages, facts);
        }
        if has(triggers::GPUS) {
            gpu::read(words, line, facts, &mut self.hints);
        }
        if has(triggers::ARCHITECTURES | triggers::GPUS) {
            FORMATS.iter().for_each(|formats| formats.architectures(words, line, facts));
        }
        if has(triggers::LOADING) {
            loader::read(words, line, facts);
            self.present.read(words, line);
        }
        if has(triggers::SYSTEM) {
            machine(words, line, facts);
        }
        if has(triggers::PATHS) {
            self.paths(words, line, facts);
        }
        false
    }

    /// Versions and systems that paths show.
    fn paths(&mut self, words: &str, line: u32, facts: &mut Facts) {
        for mark in ["/python3.", "\\Python3", "\\python3"] {
            let Some(rest) = after(words, mark) else { continue };
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            let ends =
                rest.get(digits.len()..).and_then(|tail| tail.chars().next()).is_none_or(|c| !is_word(c) && c != '.');
            if (1..=2).contains(&digits.len()) && ends && self.hints.len() < 64 {
                self.hints.push(("python.version", format!("3.{digits}"), line));
            }
        }
        let hints = &mut self.hints;
        let mut suggest = |name, value| {
            if hints.len() < 64 {
                hints.push((name, value, line));
            }
        };
        FORMATS.iter().for_each(|formats| formats.in_paths(words, &mut suggest));
        let drive = words.find(":\\").and_then(|at| words.get(..at)).and_then(|head| head.chars().next_back());
        if drive.is_some_and(|c| c.is_ascii_alphabetic()) && words.matches('\\').count() > 1 {
            facts.add("os.windows", Value::Bool(true), Source::Text, Some(line));
        }
        if words.contains("/mnt/c/") {
            facts.add("os.wsl", Value::Bool(true), Source::Text, Some(line));
        }
    }

    /// Adds what only paths showed.
    pub(super) fn finish(self, facts: &mut Facts) {
        for (name, value, line) in self.hints {
            facts.words_in_text(name, value, line);
        }
        self.present.finish(facts);
    }
}

/// Reads what software was built for; returns whether the line compares versions.
fn builds(words: &str, line: u32, facts: &mut Facts) -> bool {
    // All are asked, whatever the first says.
    FORMATS.iter().filter(|formats| formats.builds(words, line, facts)).count() > 0
}

/// Facts in an error's own message, which is `joined` on one line and has these topics.
pub(super) fn from_error(error: &ErrorEvent, joined: &str, topics: Topics, line: u32, facts: &mut Facts) {
    if topics & triggers::LOADING != 0 {
        loader::read(&error.message, line, facts);
    }
    FORMATS.iter().for_each(|formats| formats.in_message(joined, line, facts));
    if topics & triggers::BUILDS != 0 {
        builds(joined, line, facts);
    }
    if error.frames.iter().any(|frame| frame.file.get(1..3) == Some(":\\")) {
        facts.add("os.windows", Value::Bool(true), Source::Text, Some(line));
    }
}

/// The operating system, WSL, containers, host memory.
fn machine(words: &str, line: u32, facts: &mut Facts) {
    let mut yes = |name: &str| facts.add(name, Value::Bool(true), Source::Text, Some(line));
    if words.contains("microsoft-standard")
        || words.contains("WSL2")
        || words.contains("/usr/lib/wsl")
        || words.contains("(WSL")
    {
        yes("os.wsl");
    }
    if words.contains("docker run")
        || words.contains("kubectl ")
        || words.contains("/.dockerenv")
        || words.starts_with("docker: ")
        || vendors::all().iter().flat_map(|vendor| &vendor.driver.containers).any(|word| words.contains(word.as_str()))
    {
        yes("os.container");
    }
    if words.contains("Windows-1") || words.contains("Microsoft Windows") || words.contains("Windows 1") {
        yes("os.windows");
    }
    windows_build(words, line, facts);
    let key = words.trim_start_matches(['-', '*', ' ']);
    if let Some(name) = key
        .strip_prefix("OS:")
        .or_else(|| key.strip_prefix("**OS:**"))
        .or_else(|| key.strip_prefix("OS**:"))
        .or_else(|| key.strip_prefix("Operating system:"))
        .or_else(|| key.strip_prefix("Operating System:"))
    {
        let name = name.trim_matches(['*', ' ', '`']);
        if !name.is_empty() {
            facts.words_in_text("os.name", name, line);
        }
    }
    if let Some(rest) = words.strip_suffix("/dev/shm") {
        // df: "shm  64M  0  64M  0% /dev/shm".
        let columns: Vec<f64> =
            rest.split_whitespace().filter_map(|word| super::words::size(&df_size(word)).map(|s| s.0)).collect();
        if let [size, .., free] = columns.as_slice() {
            facts.number_in_text("host.shm.size", *size, line);
            facts.number_in_text("host.shm.free", *free, line);
        }
    }
    if let Some(rest) = words.strip_prefix("Mem:") {
        // free -h: total used free shared cache available.
        let columns: Vec<f64> =
            rest.split_whitespace().filter_map(|word| super::words::size(&df_size(word)).map(|s| s.0)).collect();
        if let [total, _, _, _, _, available] = columns.as_slice() {
            facts.number_in_text("host.memory.total", *total, line);
            facts.number_in_text("host.memory.available", *available, line);
        }
    }
}

/// The build of Windows, and the generation of WSL by its kernel: the first has kernel 4.4 and no GPU.
fn windows_build(words: &str, line: u32, facts: &mut Facts) {
    let build = after(words, "10.0.").or_else(|| after(words, "(build ")).or_else(|| after(words, "OS Build "));
    if let Some((build, rest)) = build.and_then(super::words::parse_uint)
        && (10_240..30_000).contains(&build)
        && !rest.starts_with(is_word)
    {
        facts.number_in_text("os.windows_build", build as f64, line);
    }
    let kernel = after(words, "4.4.0-").and_then(super::words::parse_uint).map(|(_, rest)| rest);
    if kernel.is_some_and(|rest| rest.starts_with("-Microsoft")) {
        facts.number_in_text("os.wsl_version", 1.0, line);
        facts.add("os.wsl", Value::Bool(true), Source::Text, Some(line));
    } else if words.contains("microsoft-standard") || words.contains("WSL2") || words.contains("WSL 2") {
        facts.number_in_text("os.wsl_version", 2.0, line);
        facts.add("os.wsl", Value::Bool(true), Source::Text, Some(line));
    }
}

/// A size as df and free print it: a bare 0, or K, M, G after the number.
fn df_size(word: &str) -> String {
    if word.ends_with('%') {
        String::new()
    } else if word.bytes().all(|b| b.is_ascii_digit()) {
        format!("{word}K")
    } else {
        word.to_owned()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::incident) fn facts(text: &str) -> Facts {
        let (mut facts, mut tables) = (Facts::default(), Tables::new(crate::packages::builtin()));
        for (number, line) in text.lines().enumerate() {
            let topics = triggers::Triggers::builtin().topics(line);
            tables.read(line, topics, number as u32 + 1, Role::Text, &mut facts);
        }
        tables.finish(&mut facts);
        facts
    }

    #[test]
    fn a_reports_environment() {
        let facts = facts(
            "- **OS:** Linux 6.6.87-microsoft-standard-WSL2 (WSL2)\n- **Python:** 3.10.12\n- **PyTorch:** 2.8.0+cu128\n- **CUDA:** 12.8 (driver 13.0)\n- **cuDNN:** 91002\n- **GPU:** NVIDIA GeForce RTX 3060 12GB (was RTX 3090 24GB)\n",
        );
        let text = |name| facts.text(name);
        assert_eq!(text("python.version"), Some("3.10.12"));
        assert_eq!(text("torch.version"), Some("2.8.0+cu128"));
        assert_eq!(text("torch.cuda"), Some("12.8"));
        assert_eq!(text("cuda.version"), Some("12.8"));
        assert_eq!(text("driver.cuda"), Some("13.0"));
        assert_eq!(text("cudnn.version"), Some("9.10.2"));
        assert_eq!(text("gpu.name"), Some("NVIDIA GeForce RTX 3060"));
        assert_eq!(facts.number("gpu.memory.total"), Some(12.0 * 1073741824.0));
        assert_eq!(facts.get("os.wsl").map(|f| &f.value), Some(&Value::Bool(true)));
    }

    #[test]
    fn nvidia_smi() {
        let facts = facts(
            "+---------------------------------------------------------------------------------------+\n| NVIDIA-SMI 535.129.03             Driver Version: 535.129.03   CUDA Version: 12.2     |\n|-----------------------------------------+----------------------+----------------------+\n| GPU  Name                 Persistence-M | Bus-Id        Disp.A | Volatile Uncorr. ECC |\n| Fan  Temp   Perf          Pwr:Usage/Cap |         Memory-Usage | GPU-Util  Compute M. |\n|=========================================+======================+======================|\n|   0  NVIDIA A100-SXM4-80GB          On  | 00000000:07:00.0 Off |                    0 |\n| N/A   31C    P0              61W / 400W |  79000MiB / 81920MiB |      0%      Default |\n|                                         |                      |             Disabled |\n|   1  NVIDIA A100-SXM4-80GB          On  | 00000000:0F:00.0 Off |                    3 |\n| N/A   33C    P0              61W / 400W |      4MiB / 81920MiB |      0%      Default |\n|                                         |                      |             Disabled |\n+---------------------------------------------------------------------------------------+\n",
        );
        assert_eq!(facts.text("driver.version"), Some("535.129.03"));
        assert_eq!(facts.text("driver.cuda"), Some("12.2"));
        assert_eq!(facts.text("gpu.name"), Some("NVIDIA A100-SXM4-80GB"));
        assert_eq!(facts.number("gpu.count"), Some(2.0));
        assert_eq!(facts.number("gpu.memory.used"), Some(79000.0 * 1048576.0));
        assert_eq!(facts.number("gpu.memory.free"), Some(2920.0 * 1048576.0));
        assert_eq!(facts.number("gpu.temperature"), Some(33.0));
        assert_eq!(facts.number("gpu.ecc.uncorrected"), Some(3.0));
        assert_eq!(facts.text("gpu.compute_mode"), Some("Default"));
    }

    #[test]
    fn windows_and_wsl() {
        for (text, name, value) in [
            ("Windows 10 Version 1909 (build 18363.1256), WSL 2", "os.windows_build", Some(18_363.0)),
            ("Microsoft Windows [Version 10.0.19044.1706]", "os.windows_build", Some(19_044.0)),
            ("Platform: Windows-10-10.0.22621-SP0", "os.windows_build", Some(22_621.0)),
            ("inet 10.0.123.2", "os.windows_build", None),
            ("4.4.0-20236-Microsoft", "os.wsl_version", Some(1.0)),
            ("5.10.102.1-microsoft-standard-WSL2", "os.wsl_version", Some(2.0)),
            ("Linux 4.4.0-210-generic", "os.wsl_version", None),
        ] {
            assert_eq!(facts(text).number(name), value, "{name} in {text}");
        }
    }

    #[test]
    fn listings_and_lines() {
        let table: &[(&str, &str, Option<&str>)] = &[
            ("torch==2.8.0", "torch.version", Some("2.8.0")),
            ("[pip3] torch==2.1.2+cu121", "torch.cuda", Some("12.1")),
            ("nvidia-cudnn-cu12==9.10.2.21", "cudnn.version", Some("9.10.2.21")),
            ("Package Version\n------- -------\ntorch 2.8.0+cu128\nnumpy 2.1.0", "numpy.version", Some("2.1.0")),
            ("train:19 - torch 2.15.0+cu132, cuda build 13.2", "torch.version", Some("2.15.0+cu132")),
            ("PyTorch version: 2.8.0", "torch.version", Some("2.8.0")),
            ("CUDA used to build PyTorch: 12.8", "torch.cuda", Some("12.8")),
            ("Nvidia driver version: 535.129.03", "driver.version", Some("535.129.03")),
            ("RTX 5090, driver 560", "driver.version", Some("560")),
            ("NVIDIA driver 550 on Ubuntu", "driver.version", Some("550")),
            ("it runs with driver 535 or newer", "driver.version", None),
            (
                "GPU: NVIDIA GeForce RTX 3060 (driver 581.57, CUDA 13.0 via `nvidia-smi`)",
                "driver.version",
                Some("581.57"),
            ),
            ("Cuda compilation tools, release 12.4, V12.4.131", "cuda.version", Some("12.4")),
            ("NCCL version 2.21.5+cuda12.4", "nccl.version", Some("2.21.5")),
            ("TF 2.21.0 GPUs: []", "tensorflow.version", Some("2.21.0")),
            ("Python 3.10.12 (main, Nov 20 2023, 15:14:05) [GCC 11.4.0] on linux", "python.version", Some("3.10.12")),
            ("requires torch>=2.0", "torch.version", None),
            ("  Device 0: Quadro P6000, compute capability 6.1, VMM: yes", "gpu.arch", Some("sm_61")),
            ("GPU: GeForce GTX TITAN X, 12 GB", "gpu.name", Some("NVIDIA GeForce GTX TITAN X")),
            ("  Device 0: Quadro P6000, compute capability 6.1, VMM: yes", "gpu.name", Some("Quadro P6000")),
            (
                "NVIDIA X with CUDA capability sm_120 is not compatible with the current PyTorch installation.",
                "gpu.compute_capability",
                Some("12.0"),
            ),
            (
                "ImportError: libcudnn.so.9: cannot open shared object file: No such file or directory",
                "lib.missing",
                Some("libcudnn.so.9"),
            ),
            (
                "ImportError: libcudnn.so.9: cannot open shared object file: No such file or directory",
                "lib.stem",
                Some("libcudnn"),
            ),
            ("x.so: undefined symbol: _ZN3c104cuda9SetDeviceEi", "symbol.name", Some("_ZN3c104cuda9SetDeviceEi")),
            ("File \"/opt/venv/lib/python3.11/site-packages/torch/x.py\"", "python.version", Some("3.11")),
        ];
        for (text, name, expected) in table {
            let facts = facts(text);
            assert_eq!(facts.text(name), *expected, "{name} in {text}");
        }
        for (text, count) in
            [("4x RTX 2080 Ti, driver 418", Some(4.0)), ("node with 8 x A100", Some(8.0)), ("1.5x RTX speed", None)]
        {
            assert_eq!(facts(text).number("gpu.count"), count, "{text}");
        }
        let facts = facts("The current PyTorch install supports CUDA capabilities sm_70 sm_75 sm_80.");
        assert_eq!(
            facts.get("torch.arch_list").map(|f| f.value.clone()),
            Some(Value::List(vec!["sm_70".into(), "sm_75".into(), "sm_80".into()]))
        );
    }
}
