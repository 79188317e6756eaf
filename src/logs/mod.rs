//! Logs as files: found below folders and by patterns, read in chunks by several threads, followed while they grow.

mod chunks;
mod follow;
mod inputs;
mod threads;

use crate::diagnosis::Library;
use crate::scan::{Finder, LogScan, Since};

pub(crate) use chunks::CHUNK;
#[cfg(unix)]
pub(crate) use follow::repeat;
pub(crate) use follow::{Ended, Listener, follow};
pub(crate) use inputs::expand;
pub(crate) use threads::{Event, scan, total};

/// How logs are scanned.
pub(crate) struct Request<'k> {
    pub(crate) library: Library<'k>,
    pub(crate) finder: &'k Finder,
    pub(crate) since: Option<Since>,
    pub(crate) threads: usize,
}

impl<'k> Request<'k> {
    /// Begins a log. A live one is reported on while it is written.
    fn begin(&self, name: String, is_live: bool) -> LogScan<'k> {
        LogScan::new(name, self.library, self.finder, self.since, is_live)
    }
}
