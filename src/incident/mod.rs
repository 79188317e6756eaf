//! What a transcript says: errors with their chains, frames, codes and ranks, and facts. Never fails.
//!
//! The parsers only read; which error is the root is decided in `diagnose`. A parser that does not understand a line
//! leaves it alone: unknown lines stay text. The surprising thing: source lines that a traceback quotes are marked as
//! [`Role::Code`], so that `raise RuntimeError("CUDA out of memory")` is not taken for an out-of-memory error.

pub mod command;

use std::ops::Range;

use crate::facts::Facts;
use crate::transcript::Transcript;

/// What a line of the transcript is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Anything not understood better.
    Text,
    /// A line that heads or ends an error: exception line, abort line, error status line.
    Error,
    /// "Traceback (most recent call last):" and the sentences between chained tracebacks.
    Header,
    /// A stack frame.
    Frame,
    /// Source code or local variables quoted by a traceback: never evidence.
    Code,
    /// Advice that a library prints with an error: never evidence.
    Advice,
    /// A report on something that was not run or not an error: skipped tests, pip listings, help texts.
    Quiet,
}

/// What kind of text an error was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A Python exception with or without its traceback.
    Python,
    /// `terminate called`, glog FATAL, `what():`, ggml abort, an assertion of native code.
    Native,
    /// A signal or `Fatal Python error`.
    Signal,
    /// One assertion line of a device-side assert (several equal ones are one error).
    DeviceAssert,
    /// A status or log line at error level: TensorFlow, XLA, ONNX Runtime, glog E, vLLM, CUDA error-check macros.
    Status,
    /// An `NCCL WARN` line or a watchdog line of a collective.
    Collective,
    /// What a launcher or shell says about a process that died: torchrun's summary, exit codes, `Killed`.
    Launcher,
    /// A line of the kernel log: NVRM, Xid, oom-kill.
    Kernel,
    /// A tool's own short message: nvidia-smi, docker, nvcc, the loader.
    Tool,
}

/// How an error came to be printed after another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Link {
    /// "During handling of the above exception, another exception occurred".
    During,
    /// "The above exception was the direct cause of the following exception".
    Cause,
    /// A member of an exception group.
    Member,
    /// The same exception, re-raised in another process or told again by a wrapper ("Original Traceback").
    Retold,
}

/// One stack frame, outermost first in [`ErrorEvent::frames`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The file as written, backslashes kept.
    pub file: String,
    /// The line number in that file, 0 when the frame has none.
    pub line: u32,
    /// The function, empty when unknown.
    pub function: String,
    /// Index of the transcript line that shows the frame.
    pub at: usize,
}

impl Frame {
    /// Whether the frame is the user's own code rather than an installed package, the standard library or a launcher.
    pub fn is_own(&self) -> bool {
        let file = self.file.replace('\\', "/");
        !(file.contains("/site-packages/")
            || file.contains("/dist-packages/")
            || file.contains("/lib/python")
            || file.contains("/Lib/")
            || file.starts_with('<')
            || file.contains("/torch/csrc/"))
    }
}

/// A status code of a vendor library, however it was spelled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    /// The enum name, or the number in decimal when only that was printed.
    pub name: String,
    /// Index of the transcript line.
    pub at: usize,
}

/// One error that the text reports.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorEvent {
    /// What it was read from.
    pub kind: Kind,
    /// The exception type (`torch.OutOfMemoryError`), signal (`SIGBUS`) or status word; empty when the text names none.
    pub type_name: String,
    /// The message, several lines joined by `\n`, without advice.
    pub message: String,
    /// Index of the transcript line with the type or the message's first words.
    pub headline: usize,
    /// Transcript lines it covers; lines of other streams in between do not belong to it.
    pub lines: Range<usize>,
    /// Stack, outermost first.
    pub frames: Vec<Frame>,
    /// The error in the same list that this one followed, and how.
    pub follows: Option<(usize, Link)>,
    /// Status codes named in it.
    pub codes: Vec<Code>,
    /// The writer's rank.
    pub rank: Option<u32>,
    /// Index into [`Transcript::streams`].
    pub stream: usize,
    /// Seconds on the transcript's clock.
    pub time: Option<f64>,
    /// Whether the process (or the step) ended here; false for warnings and errors that the run survives.
    pub fatal: bool,
}

/// All that a text says.
#[derive(Debug, Clone, Default)]
pub struct Incident {
    /// Errors in order of appearance.
    pub errors: Vec<ErrorEvent>,
    /// One role per line of the transcript.
    pub roles: Vec<Role>,
    /// Facts found in the text.
    pub facts: Facts,
    /// Command lines that the text shows.
    pub commands: Vec<command::CommandLine>,
}

/// Reads a transcript.
pub fn read(transcript: &Transcript) -> Incident {
    Incident {
        errors: Vec::new(),
        roles: vec![Role::Text; transcript.len()],
        facts: Facts::default(),
        commands: Vec::new(),
    }
}
