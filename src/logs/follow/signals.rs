//! SIGINT and SIGTERM: what was read is told of before the process ends.

use std::fs;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

/// The signals that arrived.
pub(super) struct Signals(Arc<AtomicUsize>);

impl Signals {
    /// Begins to listen. A second signal ends the process at once: whoever reads the answers may not go on.
    pub(super) fn listen() -> Self {
        let (last, is_second) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        for signal in [SIGINT, SIGTERM].into_iter().filter(|signal| !is_ignored(*signal)) {
            let second = Arc::clone(&is_second);
            let ends = match is_first_process() {
                true => flag::register_conditional_shutdown(signal, 128 + signal, second),
                false => flag::register_conditional_default(signal, second),
            };
            // Without handlers, a signal ends the process as it always did.
            let _ = ends
                .and_then(|_| flag::register_usize(signal, Arc::clone(&last), signal.unsigned_abs() as usize))
                .and_then(|_| flag::register(signal, Arc::clone(&is_second)));
        }
        Self(last)
    }

    /// The signal that arrived last.
    pub(super) fn arrived(&self) -> Option<i32> {
        i32::try_from(self.0.load(Ordering::Relaxed)).ok().filter(|signal| *signal != 0)
    }
}

/// Ends this process as the signal would have; the first process of a container, which no signal ends, goes on.
pub(crate) fn repeat(signal: i32) {
    if !is_first_process() {
        let _ = low_level::emulate_default_handler(signal);
    }
}

fn is_first_process() -> bool {
    process::id() == 1
}

/// Whether whoever started this process wanted it to ignore the signal, as a shell does for what runs in the background.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    ignored.is_some_and(|ignored| ignored >> (signal - 1) & 1 == 1)
}
