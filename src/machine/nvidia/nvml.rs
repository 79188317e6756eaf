//! Reads the driver and each device through NVML. Runs in a child process: if a GPU has fallen off the bus, NVML may
//! never return.
//!
//! Each value is queried separately, and an unknown one has a reason: a board without ECC, a platform that hides
//! processes, a function that the driver lacks.

use std::ffi::OsStr;
use std::path::Path;

use nvml_wrapper::Device;
use nvml_wrapper::Nvml;
use nvml_wrapper::bitmasks::device::ThrottleReasons;
use nvml_wrapper::enum_wrappers::device::{
    Clock, EccCounter, MemoryError, RetirementCause, TemperatureSensor, TemperatureThreshold,
};
use nvml_wrapper::enums::device::{SampleValue, UsedGpuMemory};
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::struct_wrappers::device::ProcessInfo;
use nvml_wrapper::structs::device::FieldId;

use super::description;
use super::native::nvml_raw;
use super::nvml_modes::{fabric, links, modes};
use super::nvml_words::{why, word};
use crate::machine::note::Notes;
use crate::machine::process::describe;
use crate::machine::system;

/// The NVML field for the recovery action that the driver recommends.
const RECOVERY_ACTION: FieldId = FieldId(230);

/// Its values, indexed by number.
const RECOVERY_ACTIONS: &[&str] = &[
    "none",
    "reset the GPU",
    "reboot the machine",
    "drain peer-to-peer traffic",
    "drain and reset",
    "recover the IMEX domain",
    "reset the bus",
    "reset the system",
];

/// Writes `driver.*` and `gpu.installed`, then `gpu.<index>.*` device by device; an error from initialising NVML
/// becomes `nvml.error`.
pub(super) fn read(library: Option<&Path>, root: &Path, tell: &mut dyn FnMut(&Notes)) {
    let mut notes = Notes::default();
    let Some((nvml, count)) = start(library, &mut notes) else { return tell(&notes) };
    tell(&notes);
    for index in 0..count {
        let mut notes = Notes::default();
        read_device(&nvml, index, root, &mut notes);
        tell(&notes);
    }
    // NVML's shutdown waits for devices that may never respond; the process ends now anyway.
    std::mem::forget(nvml);
}

/// NVML and the number of devices it lists; `None` if it does not start.
fn start(library: Option<&Path>, notes: &mut Notes) -> Option<(Nvml, u32)> {
    let mut builder = Nvml::builder();
    if let Some(library) = library {
        builder.lib_path(library.as_os_str());
    } else {
        builder.lib_path(OsStr::new(description().driver.management.here()));
    }
    let nvml = match builder.init() {
        Ok(nvml) => nvml,
        Err(error) => {
            notes.text("nvml.error", word(&error));
            notes.text("nvml.says", why(&error));
            for name in ["gpu.installed", "gpu.memory.free", "gpu.ecc.uncorrected", "driver.version", "driver.cuda"] {
                notes.set_unknown(name, format!("NVML does not start: {}", why(&error)));
            }
            return None;
        }
    };
    match nvml.sys_driver_version() {
        Ok(version) => notes.text("driver.version", version),
        Err(error) => notes.set_unknown("driver.version", why(&error)),
    }
    match nvml.sys_cuda_driver_version() {
        Ok(version) => notes.text("driver.cuda", format!("{}.{}", version / 1000, version % 1000 / 10)),
        Err(error) => notes.set_unknown("driver.cuda", why(&error)),
    }
    let count = match nvml.device_count() {
        Ok(count) => {
            notes.count("gpu.installed", u64::from(count));
            count
        }
        Err(error) => {
            notes.set_unknown("gpu.installed", why(&error));
            0
        }
    };
    Some((nvml, count))
}

fn read_device(nvml: &Nvml, index: u32, root: &Path, notes: &mut Notes) {
    let device = match nvml.device_by_index(index) {
        Ok(device) => device,
        Err(error) => {
            notes.text(format!("gpu.{index}.error"), word(&error));
            notes.set_unknown(format!("gpu.{index}.name"), why(&error));
            return;
        }
    };
    let mut of = OfDevice { index, notes };
    identity(&device, &mut of);
    memory(nvml, &device, &mut of);
    processes(&device, root, &mut of);
    health(nvml, &device, &mut of);
    heat_and_power(&device, &mut of);
    links(&device, &mut of);
    fabric(nvml, &device, &mut of);
    modes(&device, &mut of);
}

/// Records facts of one device.
pub(super) struct OfDevice<'a> {
    index: u32,
    pub(super) notes: &'a mut Notes,
}

