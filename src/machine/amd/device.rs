//! The facts of each GPU, from the kernel's files. Runs in a child process: reading them wakes a sleeping GPU, and a GPU
//! in a reset may not answer.

use std::io::ErrorKind;
use std::path::Path;

use super::kfd::{self, Node};
use super::{description, names};
use crate::machine::note::Notes;
use crate::machine::pci;
use crate::machine::process::describe;

/// Smaller memories are cut from the system's memory for a GPU that is part of a processor.
const CARVE_OUT: u64 = 4 << 30;

/// Makes ROCm take every GPU for one of that version: "10.3.0".
const OVERRIDE: &str = "HSA_OVERRIDE_GFX_VERSION";

/// One GPU that the driver lists.
pub(super) struct Device {
    pub(super) index: u32,
    pub(super) pci: Option<String>,
    /// What to call it when no list and no library has its name.
    pub(super) fallback: Option<String>,
    /// Facts that a library may add.
    pub(super) open: Vec<&'static str>,
}

/// Writes `gpu.installed`, then `gpu.<index>.*` device by device.
pub(super) fn read(root: &Path, tell: &mut dyn FnMut(&Notes)) -> Vec<Device> {
    let mut nodes = kfd::gpus(root);
    let by_kfd = !nodes.is_empty();
    let bus = pci::devices(root, &description().driver.pci).unwrap_or_default();
    let bound: Vec<String> = bus
        .into_iter()
        .filter(|device| device.is_gpu() && device.driver.as_deref() == Some(description().driver.module.as_str()))
        .map(|device| device.address)
        .collect();
    if !by_kfd {
        nodes = vec![Node::default(); bound.len()];
    }
    let mut notes = Notes::default();
    notes.count("gpu.installed", nodes.len() as u64);
    if nodes.is_empty() {
        for name in ["gpu.name", "gpu.memory.free"] {
            notes.set_unknown(name, "the driver lists no GPU");
        }
    }
    tell(&notes);
    let addresses: Vec<Option<String>> = match by_kfd {
        true => nodes.iter().map(Node::pci).collect(),
        false => bound.into_iter().map(Some).collect(),
    };
    let mut devices = Vec::new();
    for (index, node) in (0..).zip(&nodes) {
        let pci = addresses.get(index as usize).cloned().flatten();
        let parts = addresses.iter().filter(|other| pci.is_some() && **other == pci).count();
        let mut of = Reader { root, index, folder: pci.as_deref().map(folder), notes: Notes::default() };
        let mut device = Device { index, pci, fallback: None, open: Vec::new() };
        identity(&mut of, node, by_kfd, &mut device);
        memory(&mut of, node, parts, &mut device);
        processes(&mut of, node);
        errors(&mut of, &mut device);
        heat_and_power(&mut of, node);
        link(&mut of);
        tell(&of.notes);
        devices.push(device);
    }
    devices
}

fn folder(pci: &str) -> String {
    format!("sys/bus/pci/devices/{pci}")
}

/// Reads the files of one GPU and records its facts.
struct Reader<'a> {
    root: &'a Path,
    index: u32,
    folder: Option<String>,
    notes: Notes,
}

impl Reader<'_> {
    fn name(&self, name: &str) -> String {
        format!("gpu.{}.{name}", self.index)
    }

    /// The trimmed text of a file in the GPU's PCI folder, or why there is none.
    fn text(&self, file: &str) -> Result<String, String> {
        let Some(folder) = &self.folder else { return Err("the PCI address of this GPU is not known".to_owned()) };
        let bytes = std::fs::read(self.root.join(folder).join(file)).map_err(|error| match error.kind() {
            ErrorKind::NotFound => "this device does not offer it".to_owned(),
            ErrorKind::PermissionDenied => "the driver denies it: the GPU may be in a reset".to_owned(),
            _ => error.to_string(),
        })?;
        Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
    }

    fn number(&self, file: &str) -> Result<u64, String> {
        let text = self.text(file)?;
        text.parse().map_err(|_| format!("its file {file} contains no number"))
    }

    fn count(&mut self, name: &str, answer: Result<u64, String>) {
        let name = self.name(name);
        match answer {
            Ok(value) => self.notes.count(name, value),
            Err(why) => self.notes.set_unknown(name, why),
        }
    }

    fn words(&mut self, name: &str, value: impl Into<String>) {
        let name = self.name(name);
        self.notes.text(name, value);
    }

    fn unknown(&mut self, name: &str, why: impl Into<String>) {
        let name = self.name(name);
        self.notes.set_unknown(name, why);
    }

    /// The sensors' folder: `hwmon/hwmon3`.
    fn sensors(&self) -> Option<String> {
        let folder = self.root.join(self.folder.as_ref()?).join("hwmon");
        let mut names: Vec<_> =
            std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.file_name())).collect();
        names.sort();
        Some(format!("hwmon/{}", names.first()?.to_string_lossy()))
    }
}

