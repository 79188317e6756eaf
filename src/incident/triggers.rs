//! Which lines deserve a closer look: one pass of literals over the whole text, a set of topics per line.
//!
//! Nothing is decided here. The surprising thing: a parser is only asked about lines that carry its topic, so a new
//! wording needs its literal in [`LITERALS`] before any parser sees it.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use crate::text::Transcript;
use crate::vendors::{self, Vendor};

/// A set of topics as bits.
pub(crate) type Topics = u16;

/// Tracebacks, exception lines and the sentences between them.
pub(crate) const PYTHON: Topics = 1;
/// Aborts, signals, assertions and stacks of native code.
pub(crate) const NATIVE: Topics = 1 << 1;
/// Names, numbers and sentences of vendor status codes.
pub(crate) const CODES: Topics = 1 << 2;
/// Numbers about memory.
pub(crate) const MEMORY: Topics = 1 << 3;
/// Collectives.
pub(crate) const NCCL: Topics = 1 << 4;
/// Reports of launchers and shells.
pub(crate) const LAUNCHER: Topics = 1 << 5;
/// The kernel log.
pub(crate) const KERNEL: Topics = 1 << 6;
/// Status lines of frameworks and messages of tools.
pub(crate) const FRAMEWORK: Topics = 1 << 7;
/// Versions, devices, machines.
pub(crate) const ENVIRONMENT: Topics = 1 << 8;
/// Commands and settings.
pub(crate) const COMMAND: Topics = 1 << 9;
/// Progress of a run.
pub(crate) const PROGRESS: Topics = 1 << 10;
/// Advice printed by libraries.
pub(crate) const ADVICE: Topics = 1 << 11;
/// pytest's sections.
pub(crate) const PYTEST: Topics = 1 << 12;

