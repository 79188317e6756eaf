//! Status lines of frameworks and short messages of tools: TensorFlow, XLA, ONNX Runtime, TensorRT, Lightning, Keras,
//! nvcc, ptxas, nvidia-smi, docker, the loader.
//!
//! Frameworks print errors at start-up that mean nothing, so a status line alone is never fatal.

use super::context::ParserContext;
use super::words::{after, contains_folded};
use super::{ErrorEvent, Kind, Role, failures};
use crate::text::Level;
use crate::vendors::{self, description::Tool};

/// Words that XLA and TensorFlow begin a status with.
const STATUS_WORDS: &[&str] = &[
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "INTERNAL",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "UNIMPLEMENTED",
    "ABORTED",
    "NOT_FOUND",
    "UNAVAILABLE",
    "DEADLINE_EXCEEDED",
    "OUT_OF_RANGE",
    "PERMISSION_DENIED",
    "CANCELLED",
];

/// Tools by the words their messages begin with; those of the vendors are in kb/vendors.
const TOOLS: &[(&str, &str)] = &[
    ("docker: Error response from daemon", "docker"),
    ("Error response from daemon", "docker"),
    ("ninja: error", "ninja"),
    ("ninja: build stopped", "ninja"),
];

/// Reads a line of a framework or a tool; returns the position after it.
pub(super) fn read(r: &mut ParserContext<'_>, at: usize) -> Option<usize> {
    let text = r.text(at);
    let words = text.trim();
    let mut tools =
        TOOLS.iter().copied().chain(tools_of_vendors().map(|tool| (tool.prefix.as_str(), tool.name.as_str())));
    if let Some((_, name)) = tools.find(|(start, _)| words.starts_with(start)) {
        return Some(file(r, at, Kind::Tool, name, words, true));
    }
    if words.contains("error while loading shared libraries:")
        || words.contains("symbol lookup error:")
        || words.contains("rror response from daemon")
        || tools_of_vendors().any(|tool| tool.quoted && words.contains(&tool.prefix))
        || words.contains(": can't open file '")
    {
        return Some(file(r, at, Kind::Tool, "", words, true));
    }
    if let Some(rest) = after(words, "[E:onnxruntime").or_else(|| after(words, "[F:onnxruntime")) {
        let message = after(rest, "] ").unwrap_or(rest);
        return Some(file(r, at, Kind::Status, "onnxruntime", message, false));
    }
    if let Some(rest) = after(words, "[ONNXRuntimeError] : ") {
        let mut parts = rest.splitn(3, " : ");
        let (_, name, message) = (parts.next(), parts.next().unwrap_or(""), parts.next().unwrap_or(rest));
        return Some(file(r, at, Kind::Status, name.trim(), message, true));
    }
    if words.starts_with("EP Error ") {
        return Some(file(r, at, Kind::Status, "EP Error", words.get(9..).unwrap_or(words), false));
    }
    if words.contains("[TRT]") || words.contains("[TensorRT]") || words.contains("Error Code ") && words.contains("::")
    {
        let bad = words.contains("Error Code ")
            || words.contains("failed")
            || words.contains("Could not find any implementation")
            || words.contains("[E]")
            || words.contains("ERROR");
        let message = after(words, "[TRT]").or_else(|| after(words, "[TensorRT]")).unwrap_or(words).trim();
        let message = message.trim_start_matches("ERROR: ").trim_start_matches("[E] ").trim();
        return bad.then(|| file(r, at, Kind::Status, "TensorRT", message, false));
    }
    if words.contains("nvalid loss, terminating")
        || words.contains("is not finite") && words.contains("Signaling Trainer to stop")
        || words.contains("oss is nan, stopping")
        || words.contains("Loss is nan")
    {
        return Some(file(r, at, Kind::Status, "", words, true));
    }
    if words.contains(": fatal error: ") || words.starts_with("fatal error: ") || compiler_error(words) {
        return Some(file(r, at, Kind::Tool, "compiler", words, true));
    }
    let level = r.prefix(at).and_then(|prefix| prefix.level);
    if level.is_some_and(|level| level < Level::Error) {
        return None;
    }
    if let Some(word) = status_word(words)
        && level.is_none()
        && words.starts_with(word)
    {
        let message = words.get(word.len()..).unwrap_or("").trim_start_matches([':', ' ']);
        return Some(file(r, at, Kind::Status, word, message, true));
    }
    if level.is_none() {
        if words.starts_with("ERROR: ")
            || words.starts_with("ERROR ")
            || words.contains(": ERROR ")
            || words.contains(" level=ERROR ")
            || words.contains("level=error")
        {
            if failures::counts_none(words) {
                return None;
            }
            let message = words.trim_start_matches("ERROR").trim_start_matches([':', ' ']);
            return Some(file(r, at, Kind::Status, "", message, !words.contains("level=")));
        }
        if words.starts_with("error: ")
            || words.starts_with("Error: ")
            || words.contains(": error: ") && !words.contains("http")
        {
            if failures::counts_none(words) {
                return None;
            }
            return Some(file(r, at, Kind::Tool, "", words, true));
        }
        let mut of_vendors = vendors::all().iter().flat_map(|vendor| &vendor.codes.status_lines);
        if of_vendors.any(|word| words.contains(word.as_str()))
            || words.contains("unable to find an engine")
            || words.contains("DNN library") && words.contains("rror")
            || words.contains("cannot open shared object file")
            || words.contains("undefined symbol: ")
        {
            return Some(file(r, at, Kind::Status, "", words, !words.contains("Could not load dynamic library")));
        }
    }
    None
}

