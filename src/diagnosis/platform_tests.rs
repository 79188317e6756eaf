//! Over all pages: no command that is shown for a platform can be missing there. The lists of what is missing are
//! written here once more, as regexes, so that a gap in `kb/wording/platforms.toml` shows.

use regex::Regex;

use super::alternatives;
use super::conditions::Conditions;
use super::fixes;
use super::situation::Situation;
use super::weigh::Scene;
use crate::book::Book;
use crate::facts::Facts;
use crate::incident::{self, Incident};
use crate::text;

/// A text of that platform, and what no command shown for it may match.
const PLATFORMS: [(&str, &str, &str); 12] = [
    (
        "HIP",
        "torch 2.8.0+rocm6.4\nRuntimeError: HIP error: invalid device function\n",
        r"nvidia|whl/(nightly/)?cu\d|compute-sanitizer|cuda-gdb|nvcc|cuda-toolkit|\[cuda|and-cuda|--gpus|dcgmi|onnxruntime-gpu|GGML_CUDA",
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
        r"nvidia|whl/(cu|rocm)|modprobe|systemctl|\bapt\b|/proc/|/sys/|\bfuser\b|--gpus|\[cuda|nvcc -|rocm-smi|CUDA_VISIBLE_DEVICES|/dev/shm",
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
        r"(?m)docker (run|compose|info)|modprobe|\bfuser\b|systemctl|fabricmanager|sudo|reboot|kubectl|--shm-size|--gpus|ubuntu-drivers|^export ",
    ),
    (
        "Kaggle",
        "  File \"/kaggle/working/train.py\", line 3, in <module>\nRuntimeError: CUDA error: unknown error\n",
        r"(?m)docker (run|compose|info)|modprobe|\bfuser\b|systemctl|fabricmanager|sudo|reboot|kubectl|--shm-size|--gpus|ubuntu-drivers|^export ",
    ),
    ("notebook", "Cell In[3], line 2\nRuntimeError: CUDA error: unknown error\n", r"(?m)^export |^pip install|^unset "),
    (
        "Docker",
        "docker run -it my/image python train.py\nRuntimeError: CUDA error: unknown error\n",
        r"kubectl|sbatch|scontrol|emptyDir|nvidia\.com/gpu:",
    ),
];

fn situation(text: &str) -> (Situation, Facts) {
    let transcript = text::read(text.as_bytes());
    let incident = incident::read(&transcript);
    let last = transcript.len().saturating_sub(1);
    let mut facts = incident.facts.clone();
    let situation = Situation::of(&transcript, &incident, &(last..last + 1), &facts);
    situation.record(&mut facts);
    (situation, facts)
}

#[test]
fn no_command_is_shown_where_it_cannot_exist() {
    let book = Book::new(true);
    let nothing = Facts::default();
    let conditions = Conditions::new(&nothing);
    let (mut wrong, mut fits) = (Vec::new(), fixes::Fits::new());
    let (empty, incident) = (text::read(b""), Incident::default());
    for (platform, text, missing) in PLATFORMS {
        let (situation, _) = situation(text);
        let missing = Regex::new(missing).expect("a regex");
        let mut shown = 0;
        // What a scheduler says shows that there is a scheduler.
        let pages = (0..book.faults.len()).map(|index| book.fault(index));
        for page in pages.filter(|page| platform != "Docker" || page.area != "cluster") {
            for cause in &page.causes {
                let scene = Scene {
                    transcript: &empty,
                    incident: &incident,
                    error: None,
                    line: 0,
                    conditions: &conditions,
                    special: None,
                };
                let actions = fixes::proposed(&page.id, cause, 1.0, &scene, &situation, &mut fits);
                let check = cause.check.command.iter();
                let checks =
                    check.flat_map(|check| alternatives::fitting(std::slice::from_ref(check), &situation).blocks);
                let checks = checks.map(|block| ("check".to_owned(), block));
                let fixes =
                    actions.into_iter().flat_map(|one| one.commands.into_iter().map(move |b| (one.id.clone(), b)));
                for (id, block) in fixes.chain(checks) {
                    shown += 1;
                    let found = block
                        .lines()
                        .map(|line| line.split("   #").next().unwrap_or(line))
                        .filter(|line| missing.is_match(line));
                    wrong.extend(found.map(|line| format!("{platform}: {} {} {id}: {line}", page.id, cause.id)));
                }
            }
        }
        assert!(shown > 300, "{platform}: only {shown} blocks of commands are shown");
    }
    wrong.sort();
    wrong.dedup();
    assert_eq!(wrong, [""; 0], "{} lines", wrong.len());
}

#[test]
fn what_a_text_shows_becomes_facts() {
    let shown = |text: &str, fact: &str| situation(text).1.text(fact).unwrap_or_default().to_owned();
    for (text, fact, expected) in [
        (PLATFORMS[0].1, "gpu.vendor", "amd"),
        (PLATFORMS[0].1, "run.framework", "pytorch"),
        (PLATFORMS[1].1, "run.platform", "windows"),
        (PLATFORMS[2].1, "run.platform", "wsl1"),
        (PLATFORMS[3].1, "run.platform", "wsl2"),
        (PLATFORMS[4].1, "gpu.vendor", "apple"),
        (PLATFORMS[5].1, "run.platform", "jetson"),
        (PLATFORMS[6].1, "run.platform", "kubernetes"),
        (PLATFORMS[8].1, "run.platform", "colab"),
        ("I do not use docker, no Slurm\nKilled\n", "run.platform", ""),
        ("collect_env: ROCM used to build PyTorch: N/A\nCUDA error: unknown error\n", "gpu.vendor", "nvidia"),
        ("GPU: AMD Radeon RX 7900 XTX and GeForce RTX 3060\nKilled\n", "gpu.vendor", ""),
        ("  File \"site-packages/vllm/engine.py\", line 1, in f\nimport torch\n", "run.framework", "vllm"),
        ("conda activate x\n", "run.package_manager", "conda"),
    ] {
        assert_eq!(shown(text, fact), expected, "{fact} of {text}");
    }
}

#[test]
fn a_rocm_wheel_is_no_cuda() {
    let (_, facts) =
        situation("torch 2.8.0+rocm6.4\nGPU: AMD Instinct MI300X\nRuntimeError: HIP error: out of memory\n");
    for name in ["cuda.version", "torch.cuda", "driver.cuda", "toolkit.version"] {
        assert_eq!(facts.get(name), None, "{name}");
    }
}
