//! GPUs by name, number and memory, wherever a line names them.
//!
//! A size after a GeForce name is the board's memory; within a data centre name it is part of the name. A bare model
//! number counts where the words beside it show that it is one: "my 5090", "2x 3090", "a T4 GPU".

use std::borrow::Cow;

use super::super::vendors::ALL as FORMATS;
use super::super::words::{after, find, is_word, number, parse_uint, size};
use crate::descriptions;
use crate::facts::{Facts, Source, Value};
use crate::vendors::description::GpuNames;
use crate::vendors::{self, Vendor};

/// Reads the GPUs on a line.
pub(super) fn read(words: &str, line: u32, facts: &mut Facts, hints: &mut Vec<(&'static str, String, u32)>) {
    if words.len() > 600 {
        return;
    }
    let words = &spaced(words);
    let words = replacement(words).unwrap_or(words);
    match name(words) {
        // "RTX 3060" in a sentence: good enough where no line gives the full name.
        Some((name, _)) if is_short(&name) => {
            hints.push(("gpu.name", full(&name), line));
            hints.truncate(64);
        }
        Some((name, memory)) => {
            let name = full(&name);
            let first = facts.text("gpu.name").is_none_or(|old| old == name);
            facts.words_in_text("gpu.name", name, line);
            if let Some(memory) = memory.filter(|_| first) {
                facts.add("gpu.memory.total", Value::Number(memory), Source::Catalogue, Some(line));
            }
        }
        None => {
            let named = bare(words).map(|name| full(&name)).or_else(|| machine(words).map(str::to_owned));
            hints.extend(named.map(|name| ("gpu.name", name, line)));
            hints.truncate(64);
        }
    }
    if let Some(count) = times(words) {
        facts.number_in_text("gpu.count", count as f64, line);
    }
    // "Detected 1 GPU: Tesla T4", "Detected 8 GPUs".
    if let Some((count, rest)) = after(words, "Detected ").and_then(parse_uint)
        && rest.trim_start().starts_with("GPU")
    {
        facts.number_in_text("gpu.count", count as f64, line);
    }
    for mark in ["device_count() = ", "device_count(): ", "GPU count: ", "Number of GPUs: ", "num_gpus: "] {
        if let Some((count, _)) = after(words, mark).and_then(parse_uint) {
            facts.number_in_text("gpu.count", count as f64, line);
        }
    }
}

/// Scripts without spaces put names between their letters: `用两张A100显卡训练` as `用两张 A100 显卡训练`, with Latin punctuation.
fn spaced(words: &str) -> Cow<'_, str> {
    if !words.contains(is_foreign) {
        return Cow::Borrowed(words);
    }
    let mut out = String::with_capacity(words.len() + 8);
    let mut before = ' ';
    for letter in words.chars() {
        if is_foreign(letter) != is_foreign(before) && letter != ' ' && before != ' ' {
            out.push(' ');
        }
        match letter {
            '，' | '、' => out.push(','),
            '（' => out.push('('),
            '）' => out.push(')'),
            other => out.push(other),
        }
        before = letter;
    }
    Cow::Owned(out)
}

/// Letters and signs of Chinese, Japanese and Korean.
fn is_foreign(letter: char) -> bool {
    descriptions::is_unspaced(letter) || matches!(letter, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ff5e}')
}

/// What follows the GPU that another one has replaced: "swapped the 2080 for a 3090".
fn replacement(words: &str) -> Option<&str> {
    /// Without their first letters, which may be capitals.
    const REPLACED: [&str; 6] = ["wapped ", "eplaced ", "witched from ", "pgraded from ", "oved from ", "hanged from "];
    const BY: [&str; 5] = [" for ", " with ", " by ", " to ", " against "];
    /// A name and the words before it are no longer.
    const FAR: usize = 40;
    let rest = REPLACED.iter().find_map(|verb| after(words, verb))?;
    let (at, by) = BY.iter().filter_map(|by| Some((find(rest, by)?, by))).min()?;
    let (old, new) = (rest.get(..at)?, rest.get(at + by.len()..)?);
    let is_gpu = |words: &str| name(words).is_some() || bare(words).is_some();
    (at <= FAR && is_gpu(old) && is_gpu(new)).then_some(new)
}

