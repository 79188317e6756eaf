//! Logs while they are written, as `tail -F` shows them: a file that is rotated away is read to its end, then the new one
//! of its name from its beginning; one that is cut is read again.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use super::chunks::CHUNK;
use super::threads::Request;
use crate::scan::{FaultReport, Finder, LogScan};

/// How often files are asked for more.
const PAUSE: Duration = Duration::from_millis(200);
/// After so many pauses without more, what is there is read without waiting for lines after it.
const QUIET: u32 = 2;
/// A line that has no end yet waits for it up to this length.
const LINE: usize = 64 * 1024;

/// Why following ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Standard input ended; whether a fault was found.
    Input { found: bool },
    /// Whoever was told wants no more.
    Reader,
}

/// What a follower tells. An error ends it.
pub(crate) trait Listener {
    /// A fault, as it comes.
    fn fault(&mut self, fault: &FaultReport) -> io::Result<()>;
    /// What happened to a file.
    fn remark(&mut self, remark: &str);
}

/// Follows files and standard input (`-`) until the listener has enough, or standard input is over and there is no file.
pub(crate) fn follow(paths: &[PathBuf], finder: &Finder, request: &Request<'_>, listener: &mut dyn Listener) -> Ended {
    let begin = |name: &Path| LogScan::new(name.display().to_string(), request.library, request.since, true);
    let mut files: Vec<Followed<'_>> =
        paths.iter().filter(|path| path.as_os_str() != "-").map(|path| Followed::new(path, begin(path))).collect();
    let mut input = (files.len() < paths.len()).then(|| {
        // One piece may wait: what is not read yet stays in the pipe.
        let (send, pieces) = sync_channel::<Vec<u8>>(1);
        thread::spawn(move || {
            let mut stdin = io::stdin().lock();
            let mut buffer = vec![0; CHUNK];
            loop {
                match stdin.read(&mut buffer) {
                    Ok(0) => return,
                    Err(error) if error.kind() != io::ErrorKind::Interrupted => return,
                    Err(_) => {}
                    Ok(count) if send.send(buffer[..count].to_vec()).is_err() => return,
                    Ok(_) => {}
                }
            }
        });
        (pieces, Feed::new(begin(Path::new("-"))))
    });
    let mut found = false;
    loop {
        let mut is_busy = false;
        for file in &mut files {
            let more = file.poll(finder, listener, &begin);
            is_busy |= more;
            if file.feed.tell(listener, &mut found).is_err() {
                return Ended::Reader;
            }
        }
        if let Some((pieces, feed)) = &mut input {
            let pause = if is_busy { Duration::ZERO } else { PAUSE };
            let is_over = match pieces.recv_timeout(pause) {
                Ok(bytes) => {
                    feed.add(&bytes, finder);
                    false
                }
                Err(RecvTimeoutError::Timeout) => {
                    feed.rest(finder);
                    false
                }
                Err(RecvTimeoutError::Disconnected) => {
                    feed.end(finder);
                    true
                }
            };
            if feed.tell(listener, &mut found).is_err() {
                return Ended::Reader;
            }
            if is_over {
                input = None;
            }
        } else if files.is_empty() {
            return Ended::Input { found };
        } else if !is_busy {
            thread::sleep(PAUSE);
        }
    }
}

/// Bytes of one log as they come.
struct Feed<'k> {
    scan: LogScan<'k>,
    /// The line that has no end yet.
    line: Vec<u8>,
    quiet: u32,
}

impl<'k> Feed<'k> {
    fn new(scan: LogScan<'k>) -> Self {
        Self { scan, line: Vec::new(), quiet: 0 }
    }

    fn add(&mut self, bytes: &[u8], finder: &Finder) {
        self.quiet = 0;
        self.line.extend_from_slice(bytes);
        let end = match memchr::memrchr(b'\n', &self.line) {
            Some(at) => at + 1,
            None if self.line.len() > LINE => self.line.len(),
            None => return,
        };
        let rest = self.line.split_off(end);
        self.scan.push(finder.mark(std::mem::replace(&mut self.line, rest), end));
    }

    /// Nothing more comes for now.
    fn rest(&mut self, finder: &Finder) {
        self.quiet = self.quiet.saturating_add(1);
        if self.quiet == QUIET {
            self.scan.flush();
        }
        // A prompt or a last line never gets an end.
        if self.quiet == 5 * QUIET {
            self.end(finder);
        }
    }

    fn end(&mut self, finder: &Finder) {
        if !self.line.is_empty() {
            let line = std::mem::take(&mut self.line);
            let own = line.len();
            self.scan.push(finder.mark(line, own));
        }
        self.scan.flush();
    }

    fn tell(&mut self, listener: &mut dyn Listener, found: &mut bool) -> io::Result<()> {
        for fault in self.scan.news() {
            *found |= fault.fault.is_some();
            listener.fault(&fault)?;
        }
        Ok(())
    }
}

/// A file by its name.
struct Followed<'k> {
    path: PathBuf,
    open: Option<Open>,
    /// Whether its absence was remarked on.
    is_missed: bool,
    feed: Feed<'k>,
}

struct Open {
    file: File,
    read: u64,
}

impl<'k> Followed<'k> {
    fn new(path: &Path, scan: LogScan<'k>) -> Self {
        Self { path: path.to_owned(), open: None, is_missed: false, feed: Feed::new(scan) }
    }

    /// Reads what is new; whether there was any.
    fn poll(&mut self, finder: &Finder, listener: &mut dyn Listener, begin: &dyn Fn(&Path) -> LogScan<'k>) -> bool {
        if self.open.is_none() {
            match File::open(&self.path) {
                Ok(file) => {
                    if std::mem::take(&mut self.is_missed) {
                        listener.remark(&format!("`{}` is there now", self.path.display()));
                    }
                    self.open = Some(Open { file, read: 0 });
                }
                Err(error) => {
                    if !std::mem::replace(&mut self.is_missed, true) {
                        let why =
                            if error.kind() == io::ErrorKind::NotFound { "is not there yet" } else { "cannot be read" };
                        listener.remark(&format!("`{}` {why}; waiting for it", self.path.display()));
                    }
                    return false;
                }
            }
        }
        let Some(open) = &mut self.open else { return false };
        let is_cut = open.file.metadata().is_ok_and(|about| about.is_file() && about.len() < open.read);
        if is_cut {
            self.feed.end(finder);
            listener.remark(&format!("`{}` was cut; it is read again", self.path.display()));
            if self.feed.tell(listener, &mut false).is_err() {
                return false;
            }
            self.open = None;
            self.feed = Feed::new(begin(&self.path));
            return true;
        }
        let mut bytes = Vec::new();
        let count = (&mut open.file).take(CHUNK as u64).read_to_end(&mut bytes).unwrap_or(0);
        open.read += count as u64;
        if !bytes.is_empty() {
            self.feed.add(&bytes, finder);
            return true;
        }
        let is_another = |about: &Metadata| open.file.metadata().is_ok_and(|own| !is_same(&own, about));
        if fs::metadata(&self.path).is_ok_and(|about| is_another(&about)) {
            self.feed.end(finder);
            if self.feed.tell(listener, &mut false).is_err() {
                return false;
            }
            self.open = None;
            self.feed = Feed::new(begin(&self.path));
            return true;
        }
        self.feed.rest(finder);
        false
    }
}

/// Whether two names lead to one file.
#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Without numbers of files, one of another age.
#[cfg(not(unix))]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    one.created().ok() == other.created().ok()
}
