//! The user's editor.

use std::path::Path;

use super::failure::{Failure, Result};
use super::programs;

/// Opens a file in the user's editor and waits.
pub(crate) fn edit(path: &Path) -> Result<()> {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let Some(editor) = set("VISUAL").or_else(|| set("EDITOR")) else {
        return Err(Failure::new("no editor is set for opening the report").hint("set $VISUAL or $EDITOR"));
    };
    let not_started = |why: &str| Failure::new(format!("could not start the editor `{editor}`{why}"));
    // The variable may contain options: `code --wait`.
    let ended = programs::command(&editor, [path.as_os_str()]).map(|mut command| command.status());
    match ended {
        Some(Ok(status)) if status.success() => Ok(()),
        Some(Ok(status)) if !programs::ran(status.code()) => Err(not_started("")),
        Some(Ok(status)) => Err(Failure::new(format!("the editor `{editor}` failed ({status})"))),
        Some(Err(error)) => Err(not_started(&format!(": {error}"))),
        None => Err(not_started("")),
    }
}
