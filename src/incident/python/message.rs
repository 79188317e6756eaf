//! Where the message of an exception ends: it can span several lines, and the log continues below it.
//!
//! Lines of another logger (another level or clock) and lines that head something else end it. An unindented line under
//! the exception line belongs to the message only if an open bracket, a colon at the end, or words that libraries are
//! known to continue with ask for it.

use super::super::advice;
use super::super::context::ParserContext;
use super::super::words::{contains_folded, indent};
use super::super::{ErrorEvent, Role};
use super::line;

/// The most lines one message may have.
const LONGEST: usize = 400;

/// How a message was printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Line breaks are the message's own.
    Plain,
    /// The console wrapped long lines: an unindented line below a long one continues it.
    Wrapped,
}

/// Words that begin a further line of a message that some library prints.
const CONTINUATIONS: &[&str] = &[
    "Last error:",
    "nccl",
    "Cuda failure",
    "CUDA kernel errors",
    "For debugging consider",
    "Compile with `TORCH",
    "Exception raised from",
    "frame #",
    "<omitting python frames>",
    "BufferAssignment",
    "Peak buffers",
    "`ptxas`",
    "ptxas ",
    "Set TORCHDYNAMO",
    "Set TORCH_",
    "You can suppress",
    "The above operation failed",
    "Repro command",
    "[[{{node",
    "[[",
    "Original stack trace",
    "Detected at node",
    "Hint:",
    "hint:",
    "HINT:",
    "stderr:",
    "stdout:",
    "from user code",
    "Command:",
    "Error:",
    "Additionally",
    "Expected",
    "Current memory",
    "Total hbm",
    "Allocation type",
    "Largest program",
    "ninja: ",
    "FAILED: ",
    "Search for `",
    "For more information",
    "Requested shape",
    "(0) ",
    "(1) ",
    "0 successful",
    "1 successful",
    "node {{",
    "Stack trace for op",
    "Suggestions:",
    "error: ",
    "note: ",
    "DETAIL:",
    "(Triggered internally",
    "CUDA_LAUNCH",
    "Node: ",
];

/// Types whose messages run over many unindented lines with blank lines between.
const LONG_TYPES: &[&str] = &[
    "XlaRuntimeError",
    "JaxRuntimeError",
    "UnfilteredStackTrace",
    "BackendCompilerFailed",
    "InductorError",
    "LoweringException",
    "CompilationError",
    "PTXASError",
    "errors_impl.",
    "Unsupported",
    "TorchRuntimeError",
    "InternalTorchDynamoError",
    "CppCompileError",
    "CalledProcessError",
];

