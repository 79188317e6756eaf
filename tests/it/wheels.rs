//! The command that installs a build fits the GPU, the driver and the package manager, and its index is in the table.

mod bounds;
mod drivers;
mod images;
mod jetson;
mod machines;
mod matrix;
mod terms;

use crate::support::diagnose;

const ERROR: &str = "Traceback (most recent call last):\n  File \"/home/u/.venv/lib/python3.11/site-packages/torch/nn/modules/module.py\", line 1501, in _call_impl\nRuntimeError: CUDA error: no kernel image is available for execution on the device\n";
const HIP: &str = "  File \"/home/u/.venv/lib/python3.11/site-packages/torch/nn/modules/module.py\", line 1501, in _call_impl\nRuntimeError: HIP error: no kernel image is available for execution on the device\n";

/// The commands and the words of a recipe in the answer.
fn recipe(id: &str, text: &str) -> (String, String) {
    let diagnosis = diagnose(text.as_bytes());
    let fixes = diagnosis.causes.iter().flat_map(|cause| &cause.fixes);
    let fix = diagnosis.actions.iter().chain(fixes).find(|action| action.id == id);
    fix.map(|fix| (fix.commands.join("\n"), fix.detail.clone())).unwrap_or_default()
}

fn on(gpu: &str, driver: &str) -> String {
    format!("GPU 0: {gpu}\nNvidia driver version: {driver}\n{ERROR}")
}

#[test]
fn each_generation_gets_the_index_that_has_code_for_it() {
    let table = include_str!("../../kb/hardware/wheels.csv");
    for (gpu, driver, index) in [
        ("NVIDIA GeForce GTX 980", "550.54.14", "cu126"),
        ("NVIDIA GeForce GTX 1080 Ti", "580.95.05", "cu126"),
        ("Tesla V100-SXM2-16GB", "535.104.05", "cu126"),
        ("V100", "535.104.05", "cu126"),
        ("Tesla T4", "580.95.05", "cu130"),
        ("H100", "580.95.05", "cu130"),
        ("A100", "470.256.02", "cu118"),
        ("NVIDIA A100-SXM4-80GB", "470.256.02", "cu118"),
        ("NVIDIA GeForce RTX 4090", "535.104.05", "cu126"),
        ("NVIDIA GeForce RTX 4090", "590.44.01", "cu130"),
        ("NVIDIA GeForce RTX 5090", "575.57.08", "cu128"),
        ("NVIDIA GeForce RTX 5090", "580.95.05", "cu130"),
        ("NVIDIA B200", "580.95.05", "cu130"),
    ] {
        let (commands, why) = recipe("matching-build", &on(gpu, driver));
        let url = format!("https://download.pytorch.org/whl/{index}");
        let install = format!("pip install torch torchvision --index-url {url}");
        assert_eq!(commands.lines().last(), Some(install.as_str()), "{gpu}, {driver}");
        assert!(why.starts_with(&format!("`{index}`")), "{gpu}, {driver}: {why}");
        assert!(table.contains(&format!(",{index},{url},")), "{index}");
    }
}

#[test]
fn each_package_manager_gets_its_own_command() {
    let gpu = on("NVIDIA GeForce GTX 1080 Ti", "550.54.14");
    for (shown, command) in [
        (
            "$ uv pip install torch\n",
            "uv pip install --reinstall-package torch --reinstall-package torchvision torch torchvision --torch-backend cu126",
        ),
        (
            "$ conda install -c conda-forge pytorch\n",
            "conda install -c conda-forge pytorch-gpu torchvision \"cuda-version=12.9\"",
        ),
        (
            "$ poetry add torch\n",
            "poetry run pip install torch torchvision --index-url https://download.pytorch.org/whl/cu126",
        ),
        (
            "$ docker run --rm train\n",
            "docker run --rm --gpus all pytorch/pytorch:2.14.0-cuda12.6-cudnn9-runtime python train.py",
        ),
        // The next `uv run` would undo what is installed beside the project.
        (
            "$ uv run train.py\n",
            "uv add torch torchvision --index pytorch-cu126=https://download.pytorch.org/whl/cu126",
        ),
    ] {
        let (commands, _) = recipe("matching-build", &format!("{shown}{gpu}"));
        assert_eq!(commands.lines().last(), Some(command), "{shown}");
    }
}

