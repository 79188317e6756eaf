//! Our terminal: its size, its settings, and raw mode while the child runs on a pty.
//!
//! Raw mode is left when the value is dropped, whatever happened. In the background nothing is changed: touching a
//! terminal from there would stop this process.

use std::io;
use std::os::fd::BorrowedFd;

use pty_process::blocking::{Pts, Pty};
use rustix::termios::{self, OptionalActions, OutputModes, Termios};

use super::jobs::has_foreground;

/// Our terminal while keys go to a child.
pub(super) struct Keyboard<'fd> {
    fd: BorrowedFd<'fd>,
    usual: Termios,
    raw: bool,
    /// Whether the child alone writes to the terminal; what others write needs its line ends translated.
    alone: bool,
}

impl<'fd> Keyboard<'fd> {
    /// Takes over the keys of a terminal; `None` if `fd` is not one.
    pub(super) fn take(fd: BorrowedFd<'fd>, alone: bool) -> Option<Self> {
        let usual = termios::tcgetattr(fd).ok()?;
        let mut keyboard = Self { fd, usual, raw: false, alone };
        keyboard.enter();
        Some(keyboard)
    }

    /// Goes into raw mode when this process has the foreground; also after a pause.
    pub(super) fn enter(&mut self) {
        if self.raw || !has_foreground(self.fd) {
            return;
        }
        let mut raw = self.usual.clone();
        raw.make_raw();
        if !self.alone {
            raw.output_modes = self.usual.output_modes;
        }
        self.raw = termios::tcsetattr(self.fd, OptionalActions::Now, &raw).is_ok();
    }

    /// Restores the terminal's settings.
    pub(super) fn leave(&mut self) {
        if self.raw && has_foreground(self.fd) {
            // A terminal that is gone needs no settings.
            let _ = termios::tcsetattr(self.fd, OptionalActions::Now, &self.usual);
            self.raw = false;
        }
    }

    /// Whether keys come to us.
    pub(super) fn is_raw(&self) -> bool {
        self.raw
    }

    /// Where the keys come from.
    pub(super) fn fd(&self) -> BorrowedFd<'fd> {
        self.fd
    }
}

impl Drop for Keyboard<'_> {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Gives a new pty the settings of the terminal `fd`. Line ends are translated once: by the pty when the child is
/// `alone` on our terminal, which then is raw, else by our terminal.
pub(super) fn copy(fd: BorrowedFd<'_>, pty: &Pty, pts: &Pts, alone: bool) {
    // A pty with usual settings is better than none.
    if let Ok(mut settings) = termios::tcgetattr(fd) {
        if !alone {
            settings.output_modes.remove(OutputModes::OPOST);
        }
        let _ = termios::tcsetattr(pts, OptionalActions::Now, &settings);
    }
    let _ = resize(fd, pty);
}

/// Gives a pty the size of the terminal `fd`.
pub(super) fn resize(fd: BorrowedFd<'_>, pty: &Pty) -> io::Result<()> {
    Ok(termios::tcsetwinsize(pty, termios::tcgetwinsize(fd)?)?)
}
