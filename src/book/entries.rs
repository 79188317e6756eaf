//! The entries of `kb/errors`, each decoded when its words are found.

use std::sync::OnceLock;

use super::errors::{AND, ErrorEntry, PackedErrors};

/// An entry.
pub(crate) type Entry = ErrorEntry<&'static str>;

/// All entries.
pub(crate) struct Entries {
    packed: PackedErrors<'static>,
    decoded: Vec<OnceLock<Entry>>,
}

impl Entries {
    /// Those that the build packed.
    pub(super) fn new(bytes: &'static [u8]) -> Self {
        let packed: PackedErrors<'static> = postcard::from_bytes(bytes).expect("the same build wrote these bytes");
        let decoded = packed.entries.iter().map(|_| OnceLock::new()).collect();
        Self { packed, decoded }
    }

    fn entry(&self, number: u16) -> &Entry {
        let number = usize::from(number);
        let decode = || postcard::from_bytes(self.packed.entries[number]).expect("the same build wrote these bytes");
        self.decoded[number].get_or_init(decode)
    }

    /// All of them, in the order of the files.
    #[cfg(test)]
    pub(crate) fn all(&self) -> impl Iterator<Item = &Entry> {
        (0..).take(self.decoded.len()).map(|number| self.entry(number))
    }

    /// Those without words: of a type, of every error, or of what people describe.
    pub(crate) fn without_words(&self) -> impl Iterator<Item = &Entry> {
        self.group("")
    }

    /// Those that are cases of a page.
    pub(crate) fn of_page(&self, page: &str) -> impl Iterator<Item = &Entry> {
        self.group(page)
    }

    fn group(&self, name: &str) -> impl Iterator<Item = &Entry> {
        let numbers = self.packed.groups.iter().find(|(id, _)| *id == name).map(|(_, numbers)| numbers.as_slice());
        numbers.unwrap_or_default().iter().map(|number| self.entry(*number))
    }

    /// The entries whose words are in a text in lower case, each time with the words.
    pub(crate) fn with_words_in(&self, lower: &str) -> Vec<(&'static str, &Entry)> {
        let found = self.packed.literals.present(lower).into_iter().map(|number| self.packed.alternatives[number]);
        let found = found.filter(|(_, words)| are_in(words, lower));
        found.map(|(number, words)| (words, self.entry(number))).collect()
    }
}

/// Whether all parts of an alternative are in a text in lower case.
pub(crate) fn are_in(words: &str, lower: &str) -> bool {
    words.split(AND).all(|part| lower.contains(part))
}