/// The literals and their topics.
#[rustfmt::skip]
const LITERALS: &[(&str, Topics)] = &[
    ("Traceback (most recent", PYTHON), ("Error", PYTHON), ("Exception", PYTHON), ("Interrupt", PYTHON), ("SystemExit", PYTHON),
    ("Fault", PYTHON), ("Fail", PYTHON), ("StopIteration", PYTHON), ("OutOfResources", PYTHON), ("Empty", PYTHON), ("Unsupported", PYTHON),
    ("Timeout", PYTHON | NCCL), ("EndOfStream", PYTHON), ("UnfilteredStackTrace", PYTHON), ("OutOfMemory", PYTHON), ("OutOfRange", PYTHON),
    ("  File \"", PYTHON), ("File \"", PYTHON), ("During handling of", PYTHON), ("the direct cause of", PYTHON), ("Exception Group", PYTHON),
    ("terminated with the following error", PYTHON), ("Traceback of forward call", PYTHON), ("Original Traceback", PYTHON),
    (".error: ", PYTHON), (".timeout: ", PYTHON), ("Warning: ", PYTHON), ("InvalidArgument", PYTHON), ("NoSuchFile", PYTHON),
    ("E   ", PYTEST), ("FAILED ", PYTEST), ("ERROR ", PYTEST), ("SKIPPED", PYTEST), ("XFAIL", PYTEST), ("XPASS", PYTEST), ("PASSED", PYTEST), ("= FAILURES", PYTEST), ("= ERRORS", PYTEST),
    ("= short test summary", PYTEST), ("test session starts", PYTEST),

    ("terminate called", NATIVE), ("what():", NATIVE), ("terminating due to uncaught", NATIVE), ("terminating with uncaught", NATIVE), ("Check failed", NATIVE), ("Check failure", NATIVE),
    ("Fatal Python error", NATIVE), ("LLVM ERROR", NATIVE), ("Assertion ", NATIVE), ("ssertion failed", NATIVE), ("_ASSERT(", NATIVE), ("Segmentation fault", NATIVE),
    ("segmentation fault", NATIVE), ("Bus error", NATIVE), ("bus error", NATIVE), ("Aborted", NATIVE), ("Illegal instruction", NATIVE), ("Floating point exception", NATIVE),
    ("Killed", NATIVE | LAUNCHER | KERNEL), ("killed", NATIVE | LAUNCHER), ("Trace/breakpoint trap", NATIVE), ("Exception raised from", NATIVE), ("frame #", NATIVE),
    ("omitting python frames", NATIVE), ("(most recent call first)", NATIVE), (" @ ", NATIVE), ("FATAL ERROR", NATIVE), ("panicked at", NATIVE), ("panic: ", NATIVE), ("SIGSEGV", NATIVE), ("SIGABRT", NATIVE), ("SIGBUS", NATIVE),
    ("stack backtrace", NATIVE), ("dumped core", NATIVE), ("core dumped", NATIVE), ("Extension modules:", NATIVE), ("OMP: Error", NATIVE),

    ("ailed with error", CODES), ("failure with error", CODES), ("failed: ", CODES), ("returned ", CODES), ("failed (", CODES), ("failed with status", CODES), (" vs. ", CODES),
    ("nccl", CODES | NCCL), ("error code", CODES | LAUNCHER), ("device ordinal", CODES | MEMORY), ("cudaMalloc", CODES | MEMORY),

    ("ut of memory", MEMORY | CODES | KERNEL), ("to allocate", MEMORY), ("total capacity", MEMORY), ("by PyTorch", MEMORY), ("memory in use", MEMORY), ("OOM when", MEMORY), ("allocating ", MEMORY), ("InUse:", MEMORY), ("Limit: ", MEMORY),
    ("bytes free", MEMORY), ("MB memory", MEMORY), ("Free memory on device", MEMORY), ("Hardware limit", MEMORY), ("Attempting to reserve", MEMORY), ("requested buffer of size", MEMORY), ("smaller than requested bytes", MEMORY), ("shared memory", MEMORY), ("uses too much shared data", MEMORY),
    ("MemFree", MEMORY), ("freeMemory: ", MEMORY), ("can't open file", FRAMEWORK), ("usage: ", FRAMEWORK), ("during autotuning:", FRAMEWORK), ("/dev/shm", MEMORY),

    ("NCCL WARN", NCCL), ("taking the entire process down", NCCL), ("WorkNCCL", NCCL), ("atchdog", NCCL), ("NCCL", NCCL), ("gloo", NCCL), ("eartbeat", NCCL), ("last enqueued", NCCL), ("Connection closed by peer", NCCL), ("nranks", NCCL), ("orld_size", NCCL), ("WORLD_SIZE", NCCL), ("orld size", NCCL), ("world=", NCCL),

    ("exitcode", LAUNCHER), ("exit code", LAUNCHER), ("Exit code", LAUNCHER), ("Exit Code", LAUNCHER), ("exit status", LAUNCHER), ("with return code", LAUNCHER), ("returned non-zero", LAUNCHER), ("Root Cause (first", LAUNCHER),
    ("exited on signal", LAUNCHER), ("exited with code", LAUNCHER), ("with signal", LAUNCHER), ("by signal", LAUNCHER), ("srun: error", LAUNCHER), ("slurmstepd: error", LAUNCHER), ("mpirun", LAUNCHER), ("mpiexec", LAUNCHER),
    ("OOMKilled", LAUNCHER), ("Primary job", LAUNCHER), ("EXIT CODE", LAUNCHER), ("error Command failed", LAUNCHER), ("make: ***", LAUNCHER), ("exited unexpectedly", LAUNCHER), ("terminated with the", LAUNCHER), ("DUE TO", LAUNCHER), ("Process finished", LAUNCHER),

    ("Xid", KERNEL), ("oom-kill", KERNEL), ("segfault at", KERNEL), ("general protection", KERNEL), ("limit ", KERNEL), ("fallen off the bus", KERNEL | FRAMEWORK),

    ("RESOURCE_EXHAUSTED", FRAMEWORK), ("FAILED_PRECONDITION", FRAMEWORK), ("INTERNAL: ", FRAMEWORK), ("UNKNOWN: ", FRAMEWORK), ("INVALID_ARGUMENT: ", FRAMEWORK), ("UNIMPLEMENTED: ", FRAMEWORK), ("ABORTED: ", FRAMEWORK),
    ("[ONNXRuntimeError]", FRAMEWORK), ("[E:onnxruntime", FRAMEWORK), ("[F:onnxruntime", FRAMEWORK), ("EP Error", FRAMEWORK), ("Error Code ", FRAMEWORK), ("[TRT]", FRAMEWORK), ("[TensorRT]", FRAMEWORK),
    ("nvalid loss, terminating", FRAMEWORK), ("is not finite", FRAMEWORK), ("NVML: ", FRAMEWORK), 
    ("rror while loading shared libraries", FRAMEWORK), ("rror response from daemon", FRAMEWORK), ("nvidia-container-cli", FRAMEWORK), ("symbol lookup error", FRAMEWORK), 
    ("ERROR", FRAMEWORK), ("fatal error:", FRAMEWORK), (": error:", FRAMEWORK), (" error: ", FRAMEWORK), ("error:", FRAMEWORK), ("ninja: ", FRAMEWORK), ("Could not load", FRAMEWORK), ("Could not create", FRAMEWORK), ("cannot open shared object", FRAMEWORK), ("GPU is lost", FRAMEWORK),
    ("GPU requires reset", FRAMEWORK), ("undefined symbol", FRAMEWORK), ("unable to find an engine", FRAMEWORK), ("DNN library", FRAMEWORK), ("Loaded runtime CuDNN", FRAMEWORK), ("nan values", FRAMEWORK), ("loss is nan", FRAMEWORK), ("Loss is nan", FRAMEWORK), ("loss=nan", PROGRESS),
    ("unrecognized arguments", FRAMEWORK), ("GPU device not found", FRAMEWORK), ("level=ERROR", FRAMEWORK), ("level=error", FRAMEWORK),

    ("echo ", ENVIRONMENT), ("Cuda compilation tools", ENVIRONMENT), ("seems to match DSO", ENVIRONMENT), ("used_gpu_memory", ENVIRONMENT), ("mxnet-cu", ENVIRONMENT), ("torch", ENVIRONMENT), ("Torch", ENVIRONMENT), ("tensorflow", ENVIRONMENT), ("TensorFlow", ENVIRONMENT), ("TF ", ENVIRONMENT), ("jax", ENVIRONMENT), ("JAX", ENVIRONMENT), ("ython", ENVIRONMENT), ("CUDA", ENVIRONMENT), ("cuda", ENVIRONMENT), ("cu1", ENVIRONMENT),
    ("udnn", ENVIRONMENT), ("uDNN", ENVIRONMENT), ("CUDNN", ENVIRONMENT), ("nccl", ENVIRONMENT), ("NCCL version", ENVIRONMENT), ("river", ENVIRONMENT), ("triton", ENVIRONMENT), ("vllm", ENVIRONMENT), ("vLLM", ENVIRONMENT), ("transformers", ENVIRONMENT), ("ightning", ENVIRONMENT), ("eepspeed", ENVIRONMENT),
    ("eepSpeed", ENVIRONMENT), ("accelerate", ENVIRONMENT), ("numba", ENVIRONMENT), ("cupy", ENVIRONMENT), ("onnxruntime", ENVIRONMENT), ("bitsandbytes", ENVIRONMENT), ("numpy", ENVIRONMENT), ("NVIDIA", ENVIRONMENT),
    ("GPU", ENVIRONMENT), ("Device 0", ENVIRONMENT), ("Device 1", ENVIRONMENT), ("MiB /", ENVIRONMENT), ("MiB |", ENVIRONMENT), ("processes found", ENVIRONMENT), ("ARCHS", ENVIRONMENT), ("capability", ENVIRONMENT), ("sm_", ENVIRONMENT), ("WSL", ENVIRONMENT), ("icrosoft", ENVIRONMENT), ("10.0.1", ENVIRONMENT), ("10.0.2", ENVIRONMENT), ("(build ", ENVIRONMENT), (".so.", ENVIRONMENT), ("Linux", ENVIRONMENT), ("Ubuntu", ENVIRONMENT), ("Windows", ENVIRONMENT), ("OS:", ENVIRONMENT), ("Docker", ENVIRONMENT), ("docker", ENVIRONMENT), ("/workspace", ENVIRONMENT),
    ("kubernetes", ENVIRONMENT), (":\\", ENVIRONMENT), ("MIG", ENVIRONMENT), ("NVRM", ENVIRONMENT), ("nvidia-smi", ENVIRONMENT), ("shm", ENVIRONMENT), ("Mem:", ENVIRONMENT),

    ("python", COMMAND), ("torchrun", COMMAND), ("accelerate launch", COMMAND), ("deepspeed ", COMMAND), ("vllm serve", COMMAND), ("batch", COMMAND), ("Batch", COMMAND), ("recision", COMMAND), ("num_workers", COMMAND), ("num-workers", COMMAND), ("fp16", COMMAND), ("bf16", COMMAND), ("workers", COMMAND), ("devices", COMMAND),
    ("dtype", COMMAND), ("strategy", COMMAND), ("accumul", COMMAND), ("export ", COMMAND), ("CUDA_", COMMAND), ("PYTORCH_", COMMAND), ("NCCL_", COMMAND), ("TF_", COMMAND), ("XLA_", COMMAND), ("LD_LIBRARY_PATH", COMMAND), ("LD_PRELOAD", COMMAND), ("TORCH_", COMMAND), ("OMP_NUM", COMMAND), ("docker run", COMMAND),

    ("poch", PROGRESS), ("it/s", PROGRESS), ("s/it", PROGRESS), ("/step", PROGRESS), ("step", PROGRESS), ("Step", PROGRESS), ("iter", PROGRESS), ("Iter", PROGRESS), ("loss", PROGRESS), ("Sanity Check", PROGRESS), ("alidat", PROGRESS), ("━", PROGRESS),

    ("CUDA_LAUNCH_BLOCKING=1", ADVICE), ("might be asynchronously reported", ADVICE), ("TORCH_USE_CUDA_DSA", ADVICE), ("Search for `", ADVICE), ("To get detailed traceback", ADVICE), ("see: https://pytorch.org", ADVICE), ("TRACEBACK_FILTERING", ADVICE),
    ("JAX-internal frames", ADVICE), ("original exception that occurred, unmodified", ADVICE), ("Hint: ", ADVICE), ("hint: ", ADVICE), ("HINT: ", ADVICE), ("TORCHDYNAMO_VERBOSE", ADVICE), ("suppress this exception and fall back", ADVICE), ("suppress_errors", ADVICE), ("raise_on_backend_error", ADVICE), ("lease make sure", ADVICE), ("lease ensure", ADVICE),
    ("See documentation for", ADVICE), ("HYDRA_FULL_ERROR", ADVICE), ("set_detect_anomaly", ADVICE), ("RUST_BACKTRACE", ADVICE), ("Due to the asynchronous nature of CUDA", ADVICE), ("To avoid data inconsistency", ADVICE), ("ADVICE", ADVICE),
];