impl OfDevice<'_> {
    pub(super) fn name(&self, name: &str) -> String {
        format!("gpu.{}.{name}", self.index)
    }

    /// The value, or the reason why it is unknown.
    pub(super) fn ask<T>(&mut self, name: &str, answer: Result<T, NvmlError>) -> Option<T> {
        match answer {
            Ok(value) => Some(value),
            Err(error) => {
                if matches!(error, NvmlError::GpuLost | NvmlError::ResetRequired) {
                    let name = self.name("error");
                    self.notes.text(name, word(&error));
                }
                let name = self.name(name);
                self.notes.set_unknown(name, why(&error));
                None
            }
        }
    }

    pub(super) fn count(&mut self, name: &str, answer: Result<u64, NvmlError>) -> Option<u64> {
        let value = self.ask(name, answer)?;
        let name = self.name(name);
        self.notes.count(name, value);
        Some(value)
    }

    pub(super) fn text(&mut self, name: &str, answer: Result<String, NvmlError>) {
        if let Some(value) = self.ask(name, answer) {
            let name = self.name(name);
            self.notes.text(name, value);
        }
    }

    pub(super) fn flag(&mut self, name: &str, answer: Result<bool, NvmlError>) {
        if let Some(value) = self.ask(name, answer) {
            let name = self.name(name);
            self.notes.flag(name, value);
        }
    }
}

fn identity(device: &Device<'_>, of: &mut OfDevice<'_>) {
    of.text("name", device.name());
    of.text("uuid", device.uuid());
    of.text("pci", device.pci_info().map(|pci| pci.bus_id));
    if let Some(capability) = of.ask("compute_capability", device.cuda_compute_capability()) {
        let (major, minor) = (capability.major, capability.minor);
        of.text("compute_capability", Ok(format!("{major}.{minor}")));
        of.text("arch", Ok(format!("sm_{major}{minor}")));
    }
}

fn memory(nvml: &Nvml, device: &Device<'_>, of: &mut OfDevice<'_>) {
    let memory = match device.memory_info() {
        Ok(memory) => {
            of.count("memory.reserved", Ok(memory.reserved));
            Ok((memory.total, memory.free, memory.used))
        }
        Err(NvmlError::FailedToLoadSymbol(_)) => nvml_raw::old_memory_info(nvml, device),
        Err(error) => Err(error),
    };
    match of.ask("memory.free", memory) {
        Some((total, free, used)) => {
            of.count("memory.total", Ok(total));
            of.count("memory.free", Ok(free));
            of.count("memory.used", Ok(used));
        }
        None => {
            let name = of.name("memory.total");
            of.notes.set_unknown(name, "the device does not report its memory");
        }
    }
    if let Some(use_of) = of.ask("utilization", device.utilization_rates()) {
        of.count("utilization", Ok(u64::from(use_of.gpu)));
    }
}

/// Who uses memory: compute and graphics processes, the largest first.
fn processes(device: &Device<'_>, root: &Path, of: &mut OfDevice<'_>) {
    const NAMES: [&str; 3] = ["processes", "held_by_processes", "largest_process"];
    if system::is_wsl(root) {
        for name in NAMES {
            let name = of.name(name);
            of.notes.set_unknown(name, "WSL2 hides processes and the memory they use");
        }
        return;
    }
    let compute = match device.running_compute_processes() {
        Err(NvmlError::FailedToLoadSymbol(_)) => device.running_compute_processes_v2(),
        other => other,
    };
    let mut all = match compute {
        Ok(all) => all,
        Err(error) => {
            for name in NAMES {
                let name = of.name(name);
                of.notes.set_unknown(name, format!("the driver lists no processes: {}", why(&error)));
            }
            return;
        }
    };
    // Clients of an MPS server and graphics programs have their own lists.
    let shared = device.mps_running_compute_processes().unwrap_or_default();
    for other in shared.into_iter().chain(device.running_graphics_processes().unwrap_or_default()) {
        if !all.iter().any(|known| known.pid == other.pid) {
            all.push(other);
        }
    }
    let held = |process: &ProcessInfo| match process.used_gpu_memory {
        UsedGpuMemory::Used(bytes) => Some(bytes),
        UsedGpuMemory::Unavailable => None,
    };
    all.sort_by_key(|process| std::cmp::Reverse(held(process)));
    let said: Vec<String> = all.iter().map(|process| describe(process.pid, held(process), root)).collect();
    of.count("process_count", Ok(all.len() as u64));
    of.count("held_by_processes", Ok(all.iter().filter_map(held).sum()));
    if let Some(first) = said.first() {
        of.text("largest_process", Ok(first.clone()));
    }
    let name = of.name("processes");
    of.notes.list(name, said);
}

