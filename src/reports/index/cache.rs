//! Opens the index, refreshes what changed, repairs what broke.
//!
//! One folder per set of report folders under the user's cache: `tantivy/`, `catalogue.postcard`, and
//! `sketches.postcard`, which says of every text what it takes to find its copies and is read only when a report changed. Writers take a
//! file lock, so that two processes never write at once; the catalogue is written after tantivy's commit and by
//! rename, so that a killed process leaves an index that the next one brings up to date. The seal is written last:
//! anything that does not fit it is deleted and built again, and so is what the engine stumbles over. Where the folder cannot be written, or another process
//! holds its lock for long, the index lives in memory.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tantivy::directory::MmapDirectory;
use tantivy::{Index, IndexReader, IndexWriter, ReloadPolicy, TantivyDocument, Term};

use super::catalogue::{Catalogue, Changes, Entry, Stamp, order};
use super::{
    Error,
    engine::caught,
    fields::{Fields, VERSION},
    reader::{BYTES, Indexed, Sources, in_parallel, indexed, key_of},
    seal,
};
use crate::files;
use crate::fingerprint::Fingerprint;
use crate::reports::budget;
use crate::reports::copies::{self, Sketch};
use crate::reports::reading::comparable;
use crate::reports::record::Record;

/// Memory of the writer: tantivy's least is 15 MB per thread.
const WRITER_BYTES: usize = 20_000_000;

/// Reports that are read before the first of them goes into the index.
const BATCH: usize = 64;

/// How long the lock of another process is waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(3);

/// An index ready to be asked.
pub struct Opened {
    pub(super) reader: IndexReader,
    pub(super) fields: Fields,
    catalogue: Catalogue,
    /// Where it is on disk.
    home: Option<PathBuf>,
    /// Whether the engine stumbled over it.
    damaged: AtomicBool,
    /// How many files were read because they were new or changed.
    refreshed: usize,
}

/// Opens the index for these sources; `folder` is where caches live, `None` keeps everything in memory.
///
/// # Errors
/// Only when even an index in memory cannot be built.
pub(crate) fn open(sources: &Sources<'_>, folder: Option<&Path>, rebuild: bool) -> Result<Opened, Error> {
    let mut files: Vec<(PathBuf, Stamp)> = sources.files.iter().map(|path| (path.clone(), Stamp::of(path))).collect();
    files.sort_unstable_by(|a, b| order(&a.0, &b.0));
    // What is kept beside the index holds paths as text.
    if let Some(folder) = folder.filter(|_| files.iter().all(|(path, _)| path.to_str().is_some())) {
        let home = folder.join(name_of(sources));
        if rebuild {
            // Nothing to delete is as good as deleted.
            let _ = fs::remove_dir_all(&home);
        }
        match caught(|| on_disk(sources, &files, &home)) {
            Ok(opened) => return Ok(opened),
            Err(Error::Busy) => return in_memory(sources, &files),
            Err(_) => {}
        }
        // A broken cache is built again once; a folder that cannot be written stays unused.
        if fs::remove_dir_all(&home).is_ok()
            && let Ok(opened) = caught(|| on_disk(sources, &files, &home))
        {
            return Ok(opened);
        }
    }
    in_memory(sources, &files)
}

