//! The closed list of facts that conditions and sentences of pages may ask for, each with what kind of value it has.
//!
//! `faultbook check` holds pages to it: a misspelled name would make a piece of evidence silent for ever, and nobody
//! would notice. A new fact of the probe or of a parser is added here and in the book's guide for authors.

use crate::facts::{Facts, Source, Value};

/// What kind of value a fact has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// A count, a size in bytes, seconds, degrees.
    Number,
    /// Words.
    Text,
    /// A version, compared by `matches`.
    Version,
    /// Yes or no.
    Bool,
    /// Several names.
    List,
}

use Sort::{Bool, List, Number, Text, Version};

/// Packages whose `<package>.version` is a fact.
pub const PACKAGES: &[&str] = &[
    "torch",
    "torchvision",
    "torchaudio",
    "tensorflow",
    "keras",
    "jax",
    "jaxlib",
    "flax",
    "python",
    "cuda",
    "cudnn",
    "cublas",
    "cudart",
    "nvrtc",
    "nccl",
    "driver",
    "triton",
    "vllm",
    "transformers",
    "lightning",
    "deepspeed",
    "accelerate",
    "numba",
    "cupy",
    "onnxruntime",
    "tensorrt",
    "bitsandbytes",
    "numpy",
    "flash_attn",
    "xformers",
    "apex",
    "ray",
    "llama_cpp",
    "ollama",
    "nvcc",
    "gcc",
    "glibc",
];

/// Libraries whose reachable copies a probe counts: `<library>.copies` and so on.
const LIBRARIES: &[&str] = &["cudnn", "cublas", "nccl", "cudart", "nvrtc"];

