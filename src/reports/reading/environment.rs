//! Environment tables of reports as facts: `- **GPU:** NVIDIA GeForce RTX 3060 12GB (migrated from RTX 3090 24GB)`.
//!
//! Names are those of pasted texts and probes. What a value says about the past ("migrated from", "before") is left
//! out: it is not where the run failed.

use super::run_settings;
use super::versions::{PACKAGES, package_version, starts_like_version, version};
use super::words::{is_placeholder, labelled, split_label};
use crate::book::blocks::{Block, Kind};
use crate::book::sections::{fences, visit};
use crate::facts::{Facts, Source, Value};

/// Bytes of one gibibyte.
const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

/// Collects facts from the blocks of an environment section.
pub(super) fn read(blocks: &[Block], facts: &mut Facts) {
    for (label, value) in pairs(blocks) {
        pair(&label, &value, facts);
    }
}

/// Labels and values in paragraphs, lists, tables and fences. An item without value takes those nested in it.
pub(super) fn pairs(blocks: &[Block]) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = Vec::new();
    visit(blocks, &mut |block| match &block.kind {
        Kind::Paragraph(words) => out.extend(labelled(words)),
        Kind::Table(rows) => {
            for row in rows {
                if let [label, value, ..] = row.as_slice() {
                    out.push((label.trim_matches('*').to_owned(), value.clone()));
                }
            }
        }
        _ => {}
    });
    // "Command:" over a nested list: the items carry its value.
    let mut label = String::new();
    for (name, value) in &mut out {
        if value.is_empty() {
            label.clone_from(name);
        } else if name.is_empty() && !label.is_empty() {
            name.clone_from(&label);
        } else {
            label.clear();
        }
    }
    for fence in fences(blocks) {
        for line in fence.code.lines() {
            match split_label(line.trim_start_matches(['-', '*', ' '])) {
                Some((name, value)) => out.push((name.to_owned(), value.to_owned())),
                None => out.push((String::new(), line.trim().to_owned())),
            }
        }
    }
    out
}

/// Takes what one label and value say.
pub(super) fn pair(label: &str, value: &str, facts: &mut Facts) {
    let value = value.replace(['`', '*'], "");
    let value = value.trim();
    if value.is_empty() || is_placeholder(value) {
        return;
    }
    let key = crate::book::sections::key(label);
    let present = value.split([';', '→']).next().unwrap_or(value).trim();
    match key.as_str() {
        "gpu" | "gpus" | "gpu model" | "gpu name" | "graphics card" | "graphics" | "device" | "accelerator"
        | "hardware" | "video card" | "그래픽카드" | "그래픽 카드" => {
            gpu(present, facts);
        }
        "gpu memory" | "vram" | "video memory" | "gpu vram" | "gpu ram" | "gpu 메모리" => {
            size(present, facts, "gpu.memory.total");
        }
        "ram" | "memory" | "system memory" | "system ram" | "host memory" | "메모리" => {
            size(present, facts, "host.memory.total");
        }
        "os" | "operating system" | "platform" | "distribution" | "운영체제" | "운영 체제" => {
            words(facts, "os.name", outside_parentheses(present).trim());
        }
        "precision" | "dtype" | "training precision" | "정밀도" => {
            words(facts, "run.precision", &first_word(present).to_lowercase())
        }
        "batch size" | "batch" | "train batch size" | "배치 크기" | "배치 사이즈" => {
            number(facts, "run.batch_size", present)
        }
        "num workers" | "workers" | "dataloader workers" | "워커" => number(facts, "run.num_workers", present),
        "devices" | "num gpus" | "number of gpus" | "gpu count" | "gpu 개수" => number(facts, "gpu.count", present),
        "strategy" => words(facts, "run.strategy", first_word(present)),
        "gradient accumulation" | "accumulation steps" | "accumulate grad batches" => {
            number(facts, "run.accumulate", present)
        }
        "compute capability" => words(facts, "gpu.compute_capability", first_word(present)),
        _ => {
            // "torch.version.cuda" and "torch_version" come as keys of configuration dumps.
            let name = key.replace(" version", "").replace("version ", "");
            if key == "torch cuda" {
                version(facts, "torch.cuda", present);
            } else if let Some((package, _)) =
                PACKAGES.iter().find(|(_, names)| names.contains(&key.as_str()) || names.contains(&name.as_str()))
            {
                package_version(package, present, facts);
            }
        }
    }
    mentions(value, facts);
    run_settings::read(value, facts);
}

