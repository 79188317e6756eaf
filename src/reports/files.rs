//! Finds and reads the project's bug reports. The only IO of the book besides its configuration.
//!
//! A file that cannot be read, is too large or is in a loop of links becomes a note: one bad file must not hide the
//! others. Only a folder that the user named and that is not there is an error.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{self, AtomicBool};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::{DirEntry, WalkBuilder};

use super::budget::{self, Exceeded};
use super::stamp::Stamp;
use super::{bounds, reading};
use crate::book::matter;
use crate::book::report::Report;
use crate::parallel::in_parallel;
use crate::reports::Error;

/// Larger files are logs kept beside the reports.
pub(super) const LARGEST: u64 = 4 * 1024 * 1024;

/// How deep folders of reports may be nested.
const DEEPEST: usize = 24;

/// How many files and folders are looked at in a folder of reports.
const MOST_ENTRIES: usize = 1_000_000;

/// How many where a link was followed: more are not reports, but what the link led to.
const MOST_WITH_LINKS: usize = 100_000;

/// How many folders under docs/ are looked at for one named `bug_reports`.
const MOST_FOLDERS: usize = 20_000;

/// Files that one thread asks the system about at a time.
const AT_ONCE: usize = 128;

/// Places where projects keep their reports, besides `docs/**/bug_reports`.
const PLACES: [&str; 4] = ["docs/bug_reports", "docs/bugs", "bug_reports", ".faultbook/reports"];

/// Documents about reports, not reports themselves.
const NOT_REPORTS: [&str; 7] =
    ["readme", "index", "template", "bug_report_template", "bug-report-template", "contributing", "changelog"];

/// A file that holds a report, found but not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportFile {
    /// Where it lies, as found.
    pub path: PathBuf,
    /// Its state when it was found.
    pub(crate) stamp: Stamp,
}

impl ReportFile {
    /// The file at a path, as it is now.
    pub fn at(path: PathBuf) -> Self {
        Self { stamp: Stamp::of(&path), path }
    }
}

impl AsRef<Path> for ReportFile {
    fn as_ref(&self) -> &Path {
        &self.path
    }
}

/// Something that was left out, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// On what.
    pub path: PathBuf,
    /// What happened.
    pub message: String,
}

/// The usual places that exist, from `from` upward to the git root; without a git root only `from` itself counts.
pub fn usual_places(from: &Path) -> Vec<PathBuf> {
    let mut out: Vec<PathBuf> = Vec::new();
    for folder in upward(from) {
        let named = PLACES.iter().map(|place| folder.join(place)).filter(|p| p.is_dir());
        for place in named.chain(nested_places(&folder.join("docs"))) {
            if !out.iter().any(|known| place.starts_with(known)) {
                out.push(place);
            }
        }
    }
    out
}

/// `from` and the folders above it, up to and including the one with `.git`.
pub(super) fn upward(from: &Path) -> Vec<PathBuf> {
    let absolute = std::path::absolute(from).unwrap_or_else(|_| from.to_owned());
    let mut out = Vec::new();
    for folder in absolute.ancestors() {
        out.push(folder.to_owned());
        if folder.join(".git").exists() {
            return out;
        }
    }
    out.truncate(1);
    out
}

/// Folders named `bug_reports` anywhere under docs/.
fn nested_places(docs: &Path) -> Vec<PathBuf> {
    if !docs.is_dir() {
        return Vec::new();
    }
    let walk =
        WalkBuilder::new(docs).max_depth(Some(8)).follow_links(false).sort_by_file_name(std::cmp::Ord::cmp).build();
    let folders = walk.take(MOST_FOLDERS).flatten().filter(|entry| entry.file_type().is_some_and(|t| t.is_dir()));
    folders.filter(|entry| entry.file_name() == "bug_reports").map(DirEntry::into_path).collect()
}

