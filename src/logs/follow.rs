//! Logs while they are written, as `tail -F` shows them: a file that is rotated away is read to its end, then the new one
//! of its name from its beginning; one that is cut is read again. Below folders, files are followed whatever their names
//! become, and new ones are found. Pipes, standard input and what is compressed are read to their end.

mod feed;
mod folders;
mod followed;
#[cfg(unix)]
mod signals;
mod sources;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use super::Request;
use super::inputs::{Input, expand};
use crate::files::FileId;
use crate::scan::FaultReport;
use crate::unpack::Outcome;
use feed::Feed;
use folders::{Folders, id_of};
use followed::{Followed, Origin};
#[cfg(unix)]
pub(crate) use signals::repeat;
use sources::Sources;

/// How often files are asked for more.
const PAUSE: Duration = Duration::from_millis(200);

/// Why following ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// There was nothing to follow.
    Nothing,
    /// All inputs ended, as pipes do; whether a fault was found.
    Inputs { found: bool },
    /// Whoever was told wants no more.
    Reader,
    /// This process is to end.
    #[cfg_attr(not(unix), expect(dead_code, reason = "there are no signals"))]
    Signal(i32),
}

/// What a follower tells. An error ends it.
pub(crate) trait Listener {
    /// A fault, as it comes.
    fn fault(&mut self, fault: &FaultReport) -> io::Result<()>;
    /// What happened to a file.
    fn remark(&mut self, remark: &str);
    /// What cannot be read; nothing more comes of it.
    fn failed(&mut self, path: &Path, error: &io::Error);
    /// What was left out of something compressed or of an archive.
    fn unpacked(&mut self, path: &Path, outcome: &Outcome);
}

/// Where faults are found, and who is told.
struct Desk<'d, 'k> {
    request: &'d Request<'k>,
    listener: &'d mut dyn Listener,
    found: bool,
    /// How many inputs there were.
    count: usize,
    /// How many files could not be opened in this round, because too many are open.
    left_out: usize,
}

impl<'d, 'k> Desk<'d, 'k> {
    fn new(request: &'d Request<'k>, listener: &'d mut dyn Listener) -> Self {
        Self { request, listener, found: false, count: 0, left_out: 0 }
    }

    fn begin(&self, path: &Path) -> Feed<'k> {
        Feed::new(self.request.begin(path.display().to_string(), true))
    }

    /// A number for another input.
    fn number(&mut self) -> usize {
        self.count += 1;
        self.count
    }
}

/// Follows files, folders, pipes and standard input (`-`) until the listener has enough, everything is over, or a signal
/// ends the process.
pub(crate) fn follow(arguments: &[PathBuf], request: &Request<'_>, listener: &mut dyn Listener) -> Ended {
    #[cfg(unix)]
    let signals = signals::Signals::listen();
    raise_limit();
    let mut desk = Desk::new(request, listener);
    let mut folders = Folders::new(arguments, Instant::now());
    let mut all = inputs(arguments, &mut desk);
    if all.is_empty() && !arguments.iter().any(|path| path.is_dir()) {
        return Ended::Nothing;
    }
    if all.is_empty() {
        desk.listener.remark("there is no file to follow yet; waiting for one");
    }
    // One piece may wait: what is not read yet stays in the pipe.
    let (send, steps) = sync_channel(1);
    let mut sources = Sources::new(send);
    let mut most_left_out = 0;
    loop {
        let round = round(&mut all, &mut folders, &mut desk, &mut sources);
        let Ok(is_busy) = round else { return Ended::Reader };
        if desk.left_out > most_left_out {
            most_left_out = desk.left_out;
            desk.listener.remark(&format!(
                "{most_left_out} files are left out: so many cannot be open at the same time (`ulimit -n`)"
            ));
        }
        if folders.is_empty() && all.values().all(Followed::is_over) {
            return Ended::Inputs { found: desk.found };
        }
        // While nothing comes, this is the pause.
        let pause = if is_busy { Duration::ZERO } else { PAUSE };
        if let Ok((number, step)) = steps.recv_timeout(pause)
            && let Some(one) = all.get_mut(&number)
            && one.take(step, &mut desk, Instant::now()).is_err()
        {
            return Ended::Reader;
        }
        #[cfg(unix)]
        if let Some(signal) = signals.arrived() {
            return match finish(&mut all, &steps, &mut desk) {
                Ok(()) => Ended::Signal(signal),
                Err(_) => Ended::Reader,
            };
        }
    }
}

/// What is there at the beginning.
fn inputs<'k>(arguments: &[PathBuf], desk: &mut Desk<'_, 'k>) -> BTreeMap<usize, Followed<'k>> {
    let mut all = BTreeMap::new();
    let mut seen: HashSet<FileId> = HashSet::new();
    for input in expand(arguments.to_vec()) {
        let (path, origin) = match input {
            Input::Stdin => (PathBuf::from("-"), Origin::Named),
            // A file that is named may come later.
            Input::File(path) => (path, Origin::Named),
            Input::Below(path) => {
                let id = id_of(&path);
                (path, Origin::Below { id, is_late: false })
            }
            Input::Failed(path, error) => {
                desk.listener.failed(&path, &error);
                continue;
            }
        };
        let id = if path.as_os_str() == "-" { None } else { id_of(&path) };
        // A link to a file that is followed already.
        if id.is_some_and(|id| !seen.insert(id)) && origin != Origin::Named {
            continue;
        }
        let number = desk.number();
        all.insert(number, Followed::new(&path, origin, desk));
    }
    all
}

/// Asks every input for more once; whether there was any.
fn round<'k>(
    all: &mut BTreeMap<usize, Followed<'k>>,
    folders: &mut Folders,
    desk: &mut Desk<'_, 'k>,
    sources: &mut Sources,
) -> io::Result<bool> {
    let mut is_busy = false;
    folders.update(all, desk, Instant::now())?;
    desk.left_out = 0;
    for (&number, one) in all.iter_mut() {
        is_busy |= one.poll(desk, Instant::now(), &mut |job| sources.read(number, job))?;
    }
    Ok(is_busy)
}

/// Tells what is known before the process ends.
#[cfg(unix)]
fn finish<'k>(
    all: &mut BTreeMap<usize, Followed<'k>>,
    steps: &std::sync::mpsc::Receiver<(usize, sources::Step)>,
    desk: &mut Desk<'_, 'k>,
) -> io::Result<()> {
    /// Whoever writes into a pipe may end at the same key, with a last word.
    const LAST_WORD: Duration = Duration::from_millis(50);
    const MOST: usize = 64;
    for (number, step) in std::iter::from_fn(|| steps.recv_timeout(LAST_WORD).ok()).take(MOST) {
        if let Some(one) = all.get_mut(&number) {
            one.take(step, desk, Instant::now())?;
        }
    }
    all.values_mut().try_for_each(|one| one.finish(desk))
}

/// Lets this process have as many files open as the system allows.
fn raise_limit() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, getrlimit, setrlimit};
        let limit = getrlimit(Resource::Nofile);
        // Where it stays as it is, the files that are left out are named.
        let _ = setrlimit(Resource::Nofile, rustix::process::Rlimit { current: limit.maximum, ..limit });
    }
}
