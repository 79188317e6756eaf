//! What people pasted, under an address that stays: a name made of the content, a file in the user's cache.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::page::Tab;
use crate::diagnosis::Measured;
use crate::fingerprint::Fingerprint;

/// The most that is kept on disk, and how many; the oldest go first.
const MOST_BYTES: u64 = 256 << 20;
const MOST_FILES: usize = 500;

/// Files are counted at the first and every so many times that something is kept.
const TIDY: usize = 32;

/// How many are kept in memory, as long as they are together shorter than [`MOST_MEMORY`].
const MOST_KEPT: usize = 64;
const MOST_MEMORY: usize = 32 << 20;

/// The extension of the file that says what was found in a text.
const TITLE: &str = "title";

/// Entries of the list of recent texts.
const RECENT: usize = 8;

/// One text that was sent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Text {
    /// Its file name; empty if it was pasted.
    pub name: String,
    /// The text as it came.
    pub bytes: Vec<u8>,
    /// Why it ended early, if it did.
    pub note: Option<String>,
}

/// What was sent together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Pasted {
    pub texts: Vec<Text>,
}

impl Pasted {
    /// Its address: the same for the same content.
    fn id(&self) -> String {
        let mut fingerprint = Fingerprint::new();
        for text in &self.texts {
            fingerprint.add(text.name.as_bytes());
            fingerprint.add(&text.bytes);
        }
        fingerprint.hex().chars().take(20).collect()
    }

    fn length(&self) -> usize {
        self.texts.iter().map(|text| text.bytes.len()).sum()
    }
}

impl Memory {
    fn forget(&mut self, id: &str) {
        self.pasted.remove(id);
        self.tabs.remove(id);
        self.measured.retain(|measured, _| measured.split('/').next() != Some(id));
        self.probed.retain(|probed, _| probed.split('/').next() != Some(id));
    }
}

/// Everything that was pasted and is still kept.
pub(crate) struct Kept {
    folder: Option<PathBuf>,
    memory: Mutex<Memory>,
    /// How often something was put.
    puts: AtomicUsize,
}

#[derive(Default)]
struct Memory {
    pasted: HashMap<String, Arc<Pasted>>,
    /// Their ids, the oldest first.
    order: Vec<String>,
    /// What was measured for some of them: how, and the facts.
    measured: HashMap<String, Arc<Measured>>,
    /// What this machine said when a report about a text was begun.
    probed: HashMap<String, Arc<Measured>>,
    /// Of several texts, what was found in each.
    tabs: HashMap<String, Arc<Vec<Tab>>>,
}

impl Kept {
    /// Keeps texts in a folder; without one, in memory as long as this program runs.
    pub(crate) fn new(cache: Option<&Path>) -> Self {
        Self { folder: cache.map(|cache| cache.join("pasted")), memory: Mutex::default(), puts: AtomicUsize::new(0) }
    }

    /// Keeps what was pasted, and says under which id. That it cannot be written is no error: it is in memory.
    pub(super) fn put(&self, pasted: Pasted) -> String {
        let id = pasted.id();
        if let Some(path) = self.path(&id)
            && !path.exists()
            && let Ok(bytes) = postcard::to_stdvec(&pasted)
        {
            let written = write(&path, &bytes);
            if self.puts.fetch_add(1, Ordering::Relaxed).is_multiple_of(TIDY) {
                let _ = written.and_then(|()| self.tidy());
            }
        }
        self.remember(&id, Arc::new(pasted));
        id
    }

    /// What was pasted under an id.
    pub(super) fn get(&self, id: &str) -> Option<Arc<Pasted>> {
        if let Some(found) = self.memory().pasted.get(id) {
            return Some(found.clone());
        }
        let bytes = fs::read(self.path(id)?).ok()?;
        let pasted: Pasted = postcard::from_bytes(&bytes).unwrap_or_default();
        // A damaged file is none, and must not keep the same text from being written again.
        if pasted.id() != id {
            let _ = fs::remove_file(self.path(id)?);
            return None;
        }
        let pasted = Arc::new(pasted);
        self.remember(id, pasted.clone());
        Some(pasted)
    }

