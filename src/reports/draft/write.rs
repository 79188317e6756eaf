//! Atomic writes: a new file never replaces an existing one, and a changed file is replaced in one step, only if nobody
//! else changed it meanwhile.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::Error;
use crate::files;

/// How often a change is retried because another process changed the file.
const ATTEMPTS: usize = 20;

/// How long a change waits for another one.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// A file that is being written beside its final name; it is gone when this is dropped.
#[derive(Debug)]
pub(super) struct Draft {
    path: PathBuf,
    file: File,
}

impl Draft {
    /// Creates it; fails if another process has it.
    pub(super) fn create(path: PathBuf) -> io::Result<Self> {
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        // Without the lock another process takes it for abandoned.
        match files::hold(&file, &path) {
            true => Ok(Self { path, file }),
            false => Err(io::ErrorKind::AlreadyExists.into()),
        }
    }

    /// Writes its content and flushes it to disk.
    pub(super) fn fill(&mut self, text: &str) -> io::Result<()> {
        self.file.write_all(text.as_bytes())?;
        self.file.sync_all()
    }

    /// Gives it its final name, unless there is a file of that name.
    pub(super) fn place(&self, path: &Path, text: &str) -> io::Result<()> {
        match fs::hard_link(&self.path, path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                // A file system without links: the name itself is taken exclusively.
                let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
                let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
                if written.is_err() {
                    // Half a file is worse than none; it is ours, since it was created here.
                    let _ = fs::remove_file(path);
                }
                written
            }
            other => other,
        }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // What cannot be removed is hidden from every reader of reports.
        let _ = fs::remove_file(&self.path);
    }
}

/// Changes a text file: `change` gets the text and gives the new one. Returns whether anything changed.
///
/// # Errors
/// When the file cannot be read or written, is not UTF-8, or `change` fails.
pub(super) fn change(path: &Path, mut change: impl FnMut(&str) -> Result<String, Error>) -> Result<bool, Error> {
    let _lock = lock(path);
    for _ in 0..ATTEMPTS {
        let before = fs::read(path).map_err(|source| Error::read(path, source))?;
        let text = std::str::from_utf8(&before).map_err(|_| {
            Error::report(
                format!("`{}` is not UTF-8, so not every byte of it could be kept", path.display()),
                "save it as UTF-8 first",
            )
        })?;
        let after = change(text)?;
        if after == text {
            return Ok(false);
        }
        if fs::read(path).is_ok_and(|now| now == before) {
            files::replace(path, after.as_bytes()).map_err(|source| Error::write(path, source))?;
            return Ok(true);
        }
    }
    Err(Error::report(format!("`{}` is being changed by another process", path.display()), "try again"))
}

/// A lock against other processes of Faultbook: on the folder itself, so that nothing stays behind. Without it, or
/// where another process holds it for long, the check before the rename is all there is.
fn lock(path: &Path) -> Option<File> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = File::open(path.parent().filter(|folder| !folder.as_os_str().is_empty())?).ok()?;
    files::lock(&folder, LONGEST_WAIT).then_some(folder)
}
