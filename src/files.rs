//! Atomic writes: the new file is written beside the old one, flushed to disk, and renamed over it.
//!
//! A file that is being written is locked. One that nobody holds was left by a process that was killed, and the next
//! one that writes into the folder removes it.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

/// Writes these bytes to `path`. An existing file keeps its permissions, and a link stays a link.
///
/// # Errors
/// If the folder cannot be written or the disk is full; the old file is then unchanged.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    put(path, bytes, true)
}

/// Writes these bytes to `path` without waiting for the disk: for hundreds of files that can be made again.
///
/// # Errors
/// As [`replace`].
#[cfg(feature = "web")]
pub(crate) fn replace_unsynced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    put(path, bytes, false)
}

fn put(path: &Path, bytes: &[u8], synced: bool) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    sweep(folder);
    let mut fresh = beside(folder, &path.file_name().unwrap_or_default().to_string_lossy())?;
    fresh.write_all(bytes)?;
    if synced {
        fresh.as_file().sync_all()?;
    }
    if let Ok(about) = fs::metadata(&path) {
        // If the permissions cannot be copied, the file keeps those of a new file.
        let _ = fresh.as_file().set_permissions(about.permissions());
    }
    fresh.persist(&path)?;
    Ok(())
}

/// What the name of a file that is being written ends with.
const UNFINISHED: &str = ".faultbook-new";

/// A new file, locked.
fn beside(folder: &Path, name: &str) -> io::Result<tempfile::NamedTempFile> {
    const ATTEMPTS: usize = 100;
    let prefix = format!(".{name}.");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(UNFINISHED);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    for _ in 0..ATTEMPTS {
        let fresh = builder.tempfile_in(folder)?;
        if hold(fresh.as_file(), fresh.path()) {
            return Ok(fresh);
        }
    }
    builder.tempfile_in(folder)
}

/// Locks a file that was just created, so that nobody takes it for abandoned. False where somebody did so already.
pub(crate) fn hold(file: &fs::File, path: &Path) -> bool {
    match file.try_lock() {
        Ok(()) => is_at(file, path),
        Err(fs::TryLockError::WouldBlock) => false,
        // A file system without locks: nobody can take it for abandoned either.
        Err(fs::TryLockError::Error(_)) => true,
    }
}

/// Removes a file that a process was writing when it was killed; whether it did.
pub(crate) fn remove_abandoned(path: &Path) -> bool {
    fs::File::options()
        .write(true)
        .open(path)
        .is_ok_and(|file| file.try_lock().is_ok() && is_at(&file, path) && fs::remove_file(path).is_ok())
}

/// Whether the file of that path is this one.
fn is_at(file: &fs::File, path: &Path) -> bool {
    let (Ok(this), Ok(there)) = (file.metadata(), fs::symlink_metadata(path)) else { return false };
    is_same(&this, &there)
}

/// Whether both are of one file.
#[cfg(unix)]
pub(crate) fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Without numbers of files, whether both are of one age.
#[cfg(not(unix))]
pub(crate) fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    one.created().ok() == other.created().ok()
}

/// What a file is known by, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct FileId {
    device: u64,
    number: u64,
    /// A number may be given to another file when the first one is gone.
    created: Option<std::time::SystemTime>,
}

impl FileId {
    /// Nothing where files have no numbers.
    pub(crate) fn of(about: &fs::Metadata) -> Option<Self> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            Some(Self { device: about.dev(), number: about.ino(), created: about.created().ok() })
        }
        #[cfg(not(unix))]
        {
            let _ = about;
            None
        }
    }
}

/// Removes what processes left in a folder that were killed while they wrote.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        if name.starts_with(b".") && name.ends_with(UNFINISHED.as_bytes()) {
            remove_abandoned(&entry.path());
        }
    }
}

/// Locks a file against other processes; whether it was free, or became free within this time.
pub(crate) fn lock(file: &fs::File, longest: Duration) -> bool {
    const PAUSE: Duration = Duration::from_millis(10);
    let until = Instant::now() + longest;
    loop {
        match file.try_lock() {
            Ok(()) => return true,
            Err(fs::TryLockError::WouldBlock) if Instant::now() < until => std::thread::sleep(PAUSE),
            Err(_) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_stays_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.md");
        for text in ["one", "two"] {
            replace(&path, text.as_bytes()).expect("it is written");
            assert_eq!(fs::read_to_string(&path).expect("it reads"), text);
        }
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        assert!(replace(&folder.path().join("none/a.md"), b"x").is_err());
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_what_is_being_written_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for name in [".a.md.abc123.faultbook-new", "b.faultbook-new", ".c.new"] {
            fs::write(at(name), "half").expect("it is written");
        }
        let written = beside(folder.path(), "a.md").expect("a file");
        replace(&at("a.md"), b"one").expect("it is written");
        assert!(!at(".a.md.abc123.faultbook-new").exists());
        assert!(written.path().exists() && at("b.faultbook-new").exists() && at(".c.new").exists());
    }

    #[cfg(unix)]
    #[test]
    fn permissions_and_links_stay() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = tempfile::tempdir().expect("a folder");
        let (path, link) = (folder.path().join("a.md"), folder.path().join("link.md"));
        fs::write(&path, "one").expect("it is written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("permissions");
        symlink(&path, &link).expect("a link");
        replace(&link, b"two").expect("it is written");
        assert!(fs::symlink_metadata(&link).expect("it is there").is_symlink());
        assert_eq!(fs::metadata(&path).expect("it is there").permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_to_string(&path).expect("it reads"), "two");
    }
}
