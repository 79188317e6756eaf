//! Native code that dies: `terminate called`, `what():`, check failures, assertions, signals, fatal Python errors.
//!
//! Panics of other languages are named, but are no GPU failures. A `Fatal Python error` prints its frames innermost
//! first, so they are reversed.

use super::context::ParserContext;
use super::words::{after, between, contains_folded, parse_uint};
use super::{ErrorEvent, Frame, Kind, Role};
use crate::vendors;

/// Reads a native failure at `at`; returns the position after it.
pub(super) fn read(r: &mut ParserContext<'_>, at: usize) -> Option<usize> {
    let text = r.text(at);
    let words = text.trim();
    if words.starts_with("terminate called") || contains_folded(words, "libc++abi: terminating") {
        return Some(terminate(r, at));
    }
    if let Some(message) = words.strip_prefix("what():") {
        let event = r.event(Kind::Native, "", message, at);
        return Some(finish(r, event, at, at));
    }
    if let Some(reason) = after(words, "Fatal Python error: ") {
        return Some(fatal_python(r, at, reason));
    }
    if words.starts_with("Exception raised from ")
        || words.starts_with("frame #")
        || words.starts_with("<omitting python frames>")
    {
        return Some(stack(r, at));
    }
    if words.contains("Assertion ") || words.contains("ssertion failed") || words.contains("_ASSERT(") {
        return assertion(r, at);
    }
    if let Some(found) = words.find("Check failed") {
        let message = words.get(found..)?;
        let event = r.event(Kind::Native, "", message, at);
        return Some(finish(r, event, at, at));
    }
    if words.starts_with("*** Check failure stack trace") {
        return Some(stack(r, at));
    }
    for start in ["LLVM ERROR:", "OMP: Error", "Intel MKL FATAL ERROR", "Intel oneMKL FATAL ERROR", "FATAL ERROR:"] {
        if words.starts_with(start) {
            let event = r.event(Kind::Native, "", words, at);
            return Some(finish(r, event, at, at));
        }
    }
    if HEAP.iter().any(|start| words.starts_with(start)) || words.starts_with("*** ") && is_heap_report(words) {
        let event = r.event(Kind::Native, "", words, at);
        return Some(finish(r, event, at, at));
    }
    if words.contains(" panicked at ") || words.starts_with("panic: ") || words.starts_with("fatal error: ") {
        let event = r.event(Kind::Native, "panic", words, at);
        r.set(at, Role::Error);
        r.push(event);
        return Some(at + 1);
    }
    signal(r, at)
}

/// How messages of glibc begin before it aborts (malloc/malloc.c, debug/fortify_fail.c), and one of libstdc++.
const HEAP: &[&str] = &[
    "double free or corruption",
    "free(): ",
    "malloc(): ",
    "malloc_consolidate(): ",
    "realloc(): ",
    "munmap_chunk(): ",
    "corrupted size vs. prev_size",
    "corrupted double-linked list",
    "pure virtual method called",
    "*** stack smashing detected",
    "*** buffer overflow detected",
];

/// Whether glibc before 2.26 says so: ``*** Error in `python': double free or corruption (!prev): 0x0000 ***``.
fn is_heap_report(words: &str) -> bool {
    let reported = words.strip_prefix("*** Error in `").and_then(|rest| rest.split_once("': "));
    reported.is_some_and(|(_, message)| HEAP.iter().any(|start| message.starts_with(start)))
}

/// `terminate called after throwing an instance of 'c10::Error'` and its `what():`.
fn terminate(r: &mut ParserContext<'_>, at: usize) -> usize {
    let words = r.text(at).trim();
    let type_name =
        between(words, "instance of '", "'").or_else(|| between(words, "exception of type ", ":")).unwrap_or("");
    r.set(at, Role::Error);
    let what = (at + 1..(at + 4).min(r.len())).find(|&next| r.text(next).trim_start().starts_with("what():"));
    match what {
        Some(what) => {
            let message = after(r.text(what), "what():").unwrap_or("");
            let mut event = r.event(Kind::Native, type_name, message, what);
            event.headline = r.index(at);
            finish(r, event, at, what)
        }
        None => {
            let message = after(words, "exception of type ").and_then(|rest| after(rest, ": ")).unwrap_or(words);
            let event = r.event(Kind::Native, type_name, message, at);
            r.push(event);
            at + 1
        }
    }
}

