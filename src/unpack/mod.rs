//! Compressed logs and archives of logs, as streams of text. What a file is, its first bytes say, not its name.
//!
//! Nothing is extracted: members are read one after the other, in the order of the archive. Memory stays bounded,
//! whatever a file unpacks to ([`Limits`]). Of a damaged file, what comes before the damage is read ([`Flaw`]).

mod archives;
mod kind;
mod streams;
#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::render::clean;
use crate::render::words::thousands;
use crate::text;
use kind::Kind;
use streams::{Guard, Peeked};

/// How far unpacking goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// So many bytes may come out of any input.
    pub(crate) free: u64,
    /// Beyond [`Limits::free`], so many bytes for each byte of the input: what yields more is a decompression bomb.
    /// Logs are compressed 5 to 50 times.
    pub(crate) ratio: u64,
    /// The number of texts in one archive.
    pub(crate) logs: usize,
    /// The number of members of one archive, of any kind.
    pub(crate) members: usize,
    /// Layers: a tar file compressed with gzip in a ZIP archive has three.
    pub(crate) depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { free: 1 << 30, ratio: 500, logs: 100, members: 10_000, depth: 4 }
    }
}

/// Where bytes come from.
pub(crate) enum Source {
    File(File),
    /// A pipe: a ZIP archive in it is kept in a temporary file without a name, because its directory is at its end.
    Stream(Box<dyn Read>),
}

/// Why reading ended before its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// The compressed data or the archive ends in the middle.
    Cut(&'static str),
    /// It cannot be what was once written.
    Broken(&'static str),
    /// A decompression bomb: more than so many times its size, after so many bytes.
    Bomb { ratio: u64, after: u64 },
}

impl fmt::Display for Flaw {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cut(what) => write!(out, "the {what} ends early"),
            Self::Broken(what) => write!(out, "the {what} is damaged"),
            Self::Bomb { ratio, after } => {
                let unit = if *after >= 1 << 20 { (1 << 20, "MiB") } else { (1, "bytes") };
                let after = thousands(after / unit.0);
                write!(
                    out,
                    "the file unpacks to more than {ratio} times its size and was not read beyond {after} {}",
                    unit.1
                )
            }
        }
    }
}

impl Flaw {
    /// What the reader of a text should know that ended so.
    pub(crate) fn note(&self) -> String {
        match self {
            Self::Bomb { .. } => self.to_string(),
            Self::Cut(_) | Self::Broken(_) => format!("{self}: only what comes before that was read"),
        }
    }

    /// Why nothing could be read.
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::Cut(what) => match kind::block(what) {
                Some(block) => {
                    format!("{self}, within its first block of up to {block}, which can only be unpacked whole")
                }
                None => self.to_string(),
            },
            _ => self.to_string(),
        }
    }
}

/// Why a member of an archive is no log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Skip {
    /// A picture, a program, anything but text.
    NoText(&'static str),
    Encrypted,
    /// An unknown compression, or too many layers.
    Unknown,
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// The number of texts that were visited.
    pub(crate) logs: usize,
    /// Members that were left out, with the reason.
    pub(crate) skipped: Vec<(String, Skip)>,
    /// The input itself is no text: what it is, and what to do with it.
    pub(crate) refusal: Option<(&'static str, &'static str)>,
    /// What ended the reading outside of any text.
    pub(crate) flaw: Option<Flaw>,
    /// "ZIP archive", "tar archive"; of several within each other, the outermost.
    pub(crate) archive: Option<&'static str>,
    /// Whether a limit left out members.
    pub(crate) has_more: bool,
}

impl Outcome {
    /// The same for somebody who wants logs only, wherever they are: what is none is not missed.
    pub(crate) fn of_logs(mut self) -> Option<Self> {
        if self.refusal.is_some() {
            return None;
        }
        self.skipped.retain(|(_, why)| !matches!(why, Skip::NoText(_)));
        let has_more_to_say = self.logs > 0 || self.flaw.is_some() || !self.skipped.is_empty();
        has_more_to_say.then_some(self)
    }
}

