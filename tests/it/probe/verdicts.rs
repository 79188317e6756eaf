//! A pasted error and a machine: the causes carry what the machine says of them, and the order follows.

use std::sync::OnceLock;

use faultbook::book::Book;
use faultbook::diagnosis::{CauseStatus, Diagnosis, RankedCause};
use faultbook::diagnosis::{Measured, diagnose};
use faultbook::incident;
use faultbook::machine::{self, Level, Outcome};
use faultbook::reports::knowledge::{Knowledge, Places};
use faultbook::text;

use super::machine::Machine;

fn knowledge() -> &'static Knowledge {
    static KNOWLEDGE: OnceLock<Knowledge> = OnceLock::new();
    KNOWLEDGE.get_or_init(|| {
        let places = Places { reports: Vec::new(), roots: Vec::new(), cache: None, rebuild: false };
        Knowledge::new(Book::new(true), places, Box::new(|_, _| {}))
    })
}

pub(super) fn answer(text: &str, outcome: Option<&Outcome>) -> Diagnosis {
    let transcript = text::read(text.as_bytes());
    let incident = incident::read(&transcript);
    let measured = outcome.map_or_else(Measured::default, |outcome| {
        let (facts, summary) = machine::relate(outcome, &incident.facts);
        Measured { facts, summary: Some(summary) }
    });
    diagnose(&transcript, &incident, knowledge().library(), &measured)
}

#[track_caller]
fn cause<'d>(diagnosis: &'d Diagnosis, fault: &str, cause: &str) -> &'d RankedCause {
    assert_eq!(diagnosis.fault.as_ref().map(|fault| fault.id.as_str()), Some(fault));
    let found = diagnosis.causes.iter().find(|one| one.id == cause);
    found.unwrap_or_else(|| panic!("no cause {cause}: {:?}", ids(diagnosis)))
}

fn ids(diagnosis: &Diagnosis) -> Vec<(&str, f64, CauseStatus)> {
    diagnosis.causes.iter().map(|cause| (cause.id.as_str(), cause.probability, cause.status)).collect()
}

/// The cause has that status, says those words about it, and comes first when it is confirmed.
#[track_caller]
pub(super) fn verdict(diagnosis: &Diagnosis, fault: &str, id: &str, status: CauseStatus, words: &str) {
    let found = cause(diagnosis, fault, id);
    assert_eq!(found.status, status, "{id}: {:?}\n{:#?}", found.status_says, ids(diagnosis));
    let says = found.status_says.as_deref().unwrap_or_default();
    assert!(says.contains(words), "{says:?} has no {words:?}");
    if status == CauseStatus::Confirmed {
        assert_eq!(diagnosis.causes[0].id, id, "{:#?}", ids(diagnosis));
    }
}

