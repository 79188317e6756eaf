//! The language server: a log's failure where it stands in the editor, bug reports and fault pages as one web of ids.
//!
//! One thread owns all state and answers in order; what takes long (a huge log, a search over the workspace) runs
//! beside it and can be cancelled. A panic costs one answer, a broken message one error, never the server. It changes no
//! file, every edit goes through the editor; a bug report that somebody asked for is a new file, the only one it writes.
//! The surprising thing: an id is known in any text file, so a
//! comment `// see BUG-20251110-003` leads to its report in every language.

mod actions;
mod analysis;
mod capabilities;
mod checks;
mod commands;
mod completion;
mod diagnostics;
mod front_words;
mod hover;
mod ids;
mod kind;
mod lenses;
mod notifications;
mod outgoing;
mod pages;
mod requests;
mod search;
mod server;
mod symbols;
mod text;
mod upkeep;
mod uri;
mod wire;
mod words;
mod world;

use std::io::{self, BufRead, Write};
use std::path::PathBuf;

use super::workspace::Settings;

/// Serves one client until it leaves. `root` is where the project is looked for when the client names no folder.
/// The answer is whether it left as the protocol asks (`shutdown`, then `exit`).
///
/// # Errors
/// When the client's stream breaks.
pub fn serve(
    from: impl BufRead + Send + 'static,
    to: impl Write,
    root: PathBuf,
    settings: Settings,
) -> io::Result<bool> {
    server::Server::new(to, root, settings).run(from)
}