/// Takes the lines that continue a native message (advice, c10 frames, glog stack) and files the error.
fn finish(r: &mut ParserContext<'_>, mut event: ErrorEvent, from: usize, head: usize) -> usize {
    r.set(head, Role::Error);
    let mut position = head + 1;
    let mut end = position;
    while position < r.len() && position - head < 400 {
        let words = r.text(position).trim();
        if words.is_empty() {
            if position > end {
                break;
            }
        } else if super::advice::is_advice(words) {
            r.set(position, Role::Advice);
            end = position + 1;
        } else if let Some(frame) = native_frame(words) {
            r.set(position, Role::Frame);
            if let Some(mut frame) = frame {
                frame.at = r.index(position);
                event.frames.insert(0, frame);
            }
            end = position + 1;
        } else if continues(words) && event.message.len() < 4000 {
            event.message.push('\n');
            event.message.push_str(words);
            end = position + 1;
        } else {
            break;
        }
        position += 1;
    }
    event.message = super::advice::without(&event.message).into_owned();
    event.rank = event.rank.or_else(|| super::nccl::rank_of(&event.message));
    r.cover(&mut event, from, end);
    r.push(event);
    end
}

/// Whether a line continues a native message: the lines of NCCL's errors.
fn continues(words: &str) -> bool {
    let of_vendors = vendors::all().iter().flat_map(|vendor| &vendor.codes.continuations).map(String::as_str);
    ["Last error:", "Attempted to"].into_iter().chain(of_vendors).any(|start| words.starts_with(start))
}

/// A line of a native stack: `frame #3: f(int) + 0x1 (0x.. in /lib/x.so)`, `    @ 0x7f.. f`. The outer `Option` is
/// `None` where it is none, the inner one where it names no function.
fn native_frame(words: &str) -> Option<Option<Frame>> {
    if let Some(rest) = words.strip_prefix("frame #") {
        let (_, rest) = rest.split_once(": ")?;
        let function = rest.split(" + 0x").next().unwrap_or(rest).trim();
        let file = after(rest, " in ").map_or("", |file| file.trim_end_matches(')').trim());
        let known = !function.starts_with('<');
        return Some(known.then(|| Frame { file: file.to_owned(), line: 0, function: function.to_owned(), at: 0 }));
    }
    if words.starts_with("Exception raised from ")
        || words.starts_with("<omitting python frames>")
        || words.starts_with("*** Check failure stack trace")
        || words.starts_with("C++ CapturedTraceback")
    {
        return Some(None);
    }
    let rest = words.strip_prefix('@')?.trim_start();
    let rest = rest.strip_prefix("0x")?;
    let (_, function) = rest.split_once(' ')?;
    Some(Some(Frame { file: String::new(), line: 0, function: function.trim().to_owned(), at: 0 }))
}

/// A native stack whose message was not understood: its lines are only marked.
fn stack(r: &mut ParserContext<'_>, at: usize) -> usize {
    let mut position = at;
    while position < r.len() && native_frame(r.text(position).trim()).is_some() {
        r.set(position, Role::Frame);
        position += 1;
    }
    position.max(at + 1)
}

