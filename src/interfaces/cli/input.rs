//! Reads inputs of any size with bounded memory: files and standard input.
//!
//! Up to [`WHOLE`] bytes are kept completely. Of a longer text, the start, the end and the lines around error words are
//! kept (see [`super::reduce`]), and the answer says so.

use std::fs::{self, File};
use std::io::{self, IsTerminal as _, Read, Write as _};
use std::path::Path;

use indicatif::ProgressBar;

use super::failure::{Failure, Result};
use super::progress;
use super::reduce::{Limits, Reducer, Selection};
use crate::text::{self, Transcript};

/// The longest text that is kept completely.
const WHOLE: usize = 256 * 1024 * 1024;

/// The size from which a progress bar is shown on a terminal.
const LONG: u64 = 8 * 1024 * 1024;

/// Bytes per read.
const CHUNK: usize = 256 * 1024;

/// A text to diagnose.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) bytes: Vec<u8>,
    /// What was dropped, if the text is too long to be kept completely.
    pub(crate) selection: Option<Selection>,
}

impl Input {
    /// Its lines, numbered as in the complete text.
    pub(crate) fn transcript(&self) -> Transcript {
        match &self.selection {
            Some(selection) => text::read_excerpt(&self.bytes, &selection.excerpt()),
            None => text::read(&self.bytes),
        }
    }

    /// Whether it takes long enough to show progress.
    pub(crate) fn is_long(&self) -> bool {
        self.bytes.len() as u64 >= LONG
    }
}

/// Reads a file, or standard input if the name is `-`.
pub(crate) fn read(path: &Path) -> Result<Input> {
    let failed = |error: io::Error| Failure::reading(path, &error);
    if path == Path::new("-") {
        let stdin = io::stdin();
        if stdin.is_terminal() {
            invite();
        }
        return read_all(stdin.lock(), None, WHOLE, Limits::default()).map_err(failed);
    }
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
    let file = File::open(path).map_err(failed)?;
    // Pipes and devices have no meaningful length.
    let length = Some(about.len()).filter(|_| about.is_file());
    let input = read_all(file, length, WHOLE, Limits::default()).map_err(failed)?;
    match no_text(&input.bytes) {
        Some((what, how)) => {
            let shown = path.display();
            Err(Failure::new(format!("`{shown}` is {what}, not a text")).hint(how.replace("FILE", &shown.to_string())))
        }
        None => Ok(input),
    }
}

/// What a file is that begins like something else than text, and what to do with it.
fn no_text(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    const PICTURE: &str = "paste the text instead; a program for text recognition can read it from the picture";
    const KINDS: &[(&[u8], &str, &str)] = &[
        (b"\x1f\x8b", "compressed with gzip", "try `gzip -dc FILE | faultbook -`"),
        (b"BZh", "compressed with bzip2", "try `bzip2 -dc FILE | faultbook -`"),
        (b"\xfd7zXZ\0", "compressed with xz", "try `xz -dc FILE | faultbook -`"),
        (b"\x28\xb5\x2f\xfd", "compressed with zstd", "try `zstd -dc FILE | faultbook -`"),
        (b"PK\x03\x04", "a ZIP archive", "try `unzip -p FILE | faultbook -`"),
        (b"\x89PNG\r\n", "a picture", PICTURE),
        (b"\xff\xd8\xff", "a picture", PICTURE),
        (b"GIF8", "a picture", PICTURE),
        (b"%PDF-", "a PDF document", "try `pdftotext FILE - | faultbook -`"),
        (b"\x7fELF", "a program or core dump", "read a core dump with `gdb PROGRAM FILE -batch -ex bt | faultbook -`"),
    ];
    KINDS.iter().find(|(magic, ..)| bytes.starts_with(magic)).map(|&(_, what, how)| (what, how))
}

/// Says on a terminal what is being waited for.
fn invite() {
    let end = if cfg!(windows) { "Ctrl-Z and Enter" } else { "Ctrl-D" };
    // A closed standard error must not prevent reading.
    let _ = writeln!(io::stderr().lock(), "Paste the traceback or log, then press {end} on an empty line.");
}

fn read_all(mut from: impl Read, length: Option<u64>, whole: usize, limits: Limits) -> io::Result<Input> {
    let mut bytes = Vec::with_capacity(length.map_or(0, |length| (length as usize).min(whole)));
    let mut chunk = vec![0; CHUNK];
    let mut watch = Watch { bar: None, length, done: 0 };
    loop {
        let count = read_some(&mut from, &mut chunk)?;
        if count == 0 {
            watch.finish();
            return Ok(Input { bytes, selection: None });
        }
        bytes.extend_from_slice(&chunk[..count]);
        watch.add(count);
        if bytes.len() > whole {
            break;
        }
    }
    let mut reducer = Reducer::new(limits);
    reducer.push(&bytes);
    drop(bytes);
    loop {
        let count = read_some(&mut from, &mut chunk)?;
        if count == 0 {
            break;
        }
        reducer.push(&chunk[..count]);
        watch.add(count);
    }
    watch.finish();
    let (bytes, selection) = reducer.finish();
    Ok(Input { bytes, selection: Some(selection) })
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
        let limits = Limits { start: 10, end: 10, middle: 10, ..Limits::default() };
        let input = read_all(text.as_bytes(), None, 100, limits).expect("bytes");
        assert_eq!(input.bytes.len(), 20);
        assert!(input.selection.is_some());
    }
}
