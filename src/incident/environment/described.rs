//! Machine and run as a person describes them in a report: labels with values, in several languages, commands, pasted
//! output of tools.
//!
//! Values that only make sense with their label ("Memory: 64 GB") are read here; everything else goes through the
//! reader of logs. Values about the past ("migrated from RTX 3090") are left out: the run did not fail there.

use super::super::words::{is_word, parse_uint, size};
use super::super::{Role, command, triggers};
use super::{Tables, version as versions};
use crate::facts::{Facts, Source, Value};
use crate::packages::Packages;
use crate::{text, wording};

/// Longer texts are logs, whose facts are not the writer's description.
const LONGEST: usize = 100_000;

/// Facts of an environment section: its labels in lower case with their values. A value without label has an empty one.
pub(crate) fn described(pairs: &[(String, String)], packages: &Packages) -> Facts {
    let mut facts = Facts::default();
    let mut lines = String::new();
    for (label, value) in pairs {
        let value = value.replace(['`', '*'], "");
        let value = value.trim();
        labelled(label, value.split([';', '→']).next().unwrap_or(value).trim(), packages, &mut facts);
        surroundings(value, &mut facts);
        let separator = if label.is_empty() { "" } else { ": " };
        lines.push_str(&format!("{label}{separator}{}\n", present(value)));
    }
    lines_as_printed(&lines, false, packages, &mut facts);
    facts.into_source(Source::Report)
}

/// How a run was set up, from commands and logs in a report: `run.*` and `env.*`.
pub(crate) fn run_settings(text: &str, packages: &Packages) -> Facts {
    let mut facts = Facts::default();
    if text.len() <= LONGEST {
        lines_as_printed(text, true, packages, &mut facts);
    }
    facts.retain(|name| matches!(name.split('.').next(), Some("run" | "env")));
    facts.into_source(Source::Report)
}

/// Reads lines as the reader of logs does. In logs only lines with a word of the topic are looked at.
fn lines_as_printed(text: &str, log: bool, packages: &Packages, facts: &mut Facts) {
    let transcript = text::read(text.as_bytes());
    let marks = if log { triggers::Triggers::builtin().mark(&transcript) } else { Vec::new() };
    let mut tables = Tables::new(packages);
    let mut commands = Vec::new();
    for line in transcript.lines() {
        let marks = marks.get(line.index).copied().unwrap_or(triggers::Topics::MAX);
        if marks & triggers::COMMAND != 0 {
            command::read(&transcript, line, facts, &mut commands);
        }
        if !log {
            tables.read(line.text, marks, line.number, Role::Text, facts);
        }
    }
    tables.finish(facts);
}

/// What only a label explains.
fn labelled(label: &str, value: &str, packages: &Packages, facts: &mut Facts) {
    let mut words = |name: &str, value: &str| {
        if !value.is_empty() {
            facts.add(name, Value::Text(value.to_owned()), Source::Text, None);
        }
    };
    let first = value.split([' ', ',', '(']).find(|word| !word.is_empty()).unwrap_or_default();
    let setting = match label {
        "gpu" | "gpus" | "gpu model" | "gpu name" | "graphics card" | "graphics" | "device" | "accelerator"
        | "hardware" | "video card" | "그래픽카드" | "그래픽 카드" => return gpu(value, facts),
        "gpu memory" | "vram" | "video memory" | "gpu vram" | "gpu ram" | "gpu 메모리" => {
            return memory("gpu.memory.total", value, facts);
        }
        "ram" | "memory" | "system memory" | "system ram" | "host memory" | "메모리" => {
            return memory("host.memory.total", value, facts);
        }
        "os" | "operating system" | "platform" | "distribution" | "운영체제" | "운영 체제" => {
            return words("os.name", value.split(['(', '[']).next().unwrap_or(value).trim());
        }
        "num gpus" | "number of gpus" | "gpu count" | "gpu 개수" => {
            return count(parse_uint(value).map(|(count, _)| count), facts);
        }
        "training precision" | "정밀도" => "precision",
        "배치 크기" | "배치 사이즈" => "batch_size",
        "dataloader workers" | "워커" => "num_workers",
        "gradient accumulation" | "accumulation steps" => "accumulate",
        _ => label,
    };
    command::setting(setting, first, facts);
    if let Some(package) = packages.by_label(label) {
        versions::labelled(&package.fact, value, 0, facts);
    }
}

