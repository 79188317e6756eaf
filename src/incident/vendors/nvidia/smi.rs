//! The tables that nvidia-smi prints: versions, one or three lines per GPU, processes.
//!
//! Old and new layouts are read, with or without borders. Several GPUs become one fact: the first GPU's memory, but the
//! worst temperature and ECC error count.

use crate::facts::{Facts, Value};
use crate::incident::words::{after, number, parse_uint, size, version};

/// The state between the lines of a table.
#[derive(Debug, Default)]
pub(super) struct Smi {
    open: bool,
    gpus: u32,
    idle: u32,
}

impl Smi {
    pub(super) fn open(&self) -> bool {
        self.open
    }

    /// Reads a line; returns whether it belongs to a table.
    pub(super) fn read(&mut self, words: &str, line: u32, facts: &mut Facts) -> bool {
        if words.contains("NVIDIA-SMI ") && (words.contains("Driver Version") || words.contains("KMD Version")) {
            *self = Smi { open: true, gpus: 0, idle: 0 };
            if let Some(found) = after(words, "Driver Version:")
                .or_else(|| after(words, "KMD Version:"))
                .or_else(|| after(words, "NVIDIA-SMI "))
                .and_then(version)
            {
                facts.words_in_text("driver.version", found, line);
            }
            if let Some(found) =
                after(words, "CUDA Version:").or_else(|| after(words, "CUDA UMD Version:")).and_then(version)
            {
                facts.words_in_text("driver.cuda", found, line);
            }
            return true;
        }
        if !self.open {
            return false;
        }
        if words.starts_with("+--") || words.starts_with("|==") || words.starts_with("|--") || words.is_empty() {
            self.idle += 1;
            self.open = self.idle < 12;
            return true;
        }
        let inner = words.trim_matches(['|', ' ']);
        let columns: Vec<&str> = inner.split('|').map(str::trim).collect();
        if let Some(first) = columns.first()
            && let Some((_, rest)) = parse_uint(first)
            && rest.starts_with(' ')
            && let Some((name, _)) = crate::incident::environment::gpu_name(rest.trim())
        {
            self.idle = 0;
            self.gpus += 1;
            facts.words_in_text("gpu.name", name, line);
            facts.replace_in_text("gpu.count", Value::Number(f64::from(self.gpus)), line);
            if let Some((errors, tail)) = columns.last().and_then(|cell| parse_uint(cell))
                && tail.is_empty()
                && columns.len() == 3
            {
                worst(facts, "gpu.ecc.uncorrected", errors as f64, line);
            }
            return true;
        }
        if inner.contains("MiB /") {
            self.idle = 0;
            if let Some(cell) = columns.iter().find(|cell| cell.contains("MiB /")) {
                let used = size(cell);
                let total = used.and_then(|(_, rest)| rest.trim_start().strip_prefix('/')).and_then(size);
                if let (Some((used, _)), Some((total, _))) = (used, total) {
                    facts.number_in_text("gpu.memory.used", used, line);
                    facts.number_in_text("gpu.memory.total", total, line);
                    facts.number_in_text("gpu.memory.free", total - used, line);
                }
            }
            let degrees = columns
                .first()
                .and_then(|cell| cell.split_whitespace().find_map(|word| word.strip_suffix('C').and_then(number)));
            if let Some((degrees, "")) = degrees {
                worst(facts, "gpu.temperature", degrees, line);
            }
            for mode in ["E. Process", "E. Thread", "Prohibited", "Default", "Exclusive_Process"] {
                if columns.last().is_some_and(|cell| cell.ends_with(mode)) {
                    facts.words_in_text("gpu.compute_mode", mode, line);
                }
            }
            return true;
        }
        if columns.last().is_some_and(|cell| *cell == "Enabled") && columns.len() == 3 {
            facts.replace_in_text("gpu.mig", Value::Bool(true), line);
        } else if columns.last().is_some_and(|cell| *cell == "Disabled")
            && columns.len() == 3
            && facts.get("gpu.mig").is_none()
        {
            facts.replace_in_text("gpu.mig", Value::Bool(false), line);
        }
        let table = words.starts_with('|') || words.contains("MiB");
        self.idle += u32::from(!table);
        self.open = self.idle < 12;
        table
    }
}

/// Keeps the largest figure of all GPUs.
fn worst(facts: &mut Facts, name: &str, value: f64, line: u32) {
    if facts.number(name).is_none_or(|old| old < value) {
        facts.replace_in_text(name, Value::Number(value), line);
    }
}
