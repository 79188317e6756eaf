//! The kernel log: NVRM and Xid lines, the oom-killer, segfault lines. Facts `xid.*`, `host.memory.limit`.
//!
//! It refuses ordinary driver chatter. The surprising thing: an oom-kill report is a hundred lines long; all of it is
//! one error, whose message is the line that names the victim.

use super::context::ParserContext;
use super::words::{after, number, whole};
use super::{Code, Kind, Role};
use crate::facts::{Fact, Value};
use crate::vendors::description::KernelLog;
use crate::vendors::{self, Vendor};

/// Reads a line of the kernel log; returns the position after it.
pub(super) fn read(r: &mut ParserContext<'_>, at: usize) -> Option<usize> {
    let text = r.text(at);
    let words = text.trim();
    if let Some(xid) = Xid::of(words) {
        return Some(record(r, at, &xid));
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
    let mut modules = vendors::all().iter().flat_map(|vendor| &vendor.kernel_log.modules);
    if modules.any(|module| words.starts_with(module.as_str())) && (words.contains("rror") || words.contains("SXid")) {
        r.set(at, Role::Error);
        let event = r.event(Kind::Kernel, "", words, at);
        r.push(event);
        return Some(at + 1);
    }
    None
}

/// One Xid line taken apart.
#[derive(Debug, PartialEq, Eq)]
struct Xid<'t> {
    gpu: &'t str,
    code: u32,
    says: &'t str,
}

impl<'t> Xid<'t> {
    /// `NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.`
    fn of(words: &'t str) -> Option<Self> {
        let rest = after(words, "Xid (")?;
        let (gpu, rest) = rest.split_once(')')?;
        let (code, rest) = whole(rest.trim_start_matches(':'))?;
        Some(Xid {
            gpu: gpu.trim_start_matches("PCI:"),
            code: u32::try_from(code).ok()?,
            says: rest.trim_start_matches([',', ' ']),
        })
    }
}

fn record(r: &mut ParserContext<'_>, at: usize, xid: &Xid<'_>) -> usize {
    r.set(at, Role::Error);
    let line = r.number(at);
    r.facts.number_in_text("xid.first", f64::from(xid.code), line);
    let count = r.facts.number("xid.count").unwrap_or(0.0);
    r.facts.replace_in_text("xid.count", Value::Number(count + 1.0), line);
    for (name, value) in [("xid.codes", xid.code.to_string()), ("xid.gpus", xid.gpu.to_owned())] {
        let mut list = match r.facts.get(name) {
            Some(Fact { value: Value::List(list), .. }) => list.clone(),
            _ => Vec::new(),
        };
        if !list.contains(&value) {
            list.push(value);
            r.facts.replace_in_text(name, Value::List(list), line);
        }
    }
    let name = format!("Xid {}", xid.code);
    let again = r.lately(|old| old.kind == Kind::Kernel && old.type_name == name && old.message.starts_with(xid.gpu));
    if !again {
        let message = format!("{}: {}", xid.gpu, xid.says);
        let mut event = r.event(Kind::Kernel, &name, &message, at);
        event.codes.push(Code { name, library: None, at: event.headline });
        r.push(event);
    }
    at + 1
}

/// The driver's other lines: only those that tell of a failure.
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
    // "API mismatch: the client has the version 535.1, but" goes on in lines that repeat the prefix.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xids() {
        let found = Xid::of("NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, name=python, GPU has fallen off the bus.");
        assert_eq!(
            found,
            Some(Xid { gpu: "0000:3b:00", code: 79, says: "pid=1234, name=python, GPU has fallen off the bus." })
        );
        assert_eq!(Xid::of("NVRM: Xid (0000:01:00): 13, Graphics Exception").map(|x| x.code), Some(13));
        assert_eq!(Xid::of("what is Xid 79?"), None);
    }
}