/// The literals that the vendors' own vocabulary gives.
fn of_vendor(vendor: &'static Vendor) -> Vec<(&'static str, Topics)> {
    let codes = &vendor.codes;
    let mut all: Vec<(&str, Topics)> = Vec::new();
    all.extend(codes.families.iter().map(|family| (family.prefix.trim_end_matches('_'), CODES)));
    all.extend(codes.literals.iter().map(|literal| (literal.as_str(), CODES)));
    all.extend(vendor.sentences.all.iter().filter(|(.., general)| !general).map(|(text, ..)| (text.as_str(), CODES)));
    all.extend(vendor.gpus.starts.iter().map(|start| (start.trim_end(), ENVIRONMENT)));
    all.extend(vendor.tools.iter().map(|tool| (tool.prefix.as_str(), FRAMEWORK)));
    all.extend(vendor.kernel_log.modules.iter().map(|module| (module.as_str(), KERNEL)));
    all.push((vendor.kernel_log.prefix.trim_end_matches([':', ' ']), KERNEL));
    all.retain(|(literal, _)| !literal.is_empty());
    all
}

static TRIGGERS: LazyLock<Vec<(&str, Topics)>> =
    LazyLock::new(|| LITERALS.iter().copied().chain(vendors::all().iter().flat_map(of_vendor)).collect());