/// What a text says wherever it stands: "driver 581.57", "PyTorch 2.8.0", WSL2, containers.
pub(super) fn mentions(text: &str, facts: &mut Facts) {
    let lower = text.to_lowercase();
    if lower.contains("wsl") || lower.contains("microsoft-standard") {
        flag(facts, "os.wsl");
    } else if lower.contains("windows 1") || lower.trim_start().starts_with("windows") {
        flag(facts, "os.windows");
    }
    if ["docker", "container", "kubernetes", "podman", "singularity", "apptainer"].iter().any(|w| lower.contains(w)) {
        flag(facts, "os.container");
    }
    if let Some(at) = lower.find("torch.version.cuda") {
        version(facts, "torch.cuda", text.get(at + "torch.version.cuda".len()..).unwrap_or_default());
    }
    for part in present_parts(text) {
        let words: Vec<&str> = part.split([' ', ',', '/', '|', '=']).filter(|w| !w.is_empty()).collect();
        for pair in words.windows(2) {
            let [name, after] = pair else { continue };
            let name = name.trim_matches([':', '(', ')']).to_lowercase();
            let known = PACKAGES.iter().find(|(_, names)| names.contains(&name.as_str()));
            if let Some((package, _)) = known.filter(|_| starts_like_version(after)) {
                let asked = if part.contains("nvidia-smi") { " nvidia-smi" } else { "" };
                package_version(package, &format!("{after}{asked}"), facts);
            }
        }
    }
}

/// The parts of a text that speak of now: parentheses about the past are left out.
fn present_parts(text: &str) -> Vec<&str> {
    text.split(['(', ')', ';']).filter(|part| !is_past(part)).collect()
}

fn is_past(part: &str) -> bool {
    let lower = part.to_lowercase();
    ["migrated", "from ", "before", "previously", "was ", "works on", "formerly", "instead of", "이전", "기존"]
        .iter()
        .any(|w| lower.contains(w))
}

/// A GPU's name, its memory and how many there are.
pub(super) fn gpu(value: &str, facts: &mut Facts) {
    let whole = value;
    let mut name = outside_parentheses(value).trim().to_owned();
    for cut in [" on ", ", ", " with ", " / "] {
        if let Some(at) = name.find(cut) {
            name.truncate(at);
        }
    }
    // "2x A100", "A100 x 4", "4 x RTX 3090".
    let mut words: Vec<&str> = name.split_whitespace().collect();
    if let Some(count) = words.first().and_then(|w| w.strip_suffix(['x', 'X', '×'])).and_then(|n| n.parse::<f64>().ok())
    {
        facts.add("gpu.count", Value::Number(count), Source::Report, None);
        words.remove(0);
    } else if let [count, "x" | "X" | "×", ..] = words.as_slice()
        && let Ok(count) = count.parse::<f64>()
    {
        facts.add("gpu.count", Value::Number(count), Source::Report, None);
        words.drain(..2);
    } else if let Some(count) =
        words.last().and_then(|w| w.strip_prefix(['x', 'X', '×'])).and_then(|n| n.parse::<f64>().ok())
    {
        facts.add("gpu.count", Value::Number(count), Source::Report, None);
        words.pop();
    }
    let is_size = |w: &&str| bytes(w).is_some() && w.chars().any(char::is_alphabetic);
    if let Some(at) = words.iter().position(is_size) {
        size(words.get(at).copied().unwrap_or_default(), facts, "gpu.memory.total");
        words.truncate(at);
    } else if let [.., number, "GB" | "GiB" | "gb"] = words.as_slice() {
        size(&format!("{number}GB"), facts, "gpu.memory.total");
        words.truncate(words.len().saturating_sub(2));
    } else if let Some(inside) = whole.split('(').nth(1).filter(|part| !is_past(part) && part.len() < 40) {
        size(inside.split([',', ')']).next().unwrap_or_default(), facts, "gpu.memory.total");
    }
    let name = words.join(" ");
    if name.len() >= 2 && name.chars().any(|c| c.is_ascii_digit() || c.is_uppercase()) && !is_placeholder(&name) {
        facts.add("gpu.name", Value::Text(name), Source::Report, None);
    }
}

fn outside_parentheses(text: &str) -> &str {
    text.split(['(', '[']).next().unwrap_or(text)
}

fn first_word(text: &str) -> &str {
    text.split([' ', ',', '(']).find(|w| !w.is_empty()).unwrap_or_default()
}

pub(super) fn words(facts: &mut Facts, name: &str, value: &str) {
    if !value.is_empty() && !is_placeholder(value) {
        facts.add(name, Value::Text(value.to_owned()), Source::Report, None);
    }
}

fn flag(facts: &mut Facts, name: &str) {
    facts.add(name, Value::Bool(true), Source::Report, None);
}

fn number(facts: &mut Facts, name: &str, text: &str) {
    let digits: String = first_word(text).chars().take_while(char::is_ascii_digit).collect();
    if let Ok(value) = digits.parse::<f64>() {
        facts.add(name, Value::Number(value), Source::Report, None);
    }
}

fn size(text: &str, facts: &mut Facts, name: &str) {
    if let Some(value) = bytes(text) {
        facts.add(name, Value::Number(value), Source::Report, None);
    }
}

/// "12GB", "12 GiB", "24576 MiB" in bytes. Makers of GPUs write GB for GiB.
fn bytes(text: &str) -> Option<f64> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let value: f64 = text.get(..end)?.parse().ok()?;
    let unit = text.get(end..)?.trim_start().to_lowercase();
    let factor = match unit.split(|c: char| !c.is_alphabetic()).next()? {
        "g" | "gb" | "gib" => GIB,
        "m" | "mb" | "mib" => GIB / 1024.0,
        "t" | "tb" | "tib" => GIB * 1024.0,
        _ => return None,
    };
    Some(value * factor)
}

