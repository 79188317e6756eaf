//! Errors of ROCm programs and a machine: what the files of AMD's driver say of the causes.

use faultbook::diagnosis::CauseStatus;
use faultbook::machine::Level;

use super::amd::{Gpu, XTX};
use super::machine::Machine;
use super::verdicts::{answer, plain, verdict};

const NO_GPU: &str = "RuntimeError: No HIP GPUs are available";

const NOT_SEEN: &str = "I installed torch 2.8.0 on my machine\n>>> torch.cuda.is_available()\nFalse\n";

#[test]
fn nodes_that_are_missing_confirm_the_container() {
    let outcome = Machine::amd(&[XTX]).torch_rocm(&["gfx1100"]).without("dev/kfd").probe(Level::Quick);
    let diagnosis = answer(&plain(NO_GPU), Some(&outcome));
    verdict(&diagnosis, "no-device", "platform-limit", CauseStatus::Confirmed, "/dev/kfd does not exist here");
    verdict(&diagnosis, "no-device", "driver-not-loaded", CauseStatus::Refuted, "amdgpu driver is loaded");
}

#[test]
fn nodes_that_may_not_be_opened_confirm_the_permission() {
    use std::os::unix::fs::PermissionsExt;
    let machine = Machine::amd(&[XTX]).torch_rocm(&["gfx1100"]);
    let node = machine.folder.path().join("dev/kfd");
    std::fs::set_permissions(&node, std::fs::Permissions::from_mode(0o000)).unwrap();
    // Root may open everything.
    if std::fs::File::open(&node).is_err() {
        let diagnosis = answer(&plain(NO_GPU), Some(&machine.probe(Level::Quick)));
        verdict(&diagnosis, "no-device", "platform-limit", CauseStatus::Confirmed, "cannot open /dev/kfd");
    }
}

#[test]
fn a_variable_hides_the_gpu() {
    let machine = Machine::amd(&[XTX]).torch_rocm(&["gfx1100"]).variable("HIP_VISIBLE_DEVICES", "-1");
    let diagnosis = answer(&plain(NO_GPU), Some(&machine.probe(Level::Quick)));
    verdict(&diagnosis, "no-device", "environment-variable", CauseStatus::Confirmed, "HIP_VISIBLE_DEVICES");
}

#[test]
fn a_machine_without_the_vendors_driver() {
    let outcome = Machine::with("healthy-h100").torch_28().probe(Level::Quick);
    let diagnosis = answer(&plain(NO_GPU), Some(&outcome));
    verdict(&diagnosis, "no-device", "driver-not-loaded", CauseStatus::Confirmed, "no driver for GPUs of this vendor");
}

#[test]
fn a_build_for_another_vendor_is_not_used() {
    let outcome = Machine::amd(&[XTX]).torch_28().probe(Level::Quick);
    let diagnosis = answer(NOT_SEEN, Some(&outcome));
    let words = "the build is for CUDA 12.8, but the GPU of this machine is AMD Radeon RX 7900 XTX";
    verdict(&diagnosis, "gpu-not-used", "platform-limit", CauseStatus::Confirmed, words);
}

#[test]
fn a_gpu_that_no_code_asks_is_named() {
    let gpu = "sys/bus/pci/devices/0000:03:00.0";
    let machine = Machine::without_driver().torch_28();
    let machine = machine.file(&format!("{gpu}/vendor"), "0x8086\n").file(&format!("{gpu}/class"), "0x030000\n");
    // A neural processing unit is none.
    let unit = "sys/bus/pci/devices/0000:00:0b.0";
    let machine = machine.file(&format!("{unit}/vendor"), "0x8086\n").file(&format!("{unit}/class"), "0x120000\n");
    let outcome = machine.probe(Level::Quick);
    let words = "the torch of this environment is built for CUDA, the GPU is from Intel: 0000:03:00.0 no driver";
    assert_eq!(outcome.findings[0], words);
    let diagnosis = answer(NOT_SEEN, Some(&outcome));
    verdict(&diagnosis, "gpu-not-used", "platform-limit", CauseStatus::Supported, "is from Intel");
}

#[test]
fn the_machine_decides_whose_commands_are_shown() {
    let vendor = |outcome| answer(NOT_SEEN, Some(&outcome)).environment.text("gpu.vendor").map(str::to_owned);
    let rocm = Machine::amd(&[XTX]).torch_rocm(&["gfx1100"]);
    assert_eq!(vendor(rocm.probe(Level::Quick)).as_deref(), Some("amd"));
    assert_eq!(vendor(Machine::without_driver().probe(Level::Quick)), None);
}

#[test]
fn targets_without_code_confirm_the_build() {
    let machine = || Machine::amd(&[Gpu { target: 100_301, ..XTX }]).torch_rocm(&["gfx1030", "gfx1100"]);
    let words = "code for gfx1030, gfx1100, not for this gfx1031";
    let (one, other) = (
        plain("RuntimeError: HIP error: invalid device function"),
        plain("RuntimeError: HIP error: no kernel image is available for execution on the device"),
    );
    let outcome = machine().probe(Level::Quick);
    verdict(
        &answer(&one, Some(&outcome)),
        "invalid-device-function",
        "arch-unsupported",
        CauseStatus::Confirmed,
        words,
    );
    verdict(&answer(&other, Some(&outcome)), "no-kernel-image", "arch-unsupported", CauseStatus::Confirmed, words);
    // With the variable, the build has code: then it is that of another GPU.
    let outcome = machine().variable("HSA_OVERRIDE_GFX_VERSION", "10.3.0").probe(Level::Quick);
    let words = "makes ROCm run code for gfx1030 on this gfx1031";
    let diagnosis = answer(&one, Some(&outcome));
    verdict(&diagnosis, "invalid-device-function", "arch-unsupported", CauseStatus::Supported, words);
}

#[test]
fn faults_of_the_runtime_use_what_the_files_say() {
    let text = plain(
        "Memory access fault by GPU node-1 (Agent handle: 0x55d2c80a1b70) on address 0x7f3c1a600000. Reason: Unknown.",
    );
    let machine = || Machine::amd(&[Gpu { target: 100_301, ..XTX }]).torch_rocm(&["gfx1030", "gfx1100"]);
    let diagnosis = answer(&text, Some(&machine().probe(Level::Quick)));
    let words = "code for gfx1030, gfx1100, not for this gfx1031";
    verdict(&diagnosis, "hsa-runtime", "arch-unsupported", CauseStatus::Confirmed, words);
    let outcome = machine().variable("HSA_OVERRIDE_GFX_VERSION", "10.3.0").probe(Level::Quick);
    let words = "makes ROCm run code for gfx1030 on this gfx1031";
    verdict(&answer(&text, Some(&outcome)), "hsa-runtime", "arch-unsupported", CauseStatus::Supported, words);
}

#[test]
fn another_process_on_the_gpu_supports_used_memory() {
    let text = plain("torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 GiB.");
    let outcome = Machine::amd(&[Gpu { used: 24_000, ..XTX }]).torch_rocm(&["gfx1100"]).probe(Level::Quick);
    let diagnosis = answer(&text, Some(&outcome));
    verdict(&diagnosis, "oom", "memory-held", CauseStatus::Supported, "pid 4312 python train.py uses 11.7 GiB");
}
