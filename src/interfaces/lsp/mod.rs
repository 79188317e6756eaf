//! The language server: shows a log's failure at its line in the editor, and links bug reports and fault pages by id.
//!
//! One thread owns all state and answers in order. Slow requests (a huge log, a search over the workspace) run on their
//! own thread and can be cancelled. A panic fails one request, a malformed message yields one error; neither stops the
//! server. Edits go through the editor; the only file the server writes is a bug report that the user asked for. Ids
//! are recognised in every text file, so a comment `// see BUG-20251110-003` leads to its report in any language.

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
mod session;
mod symbols;
mod text;
mod upkeep;
mod uri;
mod wire;
mod words;

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