fn identity(of: &mut Reader<'_>, node: &Node, by_kfd: bool, device: &mut Device) {
    let name = of.folder.as_ref().and_then(|folder| names::of_device(of.root, folder));
    match name {
        Some(name) => of.words("name", name),
        None => {
            let id = of.text("device").unwrap_or_else(|_| "of unknown model".to_owned());
            let chip = Some(node.name.as_str()).filter(|name| !name.is_empty() && !name.contains(' '));
            device.fallback = Some(format!("AMD GPU {}", chip.unwrap_or(&id)));
            of.unknown("name", "neither the board nor libdrm's list has its name");
        }
    }
    if let Some(pci) = &device.pci {
        of.words("pci", pci.clone());
    }
    // ROCr writes the board's number so, and ROCR_VISIBLE_DEVICES accepts it.
    if let Some(id) = node.number("unique_id") {
        of.words("uuid", format!("GPU-{id:016x}"));
    }
    match node.target() {
        Some(target) => {
            let other = std::env::var(OVERRIDE).ok().and_then(|version| kfd::target_of(&version));
            of.words("target", other.unwrap_or_else(|| target.clone()));
            of.words("arch", target);
        }
        None if by_kfd => of.unknown("arch", "this kernel does not report the GPU's target"),
        None => of.unknown("arch", "the kernel's compute driver (KFD) lists no GPU that this process may use"),
    }
    of.unknown("compute_capability", "this device has a gfx target instead");
}

fn memory(of: &mut Reader<'_>, node: &Node, parts: usize, device: &mut Device) {
    let total = of.number("mem_info_vram_total");
    let used = of.number("mem_info_vram_used");
    let shared = of.number("mem_info_gtt_total");
    if parts > 1 {
        of.count("memory.total", node.memory.ok_or_else(|| "the memory of this partition is not known".to_owned()));
        of.unknown(
            "memory.free",
            format!("the GPU is divided into {parts} partitions, whose use is not reported separately"),
        );
    } else if let (Ok(total), Ok(shared)) = (&total, &shared)
        && *total < CARVE_OUT
        && shared > total
    {
        for name in ["memory.total", "memory.free"] {
            of.unknown(name, "this device has no memory of its own: it shares the system's memory");
        }
    } else {
        if total.is_err() {
            device.open.push("memory");
        }
        let free = match (&total, &used) {
            (Ok(total), Ok(used)) => Ok(total.saturating_sub(*used)),
            (Err(why), _) | (_, Err(why)) => Err(why.clone()),
        };
        // Without the file, the compute driver still knows how much there is.
        of.count("memory.total", total.or_else(|why| node.memory.ok_or(why)));
        of.count("memory.used", used);
        of.count("memory.free", free);
    }
    of.count("utilization", of.number("gpu_busy_percent"));
}

