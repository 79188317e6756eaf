//! What a file is, by its first bytes.

use std::io::Read;

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;

use super::streams::{Xz, Zstd};

/// What begins like this.
pub(super) enum Kind {
    Compressed(Codec),
    Tar,
    Zip,
    /// No text: what it is, and what to do with it (`FILE` is its name).
    Other(&'static str, &'static str),
    /// Anything else is taken for text.
    Text,
}

/// A compression of one stream.
#[derive(Debug, Clone, Copy)]
pub(super) enum Codec {
    Gzip,
    Bzip2,
    Xz,
    Zstd,
}

const PICTURE: &str =
    "paste the text instead; a program for text recognition (OCR) such as `tesseract FILE -` reads it from the picture";
pub(super) const DATA: &str = "name the log or paste its text";

const OTHERS: &[(&[u8], &str, &str)] = &[
    (b"\x89PNG\r\n", "a picture", PICTURE),
    (b"\xff\xd8\xff", "a picture", PICTURE),
    (b"GIF87a", "a picture", PICTURE),
    (b"GIF89a", "a picture", PICTURE),
    (b"II*\0", "a picture", PICTURE),
    (b"MM\0*", "a picture", PICTURE),
    (b"%PDF-", "a PDF document", "try `pdftotext FILE - | faultbook -`"),
    (b"\x7fELF", "a program or core dump", "read a core dump with `gdb PROGRAM FILE -batch -ex bt | faultbook -`"),
    (b"\x89HDF\r\n", "an HDF5 file", DATA),
    (b"SQLite format 3\0", "an SQLite database", DATA),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "try `7z x -so FILE | faultbook -`"),
    (b"Rar!\x1a\x07", "a RAR archive", "try `unrar p -inul FILE | faultbook -`"),
    (b"\x04\x22\x4d\x18", "compressed with LZ4", "try `lz4 -dc FILE | faultbook -`"),
    (b"LZIP\x01", "compressed with lzip", "try `lzip -dc FILE | faultbook -`"),
    (b"\x1f\x9d", "compressed with compress", "try `gzip -dc FILE | faultbook -`"),
];

/// What begins with these bytes; a tar header has 512.
pub(super) fn of(head: &[u8]) -> Kind {
    match head {
        [0x1f, 0x8b, ..] => return Kind::Compressed(Codec::Gzip),
        // A log may begin with "BZh": a block or the end of the stream follows the level.
        [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..]
            if rest.starts_with(b"1AY&SY") || rest.starts_with(b"\x17\x72\x45") =>
        {
            return Kind::Compressed(Codec::Bzip2);
        }
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => return Kind::Compressed(Codec::Xz),
        // A frame, or one that is to be skipped (pzstd writes them).
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => return Kind::Compressed(Codec::Zstd),
        // Of an empty archive only the end is there.
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => return Kind::Zip,
        _ => {}
    }
    if head.get(257..262) == Some(b"ustar") {
        return Kind::Tar;
    }
    let webp = head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WEBP");
    let bitmap = head.starts_with(b"BM") && head.get(6..10) == Some(&[0; 4]);
    if webp || bitmap {
        return Kind::Other("a picture", PICTURE);
    }
    match OTHERS.iter().find(|(magic, ..)| head.starts_with(magic)) {
        Some(&(_, what, how)) => Kind::Other(what, how),
        None => Kind::Text,
    }
}

/// How much text is compressed together, where part of it cannot be unpacked: nothing comes before the end of the first block.
pub(super) fn block(name: &str) -> Option<&'static str> {
    [(Codec::Bzip2, "900 kB"), (Codec::Zstd, "128 KiB")]
        .into_iter()
        .find_map(|(codec, size)| (codec.name() == name).then_some(size))
}

impl Codec {
    /// "gzip data".
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip data",
            Self::Bzip2 => "bzip2 data",
            Self::Xz => "xz data",
            Self::Zstd => "zstd data",
        }
    }

    /// What is compressed in a stream; concatenated streams are one.
    pub(super) fn reader<'r>(self, from: &'r mut dyn Read) -> Box<dyn Read + 'r> {
        /// `xz -9` needs 64 MiB and a little.
        const XZ_MEMORY_KIB: u32 = 256 * 1024;
        match self {
            Self::Gzip => Box::new(MultiGzDecoder::new(from)),
            Self::Bzip2 => Box::new(MultiBzDecoder::new(from)),
            Self::Xz => Box::new(Xz::new(from, XZ_MEMORY_KIB)),
            Self::Zstd => Box::new(Zstd::new(from)),
        }
    }
}
