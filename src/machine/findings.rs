//! Facts as sentences: what a person should know of this machine, the gravest first. Nothing is measured here.

use super::numbering::{called, installed};
use super::{Check, Word, alike};
use crate::amounts::size;
use crate::compatibility::{arch_supported, driver_supports};
use crate::facts::{Facts, Value};

/// Sentences with their gravity; sorted by it, stable otherwise.
#[derive(Default)]
struct Findings(Vec<(Severity, String)>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Severity {
    /// Nothing works, or results are wrong.
    Broken,
    /// Something will fail or is failing.
    Trouble,
    /// Worth knowing.
    Note,
}

impl Findings {
    fn broken(&mut self, says: impl Into<String>) {
        self.0.push((Severity::Broken, says.into()));
    }

    fn trouble(&mut self, says: impl Into<String>) {
        self.0.push((Severity::Trouble, says.into()));
    }

    fn note(&mut self, says: impl Into<String>) {
        self.0.push((Severity::Note, says.into()));
    }
}

/// The findings of a probe, and whether one of them says that something is broken.
pub(super) fn of(facts: &Facts, checks: &[Check]) -> (Vec<String>, bool) {
    let mut findings = Findings::default();
    driver(facts, &mut findings);
    for index in 0..installed(facts) {
        device(facts, index, &mut findings);
    }
    kernel(facts, &mut findings);
    software(facts, &mut findings);
    host(facts, &mut findings);
    broken_checks(facts, checks, &mut findings);
    if let (late @ [_, ..], Some(budget)) = (list(facts, "probe.late"), facts.number("probe.budget_ms")) {
        let late = late.join(", ");
        findings.note(format!("no answer within {budget} ms from {late}; `faultbook probe` waits longer"));
    }
    findings.0.sort_by_key(|(gravity, _)| *gravity);
    let broken = findings.0.iter().any(|(gravity, _)| *gravity == Severity::Broken);
    (findings.0.into_iter().map(|(_, says)| says).collect(), broken)
}

fn yes(facts: &Facts, name: &str) -> bool {
    facts.get(name).is_some_and(|fact| fact.value == Value::Bool(true))
}

fn list<'a>(facts: &'a Facts, name: &str) -> &'a [String] {
    match facts.get(name).map(|fact| &fact.value) {
        Some(Value::List(list)) => list,
        _ => &[],
    }
}

/// What is known of the statuses that `cuInit` gives on broken installations.
fn init_advice(code: f64) -> Option<&'static str> {
    #[expect(clippy::cast_possible_truncation, reason = "a status code")]
    Some(match code as i32 {
        3 => "the process forked after CUDA was initialised, or the driver shuts down",
        34 => "a stub of libcuda from a toolkit was loaded: its `stubs` folder is on LD_LIBRARY_PATH",
        35 | 36 => "the program needs a newer driver than the one installed",
        46 => "every device is busy or in exclusive mode",
        100 => {
            "the driver works and sees no device: CUDA_VISIBLE_DEVICES, the container's --gpus, or a device that is lost"
        }
        101 => "the device number asked for does not exist",
        802 => "the fabric is not ready: nv-fabricmanager must run on this system",
        803 => {
            "the kernel module and libcuda are of different versions: reload the module or reboot after a driver update"
        }
        804 => {
            "a forward-compatibility libcuda (cuda-compat) is loaded on a device that does not allow it: take it off LD_LIBRARY_PATH"
        }
        999 => {
            "the driver is in a broken state: often /dev/nvidia-uvm is missing or the machine slept; reload the modules or reboot"
        }
        _ => return None,
    })
}

