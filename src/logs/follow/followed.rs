//! One file that is followed, or one pipe.

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek as _, SeekFrom};
use std::mem;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::super::chunks::CHUNK;
use super::Desk;
use super::feed::Feed;
use super::sources::{Job, Step};
use crate::files::{FileId, is_same};
use crate::{text, unpack};

/// A file or a pipe.
pub(super) struct Followed<'k> {
    pub(super) path: PathBuf,
    pub(super) state: State,
    pub(super) origin: Origin,
    /// Whether it was remarked on that it is not there, or cannot be read.
    is_missed: bool,
    pub(super) feed: Feed<'k>,
}

/// How it came to be followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// It was named: whatever file has that name is followed.
    Named,
    /// It lies below a folder: this file is followed, whatever its name becomes.
    Below {
        id: Option<FileId>,
        /// Whether it was not there when following began.
        is_late: bool,
    },
}

pub(super) enum State {
    /// Not open; which file it was up to where, if reading it failed.
    Closed(Option<(Metadata, u64)>),
    Open(Open),
    /// Read by a thread.
    Threaded,
    Over,
}

pub(super) struct Open {
    pub(super) file: File,
    /// As it was opened.
    about: Metadata,
    read: u64,
}

impl Open {
    /// What is new, and what ended it.
    fn more(&mut self) -> (Vec<u8>, io::Result<()>) {
        let mut bytes = Vec::new();
        let read = (&mut self.file).take(CHUNK as u64).read_to_end(&mut bytes);
        self.read += bytes.len() as u64;
        (bytes, read.map(drop))
    }
}

impl<'k> Followed<'k> {
    pub(super) fn new(path: &Path, origin: Origin, desk: &Desk<'_, 'k>) -> Self {
        Self { path: path.to_owned(), state: State::Closed(None), origin, is_missed: false, feed: desk.begin(path) }
    }

    pub(super) fn is_over(&self) -> bool {
        matches!(self.state, State::Over)
    }

    fn is_named(&self) -> bool {
        self.origin == Origin::Named
    }

    /// Its file has another name now.
    pub(super) fn rename(&mut self, path: PathBuf) {
        self.feed.rename(path.display().to_string());
        self.path = path;
    }

    /// Reads what is new; whether there was any. `read` begins to read what a thread must read.
    pub(super) fn poll(
        &mut self,
        desk: &mut Desk<'_, 'k>,
        now: Instant,
        read: &mut dyn FnMut(Job),
    ) -> io::Result<bool> {
        if let State::Closed(before) = &mut self.state {
            let before = before.take();
            self.open(before, desk, read)?;
        }
        match &self.state {
            State::Open(open) if open.file.metadata().is_ok_and(|about| about.len() < open.read) => {
                desk.listener.remark(&format!("`{}` was cut; it is read again", self.path.display()));
                self.restart(desk)?;
                Ok(true)
            }
            State::Open(_) => {
                let has_more = self.read(desk, now, read)?;
                if has_more { Ok(true) } else { self.turn(desk, now, read) }
            }
            State::Threaded => {
                self.feed.rest(desk.request.finder, now);
                self.feed.tell(desk)?;
                Ok(false)
            }
            State::Closed(_) | State::Over => Ok(false),
        }
    }

