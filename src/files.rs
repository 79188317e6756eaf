//! Atomic writes: the new file is written beside the old one, flushed to disk, and renamed over it.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

/// Writes these bytes to `path`. An existing file keeps its permissions, and a link stays a link.
///
/// # Errors
/// If the folder cannot be written or the disk is full; the old file is then unchanged.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let prefix = format!(".{name}.");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".new");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut fresh = builder.tempfile_in(folder)?;
    fresh.write_all(bytes)?;
    fresh.as_file().sync_all()?;
    if let Ok(about) = fs::metadata(&path) {
        // If the permissions cannot be copied, the file keeps those of a new file.
        let _ = fresh.as_file().set_permissions(about.permissions());
    }
    fresh.persist(&path)?;
    Ok(())
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
