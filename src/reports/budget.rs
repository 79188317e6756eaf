//! How long the work on one file may take. Whoever wrote it may have found what takes hours: the file is then named and
//! left out, and the others answer. The same holds for one that makes its reader panic.

use std::fs;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Time of the processor for one file. The longest report that is read (4 MiB) takes about a second of a release build.
pub(crate) const PER_FILE: Duration = Duration::from_secs(10);

/// A machine that is busy with other work may take so many times as long by the clock.
const PATIENCE: u32 = 6;

/// As deep as the main thread: what recursion it can bear, this one can bear.
const STACK: usize = 8 << 20;

/// The threads that do the work: their panics cost one file, and are not shown.
pub(crate) const THREAD: &str = "one file";

/// Why a file is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Exceeded {
    /// It takes too long.
    #[error("left out: it takes longer than {} s", .0.as_secs_f32())]
    Time(Duration),
    /// The reader panicked.
    #[error("left out: reading it failed, which is a bug in Faultbook")]
    Panic,
}

/// Does the work on one file in a thread of its own. A thread that takes longer than the limit is not waited for: it
/// ends by itself, or with the process.
///
/// # Errors
/// When the work takes longer than the limit, or panics.
pub(crate) fn within<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Exceeded> {
    let work = Arc::new(Mutex::new(Some(work)));
    let id = Arc::new(OnceLock::new());
    let (send, receive) = mpsc::channel();
    let (its_work, its_id) = (Arc::clone(&work), Arc::clone(&id));
    let spawned = thread::Builder::new().name(THREAD.to_owned()).stack_size(STACK).spawn(move || {
        let _ = its_id.set(own_id());
        let work = its_work.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(work) = work {
            // Nobody may be waiting any more.
            let _ = send.send(work());
        }
    });
    if spawned.is_err() {
        // No more threads on this machine: the answer counts more than the limit.
        let work = work.lock().unwrap_or_else(PoisonError::into_inner).take();
        return work.map(|work| work()).ok_or(Exceeded::Panic);
    }
    let started = Instant::now();
    let mut wait = limit;
    loop {
        match receive.recv_timeout(wait) {
            Ok(done) => return Ok(done),
            Err(RecvTimeoutError::Disconnected) => return Err(Exceeded::Panic),
            Err(RecvTimeoutError::Timeout) => {
                // What the clock shows beyond the limit may be other processes' time.
                let worked = id.get().and_then(Option::as_deref).and_then(processor_time).unwrap_or(limit);
                let patience = (limit * PATIENCE).saturating_sub(started.elapsed());
                wait = limit.saturating_sub(worked).min(patience);
                if wait.is_zero() {
                    return Err(Exceeded::Time(limit));
                }
            }
        }
    }
}

/// What the system calls this thread, where it says.
fn own_id() -> Option<String> {
    let link = fs::read_link("/proc/thread-self").ok()?;
    Some(link.file_name()?.to_str()?.to_owned())
}

/// How long a thread of this process has had a processor, where the system says.
fn processor_time(id: &str) -> Option<Duration> {
    let text = fs::read_to_string(format!("/proc/self/task/{id}/schedstat")).ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(50);

    #[test]
    fn work_ends_in_time_or_is_left_alone() {
        assert_eq!(within(PER_FILE, || 7), Ok(7));
        let endless = || while !std::hint::black_box(false) {};
        // The thread goes on until the tests end.
        assert_eq!(within(SHORT, endless), Err(Exceeded::Time(SHORT)));
    }

    #[test]
    fn who_only_waits_is_not_waited_for_without_end() {
        let (_open, closed) = mpsc::channel::<()>();
        assert_eq!(within(SHORT, move || closed.recv().is_ok()), Err(Exceeded::Time(SHORT)));
    }

    #[test]
    fn a_panic_costs_one_file() {
        assert_eq!(within(PER_FILE, || -> u8 { panic!("of a reader") }), Err(Exceeded::Panic));
    }
}
