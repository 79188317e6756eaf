//! The seal of an index on disk: a hash of every file of it, written last. An index whose seal does not fit is built
//! again, because the engine trusts its files: one flipped bit makes it panic, or leaves reports out without a word.
//!
//! A file that the system has not seen changed since it was hashed is not hashed again: a large index is read in parts.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::files;
use crate::reports::stamp::Stamp;

const NAME: &str = "seal";

/// Of each file its hash, and the state in which it had it.
#[derive(Default, PartialEq, Serialize, Deserialize)]
struct Seal(BTreeMap<String, (u128, Stamp)>);

/// Whether the files are those that were sealed.
pub(super) fn holds(home: &Path) -> bool {
    let Some((bytes, sealed)) = read(home) else { return false };
    let Ok(now) = of(home, &sealed) else { return false };
    let hashes = |seal: &Seal| seal.0.iter().map(|(name, (hash, _))| (name.clone(), *hash)).collect::<Vec<_>>();
    if hashes(&sealed) != hashes(&now) {
        return false;
    }
    if now != sealed {
        renew(home, &bytes, &now);
    }
    true
}

/// Seals the files as they are.
pub(super) fn write(home: &Path) -> io::Result<()> {
    let before = read(home).map(|(_, seal)| seal).unwrap_or_default();
    put(home, &of(home, &before)?)
}

/// Takes the seal off, so that the files are built again; a folder that cannot be written stays as it is.
pub(super) fn take_off(home: &Path) {
    let _ = fs::remove_file(home.join(NAME));
}

/// Takes the seal off, and everything it was put on.
pub(super) fn clear(home: &Path) -> io::Result<()> {
    for name in [NAME, "catalogue.postcard"] {
        absent(fs::remove_file(home.join(name)))?;
    }
    absent(fs::remove_dir_all(home.join("tantivy")))?;
    fs::create_dir_all(home.join("tantivy"))
}

fn absent(removed: io::Result<()>) -> io::Result<()> {
    removed.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

/// The seal of the files as they are, of which those are not read that have not changed since `before`.
fn of(home: &Path, before: &Seal) -> io::Result<Seal> {
    let mut paths = vec![home.join("catalogue.postcard")];
    for entry in fs::read_dir(home.join("tantivy"))? {
        let path = entry?.path();
        // Locks come and go.
        if path.extension().is_none_or(|ending| ending != "lock") {
            paths.push(path);
        }
    }
    let mut seal = Seal::default();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let stamp = Stamp::of(&path);
        let hash = match before.0.get(&name) {
            Some((hash, then)) if then.proves(&stamp) => *hash,
            _ => xxh3_128(&fs::read(&path)?),
        };
        seal.0.insert(name, (hash, stamp));
    }
    Ok(seal)
}

/// Writes the seal with the states of files as they are now, unless somebody else has changed it or is about to: then the
/// next one may.
fn renew(home: &Path, before: &[u8], now: &Seal) {
    let settled = now.0.values().all(|(_, stamp)| stamp.is_settled());
    if let Some(lock) = File::open(home.join("lock")).ok().filter(|_| settled)
        && lock.try_lock().is_ok()
        && fs::read(home.join(NAME)).is_ok_and(|bytes| bytes == before)
    {
        // Where it cannot be written, the files are hashed each time.
        let _ = put(home, now);
    }
}

/// The seal, as its bytes and as what they say; the last eight bytes are a hash of the others.
fn read(home: &Path) -> Option<(Vec<u8>, Seal)> {
    let bytes = fs::read(home.join(NAME)).ok()?;
    let (said, hash) = bytes.split_last_chunk()?;
    let seal = (xxh3_64(said).to_le_bytes() == *hash).then(|| postcard::from_bytes(said).ok()).flatten()?;
    Some((bytes, seal))
}

fn put(home: &Path, seal: &Seal) -> io::Result<()> {
    let mut bytes = postcard::to_stdvec(seal).map_err(io::Error::other)?;
    let hash = xxh3_64(&bytes);
    bytes.extend_from_slice(&hash.to_le_bytes());
    files::replace(&home.join(NAME), &bytes)
}
