//! Status codes of the CUDA libraries in every spelling, and the error-check macros of C++ programs.
//!
//! It names codes, it does not explain them. The surprising thing: a bare number counts only behind words that say
//! CUDA, because every other library has an error 35 too.

use super::context::ParserContext;
use super::numbers;
use super::sentences::{GENERAL, SPECIFIC};
use super::words::{after, contains_folded, find, is_word, whole};
use super::{Code, ErrorEvent, Frame, Kind, Role};
use crate::text::Level;

/// Beginnings of enum names. Those that end in an underscore need capitals behind them, the others a capital letter.
const FAMILIES: &[&str] = &[
    "CUDA_ERROR_",
    "CUDNN_STATUS_",
    "CUBLAS_STATUS_",
    "CUSOLVER_STATUS_",
    "CUSPARSE_STATUS_",
    "CURAND_STATUS_",
    "CUFFT_",
    "NVRTC_ERROR_",
    "NVML_ERROR_",
    "cudaError",
    "nccl",
    "NVMLError_",
];

/// The names that NCCL's `nccl...` codes have; other words with that beginning are functions and files.
const NCCL_CODES: &[&str] = &[
    "ncclUnhandledCudaError",
    "ncclSystemError",
    "ncclInternalError",
    "ncclInvalidArgument",
    "ncclInvalidUsage",
    "ncclRemoteError",
    "ncclInProgress",
    "ncclTimeout",
];

/// All status codes on one line or in one message, each once, in the order found.
pub(super) fn codes(text: &str) -> Vec<String> {
    let mut found: Vec<(usize, String)> = Vec::new();
    for family in FAMILIES {
        if !text.contains(family) {
            continue;
        }
        for (at, _) in text.match_indices(family) {
            if text.get(..at).and_then(|head| head.chars().next_back()).is_some_and(is_word) {
                continue;
            }
            let name = text.get(at..).map_or("", |rest| rest.split(|c: char| !is_word(c)).next().unwrap_or(""));
            if let Some(name) = accept(family, name) {
                found.push((at, name));
            }
        }
    }
    for (sentence, name) in SPECIFIC {
        if let Some(at) = find(text, sentence) {
            found.push((at, (*name).to_owned()));
        }
    }
    if found.is_empty() && speaks_of_cuda(text) {
        for (sentence, name) in GENERAL {
            if let Some(at) = find(text, sentence)
                && !text.get(..at).is_some_and(|head| head.ends_with("CUDA "))
            {
                found.push((at, (*name).to_owned()));
            }
        }
    }
    if found.is_empty() {
        found.extend(numbers::of_cuda(text));
    }
    found.sort();
    let mut names: Vec<String> = Vec::new();
    for (_, name) in found {
        if !names.contains(&name) && !sentence_repeats(&names, &name) {
            names.push(name);
        }
    }
    names
}

/// A sentence beside its own driver-API name adds nothing: `CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected`.
fn sentence_repeats(names: &[String], name: &str) -> bool {
    name.starts_with("cudaError") && names.iter().any(|old| old.starts_with("CUDA_ERROR_"))
}

