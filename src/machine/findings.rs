//! Facts as sentences: what a user should know about this machine, most severe first. Nothing is measured here.

use super::numbering::{called, installed};
use super::vendor::Vendor;
use super::{Check, CheckStatus, alike};
use crate::amounts::size;
use crate::compatibility::{arch_supported, driver_supports};
use crate::facts::{Facts, Value};
use crate::vendors::Vendor as Description;
use crate::vendors::description::InitAdvice;

/// Sentences with their severity; the sort is stable.
#[derive(Default)]
pub(super) struct Findings(Vec<(Severity, String)>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Severity {
    /// Nothing works, or results are wrong.
    Broken,
    /// Something fails or will fail.
    Trouble,
    /// Worth knowing.
    Note,
}

impl Findings {
    pub(super) fn broken(&mut self, says: impl Into<String>) {
        self.0.push((Severity::Broken, says.into()));
    }

    pub(super) fn trouble(&mut self, says: impl Into<String>) {
        self.0.push((Severity::Trouble, says.into()));
    }

    pub(super) fn note(&mut self, says: impl Into<String>) {
        self.0.push((Severity::Note, says.into()));
    }
}

/// The findings of a probe, and whether one of them is severe.
pub(super) fn of(facts: &Facts, vendor: &dyn Vendor, checks: &[Check]) -> (Vec<String>, bool) {
    let mut findings = Findings::default();
    let description = vendor.description();
    driver(facts, description, &mut findings);
    for index in 0..installed(facts) {
        device(facts, index, &mut findings);
    }
    vendor.findings(facts, &mut findings);
    software(facts, description, &mut findings);
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

pub(super) fn yes(facts: &Facts, name: &str) -> bool {
    facts.get(name).is_some_and(|fact| fact.value == Value::Bool(true))
}

pub(super) fn list<'a>(facts: &'a Facts, name: &str) -> &'a [String] {
    match facts.get(name).map(|fact| &fact.value) {
        Some(Value::List(list)) => list,
        _ => &[],
    }
}

/// Known causes of the statuses that initialisation returns on broken installations.
fn init_advice(vendor: &Description, code: f64) -> Option<&str> {
    let of_code = |advice: &&InitAdvice| advice.codes.iter().any(|known| f64::from(*known) == code);
    vendor.runtime.init_advice.iter().find(of_code).map(|advice| advice.says.as_str())
}

fn driver(facts: &Facts, vendor: &Description, findings: &mut Findings) {
    let Description { name: maker, runtime, management, driver, .. } = vendor;
    let (library, watcher) = (driver.library.stem(), driver.management.stem());
    if !yes(facts, "driver.present") {
        let on_bus = list(facts, "pci.gpus");
        match on_bus {
            [] => findings
                .note(format!("no {maker} driver: no {library}, no {watcher}, no device node, no kernel module")),
            [..] => {
                findings.broken(format!("no {maker} driver, but there is a GPU from {maker}: {}", on_bus.join(", ")))
            }
        }
        return;
    }
    let versions = (facts.text("driver.kernel_version"), facts.text("driver.library_version"));
    if let (Some(kernel), Some(libraries)) = versions
        && driver.same_version
        && kernel != libraries
    {
        findings.broken(format!(
            "the loaded kernel module is {kernel}, the driver's libraries are {libraries}: reload the module or reboot"
        ));
    }
    if let Some(says) = facts.text(&format!("{}.says", management.facts)) {
        findings.broken(format!("{} does not work: {says}", management.name));
    }
    match facts.text("driver.init") {
        None | Some("ok") => {}
        Some(word) => {
            let says = facts.text("driver.init_says").unwrap_or(word);
            let advice = facts.number("driver.init_code").and_then(|code| init_advice(vendor, code));
            match advice {
                Some(advice) => findings.broken(format!("{} does not initialize: {says}; {advice}", runtime.name)),
                None => findings.broken(format!("{} does not initialize: {says}", runtime.name)),
            }
        }
    }
    let places = [
        ("driver.library", "driver.library_by", library),
        (management.library_fact.as_str(), management.library_by_fact.as_str(), watcher),
    ];
    for (name, by, library) in places {
        let by_nothing = facts.text(by).is_some_and(|by| by.starts_with("a folder that"));
        if let (true, Some(path)) = (by_nothing, facts.text(name)) {
            findings.trouble(format!("{library} is at {path}, which no program searches"));
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
    for lost in list(facts, "pci.lost") {
        findings.broken(format!("the GPU at {lost} no longer answers on the PCI bus"));
    }
    if let (Some(on_bus), count) = (facts.number("pci.gpu_count"), f64::from(installed(facts)))
        && count > 0.0
        && on_bus > count
        && !yes(facts, "os.container")
    {
        let bound: Vec<&String> =
            list(facts, "pci.gpus").iter().filter(|gpu| !gpu.ends_with(&format!(" {}", driver.module))).collect();
        let whose = bound.iter().map(|gpu| gpu.as_str()).collect::<Vec<_>>().join(", ");
        findings.trouble(format!("{on_bus} {maker} devices on the PCI bus, the driver lists {count} ({whose})"));
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
        findings.broken(format!("GPU {index}: the driver recommends: {action}"));
    }
    if let Some(count) = positive("ecc.uncorrected") {
        findings.broken(format!("GPU {index}: {count} uncorrectable memory errors since the driver was loaded"));
    }
    if yes(facts, &name("remapped.failed")) {
        findings.broken(format!("GPU {index}: a bad memory row could not be remapped: replace the board"));
    } else if yes(facts, &name("remapped.pending")) {
        findings.trouble(format!("GPU {index}: a bad memory row will be remapped when the GPU is reset"));
    }
    if yes(facts, &name("retired.pending")) {
        findings.trouble(format!("GPU {index}: a memory page will be retired at the next reboot"));
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
        findings.note(format!("GPU {index}: the PCIe link is x{width}, the slot and GPU support x{most}"));
    }
    if let Some(count) = number("pcie.replays").filter(|count| *count > 1000.0) {
        findings.trouble(format!("GPU {index}: {count} PCIe packets were resent: check the GPU, riser and cable"));
    }
    if let Some(mode) = facts.text(&name("compute_mode")).filter(|mode| *mode != "Default") {
        findings.trouble(format!("GPU {index} is in compute mode {mode}: a second process cannot create a context"));
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
            Some(why) => format!("; the process that uses it is unknown: {why}"),
            None => "; no process is listed that uses it".to_owned(),
        },
    };
    findings.trouble(format!("GPU {index}: {} of {} free{holder}", size(free), size(total)));
}

fn software(facts: &Facts, vendor: &Description, findings: &mut Findings) {
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
        let built = facts.text(&format!("{framework}.{}", vendor.runtime.facts));
        if let (Some(driver), Some(built)) = (facts.text("driver.version"), built)
            && !driver_supports(driver, built)
        {
            let runtime = &vendor.runtime.name;
            findings.broken(format!("the driver {driver} is older than {framework}'s {runtime} {built} needs"));
        }
    }
    if let [first, rest @ ..] = list(facts, "torch.broken_pins") {
        let more = if rest.is_empty() { String::new() } else { format!(" (and {} more)", rest.len()) };
        findings.trouble(format!("this environment does not match torch's requirements: {first}{more}"));
    }
    let packaged = vendor.libraries.iter().filter(|library| !library.package.is_empty());
    for library in packaged.map(|library| library.stem.as_str()) {
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
        let set = |name: &String| Some((name.clone(), facts.text(&format!("env.{name}"))?));
        if let Some((name, value)) = vendor.variables.visible.iter().find_map(set) {
            findings.trouble(format!("{name}=\"{value}\" hides every device"));
        }
    }
}

