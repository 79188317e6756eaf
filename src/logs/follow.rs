//! Logs while they are written, as `tail -F` shows them: a file that is rotated away is read to its end, then the new one
//! of its name from its beginning; one that is cut is read again. Pipes and standard input are read to their end.

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek as _, SeekFrom};
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use encoding_rs::Decoder;

use super::chunks::CHUNK;
use super::threads::Request;
use crate::files::is_same;
use crate::scan::{FaultReport, Finder, LogScan};
use crate::{text, unpack};

/// How often files are asked for more.
const PAUSE: Duration = Duration::from_millis(200);
/// So long after the last bytes, what is there is read without waiting for lines after it.
const QUIET: Duration = Duration::from_millis(400);
/// So long after them, a line that has no end is taken for whole: a prompt never gets one.
const STILL: Duration = Duration::from_secs(2);
/// A line that has no end yet waits for it up to this length.
const LINE: usize = 64 * 1024;

/// Why following ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// All inputs ended, as pipes do; whether a fault was found.
    Inputs { found: bool },
    /// Whoever was told wants no more.
    Reader,
}

/// What a follower tells. An error ends it.
pub(crate) trait Listener {
    /// A fault, as it comes.
    fn fault(&mut self, fault: &FaultReport) -> io::Result<()>;
    /// What happened to a file.
    fn remark(&mut self, remark: &str);
    /// What cannot be read; nothing more comes of it.
    fn failed(&mut self, path: &Path, error: &io::Error);
    /// What is compressed or no text, and is not followed.
    fn packed(&mut self, path: &Path);
}

/// Follows files, pipes and standard input (`-`) until the listener has enough, or everything is over.
pub(crate) fn follow(paths: &[PathBuf], finder: &Finder, request: &Request<'_>, listener: &mut dyn Listener) -> Ended {
    // One piece may wait: what is not read yet stays in the pipe.
    let (send, pieces) = sync_channel(1);
    let mut desk = Desk { finder, request, listener, found: false };
    let mut all: Vec<Followed<'_>> = paths.iter().map(|path| Followed::new(path, &desk)).collect();
    loop {
        let mut is_busy = false;
        for (number, one) in all.iter_mut().enumerate() {
            match one.poll(&mut desk, Instant::now(), &|path| listen(path, number, send.clone())) {
                Ok(more) => is_busy |= more,
                Err(_) => return Ended::Reader,
            }
        }
        if all.iter().all(|one| matches!(one.state, State::Over)) {
            return Ended::Inputs { found: desk.found };
        }
        // While nothing comes, this is the pause.
        let pause = if is_busy { Duration::ZERO } else { PAUSE };
        if let Ok((number, piece)) = pieces.recv_timeout(pause)
            && let Some(one) = all.get_mut(number)
            && one.take(piece, &mut desk, Instant::now()).is_err()
        {
            return Ended::Reader;
        }
    }
}

/// What a thread read of a pipe.
type Piece = io::Result<Vec<u8>>;

/// Reads a pipe or standard input on a thread of its own: its writer may not even have opened it. The last piece is empty.
fn listen(path: &Path, number: usize, send: SyncSender<(usize, Piece)>) {
    let path = path.to_owned();
    thread::spawn(move || {
        let opened: io::Result<Box<dyn Read>> = match path.as_os_str() == "-" {
            true => Ok(Box::new(io::stdin().lock())),
            false => File::open(path).map(|file| Box::new(file) as _),
        };
        let mut from = match opened {
            Ok(from) => from,
            Err(error) => return drop(send.send((number, Err(error)))),
        };
        let mut buffer = vec![0; CHUNK];
        loop {
            let piece = match from.read(&mut buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read.map(|count| buffer[..count].to_vec()),
            };
            let is_last = piece.as_ref().map_or(true, Vec::is_empty);
            if send.send((number, piece)).is_err() || is_last {
                return;
            }
        }
    });
}

