//! The page, through real connections.

mod answers;
mod browse;
mod guard;
pub(crate) mod server;
