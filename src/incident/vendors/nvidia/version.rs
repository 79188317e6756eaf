//! Versions of CUDA, its libraries and the driver as they and the frameworks print them.
//!
//! cuDNN writes 9.10.2 as 91002 and 8.9.2 as 8902. "CUDA Version" is the highest CUDA that the driver supports in
//! nvidia-smi, and the toolkit's version elsewhere.

use crate::facts::Facts;
use crate::incident::words::{after, after_folded, contains_folded, parse_uint, version};

/// Versions that no name precedes.
pub(super) fn unnamed(words: &str) -> Vec<(&'static str, &str)> {
    let toolkit = after(words, "Cuda compilation tools, release ").and_then(version);
    let driver = inline_driver(words);
    toolkit
        .map(|found| ("toolkit.version", found))
        .into_iter()
        .chain(driver.map(|found| ("driver.version", found)))
        .collect()
}

/// Reads versions in error messages with a wording of their own.
pub(super) fn in_message(message: &str, line: u32, facts: &mut Facts) {
    // "The detected CUDA version (13.5) mismatches the version that was used to compile PyTorch (12.1)."
    if let Some(rest) = after(message, "detected CUDA version (")
        && let Some(found) = version(rest)
    {
        facts.words_in_text("cuda.version", found, line);
        if let Some(built) = after(rest, "PyTorch (").and_then(version) {
            facts.words_in_text("torch.cuda", built, line);
        }
    }
    // "The NVIDIA driver on your system is too old (found version 12020)": the driver's CUDA as 1000 major + 10 minor.
    if let Some((found, _)) = after(message, "(found version ").and_then(parse_uint)
        && (7000..100_000).contains(&found)
    {
        facts.words_in_text("driver.cuda", format!("{}.{}", found / 1000, found / 10 % 100), line);
    }
}

/// Facts that paths suggest.
pub(super) fn in_paths(words: &str, suggest: &mut dyn FnMut(&'static str, String)) {
    // MXNet names its packages after the CUDA they are built for.
    for (mark, fact) in [("/whl/cu", "torch.cuda"), ("mxnet-cu", "cuda.version")] {
        let tag = after(words, mark).map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
        if let Some(cuda) = tag.and_then(|tag| from_tag(&tag)) {
            suggest(fact, cuda);
        }
    }
    // A toolkit's folder: /usr/local/cuda-12.2/lib64, CUDA\v10.0\bin.
    for mark in ["/cuda-", "\\CUDA\\v"] {
        let found = after(words, mark).and_then(|rest| rest.split(|c: char| !(c.is_ascii_digit() || c == '.')).next());
        if let Some(found) = found.filter(|found| found.contains('.') && found.len() <= 4) {
            suggest("toolkit.version", found.trim_end_matches('.').to_owned());
        }
    }
}

/// Records a version under its name, with what follows from it; returns whether the name is one of ours.
pub(super) fn record(name: &str, found: &str, words: &str, line: u32, facts: &mut Facts) -> bool {
    match name {
        "cudnn.version" => {
            if let Some(found) = cudnn(found) {
                facts.words_in_text(name, found, line);
            }
        }
        "driver.version" if is_branch(found, words) => facts.words_in_text(name, found, line),
        "driver.version" | "cuda.version" | "torch.cuda" | "nccl.version" if !found.contains('.') => {}
        "driver.version" => match major(found) {
            300.. => facts.words_in_text(name, found, line),
            7..=30 => facts.words_in_text("driver.cuda", found, line),
            _ => {}
        },
        "cuda.version" => {
            let from_driver = contains_folded(words, "driver version")
                || contains_folded(words, "nvidia-smi") && !contains_folded(words, "nvcc");
            let plain: String = found.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
            // There was no CUDA 8.6: banners print the compute capability under that name.
            let capability = major(&plain) == 8 && !plain.starts_with("8.0");
            if (7..=30).contains(&major(&plain)) && !capability {
                facts.words_in_text(if from_driver { "driver.cuda" } else { "cuda.version" }, plain, line);
            }
        }
        "torch.cuda" => facts.words_in_text(name, found.trim_end_matches(','), line),
        "nccl.version" => facts.words_in_text(name, found.split('+').next().unwrap_or(found), line),
        _ => {
            // The local part of PyTorch's version is the CUDA that it was built for.
            let tag = found.split_once("+cu").filter(|_| name == "torch.version" && found.contains('.'));
            if let Some(cuda) = tag.and_then(|(_, tag)| from_tag(tag)) {
                facts.words_in_text("torch.cuda", cuda, line);
            }
            return false;
        }
    }
    true
}

fn major(version: &str) -> u32 {
    version.split('.').next().and_then(|major| major.parse().ok()).unwrap_or(0)
}

/// `128` is CUDA 12.8, `92` is 9.2.
pub(super) fn from_tag(digits: &str) -> Option<String> {
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) || digits.len() > 3 || digits.len() < 2 {
        return None;
    }
    let (major, minor) = digits.split_at(digits.len() - 1);
    Some(format!("{major}.{minor}"))
}

/// A cuDNN version, also from its number.
pub(super) fn cudnn(found: &str) -> Option<String> {
    if found.contains('.') {
        return Some(found.to_owned());
    }
    let number: u32 = found.parse().ok()?;
    match number {
        90_000..=999_999 => Some(format!("{}.{}.{}", number / 10_000, number / 100 % 100, number % 100)),
        1_000..=9_999 => Some(format!("{}.{}.{}", number / 1_000, number / 100 % 10, number % 100)),
        _ => None,
    }
}

/// "(driver 581.57, ...)", "RTX 5090, driver 560": a number that can only be a driver's.
fn inline_driver(words: &str) -> Option<&str> {
    // TensorFlow prints it together with the library's version when the two agree.
    let rest = after(words, "kernel version seems to match DSO: ").or_else(|| after_folded(words, "driver "))?;
    let found = version(rest)?;
    (major(found) >= 300 && found.contains('.') || is_branch(found, rest)).then_some(found)
}

/// Whether that is a branch of drivers alone, and `words` do not go on to name others ("535 or newer", "570+").
fn is_branch(found: &str, words: &str) -> bool {
    let open = words.split_once(found).is_some_and(|(_, rest)| {
        let word = rest.trim_start().split(' ').next().unwrap_or_default();
        rest.starts_with(['+', '-', '/', '_']) || matches!(word, "or" | "and" | "to" | "branch" | "series")
    });
    found.len() == 3 && (340..=700).contains(&major(found)) && !open
}