/// Where faults are found, and who is told.
struct Desk<'d, 'k> {
    finder: &'d Finder,
    request: &'d Request<'k>,
    listener: &'d mut dyn Listener,
    found: bool,
}

impl<'k> Desk<'_, 'k> {
    fn begin(&self, path: &Path) -> Feed<'k> {
        Feed::new(LogScan::new(path.display().to_string(), self.request.library, self.request.since, true))
    }
}

/// Bytes of one log as they come.
struct Feed<'k> {
    scan: LogScan<'k>,
    /// The line that has no end yet.
    line: Vec<u8>,
    /// When the last bytes came.
    last: Option<Instant>,
    wide: Option<Decoder>,
    has_begun: bool,
    /// Whether everything was read that could be read without waiting.
    is_flushed: bool,
}

impl<'k> Feed<'k> {
    fn new(scan: LogScan<'k>) -> Self {
        Self { scan, line: Vec::new(), last: None, wide: None, has_begun: false, is_flushed: true }
    }

    fn add(&mut self, bytes: &[u8], finder: &Finder, now: Instant) {
        (self.last, self.is_flushed) = (Some(now), false);
        let mut bytes = bytes;
        if !mem::replace(&mut self.has_begun, true)
            && let Some((little, mark)) = text::wide(bytes)
        {
            let encoding = if little { encoding_rs::UTF_16LE } else { encoding_rs::UTF_16BE };
            self.wide = Some(encoding.new_decoder_without_bom_handling());
            bytes = &bytes[mark..];
        }
        match &mut self.wide {
            Some(decoder) => {
                let mut decoded = String::with_capacity(decoder.max_utf8_buffer_length(bytes.len()).unwrap_or(0));
                let _ = decoder.decode_to_string(bytes, &mut decoded, false);
                self.line.extend_from_slice(decoded.as_bytes());
            }
            None => self.line.extend_from_slice(bytes),
        }
        let end = match memchr::memrchr(b'\n', &self.line) {
            Some(at) => at + 1,
            None if self.line.len() > LINE => self.line.len(),
            None => return,
        };
        let rest = self.line.split_off(end);
        self.scan.push(finder.mark(mem::replace(&mut self.line, rest), end));
    }

    /// Nothing more comes for now.
    fn rest(&mut self, finder: &Finder, now: Instant) {
        let Some(quiet) = self.last.map(|last| now.saturating_duration_since(last)) else { return };
        if quiet >= QUIET && !mem::replace(&mut self.is_flushed, true) {
            self.scan.flush();
        }
        if quiet >= STILL && !self.line.is_empty() {
            self.end(finder);
        }
    }

    fn end(&mut self, finder: &Finder) {
        if !self.line.is_empty() {
            let line = mem::take(&mut self.line);
            let own = line.len();
            self.scan.push(finder.mark(line, own));
        }
        self.scan.flush();
    }

    fn tell(&mut self, desk: &mut Desk<'_, '_>) -> io::Result<()> {
        for fault in self.scan.news() {
            desk.found |= fault.fault.is_some();
            desk.listener.fault(&fault)?;
        }
        Ok(())
    }
}

/// A file by its name, or a pipe.
struct Followed<'k> {
    path: PathBuf,
    state: State,
    /// Whether it was remarked on that it is not there, or cannot be read.
    is_missed: bool,
    feed: Feed<'k>,
}

enum State {
    /// Not open; which file it was up to where, if reading it failed.
    Closed(Option<(Metadata, u64)>),
    Open(Open),
    /// Read by a thread of its own.
    Pipe,
    Over,
}

struct Open {
    file: File,
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
    fn new(path: &Path, desk: &Desk<'_, 'k>) -> Self {
        Self { path: path.to_owned(), state: State::Closed(None), is_missed: false, feed: desk.begin(path) }
    }

