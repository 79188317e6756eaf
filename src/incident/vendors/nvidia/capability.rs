//! Compute capabilities: that of the GPU, and those that the framework was built for. Facts `gpu.compute_capability`,
//! `gpu.arch`, `torch.arch_list`.

use crate::facts::{Facts, Source, Value};
use crate::incident::words::{after, after_folded, contains_folded, find_folded, is_word, parse_uint};

/// Reads the compute capability of the GPU, and the list that a build supports.
pub(super) fn read(words: &str, line: u32, facts: &mut Facts) {
    if words.len() > 600 {
        return;
    }
    let list_at = [
        "supports CUDA capabilities ",
        "get_arch_list() = ",
        "get_arch_list(): ",
        "get_arch_list()",
        "arch list: ",
        "arch_list: ",
    ]
    .iter()
    .find_map(|mark| after_folded(words, &mark.to_ascii_lowercase()));
    if let Some(list) = list_at {
        let names: Vec<String> = list
            .split(|c: char| !(is_word(c)))
            .filter(|word| word.starts_with("sm_") || word.starts_with("compute_"))
            .map(str::to_owned)
            .collect();
        if !names.is_empty() {
            facts.add("torch.arch_list", Value::List(names), Source::Text, Some(line));
        }
    }
    // ggml: "found 2 CUDA devices".
    let devices = after(words, "found ").and_then(parse_uint).filter(|(_, rest)| rest.starts_with(" CUDA devices"));
    if let Some((count, _)) = devices {
        facts.number_in_text("gpu.count", count as f64, line);
    }
    let found = sm_of(words).or_else(|| {
        for mark in ["compute capability", "cuda capability", "has capability", "capability"] {
            let Some(at) = find_folded(words, mark) else { continue };
            let rest = words.get(at + mark.len()..)?.trim_start_matches([' ', ':', '=', '(', '*', '`', '[']);
            let Some((major, rest)) = parse_uint(rest) else { continue };
            let Some(rest) =
                rest.strip_prefix('.').or_else(|| rest.strip_prefix(", ")).or_else(|| rest.strip_prefix(','))
            else {
                continue;
            };
            let (minor, _) = parse_uint(rest)?;
            // "requires device with capability > (8, 0)" is a requirement.
            let demand = words.get(..at).is_some_and(|head| {
                contains_folded(head, "requires")
                    || contains_folded(head, "at least")
                    || contains_folded(head, "minimum")
            });
            if !demand && (1..=20).contains(&major) && minor < 10 {
                return Some((major, minor));
            }
        }
        after(words, "your GPU has capability (").and_then(|rest| {
            let (major, rest) = parse_uint(rest)?;
            Some((major, parse_uint(rest.trim_start_matches(','))?.0))
        })
    });
    if let Some((major, minor)) = found {
        facts.words_in_text("gpu.compute_capability", format!("{major}.{minor}"), line);
        facts.words_in_text("gpu.arch", format!("sm_{major}{minor}"), line);
    }
}

/// "with CUDA capability sm_120 is not compatible": the GPU's own.
fn sm_of(words: &str) -> Option<(u64, u64)> {
    let (digits, _) = after(words, "CUDA capability sm_").and_then(parse_uint)?;
    Some((digits / 10, digits % 10))
}
