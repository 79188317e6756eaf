//! Many logs at once: one thread opens them, several mark their chunks, the caller's puts them together in their order.
//!
//! A plain file is read in pieces by whichever thread is free; a compressed one or a stream can only be read from its
//! beginning, by the thread that opens them. As many buffers exist as chunks may be on their way, so that memory does not
//! depend on the logs.

use std::any::Any;
use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::Request;
use super::chunks::{CHUNK, Chunks};
use super::inputs::Input;
use crate::files::FileId;
use crate::scan::{Finder, LOOKAHEAD, LogScan, Marked, Scanned};
use crate::text;
use crate::unpack::{self, Flaw, Outcome, Source};

/// What the caller is told, in the order of the logs.
pub(crate) enum Event {
    /// So many more bytes are read.
    Progress(u64),
    /// A log is read, and what ended it early.
    Log(Scanned, Option<Flaw>),
    /// A log is shorter than it was when it was opened.
    Shrunk(String),
    /// A compressed file, an archive or a stream is read: what was left out.
    Unpacked(PathBuf, Outcome),
    /// What could not be read.
    Failed(PathBuf, io::Error),
}

/// What becomes of a step, in order.
enum Step {
    Begin(String),
    /// A chunk, and why there is no more of it.
    Chunk(Marked, Option<io::Error>),
    End(Option<Flaw>, Option<u64>),
    Event(Event),
    /// There are no more.
    Over,
    /// A defect of ours.
    Panicked(Box<dyn Any + Send>),
}

/// What the marking threads do.
enum Job {
    /// Bytes that are read already, and how many of them are the chunk.
    Bytes(Vec<u8>, usize),
    /// A piece of a file.
    Piece { file: Arc<File>, offset: u64, length: usize, buffer: Vec<u8> },
}

/// Scans logs. An error of `tell` ends it.
pub(crate) fn scan<E>(
    inputs: impl Iterator<Item = Input> + Send + 'static,
    request: &Request<'_>,
    tell: &mut dyn FnMut(Event) -> Result<(), E>,
) -> Result<(), E> {
    let threads = request.threads.max(1);
    let buffers = 3 * threads + 4;
    let (give, free) = channel::<Vec<u8>>();
    (0..buffers).for_each(|_| drop(give.send(Vec::new())));
    let (jobs, todo) = sync_channel(buffers);
    let todo = Mutex::new(todo);
    let (done, steps) = channel::<(u64, Step)>();
    let opener = Opener { number: 0, free, jobs: jobs.clone(), done: done.clone(), seen: HashSet::new() };
    // Nobody waits for it: it may be waiting for standard input.
    thread::spawn(move || opener.run(inputs));
    thread::scope(|scope| {
        // They end here, so that nobody waits for who has left; the steps before the jobs.
        let _stop = Stop { jobs, threads };
        let (give, done, steps) = (give, done, steps);
        for _ in 0..threads {
            let (done, todo, finder) = (done.clone(), &todo, request.finder);
            scope.spawn(move || work(todo, &done, |job: Job| job.mark(finder)));
        }
        drop(done);
        let mut early: BTreeMap<u64, Step> = BTreeMap::new();
        let mut next = 0;
        let mut assembly = Assembly { request, log: None };
        for (number, step) in steps {
            early.insert(number, step);
            while let Some(step) = early.remove(&next) {
                next += 1;
                if matches!(step, Step::Over) {
                    return Ok(());
                }
                let is_chunk = matches!(step, Step::Chunk(..));
                assembly.take(step, tell)?;
                if is_chunk {
                    // The opener is gone when everything is read.
                    let _ = give.send(assembly.log.as_mut().map(LogScan::spare).unwrap_or_default());
                }
            }
        }
        Ok(())
    })
}

/// A job with its number; nothing for who is to end.
type Numbered<J> = Option<(u64, J)>;

/// Ends the marking threads.
struct Stop {
    jobs: SyncSender<Numbered<Job>>,
    threads: usize,
}

impl Drop for Stop {
    fn drop(&mut self) {
        // Where there is no room, every thread has a job left, after which it finds that nobody wants its step.
        (0..self.threads).for_each(|_| drop(self.jobs.try_send(None)));
    }
}

/// Does one job after the other. One that panics is a step too: whoever waits for it would wait for ever.
fn work<J>(todo: &Mutex<Receiver<Numbered<J>>>, done: &Sender<(u64, Step)>, mark: impl Fn(J) -> Step) {
    loop {
        let job = todo.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Some((number, job))) = job else { return };
        let step = catch_unwind(AssertUnwindSafe(|| mark(job))).unwrap_or_else(Step::Panicked);
        if done.send((number, step)).is_err() {
            return;
        }
    }
}

/// Puts steps together.
struct Assembly<'r, 'k> {
    request: &'r Request<'k>,
    log: Option<LogScan<'k>>,
}

