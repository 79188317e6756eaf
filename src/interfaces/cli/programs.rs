//! Programs that the user names in variables such as PAGER and EDITOR: with options, quoted as in a shell.

use std::ffi::OsStr;
use std::process::Command;

/// What a shell exits with that could not start the program.
const NOT_STARTED: [i32; 2] = [126, 127];

/// The command that a variable's value means, with further arguments: git, too, hands such values to the shell. `None` for an
/// empty value.
pub(super) fn command<'a>(line: &str, arguments: impl IntoIterator<Item = &'a OsStr>) -> Option<Command> {
    let mut words = line.split_whitespace();
    let program = words.next()?;
    let mut command = if cfg!(unix) {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{line} \"$@\""), program]);
        command
    } else {
        let mut command = Command::new(program);
        command.args(words);
        command
    };
    command.args(arguments);
    Some(command)
}

/// Whether a command of [`command`] ran at all.
pub(super) fn ran(code: Option<i32>) -> bool {
    !(cfg!(unix) && code.is_some_and(|code| NOT_STARTED.contains(&code)))
}