/// The GPU of a cloud machine or of a generation that a line names: "p3.2xlarge", "a2-highgpu-1g", "50-series GPU".
fn machine(words: &str) -> Option<&'static str> {
    let machines = vendors::all().iter().flat_map(|vendor| vendor.gpus.machines.iter().chain(&vendor.gpus.generations));
    let mut names = machines.flat_map(|(gpu, names)| names.iter().map(move |name| (gpu.as_str(), name.as_str())));
    let (gpu, _) = names.find(|(_, name)| {
        words.match_indices(name).any(|(at, _)| {
            let begins = words
                .get(..at)
                .is_some_and(|head| !head.ends_with(|c: char| is_word(c) || matches!(c, '.' | '-' | '/')));
            // AWS: the size follows a dot.
            let size = words.get(at + name.len()..).unwrap_or_default().split(|c: char| !is_word(c)).next();
            let sized = size.is_some_and(|size| size.ends_with("xlarge") || size.starts_with("metal"));
            begins && (sized || !name.ends_with('.'))
        })
    })?;
    Some(gpu)
}

/// The name as the driver prints it.
fn full(name: &str) -> String {
    FORMATS.iter().find_map(|formats| formats.full_name(name)).unwrap_or_else(|| name.to_owned())
}

/// Whether a name begins as people shorten it.
fn is_short(name: &str) -> bool {
    vendors::all().iter().flat_map(|vendor| &vendor.gpus.short).any(|start| name.starts_with(start.as_str()))
}

/// The first GPU named on a line, and its memory where the line says it.
pub(in crate::incident) fn name(words: &str) -> Option<(String, Option<f64>)> {
    name_of(vendors::all(), words)
}

fn name_of(vendors: &[Vendor], words: &str) -> Option<(String, Option<f64>)> {
    for names in vendors.iter().map(|vendor| &vendor.gpus) {
        for start in names.starts.iter().filter(|start| find(words, start).is_some()) {
            for (at, _) in words.match_indices(start.as_str()) {
                let before = words.get(..at).and_then(|head| head.chars().next_back());
                if before.is_some_and(|c| is_word(c) || c == '-' || c == '.') {
                    continue;
                }
                if let Some(found) = collect(names, words.get(at..)?) {
                    return Some(found);
                }
            }
        }
    }
    None
}

fn collect(names: &GpuNames, words: &str) -> Option<(String, Option<f64>)> {
    let mut name = String::new();
    let mut memory = None;
    let mut has_digit = false;
    for (place, word) in words.split(' ').enumerate() {
        if word.is_empty() {
            break;
        }
        let clean = word.trim_end_matches([',', ';', ':', ')', '"', '\'', '`', '|', '.', '(', ']']);
        let ends = clean.len() < word.len();
        let gigabytes = size(clean)
            .filter(|(_, rest)| rest.is_empty() && clean.starts_with(|c: char| c.is_ascii_digit()))
            .map(|s| s.0);
        let consumer = names.consumer.iter().any(|word| name.contains(word.as_str()));
        if let Some(bytes) = gigabytes {
            if !has_digit {
                break;
            }
            memory = Some(bytes);
            if consumer {
                break;
            }
            name.push(' ');
            name.push_str(clean);
        } else if number(clean).is_some_and(|(_, rest)| rest.is_empty())
            && words.split(' ').nth(place + 1).is_some_and(|unit| unit.starts_with("GB") || unit.starts_with("GiB"))
            && has_digit
        {
            memory = number(clean).map(|(value, _)| value * 1_073_741_824.0);
            break;
        } else if is_model(names, clean, place) {
            has_digit |= clean.bytes().any(|b| b.is_ascii_digit());
            if !name.is_empty() {
                name.push(' ');
            }
            name.push_str(clean);
        } else {
            break;
        }
        if ends {
            break;
        }
    }
    if memory.is_none() {
        memory = name.rsplit(['-', ' ']).find_map(|part| {
            size(part).filter(|(_, rest)| rest.is_empty()).map(|s| s.0).filter(|bytes| *bytes >= 1_073_741_824.0)
        });
    }
    let name = name.trim_end_matches(" with").trim_end_matches(" MIG").to_owned();
    let letters = names.without_digit.iter().any(|known| name.contains(known.as_str()));
    (has_digit || letters).then_some((name, memory))
}

/// Whether a word can be part of a GPU's name.
fn is_model(names: &GpuNames, word: &str, place: usize) -> bool {
    if names.parts.iter().any(|part| part == word) {
        return true;
    }
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let fits = word.len() <= 16 && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') && !word.contains("--");
    let starts = word.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit());
    fits && starts && (1..=6).contains(&digits) && (place < 6) && !word.starts_with("sm_")
}

