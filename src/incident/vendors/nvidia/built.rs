//! What a library was built for, as shown by packages, archives and version mismatch messages. Facts `cudnn.cuda`,
//! `nccl.cuda`, `tensorflow.cuda`, `cudnn.built`, `cublas.built`, `onnxruntime.cuda`, `onnxruntime.cudnn`, `jax.cuda`.
//!
//! Mismatch messages name the required and the present version in either order. What pip only proposes does not count.

use crate::facts::Facts;
use crate::incident::words::{after, after_folded, parse_uint, version};

/// Reads a line; returns whether the line compares versions, in which case no other version on it is an installed one.
pub(super) fn read(words: &str, line: u32, facts: &mut Facts) -> bool {
    packages(words, line, facts);
    interfaces(words, line, facts);
    tags(words, line, facts);
    opened(words, line, facts);
    compared(words, line, facts)
}

/// Reads TensorFlow's note that it has opened the CUDA runtime, which is the one that it was built with.
fn opened(words: &str, line: u32, facts: &mut Facts) {
    let Some(name) = after(words, "opened dynamic library ").and_then(|rest| after(rest, "cudart")) else { return };
    let version = match name.strip_prefix("64_") {
        // `cudart64_101.dll` is 10.1; `cudart64_12.dll` names no minor version.
        Some(digits) => match digits.trim_end_matches(".dll").as_bytes() {
            [major @ .., minor] if major.len() == 2 => {
                format!("{}.{}", String::from_utf8_lossy(major), char::from(*minor))
            }
            _ => return,
        },
        None => name.trim_start_matches(".so.").to_owned(),
    };
    if version.starts_with(|c: char| c.is_ascii_digit()) && version.contains('.') {
        facts.words_in_text("tensorflow.cuda", version.trim_end_matches('.'), line);
    }
}

/// `libcudnn8 8.8.0.121-1+cuda12.0`, `NCCL version 2.9.8+cuda11.0`, `cudnn-linux-x86_64-8.9.4.25_cuda12`,
/// `cudnn-11.2-linux-x64-v8.1.0.77.tgz`, `cudnn 8.2.1 cuda11.3_0`, `jaxlib 0.4.6+cuda11.cudnn86`, `nvidia-cudnn-cu12`.
fn packages(words: &str, line: u32, facts: &mut Facts) {
    let folded = words.to_ascii_lowercase();
    let cuda = ["+cuda", "_cuda", " cuda"].iter().find_map(|mark| release(after(&folded, mark)?));
    if folded.contains("jaxlib") {
        if let Some(cuda) = after(&folded, "+cuda").and_then(release) {
            facts.words_in_text("jax.cuda", cuda, line);
        }
        if let Some(cudnn) = after(&folded, ".cudnn").and_then(digits) {
            let (major, minor) = cudnn.split_at(1);
            facts.words_in_text("cudnn.built", format!("{major}.{}", if minor.is_empty() { "0" } else { minor }), line);
        }
        return;
    }
    for (name, fact) in [("cudnn", "cudnn.cuda"), ("nccl", "nccl.cuda")] {
        let Some(rest) = after(&folded, name) else { continue };
        // Of a listing or a file name, not of a sentence that has both words.
        let listed =
            folded.contains("lib") || folded.contains("+cuda") || folded.contains("_cuda") || rest.starts_with(' ');
        if let Some(cuda) = cuda.as_deref().filter(|_| listed && rest.len() < 120) {
            facts.words_in_text(fact, cuda, line);
        }
        if let Some(tag) = rest.strip_prefix("-cu").and_then(digits).filter(|tag| tag.len() == 2) {
            facts.words_in_text(fact, tag, line);
        }
        // The old names of NVIDIA's archives: CUDA first, the library's version after "-v".
        if let Some(cuda) = rest.strip_prefix('-').and_then(release)
            && let Some(found) = after(rest, "-v").and_then(version)
            && (rest.contains("linux") || rest.contains("windows"))
        {
            facts.words_in_text(fact, cuda, line);
            let found: String = found.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
            facts.words_in_text(&format!("{name}.version"), found.trim_end_matches('.'), line);
        }
    }
    // Distributions put the toolkit's version into the package's name.
    if let Some(rest) = after(&folded, "cuda-toolkit-").or_else(|| after(&folded, "cuda-runtime-"))
        && let Some((major, rest)) = parse_uint(rest)
        && let Some((minor, _)) = rest.strip_prefix('-').and_then(parse_uint)
    {
        facts.words_in_text("toolkit.version", format!("{major}.{minor}"), line);
    }
}

