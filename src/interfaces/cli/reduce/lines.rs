//! Lines as bytes, and stretches of them that wait until it is known whether they are kept.

use std::sync::LazyLock;

use crate::scan::Prefilter;
use crate::text::MOST_BLANK;

/// Lines in a row that may turn out to belong to the end.
#[derive(Debug)]
pub(super) struct Stretch {
    /// The number of the first one.
    pub(super) number: u64,
    pub(super) lines: u64,
    /// The lines, behind those that are gone.
    pub(super) text: Vec<u8>,
    pub(super) gone: usize,
    pub(super) wanted: bool,
}

impl Stretch {
    pub(super) fn text(&self) -> &[u8] {
        &self.text[self.gone..]
    }

    pub(super) fn is_followed_by(&self, number: u64, wanted: bool) -> bool {
        self.wanted == wanted && self.number + self.lines == number
    }

    /// Its last lines, which are wanted.
    pub(super) fn split_off(&mut self, lines: u64) -> Self {
        // Behind the end of the last line that stays.
        let at = memchr::memrchr_iter(b'\n', self.text()).nth(lines as usize).map_or(0, |end| end + 1);
        self.lines -= lines;
        let text = self.text.split_off(self.gone + at);
        Self { number: self.number + self.lines, lines, text, gone: 0, wanted: true }
    }
}

/// Whether it ends a line.
pub(super) fn is_end(byte: &u8) -> bool {
    *byte == b'\n'
}

/// Whether a line with its end is blank.
pub(super) fn is_blank(line: &[u8]) -> bool {
    matches!(line, b"\n" | b"\r\n")
}

/// How many lines there are, and whether many in a row may be blank.
pub(super) fn counted(text: &[u8]) -> (u64, bool) {
    let (mut lines, mut start, mut blank, mut is_dense) = (0, 0, 0, false);
    for end in memchr::memchr_iter(b'\n', text) {
        lines += 1;
        blank = if end - start < 2 && is_blank(&text[start..=end]) { blank + 1 } else { 0 };
        is_dense |= blank > MOST_BLANK / 2;
        start = end + 1;
    }
    (lines + u64::from(start < text.len()), is_dense)
}

/// Where words are that make a line worth keeping, in their order.
pub(crate) fn alarms_in(bytes: &[u8]) -> Vec<usize> {
    static ALARMS: LazyLock<Prefilter> = LazyLock::new(|| Prefilter::new(&crate::wording::alarms().alarms, &[]));
    let mut places = Vec::new();
    ALARMS.find(bytes, |_, at| places.push(at));
    places.sort_unstable();
    places
}