/// Reads the lines of `event`'s message below its headline at `head`; returns the position after them.
pub(super) fn read(r: &mut ParserContext<'_>, event: &mut ErrorEvent, head: usize, style: Style) -> usize {
    let base = r.indent(head);
    let long_type = LONG_TYPES.iter().any(|part| event.type_name.contains(part));
    let begins = |starts: &[&str]| starts.iter().any(|start| event.message.starts_with(start));
    let build = begins(&["Error building extension", "Error compiling objects"]);
    let spaced = begins(&["Exception encountered when calling", "Graph execution error"]);
    let mut open = event.message.is_empty() || asks_for_more(&event.message);
    let started_empty = event.message.is_empty();
    event.message = advice::without(&event.message).into_owned();
    let mut previous_length = r.text(head).trim_end().chars().count();
    let mut at = head + 1;
    let mut end = at;
    let mut blanks = 0;
    while at < r.len() && at - head < LONGEST {
        let text = r.text(at);
        let words = text.trim();
        if words.is_empty() {
            blanks += 1;
            at += 1;
            let far = if long_type || started_empty && end - head <= 1 { 3 } else { 1 };
            if blanks > far {
                break;
            }
            continue;
        }
        if !r.same_logger(head, at) || heads_something(words) || line::frame(text).is_some() && !long_type {
            break;
        }
        let known = CONTINUATIONS.iter().any(|start| words.starts_with(start)) || advice::is_advice(words);
        let inner = indent(text) > base && !looks_like_progress(words);
        let wrapped = style == Style::Wrapped && previous_length >= 50 && blanks == 0;
        let listed = end > head + 1 && (words.starts_with('`') || words.ends_with(':')) && blanks == 0;
        let numbered = words.starts_with('(') && words.get(2..3) == Some(")");
        let sentence = end == head + 1
            && words.starts_with(|c: char| c.is_ascii_lowercase())
            && !words.contains(": ")
            && event.message.ends_with(|c: char| c.is_alphanumeric())
            && event.message.contains(' ');
        let known = known || numbered;
        let colon = blanks == 1 && event.message.ends_with(':') && !looks_like_log(words);
        let belongs = if blanks > 0 {
            // Past a blank line only what certainly continues.
            known
                || colon
                || (long_type || build) && !looks_like_log(words) && (inner || end - head > 1)
                || spaced && !looks_like_log(words)
        } else {
            known || inner || open || wrapped || listed || sentence || (long_type || build) && !looks_like_log(words)
        };
        if !belongs {
            break;
        }
        for skipped in end..at {
            r.set(skipped, Role::Text);
        }
        if advice::is_advice(words) {
            r.set(at, Role::Advice);
        } else if words.starts_with("at ") && words.ends_with(')') {
            // A frame of Java or JavaScript.
            r.set(at, Role::Frame);
        } else if !words.contains(char::is_alphanumeric) {
            // A ruler.
        } else if line::frame(text).is_some() || words.starts_with("frame #") {
            r.set(at, Role::Frame);
        } else {
            let kept = advice::without(words);
            if wrapped && !known && !inner {
                event.message.push(' ');
            } else if !event.message.is_empty() {
                event.message.push('\n');
            }
            event.message.push_str(kept.trim());
            open = asks_for_more(words) || started_empty && at - head < 12;
        }
        previous_length = text.trim_end().chars().count();
        blanks = 0;
        at += 1;
        end = at;
    }
    end
}

/// Whether a line is the beginning of something else.
fn heads_something(words: &str) -> bool {
    words.contains("Traceback (most recent call last)")
        || line::chain(words).is_some()
        || line::alone(words).is_some()
        || words.starts_with("----------------------------------------")
        || words.starts_with("====================")
        || words.starts_with('+') && words.contains("------------")
        || words.starts_with("terminate called")
        || words.starts_with("Fatal Python error")
        || words.starts_with("Exception ignored in")
        || words.starts_with("Exception in thread")
        || words.starts_with("Process ") && words.ends_with(':')
        || words.starts_with("-- Process ")
        || words.starts_with("Original Traceback")
        || words.contains("NCCL WARN")
        || words.contains("NCCL INFO")
        || words.starts_with("$ ")
        || words.starts_with(">>> ")
        || matches!(
            words,
            "\"\"\""
                | "Killed"
                | "Aborted"
                | "Aborted (core dumped)"
                | "Segmentation fault (core dumped)"
                | "Segmentation fault"
        )
        || is_warning(words)
        || words.contains("exits with return code")
        || words.contains("CUDA error: ") && !words.starts_with("CUDA")
}

/// `file.py:12: UserWarning: ...`.
pub(crate) fn is_warning(words: &str) -> bool {
    let Some((head, _)) = words.split_once("Warning: ") else { return false };
    head.contains(".py:") && head.contains(": ") || head.starts_with("sys:1: ") || head.starts_with("<")
}

/// A bar, a rate, a log line without a prefix that could be recognised.
fn looks_like_progress(words: &str) -> bool {
    words.contains("it/s") || words.contains("s/it") || words.contains('━') || words.contains("|█")
}

fn looks_like_log(words: &str) -> bool {
    looks_like_progress(words)
        || words.starts_with('[') && words.get(..8).is_some_and(|start| start.bytes().any(|b| b.is_ascii_digit()))
        || words.starts_with("INFO")
        || words.starts_with("WARN")
        || words.starts_with("DEBUG")
        || words.starts_with("ERROR")
        || words.starts_with("wandb:")
        || words.starts_with("Epoch ")
        || words.starts_with("Exiting")
        || contains_folded(words, "executed in ")
}

/// Whether a message is unfinished: ends in a colon or comma, or leaves a bracket open.
fn asks_for_more(text: &str) -> bool {
    let text = text.trim_end();
    if text.ends_with([':', ',', '(', '{', '[', '\\']) {
        return true;
    }
    let mut depth = 0i32;
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
    }
    depth > 0 && text.len() < 400
}