/// The system around the run, wherever a value names it.
fn surroundings(value: &str, facts: &mut Facts) {
    let lower = value.to_lowercase();
    let mut yes = |name: &str| facts.add(name, Value::Bool(true), Source::Text, None);
    if lower.contains("wsl") || lower.contains("microsoft-standard") {
        yes("os.wsl");
    } else if lower.contains("windows 1") || lower.starts_with("windows") {
        yes("os.windows");
    }
    if ["docker", "container", "kubernetes", "podman", "singularity", "apptainer"].iter().any(|w| lower.contains(w)) {
        yes("os.container");
    }
}

/// A GPU's name as the person writes it, its memory and how many there are: "4x A100 80GB", "Tesla V100 (32 GB)".
fn gpu(value: &str, facts: &mut Facts) {
    let mut name = value.split(['(', '[']).next().unwrap_or(value).trim();
    for cut in [" on ", ", ", " with ", " / "] {
        name = name.split_once(cut).map_or(name, |(name, _)| name);
    }
    let times = ['x', 'X', '×'];
    let number = |word: &str| word.parse::<u64>().ok();
    let mut words: Vec<&str> = name.split_whitespace().collect();
    match words.as_slice() {
        [first, ..] if first.strip_suffix(times).and_then(number).is_some() => {
            count(first.strip_suffix(times).and_then(number), facts);
            words.remove(0);
        }
        [first, "x" | "X" | "×", ..] if number(first).is_some() => {
            count(number(first), facts);
            words.drain(..2);
        }
        [.., last] if last.strip_prefix(times).and_then(number).is_some() => {
            count(last.strip_prefix(times).and_then(number), facts);
            words.pop();
        }
        _ => {}
    }
    let inside = value.split('(').nth(1).filter(|part| !is_past(part));
    let sized = (0..words.len()).find(|&at| size(&words[at..].join(" ")).is_some());
    match (sized, inside) {
        (Some(at), _) => {
            memory("gpu.memory.total", &words[at..].join(" "), facts);
            words.truncate(at);
        }
        (None, Some(inside)) => memory("gpu.memory.total", inside, facts),
        (None, None) => {}
    }
    let name = words.join(" ");
    if name.len() >= 2 && name.chars().any(|c| c.is_ascii_digit() || c.is_uppercase()) {
        facts.add("gpu.name", Value::Text(name), Source::Text, None);
    }
}

fn count(count: Option<u64>, facts: &mut Facts) {
    if let Some(count) = count {
        facts.add("gpu.count", Value::Number(count as f64), Source::Text, None);
    }
}

fn memory(name: &str, value: &str, facts: &mut Facts) {
    if let Some((bytes, rest)) = size(value)
        && !rest.starts_with(is_word)
    {
        facts.add(name, Value::Number(bytes), Source::Text, None);
    }
}

/// A value without its parts about the past.
fn present(value: &str) -> String {
    value.split_inclusive(['(', ')', ';']).filter(|part| !is_past(part)).collect()
}

