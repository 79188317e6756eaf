//! One stream of the child and where its bytes go.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{ChildStderr, ChildStdout};

use pty_process::blocking::Pty;

use super::Stream;
use super::writer::Writer;

/// Most bytes passed on at a time. A pty gives at most 4 KiB with each read; several of those are passed on with one
/// write.
pub(super) const CHUNK: usize = 16 * 1024;

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

/// The result of one attempt to pass bytes on.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// Something was passed on.
    Passed,
    /// Nothing was there.
    Nothing,
    /// The stream has no writer or no reader any more.
    Ended,
}

/// Passes one chunk from the child on to where it belongs, and shows it to the reader.
pub(super) fn pass(
    source: &mut Source,
    stream: Stream,
    buffer: &mut [u8],
    to: &Writer,
    read: &mut dyn FnMut(Stream, &[u8]),
) -> Turn {
    let (count, ended) = fill(source, buffer);
    if count == 0 {
        return if ended { Turn::Ended } else { Turn::Nothing };
    }
    let bytes = buffer.get(..count).unwrap_or_default();
    let taken = to.write(stream, bytes);
    read(stream, bytes);
    // Where the reader of this stream is gone, the child learns it the way it would have, by a closed pipe.
    if ended || !taken { Turn::Ended } else { Turn::Passed }
}

/// Takes what is there without waiting: how many bytes, and whether that was the end.
fn fill(source: &mut Source, buffer: &mut [u8]) -> (usize, bool) {
    let mut count = 0;
    while let Some(room @ [_, ..]) = buffer.get_mut(count..) {
        match source.read(room) {
            Ok(0) => return (count, true),
            Ok(more) => count += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            // Linux returns EIO for a pty whose other end is closed.
            Err(_) => return (count, true),
        }
        // A pipe would wait for more.
        if !matches!(source, Source::Pty(_)) {
            break;
        }
    }
    (count, false)
}