impl Assembly<'_, '_> {
    fn take<E>(&mut self, step: Step, tell: &mut dyn FnMut(Event) -> Result<(), E>) -> Result<(), E> {
        match step {
            Step::Begin(name) => {
                self.log = Some(self.request.begin(name, false));
            }
            Step::Chunk(marked, failed) => {
                // What follows a piece that cannot be read is not what the log says there.
                let Some(log) = &mut self.log else { return Ok(()) };
                tell(Event::Progress(marked.bytes.len() as u64))?;
                log.push(marked);
                if let Some(error) = failed
                    && let Some(scanned) = self.log.take().map(LogScan::finish)
                {
                    let path = PathBuf::from(&scanned.file);
                    tell(Event::Log(scanned, None))?;
                    tell(Event::Failed(path, error))?;
                }
            }
            Step::End(flaw, expected) => {
                let Some(scanned) = self.log.take().map(LogScan::finish) else { return Ok(()) };
                if expected.is_some_and(|expected| scanned.bytes < expected) {
                    tell(Event::Shrunk(scanned.file.clone()))?;
                }
                tell(Event::Log(scanned, flaw))?;
            }
            Step::Event(event) => tell(event)?,
            Step::Over => {}
            Step::Panicked(payload) => resume_unwind(payload),
        }
        Ok(())
    }
}

impl Job {
    fn mark(self, finder: &Finder) -> Step {
        match self {
            Self::Bytes(bytes, own) => Step::Chunk(finder.mark(bytes, own), None),
            Self::Piece { file, offset, length, mut buffer } => {
                buffer.resize(length + LOOKAHEAD, 0);
                let (seen, failed) = read_at(&file, &mut buffer, offset);
                buffer.truncate(seen);
                // What cannot be read beyond it is the next piece's.
                let failed = failed.filter(|_| seen < length);
                Step::Chunk(finder.mark(buffer, length.min(seen)), failed)
            }
        }
    }
}

/// Reads as much as there is: how much that was, and why it is no more.
#[cfg(unix)]
fn read_at(file: &File, into: &mut [u8], offset: u64) -> (usize, Option<io::Error>) {
    use std::os::unix::fs::FileExt as _;
    let mut seen = 0;
    while seen < into.len() {
        match file.read_at(&mut into[seen..], offset + seen as u64) {
            Ok(0) => break,
            Ok(count) => seen += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (seen, Some(error)),
        }
    }
    (seen, None)
}

/// Elsewhere plain files are streams.
#[cfg(not(unix))]
fn read_at(_: &File, _: &mut [u8], _: u64) -> (usize, Option<io::Error>) {
    (0, None)
}

/// Opens logs and hands out their chunks. Whoever listened is gone where it breaks.
struct Opener {
    /// Of the next step.
    number: u64,
    free: Receiver<Vec<u8>>,
    jobs: SyncSender<Numbered<Job>>,
    done: Sender<(u64, Step)>,
    /// The files that were opened.
    seen: HashSet<FileId>,
}

impl Opener {
    fn run(mut self, inputs: impl Iterator<Item = Input>) {
        let mut inputs = inputs;
        let ended = catch_unwind(AssertUnwindSafe(|| inputs.try_for_each(|input| self.input(input))));
        let last = match ended {
            Ok(ControlFlow::Continue(())) => Step::Over,
            Ok(ControlFlow::Break(())) => return,
            Err(payload) => Step::Panicked(payload),
        };
        // Who has left needs no end.
        let _ = self.step(last);
    }

    fn step(&mut self, step: Step) -> ControlFlow<()> {
        let number = self.number;
        self.number += 1;
        flow(self.done.send((number, step)).is_ok())
    }

    fn job(&mut self, job: Job) -> ControlFlow<()> {
        let number = self.number;
        self.number += 1;
        flow(self.jobs.send(Some((number, job))).is_ok())
    }

    fn input(&mut self, input: Input) -> ControlFlow<()> {
        let (path, is_named) = match input {
            Input::Stdin => return self.unpacked(Path::new("-"), Source::Stream(Box::new(io::stdin())), Wanted::All),
            Input::Failed(path, error) => return self.step(Step::Event(Event::Failed(path, error))),
            Input::File(path) => (path, true),
            Input::Below(path) => (path, false),
        };
        match self.file(&path, is_named) {
            Ok(flow) => flow,
            Err(error) => self.step(Step::Event(Event::Failed(path, error))),
        }
    }

