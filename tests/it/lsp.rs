//! The language server, spoken to as an editor does: framed messages through pipes.
#![cfg(feature = "lsp")]

pub(crate) mod client;
mod drafts;
mod frames;
mod garbage;
mod ids;
mod logs;
mod pages;
