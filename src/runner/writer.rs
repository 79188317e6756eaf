//! Writes what a child wrote to where it belongs, on another thread: while a terminal takes one piece, the next is
//! read, so that the child does not wait for both.
//!
//! What is on its way is bounded: a slow terminal slows the child down as it would without us, and after Ctrl-C little
//! is left to come. A reader that leaves one of our streams, as `| head` does, takes nothing from the other.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
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
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// What both sides look at.
#[derive(Debug, Default)]
struct Shared {
    /// Pieces that are not written yet.
    waiting: AtomicUsize,
    /// Streams without a reader.
    left: [AtomicBool; 2],
}

impl Shared {
    fn left(&self, stream: Stream) -> &AtomicBool {
        let [output, error] = &self.left;
        match stream {
            Stream::Output => output,
            Stream::Error => error,
        }
    }
}

impl Writer {
    /// Starts it.
    pub(super) fn start() -> Self {
        let (send, receive) = sync_channel(PIECES);
        let shared = Arc::new(Shared::default());
        let theirs = shared.clone();
        let thread = thread::spawn(move || work(&receive, &theirs));
        Self { pieces: Some(send), shared, thread: Some(thread) }
    }

    /// Hands a piece over, and waits while too many are on their way; `false` if that stream has no reader any more.
    pub(super) fn write(&self, stream: Stream, bytes: &[u8]) -> bool {
        self.shared.waiting.fetch_add(1, Ordering::AcqRel);
        let taken = self.pieces.as_ref().is_some_and(|pieces| pieces.send((stream, bytes.to_vec())).is_ok());
        taken && !self.shared.left(stream).load(Ordering::Acquire)
    }

    /// Whether a reader of our output left before its end.
    pub(super) fn was_left(&self) -> bool {
        self.shared.left.iter().any(|left| left.load(Ordering::Acquire))
    }

    /// Waits until everything is written, or that takes too long.
    pub(super) fn flush(&self, most: Duration) {
        let start = Instant::now();
        let works = || self.thread.as_ref().is_some_and(|thread| !thread.is_finished());
        while self.shared.waiting.load(Ordering::Acquire) > 0 && works() && start.elapsed() < most {
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

fn work(pieces: &Receiver<(Stream, Vec<u8>)>, shared: &Shared) {
    for (stream, bytes) in pieces {
        let left = shared.left(stream);
        if !left.load(Ordering::Relaxed) {
            let written = match stream {
                Stream::Output => write(io::stdout().as_fd(), &bytes),
                Stream::Error => write(io::stderr().as_fd(), &bytes),
            };
            left.store(written.is_err(), Ordering::Release);
        }
        shared.waiting.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Writes everything now: a progress bar has no line end to wait for.
fn write(to: BorrowedFd<'_>, bytes: &[u8]) -> rustix::io::Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        match rustix::io::write(to, rest) {
            Ok(count) => rest = rest.get(count..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            // Another process left our standard output in non-blocking mode.
            Err(Errno::AGAIN) => {
                poll(&mut [PollFd::from_borrowed_fd(to, PollFlags::OUT)], None)?;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
