//! Readers: one that looks ahead, one that ends where data is damaged, one for xz, one for zstd.

use std::io::{self, BufRead as _, BufReader, Read};

use lzma_rust2::{Action, Status, XzStream};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::{Flaw, State};

/// A stream whose first bytes are known.
pub(super) struct Peeked<'r> {
    head: Vec<u8>,
    at: usize,
    rest: &'r mut dyn Read,
}

impl<'r> Peeked<'r> {
    /// How far it looks ahead: enough for a tar header and to distinguish text from other data.
    const AHEAD: usize = 4096;

    pub(super) fn new(rest: &'r mut dyn Read) -> io::Result<Self> {
        let mut head = Vec::with_capacity(Self::AHEAD);
        rest.take(Self::AHEAD as u64).read_to_end(&mut head)?;
        Ok(Self { head, at: 0, rest })
    }

    pub(super) fn head(&self) -> &[u8] {
        &self.head
    }
}

impl Read for Peeked<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let head = self.head.get(self.at..).unwrap_or_default();
        if head.is_empty() {
            return self.rest.read(into);
        }
        let count = head.len().min(into.len());
        into[..count].copy_from_slice(&head[..count]);
        self.at += count;
        Ok(count)
    }
}

/// One layer: counts what comes out of it, and ends where it is damaged.
pub(super) struct Guard<'s, R> {
    inner: R,
    /// What is unpacked here: "gzip data".
    name: &'static str,
    state: &'s State,
    is_over: bool,
    /// How much should come, where that is known.
    left: Option<u64>,
    /// Whether it is known to end early, so that what looks like damage is that.
    is_cut: bool,
}

impl<R> Guard<'_, R> {
    const PIECE: usize = 64 * 1024;
}

impl<'s, R: Read> Guard<'s, R> {
    pub(super) fn new(inner: R, name: &'static str, state: &'s State) -> Self {
        Self { inner, name, state, is_over: false, left: None, is_cut: false }
    }

    /// With the length that it should have.
    pub(super) fn of_length(inner: R, name: &'static str, state: &'s State, length: u64) -> Self {
        Self { left: Some(length), ..Self::new(inner, name, state) }
    }

    /// The last of a file that ends early, perhaps.
    pub(super) fn cut(self, is_cut: bool) -> Self {
        Self { is_cut, ..self }
    }

    fn end(&mut self, flaw: Flaw) -> usize {
        self.is_over = true;
        self.state.end(flaw);
        0
    }
}

impl<R: Read> Read for Guard<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.is_over || self.state.is_bomb.get() || into.is_empty() {
            return Ok(0);
        }
        // A bomb is noticed after each piece.
        let piece = into.len().min(Self::PIECE);
        match self.inner.read(&mut into[..piece]) {
            Ok(0) if self.left.is_some_and(|left| left > 0) => Ok(self.end(Flaw::Cut(self.name))),
            Ok(count) => {
                self.left = self.left.map(|left| left.saturating_sub(count as u64));
                self.state.unpack(count);
                Ok(count)
            }
            Err(error) if self.state.failed.get() || error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(self.end(Flaw::Cut(self.name))),
            Err(_) if self.is_cut => Ok(self.end(Flaw::Cut(self.name))),
            Err(_) => Ok(self.end(Flaw::Broken(self.name))),
        }
    }
}

/// Streams of xz one after the other. `XzReader` of `lzma_rust2` wants a chunk of 64 KiB whole before it decodes any of it, so that
/// of a small log that ends early it yields nothing; this hands out what each byte of the input adds.
pub(super) struct Xz<R> {
    source: BufReader<R>,
    stream: XzStream,
    /// Reported once everything before it is read.
    error: Option<io::Error>,
    is_over: bool,
}

impl<R: Read> Xz<R> {
    pub(super) fn new(source: R, memory_kib: u32) -> Self {
        Self {
            source: BufReader::new(source),
            stream: XzStream::new_mem_limit(true, memory_kib),
            error: None,
            is_over: false,
        }
    }
}

impl<R: Read> Read for Xz<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while !into.is_empty() && !self.is_over {
            if let Some(error) = self.error.take() {
                self.is_over = true;
                return Err(error);
            }
            let input = self.source.fill_buf()?;
            let action = if input.is_empty() { Action::Finish } else { Action::Run };
            let before = self.stream.total_out();
            let (used, is_over) = match self.stream.process(input, into, action) {
                Ok(result) => (result.bytes_consumed, result.status == Status::StreamEnd),
                Err(error) => {
                    self.error = Some(error);
                    (0, false)
                }
            };
            self.source.consume(used);
            self.is_over |= is_over;
            // An error does not say how much was decoded before it.
            let count = usize::try_from(self.stream.total_out() - before).unwrap_or_default();
            if count > 0 {
                return Ok(count);
            }
        }
        Ok(0)
    }
}

/// Frames of zstd one after the other. `ruzstd` decodes one; and of a frame that ends early it keeps to itself what could
/// still be referred to, which may be all of it.
pub(super) struct Zstd<R> {
    source: BufReader<R>,
    decoder: FrameDecoder,
    /// Reported once everything before it is read.
    error: Option<io::Error>,
}

impl<R: Read> Zstd<R> {
    pub(super) fn new(source: R) -> Self {
        Self { source: BufReader::new(source), decoder: FrameDecoder::new(), error: None }
    }

    /// Begins the next frame; `false` at the end.
    fn begin(&mut self) -> io::Result<bool> {
        loop {
            if self.source.fill_buf()?.is_empty() {
                return Ok(false);
            }
            match self.decoder.reset(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    let length = u64::from(length);
                    if io::copy(&mut self.source.by_ref().take(length), &mut io::sink())? < length {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(self.reason(error)),
            }
        }
    }

    /// An error after which what was decoded can still be read.
    fn salvage(&mut self, error: FrameDecoderError) {
        /// The last block, empty, and a checksum: the frame counts as finished, and the decoder hands out what it has.
        const END: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];
        self.error = Some(self.reason(error));
        // If it cannot be ended, only what it has handed out already is lost.
        let _ = self.decoder.decode_blocks(&END[..], BlockDecodingStrategy::UptoBlocks(1));
    }

    /// At the end of the input, an error means that something is missing.
    fn reason(&mut self, error: FrameDecoderError) -> io::Error {
        match self.source.fill_buf() {
            Ok([]) => io::Error::new(io::ErrorKind::UnexpectedEof, error.to_string()),
            Ok(_) => io::Error::new(io::ErrorKind::InvalidData, error.to_string()),
            Err(error) => error,
        }
    }

    /// Whether a finished frame holds what was once written.
    fn is_right(&self) -> bool {
        let written = self.decoder.get_checksum_from_data();
        written.is_none() || written == self.decoder.get_calculated_checksum()
    }
}

impl<R: Read> Read for Zstd<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.decoder.read(into)?;
            if count > 0 {
                return Ok(count);
            }
            if let Some(error) = self.error.take() {
                return Err(error);
            }
            if !self.decoder.is_finished() {
                let decoded = self.decoder.decode_blocks(&mut self.source, BlockDecodingStrategy::UptoBlocks(1));
                if let Err(error) = decoded {
                    self.salvage(error);
                }
            } else if !self.is_right() {
                return Err(io::ErrorKind::InvalidData.into());
            } else if !self.begin()? {
                return Ok(0);
            }
        }
    }
}