/// One text.
pub(crate) struct Log<'a> {
    /// The path in the archive, fit for a terminal; empty for a text that is in none.
    pub(crate) member: &'a str,
    /// Whether it is the file as it lies there.
    pub(crate) is_plain: bool,
    reader: &'a mut dyn Read,
    state: &'a State,
}

impl Log<'_> {
    /// Why it ended early, once it is read.
    pub(crate) fn flaw(&self) -> Option<Flaw> {
        self.state.flaw.borrow().clone()
    }
}

impl Read for Log<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.reader.read(into)
    }
}

/// Receives each text; `Break` ends the reading.
pub(crate) type Visit<'v> = dyn FnMut(&mut Log<'_>) -> ControlFlow<()> + 'v;

/// Calls `visit` for each text of an input: for itself, or for the members of an archive.
///
/// # Errors
/// If the input itself cannot be read. Damage is no error: a text ends there, see [`Log::flaw`].
pub(crate) fn each(from: Source, limits: Limits, visit: &mut Visit<'_>) -> io::Result<Outcome> {
    let state = State::new(limits);
    let mut walker = Walker { state: &state, visit, outcome: Outcome::default(), is_over: false, last_flaw: None };
    match from {
        Source::File(mut file) => {
            let about = file.metadata()?;
            state.packed.set(about.len());
            let mut head = [0; 4];
            let mut length = 0;
            while about.is_file() && length < head.len() {
                match file.read(&mut head[length..])? {
                    0 => break,
                    count => length += count,
                }
            }
            if about.is_file() {
                file.seek(SeekFrom::Start(0))?;
            }
            let mut source = Counted { inner: file, state: &state, counts: !about.is_file() };
            match kind::of(&head[..length]) {
                Kind::Zip => archives::zip(&mut walker, &mut source, "", 0)?,
                _ => walker.stream("", &mut source, 0)?,
            }
        }
        Source::Stream(inner) => {
            let mut source = Counted { inner, state: &state, counts: true };
            walker.stream("", &mut source, 0)?;
        }
    }
    Ok(walker.outcome)
}

/// Whether a file that begins so is a text as it lies there, in no archive and not compressed.
pub(crate) fn is_plain(head: &[u8]) -> bool {
    matches!(kind::of(head), Kind::Text)
}

/// The file and the member that a path such as `logs.zip/node3/rank0.log` names: the file is there, the path is not.
pub(crate) fn member_of(path: &Path) -> Option<(&Path, String)> {
    if path.exists() {
        return None;
    }
    let file = path.ancestors().skip(1).find(|above| above.is_file())?;
    let member = path.strip_prefix(file).ok()?;
    Some((file, member.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")))
}

/// What a log is called that is read from this file, or from standard input (`-`).
pub(crate) fn name_of(path: &Path, member: &str) -> PathBuf {
    match member {
        "" => path.to_owned(),
        member if path == Path::new("-") => PathBuf::from(member),
        member => PathBuf::from(format!("{}/{member}", path.display())),
    }
}

/// What all layers share.
struct State {
    limits: Limits,
    /// Bytes of the input.
    packed: Cell<u64>,
    /// Bytes that came out of any layer.
    unpacked: Cell<u64>,
    /// What ended the current text.
    flaw: RefCell<Option<Flaw>>,
    /// Whether the input is a bomb: every layer ends then.
    is_bomb: Cell<bool>,
    /// Whether reading the input failed, which is not damage.
    failed: Cell<bool>,
}

impl State {
    fn new(limits: Limits) -> Self {
        Self {
            limits,
            packed: Cell::new(0),
            unpacked: Cell::new(0),
            flaw: RefCell::new(None),
            is_bomb: Cell::new(false),
            failed: Cell::new(false),
        }
    }

    /// Counts what a layer yielded.
    fn unpack(&self, count: usize) {
        let unpacked = self.unpacked.get() + count as u64;
        self.unpacked.set(unpacked);
        let Limits { free, ratio, .. } = self.limits;
        if unpacked > free && unpacked > self.packed.get().saturating_mul(ratio) {
            self.is_bomb.set(true);
            *self.flaw.borrow_mut() = Some(Flaw::Bomb { ratio, after: unpacked });
        }
    }

    /// Remembers what ended a text, unless something else ended it before.
    fn end(&self, flaw: Flaw) {
        self.flaw.borrow_mut().get_or_insert(flaw);
    }
}

/// The input, counted.
struct Counted<'s, R> {
    inner: R,
    state: &'s State,
    /// Whether its length is not known from the start.
    counts: bool,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into);
        match &read {
            Ok(count) if self.counts => self.state.packed.set(self.state.packed.get() + *count as u64),
            Err(error) if error.kind() != io::ErrorKind::Interrupted => self.state.failed.set(true),
            _ => {}
        }
        read
    }
}

