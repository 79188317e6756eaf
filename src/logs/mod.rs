//! Logs as files: found below folders and by patterns, read in chunks by several threads, followed while they grow.

mod chunks;
mod follow;
mod inputs;
mod threads;

pub(crate) use chunks::CHUNK;
#[cfg(unix)]
pub(crate) use follow::repeat;
pub(crate) use follow::{Ended, Listener, follow};
pub(crate) use inputs::expand;
pub(crate) use threads::{Event, Request, scan, total};
