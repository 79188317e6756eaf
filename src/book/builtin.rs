//! The book inside the binary: what `build.rs` made of kb/.
//!
//! Decoding borrows all bodies from the binary and leaves each page's front matter packed until it is needed,
//! because most runs need few pages completely. Nothing here can fail: the same build wrote the bytes.

use std::sync::OnceLock;

use super::cases::{Case, PackedCases};
use super::codes::CodeTable;
use super::entries::Entries;
use super::packed::{Packed, PackedFault, PackedFile};
use super::page::{Notice, Recipe};
use super::page_reader;
use super::schema::FrontMatter;

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

/// The built-in book, decoded on the first call.
pub(crate) fn builtin() -> &'static Builtin {
    static BOOK: OnceLock<Builtin> = OnceLock::new();
    BOOK.get_or_init(|| {
        let packed: Packed<'static> = postcard::from_bytes(BYTES).expect("the same build wrote these bytes");
        let matters = packed.faults.iter().map(|_| OnceLock::new()).collect();
        Builtin { packed, matters, codes: OnceLock::new() }
    })
}

impl Builtin {
    /// All fault pages, by id.
    pub(crate) fn faults(&'static self) -> impl ExactSizeIterator<Item = BuiltinFault> {
        self.packed.faults.iter().enumerate().map(move |(index, packed)| BuiltinFault { book: self, index, packed })
    }

    /// The recipe with that id.
    pub(crate) fn recipe(&self, id: &str) -> Option<Recipe> {
        let index = self.packed.fixes.binary_search_by(|f| f.id.cmp(id)).ok()?;
        let fix = self.packed.fixes.get(index)?;
        Some(page_reader::recipe(fix.id, fix.matter.clone(), fix.body))
    }

    /// All recipes, by id.
    pub(crate) fn recipes(&self) -> impl Iterator<Item = Recipe> {
        self.packed.fixes.iter().map(|fix| page_reader::recipe(fix.id, fix.matter.clone(), fix.body))
    }

    /// All notices, by id.
    pub(crate) fn notices(&self) -> impl Iterator<Item = Notice> {
        self.packed.notices.iter().map(|n| page_reader::notice(n.id, n.matter.clone(), n.body))
    }

    /// The tables of codes.
    pub(crate) fn codes(&'static self) -> &'static CodeTable {
        self.codes.get_or_init(|| CodeTable::from_rows(self.packed.codes.iter().map(|t| (t.library, t.rows.clone()))))
    }

    /// The resolved public cases of that fault, decoded on every call: an answer needs those of one fault.
    pub(crate) fn cases(fault: &str) -> Vec<Case<'static>> {
        static CASES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/cases.postcard"));
        static FAULTS: OnceLock<Vec<PackedCases<'static>>> = OnceLock::new();
        let faults = FAULTS.get_or_init(|| postcard::from_bytes(CASES).expect("the same build wrote these bytes"));
        let packed = faults.iter().find(|(id, _)| *id == fault).map(|(_, cases)| *cases);
        packed.map(|cases| postcard::from_bytes(cases).expect("the same build wrote these bytes")).unwrap_or_default()
    }

    /// The errors that need no page of their own, found on the first call.
    pub(crate) fn errors() -> &'static Entries {
        static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/errors.postcard"));
        static WORDS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/error_words.postcard"));
        static ENTRIES: OnceLock<Entries> = OnceLock::new();
        ENTRIES.get_or_init(|| Entries::new(PACKED, WORDS))
    }

    /// The text of `kb/hardware/<stem>.csv`.
    pub(crate) fn hardware(&self, stem: &str) -> Option<&'static str> {
        self.packed.hardware.iter().find(|f| f.stem == stem).map(|f| f.text)
    }

    /// The reports that come with the book, as files.
    pub(crate) fn reports(&'static self) -> &'static [PackedFile<'static>] {
        &self.packed.reports
    }
}

impl BuiltinFault {
    /// The file's stem.
    pub(crate) fn id(self) -> &'static str {
        self.packed.id
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
        self.packed.body
    }

    /// The front matter, decoded on the first call.
    pub(crate) fn matter(self) -> &'static FrontMatter {
        let decode = || postcard::from_bytes(self.packed.matter).expect("the same build wrote these bytes");
        match self.book.matters.get(self.index) {
            Some(cell) => cell.get_or_init(decode),
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
