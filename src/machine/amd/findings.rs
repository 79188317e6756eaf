//! Findings specific to AMD's GPUs: targets that the framework has no code for, and targets that a variable overrides.

use crate::compatibility::arch_supported;
use crate::facts::Facts;
use crate::machine::findings::{Findings, list};
use crate::machine::numbering::installed;

pub(super) fn read(facts: &Facts, findings: &mut Findings) {
    let archs = list(facts, "torch.arch_list");
    for index in 0..installed(facts) {
        let text = |name: &str| facts.text(&format!("gpu.{index}.{name}"));
        let (Some(arch), Some(target)) = (text("arch"), text("target")) else { continue };
        if !archs.is_empty() && !arch_supported(target, archs) {
            let as_if = if target == arch { String::new() } else { format!(", used as {target}") };
            findings.broken(format!(
                "torch has no code for GPU {index}: it is built for {}, the device is {arch}{as_if}",
                archs.join(" ")
            ));
        } else if target != arch {
            findings.note(format!(
                "HSA_OVERRIDE_GFX_VERSION makes ROCm run code for {target} on GPU {index}, which is {arch}"
            ));
        }
    }
}
