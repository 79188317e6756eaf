//! Writes what a child wrote to where it belongs, in a thread of its own: while a terminal takes one piece, the next is
//! read, so that the child does not wait for both.
//!
//! What is on its way is bounded: a slow terminal slows the child down as it would without us, and after Ctrl-C little
//! is left to come.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::Stream;

/// Pieces on their way at most; with those of [`super::streams::CHUNK`] some 128 KiB.
const PIECES: usize = 8;

/// The thread, as long as it takes pieces.
pub(super) struct Writer {
    pieces: Option<SyncSender<(Stream, Vec<u8>)>>,
    /// Pieces that are not written yet.
    waiting: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts it.
    pub(super) fn start() -> Self {
        let (send, receive) = sync_channel(PIECES);
        let waiting = Arc::new(AtomicUsize::new(0));
        let left = waiting.clone();
        let thread = thread::spawn(move || work(&receive, &left));
        Self { pieces: Some(send), waiting, thread: Some(thread) }
    }

    /// Hands a piece over, and waits while too many are on their way; `false` when nobody reads our output any more.
    pub(super) fn write(&self, stream: Stream, bytes: &[u8]) -> bool {
        self.waiting.fetch_add(1, Ordering::AcqRel);
        self.pieces.as_ref().is_some_and(|pieces| pieces.send((stream, bytes.to_vec())).is_ok())
    }

    /// Waits until everything is written, or that takes too long.
    pub(super) fn flush(&self, most: Duration) {
        let start = Instant::now();
        let works = || self.thread.as_ref().is_some_and(|thread| !thread.is_finished());
        while self.waiting.load(Ordering::Acquire) > 0 && works() && start.elapsed() < most {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        drop(self.pieces.take());
        if let Some(thread) = self.thread.take() {
            // It ends when everything is written.
            let _ = thread.join();
        }
    }
}

fn work(pieces: &Receiver<(Stream, Vec<u8>)>, waiting: &AtomicUsize) {
    for (stream, bytes) in pieces {
        let written = match stream {
            Stream::Output => write(io::stdout().as_fd(), &bytes),
            Stream::Error => write(io::stderr().as_fd(), &bytes),
        };
        waiting.fetch_sub(1, Ordering::AcqRel);
        if written.is_err() {
            return;
        }
    }
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
