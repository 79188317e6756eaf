//! The machine's state, for a terminal.

mod device;
pub mod probe;
pub(crate) mod watch;