fn tools_of_vendors() -> impl Iterator<Item = &'static Tool> {
    vendors::all().iter().flat_map(|vendor| &vendor.tools)
}

/// Reads a line whose prefix says error or fatal and that no other parser understood.
pub(super) fn grave(r: &mut ParserContext<'_>, at: usize) -> Option<usize> {
    let words = r.text(at).trim();
    if words.chars().filter(|c| c.is_alphanumeric()).count() < 3 {
        return None;
    }
    let fatal = r.prefix(at).is_some_and(|prefix| prefix.level == Some(Level::Fatal));
    let word = status_word(words).unwrap_or("");
    // A dump of many lines written by one call is one error.
    let index = r.index(at);
    if at > 0
        && r.same_logger(at, at - 1)
        && r.prefix(at).is_some_and(|prefix| {
            prefix.time.is_some() && r.prefix(at - 1).is_some_and(|before| before.time == prefix.time)
        })
        && let Some(last) = r.errors.last_mut()
        && last.kind == Kind::Status
        && last.lines.end + 2 > index
        && last.message.len() < 4000
    {
        last.lines.end = index + 1;
        last.message.push('\n');
        last.message.push_str(&super::advice::without(words));
        return Some(at + 1);
    }
    Some(file(r, at, Kind::Status, word, words, fatal))
}

/// Files a status unless the same words were filed before.
fn file(r: &mut ParserContext<'_>, at: usize, kind: Kind, type_name: &str, message: &str, fatal: bool) -> usize {
    r.set(at, Role::Error);
    let message = super::advice::without(message);
    let recent =
        r.errors.iter().rev().take(64).any(|old: &ErrorEvent| old.kind == kind && old.message == message.trim());
    if !recent {
        let mut event = r.event(kind, type_name, &message, at);
        event.fatal = fatal;
        r.push(event);
    }
    at + 1
}

/// The status word that begins a line or follows its first words.
fn status_word(words: &str) -> Option<&'static str> {
    let stands = |word: &str| {
        words.match_indices(word).any(|(at, _)| {
            let followed = words.get(at + word.len()..).is_some_and(|rest| rest.starts_with(": "));
            let preceded = at == 0 || words.get(..at).is_some_and(|head| head.ends_with([' ', ':', '(']));
            followed && preceded
        })
    };
    STATUS_WORDS.iter().find(|word| stands(word)).copied()
}

/// `x.cu(12): error: ...`, `x.cpp:3:4: error: ...`.
fn compiler_error(words: &str) -> bool {
    words.split_once(" error: ").is_some_and(|(head, _)| {
        head.ends_with(':') && [".c", ".h", ".cu"].iter().any(|ending| contains_folded(head, ending))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_words() {
        assert_eq!(status_word("INTERNAL: CUDA error: x"), Some("INTERNAL"));
        assert_eq!(status_word("failed call to cuInit: INTERNAL: CUDA error"), Some("INTERNAL"));
        assert_eq!(status_word("an INTERNAL matter"), None);
        assert!(compiler_error("/x/k.cu(12): error: identifier"));
        assert!(!compiler_error("an error: none"));
    }
}
