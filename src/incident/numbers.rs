//! Status codes printed as bare numbers, and the library they belong to: `CUBLAS error: 13`, `cuLaunchKernel failed:
//! 719`, `stat == CUBLAS_STATUS_SUCCESS (13 vs. 0)`.
//!
//! A number counts only after the name of a library or of one of its functions. The names are in kb/vendors.

use super::words::{after, contains_folded, find_folded, is_word, parse_uint};
use crate::vendors::{self, Vendor};

/// A code without its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number {
    /// The table of the book that holds it.
    pub(super) library: &'static str,
    /// The number, in today's numbering.
    pub(super) value: u32,
}

/// Words that may come between a name and its number. The first ones report a failure, the others do not.
const FAILED: &[&str] = &["error", "err", "errors", "failure", "failed", "fail", "errno"];
const BETWEEN: &[&str] = &[
    "status",
    "code",
    "returned",
    "returns",
    "result",
    "with",
    "runtime",
    "driver",
    "api",
    "initialization",
    "call",
    "error_t",
    "ret",
    "rc",
];

/// Words after a number that make it a count.
const COUNTED: &[&str] =
    &["times", "attempts", "retries", "devices", "device", "gpus", "gpu", "ranks", "of", "errors", "warnings"];

/// The code that a line gives by number only.
pub(super) fn read(text: &str) -> Option<Number> {
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut rest = text;
    while let Some((word, behind)) = next_word(rest) {
        if let Some(vendor) = vendors::all().iter().find(|vendor| tables(vendor, word).next().is_some()) {
            let value = if ends_with_success(word) { compared(behind) } else { failure_number(behind) };
            let table = |value| tables(vendor, word).find(|(_, below)| below.is_none_or(|below| value < below));
            if let Some(value) = value.filter(|value| *value != 0)
                && let Some((library, _)) = table(value)
            {
                return Some(Number { library, value: today(vendor, library, value) });
            }
        }
        rest = behind;
    }
    None
}

/// Whether a line gives a code by number only.
pub(crate) fn gives_code(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    read(&text).is_some() || vendors::all().iter().any(|vendor| bare(vendor, &text).is_some())
}

/// A number that belongs to a vendor by the words before it, also where no library or function is named: its position
/// and value.
pub(super) fn bare(vendor: &Vendor, text: &str) -> Option<(usize, String)> {
    const MOST: u64 = 1000;
    let codes = &vendor.codes;
    let weak = codes.before_number_weak.iter().map(|before| (before, true));
    for (before, is_weak) in codes.before_number.iter().map(|before| (before, false)).chain(weak) {
        let Some(at) = find_folded(text, before) else { continue };
        if is_weak && !names_function(vendor, line_at(text, at)) {
            continue;
        }
        let rest = text.get(at + before.len()..)?;
        let rest = rest.trim_start_matches([' ', ':', '=', '(', '#']);
        let rest = rest.strip_prefix("code").unwrap_or(rest).trim_start_matches([' ', ':', '=']);
        if let Some((value, tail)) = parse_uint(rest)
            && value > 0
            && value < MOST
            && !tail.starts_with(|c: char| is_word(c) || c == '.')
        {
            return Some((at, value.to_string()));
        }
    }
    // "Error 802: system not yet initialized" with the name of the runtime, "[700] Call to cuMemcpyDtoH".
    if let Some(rest) = after(text, "Error ")
        && !vendor.runtime.facts.is_empty()
        && contains_folded(text, &vendor.runtime.facts)
        && let Some((value, tail)) = parse_uint(rest)
        && tail.starts_with(':')
        && value < MOST
    {
        return Some((0, value.to_string()));
    }
    codes.functions.iter().find_map(|function| {
        let (head, _) = text.split_once(&format!("] Call to {}", function.start))?;
        let (value, tail) = parse_uint(head.rsplit('[').next()?)?;
        (tail.is_empty() && value > 0 && value < MOST).then(|| (0, value.to_string()))
    })
}

/// The line of a message that has the byte.
fn line_at(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    text[start..].split('\n').next().unwrap_or_default()
}

/// Whether a line names a function of the vendor (`cuInit`, `cuda_malloc`): `cu121` in an address and `current` do not.
fn names_function(vendor: &Vendor, line: &str) -> bool {
    let facts = &vendor.runtime.facts;
    let calls = |word: &str, start: &str| {
        word.strip_prefix(start).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
    };
    let begins = |word: &str| word.get(..facts.len()).is_some_and(|head| head.eq_ignore_ascii_case(facts));
    let of_runtime = |word: &str| !facts.is_empty() && begins(word);
    let mut words = line.split(|c: char| !is_word(c));
    words.any(|word| of_runtime(word) || vendor.codes.functions.iter().any(|function| calls(word, &function.start)))
}

/// The number in today's numbering: an old program's 77 is today's 700.
fn today(vendor: &Vendor, table: &str, value: u32) -> u32 {
    let pairs = vendor.codes.renumbered.get(table).map_or(&[][..], Vec::as_slice);
    pairs.iter().find(|(old, _)| *old == value).map_or(value, |(_, new)| *new)
}

/// The tables of the library that a name belongs to, and below which number each holds.
fn tables<'v>(vendor: &'v Vendor, word: &str) -> impl Iterator<Item = (&'v str, Option<u32>)> {
    let begins = |start: &str| word.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
    let named = vendor.codes.words.iter().find(|known| begins(&known.start)).map(|known| known.start.as_str());
    // A function of the driver: cuInit, cuLaunchKernel.
    let is_function = |start: &str| {
        word.strip_prefix(start).map(str::as_bytes).is_some_and(|name| {
            name.first().is_some_and(u8::is_ascii_uppercase) && name.get(1).is_some_and(u8::is_ascii_lowercase)
        })
    };
    let function = vendor.codes.functions.iter().find(|known| named.is_none() && is_function(&known.start));
    let words = vendor.codes.words.iter().filter(move |known| Some(known.start.as_str()) == named);
    words.chain(function).map(|known| (known.table.as_str(), known.below))
}