    fn file(&mut self, path: &Path, is_named: bool) -> io::Result<ControlFlow<()>> {
        if is_named && let Some((archive, member)) = unpack::member_of(path) {
            let source = Source::File(File::open(archive)?);
            return Ok(self.unpacked(archive, source, Wanted::Member(&member)));
        }
        let wanted = if is_named { Wanted::All } else { Wanted::Logs };
        let mut file = File::open(path)?;
        let about = file.metadata()?;
        if about.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        // Below a folder, a link to a log that was read is not another log.
        if FileId::of(&about).is_some_and(|id| !self.seen.insert(id)) && !is_named && about.is_file() {
            return Ok(ControlFlow::Continue(()));
        }
        // Pipes, devices and files of the kernel have no length.
        if !about.is_file() || about.len() == 0 || !cfg!(unix) {
            return Ok(self.unpacked(path, Source::File(file), wanted));
        }
        let mut head = Vec::new();
        (&mut file).take(4096).read_to_end(&mut head)?;
        file.rewind()?;
        if !unpack::is_plain(&head) || text::wide(&head).is_some() {
            return Ok(self.unpacked(path, Source::File(file), wanted));
        }
        if !is_named && !text::is_text(&head) {
            return Ok(ControlFlow::Continue(()));
        }
        Ok(self.pieces(path, file, about.len()))
    }

    /// A plain file.
    fn pieces(&mut self, path: &Path, file: File, length: u64) -> ControlFlow<()> {
        let file = Arc::new(file);
        self.step(Step::Begin(path.display().to_string()))?;
        let mut offset = 0;
        while offset < length {
            let Ok(buffer) = self.free.recv() else { return ControlFlow::Break(()) };
            let own = (length - offset).min(CHUNK as u64);
            self.job(Job::Piece { file: Arc::clone(&file), offset, length: own as usize, buffer })?;
            offset += own;
        }
        self.step(Step::End(None, Some(length)))
    }

    /// A stream to its end, or to where it cannot be read.
    fn stream(&mut self, name: String, from: impl io::Read, failed: &mut Option<io::Error>) -> ControlFlow<()> {
        self.step(Step::Begin(name))?;
        let mut chunks = Chunks::new(from);
        loop {
            let Ok(mut buffer) = self.free.recv() else { return ControlFlow::Break(()) };
            let next = chunks.next(&mut buffer).unwrap_or_else(|error| {
                *failed = Some(error);
                None
            });
            match next {
                Some(own) => self.job(Job::Bytes(buffer, own))?,
                None => {
                    buffer.clear();
                    return self.job(Job::Bytes(buffer, 0));
                }
            }
        }
    }

    /// Anything else, read by this thread.
    fn unpacked(&mut self, path: &Path, source: Source, wanted: Wanted<'_>) -> ControlFlow<()> {
        let mut has_listener = ControlFlow::Continue(());
        let (mut failed, mut is_there) = (None, false);
        let outcome = unpack::each(source, unpack::Limits::default(), &mut |log| {
            if matches!(wanted, Wanted::Member(member) if member != log.member) {
                return ControlFlow::Continue(());
            }
            is_there = true;
            let name = unpack::name_of(path, log.member).display().to_string();
            has_listener = self.stream(name, &mut *log, &mut failed);
            if has_listener.is_continue() {
                has_listener = self.step(Step::End(log.flaw(), None));
            }
            has_listener
        });
        has_listener?;
        if let Some(error) = failed {
            self.step(Step::Event(Event::Failed(path.to_owned(), error)))?;
        }
        self.step(Step::Event(match (outcome, wanted) {
            (Err(error), _) => Event::Failed(path.to_owned(), error),
            (Ok(_), Wanted::Member(_)) if is_there => return ControlFlow::Continue(()),
            (Ok(_), Wanted::Member(member)) => {
                Event::Failed(unpack::name_of(path, member), io::ErrorKind::NotFound.into())
            }
            (Ok(outcome), Wanted::All) => Event::Unpacked(path.to_owned(), outcome),
            (Ok(outcome), Wanted::Logs) => match outcome.of_logs() {
                Some(outcome) => Event::Unpacked(path.to_owned(), outcome),
                None => return ControlFlow::Continue(()),
            },
        }))
    }
}

/// What is wanted of a file.
#[derive(Clone, Copy)]
enum Wanted<'m> {
    /// It was named: what is not a log is worth a word.
    All,
    /// It lies below a folder: only logs.
    Logs,
    /// This member of an archive.
    Member(&'m str),
}

fn flow(goes_on: bool) -> ControlFlow<()> {
    if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

/// The length of all files that were named, for a picture of progress; unknown with anything else and with what is
/// compressed, of which more comes out.
pub(crate) fn total(arguments: &[PathBuf]) -> Option<u64> {
    arguments.iter().map(|path| plain_length(path)).sum()
}

fn plain_length(path: &Path) -> Option<u64> {
    let length = fs::metadata(path).ok().filter(fs::Metadata::is_file)?.len();
    let mut head = Vec::new();
    File::open(path).ok()?.take(4096).read_to_end(&mut head).ok()?;
    (unpack::is_plain(&head) && text::wide(&head).is_none()).then_some(length)
}

#[cfg(test)]
mod tests;