    /// Opens it if it is there.
    pub(super) fn open(
        &mut self,
        before: Option<(Metadata, u64)>,
        desk: &mut Desk<'_, 'k>,
        read: &mut dyn FnMut(Job),
    ) -> io::Result<()> {
        if self.path.as_os_str() == "-" || fs::metadata(&self.path).is_ok_and(|about| !about.is_file()) {
            read(Job::Pipe(self.path.clone()));
            self.state = State::Threaded;
            return Ok(());
        }
        let opened = File::open(&self.path).and_then(|file| Ok((file.metadata()?, file)));
        let (about, mut file) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                self.state = State::Closed(before);
                self.miss(&error, desk);
                return Ok(());
            }
        };
        if matches!(self.origin, Origin::Below { id: Some(id), .. } if FileId::of(&about) != Some(id)) {
            // Another file has the name by now; the folder is listed again soon.
            self.state = State::Closed(before);
            return Ok(());
        }
        let mut place = 0;
        if let Some((was, read)) = before {
            if is_same(&was, &about) && file.seek(SeekFrom::Start(read)).is_ok() {
                place = read;
            } else {
                self.restart(desk)?;
            }
        } else if mem::take(&mut self.is_missed) {
            desk.listener.remark(&format!("`{}` is there now", self.path.display()));
        }
        self.state = State::Open(Open { file, about, read: place });
        Ok(())
    }

    /// Says once that it cannot be read.
    fn miss(&mut self, error: &io::Error, desk: &mut Desk<'_, 'k>) {
        if is_limit(error) {
            desk.left_out += 1;
            return;
        }
        // Below a folder, a file that is gone is not missed.
        let is_gone = error.kind() == io::ErrorKind::NotFound;
        if mem::replace(&mut self.is_missed, true) || is_gone && !self.is_named() {
            return;
        }
        let why = if is_gone { "is not there yet".to_owned() } else { format!("cannot be read ({error})") };
        desk.listener.remark(&format!("`{}` {why}; waiting for it", self.path.display()));
    }

    /// Reads what is new in the open file; whether there was any.
    fn read(&mut self, desk: &mut Desk<'_, 'k>, now: Instant, read: &mut dyn FnMut(Job)) -> io::Result<bool> {
        let is_named = self.is_named();
        let State::Open(open) = &mut self.state else { return Ok(false) };
        let is_first = open.read == 0;
        let (bytes, ended) = open.more();
        if is_first && !unpack::is_plain(&bytes) {
            // What is compressed while its folder is followed was followed before.
            self.state = match self.origin {
                Origin::Below { is_late: true, .. } => State::Over,
                _ => State::Threaded,
            };
            if !self.is_over() {
                read(Job::Packed(self.path.clone()));
            }
            return Ok(true);
        }
        if is_first && !is_named && !text::is_text(&bytes) {
            self.state = State::Over;
            return Ok(true);
        }
        if !bytes.is_empty() {
            self.is_missed = false;
            self.feed.add(&bytes, desk.request.finder, now);
        }
        if let Err(error) = ended {
            // The server of a network's files may be another one by now.
            self.state = State::Closed(Some((open.about.clone(), open.read)));
            self.miss(&error, desk);
        }
        self.feed.tell(desk)?;
        Ok(!bytes.is_empty())
    }

    /// There was nothing more to read: whether another file has the name now.
    pub(super) fn turn(
        &mut self,
        desk: &mut Desk<'_, 'k>,
        now: Instant,
        read: &mut dyn FnMut(Job),
    ) -> io::Result<bool> {
        let State::Open(open) = &self.state else { return Ok(false) };
        let goes_by_name = !matches!(self.origin, Origin::Below { id: Some(_), .. });
        if goes_by_name && fs::metadata(&self.path).is_ok_and(|about| !is_same(&open.about, &about)) {
            // Lines may have come before it was renamed.
            if !self.read(desk, now, read)? {
                self.restart(desk)?;
            }
            return Ok(true);
        }
        self.feed.rest(desk.request.finder, now);
        self.feed.tell(desk)?;
        Ok(false)
    }

    /// What has the name is read from its beginning.
    fn restart(&mut self, desk: &mut Desk<'_, 'k>) -> io::Result<()> {
        self.feed.end(desk.request.finder);
        self.feed.tell(desk)?;
        self.state = State::Closed(None);
        self.feed = desk.begin(&self.path);
        Ok(())
    }

    /// Takes what a thread read.
    pub(super) fn take(&mut self, step: Step, desk: &mut Desk<'_, 'k>, now: Instant) -> io::Result<()> {
        match step {
            Step::Begin(name) => {
                self.feed = desk.begin(Path::new(&name));
                return Ok(());
            }
            Step::Bytes(bytes) => self.feed.add(&bytes, desk.request.finder, now),
            Step::End(flaw) => {
                self.feed.end(desk.request.finder);
                if let Some(flaw) = flaw {
                    desk.listener.remark(&format!("{}: {}", self.feed.file(), flaw.note()));
                }
            }
            Step::Over(outcome) => {
                self.feed.end(desk.request.finder);
                self.state = State::Over;
                let is_named = self.is_named();
                match outcome {
                    Ok(outcome) => {
                        let outcome = outcome.and_then(|all| if is_named { Some(all) } else { all.of_logs() });
                        outcome.iter().for_each(|outcome| desk.listener.unpacked(&self.path, outcome));
                    }
                    Err(error) => desk.listener.failed(&self.path, &error),
                }
            }
        }
        self.feed.tell(desk)
    }

    /// Reads what is there once more, and the line that has no end.
    pub(super) fn finish(&mut self, desk: &mut Desk<'_, 'k>) -> io::Result<()> {
        self.read(desk, Instant::now(), &mut |_| ())?;
        self.feed.end(desk.request.finder);
        self.feed.tell(desk)
    }

    /// Reads a file to its end that nobody finds any more.
    pub(super) fn leave(&mut self, desk: &mut Desk<'_, 'k>) -> io::Result<()> {
        while self.read(desk, Instant::now(), &mut |_| ())? {}
        self.finish(desk)
    }
}

/// Whether no more files may be open at a time.
fn is_limit(error: &io::Error) -> bool {
    #[cfg(unix)]
    let limits = [rustix::io::Errno::MFILE, rustix::io::Errno::NFILE].map(rustix::io::Errno::raw_os_error);
    #[cfg(not(unix))]
    let limits: [i32; 0] = [];
    error.raw_os_error().is_some_and(|number| limits.contains(&number))
}
