//! Platforms, and what no command that is shown there may contain. Written here once more, as regexes, so that a gap in
//! `kb/wording/platforms.toml` shows. Tests of pages (`src/diagnosis/platform_tests.rs`) and of whole answers use it.

/// A text of that platform, and what no command shown for it may match.
pub(crate) const PLATFORMS: [(&str, &str, &str); 14] = [
    (
        "HIP",
        "torch 2.8.0+rocm6.4\nRuntimeError: HIP error: invalid device function\n",
        r"nvidia|whl/(nightly/)?cu\d|compute-sanitizer|cuda-gdb|nvcc|cuda-toolkit|\[cuda|and-cuda|--gpus|dcgmi|onnxruntime-gpu|GGML_CUDA",
    ),
    (
        "Linux",
        "Linux pc 6.8.0-45-generic x86_64 GNU/Linux\nRuntimeError: CUDA error: unknown error\n",
        r"(?m)kubectl delete|scancel|sbatch|tasklist|taskkill|^\$env:|^%env|winget",
    ),
    (
        "Windows",
        "Platform: Windows-11-10.0.22631\n  File \"C:\\Users\\me\\train.py\", line 3, in <module>\nRuntimeError: CUDA error: unknown error\n",
        r"(?m)\b(sudo|apt|modprobe|\bfuser\b|lsof|systemctl|dmesg|journalctl|ldconfig|reboot)\b|^(export|unset|ulimit|ls|grep|kill|ps|find|df|cat) |/dev/|/proc/|/etc/|\| (grep|head|tail)",
    ),
    (
        "WSL 1",
        "Linux pc 4.4.0-19041-Microsoft x86_64 GNU/Linux\nRuntimeError: No CUDA GPUs are available\n",
        r"modprobe|nvidia-smi|nvidia-driver|persistenced|fabricmanager|docker (run|compose|info)|docker$|/dev/nvidia|(sudo|&&) reboot|systemctl",
    ),
    (
        "WSL 2",
        "Linux pc 5.15.167.4-microsoft-standard-WSL2\nRuntimeError: No CUDA GPUs are available\n",
        r"modprobe|apt install nvidia-driver|persistenced|fabricmanager|/dev/nvidia|sudo reboot|gpu-reset|ubuntu-drivers|/proc/driver/nvidia",
    ),
    (
        "macOS",
        "macOS 15.1 arm64\nRuntimeError: MPS backend out of memory\n",
        r"nvidia|whl/(cu|rocm)|modprobe|systemctl|\bapt\b|/proc/|/sys/|\bfuser\b|--gpus|\[cuda|nvcc -|rocm-smi|CUDA_VISIBLE_DEVICES|/dev/shm|fallocate|swapon",
    ),
    (
        "Jetson",
        "NVIDIA Jetson AGX Orin, JetPack 6.2, L4T 36.4\nRuntimeError: CUDA error: out of memory\n",
        r"nvidia-smi|modprobe|nvidia-driver|fabricmanager|persistenced|whl/(nightly/)?cu\d|ubuntu-drivers|dcgmi",
    ),
    (
        "Kubernetes",
        "kubelet: Created container trainer\nresources: nvidia.com/gpu: 1\nRuntimeError: CUDA error: unknown error\n",
        r"docker (run|compose|info)|docker$|--shm-size|--ipc=host|--gpus|modprobe|\bfuser\b|lsof|fabricmanager|sudo reboot|sbatch|scontrol",
    ),
    (
        "Slurm",
        "slurmstepd: error: *** STEP 12.0 ON node7 CANCELLED ***\nRuntimeError: CUDA error: unknown error\n",
        r"docker (run|compose|info)|docker$|--shm-size|--ipc=host|--gpus |modprobe|sudo (apt|reboot|systemctl|nvidia)|kubectl",
    ),
    (
        "Colab",
        "  File \"/content/train.py\", line 3, in <module>\nRuntimeError: CUDA error: unknown error\n",
        r"(?m)docker (run|compose|info)|modprobe|\bfuser\b|systemctl|fabricmanager|sudo|reboot|kubectl|--shm-size|--gpus|ubuntu-drivers|^export |^(python|nvidia-smi|free|cat|ls|grep|find|df|env|git|curl|kill|ps|jupyter) [^=]",
    ),
    (
        "Kaggle",
        "  File \"/kaggle/working/train.py\", line 3, in <module>\nRuntimeError: CUDA error: unknown error\n",
        r"(?m)docker (run|compose|info)|modprobe|\bfuser\b|systemctl|fabricmanager|sudo|reboot|kubectl|--shm-size|--gpus|ubuntu-drivers|^export |^(python|nvidia-smi|free|cat|ls|grep|find|df|env|git|curl|kill|ps|jupyter) [^=]",
    ),
    ("notebook", "Cell In[3], line 2\nRuntimeError: CUDA error: unknown error\n", r"(?m)^export |^pip install|^unset "),
    (
        "Docker",
        "docker run -it my/image python train.py\nRuntimeError: CUDA error: unknown error\n",
        r"kubectl|sbatch|scontrol|emptyDir|nvidia\.com/gpu:",
    ),
    (
        "Rented",
        "RunPod, 1x RTX 4090\nRuntimeError: CUDA error: unknown error\n",
        r"docker (run|compose|info)|docker$|--shm-size|--ipc=host|--gpus |modprobe|sudo reboot|systemctl|nvidia-driver-\d|ubuntu-drivers|fabricmanager|dkms",
    ),
];
