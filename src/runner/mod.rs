//! Runs a command without changing its terminal, streams and signals, and lets an observer read its output.
//!
//! Where our stream is a terminal, the child gets one too (a pty of the same size and settings); where it is a pipe,
//! the child gets a pipe: it decides about colours and progress bars as if it ran alone. Every byte is passed on before
//! anybody reads it, and no escape sequence is parsed here. A child on a pty lives in its own session, so keys such as
//! Ctrl-C and Ctrl-Z reach it as bytes through the pty, not as signals; signals sent to us are forwarded. The leader of
//! that session is this program (`session`): [`lead`] turns a process that was started for it into one.

#[cfg(unix)]
mod jobs;
mod outcome;
#[cfg(not(unix))]
mod plain;
#[cfg(unix)]
mod session;
#[cfg(unix)]
mod signals;
#[cfg(unix)]
mod streams;
#[cfg(unix)]
mod terminal;
#[cfg(unix)]
mod unix;
#[cfg(unix)]
mod writer;

use std::ffi::{OsStr, OsString};

pub(crate) use outcome::{Error, Outcome};
#[cfg(unix)]
pub(crate) use session::lead;

/// Which of the child's streams some bytes came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    /// Standard output; also standard error where both are the same terminal.
    Output,
    /// Standard error, separate from standard output.
    Error,
}

/// Variables that a command gets in addition to ours.
pub(crate) type Environment<'e> = [(&'e str, &'e OsStr)];

/// Runs a command to its end. `read` is given every byte that the command wrote, after it was passed on.
///
/// # Errors
/// When the command cannot be started, or the system provides no pty or pipe.
pub(crate) fn run(
    program: &OsString,
    arguments: &[OsString],
    added: &Environment<'_>,
    read: &mut dyn FnMut(Stream, &[u8]),
) -> Result<Outcome, Error> {
    #[cfg(unix)]
    return unix::run(program, arguments, added, read);
    #[cfg(not(unix))]
    return plain::run(program, arguments, added, read);
}
