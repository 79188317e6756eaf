//! What tells that a file changed, without reading it.

use std::fs::Metadata;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// Within this time after a change, another one may leave the same times: FAT counts in two seconds, some network file
/// systems and older ones in one, Linux in ticks of its clock.
const COARSEST: Duration = Duration::from_secs(2);

/// The state of a file when it was looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    /// Bytes.
    size: u64,
    /// Nanoseconds since the epoch of the last modification.
    modified: u64,
    /// Nanoseconds since the epoch when the system last changed anything of the file, where it says: nobody can set it
    /// back, as some tools do with the time of modification.
    changed: u64,
    /// Whether the file was left alone for so long that the next change has another time, whatever the clock.
    settled: bool,
}

impl Stamp {
    /// The stamp of a file; that of an absent file is all zero.
    pub(crate) fn of(path: &Path) -> Self {
        let now = SystemTime::now();
        path.metadata().map_or_else(|_| Self { settled: true, ..Self::default() }, |about| Self::read(&about, now))
    }

    /// What the system says of a file that was asked about after `now`.
    fn read(about: &Metadata, now: SystemTime) -> Self {
        let modified = about.modified().ok().map_or(0, nanoseconds);
        let (changed, size) = (changed(about), about.len());
        let settled = modified.max(changed) < nanoseconds(now - COARSEST);
        Self { size, modified, changed, settled }
    }

    /// The stamp of a file of so many bytes that was changed at the beginning of time.
    #[cfg(test)]
    pub(crate) fn settled(size: u64) -> Self {
        Self { size, settled: true, ..Self::default() }
    }

    /// How long the file is, in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Whether a file that had this stamp and has that one `now` is certainly the same.
    pub(crate) fn proves(&self, now: &Self) -> bool {
        self.settled && self.is_like(now)
    }

    /// Whether they differ in nothing but how long ago the file was changed.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        (self.size, self.modified, self.changed) == (other.size, other.modified, other.changed)
    }

    /// Whether a change after this stamp was taken can be told from it.
    pub(crate) fn is_settled(&self) -> bool {
        self.settled
    }
}

fn nanoseconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
}

#[cfg(unix)]
fn changed(about: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    u64::try_from(about.ctime().saturating_mul(1_000_000_000).saturating_add(about.ctime_nsec())).unwrap_or(0)
}

#[cfg(not(unix))]
fn changed(_about: &Metadata) -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_just_changed_proves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.md");
        std::fs::write(&path, "one").expect("a file");
        let about = path.metadata().expect("it is there");
        let (fresh, now) = (Stamp::of(&path), SystemTime::now());
        let later = Stamp::read(&about, now + COARSEST * 2);
        assert!(fresh.is_like(&later) && !fresh.proves(&later) && later.proves(&later));
        // A clock that the file's server is ahead of.
        assert!(!Stamp::read(&about, now - COARSEST * 2).is_settled());
        let absent = Stamp::of(&folder.path().join("b.md"));
        assert!(absent.proves(&absent) && !absent.is_like(&later));
    }
}
