//! Interfaces: thin adapters over the one core. Each owns its protocol's types; none decides anything about a failure.

#[cfg(feature = "cli")]
pub mod cli;
#[cfg(any(feature = "lsp", feature = "mcp"))]
mod drafts;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
#[cfg(feature = "lsp")]
pub mod lsp;
#[cfg(feature = "mcp")]
mod mcp;
#[cfg(any(feature = "lsp", feature = "mcp"))]
pub mod workspace;
