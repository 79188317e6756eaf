//! The kernel log: lines of GPU drivers, the oom-killer, segfault lines. Fact `host.memory.limit`.
//!
//! An oom-kill report is a hundred lines long. All of it is one error, whose message is the line that names the victim.
//! Ordinary driver messages are ignored.

use super::context::ParserContext;
use super::vendors::ALL as FORMATS;
use super::words::{after, number};
use super::{Kind, Role};
use crate::vendors::description::KernelLog;
use crate::vendors::{self, Vendor};

/// Reads a line of the kernel log; returns the position after it.
pub(super) fn read(r: &mut ParserContext<'_>, at: usize) -> Option<usize> {
    let text = r.text(at);
    let words = text.trim();
    if let Some(next) = FORMATS.iter().find_map(|formats| formats.kernel_log(r, at)) {
        return Some(next);
    }
    for vendor in vendors::all().iter().filter(|vendor| !vendor.kernel_log.prefix.is_empty()) {
        if let Some(message) = after(words, &vendor.kernel_log.prefix) {
            return driver(r, at, vendor, message);
        }
    }
    if words.contains("oom-killer")
        || words.contains("oom-kill:")
        || words.contains("ut of memory: Killed process")
        || words.contains("Out of memory: Kill process")
    {
        return Some(oom_kill(r, at));
    }
    if let Some(rest) = after(words, "memory: usage ")
        && let Some((limit, unit)) = after(rest, "limit ").and_then(number)
        && unit.starts_with("kB")
    {
        let line = r.number(at);
        r.facts.number_in_text("host.memory.limit", limit * 1024.0, line);
        return Some(at + 1);
    }
    if words.contains(": segfault at ")
        || words.contains("]: segfault at")
        || words.contains("traps: ") && words.contains("general protection")
    {
        r.set(at, Role::Error);
        let event = r.event(Kind::Kernel, "SIGSEGV", words, at);
        r.push(event);
        return Some(at + 1);
    }
    let of_module = |log: &KernelLog| {
        log.modules.iter().any(|module| words.starts_with(module.as_str()))
            && log.module_failure.iter().any(|word| words.contains(word.as_str()))
    };
    if vendors::all().iter().any(|vendor| of_module(&vendor.kernel_log)) {
        r.set(at, Role::Error);
        let event = r.event(Kind::Kernel, "", words, at);
        r.push(event);
        return Some(at + 1);
    }
    None
}

/// The driver's other lines: only those that report a failure.
fn driver(r: &mut ParserContext<'_>, at: usize, vendor: &Vendor, message: &str) -> Option<usize> {
    let KernelLog { prefix, failure, .. } = &vendor.kernel_log;
    let line = r.number(at);
    if let Some(rest) =
        after(message, "Kernel Module").filter(|_| message.contains(&format!("loading {}", vendor.name)))
        && let Some(version) = rest.split_whitespace().find_map(super::words::version)
    {
        r.facts.words_in_text("driver.version", version, line);
    }
    let grave = failure.iter().any(|word| message.contains(word.as_str()));
    if !grave {
        return Some(at + 1);
    }
    r.set(at, Role::Error);
    let mut event = r.event(Kind::Kernel, prefix.trim_end_matches([':', ' ']), message, at);
    // "API mismatch: the client has the version 535.1, but" continues on lines that repeat the prefix.
    let mut end = at + 1;
    while end < r.len() && end - at < 6 {
        let Some(more) = after(r.text(end), prefix) else { break };
        if !more.starts_with(|c: char| c.is_ascii_lowercase() || c == ' ')
            && !more.strip_prefix(&vendor.name).is_some_and(|more| more.starts_with(' '))
        {
            break;
        }
        event.message.push('\n');
        event.message.push_str(more.trim());
        r.set(end, Role::Error);
        end += 1;
    }
    r.cover(&mut event, at, end);
    if !r.lately(|old| old.kind == Kind::Kernel && old.message == event.message) {
        r.push(event);
    }
    Some(end)
}

fn oom_kill(r: &mut ParserContext<'_>, at: usize) -> usize {
    r.set(at, Role::Error);
    let words = r.text(at).trim();
    let index = r.index(at);
    let victim = words.contains("Killed process") || words.contains("Kill process");
    // Header, statistics and verdict of one kill are one error; the verdict names the victim.
    if let Some(old) = r.errors.last_mut()
        && old.kind == Kind::Kernel
        && old.type_name == "oom-kill"
        && !(old.message.contains("ill process") && victim || old.message.contains("illed process"))
    {
        old.lines.end = index + 1;
        if victim {
            old.message = words.to_owned();
        }
        return at + 1;
    }
    let event = r.event(Kind::Kernel, "oom-kill", words, at);
    r.push(event);
    at + 1
}
