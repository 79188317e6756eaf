//! The language server, spoken to as an editor does: framed messages through pipes.
#![cfg(feature = "lsp")]

#[path = "lsp/client.rs"]
mod client;
#[path = "lsp/drafts.rs"]
mod drafts;
#[path = "lsp/frames.rs"]
mod frames;
#[path = "lsp/garbage.rs"]
mod garbage;
#[path = "lsp/ids.rs"]
mod ids;
#[path = "lsp/logs.rs"]
mod logs;
#[path = "lsp/pages.rs"]
mod pages;