fn driver(facts: &Facts, findings: &mut Findings) {
    if !yes(facts, "driver.present") {
        let on_bus = list(facts, "pci.gpus");
        match on_bus {
            [] => findings.note("no NVIDIA driver: no libcuda, no libnvidia-ml, no device node, no kernel module"),
            [..] => findings.broken(format!("no NVIDIA driver, but there is an NVIDIA GPU: {}", on_bus.join(", "))),
        }
        return;
    }
    let (kernel, library) = (facts.text("driver.kernel_version"), facts.text("driver.library_version"));
    if let (Some(kernel), Some(library)) = (kernel, library)
        && kernel != library
    {
        findings.broken(format!(
            "the loaded kernel module is {kernel}, the driver's libraries are {library}: reload the module or reboot"
        ));
    }
    if let Some(says) = facts.text("nvml.says") {
        findings.broken(format!("NVML does not work: {says}"));
    }
    match facts.text("driver.init") {
        None | Some("ok") => {}
        Some(word) => {
            let says = facts.text("driver.init_says").unwrap_or(word);
            let advice = facts.number("driver.init_code").and_then(init_advice);
            match advice {
                Some(advice) => findings.broken(format!("CUDA does not initialise: {says}; {advice}")),
                None => findings.broken(format!("CUDA does not initialise: {says}")),
            }
        }
    }
    let names = [("driver.library", "libcuda"), ("driver.nvml_library", "libnvidia-ml")];
    for (name, library) in names {
        let by_nothing = facts.text(&format!("{name}_by")).is_some_and(|by| by.starts_with("a folder that"));
        if let (true, Some(path)) = (by_nothing, facts.text(name)) {
            findings.trouble(format!("{library} lies at {path}, where no program looks for it"));
        }
    }
    for (name, says) in
        [("device_nodes.denied", "may not be opened by this user"), ("device_nodes.missing", "is missing")]
    {
        match list(facts, name) {
            [] => {}
            nodes => findings.trouble(format!("{} {says}", nodes.join(", "))),
        }
    }
    if yes(facts, "fabric_manager.needed")
        && facts.get("fabric_manager.running").is_some_and(|fact| fact.value == Value::Bool(false))
    {
        findings.trouble("this machine has NVSwitches and nv-fabricmanager does not run: CUDA will report error 802");
    }
    for lost in list(facts, "pci.lost") {
        findings.broken(format!("the GPU at {lost} no longer answers on the PCI bus"));
    }
    if let (Some(on_bus), count) = (facts.number("pci.gpu_count"), f64::from(installed(facts)))
        && count > 0.0
        && on_bus > count
        && !yes(facts, "os.container")
    {
        let bound: Vec<&String> = list(facts, "pci.gpus").iter().filter(|gpu| !gpu.ends_with(" nvidia")).collect();
        let whose = bound.iter().map(|gpu| gpu.as_str()).collect::<Vec<_>>().join(", ");
        findings.trouble(format!("{on_bus} NVIDIA devices on the PCI bus, the driver lists {count} ({whose})"));
    }
}

fn device(facts: &Facts, index: u32, findings: &mut Findings) {
    let name = |name: &str| format!("gpu.{index}.{name}");
    let number = |one: &str| facts.number(&name(one));
    let positive = |one: &str| number(one).filter(|number| *number > 0.0);
    if let Some(error) = facts.text(&name("error")) {
        findings.broken(format!("GPU {index} does not answer: {error}"));
        return;
    }
    if let Some(action) = facts.text(&name("recovery_action")).filter(|action| *action != "none") {
        findings.broken(format!("GPU {index}: the driver asks to {action}"));
    }
    if let Some(count) = positive("ecc.uncorrected") {
        findings.broken(format!("GPU {index}: {count} uncorrectable memory errors since the driver was loaded"));
    }
    if yes(facts, &name("remapped.failed")) {
        findings.broken(format!("GPU {index}: a bad memory row could not be replaced, the board is to be exchanged"));
    } else if yes(facts, &name("remapped.pending")) {
        findings.trouble(format!("GPU {index}: a bad memory row waits to be replaced, which a reset of the GPU does"));
    }
    if yes(facts, &name("retired.pending")) {
        findings.trouble(format!("GPU {index}: a memory page waits to be retired, which a reboot does"));
    }
    memory(facts, index, findings);
    let events = list(facts, &name("clock_events"));
    let slow: Vec<&String> = events.iter().filter(|event| *event != "power limit").collect();
    if !slow.is_empty() {
        let words: Vec<&str> = slow.iter().map(|event| event.as_str()).collect();
        findings.trouble(format!("GPU {index} runs at lower clocks: {}", words.join(", ")));
    }
    if let (Some(now), Some(limit)) = (number("temperature"), positive("temperature_slowdown"))
        && now + 3.0 >= limit
    {
        findings.trouble(format!("GPU {index} is at {now} C, it slows down at {limit} C"));
    }
    if let (Some(width), Some(most)) = (positive("pcie.width"), number("pcie.max_width"))
        && width < most
    {
        findings.note(format!("GPU {index}: the PCIe link is x{width}, the slot and card could do x{most}"));
    }
    if let Some(count) = number("pcie.replays").filter(|count| *count > 1000.0) {
        findings.trouble(format!("GPU {index}: {count} PCIe packets had to be sent again: card, riser or cable"));
    }
    if let (Some(down), Some(_)) = (positive("nvlink.inactive"), positive("nvlink.active")) {
        findings.note(format!(
            "GPU {index}: {down} NVLink links are not active, which is right only where nothing is connected to them"
        ));
    }
    if let Some(state) = facts.text(&name("fabric")).filter(|state| *state != "completed") {
        findings.trouble(format!(
            "GPU {index} has not joined its NVLink fabric ({state}): CUDA reports error 802 until nv-fabricmanager is done"
        ));
    }
    if yes(facts, &name("mig")) {
        let slices = list(facts, &name("mig_devices")).len();
        findings
            .note(format!("GPU {index} is divided (MIG, {slices} slices): a program gets one slice and its memory"));
    }
    if let Some(mode) = facts.text(&name("compute_mode")).filter(|mode| *mode != "Default") {
        findings.trouble(format!("GPU {index} is in compute mode {mode}: a second process gets no context"));
    }
}

