//! What a transcript reports: errors with their chains, frames, codes and ranks, and facts. Never fails.
//!
//! The parsers only read; `diagnosis` decides which error is the root. A line that no parser understands stays text.
//! Source lines quoted by a traceback are marked as [`Role::Code`], so that `raise RuntimeError("CUDA out of memory")`
//! is not taken for an out-of-memory error.

mod advice;
mod answer;
mod around;
mod autotuning;
mod codes;
mod columns;
mod command;
mod context;
mod device_assert;
mod documents;
mod environment;
mod failures;
mod frameworks;
pub(crate) mod growth;
mod help;
mod kernel;
mod missing_name;
mod native;
mod nccl;
pub(crate) mod numbers;
mod oom;
mod position;
mod python;
mod readings;
mod remarks;
mod role;
mod shapes;
mod source;
mod stance;
#[cfg(test)]
mod tests;
mod torchrun;
mod triggers;
mod vendors;
mod words;
mod writing;

use std::borrow::Cow;
use std::ops::Range;

use crate::facts::Facts;
use crate::packages::{self, Packages};
use crate::text::{Level, Transcript};
use context::ParserContext;
use triggers::Topics;

pub(crate) use around::{Failure, around};
pub(crate) use columns::no_number;
pub use command::{CommandLine, Form, Override};
pub(crate) use documents::lines_without_evidence;
pub(crate) use environment::{described, run_settings};
pub(crate) use failures::{Meant, counts_none, is_harmless, is_survived, reported, symptom_of_message};
pub(crate) use position::is_step;
pub(crate) use readings::{Readings, Row, Series, readings};
pub(crate) use remarks::{
    Complaint, Description, Post, Title, Told, complaining_sentence, complaint, description, title, told_of,
};
pub use role::Role;
pub(crate) use stance::{Stance, describes_a_change, is_output, may_be_over, went_on};
pub(crate) use words::{contains_folded, find_folded_bytes};
use writing::is_change;
pub(crate) use writing::{is_conditional, is_written};

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
    /// What a launcher or shell reports about a process that died: torchrun's summary, exit codes, `Killed`.
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
    /// The same exception, re-raised in another process or repeated by a wrapper ("Original Traceback").
    Repeated,
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
    pub(crate) fn is_own(&self) -> bool {
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
    pub name: Cow<'static, str>,
    /// The code table that a bare number belongs to (`cublas`), where the text shows it.
    pub library: Option<&'static str>,
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
    pub stream: u32,
    /// Seconds on the transcript's clock.
    pub time: Option<f64>,
    /// Whether the process (or the step) ended here; false for warnings and errors that the run survives.
    pub fatal: bool,
}

/// Everything read from a text.
#[derive(Debug, Clone, Default)]
pub struct Incident {
    /// Errors in order of appearance.
    pub errors: Vec<ErrorEvent>,
    /// One role per line of the transcript.
    pub roles: Vec<Role>,
    /// Facts found in the text.
    pub facts: Facts,
    /// Command lines found in the text, with what they set.
    pub commands: Vec<CommandLine>,
}

/// Data that the parsers need.
struct Lexicon<'l> {
    triggers: &'l triggers::Triggers<'static>,
    packages: &'l Packages,
}

/// Reads a transcript.
pub fn read(transcript: &Transcript) -> Incident {
    read_with(transcript, &Lexicon { triggers: triggers::Triggers::builtin(), packages: packages::builtin() })
}

fn read_with(transcript: &Transcript, lexicon: &Lexicon<'_>) -> Incident {
    let marks = lexicon.triggers.mark(transcript);
    let mut incident = Incident { roles: vec![Role::Text; transcript.len()], ..Incident::default() };
    for (role, document) in incident.roles.iter_mut().zip(documents::lines(transcript)) {
        if document {
            *role = Role::Quiet;
        }
    }
    for (number, stream) in transcript.streams().iter().enumerate() {
        let lines = answer::mark(transcript, &stream.lines, &mut incident.roles);
        let mut context =
            ParserContext::new(transcript, &marks, number, &lines, &mut incident.roles, &mut incident.facts);
        scan(&mut context);
        mark_nonfatal(&mut context);
        let offset = incident.errors.len();
        let mut found = context.errors;
        for error in &mut found {
            error.follows = error.follows.map(|(number, link)| (number + offset, link));
        }
        match offset {
            // Most texts are one stream: its errors are not copied.
            0 => incident.errors = found,
            _ => incident.errors.append(&mut found),
        }
    }
    sort(&mut incident.errors);
    for error in &mut incident.errors {
        codes::fill(error);
        error.message = error.message.trim().to_owned();
    }
    survey(transcript, &marks, lexicon, &mut incident);
    incident
}

/// Walks over one stream, line by line; each parser takes as many lines as it understands.
fn scan(r: &mut ParserContext<'_>) {
    let mut at = 0;
    while at < r.len() {
        // Which facts a line may state says nothing of errors.
        let marks = r.marks(at) & !triggers::READERS;
        let grave = r.prefix(at).is_some_and(|prefix| prefix.level >= Some(Level::Error));
        let document = r.role(at) == Role::Quiet;
        if document || marks == 0 && !grave && !r.in_pytest && r.groups.is_empty() {
            at += 1;
            continue;
        }
        let next = parse(r, at, marks, grave).unwrap_or(at + 1);
        at = next.max(at + 1);
    }
}