/// A model without its series, as the words beside it show: "my 5090", "2x 3080Ti", "3090 GPUs". With the series.
fn bare(words: &str) -> Option<String> {
    const BEFORE: &[&str] = &[
        "my",
        "our",
        "a",
        "an",
        "the",
        "one",
        "single",
        "dual",
        "two",
        "four",
        "eight",
        "new",
        "colab",
        "kaggle",
        "accelerator",
    ];
    const AFTER: &[&str] = &["gpu", "gpus", "card", "cards"];
    // "On", "with" and counting words before a model, but not before so many steps, epochs, seconds; names of GPUs and "on"
    // behind it.
    const UNSPACED_BEFORE: &[char] = &['在', '用', '张', '張', '块', '枚', '卡', '台'];
    const UNITS: &[char] = &['步', '轮', '个', '次', '条', '秒', '元', '行', '张', '帧', '年', '小', '分', '回', '枚'];
    const UNSPACED_AFTER: &[&str] = &["显卡", "卡", "上", "顯卡", "グラボ", "그래픽"];
    let models = bare_models().map(|(_, model)| model);
    models.flat_map(|model| words.match_indices(model)).find_map(|(at, _)| {
        let (head, tail) = words.split_at_checked(at)?;
        let (name, rest) = bare_at(tail)?;
        let before = head.split_whitespace().next_back().unwrap_or_default().to_ascii_lowercase();
        let is_count = before.strip_suffix('x').is_some_and(|count| count.parse::<u8>().is_ok());
        let starts = is_count || head.is_empty() || head.ends_with([' ', '(']);
        let after = rest.trim_start().split(|c: char| !is_word(c)).next().unwrap_or_default();
        let is_gpu = is_count
            || BEFORE.contains(&before.as_str())
            || before.ends_with(UNSPACED_BEFORE) && !rest.trim_start().starts_with(UNITS)
            || UNSPACED_AFTER.iter().any(|word| rest.trim_start().starts_with(word))
            || AFTER.iter().any(|word| after.eq_ignore_ascii_case(word))
            || size(rest.trim_start()).is_some();
        (starts && is_gpu).then_some(name)
    })
}

/// Every model that people name alone, after its series.
fn bare_models() -> impl Iterator<Item = (&'static str, &'static str)> {
    let series = vendors::all().iter().flat_map(|vendor| &vendor.gpus.bare);
    series.flat_map(|(series, models)| models.iter().map(|model| (series.as_str(), model.as_str())))
}

/// The name of a model that the words begin with, and what follows it.
fn bare_at(words: &str) -> Option<(String, &str)> {
    const VARIANTS: [(&str, &str); 3] = [("ti super", " Ti SUPER"), ("ti", " Ti"), ("super", " SUPER")];
    let ends = |rest: &str| !rest.starts_with(|c: char| is_word(c) || matches!(c, '-' | '.' | ':'));
    let (series, model, rest) =
        bare_models().find_map(|(series, model)| Some((series, model, words.strip_prefix(model)?)))?;
    let variant = VARIANTS.iter().find_map(|(written, shown)| {
        let (word, rest) = rest.trim_start_matches([' ', '-']).split_at_checked(written.len())?;
        (word.eq_ignore_ascii_case(written) && ends(rest)).then_some((*shown, rest))
    });
    let (variant, rest) = variant.unwrap_or(("", rest.strip_prefix('s').unwrap_or(rest)));
    ends(rest.strip_prefix(['.', ':']).filter(|rest| rest.is_empty() || rest.starts_with(' ')).unwrap_or(rest))
        .then(|| (format!("{series} {model}{variant}"), rest))
}