#[test]
fn amd_gpus_get_rocm_and_nothing_of_nvidia() {
    for (gpu, index) in [("gfx906", "rocm6.3"), ("gfx90a", "rocm7.2"), ("gfx1100", "rocm7.2"), ("gfx1201", "rocm7.2")] {
        let (commands, why) = recipe("matching-build", &format!("AMD GPU, {gpu}\n{HIP}"));
        assert!(
            commands.ends_with(&format!("--index-url https://download.pytorch.org/whl/{index}")),
            "{gpu}: {commands}"
        );
        assert!(!why.contains("river") && why.contains(gpu), "{gpu}: {why}");
    }
}

#[test]
fn a_driver_that_is_too_old_for_every_build_comes_first() {
    let (_, why) = recipe("matching-build", &on("NVIDIA GeForce RTX 5090", "560.35.03"));
    let begins = "The RTX 5090 (sm_120) needs CUDA 12.8 or later, and driver 560.35.03 supports CUDA 12.6: upgrade the driver to 580 first;";
    assert!(why.starts_with(begins), "{why}");
}

#[test]
fn a_driver_that_no_longer_supports_the_gpu_is_named() {
    let (_, why) = recipe("matching-build", &on("NVIDIA GeForce GTX 1080 Ti", "595.71.05"));
    assert!(
        why.starts_with("Drivers after 580 do not support the GTX 1080 Ti (sm_61): install driver 580 first;"),
        "{why}"
    );
}

#[test]
fn an_old_driver_without_a_gpu_decides_by_itself() {
    let text = "  File \"/home/u/.venv/lib/python3.11/site-packages/torch/cuda/__init__.py\", line 314, in _lazy_init\nRuntimeError: The NVIDIA driver on your system is too old (found version 11040). Please update your GPU driver\n";
    let (commands, _) = recipe("older-framework-build", text);
    assert!(commands.ends_with("whl/cu118"), "{commands}");
}

#[test]
fn an_unknown_gpu_gets_the_question_and_the_rows() {
    let (commands, _) = recipe("matching-build", ERROR);
    assert!(commands.contains("nvidia-smi --query-gpu=name,compute_cap,driver_version --format=csv"), "{commands}");
    for (index, fits) in [
        ("cu130", "# compute_cap 7.5 or higher, driver 580 or newer"),
        ("cu126", "# compute_cap 5.0 to 9.0, driver 525 or newer"),
        ("cu128", "# compute_cap 10.0 or higher, driver 570 or newer"),
    ] {
        let line = commands.lines().find(|line| line.contains(&format!("whl/{index} "))).unwrap_or_default();
        assert!(line.ends_with(fits), "{commands}");
    }
}

#[test]
fn an_unknown_gpu_gets_the_rows_in_the_words_of_its_package_manager() {
    for (shown, first, rows) in [
        ("$ uv pip install torch\n", "nvidia-smi --query-gpu", ["--torch-backend cu130 ", "--torch-backend cu126 "]),
        (
            "$ conda install -c conda-forge pytorch\n",
            "nvidia-smi --query-gpu",
            ["cuda-version=13.0", "cuda-version=12.9"],
        ),
        ("$ docker run --rm train\n", "nvidia-smi --query-gpu", ["cuda13.0-cudnn9", "cuda12.6-cudnn9"]),
    ] {
        let (commands, why) = recipe("matching-build", &format!("{shown}{ERROR}"));
        assert!(commands.starts_with(first) && rows.iter().all(|row| commands.contains(row)), "{shown}{commands}");
        assert!(why.starts_with("The first command shows the GPU's compute capability and the driver"), "{why}");
        assert!((3..=5).contains(&commands.lines().count()), "{commands}");
    }
    let (commands, _) = recipe("matching-build", HIP);
    assert!(commands.starts_with("rocminfo | grep gfx") && commands.contains("whl/rocm6.3"), "{commands}");
    assert!(!commands.contains("nvidia"), "{commands}");
}