impl Opened {
    /// All reports that could be read, by path.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.catalogue.entries().iter().filter(|entry| !entry.id.is_empty())
    }

    /// The files that are left out because they take too long, and why.
    pub(crate) fn left_out(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.catalogue.entries().iter().filter_map(|entry| Some((entry.path.as_path(), entry.left_out.as_deref()?)))
    }

    /// The report at a path.
    pub fn entry(&self, path: &Path) -> Option<&Entry> {
        self.catalogue.get(path)
    }

    /// The report that this one is a copy of, or itself: the one that people work with.
    pub fn living<'a>(&'a self, entry: &'a Entry) -> &'a Entry {
        entry.copy_of.as_deref().and_then(|path| self.entry(path)).unwrap_or(entry)
    }

    /// The copies of a report; none of what is a copy itself.
    pub fn copies<'a>(&'a self, living: &'a Entry) -> impl Iterator<Item = &'a Entry> {
        self.entries().filter(|entry| entry.copy_of.as_ref() == Some(&living.path))
    }

    /// What lists show of a report: with what only its copies say, and with its occurrences.
    pub(crate) fn record(&self, entry: &Entry) -> Record {
        let id = comparable(&entry.id);
        let living = self.living(entry);
        let belongs = |other: &&Entry| {
            other.path == living.path
                || other.copy_of.as_ref() == Some(&living.path)
                || other.duplicate_of.as_ref().is_some_and(|of| comparable(of) == id)
        };
        let mut all = copies::living(self.entries().filter(belongs).map(Record::of).collect(), |record| record);
        let at = all.iter().position(|record| record.path == living.path);
        at.map_or_else(|| Record::of(entry), |at| all.swap_remove(at))
    }

    /// The path that a key stands for.
    pub(super) fn path_of(&self, key: &str) -> PathBuf {
        let known = || self.catalogue.entries().iter().find(|entry| key_of(&entry.path) == key);
        match key.starts_with(BYTES).then(known).flatten() {
            Some(entry) => entry.path.clone(),
            None => PathBuf::from(key),
        }
    }

    /// Keeps in mind where it is.
    fn at(mut self, home: &Path) -> Self {
        self.home = Some(home.to_owned());
        self
    }

    /// Asks the engine. Where that fails the index is damaged, and the next one who opens it builds it again.
    pub(super) fn asked<T>(&self, ask: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        let answer = caught(ask);
        if answer.is_err()
            && !self.damaged.swap(true, Ordering::Relaxed)
            && let Some(home) = &self.home
        {
            seal::take_off(home);
        }
        answer
    }

    /// Whether the engine stumbled over it: it has to be opened again.
    pub(crate) fn is_damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    /// How many files were read because they were new or changed.
    pub fn refreshed(&self) -> usize {
        self.refreshed
    }
}

fn on_disk(sources: &Sources<'_>, found: &[(PathBuf, Stamp)], home: &Path) -> Result<Opened, Error> {
    // The common case takes no lock: the catalogue says that nothing changed.
    if let Some(catalogue) = read_catalogue(home)
        && catalogue.changes(found).none()
        && seal::holds(home)
    {
        return opened(Index::open_in_dir(home.join("tantivy"))?, catalogue, 0).map(|opened| opened.at(home));
    }
    let at_home = |source| Error::Cache { path: home.to_owned(), source };
    fs::create_dir_all(home.join("tantivy")).map_err(at_home)?;
    let lock = File::create(home.join("lock")).map_err(at_home)?;
    if !files::lock(&lock, LONGEST_WAIT) {
        return Err(Error::Busy);
    }
    if !seal::holds(home) {
        seal::clear(home).map_err(at_home)?;
    }
    // Another process may have done the work while this one waited.
    let known = read_catalogue(home);
    let (schema, fields) = Fields::schema();
    let directory = MmapDirectory::open(home.join("tantivy")).map_err(tantivy::TantivyError::from)?;
    let index = Index::open_or_create(directory, schema)?;
    Fields::register(&index);
    let (catalogue, refreshed) = match known {
        Some(catalogue) if catalogue.changes(found).none() => (catalogue, 0),
        known => {
            let first = known.is_none();
            let mut sketches = read_sketches(home);
            let known = (known.unwrap_or_default(), first);
            let (catalogue, refreshed) = refresh(&index, fields, sources, found, known, &mut sketches)?;
            write_sketches(home, &sketches).map_err(at_home)?;
            write_catalogue(home, &catalogue).map_err(at_home)?;
            seal::write(home).map_err(at_home)?;
            (catalogue, refreshed)
        }
    };
    opened(index, catalogue, refreshed).map(|opened| opened.at(home))
}

fn in_memory(sources: &Sources<'_>, files: &[(PathBuf, Stamp)]) -> Result<Opened, Error> {
    let (schema, fields) = Fields::schema();
    let index = Index::create_in_ram(schema);
    Fields::register(&index);
    let (catalogue, refreshed) =
        refresh(&index, fields, sources, files, (Catalogue::default(), true), &mut Sketches::new())?;
    opened(index, catalogue, refreshed)
}

fn opened(index: Index, catalogue: Catalogue, refreshed: usize) -> Result<Opened, Error> {
    Fields::register(&index);
    let (schema, fields) = Fields::schema();
    if index.schema() != schema {
        return Err(Error::Engine);
    }
    let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
    Ok(Opened { reader, fields, catalogue, home: None, damaged: AtomicBool::new(false), refreshed })
}

