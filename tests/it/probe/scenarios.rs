//! Every scenario of the fake driver: its facts and findings, and no casualty.

use std::path::Path;
use std::time::Duration;

use faultbook::facts::Value;
use faultbook::machine::view;
use faultbook::machine::{self, CheckStatus, Level, Outcome};
use faultbook::render::terminal::Terminal;

use super::machine::{Machine, check, number, only_broken, says, text, within, yes};

const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

#[test]
fn no_driver_is_an_answer_and_a_quick_one() {
    let machine = Machine::without_driver();
    let outcome = within(Duration::from_millis(250), || machine.probe(Level::Functional));
    assert!(!outcome.has_driver());
    assert_eq!(outcome.facts.why_unknown("gpu.memory.free"), Some("no NVIDIA driver on this machine"));
    assert!(outcome.looked_in.iter().any(|place| place.contains("ld.so.cache")), "{:?}", outcome.looked_in);
    says(&outcome, "no NVIDIA driver");
    assert!(outcome.checks.is_empty());
}

#[test]
fn a_healthy_gpu_passes_all_checks() {
    let machine = Machine::with("healthy-h100").torch_28();
    let outcome = machine.probe(Level::Functional);
    assert_eq!(text(&outcome, "gpu.name"), "NVIDIA H100 80GB HBM3");
    assert_eq!(text(&outcome, "gpu.compute_capability"), "9.0");
    assert_eq!(text(&outcome, "gpu.arch"), "sm_90");
    assert_eq!(text(&outcome, "driver.version"), "580.95.05");
    assert_eq!(text(&outcome, "driver.library_version"), "580.95.05");
    assert_eq!(text(&outcome, "driver.cuda"), "13.0");
    assert_eq!(text(&outcome, "driver.init"), "ok");
    assert_eq!(text(&outcome, "torch.cuda"), "12.8");
    assert_eq!(text(&outcome, "cudnn.version"), "9.10.2.21");
    assert_eq!(number(&outcome, "cudnn.loaded"), 91_002.0);
    assert_eq!(number(&outcome, "gpu.count"), 1.0);
    assert_eq!(number(&outcome, "gpu.ecc.uncorrected"), 0.0);
    assert!(!yes(&outcome, "gpu.mig"));
    only_broken(&outcome, &[]);
    assert_eq!(check(&outcome, "peer").0, CheckStatus::Skipped);
    assert_eq!(check(&outcome, "gemm_bf16").0, CheckStatus::Ok);
    assert!(check(&outcome, "repeat").1.contains("convolutions 10 times"), "{:?}", check(&outcome, "repeat"));
    assert!(yes(&outcome, "ladder.holds"));
    assert!(number(&outcome, "gpu.largest_block") > 78.0 * GIB);
    assert!(outcome.findings.is_empty(), "{:#?}", outcome.findings);
}

#[test]
fn a_nearly_full_consumer_gpu() {
    let machine =
        Machine::with("consumer-nearly-full").torch_28().file("proc/4312/cmdline", "python\0train.py\0--lr\0");
    let outcome = machine.probe(Level::Functional);
    assert_eq!(number(&outcome, "gpu.memory.free"), 410.0 * 1024.0 * 1024.0);
    says(&outcome, "410.0 MiB of 12.0 GiB free; pid 4312 python train.py uses 10.9 GiB");
    assert_eq!(outcome.facts.why_unknown("gpu.ecc.uncorrected"), Some("this board has no ECC"));
    assert!(check(&outcome, "conv_forward").1.contains("needs 1.1 GiB of workspace"));
    assert_eq!(check(&outcome, "conv_forward_no_workspace").0, CheckStatus::Ok);
    assert_eq!(check(&outcome, "gemm_fp16").0, CheckStatus::Ok);
    assert!(check(&outcome, "largest_block").1.contains("the GPU is in use"));
}

