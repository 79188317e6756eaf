//! Xids in the kernel log: events of NVIDIA's driver about a device. Facts `xid.*`.

use crate::facts::{Fact, Value};
use crate::incident::context::ParserContext;
use crate::incident::words::{after, parse_uint};
use crate::incident::{Code, Kind, Role};

/// How many codes and GPUs are listed: no machine has so many GPUs, and no driver so many codes.
const MOST_NAMED: usize = 300;

/// Reads the line of an Xid; returns the position after it.
pub(super) fn read(r: &mut ParserContext<'_>, at: usize) -> Option<usize> {
    let (text, line) = (r.text(at), r.number(at));
    let Some(xid) = Xid::of(text.trim()) else {
        if let Some(code) = named(text) {
            r.facts.number_in_text("xid.first", f64::from(code), line);
        }
        return None;
    };
    r.set(at, Role::Error);
    r.facts.number_in_text("xid.first", f64::from(xid.code), line);
    let count = r.facts.number("xid.count").unwrap_or(0.0);
    r.facts.replace_in_text("xid.count", Value::Number(count + 1.0), line);
    for (name, value) in [("xid.codes", xid.code.to_string()), ("xid.gpus", xid.gpu.to_owned())] {
        let list = match r.facts.get(name) {
            Some(Fact { value: Value::List(list), .. }) => list.as_slice(),
            _ => &[],
        };
        if list.len() < MOST_NAMED && !list.contains(&value) {
            let list = list.iter().cloned().chain([value]).collect();
            r.facts.replace_in_text(name, Value::List(list), line);
        }
    }
    let name = format!("Xid {}", xid.code);
    let again = r.lately(|old| old.kind == Kind::Kernel && old.type_name == name && old.message.starts_with(xid.gpu));
    if !again {
        let message = format!("{}: {}", xid.gpu, xid.message);
        let mut event = r.event(Kind::Kernel, &name, &message, at);
        event.codes = vec![Code { name: name.into(), library: None, at: event.headline }];
        r.push(event);
    }
    Some(at + 1)
}

/// A parsed Xid line.
#[derive(Debug, PartialEq, Eq)]
struct Xid<'t> {
    gpu: &'t str,
    code: u32,
    message: &'t str,
}

impl<'t> Xid<'t> {
    /// `NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.`
    fn of(words: &'t str) -> Option<Self> {
        let rest = after(words, "Xid (")?;
        let (gpu, rest) = rest.split_once(')')?;
        let (code, rest) = parse_uint(rest.trim_start_matches(':'))?;
        Some(Xid {
            gpu: gpu.trim_start_matches("PCI:"),
            code: u32::try_from(code).ok()?,
            message: rest.trim_start_matches([',', ' ']),
        })
    }
}

/// An Xid as people name it: "it dies with Xid 79".
fn named(words: &str) -> Option<u32> {
    let (before, rest) = ["Xid ", "XID ", "xid "].iter().find_map(|name| words.split_once(name))?;
    let (code, after) = parse_uint(rest)?;
    let ends = !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let denied =
        ["no", "No", "not", "without", "never"].contains(&before.split_whitespace().next_back().unwrap_or_default());
    u32::try_from(code).ok().filter(|_| ends && !denied)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xids() {
        let found = Xid::of("NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, name=python, GPU has fallen off the bus.");
        assert_eq!(
            found,
            Some(Xid { gpu: "0000:3b:00", code: 79, message: "pid=1234, name=python, GPU has fallen off the bus." })
        );
        assert_eq!(Xid::of("NVRM: Xid (0000:01:00): 13, Graphics Exception").map(|x| x.code), Some(13));
        assert_eq!(Xid::of("what is Xid 79?"), None);
        for (words, code) in [
            ("we see Xid 79 every night", Some(79)),
            ("XID 31, then a restart", Some(31)),
            ("there is no Xid 79 in the log", None),
            ("Xid 0x4f", None),
            ("no Xid", None),
        ] {
            assert_eq!(named(words), code, "{words}");
        }
    }
}
