//! Opens the index, refreshes what changed, repairs what broke.
//!
//! One folder per set of report folders under the user's cache: `tantivy/` and `catalogue.postcard`. Writers take a
//! file lock, so that two processes never write at once; the catalogue is written after tantivy's commit and by
//! rename, so that a killed process leaves an index that the next one brings up to date. The seal is written last:
//! anything that does not fit it is deleted and built again, and so is what the engine stumbles over. Where the folder cannot be written, or another process
//! holds its lock for long, the index lives in memory.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tantivy::directory::MmapDirectory;
use tantivy::{Index, IndexReader, IndexWriter, ReloadPolicy, TantivyDocument, Term};

use super::catalogue::{Catalogue, Changes, Entry, Listed};
use super::{
    Error,
    engine::caught,
    fields::{Fields, VERSION},
    grouping,
    reader::{BYTES, Hints, Indexed, Sources, bytes_of, indexed, key_of},
    seal,
};
use crate::files;
use crate::fingerprint::Fingerprint;
use crate::parallel::in_parallel;
use crate::reports::copies;
use crate::reports::files::{ReportFile, order};
use crate::reports::reading::comparable;
use crate::reports::record::Record;

/// Memory of the writer: tantivy's least is 15 MB per thread.
const WRITER_BYTES: usize = 20_000_000;

