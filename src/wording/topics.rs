//! Topics of lines: what a line may be about, as a set of bits. `build.rs` includes this file by path.

/// A set of topics.
pub type Topics = u32;

/// Tracebacks, exception lines and the sentences between them.
pub const PYTHON: Topics = 1;
/// Aborts, signals, assertions and stacks of native code.
pub const NATIVE: Topics = 1 << 1;
/// Names, numbers and sentences of vendors' status codes.
pub const CODES: Topics = 1 << 2;
/// Numbers about memory.
pub const MEMORY: Topics = 1 << 3;
/// Collectives.
pub const NCCL: Topics = 1 << 4;
/// Reports of launchers and shells.
pub const LAUNCHER: Topics = 1 << 5;
/// The kernel log.
pub const KERNEL: Topics = 1 << 6;
/// Status lines of frameworks and messages of tools.
pub const FRAMEWORK: Topics = 1 << 7;
/// Versions, devices, machines.
pub const ENVIRONMENT: Topics = 1 << 8;
/// Commands and settings.
pub const COMMAND: Topics = 1 << 9;
/// Progress of a run.
pub const PROGRESS: Topics = 1 << 10;
/// Advice printed by libraries.
pub const ADVICE: Topics = 1 << 11;
/// Sections of pytest.
pub const PYTEST: Topics = 1 << 12;
/// Names and capabilities of GPUs.
pub const GPUS: Topics = 1 << 13;
/// What libraries were built for.
pub const BUILDS: Topics = 1 << 14;
/// Architectures that builds target.
pub const ARCHITECTURES: Topics = 1 << 15;
/// Libraries that could not be loaded.
pub const LOADING: Topics = 1 << 16;
/// Traces of frameworks at work.
pub const CLIENTS: Topics = 1 << 17;
/// Operating systems and containers.
pub const SYSTEM: Topics = 1 << 18;
/// Paths that show versions.
pub const PATHS: Topics = 1 << 19;

/// The names of topics in `kb/wording/alarms.toml`.
pub const NAMES: [(&str, Topics); 20] = [
    ("python", PYTHON),
    ("native", NATIVE),
    ("codes", CODES),
    ("memory", MEMORY),
    ("nccl", NCCL),
    ("launcher", LAUNCHER),
    ("kernel", KERNEL),
    ("framework", FRAMEWORK),
    ("environment", ENVIRONMENT),
    ("command", COMMAND),
    ("progress", PROGRESS),
    ("advice", ADVICE),
    ("pytest", PYTEST),
    ("gpus", GPUS),
    ("builds", BUILDS),
    ("architectures", ARCHITECTURES),
    ("loading", LOADING),
    ("clients", CLIENTS),
    ("system", SYSTEM),
    ("paths", PATHS),
];
