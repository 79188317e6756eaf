//! What the machine says, for a screen.

mod device;
pub mod probe;
pub mod watch;
