//! Long output through the user's pager: FAULTBOOK_PAGER, else PAGER, else `less`; only on a terminal.

use std::env;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Hands the text to the pager; `false` where there is none or it could not be started.
pub(super) fn show(text: &str) -> bool {
    let chosen = ["FAULTBOOK_PAGER", "PAGER"].iter().find_map(|name| env::var(name).ok());
    let pager = chosen.unwrap_or_else(|| "less".to_owned());
    let mut words = pager.split_whitespace();
    let Some(program) = words.next().filter(|program| *program != "cat") else { return false };
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::piped());
    if env::var_os("LESS").is_none() {
        // Leave at once what fits a screen, keep colours, and do not clear the screen at the end.
        command.env("LESS", "FRX");
    }
    let Ok(mut child) = command.spawn() else { return false };
    if let Some(mut stdin) = child.stdin.take() {
        // A pager that is left early has shown what its reader wanted.
        let _ = stdin.write_all(text.as_bytes());
    }
    child.wait().is_ok()
}