    /// Notes what was found in a text, for the list of recent ones.
    pub(super) fn describe(&self, id: &str, found: &str) {
        let Some(path) = self.path(id).map(|path| path.with_extension(TITLE)) else { return };
        if !path.exists() {
            // A list that lacks an entry is no reason to fail.
            let _ = write(&path, found.as_bytes());
        }
    }

    /// The texts that were looked at last, the latest first: id and what was found.
    pub(super) fn recent(&self) -> Vec<(String, String)> {
        let Some(folder) = &self.folder else { return Vec::new() };
        let mut titles: Vec<(SystemTime, PathBuf)> = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .filter_map(|entry| {
                let path = entry.ok()?.path();
                let is_title = path.extension().is_some_and(|extension| extension == TITLE);
                let modified = fs::metadata(&path).ok()?.modified().ok()?;
                (is_title && path.with_extension("").exists()).then_some((modified, path))
            })
            .collect();
        titles.sort_by(|a, b| b.cmp(a));
        let title = |(_, path): (SystemTime, PathBuf)| {
            Some((path.file_stem()?.to_str()?.to_owned(), fs::read_to_string(&path).ok()?))
        };
        titles.into_iter().take(RECENT).filter_map(title).collect()
    }

    /// Forgets what was pasted under an id.
    pub(super) fn forget(&self, id: &str) {
        if let Some(path) = self.path(id) {
            let _ = fs::remove_file(path.with_extension(TITLE));
            let _ = fs::remove_file(path);
        }
        let mut memory = self.memory();
        memory.forget(id);
        memory.order.retain(|one| one != id);
    }

    /// Keeps what was measured for a text, as long as the program runs.
    pub(super) fn measured(&self, id: &str, measured: Measured) {
        self.memory().measured.insert(id.to_owned(), Arc::new(measured));
    }

    /// Forgets what was measured for a text.
    #[cfg(feature = "machine")]
    pub(super) fn unmeasured(&self, id: &str) {
        self.memory().measured.remove(id);
    }

    /// What was measured for a text.
    pub(super) fn measurement(&self, id: &str) -> Option<Arc<Measured>> {
        self.memory().measured.get(id).cloned()
    }

    /// What this machine said when the report about a text was begun.
    pub(super) fn probed(&self, id: &str) -> Option<Arc<Measured>> {
        self.memory().probed.get(id).cloned()
    }

    /// Keeps that for the previews of the report.
    pub(super) fn keep_probed(&self, id: &str, measured: Measured) {
        self.memory().probed.insert(id.to_owned(), Arc::new(measured));
    }

    /// Another report is begun.
    pub(super) fn forget_probed(&self, id: &str) {
        self.memory().probed.remove(id);
    }

    /// What was found in the texts of an id, found out once.
    pub(super) fn tabs(&self, id: &str, find: impl FnOnce() -> Vec<Tab>) -> Arc<Vec<Tab>> {
        if let Some(tabs) = self.memory().tabs.get(id) {
            return tabs.clone();
        }
        let tabs = Arc::new(find());
        self.memory().tabs.insert(id.to_owned(), tabs.clone());
        tabs
    }

    fn memory(&self) -> std::sync::MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remember(&self, id: &str, pasted: Arc<Pasted>) {
        let mut memory = self.memory();
        if memory.pasted.insert(id.to_owned(), pasted).is_none() {
            memory.order.push(id.to_owned());
        }
        // What cannot be read back from a file is forgotten later than what can.
        let most = if self.folder.is_some() { MOST_KEPT } else { MOST_FILES };
        let length = |memory: &Memory| memory.pasted.values().map(|pasted| pasted.length()).sum::<usize>();
        while memory.order.len() > most || (memory.order.len() > 1 && length(&memory) > MOST_MEMORY) {
            let oldest = memory.order.remove(0);
            memory.forget(&oldest);
        }
    }

    /// The file of an id; `None` where nothing is written, or what is asked for cannot be an id.
    fn path(&self, id: &str) -> Option<PathBuf> {
        let is_id = id.len() == 20 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        self.folder.as_ref().filter(|_| is_id).map(|folder| folder.join(id))
    }