fn memory(facts: &Facts, index: u32, findings: &mut Findings) {
    const NEARLY_FULL: f64 = 0.1;
    let number = |one: &str| facts.number(&format!("gpu.{index}.{one}"));
    let (Some(free), Some(total)) = (number("memory.free"), number("memory.total")) else { return };
    if total <= 0.0 || free / total >= NEARLY_FULL {
        return;
    }
    let holder = match facts.text(&format!("gpu.{index}.largest_process")) {
        Some(process) => format!("; {process}"),
        None => match facts.why_unknown(&format!("gpu.{index}.largest_process")) {
            Some(why) => format!("; who holds it cannot be told: {why}"),
            None => "; no process is listed that holds it".to_owned(),
        },
    };
    findings.trouble(format!("GPU {index}: {} of {} free{holder}", size(free), size(total)));
}

fn kernel(facts: &Facts, findings: &mut Findings) {
    if facts.number("kernel.xid.count").is_some_and(|count| count > 0.0) {
        let codes = list(facts, "kernel.xid.codes").join(", ");
        let gpus = list(facts, "kernel.xid.gpus").join(", ");
        let age = facts.number("kernel.xid.age").map(|age| format!(", the last {} ago", ago(age))).unwrap_or_default();
        findings.trouble(format!("the kernel log holds Xid {codes} of GPU {gpus}{age}"));
    }
    match list(facts, "kernel.oom_kills") {
        [] => {}
        kills => findings.note(format!("the kernel killed for want of host memory: {}", kills.join(", "))),
    }
}

/// "14 minutes".
fn ago(seconds: f64) -> String {
    let (minutes, hours) = ((seconds / 60.0).round(), (seconds / 3600.0).round());
    if seconds < 90.0 {
        format!("{seconds:.0} seconds")
    } else if minutes < 90.0 {
        format!("{minutes} minutes")
    } else if hours < 48.0 {
        format!("{hours} hours")
    } else {
        format!("{:.0} days", seconds / 86400.0)
    }
}

fn software(facts: &Facts, findings: &mut Findings) {
    if yes(facts, "torch.cpu_only") && yes(facts, "driver.present") {
        findings.trouble("the torch of this environment is a CPU-only build");
    }
    if yes(facts, "tensorflow.cpu_only") && yes(facts, "driver.present") {
        findings.trouble("the TensorFlow of this environment is a CPU-only build");
    }
    for framework in ["torch", "tensorflow"] {
        let archs = list(facts, &format!("{framework}.arch_list"));
        let short: Vec<&str> = archs.iter().map(|arch| arch.trim_start_matches("sm_")).collect();
        for index in 0..installed(facts) {
            let Some(capability) = facts.text(&format!("gpu.{index}.compute_capability")) else { continue };
            if !archs.is_empty() && !arch_supported(capability, archs) {
                findings.broken(format!(
                    "{framework} has no code for GPU {index}: it is built for {}, the device is sm_{}",
                    short.join(" "),
                    capability.replace('.', "")
                ));
            }
        }
        if let (Some(driver), Some(cuda)) = (facts.text("driver.version"), facts.text(&format!("{framework}.cuda")))
            && !driver_supports(driver, cuda)
        {
            findings.broken(format!("the driver {driver} is older than {framework}'s CUDA {cuda} needs"));
        }
    }
    if let [first, rest @ ..] = list(facts, "torch.broken_pins") {
        let more = if rest.is_empty() { String::new() } else { format!(" (and {} more)", rest.len()) };
        findings.trouble(format!("this environment is not what torch demands: {first}{more}"));
    }
    for library in ["cudnn", "cublas", "nccl", "cudart"] {
        let copies = facts.number(&format!("{library}.copies")).unwrap_or(0.0);
        if copies > 1.0 && yes(facts, &format!("{library}.mixed_majors")) {
            let versions = list(facts, &format!("{library}.versions")).join(", ");
            findings.trouble(format!(
                "{copies} copies of lib{library} of different major versions are reachable: {versions}"
            ));
        } else if copies > 1.0 && yes(facts, &format!("{library}.on_library_path")) {
            findings
                .trouble(format!("{copies} copies of lib{library} are reachable, one of them through LD_LIBRARY_PATH"));
        }
    }
    if facts.number("gpu.count") == Some(0.0) && installed(facts) > 0 {
        let value = facts.text("env.CUDA_VISIBLE_DEVICES").unwrap_or_default();
        findings.trouble(format!("CUDA_VISIBLE_DEVICES=\"{value}\" hides every device"));
    }
}

