//! Interfaces: thin adapters over the one core. Each owns its protocol's types; none decides anything about a failure.

#[cfg(feature = "cli")]
pub mod cli;
#[cfg(any(feature = "lsp", feature = "mcp", feature = "web"))]
mod drafts;
#[cfg(any(feature = "lsp", feature = "web"))]
mod findings;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
#[cfg(any(feature = "mcp", feature = "web"))]
mod live;
#[cfg(feature = "lsp")]
pub mod lsp;
#[cfg(feature = "mcp")]
mod mcp;
#[cfg(feature = "web")]
pub(crate) mod web;
#[cfg(any(feature = "lsp", feature = "mcp", feature = "web"))]
pub mod workspace;