#[test]
fn memory_used_by_another_process() {
    let machine = Machine::with("held-by-another").file("proc/977/cmdline", "/usr/bin/python3\0-m\0vllm.entrypoints\0");
    let outcome = machine.probe(Level::Quick);
    assert_eq!(number(&outcome, "gpu.held_by_processes"), 60_000.0 * 1024.0 * 1024.0);
    assert_eq!(text(&outcome, "gpu.largest_process"), "pid 977 python3 vllm.entrypoints uses 58.6 GiB");
    assert_eq!(number(&outcome, "gpu.utilization"), 98.0);
}

#[test]
fn uncorrectable_memory_errors() {
    let machine = Machine::with("ecc-uncorrectable").torch_28();
    let outcome = machine.probe(Level::Functional);
    assert_eq!(number(&outcome, "gpu.ecc.uncorrected"), 3.0);
    assert_eq!(text(&outcome, "gpu.recovery_action"), "reset the GPU");
    says(&outcome, "3 uncorrectable memory errors");
    let (word, words) = check(&outcome, "copy");
    assert_eq!(word, CheckStatus::Failed);
    assert!(words.contains("214 (CUDA_ERROR_ECC_UNCORRECTABLE)"), "{words}");
}

#[test]
fn a_row_waits_for_a_reset() {
    let outcome = Machine::with("remap-pending").probe(Level::Quick);
    assert!(yes(&outcome, "gpu.remapped.pending"));
    assert_eq!(number(&outcome, "gpu.remapped.uncorrectable"), 2.0);
    says(&outcome, "will be remapped when the GPU is reset");
}

#[test]
fn a_gpu_that_fell_off_the_bus() {
    let outcome = Machine::with("fallen-off").probe(Level::Quick);
    assert_eq!(text(&outcome, "gpu.error"), "gpu lost");
    assert_eq!(number(&outcome, "gpu.index"), 1.0);
    assert_eq!(outcome.facts.why_unknown("gpu.1.name"), Some("the GPU has fallen off the bus"));
    says(&outcome, "GPU 1 does not answer: gpu lost");
}