/// "4x RTX 2080 Ti", "8 x A100": the number of GPUs as people write it.
fn times(words: &str) -> Option<u64> {
    let (count, rest) = words
        .match_indices(['x', 'X', '×', '张', '張', '块', '枚', '卡'])
        .filter_map(|(at, sign)| {
            let head = words.get(..at)?.trim_end();
            let digits = head.trim_end_matches(|c: char| c.is_ascii_digit());
            let count = head.get(digits.len()..)?.parse::<u64>().ok()?;
            let alone = digits.chars().next_back().is_none_or(|c| !is_word(c) && c != '.');
            Some((count, words.get(at + sign.len()..)?.trim_start())).filter(|_| alone)
        })
        .find(|(_, rest)| {
            let mut starts = vendors::all().iter().flat_map(|vendor| &vendor.gpus.starts);
            starts.any(|start| rest.starts_with(start.as_str())) || bare_at(rest).is_some()
        })?;
    (1..=64).contains(&count).then_some(count).filter(|_| name(rest).is_some() || bare_at(rest).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_between_letters_without_spaces() {
        let read = |words: &str| {
            let (mut facts, mut hints) = (Facts::default(), Vec::new());
            read(words, 1, &mut facts, &mut hints);
            let named = facts.text("gpu.name").map(str::to_owned).or_else(|| hints.into_iter().next().map(|it| it.1));
            (named.unwrap_or_default(), facts.number("gpu.count"))
        };
        for (words, name, count) in [
            ("tensorflow-gpu=1.13.1，A100显卡，cuda=10.0", "A100", None),
            ("在3090上跑就报错", "RTX 3090", None),
            ("用4张V100训练", "V100", Some(4.0)),
            ("50系显卡现在还没支持吗", "RTX 50 series", None),
            ("Ubuntu 20系统，pip安装失败", "", None),
            ("does it run on a 40-series GPU?", "RTX 40 series", None),
            ("単体のRTX 4070で学習しています", "RTX 4070", None),
            ("损失在3090步之后变成nan", "", None),
        ] {
            let found = read(words);
            assert!(found.0.ends_with(name) && found.0.is_empty() == name.is_empty(), "{words}: {found:?}");
            assert_eq!(found.1, count, "{words}");
        }
    }

    #[test]
    fn names_of_every_vendor() {
        for (text, expected) in [
            ("device 0: AMD Instinct MI300X, 192 GB", "AMD Instinct MI300X"),
            ("GPU: AMD Radeon RX 7900 XTX (gfx1100)", "AMD Radeon RX 7900 XTX"),
            ("NVIDIA A100-SXM4-80GB", "NVIDIA A100-SXM4-80GB"),
        ] {
            assert_eq!(name(text).map(|(name, _)| name).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn gpus_of_cloud_machines() {
        for (text, expected) in [
            ("EKS 1.29, node group of p3.2xlarge.", Some("Tesla V100")),
            ("on a g5.xlarge instance", Some("NVIDIA A10G")),
            ("gcloud a2-highgpu-1g, Debian", Some("NVIDIA A100")),
            ("step3.2xlarge", None),
            ("Python p3.5", None),
        ] {
            assert_eq!(machine(text), expected, "{text}");
        }
    }

    #[test]
    fn the_gpu_that_replaced_another_counts() {
        for (text, expected) in [
            ("Swapped my 2080 for a 3090. It hangs", Some("a 3090. It hangs")),
            ("I upgraded from a GTX 1080 to an RTX 3060", Some("an RTX 3060")),
            ("replaced the cable, now the 3090 works with it", None),
        ] {
            assert_eq!(replacement(text), expected, "{text}");
        }
    }

    #[test]
    fn models_without_their_series() {
        for (text, expected) in [
            ("my 5090 gives an error", Some("RTX 5090")),
            ("training on 2x 3090, torch 2.4", Some("RTX 3090")),
            ("two 3080Ti in one box", Some("RTX 3080 Ti")),
            ("a 4070 Ti Super", Some("RTX 4070 Ti SUPER")),
            ("four 4090s.", Some("RTX 4090")),
            ("a Colab T4", Some("Tesla T4")),
            ("M40 24GB, CUDA 12", Some("Tesla M40")),
            ("accelerator P100", Some("Tesla P100")),
            ("T4 GPU", Some("Tesla T4")),
            ("listening on port 5090", None),
            ("the 4090th step", None),
            ("step 3090 of 4090", None),
            ("worker at 10.0.0.1:5090", None),
            ("block T4-a", None),
        ] {
            assert_eq!(bare(text).as_deref(), expected, "{text}");
        }
        assert_eq!(times("2x 3090"), Some(2));
        assert_eq!(times("640x 3090"), None);
    }

    /// A new line of GPUs is data only.
    #[test]
    fn a_pattern_of_names_is_a_row_of_data() {
        let vendor: Vendor = toml::from_str("[gpus]\nstarts = [\"Ours Zephyr \"]\nparts = [\"Ours\", \"Zephyr\"]\n")
            .expect("a description");
        let text = "running on Ours Zephyr Z900";
        assert_eq!(name_of(&[vendor], text), Some(("Ours Zephyr Z900".to_owned(), None)));
        assert_eq!(name(text), None);
    }
}