/// The report files in a folder, in the order of their paths' bytes. A single file is taken as it is.
///
/// # Errors
/// When `folder` itself is not there or cannot be opened.
pub fn report_files(folder: &Path) -> Result<(Vec<ReportFile>, Vec<Note>), Error> {
    let about = fs::metadata(folder).map_err(|source| Error::read(folder, source))?;
    if about.is_file() {
        return Ok((vec![ReportFile::at(folder.to_owned())], Vec::new()));
    }
    fs::read_dir(folder).map_err(|source| Error::read(folder, source))?;
    let (mut paths, mut notes) = walked(folder);
    paths.sort_unstable_by(|a, b| order(a, b));
    // The system is asked about each file once, here: with many reports that is most of what a short answer costs.
    let looked_at = in_parallel(&paths, AT_ONCE, |path| (Stamp::of(path), has_right_form(path)));
    let mut files = Vec::with_capacity(paths.len());
    for (path, (stamp, has_right_form)) in paths.into_iter().zip(looked_at) {
        match has_right_form {
            _ if stamp.size() > LARGEST => {
                let message = format!("skipped: {} MiB is too large for a report", stamp.size() / (1024 * 1024));
                notes.push(Note { path, message });
            }
            Ok(true) => files.push(ReportFile { path, stamp }),
            Ok(false) => {}
            Err(error) => notes.push(Note { path, message: error.to_string() }),
        }
    }
    notes.sort();
    Ok((files, notes))
}

/// The order of paths by their bytes: comparing them part by part takes a noticeable share of a short answer.
pub(super) fn order(a: &Path, b: &Path) -> Ordering {
    a.as_os_str().as_encoded_bytes().cmp(b.as_os_str().as_encoded_bytes())
}

/// The files of a folder that may be reports by their names, folder by folder.
fn walked(folder: &Path) -> (Vec<PathBuf>, Vec<Note>) {
    // Rules of folders above do not count: the user named this one. Links are followed; the walker reports loops.
    let links = Links::new(folder);
    let (left_out, followed) = (Arc::clone(&links.left_out), Arc::clone(&links.followed));
    let walk = WalkBuilder::new(folder)
        .parents(false)
        .follow_links(true)
        .max_depth(Some(DEEPEST))
        // Of two links to one folder, the same is followed each time.
        .sort_by_file_path(order)
        .filter_entry(move |entry| links.follows(entry))
        .build();
    let (mut paths, mut notes) = (Vec::new(), Vec::new());
    for (count, entry) in walk.enumerate() {
        let most = if followed.load(atomic::Ordering::Relaxed) { MOST_WITH_LINKS } else { MOST_ENTRIES };
        if count >= most {
            let message = format!("only {most} files and folders were looked at");
            notes.push(Note { path: folder.to_owned(), message });
            break;
        }
        match entry {
            Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) && may_be_report(entry.path()) => {
                paths.push(entry.into_path());
            }
            Ok(_) => {}
            Err(error) => {
                let path = error_path(&error).unwrap_or_else(|| folder.to_owned());
                notes.push(Note { path, message: why(&error) });
            }
        }
    }
    notes.append(&mut left_out.lock().unwrap_or_else(PoisonError::into_inner));
    (paths, notes)
}

/// Which links to folders are followed: each folder once, and none that holds the reports themselves, because all that
/// lies beside them would be read.
struct Links {
    /// The folder of reports.
    home: PathBuf,
    /// The project that it belongs to.
    bounds: PathBuf,
    /// Folders that links led to.
    seen: Mutex<HashSet<PathBuf>>,
    /// Whether there is a link that leads somewhere.
    followed: Arc<AtomicBool>,
    left_out: Arc<Mutex<Vec<Note>>>,
}

impl Links {
    fn new(folder: &Path) -> Self {
        let home = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        // Where it really lies, which a link may have led to.
        let bounds = bounds::of(&home);
        Self { home, bounds, seen: Mutex::default(), followed: Arc::default(), left_out: Arc::default() }
    }

    fn follows(&self, entry: &DirEntry) -> bool {
        if entry.depth() == 0 || !entry.path_is_symlink() {
            return true;
        }
        let Ok(target) = entry.path().canonicalize() else { return true };
        self.followed.store(true, atomic::Ordering::Relaxed);
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let mut follow = false;
        let message = if !is_folder && (bounds::hold(&self.bounds, &target) || !may_be_report(entry.path())) {
            return true;
        } else if !is_folder {
            follow = true;
            format!("a link out of the project, to {}", target.display())
        } else if self.home.starts_with(&target) {
            format!("a link to {}, which contains this folder, was not followed", target.display())
        } else if !self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(target.clone()) {
            format!("another link to {} has already been followed", target.display())
        } else if bounds::hold(&self.bounds, &target) {
            return true;
        } else {
            follow = true;
            format!("a link out of the project, to {}", target.display())
        };
        let note = Note { path: entry.path().to_owned(), message };
        self.left_out.lock().unwrap_or_else(PoisonError::into_inner).push(note);
        follow
    }
}

