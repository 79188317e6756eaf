//! What the system's own tools tell of GPUs whose libraries no code asks: which tools, and where their output has a name or a
//! size, is `tools` in `kb/wording/platforms.toml`.
//!
//! A tool runs only where it is on the PATH, and those of a vendor with a PCI number only where the bus has a GPU of it. It
//! has a deadline, and what it started ends with it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use regex::Regex;

use super::note::Notes;
use super::{pci, strays};
use crate::wording::{self, Tool};

/// The longest output that is read.
const LONGEST: u64 = 1 << 20;

/// A tool that is there, and whose it is.
pub(super) struct Present {
    vendor: &'static str,
    program: PathBuf,
    tool: &'static Tool<&'static str>,
}

/// The tools that are there and have something to tell.
pub(super) fn present(root: &Path, environment: &BTreeMap<OsString, OsString>) -> Vec<Present> {
    let path = environment.get(&OsString::from("PATH")).cloned().unwrap_or_default();
    let on_path = |name: &str| std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file());
    let has_gpu =
        |number: &str| pci::devices(root, number).is_some_and(|devices| devices.iter().any(pci::PciDevice::is_display));
    let vendors = wording::platforms().vendor.iter().filter(|vendor| !vendor.tools.is_empty());
    let tools = vendors.flat_map(|vendor| vendor.tools.iter().map(move |tool| (vendor, tool)));
    tools
        .filter_map(|(vendor, tool)| {
            let program = on_path(tool.command.first()?)?;
            let asked = vendor.pci.is_none_or(has_gpu);
            asked.then_some(Present { vendor: vendor.name, program, tool })
        })
        .collect()
}

/// Runs them, and records `<vendor>.gpu.N.name` and the memory of the machine. The first tool of a vendor that names a GPU counts.
pub(super) fn read(
    tools: &[Present],
    running: &strays::Running,
    environment: &BTreeMap<OsString, OsString>,
    deadline: Duration,
) -> Notes {
    let mut notes = Notes::default();
    for Present { vendor, program, tool } in tools {
        let named = notes.facts.get(&format!("{vendor}.gpu.0.name")).is_some();
        if named && tool.memory.is_none() {
            continue;
        }
        let Some(said) = output(program, &tool.command[1..], running, environment, deadline) else { continue };
        let found = |pattern: Option<&str>| -> Vec<String> {
            let pattern = pattern.and_then(|pattern| Regex::new(pattern).ok());
            let all =
                pattern.map(|pattern| pattern.captures_iter(&said).map(|found| found[1].trim().to_owned()).collect());
            all.unwrap_or_default()
        };
        for (index, name) in found(tool.gpu).into_iter().enumerate().filter(|_| !named) {
            notes.text(format!("{vendor}.gpu.{index}.name"), name);
        }
        if let Some(bytes) = found(tool.memory).first().and_then(|bytes| bytes.parse().ok()) {
            notes.count("host.memory.total", bytes);
        }
    }
    notes
}

/// What a tool prints until the deadline.
fn output(
    program: &Path,
    arguments: &[&str],
    running: &strays::Running,
    environment: &BTreeMap<OsString, OsString>,
    deadline: Duration,
) -> Option<String> {
    let mut command = Command::new(program);
    strays::own_group(&mut command);
    command
        .args(arguments)
        .env_clear()
        .envs(environment)
        .env(strays::MARK, std::process::id().to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let (mut child, family) = strays::Family::start(&mut command, running).ok()?;
    let stream = child.stdout.take();
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut said = Vec::new();
        let read = stream.map(|stream| stream.take(LONGEST).read_to_end(&mut said));
        let _ = sender.send(read.and_then(Result::ok).map(|_| said));
    });
    let said = receiver.recv_timeout(deadline).ok().flatten();
    family.end();
    // One that the kernel does not let go is left alone.
    std::thread::spawn(move || child.wait());
    said.map(|said| String::from_utf8_lossy(&said).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_of_a_tool_compiles_and_has_a_group() {
        let tools = wording::platforms().vendor.iter().flat_map(|vendor| &vendor.tools);
        for tool in tools {
            assert!(!tool.command.is_empty() && (tool.gpu.is_some() || tool.memory.is_some()), "{tool:?}");
            for pattern in [tool.gpu, tool.memory].into_iter().flatten() {
                assert_eq!(Regex::new(pattern).map(|pattern| pattern.captures_len()).ok(), Some(2), "{pattern}");
            }
        }
    }
}