fn health(nvml: &Nvml, device: &Device<'_>, of: &mut OfDevice<'_>) {
    match device.is_ecc_enabled() {
        Ok(state) => {
            of.flag("ecc.enabled", Ok(state.currently_enabled));
            if state.currently_enabled {
                ecc_counts(device, of);
            } else {
                let name = of.name("ecc.uncorrected");
                of.notes.set_unknown(name, "ECC is switched off on this board");
            }
        }
        Err(NvmlError::NotSupported) => {
            for name in ["ecc.enabled", "ecc.uncorrected"] {
                let name = of.name(name);
                of.notes.set_unknown(name, "this board has no ECC");
            }
        }
        Err(error) => {
            of.ask::<()>("ecc.uncorrected", Err(error));
        }
    }
    let retired = |cause| device.retired_pages(cause).map(|pages| pages.len() as u64);
    of.count("retired.double_bit", retired(RetirementCause::DoubleBitEccError));
    of.count("retired.single_bit", retired(RetirementCause::MultipleSingleBitEccErrors));
    of.flag("retired.pending", device.are_pages_pending_retired());
    if let Some(rows) = of.ask("remapped.pending", nvml_raw::remapped_rows(nvml, device)) {
        of.count("remapped.correctable", Ok(u64::from(rows.correctable)));
        of.count("remapped.uncorrectable", Ok(u64::from(rows.uncorrectable)));
        of.flag("remapped.pending", Ok(rows.pending));
        of.flag("remapped.failed", Ok(rows.failed));
    }
    let action = device.field_values_for(&[RECOVERY_ACTION]).and_then(|mut values| match values.pop() {
        Some(Ok(sample)) => sample.value,
        Some(Err(error)) => Err(error),
        None => Err(NvmlError::NotFound),
    });
    if let Some(action) = of.ask("recovery_action", action) {
        let number = match action {
            SampleValue::U32(number) => usize::try_from(number).ok(),
            SampleValue::U64(number) => usize::try_from(number).ok(),
            SampleValue::I64(number) => usize::try_from(number).ok(),
            SampleValue::F64(_) => None,
        };
        let words = number.and_then(|number| RECOVERY_ACTIONS.get(number)).map(|words| (*words).to_owned());
        let unknown = || format!("take the action numbered {}", number.unwrap_or_default());
        of.text("recovery_action", Ok(words.unwrap_or_else(unknown)));
    }
}

fn ecc_counts(device: &Device<'_>, of: &mut OfDevice<'_>) {
    let counts = |kind, counter| device.total_ecc_errors(kind, counter);
    of.count("ecc.uncorrected", counts(MemoryError::Uncorrected, EccCounter::Volatile));
    of.count("ecc.corrected", counts(MemoryError::Corrected, EccCounter::Volatile));
    of.count("ecc.uncorrected_ever", counts(MemoryError::Uncorrected, EccCounter::Aggregate));
    of.count("ecc.corrected_ever", counts(MemoryError::Corrected, EccCounter::Aggregate));
}

fn heat_and_power(device: &Device<'_>, of: &mut OfDevice<'_>) {
    of.count("temperature", device.temperature(TemperatureSensor::Gpu).map(u64::from));
    of.count("temperature_slowdown", device.temperature_threshold(TemperatureThreshold::Slowdown).map(u64::from));
    let watts = |milliwatts: u32| u64::from(milliwatts) / 1000;
    of.count("power", device.power_usage().map(watts));
    of.count("power_limit", device.enforced_power_limit().map(watts));
    of.count("clock", device.clock_info(Clock::SM).map(u64::from));
    of.count("clock_max", device.max_clock_info(Clock::SM).map(u64::from));
    if let Some(reasons) = of.ask("clock_events", device.current_throttle_reasons()) {
        let name = of.name("clock_events");
        of.notes.list(name, clock_events(reasons));
    }
}

/// The reasons for lower clocks that a user should know about; idling is not one.
fn clock_events(reasons: ThrottleReasons) -> Vec<String> {
    let named = [
        (ThrottleReasons::SW_POWER_CAP, "power limit"),
        (ThrottleReasons::HW_SLOWDOWN, "hardware slowdown"),
        (ThrottleReasons::SW_THERMAL_SLOWDOWN, "heat (software)"),
        (ThrottleReasons::HW_THERMAL_SLOWDOWN, "heat (hardware)"),
        (ThrottleReasons::HW_POWER_BRAKE_SLOWDOWN, "power brake"),
    ];
    named.into_iter().filter(|(bit, _)| reasons.contains(*bit)).map(|(_, words)| words.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_is_no_news() {
        assert!(clock_events(ThrottleReasons::GPU_IDLE).is_empty());
        assert_eq!(clock_events(ThrottleReasons::HW_SLOWDOWN | ThrottleReasons::GPU_IDLE), ["hardware slowdown"]);
    }
}