/// Builds of frameworks and images by their tags: `py3.8_cuda11.3_cudnn8.2.0_0` of conda, `cuda90` of PyTorch's first
/// packages, `nvidia/cuda:12.4.1-cudnn-runtime-ubuntu22.04`.
fn tags(words: &str, line: u32, facts: &mut Facts) {
    if let Some(rest) = after(words, "_cuda").filter(|_| words.contains("torch") && words.contains("py3")) {
        if let Some(cuda) = release(rest).filter(|cuda| cuda.contains('.')) {
            facts.words_in_text("torch.cuda", cuda, line);
        }
        if let Some(cudnn) = after(rest, "_cudnn").and_then(release) {
            facts.words_in_text("cudnn.version", cudnn, line);
        }
    }
    let tag = after(words, " cuda").and_then(digits).filter(|_| words.contains("torch"));
    if let Some(cuda) =
        tag.and_then(|tag| super::version::from_tag(&tag)).filter(|cuda| !cuda.starts_with('1') || cuda.len() > 3)
    {
        facts.words_in_text("torch.cuda", cuda, line);
    }
    if let Some(cuda) = after(words, "nvidia/cuda:").and_then(release) {
        facts.words_in_text("cuda.version", cuda, line);
    }
}

/// What TensorFlow, Paddle, Caffe and ONNX Runtime print about themselves and the driver at start-up.
fn interfaces(words: &str, line: u32, facts: &mut Facts) {
    if let Some(found) = after(words, "Runtime API Version: ").and_then(release) {
        facts.words_in_text("cuda.version", found, line);
    }
    if let Some(found) = after(words, "Driver API Version: ").and_then(release) {
        facts.words_in_text("driver.cuda", found, line);
    }
    for (mark, fact) in [("CUDA version: ", "cuda.version"), ("CUDA driver version: ", "driver.cuda")] {
        if let Some((number, rest)) = after(words, mark).and_then(parse_uint)
            && (5000..20_000).contains(&number)
            && rest.trim().is_empty()
        {
            facts.words_in_text(fact, format!("{}.{}", number / 1000, number / 10 % 100), line);
        }
    }
    if words.contains("source was compiled with")
        && let Some(built) =
            after_folded(words, "compiled with").map(|rest| rest.trim_start_matches([':', ' '])).and_then(version)
    {
        facts.words_in_text("cudnn.built", built, line);
    }
    if let Some(rest) = after(words, "Require cuDNN ") {
        if let Some((cudnn, _)) = parse_uint(rest) {
            facts.words_in_text("onnxruntime.cudnn", cudnn.to_string(), line);
        }
        if let Some((cuda, _)) = after(rest, "CUDA ").and_then(parse_uint) {
            facts.words_in_text("onnxruntime.cuda", cuda.to_string(), line);
        }
    }
}

/// Messages that compare the required version with the one that was loaded.
fn compared(words: &str, line: u32, facts: &mut Facts) -> bool {
    let mut pair = |library: &str, built: Option<String>, loaded: Option<String>| {
        let (Some(built), Some(loaded)) = (built, loaded) else { return false };
        facts.words_in_text(&format!("{library}.built"), built, line);
        facts.replace_in_text(&format!("{library}.version"), crate::facts::Value::Text(loaded), line);
        true
    };
    // "TensorRT was linked against cuDNN 8.1.0 but loaded cuDNN 8.0.2"; of cuBLAS likewise.
    if let Some(rest) = after(words, "was linked against cu")
        && let Some((wanted, found)) = rest.split_once(" but loaded cu")
    {
        let library = if wanted.starts_with("DNN") { "cudnn" } else { "cublas" };
        let last = |part: &str| part.split_whitespace().find_map(release);
        return pair(library, last(wanted), last(found));
    }
    // "PyTorch was compiled  against (9, 10, 2) but found runtime version (9, 4, 0)."
    if let Some(rest) = after(words, "was compiled").filter(|rest| rest.contains("but found runtime version"))
        && let Some((wanted, found)) = rest.split_once("but found runtime version")
    {
        return pair("cudnn", tuple(wanted), tuple(found));
    }
    // "compiled with CUDNN 8.4, but CUDNN version in your machine is 8.1"
    if let Some(rest) = after_folded(words, "compiled with cudnn ")
        && let Some(found) = after_folded(rest, "version in your machine is ")
    {
        return pair("cudnn", release(rest), release(found));
    }
    // "Found cuDNN version 8600, but JAX was built against version 8904"
    if let Some(found) = after(words, "Found cuDNN version ")
        && let Some(wanted) = after(found, "built against version ")
    {
        let read = |part: &str| version(part).and_then(super::version::cudnn);
        return pair("cudnn", read(wanted), read(found));
    }
    false
}

/// "12", "11.3" at the beginning.
fn release(text: &str) -> Option<String> {
    let found: String = text.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let found = found.trim_end_matches('.');
    found.starts_with(|c: char| c.is_ascii_digit()).then(|| found.to_owned())
}

fn digits(text: &str) -> Option<String> {
    let found: String = text.chars().take_while(char::is_ascii_digit).collect();
    (!found.is_empty()).then_some(found)
}

/// "(9, 10, 2)" as a version.
fn tuple(text: &str) -> Option<String> {
    let inner = text.split_once('(')?.1.split_once(')')?.0;
    let parts: Vec<&str> = inner.split(',').map(str::trim).collect();
    parts.iter().all(|part| part.parse::<u32>().is_ok()).then(|| parts.join("."))
}