    /// Removes the oldest texts, each with its title, until the others fit.
    fn tidy(&self) -> io::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let mut texts: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
        for entry in fs::read_dir(folder)?.flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|extension| extension == TITLE) {
                // The text was removed by something else.
                if !path.with_extension("").exists() {
                    fs::remove_file(&path)?;
                }
            } else if let Ok(about) = entry.metadata()
                && let Ok(modified) = about.modified()
            {
                texts.push((modified, about.len(), path));
            }
        }
        texts.sort();
        let mut total: u64 = texts.iter().map(|(_, length, _)| length).sum();
        let mut count = texts.len();
        for (_, length, path) in texts {
            if total <= MOST_BYTES && count <= MOST_FILES {
                break;
            }
            let _ = fs::remove_file(path.with_extension(TITLE));
            fs::remove_file(&path)?;
            total -= length;
            count -= 1;
        }
        Ok(())
    }
}

/// Writes a file that only its owner may read: logs hold secrets. It is not flushed to disk, and a file that was cut off
/// is found out by its name when it is read.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let opened = options.open(path).or_else(|_| {
        if let Some(folder) = path.parent() {
            let mut builder = fs::DirBuilder::new();
            builder.recursive(true);
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder.create(folder)?;
        }
        options.open(path)
    });
    opened?.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pasted(text: &str) -> Pasted {
        Pasted { texts: vec![Text { name: "a.log".to_owned(), bytes: text.as_bytes().to_vec(), note: None }] }
    }

    #[test]
    fn an_address_outlives_the_program_and_a_damaged_file_is_none() {
        let cache = tempfile::tempdir().expect("a folder");
        let id = Kept::new(Some(cache.path())).put(pasted("CUDA out of memory"));
        let later = Kept::new(Some(cache.path()));
        assert_eq!(later.get(&id).as_deref(), Some(&pasted("CUDA out of memory")));
        for wrong in ["", "../../../etc/passwd", "0123456789abcdef0123", "ffffffffffffffffffff0"] {
            assert!(later.get(wrong).is_none(), "{wrong}");
        }
        let file = cache.path().join("pasted").join(&id);
        let mut bytes = fs::read(&file).expect("written");
        *bytes.last_mut().expect("not empty") ^= 1;
        bytes[10] ^= 1;
        fs::write(&file, bytes).expect("writes");
        assert!(Kept::new(Some(cache.path())).get(&id).is_none());
        later.forget(&id);
        assert!(later.get(&id).is_none() && !file.exists());
    }

    #[test]
    fn texts_are_counted_and_go_with_their_titles() {
        let cache = tempfile::tempdir().expect("a folder");
        let kept = Kept::new(Some(cache.path()));
        let folder = cache.path().join("pasted");
        let mut ids = Vec::new();
        for index in 0..MOST_FILES + 2 {
            let id = kept.put(pasted(&index.to_string()));
            kept.describe(&id, "CUDA out of memory");
            // Files of one moment have no order.
            let file = fs::File::options().append(true).open(folder.join(&id)).expect("written");
            file.set_modified(SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(index as u64)).expect("dated");
            ids.push(id);
        }
        kept.describe("0123456789abcdef0123", "a title without a text");
        kept.tidy().expect("tidies");
        let there = |id: &String| (folder.join(id).exists(), folder.join(id).with_extension(TITLE).exists());
        assert!(ids[..2].iter().all(|id| there(id) == (false, false)), "the oldest are gone");
        assert!(ids[2..].iter().all(|id| there(id) == (true, true)), "and no others");
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 2 * MOST_FILES);
    }

    #[test]
    fn memory_is_bounded() {
        let kept = Kept::new(None);
        let ids: Vec<String> = (0..MOST_FILES + 5).map(|index| kept.put(pasted(&index.to_string()))).collect();
        assert!(kept.get(&ids[0]).is_none() && kept.get(&ids[10]).is_some());
        kept.put(pasted(&"x".repeat(MOST_MEMORY + 1)));
        assert_eq!(kept.memory().order.len(), 1);
    }
}
