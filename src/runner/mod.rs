//! Runs a command with its terminal, streams and signals untouched, and lets somebody else read along.
//!
//! A stream of ours that is a terminal becomes a terminal of the child too (a pty of the same size and settings), a
//! stream that is none becomes a pipe: the child decides about colours and progress bars as if nobody stood between.
//! Every byte is on its way before anybody looks at it. It refuses to interpret anything: no escape is parsed here. The
//! surprising thing: a child that sits on a pty lives in a session of its own, so keys such as Ctrl-C and Ctrl-Z reach it
//! as bytes through the pty, not as signals through us; signals sent to us are handed on. That session has this very
//! program as its leader (`session`), which [`lead`] makes of a process that was started for it.

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

use std::ffi::OsString;

pub use outcome::{Error, Outcome};
#[cfg(unix)]
pub use session::lead;

/// Which of the child's streams some bytes came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output; also standard error where both are the same terminal.
    Output,
    /// Standard error on a way of its own.
    Error,
}

/// Runs a command to its end. `read` is given every byte that the command wrote, after it was passed on.
///
/// # Errors
/// When the command cannot be started, or the system refuses a pty or a pipe.
pub fn run(program: &OsString, arguments: &[OsString], read: &mut dyn FnMut(Stream, &[u8])) -> Result<Outcome, Error> {
    #[cfg(unix)]
    return unix::run(program, arguments, read);
    #[cfg(not(unix))]
    return plain::run(program, arguments, read);
}