/// An assertion of host code: `python: x.cpp:12: int f(): Assertion `a > b' failed.`
fn assertion(r: &mut ParserContext<'_>, at: usize) -> Option<usize> {
    let words = r.text(at).trim();
    let libc = words.contains("Assertion `") && words.contains("' failed");
    let other = words.starts_with("Assertion failed:")
        || words.contains(": Assertion failed")
        || words.contains("Assertion `") && words.contains("` failed");
    let ggml = words.contains("_ASSERT(") && words.contains("failed");
    if !(libc || other || ggml) {
        return None;
    }
    let mut event = r.event(Kind::Native, "", words, at);
    let head = words.split("Assertion").next().unwrap_or("");
    let mut parts = head.split(':').map(str::trim);
    let file = parts.clone().find(|part| part.contains('.') && !part.contains(' '));
    if let Some(file) = file {
        let line =
            parts.find_map(|part| parse_uint(part).filter(|(_, rest)| rest.is_empty())).map_or(0, |found| found.0);
        event.frames = vec![Frame {
            file: file.to_owned(),
            line: u32::try_from(line).unwrap_or(0),
            function: String::new(),
            at: r.index(at),
        }];
    }
    if event.frames.iter().any(|frame| frame.file.ends_with(".cu") || frame.file.ends_with(".cuh"))
        && let Some(expression) = between(words, "Assertion `", " failed")
    {
        event.kind = Kind::DeviceAssert;
        let line = r.number(at);
        r.facts.words_in_text("assert.expression", expression.trim_end_matches(['\'', '`']), line);
        if let Some(frame) = event.frames.first() {
            r.facts.words_in_text("assert.file", frame.file.clone(), line);
            event.type_name = frame.file.clone();
        }
        if r.lately(|old| old.kind == Kind::DeviceAssert && old.message == event.message) {
            r.set(at, Role::Error);
            return Some(at + 1);
        }
    }
    r.set(at, Role::Error);
    r.push(event);
    Some(at + 1)
}

/// `Fatal Python error: Segmentation fault` with the stacks of all threads, innermost frame first.
fn fatal_python(r: &mut ParserContext<'_>, at: usize, reason: &str) -> usize {
    r.set(at, Role::Error);
    let mut event = r.event(Kind::Signal, signal_of(reason).unwrap_or(""), reason, at);
    if let Some(name) = signal_of(reason) {
        let line = r.number(at);
        r.facts.words_in_text("exit.signal", name, line);
    }
    let mut frames = Vec::new();
    let mut position = at + 1;
    let mut end = position;
    let mut current = true;
    while position < r.len() && position - at < 5000 {
        let text = r.text(position);
        let words = text.trim();
        if let Some(found) = super::python::line::frame(text) {
            r.set(position, Role::Frame);
            if current {
                frames.push(Frame {
                    file: found.file.to_owned(),
                    line: found.line,
                    function: found.function.to_owned(),
                    at: r.index(position),
                });
            }
        } else if words.ends_with("(most recent call first):") {
            r.set(position, Role::Header);
            // The thread that died is named "Current thread"; the others only waited.
            current = words.starts_with("Current thread")
                || words.starts_with("Stack ")
                || frames.is_empty() && !r.text(at + 1).trim().is_empty();
            if words.starts_with("Current thread") {
                frames.clear();
            }
        } else if words.starts_with("Extension modules:")
            || words.starts_with("Python runtime state:")
            || words.starts_with("<no Python frame>")
            || words == "..."
        {
            r.set(position, Role::Code);
        } else if words.starts_with("Binary file \"")
            || words.starts_with("<truncated")
            || words.starts_with("<cannot get C stack")
            || words.starts_with("Current thread's C stack trace")
        {
            r.set(position, Role::Frame);
        } else if !words.is_empty() {
            break;
        }
        position += 1;
        if !words.is_empty() {
            end = position;
        }
    }
    frames.reverse();
    event.frames = frames;
    r.cover(&mut event, at, end);
    r.push(event);
    end
}

/// The signal that words name.
pub(super) fn signal_of(words: &str) -> Option<&'static str> {
    const NAMES: &[(&str, &str)] = &[
        ("segmentation fault", "SIGSEGV"),
        ("sigsegv", "SIGSEGV"),
        ("access violation", "SIGSEGV"),
        ("bus error", "SIGBUS"),
        ("sigbus", "SIGBUS"),
        ("aborted", "SIGABRT"),
        ("sigabrt", "SIGABRT"),
        ("illegal instruction", "SIGILL"),
        ("sigill", "SIGILL"),
        ("floating point exception", "SIGFPE"),
        ("floating-point exception", "SIGFPE"),
        ("sigfpe", "SIGFPE"),
        ("sigkill", "SIGKILL"),
        ("killed", "SIGKILL"),
        ("sigterm", "SIGTERM"),
        ("sigint", "SIGINT"),
        ("sighup", "SIGHUP"),
    ];
    NAMES.iter().find(|(name, _)| contains_folded(words, name)).map(|(_, signal)| *signal)
}

