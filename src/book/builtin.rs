//! The book inside the binary: what `build.rs` made of kb/.
//!
//! Decoding borrows all bodies from the binary and leaves front matter and tables packed until they are needed, because
//! most runs need few pages. Nothing here can fail: the same build wrote the bytes.

use std::sync::OnceLock;

use super::cases::{Case, PackedCases};
use serde::Deserialize;

use super::codes::CodeTable;
use super::entries::Entries;
use super::packed::{Packed, PackedFault, PackedPage, PackedTable, Summary};
use super::page::{Notice, Recipe};
use super::page_reader;
use super::schema::{FixMatter, FrontMatter};

pub(super) static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/book.postcard"));

/// The built-in book.
#[derive(Debug)]
pub(crate) struct Builtin {
    packed: Packed<'static>,
    matters: Vec<OnceLock<FrontMatter>>,
    codes: OnceLock<CodeTable>,
}

/// A fault page of the built-in book, not read yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BuiltinFault {
    book: &'static Builtin,
    index: usize,
    packed: &'static PackedFault<'static>,
}

fn decoded<T: Deserialize<'static>>(bytes: &'static [u8]) -> T {
    postcard::from_bytes(bytes).expect("the same build wrote these bytes")
}

fn text(bytes: &'static [u8]) -> &'static str {
    std::str::from_utf8(bytes).expect("the same build wrote these bytes")
}

fn recipe(page: &PackedPage<'static>) -> Recipe {
    page_reader::recipe(page.id, decoded::<FixMatter>(page.matter), text(page.body))
}

/// The built-in book, decoded on the first call.
pub(crate) fn builtin() -> &'static Builtin {
    static BOOK: OnceLock<Builtin> = OnceLock::new();
    BOOK.get_or_init(|| {
        let packed: Packed<'static> = decoded(BYTES);
        let matters = packed.faults.iter().map(|_| OnceLock::new()).collect();
        Builtin { packed, matters, codes: OnceLock::new() }
    })
}

impl Builtin {
    /// All fault pages that are used, by id.
    pub(crate) fn faults(&'static self) -> impl Iterator<Item = BuiltinFault> {
        let faults = self.packed.faults.iter().enumerate();
        faults
            .map(move |(index, packed)| BuiltinFault { book: self, index, packed })
            .filter(|one| !one.summary().withdrawn)
    }

    /// The recipe with that id.
    pub(crate) fn recipe(&self, id: &str) -> Option<Recipe> {
        let index = self.packed.fixes.binary_search_by(|f| f.id.cmp(id)).ok()?;
        self.packed.fixes.get(index).map(recipe)
    }

    /// All recipes, by id.
    pub(crate) fn recipes(&self) -> impl Iterator<Item = Recipe> {
        self.packed.fixes.iter().map(recipe)
    }

    /// All notices, by id.
    pub(crate) fn notices(&self) -> impl Iterator<Item = Notice> {
        let notice = |page: &PackedPage<'static>| page_reader::notice(page.id, decoded(page.matter), text(page.body));
        (0..).zip(&self.packed.notices).map(move |(number, page)| Notice { number: Some(number), ..notice(page) })
    }

    /// The tables of codes.
    pub(crate) fn codes(&'static self) -> &'static CodeTable {
        let tables = || self.packed.codes.iter().map(|table| decoded::<PackedTable<'static>>(table));
        self.codes.get_or_init(|| CodeTable::from_rows(tables().map(|table| (table.library, table.rows))))
    }

    /// The resolved public cases of that fault, decoded on every call: an answer needs those of one fault.
    pub(crate) fn cases(fault: &str) -> Vec<Case<'static>> {
        Self::known_of(fault).map(|known| decoded(known.cases)).unwrap_or_default()
    }

    /// The causes of that fault that labelled posts have, and in how many.
    pub(crate) fn posts(fault: &str) -> &'static [(&'static str, u16)] {
        Self::known_of(fault).map_or(&[], |known| &known.posts)
    }

    fn known_of(fault: &str) -> Option<&'static PackedCases<&'static str, &'static [u8]>> {
        static CASES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/cases.postcard"));
        static FAULTS: OnceLock<Vec<PackedCases<&'static str, &'static [u8]>>> = OnceLock::new();
        FAULTS.get_or_init(|| decoded(CASES)).iter().find(|known| known.fault == fault)
    }

    /// The errors that need no page of their own, found on the first call.
    pub(crate) fn errors() -> &'static Entries {
        static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/errors.postcard"));
        static WORDS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/error_words.postcard"));
        static ENTRIES: OnceLock<Entries> = OnceLock::new();
        ENTRIES.get_or_init(|| Entries::new(PACKED, WORDS))
    }

    /// The reports that come with the book: path as shown and text.
    pub(crate) fn reports(&'static self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.packed.reports.iter().map(|file| (file.path, text(file.text)))
    }
}

impl BuiltinFault {
    /// The file's stem.
    pub(crate) fn id(self) -> &'static str {
        self.packed.page.id
    }

    /// Its number among the built-in pages.
    pub(crate) fn number(self) -> u32 {
        u32::try_from(self.index).expect("a few hundred pages")
    }

    /// What a run asks of all pages.
    pub(crate) fn summary(self) -> Summary<'static> {
        self.packed.summary
    }

    /// The folder.
    pub(crate) fn area(self) -> &'static str {
        self.packed.area
    }

    /// Path as shown.
    pub(crate) fn path(self) -> &'static str {
        self.packed.path
    }

    /// The markdown after the front matter.
    pub(crate) fn body(self) -> &'static str {
        text(self.packed.page.body)
    }

    /// The front matter, decoded on the first call.
    pub(crate) fn matter(self) -> &'static FrontMatter {
        match self.book.matters.get(self.index) {
            Some(cell) => cell.get_or_init(|| decoded(self.packed.page.matter)),
            None => unreachable!("one cell was made for each page"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::book::page::FaultPage;
    use crate::book::page_reader::PageLocation;

    #[test]
    #[expect(clippy::print_stderr, clippy::use_debug, reason = "the times are worth seeing")]
    fn every_page_can_be_read() {
        let start = Instant::now();
        let book = builtin();
        let decoded = start.elapsed();
        let signatures: usize = book.faults().map(|f| f.matter().signatures.len()).sum();
        let matters = start.elapsed();
        let read = |fault: BuiltinFault| {
            let location = PageLocation { id: fault.id(), area: fault.area(), path: fault.path() };
            page_reader::read_body(location, fault.matter().clone(), fault.body(), &|id| book.recipe(id))
        };
        let pages: Vec<FaultPage> = book.faults().map(read).collect();
        eprintln!(
            "{} bytes: {decoded:?} to decode, {matters:?} with {signatures} signatures, {:?} with all {} pages read",
            BYTES.len(),
            start.elapsed(),
            pages.len()
        );
        for page in &pages {
            assert!(!page.meaning.is_empty() && !page.example.is_empty(), "{}", page.path);
        }
        assert_eq!(book.notices().count(), book.packed.notices.len());
        assert_eq!(book.recipes().count(), book.packed.fixes.len());
        assert!(book.codes().iter().count() >= book.packed.codes.len());
    }
}