fn ends_with_success(word: &str) -> bool {
    const SUCCESS: &str = "success";
    let start = word.len().checked_sub(SUCCESS.len());
    start.and_then(|start| word.get(start..)).is_some_and(|tail| tail.eq_ignore_ascii_case(SUCCESS))
}

/// The next word, and what follows it.
fn next_word(text: &str) -> Option<(&str, &str)> {
    let start = text.find(is_word)?;
    let text = &text[start..];
    Some(text.split_at(text.find(|c| !is_word(c)).unwrap_or(text.len())))
}

/// The number after a name and words of failure.
fn failure_number(behind: &str) -> Option<u32> {
    /// Words between a name and its number.
    const MOST: usize = 5;
    let mut rest = behind;
    // The arguments of a call.
    if rest.starts_with('(') {
        rest = rest.split_once(')')?.1;
    }
    let (mut failed, mut answered) = (false, false);
    for _ in 0..=MOST {
        rest = rest.trim_start_matches([' ', ':', '=', '(', '[', '#', ',', '\'', '"']);
        if rest.starts_with(|c: char| c.is_ascii_digit()) {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let value = rest[..end].parse().ok()?;
            // A function that merely returns a small number may return a count.
            return ((failed || answered && value >= 30) && ends(&rest[end..])).then_some(value);
        }
        let (word, next) = next_word(rest)?;
        if !rest.starts_with(word) {
            return None;
        }
        let word = word.to_ascii_lowercase();
        match (FAILED.contains(&word.as_str()), BETWEEN.contains(&word.as_str())) {
            (true, _) => failed = true,
            (false, true) => answered = true,
            _ => return None,
        }
        rest = next;
    }
    None
}

/// The number in `(13 vs. 0)` after the name of a success.
fn compared(behind: &str) -> Option<u32> {
    let (one, two) = behind.split_once(" vs. ")?;
    let digits = |c: char| !c.is_ascii_digit();
    let (one, two) = (one.rsplit('(').next()?, two.split(digits).next()?);
    let (one, two): (u32, u32) = (one.trim().parse().ok()?, two.parse().ok()?);
    (one == 0 || two == 0).then_some(one.max(two))
}

/// Whether the text after a number allows it to be a code.
fn ends(behind: &str) -> bool {
    let next = behind.trim_start();
    let word = next_word(next).filter(|(word, _)| next.starts_with(word)).map(|(word, _)| word.to_ascii_lowercase());
    let joined = behind.starts_with(|c: char| is_word(c) || matches!(c, '%' | '/' | '-'));
    let fraction = behind.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    !joined && !fraction && word.is_none_or(|word| !COUNTED.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_a_library() {
        for (text, library, value) in [
            ("CUBLAS error: 13", "cublas", 13),
            ("cuDNN error 8", "cudnn8", 8),
            ("cudnn status error 3000 in f", "cudnn9", 3000),
            ("cublasCreate failed with error 1", "cublas", 1),
            ("cusolver error: 7, when calling `cusolverDnCreate(handle)`", "cusolver", 7),
            ("NCCL failure 5", "nccl", 5),
            ("cuLaunchKernel(f, 1, 2) failed: 719", "cuda-driver", 719),
            ("cuInit(0) returned 999", "cuda-driver", 999),
            ("hipMalloc failed with error 2", "hip", 2),
            ("hipblasCreate failed: 3", "hipblas", 3),
            ("Check failed: rocblas_status_success == s (0 vs. 6)", "rocblas", 6),
            ("cudaGetDeviceCount returned 30", "cuda-runtime", 999),
            ("CUDA initialization failure with error 222. Please check", "cuda-runtime", 222),
            ("Check failed: stat == CUBLAS_STATUS_SUCCESS (13 vs. 0) ", "cublas", 13),
            ("Check failed: CUBLAS_STATUS_SUCCESS == g (0 vs. 14)", "cublas", 14),
            ("Check failed: error == cudaSuccess (77 vs. 0)", "cuda-runtime", 700),
        ] {
            assert_eq!(read(text), Some(Number { library, value }), "{text}");
        }
    }

    #[test]
    fn a_weak_word_needs_a_function_on_its_line() {
        let nvidia = &vendors::all()[0];
        let code = |text: &str| bare(nvidia, text).map(|(_, value)| value);
        assert_eq!(code("cuMemAlloc failed, error code: 2"), Some("2".to_owned()));
        assert_eq!(code("CUDA call ended, error code 700"), Some("700".to_owned()));
        for text in [
            "Command: pip install torch --extra-index-url https://download.pytorch.org/whl/cu121 Error code: 1",
            "the current run stopped with error code 1",
            "cuInit was called\nError code: 1",
        ] {
            assert_eq!(code(text), None, "{text}");
        }
    }

    #[test]
    fn other_numbers() {
        for text in [
            "cudaGetDeviceCount returned 8",
            "cudaGetDeviceCount returned 64 devices",
            "CUDA error 11.4",
            "NCCL failed 3 times",
            "NCCL version 2.14",
            "cuda:0 failed",
            "CUDA_VISIBLE_DEVICES=3",
            "cudnn 8 failed",
            "Check failed: x == y (13 vs. 0)",
            "CUDA error 0",
            "cup error 3",
            "cudnnFoo(1, 2",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
