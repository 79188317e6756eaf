//! Servers: thin adapters over the one core. Each owns its protocol's types; none decides anything about a failure.

#[cfg(any(feature = "lsp", feature = "mcp"))]
mod drafts;
#[cfg(any(feature = "lsp", feature = "mcp"))]
pub mod shelf;

#[cfg(feature = "lsp")]
pub mod lsp;
#[cfg(feature = "mcp")]
pub mod mcp;
