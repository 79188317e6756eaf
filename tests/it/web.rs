//! The page, through real connections.

mod answers;
mod guard;
pub(crate) mod server;