/// Which processes use compute memory of the GPU, the largest first. Graphics programs are not in the kernel's list.
fn processes(of: &mut Reader<'_>, node: &Node) {
    const NAMES: [&str; 3] = ["processes", "held_by_processes", "largest_process"];
    let Ok(entries) = std::fs::read_dir(of.root.join("sys/class/kfd/kfd/proc")) else {
        for name in NAMES {
            of.unknown(name, "this kernel does not list the processes");
        }
        return;
    };
    // rocm_smi_kfd.cc reads these files, too: bytes, under the number of the GPU.
    let file = format!("vram_{}", node.gpu_id);
    let mut all: Vec<(u64, u32)> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let held = std::fs::read_to_string(entry.path().join(&file)).ok()?.trim().parse().ok()?;
            Some((held, pid))
        })
        .filter(|(held, _)| *held > 0)
        .collect();
    all.sort_unstable_by(|one, other| other.cmp(one));
    let name = of.name("processes");
    if all.is_empty() {
        of.notes.list(name, Vec::new());
        of.unknown("largest_process", "no compute process uses it, and the kernel does not list graphics programs");
        return;
    }
    of.count("process_count", Ok(all.len() as u64));
    of.count("held_by_processes", Ok(all.iter().fold(0, |sum, (held, _)| sum.saturating_add(*held))));
    let said: Vec<String> = all.iter().map(|(held, pid)| describe(*pid, Some(*held), of.root)).collect();
    of.words("largest_process", said[0].clone());
    of.notes.list(name, said);
}

/// Memory errors since the driver was loaded, which boards with RAS count: "ue: 0" and "ce: 3".
fn errors(of: &mut Reader<'_>, device: &mut Device) {
    let Ok(text) = of.text("ras/umc_err_count") else {
        device.open.push("errors");
        return;
    };
    let count = |start: &str| {
        let line = text.lines().find_map(|line| line.trim().strip_prefix(start)?.trim().parse().ok());
        line.ok_or_else(|| "its count of memory errors cannot be read".to_owned())
    };
    of.count("ecc.uncorrected", count("ue:"));
    of.count("ecc.corrected", count("ce:"));
}

/// Sensors: millidegrees, microwatts, hertz (Documentation/gpu/amdgpu/thermal.rst of the kernel).
fn heat_and_power(of: &mut Reader<'_>, node: &Node) {
    let Some(folder) = of.sensors() else {
        for name in ["temperature", "power", "power_limit", "clock"] {
            of.unknown(name, "this device does not offer it");
        }
        return;
    };
    let first = |of: &Reader<'_>, names: [&str; 2]| {
        let [one, other] = names.map(|name| of.number(&format!("{folder}/{name}")));
        one.or(other)
    };
    let heat = first(of, ["temp1_input", "temp2_input"]);
    let power = first(of, ["power1_average", "power1_input"]);
    let limit = of.number(&format!("{folder}/power1_cap"));
    let clock = of.number(&format!("{folder}/freq1_input"));
    of.count("temperature", heat.map(|millidegrees| millidegrees / 1000));
    of.count("power", power.map(|microwatts| microwatts / 1_000_000));
    of.count("power_limit", limit.map(|microwatts| microwatts / 1_000_000));
    of.count("clock", clock.map(|hertz| hertz / 1_000_000));
    if let Some(most) = node.number("max_engine_clk_fcompute") {
        of.count("clock_max", Ok(most));
    }
}

/// The PCIe link: "16.0 GT/s PCIe" is generation 4.
fn link(of: &mut Reader<'_>) {
    let generation = |text: String| {
        let speed = text.split_whitespace().next().unwrap_or_default();
        let known = [("2.5", 1), ("5.0", 2), ("8.0", 3), ("16.0", 4), ("32.0", 5), ("64.0", 6)];
        let found = known.into_iter().find(|(known, _)| *known == speed).map(|(_, generation)| generation);
        found.ok_or_else(|| format!("its link speed is {text}"))
    };
    for (name, file) in [("pcie.generation", "current_link_speed"), ("pcie.max_generation", "max_link_speed")] {
        let answer = of.text(file).and_then(generation);
        of.count(name, answer);
    }
    for (name, file) in [("pcie.width", "current_link_width"), ("pcie.max_width", "max_link_width")] {
        let answer = of.number(file);
        of.count(name, answer);
    }
}

/// Records what is still open when no library could tell it.
pub(super) fn close(devices: &[Device], notes: &mut Notes) {
    for device in devices {
        let name = |name: &str| format!("gpu.{}.{name}", device.index);
        if let Some(fallback) = device.fallback.as_ref().filter(|_| notes.facts.text(&name("name")).is_none()) {
            notes.text(name("name"), fallback.clone());
        }
        if device.open.contains(&"errors") && notes.facts.number(&name("ecc.uncorrected")).is_none() {
            notes.set_unknown(name("ecc.uncorrected"), "this board has no count of memory errors");
        }
    }
}
