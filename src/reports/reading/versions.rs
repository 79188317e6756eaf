//! Versions of packages as reports write them: `2.8.0+cu128`, cuDNN's `91002`, "driver 13.0" that means its CUDA.

use super::environment::words;
use crate::facts::Facts;

/// Packages whose versions are kept, with the ways people write them.
pub(super) const PACKAGES: [(&str, &[&str]); 24] = [
    ("torch", &["pytorch", "torch", "파이토치"]),
    ("tensorflow", &["tensorflow", "tf", "tensorflow gpu", "텐서플로"]),
    ("jax", &["jax"]),
    ("jaxlib", &["jaxlib"]),
    ("python", &["python", "파이썬"]),
    ("cuda", &["cuda", "cuda toolkit", "cuda version", "cuda runtime", "nvcc"]),
    ("cudnn", &["cudnn"]),
    ("nccl", &["nccl"]),
    ("driver", &["driver", "nvidia driver", "gpu driver", "driver version", "nvidia driver version", "드라이버"]),
    ("triton", &["triton"]),
    ("vllm", &["vllm"]),
    ("transformers", &["transformers"]),
    ("lightning", &["lightning", "pytorch lightning", "pl"]),
    ("deepspeed", &["deepspeed"]),
    ("accelerate", &["accelerate"]),
    ("numba", &["numba"]),
    ("cupy", &["cupy"]),
    ("onnxruntime", &["onnxruntime", "onnx runtime", "onnxruntime gpu"]),
    ("bitsandbytes", &["bitsandbytes"]),
    ("numpy", &["numpy"]),
    ("torchvision", &["torchvision"]),
    ("flash_attn", &["flash attn", "flash attention", "flash attn 2"]),
    ("xformers", &["xformers"]),
    ("keras", &["keras"]),
];

/// Takes the version of a package; what its spelling says besides is taken too.
pub(super) fn package_version(package: &str, value: &str, facts: &mut Facts) {
    let Some(found) = leading_version(value) else { return };
    match package {
        // What nvidia-smi calls the driver's CUDA is written "driver 13.0" too; real driver numbers begin at 300.
        "driver" if major(&found) < 100 => words(facts, "driver.cuda", &found),
        "cudnn" => words(facts, "cudnn.version", &cudnn(&found)),
        "cuda" if value.to_lowercase().contains("nvidia-smi") => words(facts, "driver.cuda", &found),
        "torch" => {
            if let Some(cuda) = found.split_once("+cu").and_then(|(_, digits)| cuda_of_tag(digits)) {
                words(facts, "torch.cuda", &cuda);
            }
            words(facts, "torch.version", &found);
        }
        _ => words(facts, &format!("{package}.version"), &found),
    }
}

/// "128" of "+cu128" is CUDA 12.8, "92" is 9.2.
fn cuda_of_tag(digits: &str) -> Option<String> {
    let digits = digits.split(|c: char| !c.is_ascii_digit()).next().filter(|d| (2..=3).contains(&d.len()))?;
    let (major, minor) = digits.split_at(digits.len() - 1);
    Some(format!("{major}.{minor}"))
}

/// `91002` is 9.10.2, `8902` is 8.9.2; anything with dots stays.
fn cudnn(version: &str) -> String {
    match version.parse::<u32>() {
        Ok(n) if n >= 90_000 => format!("{}.{}.{}", n / 10_000, n / 100 % 100, n % 100),
        Ok(n) if n >= 1_000 => format!("{}.{}.{}", n / 1_000, n / 100 % 10, n % 100),
        _ => version.to_owned(),
    }
}

/// The version at the beginning of a text, or the first one in it.
fn leading_version(text: &str) -> Option<String> {
    let word = text
        .split([' ', ',', '(', ')', '/', ';', '='])
        .map(|w| w.trim_matches([':', '>', '<', '~', '^']))
        .find(|w| starts_like_version(w))?;
    let word = word.strip_prefix(['v', 'V']).unwrap_or(word);
    let end =
        word.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-' | '_'))).unwrap_or(word.len());
    Some(word.get(..end)?.trim_end_matches(['.', '-']).to_owned())
}

pub(super) fn starts_like_version(word: &str) -> bool {
    let word = word.trim_start_matches(['v', 'V', '>', '<', '=', '~', ':']);
    word.starts_with(|c: char| c.is_ascii_digit()) && !word.to_lowercase().ends_with("gb") && !word.contains('%')
}

fn major(version: &str) -> u32 {
    version.split('.').next().and_then(|m| m.parse().ok()).unwrap_or(0)
}

/// Takes the first version in a text under the name of a fact.
pub(super) fn version(facts: &mut Facts, name: &str, text: &str) {
    if let Some(found) = leading_version(text.trim_start_matches(['=', ':', ' '])) {
        words(facts, name, &found);
    }
}
