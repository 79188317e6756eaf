//! Who holds memory on a GPU: what `nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv` prints, and the
//! process table below `nvidia-smi`'s own.
//!
//! The table tells of all GPUs; the facts are those of the GPU on which processes hold the most. Desktop processes (type
//! G) do not count.

use std::collections::BTreeMap;
use std::path::Path;

use super::super::words::size;
use crate::amounts;
use crate::facts::{Facts, Value};

/// The state between the lines of a list.
#[derive(Debug, Default)]
pub(super) struct Processes {
    /// The places of pid, memory and name among the columns.
    columns: Option<(usize, usize, Option<usize>)>,
    count: u32,
    held: f64,
    largest: f64,
    /// Rows of the process table by GPU: how many, bytes held, the largest, and who that is.
    table: BTreeMap<u64, (u32, f64, f64, String)>,
}

impl Processes {
    pub(super) fn open(&self) -> bool {
        self.columns.is_some()
    }

    /// Reads a row of the process table, old (`| 0  4312  C  python  1024MiB |`) or new (with GI and CI); the answer says
    /// whether it was one.
    pub(super) fn row(&mut self, words: &str, line: u32, facts: &mut Facts) -> bool {
        let Some(inner) = words.strip_prefix('|').and_then(|rest| rest.strip_suffix('|')) else { return false };
        if inner.contains("No running processes found") {
            facts.number_in_text("gpu.process_count", 0.0, line);
            return true;
        }
        let cells: Vec<&str> = inner.split_whitespace().filter(|cell| *cell != "N/A").collect();
        let [gpu, pid, kind, name @ .., memory] = cells.as_slice() else { return false };
        let (Ok(gpu), Ok(pid), Some((bytes, ""))) = (gpu.parse::<u64>(), pid.parse::<u32>(), size(memory)) else {
            return false;
        };
        if name.is_empty() || !matches!(*kind, "C" | "G" | "C+G" | "M+C") {
            return false;
        }
        if *kind == "G" {
            return true;
        }
        let (count, held, largest, who) = self.table.entry(gpu).or_default();
        *count += 1;
        *held += bytes;
        if bytes > *largest {
            *largest = bytes;
            let name = name.first().and_then(|name| Path::new(name).file_name()?.to_str()).unwrap_or_default();
            *who = format!("pid {pid} {name} holds {}", amounts::size(bytes));
        }
        if let Some((count, held, _, who)) = self.table.values().max_by(|a, b| a.1.total_cmp(&b.1)) {
            facts.replace_in_text("gpu.process_count", Value::Number(f64::from(*count)), line);
            facts.replace_in_text("gpu.held_by_processes", Value::Number(*held), line);
            facts.replace_in_text("gpu.largest_process", Value::Text(who.clone()), line);
        }
        true
    }

    /// Reads a line; the answer says whether it belongs to a list.
    pub(super) fn read(&mut self, words: &str, line: u32, facts: &mut Facts) -> bool {
        let cells: Vec<&str> = words.split(',').map(str::trim).collect();
        let place = |name: &str| cells.iter().position(|cell| cell.starts_with(name));
        if let (Some(pid), Some(memory)) = (place("pid"), place("used_gpu_memory")) {
            *self = Self { columns: Some((pid, memory, place("process_name"))), ..Self::default() };
            return true;
        }
        let Some((pid, memory, name)) = self.columns else { return false };
        let cell = |place: usize| cells.get(place).copied().unwrap_or_default();
        let row = cell(pid).parse::<u32>().ok().zip(size(cell(memory)));
        let Some((pid, (bytes, _))) = row else {
            self.columns = None;
            return false;
        };
        self.count += 1;
        self.held += bytes;
        facts.replace_in_text("gpu.process_count", Value::Number(f64::from(self.count)), line);
        facts.replace_in_text("gpu.held_by_processes", Value::Number(self.held), line);
        if bytes > self.largest {
            self.largest = bytes;
            let name = name.map(cell).and_then(|name| Path::new(name).file_name()?.to_str()).unwrap_or_default();
            let who = format!("pid {pid} {name}");
            let says = format!("{} holds {}", who.trim(), amounts::size(bytes));
            facts.replace_in_text("gpu.largest_process", Value::Text(says), line);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_process_table() {
        const MIB: f64 = 1_048_576.0;
        let read = |text: &str| {
            let (mut facts, mut processes) = (Facts::default(), Processes::default());
            let rows = (1..).zip(text.lines()).filter(|(line, words)| processes.row(words, *line, &mut facts)).count();
            (rows, facts)
        };
        let (rows, facts) = read(
            "|    0      1200    G   /usr/lib/xorg/Xorg        300MiB |\n|    0     30184    C   Unknown Error  10871MiB |\n|    1      7653    C   python          5369MiB |\n|    1      7654    C   python          100MiB |",
        );
        assert_eq!(rows, 4);
        assert_eq!(facts.number("gpu.process_count"), Some(1.0));
        assert_eq!(facts.number("gpu.held_by_processes"), Some(10871.0 * MIB));
        let (rows, facts) = read(
            "|    0   N/A  N/A      4312      C   /opt/env/bin/python      1024MiB |\n|    0   N/A  N/A      4313      C   ollama      2048MiB |\n|   0  NVIDIA A100-SXM4-80GB          On  | 00000000:07:00.0 Off |                    0 |",
        );
        assert_eq!(rows, 2);
        assert_eq!(facts.number("gpu.process_count"), Some(2.0));
        assert_eq!(facts.text("gpu.largest_process"), Some("pid 4313 ollama holds 2.0 GiB"));
        assert_eq!(read("|  No running processes found       |").1.number("gpu.process_count"), Some(0.0));
    }

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
        assert_eq!(facts.text("gpu.largest_process"), Some("pid 977 ollama holds 3.0 GiB"));
    }
}
