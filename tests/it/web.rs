//! The page, through real connections.

mod answers;
mod browse;
mod draft;
mod guard;
mod limits;
mod machine;
pub(crate) mod server;