#[test]
fn without_the_driver_the_older_build_is_named_as_well() {
    let (commands, _) = recipe("matching-build", &format!("GPU 0: NVIDIA GeForce RTX 4090\n{ERROR}"));
    assert!(commands.contains("whl/cu130\n# with a driver older than 580 (see nvidia-smi): pip install"), "{commands}");
}

#[test]
fn nothing_is_computed_where_no_wheel_exists() {
    // Kepler before sm_37, Windows with an AMD GPU, an engine that brings its own PyTorch.
    for text in [
        on("Tesla K40", "470.256.02"),
        format!("C:\\Users\\me> python train.py\nAMD GPU, gfx1100\n{HIP}")
            .replace("/home/u/.venv/lib/python3.11", "C:\\env\\Lib"),
        on("NVIDIA GeForce RTX 4090", "535.104.05").replace("torch/nn", "vllm/v1"),
    ] {
        let diagnosis = diagnose(text.as_bytes());
        assert!(diagnosis.environment.get("wheel.command").is_none(), "{text}");
    }
}

#[test]
fn jetson_gets_its_own_index() {
    let text = format!("JetPack 6.1, NVIDIA Jetson AGX Orin\n{ERROR}");
    let (commands, _) = recipe("matching-build", &text);
    assert!(commands.ends_with("https://pypi.jetson-ai-lab.io/jp6/cu126"), "{commands}");
    assert!(!commands.contains("nvidia-smi") && !commands.contains("whl/cu"), "{commands}");
    // JetPack 5 has Python 3.8; Xavier ends with it. Thor uses the builds of PyPI.
    let (commands, _) = recipe("matching-build", &format!("NVIDIA Jetson AGX Xavier\n{ERROR}").replace("3.11", "3.8"));
    assert!(commands.ends_with("nv23.06-cp38-cp38-linux_aarch64.whl"), "{commands}");
    let (commands, _) = recipe("matching-build", &format!("NVIDIA Jetson AGX Thor, NVIDIA Thor\n{ERROR}"));
    assert!(commands.ends_with("pip install torch torchvision"), "{commands}");
}

#[test]
fn onnx_runtime_gets_its_build_of_the_right_cuda() {
    let error = ERROR.replace("torch/nn/modules/module", "onnxruntime/capi/onnxruntime_inference_collection");
    for (gpu, driver, command) in [
        ("NVIDIA GeForce RTX 4090", "580.95.05", "pip install \"onnxruntime-gpu[cuda,cudnn]\""),
        ("NVIDIA GeForce RTX 4090", "550.54.14", "pip install \"onnxruntime-gpu[cuda,cudnn]<1.27\""),
        (
            "Tesla V100-SXM2-16GB",
            "580.95.05",
            "pip install \"onnxruntime-gpu[cuda,cudnn]<1.27\" \"nvidia-cudnn-cu12==9.10.2.21\"",
        ),
        ("NVIDIA A100-SXM4-80GB", "470.256.02", "pip install \"onnxruntime-gpu==1.18.1\""),
        // 1.31 has no code for sm_100 and no PTX; 1.26 has PTX of compute_90.
        ("NVIDIA B200", "580.95.05", "pip install \"onnxruntime-gpu[cuda,cudnn]<1.27\""),
    ] {
        let (commands, _) = recipe("matching-build", &on(gpu, driver).replace(ERROR, &error));
        let expected = format!("pip uninstall -y onnxruntime onnxruntime-gpu\n{command}");
        assert_eq!(commands, expected, "{gpu}, {driver}");
    }
}

#[test]
fn other_frameworks_get_their_extras() {
    let text = on("NVIDIA GeForce GTX 1080 Ti", "535.104.05").replace("torch/nn/modules/module", "jax/_src/api");
    let (commands, _) = recipe("matching-build", &text);
    assert_eq!(commands, "pip install -U \"jax[cuda12]\" \"nvidia-cudnn-cu12==9.10.2.21\"");
}