static AUTOMATON: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::ContiguousNFA))
        .build(TRIGGERS.iter().map(|(literal, _)| literal))
        .ok()
});

/// The topics of every line.
pub(crate) fn mark(transcript: &Transcript) -> Vec<Topics> {
    let mut marks = vec![0; transcript.len()];
    let Some(automaton) = AUTOMATON.as_ref() else { return vec![Topics::MAX; transcript.len()] };
    let mut line = 0;
    let mut end = if marks.is_empty() { 0 } else { transcript.range_of(0).end };
    for found in automaton.find_overlapping_iter(transcript.text()) {
        // Matches arrive in the order of their ends, so the line only moves forward.
        while found.end() > end && line + 1 < marks.len() {
            line += 1;
            end = transcript.range_of(line).end;
        }
        if let Some((_, topics)) = TRIGGERS.get(found.pattern().as_usize()) {
            marks[line] |= topics;
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_gets_its_own_topics() {
        let marks = mark(&crate::text::read(b"plain\nTraceback (most recent call last):\n\nNCCL WARN x\n"));
        assert_eq!(marks[0], 0);
        assert_eq!(marks[1] & PYTHON, PYTHON);
        assert_eq!(marks[2], 0);
        assert_eq!(marks[3] & NCCL, NCCL);
    }
}
