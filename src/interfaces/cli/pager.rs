//! Long output through the user's pager: FAULTBOOK_PAGER, else PAGER, else `less`; only on a terminal.

use std::env;
use std::io::Write as _;
use std::process::{Command, Stdio};

use super::programs;
use crate::render::safe::Safe;

/// Hands the text to the pager; `false` where there is none or it could not be started.
pub(super) fn show(text: &Safe<'_>) -> bool {
    let chosen = ["FAULTBOOK_PAGER", "PAGER"].iter().find_map(|name| env::var(name).ok());
    let command = match chosen.as_deref().map(str::trim) {
        Some("cat") => None,
        Some(pager) => programs::command(pager, []),
        None => Some(Command::new("less")),
    };
    let Some(mut command) = command else { return false };
    command.stdin(Stdio::piped());
    if env::var_os("LESS").is_none() {
        // Leave at once what fits a screen, keep colours, and do not clear the screen at the end.
        command.env("LESS", "FRX");
    }
    let Ok(mut child) = command.spawn() else { return false };
    if let Some(mut stdin) = child.stdin.take() {
        // A pager that is left early has shown what its reader wanted.
        let _ = stdin.write_all(text.as_str().as_bytes());
    }
    child.wait().is_ok_and(|status| programs::ran(status.code()))
}