fn host(facts: &Facts, findings: &mut Findings) {
    const SMALL: f64 = 256.0 * 1024.0 * 1024.0;
    if let Some(bytes) = facts.number("host.shm.size").filter(|bytes| *bytes <= SMALL) {
        findings.trouble(format!("/dev/shm holds only {}: data loader workers and NCCL need more", size(bytes)));
    }
    if let Some(kills) = facts.number("host.memory.oom_kills") {
        findings.trouble(format!("{kills} processes of this control group were killed for want of memory"));
    }
    const SCARCE: f64 = 1024.0 * 1024.0 * 1024.0;
    if let Some(bytes) = facts.number("host.memory.available").filter(|bytes| *bytes < SCARCE) {
        findings.trouble(format!("only {} of host memory are available", size(bytes)));
    }
}

fn broken_checks(facts: &Facts, checks: &[Check], findings: &mut Findings) {
    for (check, names) in alike(checks, Word::is_broken) {
        let what = match check.word {
            Word::Wrong => "wrong results",
            Word::Failed => "failure",
            Word::UnknownCode => "failure with a code that the library does not name",
            Word::Crashed => "crash",
            Word::TimedOut => "hang",
            Word::Ok | Word::Skipped | Word::NotReached => continue,
        };
        findings.broken(format!("{}, {what} of {}: {}", called(facts, check.device), names.join(", "), check.says));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::note::Notes;

    fn machine() -> Notes {
        let mut notes = Notes::default();
        notes.flag("driver.present", true);
        notes.count("gpu.installed", 1);
        notes.text("gpu.0.compute_capability", "6.1");
        notes.number("gpu.0.memory.total", 12.0 * 1024.0 * 1024.0 * 1024.0);
        notes.number("gpu.0.memory.free", 0.4 * 1024.0 * 1024.0 * 1024.0);
        notes.text("gpu.0.largest_process", "pid 4312 python train.py holds 10.9 GiB");
        notes
    }

    #[test]
    fn measured_values_stand_in_the_sentence() {
        let mut notes = machine();
        notes.list("torch.arch_list", vec!["sm_70".into(), "sm_120".into()]);
        notes.text("torch.cuda", "13.0");
        notes.text("driver.version", "525.60.13");
        let (findings, broken) = of(&notes.facts, &[]);
        assert!(broken);
        assert!(findings.iter().any(|says| says.contains("built for 70 120, the device is sm_61")), "{findings:?}");
        assert!(findings.iter().any(|says| says.contains("driver 525.60.13 is older than torch's CUDA 13.0")));
        let full = findings.iter().position(|says| says.contains("409.6 MiB of 12.0 GiB free; pid 4312 python"));
        assert_eq!(full, Some(2), "{findings:?}");
    }

    #[test]
    fn a_healthy_machine_has_nothing_to_say() {
        let mut healthy = Notes::default();
        healthy.flag("driver.present", true);
        healthy.count("gpu.installed", 1);
        healthy.number("gpu.0.memory.total", 100.0);
        healthy.number("gpu.0.memory.free", 90.0);
        healthy.text("driver.init", "ok");
        assert_eq!(of(&healthy.facts, &[]), (Vec::new(), false));
    }

    #[test]
    fn init_failures_say_what_to_do() {
        let mut notes = Notes::default();
        notes.flag("driver.present", true);
        notes.text("driver.init", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
        notes.text("driver.init_says", "cuInit returned 803 (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)");
        notes.number("driver.init_code", 803.0);
        let (findings, _) = of(&notes.facts, &[]);
        assert!(findings[0].contains("803") && findings[0].contains("reload the module"), "{findings:?}");
    }
}
