//! The page, through real connections.

mod answers;
mod browse;
mod draft;
mod guard;
mod machine;
pub(crate) mod server;