fn accept(family: &str, name: &str) -> Option<String> {
    let rest = name.strip_prefix(family)?;
    match family {
        "nccl" => NCCL_CODES.contains(&name).then(|| name.to_owned()),
        "NVMLError_" => {
            // pynvml makes a class of every code: NVMLError_DriverNotLoaded is NVML_ERROR_DRIVER_NOT_LOADED.
            let mut snake = String::from("NVML_ERROR");
            for c in rest.chars() {
                if c.is_ascii_uppercase() {
                    snake.push('_');
                }
                snake.push(c.to_ascii_uppercase());
            }
            (rest.len() > 2).then_some(snake)
        }
        "cudaError" => (rest.starts_with(|c: char| c.is_ascii_uppercase()) && rest.len() > 3).then(|| name.to_owned()),
        "CUFFT_" => (rest.len() > 3
            && rest.chars().all(|c| c.is_ascii_uppercase() || c == '_')
            && !rest.starts_with("SUCCESS")
            && !matches!(rest, "FORWARD" | "INVERSE"))
        .then(|| name.to_owned()),
        _ => (rest.len() > 2
            && !rest.starts_with("SUCCESS")
            && rest.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'))
        .then(|| name.to_owned()),
    }
}

/// Whether a line speaks of a CUDA call, so that general sentences can be believed.
fn speaks_of_cuda(text: &str) -> bool {
    [
        "cuda err",
        "cuda fail",
        "cuda runtime",
        "cuda driver",
        "cudamalloc",
        "gpuassert",
        "cuinit",
        "cuda_check",
        "checkcuda",
        "cudaget",
        "cudaset",
        "cudamem",
        "cudastream",
        "cudadevice",
        "cudafree",
        "cudalaunch",
        "cudaevent",
        "cudahost",
        "cuda call failed",
        "numcudadevices",
    ]
    .iter()
    .any(|word| contains_folded(text, word))
}

/// Puts the codes of its message into an error.
pub(super) fn fill(event: &mut ErrorEvent) {
    for text in [event.type_name.as_str(), event.message.as_str()] {
        for name in codes(text) {
            if !event.codes.iter().any(|old| old.name == name) {
                event.codes.push(Code { name, library: None, at: event.headline });
            }
        }
    }
    // A number is asked for only where no name was found.
    let named = event.codes.iter().any(|code| code.name.parse::<u32>().is_err());
    if let Some(number) = numbers::read(&event.message).filter(|_| !named) {
        event.codes = vec![Code { name: number.value.to_string(), library: Some(number.library), at: event.headline }];
    }
}

/// Reads a line on which a program's own check reports a code: `CUDA error at saxpy.cu:12 code=46(...)`.
pub(super) fn report(r: &mut ParserContext<'_>, at: usize) -> Option<usize> {
    let text = r.text(at);
    let level = r.prefix(at).and_then(|prefix| prefix.level);
    if level.is_some_and(|level| level < Level::Warning)
        || text.contains("NCCL INFO")
        || text.trim_start().starts_with('#')
    {
        return None;
    }
    let says = speaks_of_cuda(text)
        && (contains_folded(text, "error") || contains_folded(text, "fail") || contains_folded(text, "assert"));
    let names = codes(text);
    if names.is_empty() && !(says && contains_folded(text, "cuda error")) && numbers::read(text).is_none() {
        return None;
    }
    let words = text.trim();
    let mut event = r.event(Kind::Status, "", &super::advice::without(words), at);
    event.fatal = level.is_none_or(|level| level >= Level::Fatal) && !super::writing::is_prose(words);
    if let Some(frame) = place(words) {
        event.frames.push(Frame { at: r.index(at), ..frame });
    }
    // ggml: "CUDA error: <sentence>", then "  current device: 0, in function f at file:line", then the call.
    let mut end = at + 1;
    if let Some(rest) = after(r.text(at + 1), "current device: ") {
        if let Some((function, place)) = after(rest, "in function ").and_then(|rest| rest.split_once(" at ")) {
            let (file, line) = place.trim().rsplit_once(':').unwrap_or((place.trim(), ""));
            event.frames.push(Frame {
                file: file.to_owned(),
                line: whole(line).and_then(|(line, _)| u32::try_from(line).ok()).unwrap_or(0),
                function: function.trim().to_owned(),
                at: r.index(at + 1),
            });
        }
        event.kind = Kind::Native;
        r.set(at + 1, Role::Frame);
        end = at + 2;
        if r.indent(end) >= 2 && r.text(end).contains('(') {
            r.set(end, Role::Code);
            end += 1;
        }
    }
    // The same report twice over: an earlier bare "x.cu:88: CUDA error" or the very same words.
    let headline = r.index(at);
    if let Some(last) = r.errors.last_mut()
        && last.kind == Kind::Status
        && last.lines.end + 2 > headline
        && last.codes.is_empty()
        && last.message.ends_with("CUDA error")
    {
        event.lines.start = last.lines.start;
        r.errors.pop();
    }
    r.set(at, Role::Error);
    let (start, close) = (event.lines.start, r.index(end - 1) + 1);
    event.lines = start..close;
    let again = r.lately(|old| old.kind == event.kind && old.message == event.message);
    if !again {
        r.push(event);
    }
    Some(end)
}

/// The source position that an error-check macro prints: `at x.cu:12`, `x.cu(12)`, `x.cu 12`.
fn place(words: &str) -> Option<Frame> {
    for ending in [".cu", ".cuh", ".cpp", ".cc", ".cxx", ".hpp", ".h", ".c"] {
        for (at, _) in words.match_indices(ending) {
            let end = at + ending.len();
            let rest = words.get(end..)?;
            let Some(separator) = rest.chars().next().filter(|c| matches!(c, ':' | '(' | ' ' | ',' | '@')) else {
                continue;
            };
            let rest = rest.get(separator.len_utf8()..)?;
            let rest = rest.trim_start_matches([' ', ':', '"']).trim_start_matches("line ");
            let Some((line, _)) = whole(rest) else { continue };
            let head = words.get(..end)?;
            let file = head.rsplit([' ', '"', '\'', '[', '(']).next().unwrap_or(head);
            return Some(Frame {
                file: file.to_owned(),
                line: u32::try_from(line).unwrap_or(0),
                function: String::new(),
                at: 0,
            });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_in_every_spelling() {
        let table: &[(&str, &[&str])] = &[
            ("CUDA error: an illegal memory access was encountered", &["cudaErrorIllegalAddress"]),
            ("CUDA error: out of memory", &["cudaErrorMemoryAllocation"]),
            ("CUDA out of memory. Tried to allocate 2 MiB", &[]),
            (
                "failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected",
                &["CUDA_ERROR_NO_DEVICE"],
            ),
            (
                "CUDA error at saxpy.cu:12 code=46(cudaErrorDevicesUnavailable) \"cudaMalloc(&x)\"",
                &["cudaErrorDevicesUnavailable"],
            ),
            (
                "x.cu(12): CUDA Runtime API error 700: an illegal memory access was encountered.",
                &["cudaErrorIllegalAddress"],
            ),
            ("[hf] CUDA error 700 in kernel", &["700"]),
            ("cuda runtime error (59) : x", &["59"]),
            ("Cuda failure x.cu:88 'invalid argument'", &["cudaErrorInvalidValue"]),
            ("GPUassert: misaligned address k.cu 34", &["cudaErrorMisalignedAddress"]),
            ("cuDNN error: CUDNN_STATUS_EXECUTION_FAILED", &["CUDNN_STATUS_EXECUTION_FAILED"]),
            ("CUDNN failure 4: CUDNN_STATUS_INTERNAL_ERROR ; GPU=0", &["CUDNN_STATUS_INTERNAL_ERROR"]),
            ("CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", &["CUBLAS_STATUS_ALLOC_FAILED"]),
            ("ncclUnhandledCudaError: Call to CUDA function failed.", &["ncclUnhandledCudaError"]),
            ("ncclCommInitRank failed", &[]),
            (
                "[<CUresult.CUDA_ERROR_LAUNCH_FAILED: 719>] Call to cuMemcpyHtoD results in CUDA_ERROR_LAUNCH_FAILED",
                &["CUDA_ERROR_LAUNCH_FAILED"],
            ),
            ("[700] Call to cuMemcpyDtoH results in UNKNOWN_CUDA_ERROR", &["700"]),
            ("NVMLError_DriverNotLoaded", &["NVML_ERROR_DRIVER_NOT_LOADED"]),
            ("failed call to cuInit: UNKNOWN ERROR (303)", &["303"]),
            ("ioctl failed: invalid argument", &[]),
            ("exit code 137", &[]),
        ];
        for (text, expected) in table {
            assert_eq!(&codes(text), expected, "{text}");
        }
    }

    #[test]
    fn places() {
        let at = |words| place(words).map(|f| (f.file, f.line));
        assert_eq!(at("CUDA error at saxpy.cu:12 code=46"), Some(("saxpy.cu".into(), 12)));
        assert_eq!(at("src/k.cu(33): CUDA Runtime API error 1"), Some(("src/k.cu".into(), 33)));
        assert_eq!(at("GPUassert: misaligned address k.cu 34"), Some(("k.cu".into(), 34)));
        assert_eq!(at("x.cuda: no"), None);
    }
}
