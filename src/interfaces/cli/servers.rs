//! `faultbook lsp`, `faultbook mcp`: serve an editor or an agent over standard input and output.
//!
//! Standard output carries only the protocol.

use std::env;
use std::io::{self, BufReader};
use std::path::PathBuf;

use crate::interfaces::workspace::Settings;
use clap::Args;

use super::common::Common;
use super::exit::Exit;
use super::failure::Result;
use super::open;

#[cfg(feature = "lsp")]
#[derive(Debug, Clone, Args)]
pub(crate) struct LspOptions {
    /// Ignored: it is the default, and editors pass it.
    #[arg(long, hide = true)]
    stdio: bool,
}

#[cfg(feature = "mcp")]
#[derive(Debug, Clone, Args)]
pub(crate) struct McpOptions {
    /// Let the agent write new bug reports into the project's reports folder.
    #[arg(long)]
    allow_write: bool,
}

/// Serves an editor until it disconnects.
#[cfg(feature = "lsp")]
pub(crate) fn lsp(LspOptions { stdio: _ }: &LspOptions, common: &Common) -> Result<Exit> {
    give_memory_back();
    let said_goodbye =
        crate::interfaces::lsp::serve(BufReader::new(io::stdin()), io::stdout().lock(), here(), settings(common));
    // The protocol requires 1 if the client leaves without `shutdown`; a broken pipe counts as that.
    Ok(if said_goodbye.unwrap_or(false) { Exit::Found } else { Exit::None })
}

/// Starts the program again in its place, with settings for the C library's memory, where it has none.
///
/// glibc serves large blocks from the system, but once one was returned it serves as large ones from its heap, which it
/// seldom gives back. With a fixed limit (mallopt(3), "`M_MMAP_THRESHOLD`"; read at start only) a server that has a log of
/// 16 MB open needs 120 MB instead of 256. With one heap for all threads (`M_ARENA_MAX`), what the analysis of one version
/// freed is used for the next one, whichever thread runs it: the report of a Ray cluster of 16 MB needs 193 MB instead of 250.
/// Where the program cannot be started, it goes on without.
#[cfg(feature = "lsp")]
fn give_memory_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        use std::os::unix::process::CommandExt;
        use std::process::Command;
        const LIMITS: [(&str, &str); 2] = [("MALLOC_MMAP_THRESHOLD_", "1048576"), ("MALLOC_ARENA_MAX", "1")];
        let missing: Vec<_> = LIMITS.into_iter().filter(|(name, _)| env::var_os(name).is_none()).collect();
        if !missing.is_empty()
            && let Ok(program) = env::current_exe()
        {
            // Only a failure returns.
            let _ = Command::new(program).args(env::args_os().skip(1)).envs(missing).exec();
        }
    }
}

pub(super) fn here() -> PathBuf {
    env::current_dir().unwrap_or_else(|_| PathBuf::from("."))
}

pub(super) fn settings(common: &Common) -> Settings {
    Settings {
        reports: common.reports.clone(),
        no_builtin: common.no_builtin,
        cache: open::cache_folder(),
        probe: !common.no_probe,
        #[cfg(feature = "machine")]
        python: common.python.clone(),
        ..Settings::default()
    }
}

/// Serves an agent until it disconnects.
#[cfg(feature = "mcp")]
pub(crate) fn mcp(&McpOptions { allow_write }: &McpOptions, common: &Common) -> Result<Exit> {
    let settings = Settings { allow_write, ..settings(common) };
    // A client that disconnects in the middle of a message is not an error.
    Ok(match crate::interfaces::mcp::serve(BufReader::new(io::stdin()), io::stdout(), here(), &settings) {
        Ok(()) => Exit::Found,
        Err(_) => Exit::None,
    })
}
