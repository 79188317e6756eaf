//! Versions of packages, toolkits and drivers in all the ways people and programs write them.
//!
//! Only installed versions count, not requirements or a resolver's candidates. The names come from the catalogue of
//! packages. cuDNN writes 9.10.2 as 91002 and 8.9.2 as 8902.

use super::super::words::{after, after_folded, contains_folded, is_word, parse_uint, size, version};
use crate::facts::Facts;
use crate::packages::Packages;

/// Words of lines about requirements rather than about what is installed.
const REQUIREMENTS: &[&str] = &[
    "depends on",
    "requires",
    "requirement",
    "cannot install",
    "requested",
    "conflict",
    "would require",
    "looking at multiple",
    "incompatible",
    "compatible with",
    "need",
    "expected",
    "please install",
    "pip install",
    "upgrade",
    "detected cuda version",
    "compiled with cuda version",
];

/// Reads the versions on a line.
pub(super) fn read(words: &str, line: u32, packages: &Packages, facts: &mut Facts) {
    if words.contains("source was compiled with") {
        if let Some(built) =
            after_folded(words, "compiled with").map(|rest| rest.trim_start_matches([':', ' '])).and_then(version)
        {
            facts.words_in_text("cudnn.built", built, line);
        }
    }
    // "NCCL error in x.cpp, NCCL version 2.21.5": the first mention need not be the one with the version.
    let mut stating = Vec::new();
    for (package, place) in packages.spelled(words) {
        let before = words.get(..place.start).and_then(|head| head.chars().next_back());
        if before.is_some_and(|c| is_word(c) || matches!(c, '/' | '\\' | '.' | '-' | '+' | '@')) {
            continue;
        }
        if let Some(found) = words.get(place.end..).and_then(stated) {
            stating.push((&package.fact, found));
        }
    }
    let toolkit = after(words, "Cuda compilation tools, release ").and_then(version);
    let driver = inline_driver(words);
    if stating.is_empty() && toolkit.is_none() && driver.is_none() || is_requirement(words) {
        return;
    }
    for (fact, found) in stating {
        set(fact, found, words, line, facts);
    }
    for (fact, found) in [("toolkit.version", toolkit), ("driver.version", driver)] {
        if let Some(found) = found {
            facts.words_in_text(fact, found, line);
        }
    }
}

/// Whether a line is about versions that something needs. The source of a message was built with one, it needs none.
fn is_requirement(words: &str) -> bool {
    !words.contains("source was compiled with")
        && (["Collecting ", "Downloading ", "Using cached "].iter().any(|start| words.starts_with(start))
            || REQUIREMENTS.iter().any(|word| contains_folded(words, word)))
}

/// Versions in error messages with a wording of their own.
pub(super) fn from_message(message: &str, line: u32, facts: &mut Facts) {
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

/// The version that follows a name: after spaces, `:`, `=`, `==`, "version", bold marks, quotes; not after `>=`.
fn stated(rest: &str) -> Option<&str> {
    let mut rest = rest;
    if !rest.starts_with([' ', ':', '=', '*', '`', '\t', '-']) {
        return None;
    }
    if rest.starts_with('-') && !rest.get(1..2).is_some_and(|next| next.bytes().all(|b| b.is_ascii_digit())) {
        return None;
    }
    for _ in 0..6 {
        rest = rest.trim_start_matches([' ', ':', '=', '*', '`', '\t', '"', '\'', '-', '|']);
        let cut = ["version", "Version", "is", "driver", "gpu", "GPU"]
            .iter()
            .find_map(|word| rest.strip_prefix(word).filter(|tail| !tail.starts_with(is_word)));
        match cut {
            Some(tail) => rest = tail,
            None => break,
        }
    }
    version(rest)
}

/// Records a version under its name, with what follows from it.
fn set(name: &str, found: &str, words: &str, line: u32, facts: &mut Facts) {
    let found = found.trim_end_matches(".whl");
    let dotted = found.contains('.');
    match name {
        "cudnn.version" => {
            if let Some(found) = cudnn(found) {
                facts.words_in_text(name, found, line);
            }
        }
        _ if !dotted => {}
        "driver.version" => {
            let major: u32 = found.split('.').next().and_then(|major| major.parse().ok()).unwrap_or(0);
            if major >= 300 {
                facts.words_in_text(name, found, line);
            } else if (7..=30).contains(&major) {
                facts.words_in_text("driver.cuda", found, line);
            }
        }
        "cuda.version" => {
            let from_driver = contains_folded(words, "driver version")
                || contains_folded(words, "nvidia-smi") && !contains_folded(words, "nvcc");
            let plain: String = found.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
            let major: u32 = plain.split('.').next().and_then(|major| major.parse().ok()).unwrap_or(0);
            // There was no CUDA 8.6: banners print the compute capability under that name.
            let capability = major == 8 && !plain.starts_with("8.0");
            if (7..=30).contains(&major) && !capability {
                facts.words_in_text(if from_driver { "driver.cuda" } else { "cuda.version" }, plain, line);
            }
        }
        "torch.cuda" => facts.words_in_text(name, found.trim_end_matches(','), line),
        "nccl.version" => {
            facts.words_in_text(name, found.split('+').next().unwrap_or(found), line);
        }
        _ => package_fact(name, found, line, facts),
    }
}

/// Records the answer to a question typed at a prompt.
pub(super) fn answer(name: &str, found: &str, line: u32, facts: &mut Facts) {
    match name.starts_with("env.") {
        true => facts.words_in_text(name, found, line),
        false => set(name, found, "", line, facts),
    }
}

/// A version under its label: the first word of the value that begins like one. Here it may be a bare "12".
pub(super) fn labelled(fact: &str, value: &str, line: u32, facts: &mut Facts) {
    let words =
        value.split([' ', ',', '(', ')', '/', ';', '=']).map(|word| word.trim_matches([':', '>', '<', '~', '^']));
    let mut versions = words.filter(|word| !word.ends_with('%') && size(word).is_none()).filter_map(version);
    let Some(found) = versions.next() else { return };
    if found.contains('.') || fact == "cudnn.version" {
        set(fact, found, value, line, facts);
    } else if fact != "driver.version" {
        facts.words_in_text(fact, found, line);
    }
}

/// The version of a package under its name in a listing.
pub(super) fn package(name: &str, found: &str, line: u32, packages: &Packages, facts: &mut Facts) {
    if let Some(package) = packages.by_distribution(name) {
        set(&package.fact, found, "", line, facts);
    }
}

/// A package's version; torch's local part also gives its CUDA.
fn package_fact(name: &str, found: &str, line: u32, facts: &mut Facts) {
    if !found.contains('.') {
        return;
    }
    facts.words_in_text(name, found, line);
    if name == "torch.version"
        && let Some(tag) = found.split_once("+cu").map(|(_, tag)| tag)
        && let Some(cuda) = from_tag(tag)
    {
        facts.words_in_text("torch.cuda", cuda, line);
    }
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

/// "(driver 581.57, ...)": a number that can only be a driver's.
fn inline_driver(words: &str) -> Option<&str> {
    // TensorFlow prints it together with the library's version when the two agree.
    let rest = after(words, "kernel version seems to match DSO: ").or_else(|| after_folded(words, "driver "))?;
    let found = version(rest)?;
    let major: u32 = found.split('.').next()?.parse().ok()?;
    (major >= 300 && found.contains('.')).then_some(found)
}