#[test]
fn module_and_libraries_of_different_versions() {
    let machine = Machine::with("mismatch-803").file(
        "proc/driver/nvidia/version",
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 19:39:15 UTC 2024\n",
    );
    let outcome = machine.probe(Level::Functional);
    assert_eq!(number(&outcome, "driver.init_code"), 803.0);
    assert_eq!(text(&outcome, "driver.init"), "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
    says(&outcome, "kernel module is 535.183.01, the driver's libraries are 580.95.05");
    assert_eq!(check(&outcome, "context").0, CheckStatus::Failed);
    assert_eq!(check(&outcome, "conv_forward").0, CheckStatus::NotReached);
}

#[test]
fn forward_compatibility_on_a_gpu_without_it() {
    let outcome = Machine::with("compat-804").probe(Level::Quick);
    assert_eq!(number(&outcome, "driver.init_code"), 804.0);
    says(&outcome, "cuda-compat");
}

#[test]
fn a_driver_too_old_for_the_wheel() {
    let machine =
        Machine::with("driver-too-old").torch("2.12.1+cu130", "13.0", "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120");
    let outcome = machine.probe(Level::Quick);
    says(&outcome, "the driver 535.183.01 is older than torch's CUDA 13.0 needs");
}

#[test]
fn a_gpu_too_old_for_the_wheel() {
    let outcome = Machine::with("old-card").torch_28().probe(Level::Quick);
    says(&outcome, "built for 70 75 80 86 90 100 120, the device is sm_61");
}

#[test]
fn a_partitioned_gpu() {
    let outcome = Machine::with("mig").probe(Level::Quick);
    assert!(yes(&outcome, "gpu.mig"));
    says(&outcome, "MIG, 2 slices");
    let Some(Value::List(slices)) = outcome.facts.get("gpu.mig_slices").map(|fact| &fact.value) else {
        panic!("no slices: {:?}", outcome.facts.why_unknown("gpu.mig_slices"));
    };
    assert_eq!(slices.len(), 2);
    assert!(slices[1].starts_with("MIG-") && slices[1].ends_with("39.1 GiB of 39.8 GiB free"), "{slices:?}");
    // A program is given a slice by its name.
    let name = slices[1].split(' ').next().unwrap();
    let outcome = Machine::with("mig").variable("CUDA_VISIBLE_DEVICES", name).probe(Level::Quick);
    assert_eq!(number(&outcome, "gpu.index"), 0.0);
}

#[test]
fn a_fabric_that_is_not_ready() {
    let outcome = Machine::with("fabric-not-ready").probe(Level::Quick);
    assert_eq!(text(&outcome, "gpu.fabric"), "not started");
    assert_eq!(number(&outcome, "gpu.nvlink.active"), 18.0);
    assert_eq!(number(&outcome, "gpu.nvlink.errors"), 0.0);
    says(&outcome, "has not joined its NVLink fabric (not started)");
    let alone = Machine::with("healthy-h100").probe(Level::Quick);
    assert!(alone.facts.why_unknown("gpu.fabric").is_some_and(|why| why.contains("not part of")));
}

/// Every kind of fact that the quick level promises is a value or a reason on a healthy machine.

#[test]
fn a_fabric_that_was_not_joined() {
    let outcome = Machine::with("fabric-failed").probe(Level::Quick);
    says(&outcome, "GPU 0 has not joined its NVLink fabric (failed with NVML's code 999)");
}

#[test]
fn a_driver_without_a_list_of_processes_does_not_say_that_there_are_none() {
    // The scenario of WSL2 on a machine without it.
    let outcome = Machine::with("wsl2").probe(Level::Quick);
    says(
        &outcome,
        "the process that uses it is unknown: the driver lists no processes: this device does not support it",
    );
}

#[test]
fn clients_of_mps_use_memory_too() {
    let outcome = Machine::with("mps-client").file("proc/77/cmdline", "python\0serve.py\0").probe(Level::Quick);
    assert_eq!(text(&outcome, "gpu.largest_process"), "pid 77 python serve.py uses 1.0 GiB");
}

#[test]
fn the_quick_level_leaves_nothing_out() {
    let machine = Machine::with("fabric-not-ready").torch_28().variable("NCCL_DEBUG", "INFO");
    let machine = machine
        .file("proc/self/limits", "Max locked memory         65536                65536                bytes\n")
        .file("proc/cpuinfo", "processor\t: 0\n");
    std::fs::create_dir_all(machine.folder.path().join("dev/shm")).unwrap();
    let outcome = machine.probe(Level::Quick);
    for name in [
        "gpu.name",
        "gpu.uuid",
        "gpu.pci",
        "gpu.compute_capability",
        "gpu.memory.total",
        "gpu.memory.free",
        "gpu.memory.used",
        "gpu.processes",
        "gpu.held_by_processes",
        "gpu.utilization",
        "gpu.ecc.uncorrected",
        "gpu.ecc.corrected",
        "gpu.ecc.uncorrected_ever",
        "gpu.ecc.corrected_ever",
        "gpu.retired.single_bit",
        "gpu.retired.double_bit",
        "gpu.retired.pending",
        "gpu.remapped.correctable",
        "gpu.remapped.uncorrectable",
        "gpu.remapped.pending",
        "gpu.remapped.failed",
        "gpu.recovery_action",
        "gpu.clock_events",
        "gpu.clock",
        "gpu.temperature",
        "gpu.power",
        "gpu.pcie.generation",
        "gpu.pcie.max_generation",
        "gpu.pcie.width",
        "gpu.pcie.max_width",
        "gpu.pcie.replays",
        "gpu.nvlink.active",
        "gpu.nvlink.inactive",
        "gpu.nvlink.errors",
        "gpu.fabric",
        "gpu.mig",
        "gpu.compute_mode",
        "gpu.persistence",
        "gpu.gsp",
        "driver.version",
        "driver.cuda",
        "driver.kernel_version",
        "driver.library_version",
        "kernel.xid.count",
        "kernel.oom_kills",
        "fabric_manager.running",
        "os.wsl",
        "os.container",
        "host.memory.total",
        "host.memory.available",
        "host.cpu.count",
        "host.shm.size",
        "host.shm.free",
        "ulimit.memlock",
        "device_nodes.present",
        "device_nodes.denied",
        "device_nodes.missing",
        "pci.gpus",
        "env.NCCL_DEBUG",
        "env.LD_LIBRARY_PATH",
        "python.version",
        "torch.version",
        "torch.cuda",
        "torch.arch_list",
        "tensorflow.version",
        "jax.version",
        "cudnn.found",
        "cublas.found",
        "nccl.version",
        "cudart.version",
        "nvrtc.found",
    ] {
        let told = outcome.facts.get(name).is_some() || outcome.facts.why_unknown(name).is_some();
        assert!(told, "{name} is neither known nor is it said why not");
    }
}

#[test]
fn wsl2_hides_who_uses_the_memory() {
    let machine = Machine::with("wsl2")
        .file("proc/sys/kernel/osrelease", "5.15.167.4-microsoft-standard-WSL2\n")
        .file("dev/dxg", "");
    let outcome = machine.probe(Level::Quick);
    assert!(yes(&outcome, "os.wsl"));
    assert!(outcome.facts.why_unknown("gpu.processes").is_some_and(|why| why.contains("WSL2")));
    assert!(outcome.facts.why_unknown("kernel.xid.count").is_some_and(|why| why.contains("WSL2")));
    says(&outcome, "the process that uses it is unknown: WSL2 hides processes");
}

#[test]
fn checks_of_a_program_that_sees_only_the_second_gpu() {
    let machine = Machine::with("two-cards").variable("CUDA_VISIBLE_DEVICES", "1");
    let outcome = machine.probe(Level::Functional);
    assert_eq!(number(&outcome, "gpu.index"), 1.0);
    assert_eq!(text(&outcome, "gpu.uuid"), text(&outcome, "gpu.1.uuid"));
    let shown = view::probe::render(&outcome, Terminal::default());
    assert!(shown.contains("GPU 1 (CUDA's device 0), check by check"), "{shown}");
    assert_eq!(shown.matches("largest block 78.1 GiB").count(), 1, "{shown}");
}

#[test]
fn hidden_devices() {
    let outcome = Machine::with("healthy-h100").variable("CUDA_VISIBLE_DEVICES", "-1").probe(Level::Quick);
    assert_eq!(number(&outcome, "gpu.count"), 0.0);
    says(&outcome, "CUDA_VISIBLE_DEVICES=\"-1\" hides every device");
}

#[test]
fn saved_facts_are_the_facts() {
    let machine = Machine::with("consumer-nearly-full").torch_28();
    let outcome = machine.probe(Level::Functional);
    let path = machine.folder.path().join("facts.json");
    machine::save(&outcome, &path).unwrap();
    let loaded = machine::load(&path).unwrap();
    assert_eq!(loaded.checks, outcome.checks);
    assert_eq!(loaded.findings, outcome.findings);
    let values = |outcome: &Outcome| -> Vec<(String, Value)> {
        outcome.facts.iter().map(|(name, fact)| (name.to_owned(), fact.value.clone())).collect()
    };
    assert_eq!(values(&loaded), values(&outcome));
}

/// The product must never come to the fake by itself.

#[test]
fn the_binary_does_not_know_the_fake() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![source];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else if let Ok(text) = std::fs::read_to_string(entry.path()) {
                assert!(!text.contains("FAULTBOOK_FAKE"), "{}", entry.path().display());
            }
        }
    }
    let outcome = Machine::without_driver().probe(Level::Quick);
    assert!(!outcome.has_driver());
}
