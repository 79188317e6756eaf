//! The driver that an answer tells people to install: its branch and kind for the GPU, the command for the place.

use super::recipe;

const OLD: &str = "  File \"/home/u/.venv/lib/python3.11/site-packages/torch/cuda/__init__.py\", line 412, in _lazy_init\nRuntimeError: The NVIDIA driver on your system is too old (found version 11040). Please update your GPU driver by downloading and installing a new version from the URL: http://www.nvidia.com/Download/index.aspx\n";

fn upgrade(shown: &str) -> (String, String) {
    recipe("upgrade-driver", &format!("{shown}\n{OLD}"))
}

#[test]
fn the_gpu_decides_branch_and_kind() {
    for (gpu, package) in [
        ("NVIDIA GeForce GTX 980", "nvidia-driver-580"),
        ("NVIDIA GeForce GTX 1080 Ti", "nvidia-driver-580"),
        ("Tesla P40", "nvidia-driver-580-server"),
        ("Tesla V100-SXM2-32GB", "nvidia-driver-580-server"),
        ("Tesla T4", "nvidia-driver-580-server-open"),
        ("NVIDIA GeForce RTX 3080", "nvidia-driver-580-open"),
        ("NVIDIA GeForce RTX 4060 Laptop GPU", "nvidia-driver-580-open"),
        ("NVIDIA H100 80GB HBM3", "nvidia-driver-580-server-open"),
        ("NVIDIA GeForce RTX 5090", "nvidia-driver-580-open"),
        ("NVIDIA B200", "nvidia-driver-580-server-open"),
        ("Tesla K80", "nvidia-driver-470-server"),
    ] {
        let (commands, why) = upgrade(&format!("Ubuntu 22.04\nGPU 0: {gpu}\nNvidia driver version: 460.91.03"));
        let lines: Vec<&str> = commands.lines().collect();
        assert_eq!(lines.get(1), Some(&format!("sudo apt install {package}").as_str()), "{gpu}: {commands}");
        assert!(why.contains("460.91.03 is installed"), "{gpu}: {why}");
    }
}

#[test]
fn a_gpu_whose_last_driver_is_too_old_for_the_build_is_told_so() {
    let (_, why) = upgrade("GPU 0: Tesla K80\nNvidia driver version: 460.91.03\nCUDA used to build PyTorch: 12.6");
    let begins = "The installed build uses CUDA 12.6 and needs driver 525; 470 is the last branch for the K80 (sm_37): install an older build instead";
    assert!(why.starts_with(begins), "{why}");
}

#[test]
fn each_place_has_its_own_commands() {
    let gpu = "GPU 0: NVIDIA GeForce RTX 3080\nNvidia driver version: 535.104.05";
    for (shown, has, never) in [
        ("WSL2, Ubuntu 22.04", "https://www.nvidia.com/drivers in Windows", "apt"),
        ("$ srun --gres=gpu:1 python train.py", "ask the administrators for driver 580", "apt"),
        ("$ kubectl logs trainer", "kubectl patch clusterpolicies", "apt"),
        ("$ docker run --gpus all img", "# on the host, not in the container", "kubectl"),
        ("OS: Rocky Linux 9.4", "https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/", "apt"),
    ] {
        let (commands, _) = upgrade(&format!("{shown}\n{gpu}"));
        assert!(commands.contains(has) && !commands.contains(never), "{shown}: {commands}");
    }
    let windows = OLD.replace("/home/u/.venv/lib/python3.11", "C:\\env\\Lib");
    let (commands, _) = recipe("upgrade-driver", &format!("C:\\Users\\me> python train.py\n{gpu}\n{windows}"));
    assert!(commands.starts_with("# Windows: install a driver of branch 580 or newer from"), "{commands}");
}

#[test]
fn an_unknown_gpu_gets_the_question_and_the_rows() {
    let (commands, why) = upgrade("Ubuntu 22.04, Nvidia driver version: 470.256.02");
    assert!(
        commands.starts_with("nvidia-smi --query-gpu=name,compute_cap,driver_version --format=csv\n"),
        "{commands}"
    );
    for (package, gpus) in [
        ("nvidia-driver-580-server-open ", "# compute_cap 7.5 or higher;"),
        ("nvidia-driver-580-server ", "# compute_cap 5.0 to 7.0;"),
        ("nvidia-driver-470-server ", "# compute_cap 3.5 to 3.7;"),
    ] {
        let line = commands.lines().find(|line| line.contains(package)).unwrap_or_default();
        assert!(line.contains(gpus), "{commands}");
    }
    assert!(why.starts_with("Driver 580 runs builds for CUDA 13.x and older; 470.256.02 is installed"), "{why}");
}

#[test]
fn the_oldest_driver_of_an_old_gpu_explains_nothing() {
    let (_, why) = upgrade("Ubuntu 22.04\nGPU 0: NVIDIA GeForce GTX 980");
    assert!(why.starts_with("Driver 580 runs builds for CUDA 13.x and older"), "{why}");
    // Of a new one it does.
    let (_, why) = upgrade("Ubuntu 22.04\nGPU 0: NVIDIA GeForce RTX 5090");
    assert!(why.contains("needs driver 570 or newer"), "{why}");
}
