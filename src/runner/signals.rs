//! Signals sent to this process while a command runs, as something that can be polled.
//!
//! They are kept from their usual effect for as long as the value lives; the child never sees the handlers, since
//! `exec` resets them.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use rustix::process::Signal;
use signal_hook::consts::{SIGCHLD, SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGUSR1, SIGUSR2, SIGWINCH};
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::SignalOnly;

/// The signals that are passed on to a command or its terminal.
pub(super) struct Signals(SignalDelivery<UnixStream, SignalOnly>);

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrived {
    /// A child changed its state.
    Child,
    /// The window has another size.
    Window,
    /// Ctrl-Z.
    Pause,
    /// Continued after a stop.
    Resume,
    /// A key of the terminal, or `kill`: SIGINT, SIGQUIT.
    Key(Signal),
    /// A request to end: SIGTERM, SIGHUP.
    End(Signal),
    /// Anything for the command to understand: SIGUSR1 saves a checkpoint under Slurm.
    Other(Signal),
}

impl Signals {
    /// Begins to listen.
    pub(super) fn listen() -> io::Result<Self> {
        let (read, write) = UnixStream::pair()?;
        let all = [SIGCHLD, SIGWINCH, SIGTSTP, SIGCONT, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2];
        Ok(Self(SignalDelivery::with_pipe(read, write, SignalOnly, all)?))
    }

    /// What came since the last call.
    pub(super) fn arrived(&mut self) -> Vec<Arrived> {
        self.0.pending().filter_map(meaning).collect()
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.get_read().as_fd()
    }
}

fn meaning(number: i32) -> Option<Arrived> {
    Some(match number {
        SIGCHLD => Arrived::Child,
        SIGWINCH => Arrived::Window,
        SIGTSTP => Arrived::Pause,
        SIGCONT => Arrived::Resume,
        SIGINT => Arrived::Key(Signal::INT),
        SIGQUIT => Arrived::Key(Signal::QUIT),
        SIGTERM => Arrived::End(Signal::TERM),
        SIGHUP => Arrived::End(Signal::HUP),
        SIGUSR1 => Arrived::Other(Signal::USR1),
        SIGUSR2 => Arrived::Other(Signal::USR2),
        _ => return None,
    })
}