/// GPU models named in a text without a label: "RTX 3060", "A100", "H100", "Tesla T4".
pub(super) fn gpu_models(text: &str) -> Vec<String> {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | '|' | '*' | ':' | ';'))
        .filter(|w| !w.is_empty())
        .collect();
    let mut out: Vec<String> = Vec::new();
    for (i, word) in words.iter().enumerate() {
        let next = words.get(i + 1).copied().unwrap_or_default();
        let series = ["RTX", "GTX", "Tesla", "Quadro"].contains(word) && next.chars().any(|c| c.is_ascii_digit());
        let data_centre = matches!(
            *word,
            "A100"
                | "A10"
                | "A10G"
                | "A30"
                | "A40"
                | "A800"
                | "H100"
                | "H200"
                | "H800"
                | "B200"
                | "B100"
                | "GH200"
                | "GB200"
                | "V100"
                | "P100"
                | "T4"
                | "L4"
                | "L40"
                | "L40S"
                | "K80"
        );
        let name = match (series, data_centre) {
            (true, _) => format!("{word} {}", next.trim_end_matches('.')),
            (false, true) if i == 0 || words.get(i - 1) != Some(&"Tesla") => (*word).to_owned(),
            _ => continue,
        };
        if !out.contains(&name) {
            out.push(name);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        let mut facts = Facts::default();
        pairs.iter().for_each(|(label, value)| pair(label, value, &mut facts));
        let shown = |value: &Value| match value {
            Value::Bool(b) => b.to_string(),
            Value::Number(n) if *n >= GIB => format!("{}G", n / GIB),
            Value::Number(n) => n.to_string(),
            Value::Text(t) => t.clone(),
            Value::List(l) => l.join(","),
        };
        facts.iter().map(|(name, fact)| (name.to_owned(), shown(&fact.value))).collect()
    }

    #[test]
    fn reads_what_people_write() {
        type Case = (&'static str, &'static str, &'static [(&'static str, &'static str)]);
        let cases: &[Case] = &[
            (
                "GPU",
                "NVIDIA GeForce RTX 3060 12GB (migrated from RTX 3090 24GB)",
                &[("gpu.memory.total", "12G"), ("gpu.name", "NVIDIA GeForce RTX 3060")],
            ),
            (
                "GPU",
                "NVIDIA GeForce RTX 3060 (driver 581.57, CUDA 13.0 via `nvidia-smi`)",
                &[("driver.cuda", "13.0"), ("driver.version", "581.57"), ("gpu.name", "NVIDIA GeForce RTX 3060")],
            ),
            ("GPU", "4x A100 80GB", &[("gpu.count", "4"), ("gpu.memory.total", "80G"), ("gpu.name", "A100")]),
            (
                "Graphics card",
                "RTX 3060 on WSL2 (fails); RTX 3090 on native Linux (works)",
                &[("gpu.name", "RTX 3060"), ("os.wsl", "true")],
            ),
            ("GPU", "Tesla V100 (32 GB)", &[("gpu.memory.total", "32G"), ("gpu.name", "Tesla V100")]),
            ("GPU", "not stated", &[]),
            ("CUDA", "12.8 (driver 13.0)", &[("cuda.version", "12.8"), ("driver.cuda", "13.0")]),
            ("cuDNN", "91002", &[("cudnn.version", "9.10.2")]),
            ("cuDNN version", "8902", &[("cudnn.version", "8.9.2")]),
            (
                "PyTorch",
                "2.8.0+cu128 (`torch.version.cuda=12.8`)",
                &[("torch.cuda", "12.8"), ("torch.version", "2.8.0+cu128")],
            ),
            (
                "Framework",
                "TensorFlow 2.15.0, Python 3.11",
                &[("python.version", "3.11"), ("tensorflow.version", "2.15.0")],
            ),
            (
                "OS",
                "Linux 6.6.87.2-microsoft-standard-WSL2 (WSL2)",
                &[("os.name", "Linux 6.6.87.2-microsoft-standard-WSL2"), ("os.wsl", "true")],
            ),
            ("운영체제", "Ubuntu 22.04", &[("os.name", "Ubuntu 22.04")]),
            ("Precision", "FP32", &[("run.precision", "fp32")]),
            ("배치 크기", "4", &[("run.batch_size", "4")]),
            ("VRAM", "24576 MiB", &[("gpu.memory.total", "24G")]),
            ("Batch Size", "[fill in]", &[]),
        ];
        for (label, value, wanted) in cases {
            let found = facts(&[(label, value)]);
            let found: Vec<(&str, &str)> = found.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
            assert_eq!(found, *wanted, "{label}: {value}");
        }
    }

    #[test]
    fn names_gpu_models() {
        assert_eq!(
            gpu_models("Works: RTX 3090 on Linux, fails: RTX 3060, A100 and Tesla T4."),
            ["RTX 3090", "RTX 3060", "A100", "Tesla T4"]
        );
    }
}
