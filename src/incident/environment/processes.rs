//! Who holds memory on a GPU: what `nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv` prints.

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
}

impl Processes {
    pub(super) fn open(&self) -> bool {
        self.columns.is_some()
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
