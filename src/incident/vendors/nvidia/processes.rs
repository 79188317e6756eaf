//! Processes that use memory on a GPU: the output of `nvidia-smi --query-compute-apps=pid,used_memory,name
//! --format=csv`, and the rows of nvidia-smi's process table, old and new, even without the rest of the table.
//!
//! The table lists the processes of all GPUs, but only those on the fullest GPU can have caused the failure. Processes
//! that only draw on the screen are ignored.

use std::collections::BTreeMap;
use std::path::Path;

use crate::amounts;
use crate::facts::{Facts, Value};
use crate::incident::words::size;

/// The state between the lines of a list.
#[derive(Debug, Default)]
pub(super) struct Processes {
    /// The places of pid, memory and name among the columns.
    columns: Option<(usize, usize, Option<usize>)>,
    /// Memory use on each GPU; a list that names no GPU is about one.
    held: BTreeMap<u32, Held>,
}

/// The processes of one GPU.
#[derive(Debug, Default)]
struct Held {
    count: u32,
    bytes: f64,
    /// Bytes of the process that uses most, and its description.
    largest: (f64, String),
}

impl Processes {
    pub(super) fn open(&self) -> bool {
        self.columns.is_some()
    }

    /// Reads a line; returns whether it belongs to a list.
    pub(super) fn read(&mut self, words: &str, line: u32, facts: &mut Facts) -> bool {
        let cells: Vec<&str> = words.split(',').map(str::trim).collect();
        let place = |name: &str| cells.iter().position(|cell| cell.starts_with(name));
        if let (Some(pid), Some(memory)) = (place("pid"), place("used_gpu_memory")) {
            *self = Self { columns: Some((pid, memory, place("process_name"))), ..Self::default() };
            return true;
        }
        if words.starts_with('|') && words.contains("No running processes found") {
            facts.number_in_text("gpu.process_count", 0.0, line);
            return true;
        }
        if let Some((gpu, pid, name, bytes)) = row(words) {
            self.another(gpu, pid, name, bytes, line, facts);
            return true;
        }
        let Some((pid, memory, name)) = self.columns else { return false };
        let cell = |place: usize| cells.get(place).copied().unwrap_or_default();
        let Some((pid, (bytes, _))) = cell(pid).parse::<u32>().ok().zip(size(cell(memory))) else {
            self.columns = None;
            return false;
        };
        self.another(0, pid, name.map(cell).unwrap_or_default(), bytes, line, facts);
        true
    }

    /// Counts a process; the facts are those of the GPU on which processes use the most.
    fn another(&mut self, gpu: u32, pid: u32, name: &str, bytes: f64, line: u32, facts: &mut Facts) {
        let held = self.held.entry(gpu).or_default();
        held.count += 1;
        held.bytes += bytes;
        if bytes > held.largest.0 {
            let name = Path::new(name).file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let who = format!("pid {pid} {name}");
            held.largest = (bytes, format!("{} uses {}", who.trim(), amounts::size(bytes)));
        }
        if let Some(most) = self.held.values().max_by(|a, b| a.bytes.total_cmp(&b.bytes)) {
            facts.replace_in_text("gpu.process_count", Value::Number(f64::from(most.count)), line);
            facts.replace_in_text("gpu.held_by_processes", Value::Number(most.bytes), line);
            facts.replace_in_text("gpu.largest_process", Value::Text(most.largest.1.clone()), line);
        }
    }
}

/// A row of nvidia-smi's table: GPU, pid, name and bytes of a process that computes.
///
/// Three layouts: `|  0  69341  python  4961MB |`, `|  0  9911  C  python  7603MiB |`, `|  0  N/A  N/A  9911  C  python  7603MiB |`.
fn row(words: &str) -> Option<(u32, u32, &str, f64)> {
    let inner = words.strip_prefix('|')?.trim_end_matches(['|', ' ']);
    let (rest, memory) = inner.trim().rsplit_once(' ')?;
    let bytes = size(memory).filter(|(_, tail)| tail.is_empty() && memory.ends_with('B'))?.0;
    let mut columns = rest.split_whitespace().peekable();
    let gpu = columns.next()?.parse().ok()?;
    // The GPU may be followed by its MIG instances.
    let mut pid = None;
    while let Some(number) = columns.next_if(|word| *word == "N/A" || word.bytes().all(|b| b.is_ascii_digit())) {
        pid = number.parse().ok().or(pid);
    }
    if let Some(kind) = columns.next_if(|word| matches!(*word, "C" | "G" | "C+G" | "M+C"))
        && kind == "G"
    {
        return None;
    }
    let name = columns.next()?;
    (!name.contains("MiB") && name != "/").then_some((gpu, pid?, name, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_processes() {
        let mut facts = Facts::default();
        let mut processes = Processes::default();
        let text = "pid, used_gpu_memory [MiB], process_name\n4312, 1024 MiB, /opt/env/bin/python\n977, 3072 MiB, ollama\n\n1, 2 MiB, x";
        let belongs: Vec<bool> =
            (1..).zip(text.lines()).map(|(line, words)| processes.read(words, line, &mut facts)).collect();
        assert_eq!(belongs, [true, true, true, false, false]);
        assert_eq!(facts.number("gpu.process_count"), Some(2.0));
        assert_eq!(facts.number("gpu.held_by_processes"), Some(4096.0 * 1024.0 * 1024.0));
        assert_eq!(facts.text("gpu.largest_process"), Some("pid 977 ollama uses 3.0 GiB"));
    }

    #[test]
    fn rows_of_tables() {
        for (text, held, count) in [
            ("|    0      9911      C   /home/eva/bin/python              7603MiB |", 7603.0, 1.0),
            ("|    0     69341  python                                     4961MB  |", 4961.0, 1.0),
            (
                "|    0     30184    C   Unknown Error  10871MiB |\n|    1   7653    C   python    5369MiB |",
                10871.0,
                1.0,
            ),
            (
                "|    0   N/A  N/A      1203      G   /usr/lib/xorg/Xorg      300MiB |\n|    0   N/A  N/A     31337      C   ...envs/x/bin/python     20100MiB |",
                20100.0,
                1.0,
            ),
            (
                "|    0   1  C  python  100MiB |\n|    0   2  C  python  200MiB |\n|    1   3  C  python  250MiB |",
                300.0,
                2.0,
            ),
        ] {
            let mut facts = Facts::default();
            let mut processes = Processes::default();
            for (line, words) in (1..).zip(text.lines()) {
                processes.read(words, line, &mut facts);
            }
            assert_eq!(facts.number("gpu.held_by_processes"), Some(held * 1024.0 * 1024.0), "{text}");
            assert_eq!(facts.number("gpu.process_count"), Some(count), "{text}");
        }
        for text in [
            "| N/A   31C    P0    61W / 400W |  79000MiB / 81920MiB |      0%      Default |",
            "|  0  Tesla K80  Off  |",
            "| epoch 1 | 3 MB |",
        ] {
            assert_eq!(row(text), None, "{text}");
        }
    }
}
