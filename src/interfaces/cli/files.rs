//! Files are written whole: to a new file that then takes the old one's place.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

/// Puts a file with these bytes at `path`; where there was one, with its permissions.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let fresh = path.with_file_name(format!(".{name}.{}.new", std::process::id()));
    let written = (|| {
        let mut file = fs::OpenOptions::new().write(true).create_new(true).open(&fresh)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        if let Ok(about) = fs::metadata(path) {
            fs::set_permissions(&fresh, about.permissions())?;
        }
        fs::rename(&fresh, path)
    })();
    if written.is_err() {
        // It is ours, and half of it may be there.
        let _ = fs::remove_file(&fresh);
    }
    written
}