/// What a shell or a crash handler prints about a signal.
fn signal(r: &mut ParserContext<'_>, at: usize) -> Option<usize> {
    let text = r.text(at);
    let words = text.trim();
    let name = shell_report(words).or_else(|| handler_report(words))?;
    r.set(at, Role::Error);
    let line = r.number(at);
    r.facts.words_in_text("exit.signal", name, line);
    let kind = if name == "SIGKILL" { Kind::Launcher } else { Kind::Signal };
    let event = r.event(kind, name, words, at);
    r.push(event);
    Some(at + 1)
}

/// `Segmentation fault (core dumped)`, `bash: line 1: 4312 Killed   python x.py`, `zsh: killed     python x.py`.
fn shell_report(words: &str) -> Option<&'static str> {
    const REPORTS: &[&str] = &[
        "Segmentation fault",
        "Bus error",
        "Aborted",
        "Illegal instruction",
        "Floating point exception",
        "Killed",
        "Trace/breakpoint trap",
    ];
    let zsh = words.strip_prefix("zsh: ").or_else(|| words.strip_prefix("fish: "));
    if let Some(rest) = zsh {
        return ["segmentation fault", "bus error", "abort", "illegal hardware instruction", "killed"]
            .iter()
            .any(|report| rest.starts_with(report))
            .then(|| {
                if rest.starts_with("abort") {
                    "SIGABRT"
                } else if rest.starts_with("illegal") {
                    "SIGILL"
                } else {
                    signal_of(rest).unwrap_or("")
                }
            });
    }
    for report in REPORTS {
        let Some(found) = words.find(report) else { continue };
        let head = words.get(..found)?.trim_end();
        let tail = words.get(found + report.len()..)?;
        // Alone, after "script: line N: pid", or after a bare pid.
        let behind_pid = head
            .rsplit([' ', ':'])
            .next()
            .is_some_and(|pid| !pid.is_empty() && pid.bytes().all(|b| b.is_ascii_digit()))
            && (head.contains(": line ")
                || head.bytes().all(|b| b.is_ascii_digit() || b == b' ' || b == b'[' || b == b']' || b == b'+'));
        let alone = head.is_empty() && (tail.is_empty() || tail.trim() == "(core dumped)");
        if alone || behind_pid && (tail.is_empty() || tail.starts_with(' ')) {
            return signal_of(report);
        }
    }
    None
}

/// `*** Process received signal ***` and the like: `Signal: Segmentation fault (11)`, `*** SIGSEGV (@0x0) received`.
fn handler_report(words: &str) -> Option<&'static str> {
    let named = words.split_once("Signal: ").filter(|(_, rest)| rest.contains('(')).map(|(_, rest)| rest);
    let glog = words.strip_prefix("*** ").filter(|rest| rest.starts_with("SIG") && rest.contains("received"));
    let fatal = words.contains("Fatal signal").then_some(words).or_else(|| words.strip_prefix("[signal SIG"));
    let found = named.or(glog).or(fatal)?;
    signal_of(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shells() {
        let table = [
            ("Segmentation fault (core dumped)", Some("SIGSEGV")),
            ("Killed", Some("SIGKILL")),
            ("bash: line 1: 4312 Killed                  python train.py", Some("SIGKILL")),
            ("./run.sh: line 3:  77 Aborted                 (core dumped) ./a.out", Some("SIGABRT")),
            ("zsh: killed     python train.py", Some("SIGKILL")),
            ("zsh: illegal hardware instruction  python", Some("SIGILL")),
            ("Aborted!", None),
            ("Killed process group", None),
            ("worker was Killed", None),
        ];
        for (words, expected) in table {
            assert_eq!(shell_report(words), expected, "{words}");
        }
    }
}