fn host(facts: &Facts, findings: &mut Findings) {
    match list(facts, "kernel.oom_kills") {
        [] => {}
        kills => findings.note(format!("the kernel's OOM killer ended: {}", kills.join(", "))),
    }
    const SMALL: f64 = 256.0 * 1024.0 * 1024.0;
    if let Some(bytes) = facts.number("host.shm.size").filter(|bytes| *bytes <= SMALL) {
        findings.trouble(format!("/dev/shm has only {}: data loader workers and NCCL need more", size(bytes)));
    }
    if let Some(kills) = facts.number("host.memory.oom_kills") {
        findings.trouble(format!("{kills} processes in this control group were killed by the OOM killer"));
    }
    const SCARCE: f64 = 1024.0 * 1024.0 * 1024.0;
    if let Some(bytes) = facts.number("host.memory.available").filter(|bytes| *bytes < SCARCE) {
        findings.trouble(format!("only {} of host memory is available", size(bytes)));
    }
}

fn broken_checks(facts: &Facts, checks: &[Check], findings: &mut Findings) {
    for (check, names) in alike(checks, CheckStatus::is_broken) {
        let what = match check.word {
            CheckStatus::Wrong => "wrong results",
            CheckStatus::Failed => "failure",
            CheckStatus::UnknownCode => "failure with a code for which the library has no name",
            CheckStatus::Crashed => "crash",
            CheckStatus::TimedOut => "hang",
            CheckStatus::Ok | CheckStatus::Skipped | CheckStatus::NotReached => continue,
        };
        findings.broken(format!("{}, {what} of {}: {}", called(facts, check.device), names.join(", "), check.says));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::note::Notes;
    use crate::machine::vendor::VENDORS;

    fn machine() -> Notes {
        let mut notes = Notes::default();
        notes.flag("driver.present", true);
        notes.count("gpu.installed", 1);
        notes.text("gpu.0.compute_capability", "6.1");
        notes.number("gpu.0.memory.total", 12.0 * 1024.0 * 1024.0 * 1024.0);
        notes.number("gpu.0.memory.free", 0.4 * 1024.0 * 1024.0 * 1024.0);
        notes.text("gpu.0.largest_process", "pid 4312 python train.py uses 10.9 GiB");
        notes
    }

    #[test]
    fn measured_values_stand_in_the_sentence() {
        let mut notes = machine();
        notes.list("torch.arch_list", vec!["sm_70".into(), "sm_120".into()]);
        notes.text("torch.cuda", "13.0");
        notes.text("driver.version", "525.60.13");
        let (findings, broken) = of(&notes.facts, VENDORS[0], &[]);
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
        assert_eq!(of(&healthy.facts, VENDORS[0], &[]), (Vec::new(), false));
    }

    #[test]
    fn init_failures_say_what_to_do() {
        let mut notes = Notes::default();
        notes.flag("driver.present", true);
        notes.text("driver.init", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
        notes.text("driver.init_says", "cuInit returned 803 (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)");
        notes.number("driver.init_code", 803.0);
        let (findings, _) = of(&notes.facts, VENDORS[0], &[]);
        assert!(findings[0].contains("803") && findings[0].contains("reload the module"), "{findings:?}");
    }
}