/// Reports that are read before the first of them goes into the index, and files that one thread hashes at a time.
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
    let mut files = sources.files.to_vec();
    files.sort_unstable_by(|a, b| order(&a.path, &b.path));
    // What is kept beside the index holds paths as text.
    if let Some(folder) = folder.filter(|_| files.iter().all(|file| file.path.to_str().is_some())) {
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
        self.catalogue.entries(|_| true).filter(|entry| !entry.id.is_empty())
    }

    /// The files that are left out because they take too long, and why.
    pub(crate) fn left_out(&self) -> impl Iterator<Item = (&Path, &str)> {
        let left_out = self.catalogue.entries(|listed| listed.left_out);
        left_out.filter_map(|entry| Some((entry.path.as_path(), entry.left_out.as_deref()?)))
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
        self.catalogue.entries(|listed| listed.copy_of.as_ref() == Some(&living.path))
    }

    /// What lists show of a report: with what only its copies say, and with its occurrences.
    pub(crate) fn record(&self, entry: &Entry) -> Record {
        let id = comparable(&entry.id);
        let living = self.living(entry);
        let belongs = |other: &Listed| {
            other.path == living.path
                || other.copy_of.as_ref() == Some(&living.path)
                || other.duplicate_of.as_ref().is_some_and(|of| comparable(of) == id)
        };
        let mut all = copies::living(self.catalogue.entries(belongs).map(Record::of).collect(), |record| record);
        let at = all.iter().position(|record| record.path == living.path);
        at.map_or_else(|| Record::of(entry), |at| all.swap_remove(at))
    }

    /// The path that a key stands for.
    pub(super) fn path_of(&self, key: &str) -> PathBuf {
        let known = || self.catalogue.listed().iter().find(|listed| key_of(&listed.path) == key);
        match key.starts_with(BYTES).then(known).flatten() {
            Some(listed) => listed.path.clone(),
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

fn on_disk(sources: &Sources<'_>, found: &[ReportFile], home: &Path) -> Result<Opened, Error> {
    // The common case takes no lock: the catalogue says that nothing changed.
    let mut current = None;
    if let Some(catalogue) = read_catalogue(home) {
        let mut state = State { catalogue, ..State::default() };
        let work = state.work(found);
        if work.none() && seal::holds(home) {
            current = Some((state.catalogue, work.is_proved));
        }
    }
    let open_at = |catalogue| {
        let index = Index::open_in_dir(home.join("tantivy"))?;
        opened(index, catalogue, 0).map(|opened| opened.at(home))
    };
    match current {
        Some((catalogue, false)) => open_at(catalogue),
        None => updated(sources, found, home),
        Some((catalogue, true)) => match updated(sources, found, home) {
            // A cache that cannot be written is as good; its files are looked into each time.
            Err(Error::Cache { .. } | Error::Busy) => open_at(catalogue),
            done => done,
        },
    }
}

/// The index on disk, brought up to date by the only process that may write it.
fn updated(sources: &Sources<'_>, found: &[ReportFile], home: &Path) -> Result<Opened, Error> {
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
    let mut state = State { first: known.is_none(), catalogue: known.unwrap_or_default() };
    let work = state.work(found);
    if state.first || !work.none() {
        refresh(&index, fields, sources, &work, &mut state)?;
    }
    if state.first || !work.none() || work.is_proved {
        write_catalogue(home, &state.catalogue).map_err(at_home)?;
        seal::write(home).map_err(at_home)?;
    }
    opened(index, state.catalogue, work.read.len()).map(|opened| opened.at(home))
}

fn in_memory(sources: &Sources<'_>, found: &[ReportFile]) -> Result<Opened, Error> {
    let (schema, fields) = Fields::schema();
    let index = Index::create_in_ram(schema);
    Fields::register(&index);
    let mut state = State { first: true, ..State::default() };
    let work = state.work(found);
    refresh(&index, fields, sources, &work, &mut state)?;
    opened(index, state.catalogue, work.read.len())
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

/// What is known of the reports, beside the engine's index.
#[derive(Default)]
struct State {
    /// Whether nothing was known.
    first: bool,
    catalogue: Catalogue,
}

/// What has to be done to know the files as they are.
struct Work {
    /// Files to read, each with a hash of its bytes.
    read: Vec<(ReportFile, u64)>,
    /// Files that are gone.
    forget: Vec<PathBuf>,
    /// Whether files that were only touched need not be looked into the next time.
    is_proved: bool,
}

impl Work {
    fn none(&self) -> bool {
        self.read.is_empty() && self.forget.is_empty()
    }
}

impl State {
    /// What has to be done. A file with other times and the same bytes needs no work.
    fn work(&mut self, found: &[ReportFile]) -> Work {
        let Changes { read, forget } = self.catalogue.changes(found);
        let bytes = in_parallel(&read, BATCH, |file| bytes_of(&file.path));
        let mut read: Vec<(ReportFile, u64)> = read.into_iter().zip(bytes).collect();
        let mut is_proved = false;
        read.retain(|(file, bytes)| {
            let is_still = self.catalogue.is_still(file, *bytes);
            is_proved |= is_still && file.stamp.is_settled();
            !is_still
        });
        Work { read, forget, is_proved }
    }
}

/// Brings index and catalogue up to date; the first time it also writes the book's pages.
fn refresh(index: &Index, fields: Fields, sources: &Sources<'_>, work: &Work, state: &mut State) -> Result<(), Error> {
    let mut writer: IndexWriter<TantivyDocument> = index.writer_with_num_threads(1, WRITER_BYTES)?;
    if state.first {
        writer.delete_all_documents()?;
        for page in in_parallel(&sources.book.faults, 1, |entry| fields.page(entry)) {
            writer.add_document(page)?;
        }
    }
    let groups = grouping::Before::of(&state.catalogue);
    for path in &work.forget {
        writer.delete_term(Term::from_field_text(fields.key, &key_of(path)));
        state.catalogue.remove(path);
    }
    let hints = Hints::new(sources.book);
    let mut sketches = HashMap::new();
    let mut done = 0;
    for batch in work.read.chunks(BATCH) {
        let found = in_parallel(batch, 1, |(file, _)| indexed(sources, fields, &hints, &file.path));
        for ((file, bytes), found) in batch.iter().zip(found) {
            if !state.first {
                writer.delete_term(Term::from_field_text(fields.key, &key_of(&file.path)));
            }
            let entry = match found {
                Ok(Some(Indexed { document, sketch, entry })) => {
                    writer.add_document(document)?;
                    sketches.insert(file.path.as_path(), sketch);
                    entry
                }
                // Remembered, so that neither an unreadable file makes every run refresh the index nor one that takes long.
                Ok(None) => Entry::unreadable(&file.path),
                Err(why) => Entry { left_out: Some(why.to_string()), ..Entry::unreadable(&file.path) },
            };
            state.catalogue.insert(file, *bytes, &entry).map_err(|_| Error::Engine)?;
            done += 1;
            (sources.progress)(done, work.read.len());
        }
    }
    writer.commit()?;
    // Without this the writer's threads may outlive the folder in tests.
    writer.wait_merging_threads()?;
    let changed = work.read.iter().map(|(file, _)| &file.path).chain(&work.forget).map(PathBuf::as_path).collect();
    grouping::refresh(&mut state.catalogue, index, fields, &groups, &changed, sketches)
}

/// A cache folder's name: the report folders, the book and the index format, hashed.
fn name_of(sources: &Sources<'_>) -> String {
    let mut print = Fingerprint::new();
    print.add(&VERSION.to_le_bytes());
    print.add(env!("CARGO_PKG_VERSION").as_bytes());
    print.add(sources.book.fingerprint().as_bytes());
    sources.roots.iter().for_each(|root| print.add(root.as_os_str().as_encoded_bytes()));
    format!("index-{}", print.hex())
}

fn read_catalogue(home: &Path) -> Option<Catalogue> {
    Catalogue::from_bytes(fs::read(home.join("catalogue.postcard")).ok()?)
}

fn write_catalogue(home: &Path, catalogue: &Catalogue) -> io::Result<()> {
    files::replace(&home.join("catalogue.postcard"), &catalogue.to_bytes().map_err(io::Error::other)?)
}
