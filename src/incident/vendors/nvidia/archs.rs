//! The architectures that a custom build targets: `-gencode`, `-arch`, `TORCH_CUDA_ARCH_LIST`, the lists of CMake and
//! ggml. Fact `build.arch_list`.
//!
//! `-gencode` flags may share a line or be spread over many, so the list is a union. An architecture that the compiler
//! rejects was never built and does not count.

use crate::facts::{Facts, Value};
use crate::incident::words::{after, contains_folded};

/// Reads the architectures that a line names.
pub(super) fn read(words: &str, line: u32, facts: &mut Facts) {
    let refused = ["unsupported", "is not defined", "nvcc fatal", "Unknown CUDA", "no kernel image", "not compatible"];
    if refused.iter().any(|sign| contains_folded(words, &sign.to_lowercase())) {
        return;
    }
    let mut found = Vec::new();
    for part in words.split("code=").skip(1) {
        // code=sm_70, code=\"sm_70,compute_70\", code=[sm_70,compute_70]
        let end = part.find(|c: char| c.is_whitespace() || c == ']').unwrap_or(part.len());
        names(part.get(..end).unwrap_or_default(), &mut found);
    }
    for flag in ["-arch=", "--gpu-architecture=", "-arch "] {
        if let Some(rest) = after(words, flag) {
            let first = rest.split_whitespace().next().unwrap_or_default();
            names(first, &mut found);
        }
    }
    for list in
        ["TORCH_CUDA_ARCH_LIST", "CMAKE_CUDA_ARCHITECTURES", "CUDAARCHS", "CUDA_ARCH_BIN", "CUDA : ARCHS", "CUDA ARCHS"]
    {
        let Some(rest) = after(words, list) else { continue };
        let Some(rest) = rest.trim_start_matches([' ', ':', '"', '\'', ']']).strip_prefix('=') else { continue };
        let rest = rest.trim_start();
        let quoted = rest.strip_prefix(['"', '\'']);
        let value = match quoted {
            Some(rest) => rest.split(['"', '\'']).next(),
            None => rest.split([' ', '|', '`', ')']).next(),
        };
        numbers(value.unwrap_or_default(), &mut found);
    }
    if found.is_empty() {
        return;
    }
    if let Some(Value::List(old)) = facts.get("build.arch_list").map(|fact| fact.value.clone()) {
        found.splice(0..0, old);
    }
    let mut seen = Vec::new();
    found.retain(|name| {
        !seen.contains(name) && {
            seen.push(name.clone());
            true
        }
    });
    facts.replace_in_text("build.arch_list", Value::List(found), line);
}

/// `sm_70`, `compute_70` in a value.
fn names(value: &str, found: &mut Vec<String>) {
    for word in value.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
        let digits = word.strip_prefix("sm_").or_else(|| word.strip_prefix("compute_"));
        if digits.is_some_and(|digits| digits.len() >= 2 && digits.starts_with(|c: char| c.is_ascii_digit())) {
            found.push(word.to_owned());
        }
    }
}

/// `6.0;7.0+PTX`, `60;70`, `60-real`, `500,610` (ggml's tenfold) in a value.
fn numbers(value: &str, found: &mut Vec<String>) {
    for item in value.split([';', ',', ' ']).filter(|item| !item.is_empty()) {
        let digits: String =
            item.chars().take_while(|c| c.is_ascii_digit() || *c == '.').filter(|c| *c != '.').collect();
        let digits = if digits.len() == 3 && digits.ends_with('0') && !digits.starts_with('1') || digits.len() == 4 {
            digits.get(..digits.len() - 1).unwrap_or_default()
        } else {
            &digits
        };
        if !(2..=3).contains(&digits.len()) {
            continue;
        }
        if !item.ends_with("-virtual") {
            found.push(format!("sm_{digits}"));
        }
        // CMake makes both kinds of a bare number; PyTorch only with "+PTX".
        if item.ends_with("+PTX") || item.ends_with("-virtual") || (!item.contains('.') && !item.contains('-')) {
            found.push(format!("compute_{digits}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_architectures() {
        for (text, expected) in [
            ("nvcc -gencode arch=compute_60,code=sm_60 -gencode arch=compute_70,code=sm_70 -c a.cu", "sm_60 sm_70"),
            ("nvcc -gencode=arch=compute_86,code=\"compute_86,sm_86\" x", "compute_86 sm_86"),
            ("nvcc -arch=sm_52 x.cu", "sm_52"),
            ("$ export TORCH_CUDA_ARCH_LIST=\"7.0;7.5+PTX\"", "sm_70 sm_75 compute_75"),
            ("ENV TORCH_CUDA_ARCH_LIST='6.0 6.1'", "sm_60 sm_61"),
            ("cmake -DCMAKE_CUDA_ARCHITECTURES=75 ..", "sm_75 compute_75"),
            ("system_info: CUDA : ARCHS = 500,610 | USE_GRAPHS = 1", "sm_50 compute_50 sm_61 compute_61"),
            ("nvcc fatal   : Unsupported gpu architecture 'compute_86' -arch=sm_86", ""),
            ("set TORCH_CUDA_ARCH_LIST to the right value", ""),
            ("exit code=1", ""),
        ] {
            let mut facts = Facts::default();
            read(text, 1, &mut facts);
            let got = match facts.get("build.arch_list").map(|fact| &fact.value) {
                Some(Value::List(names)) => names.join(" "),
                _ => String::new(),
            };
            assert_eq!(got, expected, "{text}");
        }
    }
}
