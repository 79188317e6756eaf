//! The seal of an index on disk: a hash over every file of it, written last. An index whose seal does not fit is built
//! again, because the engine trusts its files: one flipped bit makes it panic, or leaves reports out without a word.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::files;
use crate::fingerprint::Fingerprint;

const NAME: &str = "seal";

/// Whether the files are those that were sealed.
pub(super) fn holds(home: &Path) -> bool {
    let written = fs::read(home.join(NAME));
    written.is_ok_and(|written| of(home).is_ok_and(|seal| seal.as_bytes() == written))
}

/// Seals the files as they are.
pub(super) fn write(home: &Path) -> io::Result<()> {
    files::replace(&home.join(NAME), of(home)?.as_bytes())
}

/// Takes the seal off, so that the files are built again; a folder that cannot be written stays as it is.
pub(super) fn take_off(home: &Path) {
    let _ = fs::remove_file(home.join(NAME));
}

/// Takes the seal off, and everything it was put on.
pub(super) fn clear(home: &Path) -> io::Result<()> {
    for name in [NAME, "catalogue.postcard", "sketches.postcard"] {
        absent(fs::remove_file(home.join(name)))?;
    }
    absent(fs::remove_dir_all(home.join("tantivy")))?;
    fs::create_dir_all(home.join("tantivy"))
}

fn absent(removed: io::Result<()>) -> io::Result<()> {
    removed.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

fn of(home: &Path) -> io::Result<String> {
    let mut paths: Vec<PathBuf> = Vec::from(["catalogue.postcard", "sketches.postcard"].map(|name| home.join(name)));
    for entry in fs::read_dir(home.join("tantivy"))? {
        let path = entry?.path();
        // Locks come and go.
        if path.extension().is_none_or(|ending| ending != "lock") {
            paths.push(path);
        }
    }
    paths.sort();
    let mut print = Fingerprint::new();
    for path in paths {
        print.add(path.file_name().unwrap_or_default().as_encoded_bytes());
        print.add(&fs::read(&path)?);
    }
    Ok(print.hex())
}
