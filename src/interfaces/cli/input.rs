//! Reads inputs of any size with bounded memory: files and standard input, compressed or not, and archives of them.
//!
//! Up to [`WHOLE`] bytes are kept completely. Of a longer text, the start, the end and the lines around error words are
//! kept (see [`super::reduce`]), and the answer says so.

use std::fs::{self, File};
use std::io::{self, IsTerminal as _, Read};
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::mpsc;
use std::thread;

use crate::logs::CHUNK;
use crate::render::words::counted;
use crate::text::{self, Transcript};
use crate::unpack::{self, Log, Outcome, Skip, Source};
use indicatif::ProgressBar;

use super::failure::{Failure, Result};
use super::progress::LONG;
use super::reduce::{Limits, Reducer, Selection, alarms_in};
use super::{output, progress};

/// The longest text that is kept completely: what [`text::read`] reads without leaving anything out.
const WHOLE: usize = 32 * 1024 * 1024;

/// A text to diagnose.
#[derive(Debug, Default)]
pub(crate) struct Input {
    pub(crate) bytes: Vec<u8>,
    /// What was dropped, if the text is too long to be kept completely.
    pub(crate) selection: Option<Selection>,
    /// Why the text ended early, if it did.
    pub(crate) note: Option<String>,
}

impl Input {
    /// A text that is all here.
    pub(crate) fn of(bytes: Vec<u8>) -> Self {
        Self { bytes, ..Self::default() }
    }

    /// Its lines, numbered as in the complete text.
    pub(crate) fn transcript(&self) -> Transcript {
        let mut transcript = match &self.selection {
            Some(selection) => text::read_excerpt(&self.bytes, &selection.excerpt()),
            None => text::read(&self.bytes),
        };
        self.note.iter().for_each(|note| transcript.note(note.clone()));
        transcript
    }

    /// Whether it takes long enough to show progress.
    pub(crate) fn is_long(&self) -> bool {
        self.bytes.len() as u64 >= LONG
    }
}

/// What is done with each text.
pub(crate) type Visit<'v> = dyn FnMut(&Path, Result<Input>) -> Result<()> + 'v;

/// Reads a file, or standard input if the name is `-`, and calls `visit` with its name and its text; of an archive with
/// each of its texts, then with what could not be read of it.
pub(crate) fn each(path: &Path, visit: &mut Visit<'_>) -> Result<()> {
    let walked = walk(path, &mut |name, log, length| visit(name, text_of(name, log, length)));
    match walked.and_then(|(outcome, visited)| visited.map(|()| outcome)) {
        Ok(outcome) => match problem(path, &outcome) {
            Some(failure) => visit(path, Err(failure)),
            None => Ok(()),
        },
        Err(failure) => visit(path, Err(failure)),
    }
}

/// Reads an input that must be one text.
pub(crate) fn one(path: &Path) -> Result<Input> {
    let mut input = None;
    let mut names: Vec<String> = Vec::new();
    let (outcome, visited) = walk(path, &mut |name, log, length| {
        if names.is_empty() {
            input = Some(text_of(name, log, length)?);
        }
        names.push(name.display().to_string());
        Ok(())
    })?;
    visited?;
    if let [first, _, ..] = names.as_slice() {
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        let hint = match path == Path::new("-") {
            true => "unpack the archive, then name one of them".to_owned(),
            false => format!("name one, for example `{first}`"),
        };
        return Err(Failure::new(format!("{} holds {} logs: {}", shown(path), all.len(), in_short(&all))).hint(hint));
    }
    match (problem(path, &outcome), input) {
        (None, Some(input)) => Ok(input),
        (Some(failure), _) => Err(failure),
        (None, None) => Ok(Input::default()),
    }
}

/// What is done with each log: its name, and its length where that is known.
type VisitLog<'v> = dyn FnMut(&Path, &mut Log<'_>, Option<u64>) -> Result<()> + 'v;

