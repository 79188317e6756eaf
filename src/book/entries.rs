//! The entries of `kb/errors`, each decoded when its words are found.

use std::sync::OnceLock;

use serde::Deserialize;

use super::errors::{AND, ErrorEntry, PackedErrors, PackedWords};

/// An entry.
pub(crate) type Entry = ErrorEntry<&'static str>;

/// All entries.
pub(crate) struct Entries {
    packed: PackedErrors<'static>,
    /// Read when a text is searched for the words of all of them.
    words: OnceLock<PackedWords<'static>>,
    packed_words: &'static [u8],
    /// Few are asked for: what is not takes a pointer.
    decoded: Vec<OnceLock<Box<Entry>>>,
}

impl Entries {
    /// Those that the build packed.
    pub(super) fn new(entries: &'static [u8], packed_words: &'static [u8]) -> Self {
        let packed: PackedErrors<'static> = decoded(entries);
        let decoded = packed.entries.iter().map(|_| OnceLock::new()).collect();
        Self { packed, words: OnceLock::new(), packed_words, decoded }
    }

    /// The one with this number, in the order of the files.
    pub(crate) fn entry(&self, number: u16) -> &Entry {
        let number = usize::from(number);
        self.decoded[number].get_or_init(|| Box::new(decoded(self.packed.entries[number])))
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
    pub(crate) fn with_words_in(&self, lower: &str) -> Vec<(&str, &Entry)> {
        let table = self.words.get_or_init(|| decoded(self.packed_words));
        let found = table.literals.present(lower).into_iter().filter_map(|literal| table.alternative(literal));
        let found = found.filter(|(_, words)| are_in(words, lower));
        found.map(|(number, words)| (words, self.entry(number))).collect()
    }
}

fn decoded<T: Deserialize<'static>>(bytes: &'static [u8]) -> T {
    postcard::from_bytes(bytes).expect("the same build wrote these bytes")
}

/// Whether all parts of an alternative are in a text in lower case.
pub(crate) fn are_in(words: &str, lower: &str) -> bool {
    words.split(AND).all(|part| lower.contains(part))
}
