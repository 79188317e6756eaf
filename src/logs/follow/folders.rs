//! Which files lie below the folders that are followed: new ones, renamed ones, and those that are gone.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::super::inputs::{Input, expand, is_pattern};
use super::Desk;
use super::followed::{Followed, Origin, State};
use crate::files::FileId;

/// How often folders are listed, unless that takes long.
const PAUSE: Duration = Duration::from_secs(1);
/// A listing may take one part in so many of the time.
const SHARE: u32 = 20;

/// Folders and patterns.
pub(super) struct Folders {
    arguments: Vec<PathBuf>,
    due: Instant,
    /// By the number of a file, since how many listings it is gone.
    gone: HashMap<usize, u32>,
}

/// What lies below them.
struct Listing {
    /// By what each file is known by, one of its names.
    listed: HashMap<FileId, PathBuf>,
    unnumbered: Vec<PathBuf>,
    /// Whether nothing else is there.
    is_whole: bool,
}

impl Folders {
    pub(super) fn new(arguments: &[PathBuf], now: Instant) -> Self {
        let is_folder = |path: &&PathBuf| path.is_dir() || is_pattern(path);
        let arguments = arguments.iter().filter(is_folder).cloned().collect();
        Self { arguments, due: now + PAUSE, gone: HashMap::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.arguments.is_empty()
    }

    /// Lists them again, if it is time.
    pub(super) fn update<'k>(
        &mut self,
        all: &mut BTreeMap<usize, Followed<'k>>,
        desk: &mut Desk<'_, 'k>,
        now: Instant,
    ) -> io::Result<()> {
        if self.is_empty() || now < self.due {
            return Ok(());
        }
        let mut listed: HashMap<FileId, PathBuf> = HashMap::new();
        let mut unnumbered = Vec::new();
        let mut is_whole = true;
        for input in expand(self.arguments.clone()) {
            match input {
                Input::Below(path) => match id_of(&path) {
                    Some(id) => drop(listed.entry(id).or_insert(path)),
                    None => unnumbered.push(path),
                },
                // What cannot be listed now may still be there.
                Input::Failed(_, error) => is_whole &= error.kind() == io::ErrorKind::NotFound,
                Input::File(_) | Input::Stdin => {}
            }
        }
        self.keep(all, desk, Listing { listed, unnumbered, is_whole })?;
        let took = now.elapsed();
        self.due = Instant::now() + PAUSE.max(took * SHARE);
        Ok(())
    }

    /// Compares what is followed with what is there.
    fn keep<'k>(
        &mut self,
        all: &mut BTreeMap<usize, Followed<'k>>,
        desk: &mut Desk<'_, 'k>,
        listing: Listing,
    ) -> io::Result<()> {
        let Listing { mut listed, mut unnumbered, is_whole } = listing;
        let mut left = Vec::new();
        for (&number, one) in all.iter_mut() {
            match one.origin {
                Origin::Below { id: Some(id), .. } => match listed.remove(&id) {
                    Some(path) => {
                        self.gone.remove(&number);
                        if path != one.path && id_of(&one.path) != Some(id) {
                            one.rename(path);
                        }
                    }
                    None if !is_whole => {}
                    None => {
                        // While a listing is made, a file that is renamed may be on neither side.
                        let times = self.gone.entry(number).or_insert(0);
                        *times += 1;
                        if *times > 1 {
                            left.push(number);
                        }
                    }
                },
                Origin::Below { id: None, .. } => unnumbered.retain(|path| *path != one.path),
                // A file that is named is followed by its name only.
                Origin::Named => {
                    id_of(&one.path).map(|id| listed.remove(&id));
                    unnumbered.retain(|path| *path != one.path);
                }
            }
        }
        for number in left {
            // One that a thread reads ends by itself.
            if let Some(one) = all.get_mut(&number).filter(|one| !matches!(one.state, State::Threaded)) {
                one.leave(desk)?;
                all.remove(&number);
                self.gone.remove(&number);
            }
        }
        let mut paths: Vec<(PathBuf, Option<FileId>)> = listed.into_iter().map(|(id, path)| (path, Some(id))).collect();
        paths.extend(unnumbered.into_iter().map(|path| (path, None)));
        paths.sort();
        for (path, id) in paths {
            let number = desk.number();
            all.insert(number, Followed::new(&path, Origin::Below { id, is_late: true }, desk));
        }
        Ok(())
    }
}

/// What a file is known by.
pub(super) fn id_of(path: &Path) -> Option<FileId> {
    fs::metadata(path).ok().as_ref().and_then(FileId::of)
}
