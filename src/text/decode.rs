//! Bytes to text, and back: which byte of the original a byte of the text came from.
//!
//! UTF-8 without copying, UTF-16 with a byte order mark or by its zero bytes, anything else as UTF-8 with replacement
//! characters. National code pages are not guessed: a wrong guess reads worse than a replacement character. No table of
//! offsets is kept; a lookup walks on from the nearest earlier one.

use std::borrow::Cow;

/// Decoded text, and how it was decoded.
pub(super) struct Decoded<'b> {
    pub(super) text: Cow<'b, str>,
    kind: Kind,
    /// What the reader should know.
    pub(super) notes: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// UTF-8 as it was, after a byte order mark of this length.
    Same(usize),
    /// UTF-8 with replaced sequences, after a byte order mark of this length.
    Replaced(usize),
    /// UTF-16 after a byte order mark of this length.
    Wide(usize),
}

/// Decodes bytes of unknown encoding; never fails.
pub(super) fn decode(bytes: &[u8]) -> Decoded<'_> {
    if let Some((little, mark)) = wide(bytes) {
        let encoding = if little { encoding_rs::UTF_16LE } else { encoding_rs::UTF_16BE };
        let (text, broken) = encoding.decode_without_bom_handling(bytes.get(mark..).unwrap_or_default());
        let mut notes = vec![format!("decoded as {}", encoding.name())];
        if broken {
            notes.push("some UTF-16 units were broken and replaced".to_owned());
        }
        return Decoded { text, kind: Kind::Wide(mark), notes };
    }
    let mark = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let body = bytes.get(mark..).unwrap_or_default();
    if let Ok(text) = std::str::from_utf8(body) {
        return Decoded { text: Cow::Borrowed(text), kind: Kind::Same(mark), notes: Vec::new() };
    }
    let mut text = String::with_capacity(body.len() + body.len() / 16);
    let mut broken = 0usize;
    for chunk in body.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
            broken += 1;
        }
    }
    let plural = if broken == 1 { "sequence is" } else { "sequences are" };
    let notes = vec![format!("{broken} byte {plural} not UTF-8 and replaced")];
    Decoded { text: Cow::Owned(text), kind: Kind::Replaced(mark), notes }
}

/// Whether bytes that begin so can be a text: few of them are control characters, or it is UTF-16.
pub(crate) fn is_text(head: &[u8]) -> bool {
    let is_control = |byte: &&u8| matches!(**byte, 0..=7 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    wide(head).is_some() || head.iter().filter(is_control).count() * 20 <= head.len()
}

/// Whether the bytes are UTF-16: little endian or not, and the length of the mark.
pub(crate) fn wide(bytes: &[u8]) -> Option<(bool, usize)> {
    match bytes {
        // FF FE 00 00 would be UTF-32, which nobody logs in.
        [0xFF, 0xFE, ..] => return Some((true, 2)),
        [0xFE, 0xFF, ..] => return Some((false, 2)),
        _ => {}
    }
    let head = bytes.get(..bytes.len().min(4096)).unwrap_or_default();
    let pairs = head.len() / 2;
    if pairs < 4 {
        return None;
    }
    let (mut even, mut odd) = (0usize, 0usize);
    for pair in head.chunks_exact(2) {
        even += usize::from(pair[0] == 0);
        odd += usize::from(pair[1] == 0);
    }
    // Latin text in UTF-16 has a zero in nearly every pair, always on the same side.
    let clearly = |many: usize, few: usize| many * 10 >= pairs * 6 && few * 20 <= pairs;
    if clearly(odd, even) {
        Some((true, 0))
    } else if clearly(even, odd) {
        Some((false, 0))
    } else {
        None
    }
}

/// Maps offsets of the text, asked for in roughly ascending order, to offsets of the original bytes.
pub(super) struct Origins<'d> {
    text: &'d str,
    bytes: &'d [u8],
    kind: Kind,
    /// Positions already passed, ascending, at least [`STRIDE`] apart.
    known: Vec<(usize, usize)>,
    cursor: (usize, usize),
}

/// Distance between remembered positions.
const STRIDE: usize = 4096;

impl<'d> Origins<'d> {
    /// For `decoded`, which was made from `bytes`.
    pub(super) fn new(decoded: &'d Decoded<'_>, bytes: &'d [u8]) -> Self {
        let mark = match decoded.kind {
            Kind::Same(mark) | Kind::Replaced(mark) | Kind::Wide(mark) => mark,
        };
        Self { text: &decoded.text, bytes, kind: decoded.kind, known: vec![(0, mark)], cursor: (0, mark) }
    }