/// Reads one report.
///
/// # Errors
/// When the file cannot be read, or reading it takes too long.
pub fn read_report(path: &Path) -> Result<Report, Error> {
    let its = path.to_owned();
    let exceeded = |why: Exceeded| Error::Exceeded { path: path.to_owned(), why: why.to_string() };
    budget::within(budget::PER_FILE, move || read_unbounded(&its)).map_err(exceeded)?
}

/// [`read_report`] without a limit of time.
///
/// # Errors
/// When the file cannot be read.
pub(super) fn read_unbounded(path: &Path) -> Result<Report, Error> {
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(|source| Error::read(path, source))?;
    file.take(LARGEST).read_to_end(&mut bytes).map_err(|source| Error::read(path, source))?;
    Ok(reading::read(path, &decode(&bytes)))
}

/// Finds and reads all reports of a folder.
///
/// # Errors
/// When `folder` itself is not there or cannot be opened.
pub fn reports(folder: &Path) -> Result<(Vec<Report>, Vec<Note>), Error> {
    let (files, mut notes) = report_files(folder)?;
    let mut out = Vec::with_capacity(files.len());
    for file in files {
        match read_report(&file.path) {
            Ok(report) => out.push(report),
            Err(error) => notes.push(Note { message: full(&error), path: file.path }),
        }
    }
    Ok((out, notes))
}

/// Text of any encoding that people's editors leave: UTF-8, UTF-16 with a mark, and Korean Windows.
pub(crate) fn decode(bytes: &[u8]) -> String {
    if let Some((encoding, _)) = encoding_rs::Encoding::for_bom(bytes) {
        return encoding.decode(bytes).0.into_owned();
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => match encoding_rs::EUC_KR.decode_without_bom_handling(bytes) {
            (text, false) if text.chars().any(|c| matches!(c, '가'..='힣')) => text.into_owned(),
            _ => String::from_utf8_lossy(bytes).into_owned(),
        },
    }
}

fn may_be_report(path: &Path) -> bool {
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let stem = path.file_stem().map(|s| s.to_string_lossy().to_lowercase()).unwrap_or_default();
    matches!(ending.as_str(), "md" | "markdown" | "txt") && !NOT_REPORTS.contains(&stem.as_str())
}

/// A `.txt` file is a report only if it begins with front matter; others are logs.
fn has_right_form(path: &Path) -> std::io::Result<bool> {
    let is_text = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("txt"));
    if !is_text {
        return Ok(true);
    }
    let mut head = Vec::new();
    fs::File::open(path)?.take(4096).read_to_end(&mut head)?;
    Ok(matter::split(&decode_head(&head)).matter.is_some())
}

/// Like [`decode`], for a beginning that may end within a character.
fn decode_head(bytes: &[u8]) -> String {
    match encoding_rs::Encoding::for_bom(bytes) {
        Some((encoding, _)) => encoding.decode(bytes).0.into_owned(),
        None => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// What the system says, without the path, which the note names.
fn why(error: &ignore::Error) -> String {
    match error {
        ignore::Error::WithPath { err, .. }
        | ignore::Error::WithDepth { err, .. }
        | ignore::Error::WithLineNumber { err, .. } => why(err),
        ignore::Error::Loop { ancestor, .. } => format!("a link to its own parent folder {}", ancestor.display()),
        // The walker wraps what the system said into a sentence with the path.
        ignore::Error::Io(said) => match std::error::Error::source(said).or(said.get_ref().map(|inner| inner as _)) {
            Some(inner) => inner.to_string(),
            None => said.to_string(),
        },
        other => other.to_string(),
    }
}

fn error_path(error: &ignore::Error) -> Option<PathBuf> {
    let mut error = error;
    loop {
        match error {
            ignore::Error::WithPath { path, .. } => return Some(path.clone()),
            ignore::Error::Loop { child, .. } => return Some(child.clone()),
            ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => error = err,
            _ => return None,
        }
    }
}

fn full(error: &Error) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
