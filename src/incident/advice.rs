//! Advice that libraries print with an error. It is the same in every case, so it is never evidence.
//!
//! The sentences are data (`kb/wording/advice.toml`). Advice can follow numbers worth keeping on the same line, so it
//! is cut out sentence by sentence.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::words::find;
use crate::literals::Literals;
use crate::wording;

/// Whether all of the line is advice.
pub(crate) fn is_advice(words: &str) -> bool {
    begins_with(&wording::advice().lines, words)
}

/// The text without sentences of advice.
pub(crate) fn without(text: &str) -> Cow<'_, str> {
    static BEGINNINGS: LazyLock<Literals<'static>> = LazyLock::new(|| Literals::new(&wording::advice().sentences));
    match BEGINNINGS.is_in(text) {
        true => without_sentences(&wording::advice().sentences, text),
        false => Cow::Borrowed(text),
    }
}

fn begins_with<S: AsRef<str>>(lines: &[S], words: &str) -> bool {
    let words = words.trim_start();
    lines.iter().any(|start| words.starts_with(start.as_ref()))
}

fn without_sentences<'t, S: AsRef<str>>(sentences: &[S], text: &'t str) -> Cow<'t, str> {
    let mut kept = Cow::Borrowed(text);
    for start in sentences {
        if find(&kept, start.as_ref()).is_some() {
            kept = Cow::Owned(without_sentence(&kept, start.as_ref()));
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

    #[test]
    #[cfg(feature = "os")]
    fn a_new_wording_is_a_row_of_data() {
        let text = include_str!("../../kb/wording/advice.toml");
        let text = text.replace("lines = [", "lines = [\n    \"Have you tried\",");
        let text = text.replace("sentences = [", "sentences = [\n    \"Have you tried\",");
        let advice: wording::Advice<String> = wording::source::read(&text).expect("the file reads");
        let line = "Have you tried turning it off?";
        assert!(begins_with(&advice.lines, line) && !is_advice(line));
        let message = "device lost. Have you tried turning it off?";
        assert_eq!(without_sentences(&advice.sentences, message), "device lost.");
        assert_eq!(without(message), message);
    }
}
