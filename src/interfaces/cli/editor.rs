//! The user's editor.

use std::path::Path;
use std::process::Command;

use super::failure::{Failure, Result};

/// Opens a file in the user's editor and waits.
pub(crate) fn edit(path: &Path) -> Result<()> {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let Some(editor) = set("VISUAL").or_else(|| set("EDITOR")) else {
        return Err(Failure::new("there is no editor to open the report in").hint("set $VISUAL or $EDITOR"));
    };
    // An editor may have options: `code --wait`.
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or("vi");
    let ended = Command::new(program).args(words).arg(path).status();
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failure::new(format!("the editor `{editor}` failed ({status})"))),
        Err(error) => Err(Failure::new(format!("could not start the editor `{editor}`: {error}"))),
    }
}
