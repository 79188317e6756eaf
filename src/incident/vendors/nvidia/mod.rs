//! NVIDIA: tables of nvidia-smi, Xids, versions of CUDA and its libraries, compute capabilities.

mod archs;
mod built;
mod capability;
mod processes;
mod smi;
mod version;
mod xid;

use super::{Formats, Table};
use crate::facts::Facts;
use crate::incident::context::ParserContext;

pub(super) struct Nvidia;

impl Formats for Nvidia {
    fn kernel_log(&self, r: &mut ParserContext<'_>, at: usize) -> Option<usize> {
        xid::read(r, at)
    }

    fn tables(&self) -> Option<Box<dyn Table>> {
        Some(Box::new(Tables::default()))
    }

    fn builds(&self, words: &str, line: u32, facts: &mut Facts) -> bool {
        built::read(words, line, facts)
    }

    fn versions<'w>(&self, words: &'w str) -> Vec<(&'static str, &'w str)> {
        version::unnamed(words)
    }

    fn in_message(&self, message: &str, line: u32, facts: &mut Facts) {
        version::in_message(message, line, facts);
    }

    fn record(&self, fact: &str, found: &str, words: &str, line: u32, facts: &mut Facts) -> bool {
        version::record(fact, found, words, line, facts)
    }

    fn in_paths(&self, words: &str, suggest: &mut dyn FnMut(&'static str, String)) {
        version::in_paths(words, suggest);
    }

    fn architectures(&self, words: &str, line: u32, facts: &mut Facts) {
        capability::read(words, line, facts);
        archs::read(words, line, facts);
    }

    /// Consumer boards carry "NVIDIA GeForce".
    fn full_name(&self, name: &str) -> Option<String> {
        let model = name.strip_prefix("RTX ").or_else(|| name.strip_prefix("GTX "));
        let consumer = |model: &str| {
            model.starts_with(|c: char| c.is_ascii_digit()) && !model.contains("Ada") && !model.contains("000")
        };
        match name {
            _ if model.is_some_and(consumer) => Some(format!("NVIDIA GeForce {name}")),
            _ if name.starts_with("GeForce") || name.starts_with("RTX") => Some(format!("NVIDIA {name}")),
            _ => None,
        }
    }
}

/// The table of GPUs and, within it, that of processes.
#[derive(Debug, Default)]
struct Tables {
    smi: smi::Smi,
    processes: processes::Processes,
}

impl Table for Tables {
    fn open(&self) -> bool {
        self.smi.open() || self.processes.open()
    }

    fn read(&mut self, words: &str, line: u32, facts: &mut Facts) -> bool {
        let held = self.processes.read(words, line, facts);
        self.smi.read(words, line, facts) || held
    }
}
