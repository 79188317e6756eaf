//! What a person should know of NVIDIA's devices beyond what holds for every vendor: NVLink and its fabric, MIG, Xids.

use crate::facts::{Facts, Value};
use crate::machine::findings::{Findings, list, yes};
use crate::machine::numbering::installed;

pub(super) fn read(facts: &Facts, findings: &mut Findings) {
    if yes(facts, "fabric_manager.needed")
        && facts.get("fabric_manager.running").is_some_and(|fact| fact.value == Value::Bool(false))
    {
        findings.trouble("this machine has NVSwitches and nv-fabricmanager does not run: CUDA will report error 802");
    }
    for index in 0..installed(facts) {
        device(facts, index, findings);
    }
    if facts.number("kernel.xid.count").is_some_and(|count| count > 0.0) {
        let codes = list(facts, "kernel.xid.codes").join(", ");
        let gpus = list(facts, "kernel.xid.gpus").join(", ");
        let age = facts.number("kernel.xid.age").map(|age| format!(", the last {} ago", ago(age))).unwrap_or_default();
        findings.trouble(format!("the kernel log holds Xid {codes} of GPU {gpus}{age}"));
    }
}

fn device(facts: &Facts, index: u32, findings: &mut Findings) {
    let name = |name: &str| format!("gpu.{index}.{name}");
    let positive = |one: &str| facts.number(&name(one)).filter(|number| *number > 0.0);
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