/// Tries the parsers in turn, the most specific first.
fn parse(r: &mut ParserContext<'_>, at: usize, marks: Topics, grave: bool) -> Option<usize> {
    if r.text(at).trim().is_empty() {
        return None;
    }
    if r.prefix(at).is_none_or(|prefix| prefix.level.is_none()) && is_written(r.text(at)) {
        r.set(at, Role::Quiet);
        return Some(at + 1);
    }
    if marks & triggers::ADVICE != 0 && advice::is_advice(r.text(at)) {
        r.set(at, Role::Advice);
        return Some(at + 1);
    }
    let has = |topics: Topics| marks & topics != 0;
    let mut next = None;
    if has(triggers::NATIVE) {
        next = device_assert::read(r, at);
    }
    if next.is_none() && has(triggers::KERNEL) {
        next = kernel::read(r, at);
    }
    if next.is_none() && has(triggers::NCCL) {
        next = nccl::read(r, at);
    }
    if next.is_none() && has(triggers::NATIVE) {
        next = native::read(r, at);
    }
    if next.is_none() && (has(triggers::PYTHON | triggers::PYTEST) || r.in_pytest || !r.groups.is_empty()) {
        next = python::read(r, at);
    }
    if next.is_none() && has(triggers::LAUNCHER) {
        next = torchrun::read(r, at);
    }
    if next.is_none() && has(triggers::FRAMEWORK) {
        next = help::read(r, at).or_else(|| autotuning::read(r, at)).or_else(|| frameworks::read(r, at));
    }
    if next.is_none() && has(triggers::CODES) {
        next = codes::report(r, at);
    }
    if next.is_none() && grave {
        next = frameworks::grave(r, at);
    }
    next
}

/// An error did not end the run if the same writer made further steps.
fn mark_nonfatal(r: &mut ParserContext<'_>) {
    /// Other ranks that write into the same stream make a step or two before they notice.
    const STEPS: usize = 4;
    /// Lines between a status and the traceback that it causes.
    const NEAR: usize = 20;
    if r.errors.is_empty() {
        return;
    }
    let steps = position::steps(r);
    let before = |index: usize| steps.partition_point(|&step| step < index);
    for error in &mut r.errors {
        if steps.len() - before(error.lines.end) >= STEPS {
            error.fatal = false;
        }
    }
    // A status line right above the death of the process belongs to it.
    let mut death: Option<usize> = None;
    for error in r.errors.iter_mut().rev() {
        if error.kind == Kind::Status && !error.fatal {
            let near = death.is_some_and(|start| start >= error.lines.end && start - error.lines.end <= NEAR);
            error.fatal = near && steps.len() - before(error.lines.end) < STEPS && r.grave.contains(&error.headline);
        }
        if error.fatal && error.kind != Kind::Status {
            death = Some(error.lines.start);
        }
    }
}

/// Puts the errors of all streams in the order of their headlines and renumbers what follows what.
fn sort(errors: &mut Vec<ErrorEvent>) {
    let mut order: Vec<usize> = (0..errors.len()).collect();
    order.sort_by_key(|&number| errors[number].headline);
    let mut place = vec![0; errors.len()];
    for (new, &old) in order.iter().enumerate() {
        place[old] = new;
    }
    errors.sort_by_key(|error| error.headline);
    for error in errors {
        error.follows = error.follows.and_then(|(number, link)| Some((*place.get(number)?, link)));
    }
}

/// Collects facts from all lines that are not quoted source code, and from the errors.
fn survey(transcript: &Transcript, marks: &[Topics], lexicon: &Lexicon<'_>, incident: &mut Incident) {
    for error in &incident.errors {
        let line = transcript.line(error.headline).number;
        let joined = error.message.replace('\n', " ");
        let topics = lexicon.triggers.topics(&joined);
        if topics & triggers::MEMORY != 0 {
            oom::read(&joined, line, &mut incident.facts);
        }
        if topics & triggers::NCCL != 0 {
            nccl::facts(&joined, line, &mut incident.facts);
        }
        environment::from_error(error, &joined, topics, line, &mut incident.facts);
    }
    // A command inside a message is quoted; it was not run.
    let mut said = vec![false; transcript.len()];
    for error in incident.errors.iter().filter(|error| error.kind == Kind::Python) {
        if let Some(lines) = said.get_mut(error.headline..error.lines.end) {
            lines.fill(true);
        }
    }
    let mut table = environment::Tables::new(lexicon.packages);
    for line in transcript.lines() {
        let (Some(&marks), Some(&role)) = (marks.get(line.index), incident.roles.get(line.index)) else { continue };
        if marks & !triggers::READERS == 0 && !table.open() || matches!(role, Role::Code | Role::Answer) {
            continue;
        }
        let facts = &mut incident.facts;
        if marks & triggers::MEMORY != 0 {
            oom::read(&oom::whole(transcript, &line), line.number, facts);
        }
        if marks & triggers::NCCL != 0 {
            nccl::facts(line.text, line.number, facts);
        }
        let inside = said.get(line.index).copied().unwrap_or(false);
        if marks & triggers::COMMAND != 0 && !inside && role != Role::Advice && role != Role::Frame {
            command::read(transcript, line, facts, &mut incident.commands);
        }
        if (marks & triggers::ENVIRONMENT != 0 || table.open()) && role != Role::Advice {
            let quiet = table.read(line.text, marks, line.number, role, facts);
            if quiet
                && role == Role::Text
                && let Some(slot) = incident.roles.get_mut(line.index)
            {
                *slot = Role::Quiet;
            }
        }
    }
    table.finish(&mut incident.facts);
    remarks::facts(transcript, incident);
    nccl::over_ranks(transcript, incident);
}