const NO_ENGINE: &str = "\
Epoch 0:   0%|          | 0/818
Traceback (most recent call last):
  File \"/home/user/project/train.py\", line 40, in main
    loss.backward()
  File \"/opt/venv/lib/python3.11/site-packages/torch/_tensor.py\", line 648, in backward
    torch.autograd.backward(
RuntimeError: FIND was unable to find an engine to execute this computation
";

const OUT_OF_MEMORY: &str = "\
Traceback (most recent call last):
  File \"/home/user/project/train.py\", line 12, in main
    model = model.to(\"cuda\")
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB.
";

pub(super) fn plain(message: &str) -> String {
    format!(
        "Traceback (most recent call last):\n  File \"/home/user/project/train.py\", line 12, in main\n    x = torch.ones(4, device=\"cuda\")\n{message}\n"
    )
}

#[test]
fn a_full_gpu_supports_exhausted_memory_and_room_for_workspace_settles_it() {
    let full = Machine::with("consumer-nearly-full").torch_28().file("proc/4312/cmdline", "python\0train.py\0");
    let diagnosis = answer(NO_ENGINE, Some(&full.probe(Level::Quick)));
    verdict(&diagnosis, "cudnn-no-engine", "memory-exhausted", CauseStatus::Supported, "410.0 MiB");
    verdict(
        &diagnosis,
        "cudnn-no-engine",
        "memory-held",
        CauseStatus::Supported,
        "pid 4312 python train.py uses 10.9 GiB",
    );
    let diagnosis = answer(NO_ENGINE, Some(&full.probe(Level::Functional)));
    verdict(&diagnosis, "cudnn-no-engine", "memory-exhausted", CauseStatus::Confirmed, "without workspace");
}

#[test]
fn an_old_gpu_confirms_the_build() {
    let machine = Machine::with("old-card").torch_28();
    let outcome = machine.probe(Level::Quick);
    verdict(&answer(NO_ENGINE, Some(&outcome)), "cudnn-no-engine", "arch-unsupported", CauseStatus::Confirmed, "");
    let text = plain("RuntimeError: CUDA error: no kernel image is available for execution on the device");
    verdict(&answer(&text, Some(&outcome)), "no-kernel-image", "arch-unsupported", CauseStatus::Confirmed, "");
}

#[test]
fn the_same_text_with_other_facts_has_another_order() {
    let first = |scenario: &str| {
        let machine = Machine::with(scenario).torch_28();
        let diagnosis = answer(NO_ENGINE, Some(&machine.probe(Level::Functional)));
        diagnosis.causes[0].id.clone()
    };
    assert_eq!(first("consumer-nearly-full"), "memory-exhausted");
    assert_eq!(first("old-card"), "arch-unsupported");
}

#[test]
fn free_memory_after_the_run_refutes_nothing() {
    let machine = Machine::with("healthy-h100").torch_28();
    let diagnosis = answer(NO_ENGINE, Some(&machine.probe(Level::Quick)));
    verdict(
        &diagnosis,
        "cudnn-no-engine",
        "memory-exhausted",
        CauseStatus::Unverified,
        "says nothing about the moment",
    );
}

#[test]
fn another_users_process_supports_used_memory() {
    let machine = Machine::with("held-by-another").file("proc/977/cmdline", "/usr/bin/python3\0-m\0vllm.entrypoints\0");
    let diagnosis = answer(OUT_OF_MEMORY, Some(&machine.probe(Level::Quick)));
    verdict(&diagnosis, "oom", "memory-held", CauseStatus::Supported, "pid 977 python3 vllm.entrypoints uses 58.6 GiB");
    let without = answer(OUT_OF_MEMORY, None);
    let probability = |diagnosis: &Diagnosis| cause(diagnosis, "oom", "memory-held").probability;
    assert!(probability(&diagnosis) > probability(&without));
}

#[test]
fn wsl2_hides_the_holder_and_says_so() {
    let machine = Machine::with("wsl2")
        .file("proc/sys/kernel/osrelease", "5.15.167.4-microsoft-standard-WSL2\n")
        .file("dev/dxg", "");
    let diagnosis = answer(OUT_OF_MEMORY, Some(&machine.probe(Level::Quick)));
    let held = cause(&diagnosis, "oom", "memory-held");
    assert_eq!(held.status, CauseStatus::Unverified);
    assert!(held.status_says.as_deref().is_some_and(|says| says.contains("WSL2 hides")), "{:?}", held.status_says);
}

#[test]
fn memory_errors_confirm_the_hardware() {
    let machine = Machine::with("ecc-uncorrectable");
    let text = plain("RuntimeError: CUDA error: uncorrectable ECC error encountered");
    let diagnosis = answer(&text, Some(&machine.probe(Level::Quick)));
    verdict(&diagnosis, "ecc-error", "hardware-fault", CauseStatus::Confirmed, "");
}

#[test]
fn a_waiting_row_confirms_itself() {
    let machine = Machine::with("remap-pending");
    let text = plain("RuntimeError: CUDA error: uncorrectable ECC error encountered");
    let diagnosis = answer(&text, Some(&machine.probe(Level::Quick)));
    assert_eq!(cause(&diagnosis, "ecc-error", "sticky-error").status, CauseStatus::Confirmed);
}

#[test]
fn a_lost_gpu_supports_the_hardware() {
    let machine = Machine::with("fallen-off");
    let text = "Unable to determine the device handle for GPU1: 0000:66:00.0: GPU is lost.  Reboot the system to recover this GPU\n";
    let diagnosis = answer(text, Some(&machine.probe(Level::Quick)));
    verdict(&diagnosis, "device-lost", "hardware-fault", CauseStatus::Supported, "GPU 1 is lost");
}

#[test]
fn module_and_library_versions_confirm_the_mismatch() {
    let text = "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 580.95\n";
    let machine = Machine::with("mismatch-803").file(
        "proc/driver/nvidia/version",
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 19:39:15 UTC 2024\n",
    );
    let diagnosis = answer(text, Some(&machine.probe(Level::Quick)));
    verdict(&diagnosis, "driver-mismatch", "driver-not-loaded", CauseStatus::Confirmed, "535.183.01");
}

#[test]
fn forward_compatibility_confirms_the_library() {
    let text = plain(
        "RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 804: forward compatibility was attempted on non supported HW",
    );
    let diagnosis = answer(&text, Some(&Machine::with("compat-804").torch_28().probe(Level::Quick)));
    verdict(&diagnosis, "driver-too-old", "library-path", CauseStatus::Confirmed, "804");
}

#[test]
fn an_old_driver_is_confirmed_by_its_number() {
    let machine = Machine::with("driver-too-old").torch("2.12.1+cu130", "13.0", "sm_75 sm_80 sm_86 sm_90");
    let text = plain("RuntimeError: The NVIDIA driver on your system is too old (found version 12020).");
    let diagnosis = answer(&text, Some(&machine.probe(Level::Quick)));
    verdict(&diagnosis, "driver-too-old", "driver-old", CauseStatus::Confirmed, "535.183.01");
}

#[test]
fn codes_and_hangs_of_initialisation() {
    let text = plain("RuntimeError: CUDA unknown error - this may be due to an incorrectly set up environment");
    let hang = Machine::with("init-hang").deadline(0.6).probe(Level::Quick);
    let diagnosis = answer(&text, Some(&hang));
    verdict(&diagnosis, "init-failed", "driver-not-loaded", CauseStatus::Supported, "cuInit does not return");
    let denied = Machine::with("no-permission").probe(Level::Quick);
    let text = plain("RuntimeError: No CUDA GPUs are available");
    verdict(&answer(&text, Some(&denied)), "no-device", "platform-limit", CauseStatus::Supported, "no permission");
}

/// An unknown code neither crashes the program nor goes unreported.
#[test]
fn a_code_that_nobody_knows_is_evidence() {
    let text = plain("RuntimeError: CUDA unknown error - this may be due to an incorrectly set up environment");
    let diagnosis = answer(&text, Some(&Machine::with("unknown-code").probe(Level::Quick)));
    verdict(&diagnosis, "init-failed", "driver-not-loaded", CauseStatus::Supported, "cuInit returned 12345");
}

#[test]
fn a_fabric_that_is_not_ready_confirms_the_platform() {
    let text = plain("RuntimeError: CUDA error: system not yet initialized");
    let diagnosis = answer(&text, Some(&Machine::with("fabric-not-ready").probe(Level::Quick)));
    verdict(&diagnosis, "init-failed", "platform-limit", CauseStatus::Confirmed, "NVLink fabric (not started)");
}

#[test]
fn a_kernel_that_crashes_in_the_probe_too_supports_the_hardware() {
    let text = plain("RuntimeError: CUDA error: unspecified launch failure");
    let diagnosis = answer(&text, Some(&Machine::with("child-crash").torch_28().probe(Level::Functional)));
    verdict(&diagnosis, "launch-failure", "hardware-fault", CauseStatus::Supported, "also failed (crashed)");
    let healthy = Machine::with("healthy-h100").torch_28().probe(Level::Functional);
    let right = answer(&text, Some(&healthy));
    let probability = |diagnosis: &Diagnosis| cause(diagnosis, "launch-failure", "hardware-fault").probability;
    assert!(probability(&diagnosis) > probability(&right), "{:#?}", ids(&diagnosis));
}

#[test]
fn convolutions_that_want_their_workspace_confirm_exhausted_memory() {
    let outcome = Machine::with("cudnn-without-workspace").torch_28().probe(Level::Functional);
    let diagnosis = answer(NO_ENGINE, Some(&outcome));
    verdict(&diagnosis, "cudnn-no-engine", "memory-exhausted", CauseStatus::Confirmed, "without workspace");
    let budget = diagnosis.notes.iter().find(|note| note.starts_with("memory budget"));
    assert!(budget.is_some_and(|says| says.contains("cuDNN wants 1.1 GiB of workspace")), "{:?}", diagnosis.notes);
}

#[test]
fn a_slice_is_not_the_second_device() {
    let machine = Machine::with("mig");
    let text = plain("RuntimeError: CUDA error: invalid device ordinal");
    let diagnosis = answer(&text, Some(&machine.probe(Level::Quick)));
    verdict(&diagnosis, "invalid-device-ordinal", "platform-limit", CauseStatus::Supported, "MIG");
}

/// What works in a new process is evidence for an earlier error, and what fails there for the library.
#[test]
fn checks_distinguish_the_library_from_the_run() {
    let text = plain(
        "RuntimeError: CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasGemmEx( handle, opa, opb )`",
    );
    let answered = |scenario: &str| answer(&text, Some(&Machine::with(scenario).torch_28().probe(Level::Functional)));
    let (right, broken) = (answered("healthy-h100"), answered("gemm-crash"));
    verdict(&right, "cublas-execution-failed", "sticky-error", CauseStatus::Supported, "in a fresh process");
    verdict(&broken, "cublas-execution-failed", "library-bug", CauseStatus::Supported, "FP16 matmul also fails here");
    assert_ne!(
        ids(&right).iter().map(|one| one.0).collect::<Vec<_>>(),
        ids(&broken).iter().map(|one| one.0).collect::<Vec<_>>()
    );
}

/// The sentences of an answer carry what was measured, as a person would write it down.
#[test]
fn verdicts_say_what_was_measured() {
    let full = Machine::with("consumer-nearly-full").torch_28().file("proc/4312/cmdline", "python\0train.py\0");
    let diagnosis = answer(NO_ENGINE, Some(&full.probe(Level::Quick)));
    let says = "410.0 MiB of 12.0 GiB free; pid 4312 python train.py uses 10.9 GiB";
    verdict(&diagnosis, "cudnn-no-engine", "memory-exhausted", CauseStatus::Supported, says);
    let text = plain("RuntimeError: CUDA error: no kernel image is available for execution on the device");
    let old = Machine::with("old-card").torch_28().probe(Level::Quick);
    let says = "the build has sm_70 ... sm_120, but the GPU is sm_61";
    verdict(&answer(&text, Some(&old)), "no-kernel-image", "arch-unsupported", CauseStatus::Confirmed, says);
    let machine = Machine::with("driver-too-old").torch("2.12.1+cu130", "13.0", "sm_75 sm_80 sm_86 sm_90");
    let text = plain("RuntimeError: The NVIDIA driver on your system is too old (found version 12020).");
    let says = "driver 535.183.01 < 580, which CUDA 13.0 needs";
    let diagnosis = answer(&text, Some(&machine.probe(Level::Quick)));
    verdict(&diagnosis, "driver-too-old", "driver-old", CauseStatus::Confirmed, says);
}

#[test]
fn hidden_devices_are_confirmed() {
    let machine = Machine::with("healthy-h100").variable("CUDA_VISIBLE_DEVICES", "-1");
    let text = plain("RuntimeError: No CUDA GPUs are available");
    let diagnosis = answer(&text, Some(&machine.probe(Level::Quick)));
    verdict(&diagnosis, "no-device", "environment-variable", CauseStatus::Confirmed, "");
}

#[test]
fn wrong_results_confirm_the_hardware_and_right_ones_speak_against_it() {
    let text = plain(
        "RuntimeError: CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasGemmEx( handle, opa, opb )`",
    );
    let wrong = Machine::with("gemm-wrong").torch_28().probe(Level::Functional);
    verdict(
        &answer(&text, Some(&wrong)),
        "cublas-execution-failed",
        "hardware-fault",
        CauseStatus::Confirmed,
        "gemm_fp16",
    );
    let right = Machine::with("healthy-h100").torch_28().probe(Level::Functional);
    let diagnosis = answer(&text, Some(&right));
    let healthy = cause(&diagnosis, "cublas-execution-failed", "hardware-fault");
    assert!(
        healthy.reasons.iter().any(|reason| !reason.supports && reason.says.contains("functional probe were correct"))
    );
    let text = plain("RuntimeError: CUDA error: an illegal memory access was encountered");
    let corrupt = Machine::with("silent-copy").probe(Level::Functional);
    verdict(&answer(&text, Some(&corrupt)), "illegal-address", "hardware-fault", CauseStatus::Confirmed, "copy");
}

#[test]
fn two_cudnn_copies_support_the_mismatch_and_one_speaks_against_it() {
    let machine = Machine::with("healthy-h100").torch_28();
    let old = machine.folder.path().join("old");
    let machine = machine.file("old/libcudnn.so.8.9.7", "no library at all");
    let path = format!("{}:{}", old.display(), machine.environment[std::ffi::OsStr::new("LD_LIBRARY_PATH")].display());
    let diagnosis = answer(NO_ENGINE, Some(&machine.variable("LD_LIBRARY_PATH", &path).probe(Level::Quick)));
    verdict(&diagnosis, "cudnn-no-engine", "toolkit-mismatch", CauseStatus::Supported, "different major versions");
}

#[test]
fn saved_facts_give_the_same_diagnosis() {
    let machine = Machine::with("consumer-nearly-full").torch_28();
    let outcome = machine.probe(Level::Functional);
    let path = machine.folder.path().join("facts.json");
    machine::save(&outcome, &path).unwrap();
    let (asked, read) = (answer(NO_ENGINE, Some(&outcome)), answer(NO_ENGINE, Some(&machine::load(&path).unwrap())));
    assert_eq!(ids(&asked), ids(&read));
}

#[test]
fn a_text_of_another_machine_is_not_judged_by_this_one() {
    let text = format!("GPU: NVIDIA A100-SXM4-80GB\n{NO_ENGINE}");
    let outcome = Machine::with("consumer-nearly-full").torch_28().probe(Level::Functional);
    let diagnosis = answer(&text, Some(&outcome));
    assert!(diagnosis.causes.iter().all(|cause| cause.status == CauseStatus::Unverified), "{:#?}", ids(&diagnosis));
}

/// Facts kept in files: the same text, other facts, another order. They were written over the fake driver by
/// `FAULTBOOK_WRITE_FACTS=1 cargo test --test it facts_in_files`, not recorded on hardware.
#[test]
fn facts_in_files_decide_the_order() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/facts");
    let cases = [
        ("rtx3060-nearly-full", "consumer-nearly-full", NO_ENGINE, "memory-exhausted", CauseStatus::Confirmed),
        ("gtx1080ti-too-old", "old-card", NO_ENGINE, "arch-unsupported", CauseStatus::Confirmed),
        ("h100-healthy", "healthy-h100", NO_ENGINE, "memory-exhausted", CauseStatus::Unverified),
        ("h100-held-by-another", "held-by-another", OUT_OF_MEMORY, "memory-held", CauseStatus::Supported),
        ("h100-healthy", "healthy-h100", OUT_OF_MEMORY, "memory-exhausted", CauseStatus::Unverified),
    ];
    if std::env::var_os("FAULTBOOK_WRITE_FACTS").is_some() {
        for (name, scenario, ..) in cases {
            let outcome = Machine::with(scenario).torch_28().probe(Level::Functional);
            let mut json: serde_json::Value = serde_json::from_str(&machine::to_json(&outcome)).unwrap();
            // Paths of the temporary machine say nothing.
            let facts = json["facts"].as_object_mut().unwrap();
            facts.retain(|_, value| !value.to_string().contains("/tmp"));
            facts.retain(|name, _| !name.starts_with("env.") && !name.starts_with("host.shm"));
            std::fs::write(folder.join(format!("{name}.json")), format!("{json:#}\n")).unwrap();
        }
    }
    for (name, _, text, first, status) in cases {
        let outcome = machine::load(&folder.join(format!("{name}.json"))).unwrap();
        let diagnosis = answer(text, Some(&outcome));
        let best = &diagnosis.causes[0];
        assert_eq!((best.id.as_str(), best.status), (first, status), "{name}: {:#?}", ids(&diagnosis));
    }
}

#[test]
fn a_container_with_plenty_of_shared_memory_is_no_ground_for_too_little() {
    let text = "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).\n";
    let container = Machine::without_driver().file(".dockerenv", "").file("dev/shm/segment", "");
    let outcome = container.probe(Level::Quick);
    let diagnosis = answer(text, Some(&outcome));
    let reasons = &cause(&diagnosis, "shm-exhausted", "shared-memory-small").reasons;
    // The folder of the test lies on a disk, which is larger than any such default.
    let against = reasons.iter().find(|reason| reason.says.contains("more than the container default"));
    assert!(against.is_some_and(|reason| !reason.supports), "{reasons:#?}");
}
