//! Exit codes, for scripts and CI.

use std::process::ExitCode;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// 0: success. `diagnose` found a known fault; `search`, `show`, `list`, `index` found something.
    Found,
    /// 1: nothing found: the text is healthy or its error is not in the book, no hit, no such id.
    None,
    /// 2: the command line is wrong, or an input could not be read.
    Usage,
    /// 3: a bug in Faultbook.
    Internal,
    /// The exit code of the command that `run` ran; 125 to 127 if it could not be run.
    Child(u8),
}

impl Exit {
    /// The number for the shell.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Exit::Found => 0,
            Exit::None => 1,
            Exit::Usage => 2,
            Exit::Internal => 3,
            Exit::Child(code) => code,
        }
    }

    /// The exit code of several answers: any failed input counts first, otherwise one found fault is enough.
    pub(crate) fn of_all(exits: impl IntoIterator<Item = Exit>) -> Exit {
        let (mut all, mut worst) = (Exit::None, None);
        for exit in exits {
            match exit {
                Exit::Found => all = Exit::Found,
                Exit::None => {}
                bad => worst = worst.max(Some(bad)),
            }
        }
        worst.unwrap_or(all)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}

/// For `--help`.
pub(crate) const HELP: &str = "\
Exit codes:
  0  a known fault was named (or something was found)
  1  no known fault was named (or nothing was found)
  2  the command line is wrong, or an input could not be read
  3  a bug in Faultbook
`run` returns the exit code of its command: 128+n for signal n, 127 if there is no such command.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_answers() {
        for (exits, expected) in [
            (vec![], Exit::None),
            (vec![Exit::None, Exit::Found, Exit::None], Exit::Found),
            (vec![Exit::Found, Exit::Usage], Exit::Usage),
            (vec![Exit::Usage, Exit::Internal], Exit::Internal),
        ] {
            assert_eq!(Exit::of_all(exits.clone()), expected, "{exits:?}");
        }
    }

    #[test]
    fn help_names_every_code() {
        for exit in [Exit::Found, Exit::None, Exit::Usage, Exit::Internal] {
            assert!(HELP.contains(&format!("\n  {}  ", exit.code())));
        }
    }
}