fn is_past(part: &str) -> bool {
    let lower = part.to_lowercase();
    wording::writing().past.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packages;

    #[test]
    fn reads_what_people_write() {
        const GIB: f64 = 1_073_741_824.0;
        let cases: &[(&str, &str, &[&str])] = &[
            (
                "gpu",
                "NVIDIA GeForce RTX 3060 12GB (migrated from RTX 3090 24GB)",
                &["gpu.memory.total 12G", "gpu.name NVIDIA GeForce RTX 3060"],
            ),
            (
                "gpu",
                "NVIDIA GeForce RTX 3060 (driver 581.57, CUDA 13.0 via `nvidia-smi`)",
                &["driver.cuda 13.0", "driver.version 581.57", "gpu.name NVIDIA GeForce RTX 3060"],
            ),
            ("gpu", "4x A100 80GB", &["gpu.count 4", "gpu.memory.total 80G", "gpu.name A100"]),
            (
                "graphics card",
                "RTX 3060 on WSL2 (fails); RTX 3090 on native Linux (works)",
                &["gpu.name RTX 3060", "os.wsl true", "os.wsl_version 2"],
            ),
            ("gpu", "Tesla V100 (32 GB)", &["gpu.memory.total 32G", "gpu.name Tesla V100"]),
            ("gpu", "A100 80 GB", &["gpu.memory.total 80G", "gpu.name A100"]),
            ("cuda", "12.8 (driver 13.0)", &["cuda.version 12.8", "driver.cuda 13.0"]),
            ("cuda", "12", &["cuda.version 12"]),
            ("nvcc", "12.4", &["cuda.version 12.4"]),
            ("드라이버", "580.95.05", &["driver.version 580.95.05"]),
            ("cudnn", "91002", &["cudnn.version 9.10.2"]),
            ("cudnn version", "8902", &["cudnn.version 8.9.2"]),
            ("pytorch", "2.8.0+cu128 (`torch.version.cuda=12.8`)", &["torch.cuda 12.8", "torch.version 2.8.0+cu128"]),
            ("pl", "2.4.0", &["lightning.version 2.4.0"]),
            ("framework", "TensorFlow 2.15.0, Python 3.11", &["python.version 3.11", "tensorflow.version 2.15.0"]),
            (
                "os",
                "Linux 6.6.87.2-microsoft-standard-WSL2 (WSL2)",
                &["os.name Linux 6.6.87.2-microsoft-standard-WSL2", "os.wsl true", "os.wsl_version 2"],
            ),
            ("운영체제", "Ubuntu 22.04", &["os.name Ubuntu 22.04"]),
            ("precision", "FP32", &["run.precision fp32"]),
            ("배치 크기", "4", &["run.batch_size 4"]),
            ("devices", "1", &["run.devices 1"]),
            ("vram", "24576 MiB", &["gpu.memory.total 24G"]),
        ];
        for (label, value, wanted) in cases {
            let facts = described(&[((*label).to_owned(), (*value).to_owned())], packages::builtin());
            let shown = facts.iter().map(|(name, fact)| match &fact.value {
                Value::Bool(b) => format!("{name} {b}"),
                Value::Number(n) if *n >= GIB => format!("{name} {}G", n / GIB),
                Value::Number(n) => format!("{name} {n}"),
                Value::Text(t) => format!("{name} {t}"),
                Value::List(l) => format!("{name} {}", l.join(",")),
            });
            assert_eq!(shown.collect::<Vec<_>>(), *wanted, "{label}: {value}");
            assert!(facts.iter().all(|(_, fact)| fact.source == Source::Report && fact.line.is_none()));
        }
    }

    #[test]
    fn tables_and_commands_are_read_as_in_logs() {
        let lines = [
            "| NVIDIA-SMI 535.129.03             Driver Version: 535.129.03   CUDA Version: 12.2     |",
            "torch==2.8.0+cu128",
        ];
        let pairs: Vec<(String, String)> = lines.iter().map(|line| (String::new(), (*line).to_owned())).collect();
        let facts = described(&pairs, packages::builtin());
        assert_eq!(facts.text("driver.version"), Some("535.129.03"));
        assert_eq!(facts.text("driver.cuda"), Some("12.2"));
        assert_eq!(facts.text("torch.version"), Some("2.8.0+cu128"));
        let command = "`CUDA_VISIBLE_DEVICES=0 python train.py model.name=x dataloaders.val_dataloader.batch_size=9 \
                       dataloaders.train_dataloader.batch_size=2 trainer.devices=1 trainer.strategy=auto \
                       --precision bf16-mixed --num-workers=4`\nGPU: A100 80GB";
        let facts = run_settings(command, packages::builtin());
        assert_eq!(facts.number("run.batch_size"), Some(2.0));
        assert_eq!(facts.number("run.devices"), Some(1.0));
        assert_eq!(facts.number("run.num_workers"), Some(4.0));
        assert_eq!(facts.text("run.strategy"), Some("auto"));
        assert_eq!(facts.text("run.precision"), Some("bf16-mixed"));
        assert_eq!(facts.text("env.CUDA_VISIBLE_DEVICES"), Some("0"));
        assert_eq!(facts.get("gpu.name"), None);
    }
}
