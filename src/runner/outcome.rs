//! How a command ended, in a shell's terms.

use std::io;
use std::process::ExitStatus;

use crate::hint::Hint;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The exit code; 128+n for signal n.
    pub code: u8,
    /// The signal that killed it.
    pub signal: Option<i32>,
    /// Whether this process was asked to end (Ctrl-C without a pty, SIGTERM, SIGHUP) while the command ran.
    pub interrupted: bool,
    /// Whether a reader of its output left before its end, as `| head` does.
    pub unread: bool,
}

impl Outcome {
    /// Translates the system's status.
    pub(super) fn of(status: ExitStatus, interrupted: bool, unread: bool) -> Self {
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            let code = u8::try_from(128 + signal).unwrap_or(u8::MAX);
            return Self { code, signal: Some(signal), interrupted, unread };
        }
        // Windows has codes of 32 bits; whatever does not fit stays a failure.
        let code = status.code().map_or(1, |code| u8::try_from(code).unwrap_or(u8::MAX));
        Self { code, signal: None, interrupted, unread }
    }

    /// Whether the command did what it should.
    pub(crate) fn is_success(self) -> bool {
        self.code == 0
    }

    /// Whether it was ended on purpose: an interrupt is not a crash, nor is a reader that has seen enough.
    pub(crate) fn was_stopped(self) -> bool {
        /// SIGINT and SIGPIPE, as signals and as the codes of programs that hand them on.
        const INTERRUPT: i32 = 2;
        const PIPE: i32 = 13;
        let ended_by = |signal| self.signal == Some(signal) || i32::from(self.code) == 128 + signal;
        self.interrupted || ended_by(INTERRUPT) || self.unread && ended_by(PIPE)
    }

    /// In words: "exit code 1", "signal 11 (SIGSEGV)".
    pub(crate) fn describe(self) -> String {
        let number = self.signal.or_else(|| (129..=159).contains(&self.code).then(|| i32::from(self.code) - 128));
        match number {
            Some(number) => format!("signal {number}{}", name(number).map_or(String::new(), |n| format!(" ({n})"))),
            None => format!("exit code {}", self.code),
        }
    }
}

/// The name of a signal whose number is the same on every unix that trains models.
fn name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        #[cfg(target_os = "linux")]
        7 => "SIGBUS",
        _ => return None,
    })
}

/// Why a command could not be run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The command could not be started.
    #[error("could not start `{program}`")]
    Start {
        /// Its name.
        program: String,
        /// The system's error.
        #[source]
        source: io::Error,
    },
    /// The system provided no pty, pipe or signal handler.
    #[error("could not watch the command: {what}")]
    Watch {
        /// What was not provided.
        what: &'static str,
        /// The system's error.
        #[source]
        source: io::Error,
    },
}

impl Error {
    /// The exit code that `env` and every shell use: 127 for a command that does not exist, 126 for one that cannot
    /// be run, 125 if the wrapper itself failed.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Error::Start { source, .. } if source.kind() == io::ErrorKind::NotFound => 127,
            Error::Start { .. } => 126,
            Error::Watch { .. } => 125,
        }
    }
}

impl Hint for Error {
    fn hint(&self) -> Option<String> {
        match self {
            Error::Start { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                Some("aliases and shell functions need a shell: `faultbook run -- bash -ic '...'`".to_owned())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_in_words() {
        let of = |code, signal| Outcome { code, signal, interrupted: false, unread: false };
        for (outcome, says, stopped) in [
            (of(1, None), "exit code 1", false),
            (of(139, Some(11)), "signal 11 (SIGSEGV)", false),
            (of(137, None), "signal 9 (SIGKILL)", false),
            (of(130, None), "signal 2 (SIGINT)", true),
            (of(143, Some(15)), "signal 15 (SIGTERM)", false),
            (of(255, None), "exit code 255", false),
        ] {
            assert_eq!((outcome.describe().as_str(), outcome.was_stopped()), (says, stopped));
        }
        // Whose reader left, and whose did not.
        assert!(Outcome { unread: true, ..of(141, Some(13)) }.was_stopped() && !of(141, Some(13)).was_stopped());
        assert!(!Outcome { unread: true, ..of(1, None) }.was_stopped());
    }
}
