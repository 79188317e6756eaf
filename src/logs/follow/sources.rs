//! What is read by threads: pipes and standard input, which may say nothing for hours, and compressed files, which take
//! their time and do not grow.

use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, SyncSender, channel};
use std::thread;

use super::super::chunks::CHUNK;
use crate::unpack::{self, Flaw, Outcome, Source};

/// What a thread read.
pub(super) enum Step {
    /// A text begins: the input itself, or a member of it.
    Begin(String),
    Bytes(Vec<u8>),
    /// The text ends, and what ended it early.
    End(Option<Flaw>),
    /// The input is over; what was left out of one that is compressed.
    Over(io::Result<Option<Outcome>>),
}

/// What is to be read.
pub(super) enum Job {
    Pipe(PathBuf),
    Packed(PathBuf),
}

/// Steps, each with the number of its input.
type Steps = SyncSender<(usize, Step)>;

/// The threads.
pub(super) struct Sources {
    steps: Steps,
    /// Files for the one thread that unpacks them.
    packed: Option<Sender<(usize, PathBuf)>>,
}

impl Sources {
    pub(super) fn new(steps: Steps) -> Self {
        Self { steps, packed: None }
    }

    /// Begins to read. A pipe has a thread of its own: its writer may not even have opened it.
    pub(super) fn read(&mut self, number: usize, job: Job) {
        let steps = self.steps.clone();
        match job {
            Job::Pipe(path) => drop(thread::spawn(move || pipe(&path, number, &steps))),
            Job::Packed(path) => {
                let packed = self.packed.get_or_insert_with(|| {
                    let (send, files) = channel::<(usize, PathBuf)>();
                    thread::spawn(move || {
                        files.into_iter().try_for_each(|(number, path)| match File::open(&path) {
                            Ok(file) => unpacked(&path, Source::File(file), number, &steps),
                            Err(error) => send_to(&steps, number, Step::Over(Err(error))),
                        })
                    });
                    send
                });
                // Its thread ends with the follower.
                let _ = packed.send((number, path));
            }
        }
    }
}

/// Whoever follows is gone where it breaks.
fn send_to(steps: &Steps, number: usize, step: Step) -> ControlFlow<()> {
    if steps.send((number, step)).is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

fn pipe(path: &Path, number: usize, steps: &Steps) -> ControlFlow<()> {
    /// How long the first bytes of compressed data are.
    const MAGIC: usize = 6;
    let opened: io::Result<Box<dyn Read>> = match path.as_os_str() == "-" {
        true => Ok(Box::new(io::stdin().lock())),
        false => File::open(path).map(|file| Box::new(file) as _),
    };
    let mut from = match opened {
        Ok(from) => from,
        Err(error) => return send_to(steps, number, Step::Over(Err(error))),
    };
    let mut head = Vec::new();
    while head.len() < MAGIC && !head.contains(&b'\n') {
        match piece(&mut from) {
            Ok(bytes) if bytes.is_empty() => break,
            Ok(bytes) => head.extend_from_slice(&bytes),
            Err(error) => {
                send_to(steps, number, Step::Bytes(head))?;
                return send_to(steps, number, Step::Over(Err(error)));
            }
        }
    }
    if !unpack::is_plain(&head) {
        let from = io::Cursor::new(head).chain(from);
        return unpacked(path, Source::Stream(Box::new(from)), number, steps);
    }
    send_to(steps, number, Step::Bytes(head))?;
    loop {
        match piece(&mut from) {
            Ok(bytes) if bytes.is_empty() => return send_to(steps, number, Step::Over(Ok(None))),
            Ok(bytes) => send_to(steps, number, Step::Bytes(bytes))?,
            Err(error) => return send_to(steps, number, Step::Over(Err(error))),
        }
    }
}

/// What one read gives; nothing at the end.
fn piece(from: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut buffer = vec![0; CHUNK];
    loop {
        match from.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => {
                buffer.truncate(read?);
                return Ok(buffer);
            }
        }
    }
}

/// All texts of something compressed or of an archive.
fn unpacked(path: &Path, source: Source, number: usize, steps: &Steps) -> ControlFlow<()> {
    let (mut failed, mut has_follower) = (None, ControlFlow::Continue(()));
    let outcome = unpack::each(source, unpack::Limits::default(), &mut |log| {
        has_follower = send_to(steps, number, Step::Begin(unpack::name_of(path, log.member).display().to_string()));
        while has_follower.is_continue() {
            match piece(&mut *log) {
                Ok(bytes) if bytes.is_empty() => break,
                Ok(bytes) => has_follower = send_to(steps, number, Step::Bytes(bytes)),
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            }
        }
        if has_follower.is_continue() {
            has_follower = send_to(steps, number, Step::End(log.flaw()));
        }
        has_follower
    });
    has_follower?;
    send_to(steps, number, Step::Over(failed.map_or(outcome, Err).map(Some)))
}