#[cfg(test)]
mod tests {
    use crate::incident::environment::tests::facts;

    #[test]
    fn the_runtime_that_tensorflow_opened() {
        let opened = |file: &str| {
            let line = format!("I tensorflow/dso_loader.cc:44] Successfully opened dynamic library {file}\n");
            facts(&line).text("tensorflow.cuda").map(str::to_owned)
        };
        for (file, version) in [
            ("cudart64_101.dll", Some("10.1")),
            ("cudart64_110.dll", Some("11.0")),
            ("cudart64_12.dll", None),
            ("libcudart.so.10.1", Some("10.1")),
            ("libcudart.so.11.0", Some("11.0")),
            ("libcublas.so.11", None),
        ] {
            assert_eq!(opened(file).as_deref(), version, "{file}");
        }
    }

    #[test]
    fn what_libraries_are_built_for() {
        for (text, name, value) in [
            ("ii  libcudnn8  8.8.0.121-1+cuda12.0  amd64  cuDNN runtime libraries", "cudnn.cuda", "12.0"),
            ("libcudnn8/unknown,now 8.8.0.121-1+cuda12.0 amd64 [installed]", "cudnn.cuda", "12.0"),
            ("tar xf cudnn-linux-x86_64-8.9.4.25_cuda12-archive.tar.xz", "cudnn.cuda", "12"),
            ("tar xf cudnn-11.2-linux-x64-v8.1.0.77.tgz", "cudnn.cuda", "11.2"),
            ("tar xf cudnn-11.2-linux-x64-v8.1.0.77.tgz", "cudnn.version", "8.1.0.77"),
            ("cudnn                     8.2.1                cuda11.3_0", "cudnn.cuda", "11.3"),
            ("nvidia-cudnn-cu12==8.9.2.26", "cudnn.cuda", "12"),
            ("ii  libnccl2             2.1.2-1+cuda9.0", "nccl.cuda", "9.0"),
            ("NCCL version 2.9.8+cuda11.0", "nccl.cuda", "11.0"),
            ("ii  cuda-toolkit-8-0   8.0.61-1", "toolkit.version", "8.0"),
            ("jaxlib             0.4.6+cuda11.cudnn86", "jax.cuda", "11"),
            ("jaxlib             0.4.6+cuda11.cudnn86", "cudnn.built", "8.6"),
            ("[W] [TRT] TensorRT was linked against cuDNN 8.1.0 but loaded cuDNN 8.0.2", "cudnn.built", "8.1.0"),
            ("[W] [TRT] TensorRT was linked against cuDNN 8.1.0 but loaded cuDNN 8.0.2", "cudnn.version", "8.0.2"),
            (
                "TensorRT was linked against cuBLAS/cuBLAS LT 11.6.3 but loaded cuBLAS/cuBLAS LT 11.5.1",
                "cublas.version",
                "11.5.1",
            ),
            (
                "RuntimeError: cuDNN version incompatibility: PyTorch was compiled  against (9, 10, 2) but found runtime version (9, 4, 0).",
                "cudnn.version",
                "9.4.0",
            ),
            (
                "device: 0. The installed Paddle is compiled with CUDNN 8.4, but CUDNN version in your machine is 8.1, which may",
                "cudnn.version",
                "8.1",
            ),
            (
                "RuntimeError: Found cuDNN version 8600, but JAX was built against version 8904, which is newer.",
                "cudnn.built",
                "8.9.4",
            ),
            (
                "W0330 gpu_resources.cc:61] Please NOTE: device: 0, GPU Compute Capability: 8.6, Driver API Version: 12.0, Runtime API Version: 11.7",
                "cuda.version",
                "11.7",
            ),
            ("CUDA driver version: 9000", "driver.cuda", "9.0"),
            ("pytorch   1.11.0   py3.8_cuda11.3_cudnn8.2.0_0  pytorch", "torch.cuda", "11.3"),
            ("pytorch   1.11.0   py3.8_cuda11.3_cudnn8.2.0_0  pytorch", "cudnn.version", "8.2.0"),
            ("python train.py   # torch 0.4.0 cuda90, RTX 2070", "torch.cuda", "9.0"),
            ("docker run --gpus all nvidia/cuda:12.4.1-base-ubuntu22.04 nvidia-smi", "cuda.version", "12.4.1"),
            (
                "Failed to create CUDAExecutionProvider. Require cuDNN 9.* and CUDA 12.*, and the latest MSVC runtime.",
                "onnxruntime.cudnn",
                "9",
            ),
        ] {
            assert_eq!(facts(text).text(name), Some(value), "{name} in {text}");
        }
        for (text, name) in [
            ("install the cudnn for your cuda first", "cudnn.cuda"),
            ("CUDA version: 12.4", "driver.cuda"),
            ("RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED", "cudnn.cuda"),
        ] {
            assert_eq!(facts(text).get(name), None, "{name} in {text}");
        }
    }
}