/// Facts by their whole names.
pub const NAMES: &[(&str, Sort)] = &[
    // Memory as an out-of-memory message tells it.
    ("oom.requested", Number),
    ("oom.total", Number),
    ("oom.free", Number),
    ("oom.process", Number),
    ("oom.allocated", Number),
    ("oom.reserved", Number),
    ("oom.reserved_unallocated", Number),
    ("oom.limit", Number),
    ("oom.others", Number),
    ("smem.required", Number),
    ("smem.limit", Number),
    // The failure itself.
    ("assert.expression", Text),
    ("assert.file", Text),
    ("lib.missing", Text),
    ("lib.stem", Text),
    ("lib.major", Number),
    ("lib.cuda", Number),
    ("lib.present", Number),
    ("symbol.name", Text),
    ("exit.code", Number),
    ("exit.signal", Text),
    ("nccl.seq_min", Number),
    ("nccl.seq_max", Number),
    ("nccl.op", Text),
    ("nccl.timeout_s", Number),
    ("nccl.last_completed", Number),
    ("nccl.warn", Text),
    ("nccl.calls", List),
    ("xid.first", Number),
    ("xid.codes", List),
    ("xid.count", Number),
    ("xid.gpus", Number),
    ("where.phase", Text),
    ("where.first_step", Bool),
    ("rank.count", Number),
    ("rank.failed", Number),
    // Builds.
    ("torch.cuda", Version),
    ("torch.arch_list", List),
    ("driver.cuda", Version),
    ("build.cuda", Version),
    ("build.arch_list", List),
    ("cudnn.built", Version),
    ("cudnn.cuda", Version),
    ("cublas.built", Version),
    ("nccl.cuda", Version),
    ("torch.cudnn", Version),
    // The GPU.
    ("gpu.name", Text),
    ("gpu.count", Number),
    ("gpu.compute_capability", Text),
    ("gpu.arch", Text),
    ("gpu.newer_than_build", Bool),
    ("gpu.memory.total", Number),
    ("gpu.memory.free", Number),
    ("gpu.memory.free_at_start", Number),
    ("gpu.memory.says", Text),
    ("gpu.memory.used", Number),
    ("gpu.ecc.uncorrected", Number),
    ("gpu.mig", Bool),
    ("gpu.compute_mode", Text),
    ("gpu.clients", List),
    ("gpu.temperature", Number),
    // The GPU, as only a probe tells it.
    ("gpu.installed", Number),
    ("gpu.visible", List),
    ("gpu.index", Number),
    ("gpu.uuid", Text),
    ("gpu.error", Text),
    ("gpu.memory.reserved", Number),
    ("gpu.largest_block", Number),
    ("gpu.processes", List),
    ("gpu.process_count", Number),
    ("gpu.held_by_processes", Number),
    ("gpu.largest_process", Text),
    ("gpu.utilization", Number),
    ("gpu.ecc.enabled", Bool),
    ("gpu.ecc.corrected", Number),
    ("gpu.ecc.corrected_ever", Number),
    ("gpu.ecc.uncorrected_ever", Number),
    ("gpu.retired.double_bit", Number),
    ("gpu.retired.single_bit", Number),
    ("gpu.retired.pending", Bool),
    ("gpu.remapped.correctable", Number),
    ("gpu.remapped.uncorrectable", Number),
    ("gpu.remapped.pending", Bool),
    ("gpu.remapped.failed", Bool),
    ("gpu.recovery_action", Text),
    ("gpu.clock_events", List),
    ("gpu.temperature_slowdown", Number),
    ("gpu.power", Number),
    ("gpu.power_limit", Number),
    ("gpu.pcie.generation", Number),
    ("gpu.pcie.max_generation", Number),
    ("gpu.pcie.width", Number),
    ("gpu.pcie.max_width", Number),
    ("gpu.pcie.replays", Number),
    ("gpu.nvlink.active", Number),
    ("gpu.nvlink.inactive", Number),
    ("gpu.nvlink.errors", Number),
    ("gpu.fabric", Text),
    ("gpu.mig_devices", List),
    ("gpu.mig_slices", List),
    ("gpu.clock", Number),
    ("gpu.clock_max", Number),
    ("gpu.persistence", Bool),
    ("gpu.gsp", Bool),
    // The driver and the kernel.
    ("driver.present", Bool),
    ("driver.init", Text),
    ("driver.init_code", Number),
    ("driver.init_says", Text),
    ("driver.kernel_version", Version),
    ("driver.library", Text),
    ("driver.library_version", Version),
    ("driver.open_kernel_module", Bool),
    ("nvml.error", Text),
    ("nvml.says", Text),
    ("cuda.device_count", Number),
    ("device_nodes.cards", Number),
    ("device_nodes.present", List),
    ("device_nodes.denied", List),
    ("device_nodes.missing", List),
    ("pci.gpu_count", Number),
    ("pci.gpus", List),
    ("pci.lost", List),
    ("fabric_manager.needed", Bool),
    ("fabric_manager.running", Bool),
    ("kernel.log", Text),
    ("kernel.xid.first", Number),
    ("kernel.xid.codes", List),
    ("kernel.xid.count", Number),
    ("kernel.xid.gpus", List),
    ("kernel.xid.lines", List),
    ("kernel.xid.age", Number),
    ("kernel.oom_kills", List),
    // The Python environment and the libraries within reach.
    ("python.prefix", Text),
    ("python.chosen_by", Text),
    ("torch.cpu_only", Bool),
    ("torch.rocm", Bool),
    ("torch.pins", List),
    ("torch.broken_pins", List),
    ("tensorflow.cuda", Version),
    ("tensorflow.cudnn", Version),
    ("tensorflow.cpu_only", Bool),
    ("tensorflow.arch_list", List),
    ("jax.cuda", Text),
    ("onnxruntime.cuda", Version),
    ("onnxruntime.cudnn", Version),
    ("onnxruntime.package", Text),
    ("toolkit.present", Bool),
    ("toolkit.version", Version),
    // What the ladder found; `ladder.<rung>` besides.
    ("ladder.holds", Bool),
    ("ladder.broken", List),
    ("ladder.wrong", Number),
    ("ladder.workspace_missing", Bool),
    ("ladder.workspace", Number),
    ("probe.healthy", Bool),
    ("probe.late", List),
    ("probe.budget_ms", Number),
    // The machine.
    ("os.kernel", Text),
    ("os.container_kind", Text),
    ("os.virtual_machine", Text),
    ("host.memory.oom_kills", Number),
    ("ulimit.memlock", Number),
    ("ulimit.nofile", Number),
    ("ulimit.nproc", Number),
    ("ulimit.stack", Number),
    ("ulimit.as", Number),
    ("ulimit.core", Number),
    ("os.name", Text),
    ("os.wsl", Bool),
    ("os.container", Bool),
    ("os.windows", Bool),
    ("os.windows_build", Number),
    ("os.wsl_version", Number),
    ("host.shm.size", Number),
    ("host.shm.free", Number),
    ("host.memory.total", Number),
    ("host.memory.available", Number),
    ("host.memory.limit", Number),
    ("host.cpu.count", Number),
    ("host.cpu.limit", Number),
    ("host.pids.limit", Number),
    // The run.
    ("run.batch_size", Number),
    ("run.precision", Text),
    ("run.num_workers", Number),
    ("run.devices", Number),
    ("run.strategy", Text),
    ("run.accumulate", Number),
    ("run.memory.rising", Bool),
    ("run.memory.first", Number),
    ("run.memory.last", Number),
    ("run.host_memory.rising", Bool),
    ("run.host_memory.first", Number),
    ("run.host_memory.last", Number),
    // What the person who pasted the text says of it.
    ("writer.works_on_cpu", Bool),
    ("writer.works_on_other_version", Bool),
    ("writer.began_with_update", Bool),
    ("writer.works_smaller", Bool),
    ("writer.works_on_one_gpu", Bool),
    ("writer.works_on_first_gpu", Bool),
    ("writer.works_elsewhere", Bool),
    ("writer.one_card_only", Bool),
    ("writer.intermittent", Bool),
    ("writer.after_hours", Bool),
    ("writer.needs_reboot", Bool),
    ("writer.same_input", Bool),
    ("writer.works_in_fp32", Bool),
    ("writer.works_eager", Bool),
    ("writer.works_blocking", Bool),
    ("writer.interrupted_before", Bool),
    ("writer.other_process", Bool),
];

