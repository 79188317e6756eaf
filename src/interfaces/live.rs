//! A project that a server keeps open while its files change.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::workspace::{Settings, Workspace};

/// Reports and pages are looked at again after this long: people and agents write files too.
const FRESH: Duration = Duration::from_secs(3);

/// A workspace that is opened again when its files may have changed.
pub(super) struct Live {
    kept: Mutex<(Instant, Arc<Workspace>)>,
}

impl Live {
    /// Opens the project that contains `root`.
    pub(super) fn open(root: &Path, settings: &Settings) -> Self {
        Self { kept: Mutex::new((Instant::now(), Arc::new(Workspace::open(root, settings)))) }
    }

    /// The project's files as they are now, or were a moment ago.
    pub(super) fn workspace(&self) -> Arc<Workspace> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.0.elapsed() > FRESH {
            *kept = (Instant::now(), Arc::new(kept.1.reopened()));
        }
        kept.1.clone()
    }

    /// Forgets what is known of the files: this server wrote one.
    pub(super) fn reopen(&self) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = (Instant::now(), Arc::new(kept.1.reopened()));
    }
}