    /// Reads what is new; whether there was any. `listen` begins to read a pipe.
    fn poll(&mut self, desk: &mut Desk<'_, 'k>, now: Instant, listen: &dyn Fn(&Path)) -> io::Result<bool> {
        if let State::Closed(before) = &mut self.state {
            let before = before.take();
            self.open(before, desk, listen)?;
        }
        match &self.state {
            State::Open(open) if open.file.metadata().is_ok_and(|about| about.len() < open.read) => {
                desk.listener.remark(&format!("`{}` was cut; it is read again", self.path.display()));
                self.restart(desk)?;
                Ok(true)
            }
            State::Open(_) => {
                let has_more = self.read(desk, now)?;
                if has_more { Ok(true) } else { self.turn(desk, now) }
            }
            State::Pipe => {
                self.feed.rest(desk.finder, now);
                self.feed.tell(desk)?;
                Ok(false)
            }
            State::Closed(_) | State::Over => Ok(false),
        }
    }

    /// Opens it if it is there.
    fn open(
        &mut self,
        before: Option<(Metadata, u64)>,
        desk: &mut Desk<'_, 'k>,
        listen: &dyn Fn(&Path),
    ) -> io::Result<()> {
        if self.path.as_os_str() == "-" || fs::metadata(&self.path).is_ok_and(|about| !about.is_file()) {
            listen(&self.path);
            self.state = State::Pipe;
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
        let mut read = 0;
        if let Some((was, place)) = before {
            if is_same(&was, &about) && file.seek(SeekFrom::Start(place)).is_ok() {
                read = place;
            } else {
                self.restart(desk)?;
            }
        } else if mem::take(&mut self.is_missed) {
            desk.listener.remark(&format!("`{}` is there now", self.path.display()));
        }
        self.state = State::Open(Open { file, about, read });
        Ok(())
    }

    /// Says once that it cannot be read.
    fn miss(&mut self, error: &io::Error, desk: &mut Desk<'_, 'k>) {
        if !mem::replace(&mut self.is_missed, true) {
            let why = match error.kind() {
                io::ErrorKind::NotFound => "is not there yet".to_owned(),
                _ => format!("cannot be read ({error})"),
            };
            desk.listener.remark(&format!("`{}` {why}; waiting for it", self.path.display()));
        }
    }

    /// Reads what is new in the open file; whether there was any.
    fn read(&mut self, desk: &mut Desk<'_, 'k>, now: Instant) -> io::Result<bool> {
        let State::Open(open) = &mut self.state else { return Ok(false) };
        let is_first = open.read == 0;
        let (bytes, ended) = open.more();
        if is_first && !unpack::is_plain(&bytes) {
            desk.listener.packed(&self.path);
            self.state = State::Over;
            return Ok(true);
        }
        if !bytes.is_empty() {
            self.is_missed = false;
            self.feed.add(&bytes, desk.finder, now);
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
    fn turn(&mut self, desk: &mut Desk<'_, 'k>, now: Instant) -> io::Result<bool> {
        let State::Open(open) = &self.state else { return Ok(false) };
        if fs::metadata(&self.path).is_ok_and(|about| !is_same(&open.about, &about)) {
            // Lines may have come before it was renamed.
            if !self.read(desk, now)? {
                self.restart(desk)?;
            }
            return Ok(true);
        }
        self.feed.rest(desk.finder, now);
        self.feed.tell(desk)?;
        Ok(false)
    }

    /// What has the name is read from its beginning.
    fn restart(&mut self, desk: &mut Desk<'_, 'k>) -> io::Result<()> {
        self.feed.end(desk.finder);
        self.feed.tell(desk)?;
        self.state = State::Closed(None);
        self.feed = desk.begin(&self.path);
        Ok(())
    }

    /// Takes what a thread read.
    fn take(&mut self, piece: Piece, desk: &mut Desk<'_, 'k>, now: Instant) -> io::Result<()> {
        match piece {
            Ok(bytes) if !bytes.is_empty() => self.feed.add(&bytes, desk.finder, now),
            last => {
                self.feed.end(desk.finder);
                self.state = State::Over;
                if let Err(error) = last {
                    desk.listener.failed(&self.path, &error);
                }
            }
        }
        self.feed.tell(desk)
    }
}

#[cfg(test)]
mod tests;