impl<R: Seek> Seek for Counted<'_, R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

/// Goes through an input.
struct Walker<'w, 'v> {
    state: &'w State,
    visit: &'w mut Visit<'v>,
    outcome: Outcome,
    /// Whether nothing more is wanted.
    is_over: bool,
    /// What ended the last text.
    last_flaw: Option<Flaw>,
}

impl Walker<'_, '_> {
    /// Reads one stream: a text, or what is packed in it. `member` is empty outside of archives.
    fn stream(&mut self, member: &str, from: &mut dyn Read, depth: usize) -> io::Result<()> {
        let mut from = Peeked::new(from)?;
        let kind = kind::of(from.head());
        if depth >= self.state.limits.depth && matches!(kind, Kind::Compressed(_) | Kind::Tar | Kind::Zip) {
            self.skip(member, Skip::Unknown);
            return Ok(());
        }
        match kind {
            Kind::Compressed(codec) => {
                let mut reader = Guard::new(codec.reader(&mut from), codec.name(), self.state);
                self.stream(member, &mut reader, depth + 1)
            }
            Kind::Tar => archives::tar(self, &mut from, member, depth),
            Kind::Zip => archives::zip_in_stream(self, &mut from, member, depth),
            Kind::Other(what, how) if member.is_empty() => {
                self.outcome.refusal = Some((what, how));
                Ok(())
            }
            Kind::Other(what, _) => {
                self.skip(member, Skip::NoText(what));
                Ok(())
            }
            Kind::Text if !member.is_empty() && from.head().is_empty() && self.state.flaw.borrow().is_none() => Ok(()),
            Kind::Text if !member.is_empty() && !text::is_text(from.head()) => {
                self.skip(member, Skip::NoText("binary"));
                Ok(())
            }
            Kind::Text => self.text(member, &mut from, depth),
        }
    }

    fn text(&mut self, member: &str, reader: &mut dyn Read, depth: usize) -> io::Result<()> {
        if self.outcome.logs >= self.state.limits.logs {
            self.outcome.has_more = true;
            self.is_over = true;
            return Ok(());
        }
        self.outcome.logs += 1;
        let mut log = Log { member, is_plain: depth == 0, reader, state: self.state };
        self.is_over = (self.visit)(&mut log).is_break() || self.state.is_bomb.get();
        // The next member may be whole.
        self.last_flaw = self.state.flaw.borrow_mut().take();
        Ok(())
    }

    fn skip(&mut self, member: &str, why: Skip) {
        self.outcome.skipped.push((member.to_owned(), why));
        let flaw = self.state.flaw.borrow_mut().take();
        self.outcome.flaw = self.outcome.flaw.take().or(flaw);
    }

    /// Begins an archive.
    fn archive(&mut self, name: &'static str) {
        self.outcome.archive.get_or_insert(name);
    }

    /// What is wrong with an archive itself, unless what ended a layer around it or its last text is the reason.
    fn flawed(&mut self, flaw: Flaw) {
        let cause = self.state.flaw.borrow_mut().take().or(self.last_flaw.take());
        self.outcome.flaw.get_or_insert(cause.unwrap_or(flaw));
    }
}

/// The path of a member: `logs.zip` in `node3` is `node3/logs.zip`, its own members follow after another slash.
fn path(archive: &str, member: &[u8]) -> String {
    let member = clean::line(&String::from_utf8_lossy(member));
    let member = member.trim_start_matches("./");
    if archive.is_empty() { member.to_owned() } else { format!("{archive}/{member}") }
}