    /// The byte of the original that text offset `at` came from.
    pub(super) fn of(&mut self, at: usize) -> usize {
        if let Kind::Same(mark) = self.kind {
            return (at + mark).min(self.bytes.len());
        }
        if at < self.cursor.0 {
            let next = self.known.partition_point(|(text, _)| *text <= at);
            self.cursor = self.known.get(next.saturating_sub(1)).copied().unwrap_or((0, 0));
        }
        let from = self.cursor;
        let to = if matches!(self.kind, Kind::Replaced(_)) {
            self.walk_replaced(from, at)
        } else {
            self.walk_wide(from, at)
        };
        self.cursor = (at, to);
        if self.known.last().is_some_and(|(text, _)| at >= text + STRIDE) {
            self.known.push(self.cursor);
        }
        to
    }

    fn walk_wide(&self, (text, byte): (usize, usize), at: usize) -> usize {
        let units: usize = self.text.get(text..at).unwrap_or_default().chars().map(char::len_utf16).sum();
        (byte + 2 * units).min(self.bytes.len())
    }

    fn walk_replaced(&self, (mut text, mut byte): (usize, usize), at: usize) -> usize {
        // A replaced sequence is never longer in the original than in the text, so this slice is long enough.
        let end = (byte + (at - text) + 4).min(self.bytes.len());
        for chunk in self.bytes.get(byte..end).unwrap_or_default().utf8_chunks() {
            if at <= text + chunk.valid().len() {
                return byte + (at - text);
            }
            text += chunk.valid().len();
            byte += chunk.valid().len();
            if !chunk.invalid().is_empty() {
                text += char::REPLACEMENT_CHARACTER.len_utf8();
                byte += chunk.invalid().len();
            }
            if at <= text {
                return byte;
            }
        }
        byte
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origins(bytes: &[u8]) -> (String, Vec<usize>) {
        let decoded = decode(bytes);
        let mut way = Origins::new(&decoded, bytes);
        let text = decoded.text.to_string();
        let offsets: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let there: Vec<usize> = offsets.iter().map(|at| way.of(*at)).collect();
        let back: Vec<usize> = offsets.iter().rev().map(|at| way.of(*at)).collect();
        assert_eq!(there, back.into_iter().rev().collect::<Vec<_>>());
        (text, there)
    }

    fn utf16(text: &str, little: bool) -> Vec<u8> {
        text.encode_utf16().flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
    }

    #[test]
    fn utf8_stays() {
        assert_eq!(origins("aé\nb".as_bytes()), ("aé\nb".to_owned(), vec![0, 1, 3, 4, 5]));
        assert_eq!(origins(b"\xEF\xBB\xBFab"), ("ab".to_owned(), vec![3, 4, 5]));
        assert_eq!(origins(b""), (String::new(), vec![0]));
    }

    #[test]
    fn broken_utf8_is_replaced_and_counted() {
        let (text, way) = origins(b"a\xFFb\xE2\x82c");
        assert_eq!(text, "a\u{FFFD}b\u{FFFD}c");
        assert_eq!(way, vec![0, 1, 2, 3, 5, 6]);
        assert_eq!(decode(b"a\xFFb\xFF").notes, ["2 byte sequences are not UTF-8 and replaced"]);
    }

    #[test]
    fn utf16_with_and_without_mark() {
        for little in [true, false] {
            let mut bytes: Vec<u8> = if little { vec![0xFF, 0xFE] } else { vec![0xFE, 0xFF] };
            bytes.extend(utf16("RuntimeError: é 😀!", little));
            let (text, way) = origins(&bytes);
            assert_eq!(text, "RuntimeError: é 😀!");
            assert_eq!(&way[way.len() - 4..], [2 + 2 * 15, 2 + 2 * 16, 2 + 2 * 18, 2 + 2 * 19]);
            assert_eq!(origins(&utf16("CUDA out of memory", little)).0, "CUDA out of memory");
        }
        assert_eq!(origins(b"a\0b c d e f g h").0, "a\0b c d e f g h");
        assert_eq!(origins(&[0xFF, 0xFE, 0x41]).0, "\u{FFFD}");
    }
}
