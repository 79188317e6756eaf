//! The machine's state, for a terminal.

pub(crate) mod device;
pub mod probe;
pub(crate) mod rows;
pub(crate) mod watch;
