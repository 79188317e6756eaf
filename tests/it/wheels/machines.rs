//! ARM servers, and texts that tell the GPU as people do.

use super::{ERROR, HIP, on, recipe};

const CUDA: &str = "CUDA error: no kernel image is available for execution on the device\n";

#[test]
fn arm_servers_get_an_index_with_wheels_for_arm() {
    for (gpu, driver, index) in [
        ("NVIDIA GH200 480GB", "580.95.05", "cu130"),
        ("NVIDIA GH200 480GB", "570.124.06", "cu126"),
        ("NVIDIA GB200", "570.124.06", "cu128"),
        ("NVIDIA GB10", "580.95.05", "cu130"),
    ] {
        let (commands, why) = recipe("matching-build", &on(gpu, driver));
        assert!(commands.ends_with(&format!("whl/{index}")), "{gpu}, {driver}: {commands}");
        assert!(why.contains("has wheels for ARM with code for"), "{gpu}: {why}");
    }
    // A x86 machine with the same generation.
    let (_, why) = recipe("matching-build", &on("NVIDIA H200", "580.95.05"));
    assert!(!why.contains("ARM"), "{why}");
}

#[test]
fn a_gpu_without_wheels_for_arm_gets_none() {
    for gpu in ["NVIDIA T4G", "Linux aarch64, Tesla V100-PCIE-16GB"] {
        let (commands, why) = recipe("matching-build", &on(gpu, "580.95.05"));
        assert_eq!(commands, "", "{gpu}");
        assert!(why.starts_with("No wheel that we know has code for the") && why.contains("on ARM"), "{gpu}: {why}");
    }
    // An ARM machine whose GPU is not known gets the rows that have wheels for it.
    let (commands, _) = recipe("matching-build", &format!("Linux-6.8.0-aarch64-with-glibc2.39\n{ERROR}"));
    assert!(commands.contains("# compute_cap 8.0 or higher, driver 580 or newer"), "{commands}");
}

#[test]
fn no_image_for_x86_on_arm() {
    let (commands, _) =
        recipe("matching-build", &format!("$ docker run --rm x\n{}", on("NVIDIA GH200 480GB", "580.95.05")));
    assert!(commands.ends_with("whl/cu130"), "{commands}");
}

#[test]
fn where_the_gpu_is_known_and_no_framework_the_command_is_for_pytorch_and_says_so() {
    for (words, install, why) in [
        ("RTX 5090, driver 580", "whl/cu130", "If this is PyTorch: `cu130`"),
        ("RTX 5090, driver 560", "whl/cu130", "upgrade the driver to 580 first"),
        ("my 5090 with driver 570", "whl/cu128", "If this is PyTorch: `cu128`"),
        ("2x 1080 Ti", "whl/cu126", "If this is PyTorch: `cu126`"),
        ("a DGX Spark", "whl/cu130", "If this is PyTorch: `cu130`"),
    ] {
        let (commands, says) = recipe("matching-build", &format!("{words}\n{CUDA}"));
        let last = commands.lines().rfind(|line| !line.starts_with('#')).unwrap_or_default();
        assert!(last.ends_with(install), "{words}: {commands}");
        assert!(says.contains(why), "{words}: {says}");
    }
    // PyTorch's own words name it.
    let (_, says) = recipe("matching-build", &format!("my 5090\nRuntimeError: {CUDA}"));
    assert!(says.starts_with("`cu130`"), "{says}");
    // Other programs have other builds.
    let (commands, _) = recipe("matching-build", &format!("my 5090\nggml_cuda_compute_forward: ADD failed\n{CUDA}"));
    assert!(!commands.contains("torch"), "{commands}");
}

#[test]
fn a_relative_of_a_supported_amd_gpu_gets_its_build_with_the_variable() {
    for (target, runs, with) in [
        ("gfx1031", "gfx1030", "HSA_OVERRIDE_GFX_VERSION=10.3.0"),
        ("gfx1103", "gfx1100", "HSA_OVERRIDE_GFX_VERSION=11.0.0"),
    ] {
        let (commands, why) = recipe("matching-build", &format!("AMD GPU, {target}\n{HIP}"));
        assert!(commands.starts_with(&format!("export {with} ")) && commands.ends_with("whl/rocm7.2"), "{commands}");
        assert!(why.contains(&format!("has code for {runs}, which this GPU ({target}) runs with `{with}`")), "{why}");
    }
    // One with code of its own needs no variable, and one of another family none either.
    for target in ["gfx1030", "gfx1010"] {
        let (commands, _) = recipe("matching-build", &format!("AMD GPU, {target}\n{HIP}"));
        assert!(!commands.contains("HSA_"), "{target}: {commands}");
    }
}

#[test]
fn a_compute_capability_that_only_boards_have_is_a_board() {
    let text = format!("srun: job 12 queued\ncompute capability 8.7\n{ERROR}");
    let (commands, _) = recipe("matching-build", &text);
    assert!(commands.starts_with("cat /etc/nv_tegra_release") && !commands.contains("whl/cu1"), "{commands}");
}

#[test]
fn a_row_of_condas_list_shows_conda() {
    let row = "pytorch                   2.1.0           py3.10_cuda11.8_cudnn8.7.0_0    pytorch\n";
    for above in ["", "# packages in environment at /home/u/miniconda3/envs/x:\n"] {
        let text = format!("{above}{row}{}", on("NVIDIA GeForce RTX 4090", "580.95.05"));
        let (commands, _) = recipe("matching-build", &text);
        assert!(commands.contains("conda install -c conda-forge"), "{above}: {commands}");
    }
}

#[test]
fn amds_wheels_for_windows_are_named_where_they_have_code() {
    let error = HIP.replace("/home/u/.venv/lib/python3.11", "C:\\venv\\Lib");
    let why = |target: &str| recipe("matching-build", &format!("AMD GPU, {target}\n{error}")).1;
    assert!(why("gfx1100").contains("install AMD's own wheels"), "{}", why("gfx1100"));
    assert!(why("gfx1031").ends_with("not for gfx1031: use Linux."), "{}", why("gfx1031"));
}