/// What kind of value a fact has; `None` when there is no such fact.
pub fn sort_of(name: &str) -> Option<Sort> {
    if let Some((_, sort)) = NAMES.iter().find(|(known, _)| *known == name) {
        return Some(*sort);
    }
    match name.split_once('.')? {
        (package, "version") => PACKAGES.contains(&package).then_some(Version),
        ("ladder", rung) => (!rung.contains('.') && is_variable(rung)).then_some(Text),
        (library, about) if LIBRARIES.contains(&library) => match about {
            "copies" | "loaded" => Some(Number),
            "mixed_majors" | "on_library_path" => Some(Bool),
            "found" | "versions" => Some(List),
            _ => None,
        },
        // Environment variables have the names that programs give them.
        ("env", variable) => is_variable(variable).then_some(Text),
        _ => None,
    }
}

/// The known name that looks most like an unknown one.
pub(super) fn nearest(name: &str) -> Option<&'static str> {
    let last = name.rsplit('.').next().unwrap_or(name);
    let alike = |known: &str| {
        let same_end = known.rsplit('.').next() == Some(last);
        let common = known.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
        common + if same_end { 4 } else { 0 }
    };
    NAMES.iter().map(|(known, _)| *known).max_by_key(|known| alike(known)).filter(|known| alike(known) >= 4)
}

/// A value of the right kind for each of `names`: enough to see whether an expression can be evaluated at all.
pub(super) fn samples<'n>(names: impl IntoIterator<Item = &'n str>) -> Facts {
    let mut facts = Facts::default();
    for name in names {
        let value = match sort_of(name) {
            Some(Number) => Value::Number(1.0),
            Some(Text) if name == "gpu.compute_capability" => Value::Text("8.6".to_owned()),
            Some(Text) => Value::Text("words".to_owned()),
            Some(Version) if name == "driver.version" => Value::Text("580.95.05".to_owned()),
            Some(Version) => Value::Text("12.8".to_owned()),
            Some(Bool) => Value::Bool(true),
            Some(List) => Value::List(vec!["sm_86".to_owned()]),
            None => continue,
        };
        facts.add(name, value, Source::Probe, None);
    }
    facts
}

fn is_variable(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    #[test]
    fn knows_names_and_patterns() {
        for (name, sort) in [
            ("oom.free", Some(Number)),
            ("vllm.version", Some(Version)),
            ("env.CUDA_VISIBLE_DEVICES", Some(Text)),
            ("oom.freed", None),
            ("left_pad.version", None),
            ("env.", None),
            ("oom", None),
            ("", None),
        ] {
            assert_eq!(sort_of(name), sort, "{name}");
        }
        assert_eq!(nearest("oom.fre"), Some("oom.free"));
        assert_eq!(nearest("gpu.mem.free"), Some("gpu.memory.free"));
        assert_eq!(nearest("zebra"), None);
    }

    /// Names that the code looks for in texts; no facts.
    const IN_TEXTS: [&str; 1] = ["torch.version.cuda"];

    /// A parser or a probe that provides a fact under a new name must bring it here too.
    #[test]
    fn every_fact_of_the_code_is_in_the_list() {
        let groups: Vec<&str> = NAMES.iter().filter_map(|(name, _)| Some(name.split_once('.')?.0)).collect();
        let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                let path = entry.path();
                if path.is_dir()
                    && !path.ends_with("check")
                    && !path.ends_with("interfaces")
                    && !path.ends_with("render")
                {
                    folders.push(path);
                    continue;
                }
                let code = std::fs::read_to_string(&path).unwrap_or_default();
                let code = code.split("#[cfg(test)]").next().unwrap();
                for line in code.lines().filter(|line| line.contains("facts") && !line.trim_start().starts_with("//")) {
                    for name in line.split('"').skip(1).step_by(2) {
                        let plain =
                            name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._".contains(&b));
                        let group = name.split_once('.').map(|(group, _)| group);
                        if plain && !IN_TEXTS.contains(&name) && group.is_some_and(|group| groups.contains(&group)) {
                            assert!(sort_of(name).is_some(), "{name} of {}", path.display());
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn names_stand_once() {
        for (i, (name, _)) in NAMES.iter().enumerate() {
            assert!(NAMES[..i].iter().all(|(other, _)| other != name), "{name}");
            assert_eq!(samples([*name]).iter().count(), 1);
        }
    }
}