/// Goes through the logs of an input. The second result is the first failure of `visit`, which ends it.
fn walk(path: &Path, visit: &mut VisitLog<'_>) -> Result<(Outcome, Result<()>)> {
    if let Some((file, wanted)) = unpack::member_of(path) {
        let mut is_there = false;
        let found = walk(file, &mut |name, log, length| {
            if log.member != wanted {
                return Ok(());
            }
            is_there = true;
            visit(name, log, length)
        })?;
        return match is_there {
            // What else is in the archive does not matter.
            true => Ok((Outcome::default(), found.1)),
            false => Err(Failure::new(format!("`{}` has no log `{wanted}`", file.display()))
                .hint(format!("`faultbook {}` reads all logs in it", file.display()))),
        };
    }
    let failed = |error: io::Error| Failure::reading(path, &error);
    let mut length = None;
    let source = if path == Path::new("-") {
        let stdin = io::stdin();
        if stdin.is_terminal() {
            invite();
        }
        Source::Stream(Box::new(stdin))
    } else {
        let about = fs::metadata(path).map_err(|error| {
            let failure = failed(error);
            if path.extension().is_none() && path.components().count() == 1 {
                return failure.hint("see `faultbook --help` for the commands");
            }
            failure
        })?;
        if about.is_dir() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        // Pipes and devices have no meaningful length.
        length = Some(about.len()).filter(|_| about.is_file());
        Source::File(File::open(path).map_err(failed)?)
    };
    let mut visited = Ok(());
    let outcome = unpack::each(source, unpack::Limits::default(), &mut |log| {
        let name = unpack::name_of(path, log.member);
        let length = length.filter(|_| log.is_plain);
        visited = visit(&name, log, length);
        if visited.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    Ok((outcome.map_err(failed)?, visited))
}

/// Reads one text. What ended it early is its note.
fn text_of(name: &Path, log: &mut Log<'_>, length: Option<u64>) -> Result<Input> {
    let input = read_all(&mut *log, length, WHOLE, Limits::default());
    let mut input = input.map_err(|error| Failure::reading(name, &error))?;
    if let Some(flaw) = log.flaw() {
        if input.bytes.is_empty() {
            let shown = shown(name);
            return Err(Failure::new(format!("nothing could be read from {shown}: {}", flaw.reason())).hint(COPY_AGAIN));
        }
        input.note = Some(flaw.note());
    }
    Ok(input)
}

pub(super) const COPY_AGAIN: &str = "copy the file again from where it was written";

/// The name in a sentence.
fn shown(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { format!("`{}`", path.display()) }
}

/// What could not be read of an input. What need not be read is a remark.
pub(super) fn problem(path: &Path, outcome: &Outcome) -> Option<Failure> {
    let shown = shown(path);
    if let Some((what, how)) = outcome.refusal {
        let file = if path == Path::new("-") { "FILE".to_owned() } else { path.display().to_string() };
        return Some(Failure::new(format!("{shown} is {what}, not a text")).hint(how.replace("FILE", &file)));
    }
    let archive = outcome.archive?;
    let of = |wanted: fn(&Skip) -> bool| {
        let names: Vec<&str> =
            outcome.skipped.iter().filter(|(_, why)| wanted(why)).map(|(name, _)| name.as_str()).collect();
        (names.len(), in_short(&names))
    };
    if let Some(flaw) = &outcome.flaw {
        let read = match outcome.logs {
            0 => "no log in it could be read".to_owned(),
            logs => format!("only {} could be read", counted(logs as u64, "log", "logs")),
        };
        return Some(Failure::new(format!("{flaw}: {read} from {shown}")).hint(COPY_AGAIN));
    }
    let (locked, names) = of(|why| *why == Skip::Encrypted);
    if locked > 0 {
        let are = if locked == 1 { "is" } else { "are" };
        return Some(
            Failure::new(format!(
                "{} of {shown} {are} encrypted: {names}",
                counted(locked as u64, "member", "members")
            ))
            .hint("unpack the archive with its password, then name the logs"),
        );
    }
    let (unknown, names) = of(|why| *why == Skip::Unknown);
    if unknown > 0 {
        return Some(
            Failure::new(format!("{shown} has members that cannot be unpacked here: {names}"))
                .hint("unpack the archive, then name the logs"),
        );
    }
    let (binary, names) = of(|why| matches!(why, Skip::NoText(_)));
    if outcome.logs == 0 {
        let holds = if binary > 0 { format!(", only {names}") } else { String::new() };
        return Some(Failure::new(format!("{shown} is a {archive} without a log{holds}")).hint("name the log itself"));
    }
    if binary > 0 {
        output::remark(&format!(
            "{} of {shown} {} not text: {names}",
            counted(binary as u64, "member", "members"),
            if binary == 1 { "is" } else { "are" }
        ));
    }
    if outcome.has_more {
        output::remark(&format!("only the first {} logs of {shown} were read", outcome.logs));
    }
    None
}

/// The first few names.
fn in_short(names: &[&str]) -> String {
    const NAMED: usize = 5;
    let more = names.len().saturating_sub(NAMED);
    let first = names.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{first} and {more} more") } else { first }
}

/// Says on a terminal what is being waited for.
fn invite() {
    let end = if cfg!(windows) { "Ctrl-Z and Enter" } else { "Ctrl-D" };
    output::aside(&format!("Paste the traceback or log, then press {end} on an empty line.\n"));
}

fn read_all(mut from: impl Read, length: Option<u64>, whole: usize, limits: Limits) -> io::Result<Input> {
    let mut bytes = Vec::with_capacity(length.map_or(0, |length| (length as usize).min(whole)));
    let mut chunk = vec![0; CHUNK];
    let mut watch = Watch { bar: None, length, done: 0 };
    loop {
        let count = read_some(&mut from, &mut chunk)?;
        if count == 0 {
            watch.finish();
            return Ok(Input::of(bytes));
        }
        bytes.extend_from_slice(&chunk[..count]);
        watch.add(count);
        if bytes.len() > whole {
            break;
        }
    }
    drop(chunk);
    let (bytes, selection) = reduced(from, bytes, limits, &mut watch)?;
    watch.finish();
    Ok(Input { bytes, selection: Some(selection), note: None })
}

/// Reduces a text of which the first `bytes` were read: it is read and searched here, and reduced on a thread of its own.
fn reduced(mut from: impl Read, bytes: Vec<u8>, limits: Limits, watch: &mut Watch) -> io::Result<(Vec<u8>, Selection)> {
    /// Pieces that may wait for the other thread.
    const AHEAD: usize = 4;
    thread::scope(|scope| {
        let (pieces, received) = mpsc::sync_channel::<(Vec<u8>, Vec<usize>)>(AHEAD);
        let (used, spare) = mpsc::channel();
        let reducing = scope.spawn(move || {
            let mut reducer = Reducer::new(limits);
            // In pieces: a line without end is shortened after each.
            bytes.chunks(CHUNK).for_each(|piece| reducer.push(piece));
            drop(bytes);
            for (piece, alarms) in received {
                reducer.push_searched(&piece, &alarms);
                // Nobody waits for it at the end.
                let _ = used.send(piece);
            }
            reducer.finish()
        });
        loop {
            let mut piece = spare.try_recv().unwrap_or_default();
            piece.resize(CHUNK, 0);
            let count = read_some(&mut from, &mut piece)?;
            if count == 0 {
                break;
            }
            piece.truncate(count);
            let alarms = alarms_in(&piece);
            if pieces.send((piece, alarms)).is_err() {
                break;
            }
            watch.add(count);
        }
        drop(pieces);
        Ok(reducing.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

fn read_some(from: &mut impl Read, chunk: &mut [u8]) -> io::Result<usize> {
    loop {
        match from.read(chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

/// Shows progress once a text turns out to be long.
struct Watch {
    bar: Option<ProgressBar>,
    length: Option<u64>,
    done: u64,
}

impl Watch {
    fn add(&mut self, count: usize) {
        self.done += count as u64;
        if self.done >= LONG {
            self.bar.get_or_insert_with(|| progress::bytes(self.length)).set_position(self.done);
        }
    }

    fn finish(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_are_kept_whole() {
        let input = read_all(&b"a\nb\n"[..], None, 4, Limits::default()).expect("bytes");
        assert_eq!((input.bytes.as_slice(), input.selection.is_none()), (&b"a\nb\n"[..], true));
    }

    #[test]
    fn long_texts_are_reduced() {
        let text = "x\n".repeat(1000);
        let limits = Limits { start: 10, end: 10, middle: 10, overhead: 0, ..Limits::default() };
        let input = read_all(text.as_bytes(), None, 100, limits).expect("bytes");
        assert_eq!(input.bytes.len(), 20);
        assert!(input.selection.is_some());
    }
}