/// Brings index and catalogue up to date; `first` also writes the book's pages.
fn refresh(
    index: &Index,
    fields: Fields,
    sources: &Sources<'_>,
    files: &[(PathBuf, Stamp)],
    (mut catalogue, first): (Catalogue, bool),
    sketches: &mut Sketches,
) -> Result<(Catalogue, usize), Error> {
    let mut writer: IndexWriter<TantivyDocument> = index.writer_with_num_threads(1, WRITER_BYTES)?;
    if first {
        writer.delete_all_documents()?;
        for entry in &sources.book.faults {
            writer.add_document(fields.page(entry))?;
        }
    }
    let Changes { read, forget } = catalogue.changes(files);
    for path in &forget {
        writer.delete_term(Term::from_field_text(fields.key, &key_of(path)));
        catalogue.remove(path);
        sketches.remove(path);
    }
    let mut done = 0;
    for batch in read.chunks(BATCH) {
        for ((path, stamp), found) in batch.iter().zip(in_parallel(batch, |file| indexed(sources, fields, file))) {
            writer.delete_term(Term::from_field_text(fields.key, &key_of(path)));
            let entry = match found {
                Ok(Some(Indexed { document, sketch, entry })) => {
                    writer.add_document(document)?;
                    sketches.insert(path.clone(), sketch);
                    entry
                }
                // Remembered, so that neither an unreadable file makes every run refresh the index nor one that takes long.
                Ok(None) => Entry::unreadable(path, *stamp),
                Err(why) => {
                    sketches.insert(path.clone(), Sketch::default());
                    Entry { left_out: Some(why.to_string()), ..Entry::unreadable(path, *stamp) }
                }
            };
            catalogue.insert(entry);
            done += 1;
            (sources.progress)(done, read.len());
        }
    }
    writer.commit()?;
    // Without this the writer's threads may outlive the folder in tests.
    writer.wait_merging_threads()?;
    group(&mut catalogue, sketches, sources);
    Ok((catalogue, read.len()))
}

/// Notes in the catalogue which reports are copies of which.
fn group(catalogue: &mut Catalogue, sketches: &mut Sketches, sources: &Sources<'_>) {
    for entry in catalogue.entries() {
        if !sketches.contains_key(&entry.path) {
            // A process may have been killed between the two files.
            let (read, path) = (Arc::clone(&sources.read), entry.path.clone());
            let sketch = budget::within(sources.per_file, move || read(&path).map(|report| Sketch::of(&report.text)));
            sketches.insert(entry.path.clone(), sketch.ok().flatten().unwrap_or_default());
        }
    }
    let records: Vec<Record> = catalogue.entries().iter().map(Record::of).collect();
    let none = Sketch::default();
    let pairs: Vec<(&Record, &Sketch)> =
        records.iter().map(|record| (record, sketches.get(&record.path).unwrap_or(&none))).collect();
    let groups = copies::group(&pairs);
    catalogue.set_copies(&groups);
}

/// What finds the copies of each report, by its path.
type Sketches = HashMap<PathBuf, Sketch>;

/// A cache folder's name: the report folders, the book and the index format, hashed.
fn name_of(sources: &Sources<'_>) -> String {
    let mut print = Fingerprint::new();
    print.add(&VERSION.to_le_bytes());
    print.add(env!("CARGO_PKG_VERSION").as_bytes());
    print.add(sources.book.fingerprint().as_bytes());
    sources.roots.iter().for_each(|root| print.add(root.as_os_str().as_encoded_bytes()));
    format!("index-{}", print.hex())
}

fn read_sketches(home: &Path) -> Sketches {
    fs::read(home.join("sketches.postcard"))
        .ok()
        .and_then(|bytes| postcard::from_bytes(&bytes).ok())
        .unwrap_or_default()
}

fn write_sketches(home: &Path, sketches: &Sketches) -> io::Result<()> {
    files::replace(&home.join("sketches.postcard"), &postcard::to_stdvec(sketches).map_err(io::Error::other)?)
}

fn read_catalogue(home: &Path) -> Option<Catalogue> {
    postcard::from_bytes(&fs::read(home.join("catalogue.postcard")).ok()?).ok()
}

fn write_catalogue(home: &Path, catalogue: &Catalogue) -> io::Result<()> {
    let bytes = postcard::to_stdvec(catalogue).map_err(io::Error::other)?;
    files::replace(&home.join("catalogue.postcard"), &bytes)
}
