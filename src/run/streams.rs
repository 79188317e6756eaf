//! One stream of the child and where its bytes go.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{ChildStderr, ChildStdout};
use std::time::Duration;

use pty_process::blocking::Pty;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::Stream;

/// Most bytes passed on at a time: what a Linux pipe holds. A pty gives at most 4 KiB with each read; several of those
/// go on with one write.
pub(super) const CHUNK: usize = 64 * 1024;

/// How long more bytes are waited for when they come in a stream. Shorter than anybody can see.
const SOON: Duration = Duration::from_millis(1);

/// The reading end of something the child writes to.
pub(super) enum Source {
    /// A pipe.
    Output(ChildStdout),
    /// A pipe.
    Error(ChildStderr),
    /// A duplicate of the pty's controlling end.
    Pty(std::fs::File),
}

impl Source {
    /// The pty's output.
    pub(super) fn of_pty(pty: &Pty) -> io::Result<Self> {
        Ok(Self::Pty(std::fs::File::from(pty.as_fd().try_clone_to_owned()?)))
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Source::Output(pipe) => pipe.read(buffer),
            Source::Error(pipe) => pipe.read(buffer),
            Source::Pty(pty) => pty.read(buffer),
        }
    }
}

impl AsFd for Source {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Source::Output(pipe) => pipe.as_fd(),
            Source::Error(pipe) => pipe.as_fd(),
            Source::Pty(pty) => pty.as_fd(),
        }
    }
}

/// What one turn of passing on came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// Something was passed on.
    Passed,
    /// Nothing was there.
    Nothing,
    /// Nobody will write any more, or nobody reads any more.
    Ended,
}

/// Passes one chunk from the child to where it belongs, then shows it to the reader. From a child that is `busy` writing
/// a little more is waited for, so that it goes on in few large pieces.
pub(super) fn pass(
    source: &mut Source,
    stream: Stream,
    buffer: &mut [u8],
    busy: bool,
    read: &mut dyn FnMut(Stream, &[u8]),
) -> Turn {
    let (count, ended) = fill(source, buffer, busy);
    if count == 0 {
        return if ended { Turn::Ended } else { Turn::Nothing };
    }
    let bytes = buffer.get(..count).unwrap_or_default();
    let written = match stream {
        Stream::Output => write(io::stdout().as_fd(), bytes),
        Stream::Error => write(io::stderr().as_fd(), bytes),
    };
    read(stream, bytes);
    match written {
        Ok(()) if ended => Turn::Ended,
        Ok(()) => Turn::Passed,
        // The reader of our output is gone: the child learns it the way it would have, by a closed pipe.
        Err(_) => Turn::Ended,
    }
}

/// Takes what is there, and from a `busy` child what comes within [`SOON`]: how many bytes, and whether that was the
/// end.
fn fill(source: &mut Source, buffer: &mut [u8], busy: bool) -> (usize, bool) {
    let mut count = 0;
    while let Some(room @ [_, ..]) = buffer.get_mut(count..) {
        match source.read(room) {
            Ok(0) => return (count, true),
            Ok(more) => count += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let soon = if busy && count > 0 { Timespec::try_from(SOON).ok() } else { None };
                match soon.map(|soon| poll(&mut [PollFd::new(source, PollFlags::IN)], Some(&soon))) {
                    Some(Ok(1)) => continue,
                    _ => break,
                }
            }
            // Linux says EIO for a pty whose other end is closed.
            Err(_) => return (count, true),
        }
        // A pipe would wait for more.
        if !matches!(source, Source::Pty(_)) {
            break;
        }
    }
    (count, false)
}

/// Writes everything now: a progress bar has no line end to wait for.
fn write(to: BorrowedFd<'_>, bytes: &[u8]) -> rustix::io::Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        match rustix::io::write(to, rest) {
            Ok(count) => rest = rest.get(count..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            // Somebody left our standard output in non-blocking mode.
            Err(Errno::AGAIN) => {
                poll(&mut [PollFd::from_borrowed_fd(to, PollFlags::OUT)], None)?;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
