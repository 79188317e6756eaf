//! Job control of this process: whether it may use its terminal, and whether anything could continue it after a stop.
//!
//! In a container or a sandbox the shell may be outside of our PID namespace; the kernel then gives its group and its
//! session the number 0, which is why these four questions go to nix: rustix assumes that 0 is impossible. Two numbers
//! 0 count as the same group or session.

use std::os::fd::AsFd;

use nix::unistd::{getpgid, getpgrp, getppid, getsid, tcgetpgrp};

/// Whether this process may use the terminal.
pub(super) fn has_foreground(terminal: impl AsFd) -> bool {
    tcgetpgrp(terminal) == Ok(getpgrp())
}

/// Whether nothing in our session could continue us after a stop: no shell with job control is our parent.
pub(super) fn is_orphaned() -> bool {
    let parent = getppid();
    // 0 is a parent outside, and would mean ourselves below.
    parent.as_raw() == 0 || getsid(Some(parent)) != getsid(None) || getpgid(Some(parent)) == Ok(getpgrp())
}
