//! `faultbook lsp`, `faultbook mcp`: serve an editor or an agent over standard input and output.
//!
//! Standard output carries the protocol alone; nothing else may write there.

use std::env;
use std::io::{self, BufReader};
use std::path::PathBuf;

use crate::interfaces::workspace::Settings;
use clap::Args;

use super::common::Common;
use super::exit::Exit;
use super::failure::Result;
use super::open;

/// What `lsp` takes.
#[cfg(feature = "lsp")]
#[derive(Debug, Clone, Args)]
pub(crate) struct LspOptions {
    /// Taken for granted; editors pass it.
    #[arg(long, hide = true)]
    stdio: bool,
}

/// What `mcp` takes.
#[cfg(feature = "mcp")]
#[derive(Debug, Clone, Args)]
pub(crate) struct McpOptions {
    /// Let the agent write new bug reports into the project's folder of reports.
    #[arg(long)]
    allow_write: bool,
}

/// Serves an editor until it leaves.
#[cfg(feature = "lsp")]
pub(crate) fn lsp(LspOptions { stdio: _ }: &LspOptions, common: &Common) -> Result<Exit> {
    let said_goodbye =
        crate::interfaces::lsp::serve(BufReader::new(io::stdin()), io::stdout().lock(), here(), settings(common));
    // The protocol wants 1 from a server that was left without `shutdown`; a pipe that breaks is the same.
    Ok(if said_goodbye.unwrap_or(false) { Exit::Found } else { Exit::None })
}

fn here() -> PathBuf {
    env::current_dir().unwrap_or_else(|_| PathBuf::from("."))
}

fn settings(common: &Common) -> Settings {
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

/// Serves an agent until it leaves.
#[cfg(feature = "mcp")]
pub(crate) fn mcp(&McpOptions { allow_write }: &McpOptions, common: &Common) -> Result<Exit> {
    let settings = Settings { allow_write, ..settings(common) };
    // A client that leaves in the middle of a word is no mistake of anybody's here.
    Ok(match crate::interfaces::mcp::serve(BufReader::new(io::stdin()), io::stdout(), here(), &settings) {
        Ok(()) => Exit::Found,
        Err(_) => Exit::None,
    })
}
