//! A stream in chunks, UTF-16 as UTF-8.

use std::io::{self, Read};

use encoding_rs::Decoder;

use crate::scan::LOOKAHEAD;
use crate::text;

/// Bytes per chunk: few enough to stay in a processor's cache.
pub(crate) const CHUNK: usize = 256 * 1024;

/// A stream, cut.
pub(super) struct Chunks<R> {
    from: R,
    /// What was seen of the next chunk.
    ahead: Vec<u8>,
    is_over: bool,
    /// What ended it, for whoever has read everything before.
    failed: Option<io::Error>,
    wide: Option<Decoder>,
    has_begun: bool,
}

impl<R: Read> Chunks<R> {
    pub(super) fn new(from: R) -> Self {
        Self { from, ahead: Vec::new(), is_over: false, failed: None, wide: None, has_begun: false }
    }

    /// Fills `into` with the next chunk and what is seen beyond it; the length of the chunk, or nothing at the end. What
    /// could be read before an error comes before it.
    pub(super) fn next(&mut self, into: &mut Vec<u8>) -> io::Result<Option<usize>> {
        into.clear();
        into.append(&mut self.ahead);
        while !self.is_over && into.len() < CHUNK + LOOKAHEAD {
            let room = CHUNK + LOOKAHEAD - into.len();
            let before = into.len();
            self.failed = (&mut self.from).take(room as u64).read_to_end(into).err();
            self.is_over = self.failed.is_some() || into.len() - before < room;
            if !std::mem::replace(&mut self.has_begun, true)
                && let Some((little, mark)) = text::wide(into)
            {
                let encoding = if little { encoding_rs::UTF_16LE } else { encoding_rs::UTF_16BE };
                self.wide = Some(encoding.new_decoder_without_bom_handling());
                into.drain(..mark);
            }
            if let Some(decoder) = &mut self.wide {
                let units = into.split_off(before.min(into.len()));
                let mut decoded = String::with_capacity(decoder.max_utf8_buffer_length(units.len()).unwrap_or(0));
                let _ = decoder.decode_to_string(&units, &mut decoded, self.is_over);
                into.extend_from_slice(decoded.as_bytes());
            }
        }
        let own = if self.is_over { into.len().min(2 * CHUNK) } else { into.len() - LOOKAHEAD };
        self.ahead = into[own..].to_vec();
        if !self.is_over {
            return Ok(Some(own));
        }
        match self.failed.take_if(|_| own == 0) {
            Some(error) => Err(error),
            None => Ok((own > 0).then_some(own)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> (Vec<u8>, usize) {
        let mut chunks = Chunks::new(bytes);
        let (mut together, mut count, mut buffer) = (Vec::new(), 0, Vec::new());
        while let Some(own) = chunks.next(&mut buffer).expect("bytes") {
            together.extend_from_slice(&buffer[..own]);
            count += 1;
        }
        (together, count)
    }

    #[test]
    fn chunks_are_the_whole_stream() {
        let text: Vec<u8> = (0..CHUNK * 3 + 17).map(|n| (n % 251) as u8 | 1).collect();
        for length in [0, 1, CHUNK, CHUNK + LOOKAHEAD, CHUNK + LOOKAHEAD + 1, text.len()] {
            let (together, count) = all(&text[..length]);
            assert!(together == text[..length], "{length}");
            assert!(count <= length / CHUNK + 1, "{length}");
        }
    }

    /// A stream that breaks.
    struct Broken<'b>(&'b [u8]);

    impl Read for Broken<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() { Err(io::ErrorKind::ConnectionReset.into()) } else { self.0.read(into) }
        }
    }

    #[test]
    fn what_comes_before_an_error_is_read() {
        for length in [0, 17, CHUNK + LOOKAHEAD, 2 * CHUNK + 17] {
            let text = vec![b'x'; length];
            let mut chunks = Chunks::new(Broken(&text));
            let (mut read, mut buffer) = (0, Vec::new());
            let error = loop {
                match chunks.next(&mut buffer) {
                    Ok(own) => read += own.expect("an error ends it"),
                    Err(error) => break error,
                }
            };
            assert_eq!((read, error.kind()), (length, io::ErrorKind::ConnectionReset));
            assert!(chunks.next(&mut buffer).is_ok_and(|own| own.is_none()));
        }
    }

    #[test]
    fn utf_16_is_decoded_across_chunks() {
        let text = "Zeile mit Ä und 界\n".repeat(40_000);
        let wide: Vec<u8> = [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
        assert!(all(&wide).0 == text.as_bytes());
    }
}
