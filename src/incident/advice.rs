//! Advice that libraries print together with an error. It says the same in every case, so it is never evidence.
//!
//! It refuses to judge whether the advice is good. The surprising thing: advice also stands at the end of a line that
//! begins with numbers worth keeping, so it is cut out sentence by sentence.

use std::borrow::Cow;

use super::words::find;

/// Lines that are advice from their first word to their last.
const LINES: &[&str] = &[
    "CUDA kernel errors might be asynchronously reported",
    "For debugging consider passing CUDA_LAUNCH_BLOCKING",
    "Compile with `TORCH_USE_CUDA_DSA`",
    "Search for `cudaError",
    "Search for `CUDA_ERROR",
    "The stack trace below excludes JAX-internal frames",
    "The preceding is the original exception that occurred, unmodified",
    "For simplicity, JAX has removed its internal frames",
    "Set TORCHDYNAMO_VERBOSE",
    "Set TORCH_LOGS",
    "You can suppress this exception and fall back",
    "torchdynamo.config.raise_on_backend_error",
    "torch._dynamo.config.suppress_errors",
    "import torch._dynamo",
    "Hint: ",
    "hint: ",
    "HINT: ",
    "Please make sure",
    "Please ensure",
    "To get detailed traceback",
    "To enable traceback see",
    "Set the environment variable HYDRA_FULL_ERROR",
    "note: run with `RUST_BACKTRACE",
    "note: Some details are omitted, run with `RUST_BACKTRACE",
    "Some NCCL operations have failed or timed out. Due to the asynchronous nature",
    "Due to the asynchronous nature of CUDA kernels",
    "To avoid data inconsistency",
];

/// Sentences that are advice wherever they stand: how each begins.
const SENTENCES: &[&str] = &[
    "If reserved but unallocated memory is large",
    "If reserved memory is >> allocated memory",
    "See documentation for Memory Management",
    "See https://pytorch.org/docs/stable/notes/cuda.html",
    "Please make sure",
    "Please ensure that",
    "CUDA kernel errors might be asynchronously reported",
    "For debugging consider passing",
    "Compile with `TORCH_USE_CUDA_DSA`",
    "Device-side assertions were explicitly omitted",
    "Device-side assertion tracking was not enabled",
    "Hint: ",
    "Reducing block sizes or",
    "Did you run some cuda functions before calling",
    "Please try to raise your shared memory limit",
    "It is possible that dataloader's workers are out of shared memory",
    "Please check that you have an NVIDIA GPU and installed",
    "Please check the environment",
    "Please update your GPU driver",
    "Search for `cudaError",
    "This is typically caused by a remote worker crashing",
    "Check the logs of the remote worker",
    "run with NCCL_DEBUG=INFO for details",
    "Decrease GPU memory utilization",
    "Alternatively, go to",
    "consider setting",
];

/// Whether the whole line is advice.
pub(crate) fn is_advice(words: &str) -> bool {
    let words = words.trim_start();
    LINES.iter().any(|start| words.starts_with(start))
}

/// The text without sentences of advice.
pub fn without(text: &str) -> Cow<'_, str> {
    let mut kept = Cow::Borrowed(text);
    for start in SENTENCES {
        if find(&kept, start).is_some() {
            kept = Cow::Owned(without_sentence(&kept, start));
        }
    }
    kept
}

/// The text without the sentences that begin with `start`.
fn without_sentence(text: &str, start: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = find(rest, start) {
        let (head, sentence) = rest.split_at(at);
        kept.push_str(head);
        kept.truncate(kept.trim_end_matches([' ', '(']).len());
        let (_, tail) = sentence.split_at(sentence_end(sentence));
        rest = tail.trim_start_matches([' ', ')']);
        if !rest.is_empty() && !kept.is_empty() && !rest.starts_with(['\n', ',', '.']) {
            kept.push(' ');
        }
    }
    kept.push_str(rest);
    kept
}

/// Where the sentence ends that `text` begins with: a full stop before a space and a capital, a line break, the end.
fn sentence_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    for (at, c) in text.char_indices() {
        if c == '\n' || c == ')' && !text.get(..at).is_some_and(|head| head.contains('(')) {
            return at;
        }
        if c == '?' || c == '!' {
            return at + 1;
        }
        if c == '.' && bytes.get(at + 1).is_none_or(|next| *next == b' ' || *next == b'\n') {
            let next = text.get(at + 1..).and_then(|rest| rest.trim_start().chars().next());
            if next.is_none_or(|next| !next.is_lowercase()) {
                return at + 1;
            }
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_and_advice_goes() {
        let text = "CUDA out of memory. Tried to allocate 2.00 MiB. If reserved but unallocated memory is large try setting X=y:True to avoid it.  See documentation for Memory Management  (https://a.b/c.html#d)";
        assert_eq!(without(text), "CUDA out of memory. Tried to allocate 2.00 MiB.");
        assert_eq!(
            without("unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.21.5"),
            "unhandled cuda error, NCCL version 2.21.5"
        );
        assert_eq!(
            without(
                "Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling NumCudaDevices()? Error 802: system not yet initialized"
            ),
            "Unexpected error from cudaGetDeviceCount(). Error 802: system not yet initialized"
        );
        assert_eq!(without("Error 802: system not yet initialized"), "Error 802: system not yet initialized");
        assert!(is_advice("For debugging consider passing CUDA_LAUNCH_BLOCKING=1"));
        assert!(!is_advice("RuntimeError: x"));
    }
}
