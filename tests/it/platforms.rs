//! What an answer tells people to do exists where they are.

mod everywhere;
mod list;

use faultbook::diagnosis::Diagnosis;

use crate::support::diagnose;

/// All commands of an answer.
fn commands(diagnosis: &Diagnosis) -> String {
    let next = diagnosis.next_check.iter().filter_map(|check| check.command.as_deref());
    let checks = diagnosis.causes.iter().filter_map(|cause| cause.check_command.as_deref()).chain(next);
    let fixes = diagnosis.causes.iter().flat_map(|cause| &cause.fixes);
    let actions = diagnosis.actions.iter().chain(fixes).flat_map(|action| &action.commands).map(String::as_str);
    checks.chain(actions).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_hip_error_gets_no_nvidia_command() {
    for message in [
        "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 15.98 GiB",
        "RuntimeError: HIP error: no kernel image is available for execution on the device",
        "RuntimeError: HIP error: an illegal memory access was encountered",
        "RuntimeError: No HIP GPUs are available",
    ] {
        let diagnosis = diagnose(format!("torch 2.8.0+rocm6.4\n{message}\n").as_bytes());
        let commands = commands(&diagnosis);
        assert!(!diagnosis.actions.is_empty(), "{message}");
        for never in
            ["nvidia-smi", "whl/cu", "compute-sanitizer", "modprobe nvidia", "jax[cuda", "--gpus", "/dev/nvidia"]
        {
            assert!(!commands.contains(never), "{message}: {never} in\n{commands}");
        }
        assert_eq!(diagnosis.environment.text("gpu.vendor"), Some("amd"), "{message}");
        assert!(
            diagnosis.environment.iter().all(|(name, _)| name != "torch.cuda" && name != "cuda.version"),
            "{message}"
        );
    }
}

#[test]
fn windows_gets_no_command_of_linux() {
    let text = "Traceback (most recent call last):\n  File \"C:\\Users\\me\\train.py\", line 3, in <module>\n    x = torch.ones(1).cuda()\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 12.00 GiB of which 100.00 MiB is free.\n";
    let diagnosis = diagnose(text.as_bytes());
    let commands = commands(&diagnosis);
    for never in ["sudo ", "fuser ", "modprobe", "/dev/", "export ", "| grep"] {
        assert!(!commands.contains(never), "{never} in\n{commands}");
    }
    assert!(commands.contains("tasklist"), "{commands}");
    assert_eq!(diagnosis.environment.text("run.platform"), Some("windows"));
}

#[test]
fn kubernetes_gets_an_empty_dir_and_no_flags_of_docker() {
    let text = "kubelet: Started container trainer\nERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).\nRuntimeError: DataLoader worker (pid 41) is killed by signal: Bus error.\n";
    let diagnosis = diagnose(text.as_bytes());
    let commands = commands(&diagnosis);
    for never in ["docker run", "--shm-size", "--ipc=host"] {
        assert!(!commands.contains(never), "{never} in\n{commands}");
    }
    assert!(commands.contains("emptyDir: {medium: Memory"), "{commands}");
}

#[test]
fn wsl_1_is_converted_before_anything_else() {
    let text = "Linux pc 4.4.0-19041-Microsoft x86_64 GNU/Linux\nRuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver\n";
    let diagnosis = diagnose(text.as_bytes());
    assert_eq!(diagnosis.actions.first().map(|action| action.id.as_str()), Some("wsl-convert"));
    let commands = commands(&diagnosis);
    assert!(commands.contains("wsl --set-version DISTRO 2") && !commands.contains("modprobe"), "{commands}");
}

#[test]
fn the_reader_of_a_framework_gets_its_own_spelling() {
    let text = "  File \"/opt/venv/lib/python3.12/site-packages/vllm/v1/engine/core.py\", line 3, in run\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 12.00 GiB of which 100.00 MiB is free.\n";
    let diagnosis = diagnose(text.as_bytes());
    let commands = commands(&diagnosis);
    assert!(commands.contains("vllm serve"), "{commands}");
    for never in ["--trainer.", "keras", "jax.", "--per_device_train_batch_size"] {
        assert!(!commands.contains(never), "{never} in\n{commands}");
    }
    assert_eq!(diagnosis.environment.text("run.framework"), Some("vllm"));
}
