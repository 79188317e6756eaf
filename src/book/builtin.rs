//! The book inside the binary: what `build.rs` made of kb/.
//!
//! Decoding borrows all bodies from the binary and leaves each page's front matter packed until somebody asks for it,
//! because most runs need few pages whole. Nothing here can fail: the same build wrote the bytes.

use std::sync::OnceLock;

use super::codes::CodeTable;
use super::packed::{Packed, PackedFault, PackedFile};
use super::page::{FaultPage, Notice, Recipe};
use super::page_reader::{self, PageLocation};
use super::schema::FrontMatter;

pub(super) static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/book.postcard"));

/// The built-in book.
#[derive(Debug)]
pub struct Builtin {
    packed: Packed<'static>,
    matters: Vec<OnceLock<FrontMatter>>,
    codes: OnceLock<CodeTable>,
}

/// A fault page of the built-in book, not read yet.
#[derive(Debug, Clone, Copy)]
pub struct BuiltinFault {
    book: &'static Builtin,
    index: usize,
    packed: &'static PackedFault<'static>,
}

/// The built-in book, decoded on the first call.
pub fn builtin() -> &'static Builtin {
    static BOOK: OnceLock<Builtin> = OnceLock::new();
    BOOK.get_or_init(|| {
        let packed: Packed<'static> = postcard::from_bytes(BYTES).expect("the same build wrote these bytes");
        let matters = packed.faults.iter().map(|_| OnceLock::new()).collect();
        Builtin { packed, matters, codes: OnceLock::new() }
    })
}

impl Builtin {
    /// All fault pages, by id.
    pub fn faults(&'static self) -> impl ExactSizeIterator<Item = BuiltinFault> {
        self.packed.faults.iter().enumerate().map(move |(index, packed)| BuiltinFault { book: self, index, packed })
    }

    /// The fault page with that id or former id.
    pub fn fault(&'static self, id: &str) -> Option<BuiltinFault> {
        match self.packed.faults.binary_search_by(|f| f.id.cmp(id)) {
            Ok(index) => self.faults().nth(index),
            Err(_) => self.faults().find(|f| f.matter().aliases.iter().any(|a| a == id)),
        }
    }

    /// The recipe with that id.
    pub fn recipe(&self, id: &str) -> Option<Recipe> {
        let index = self.packed.fixes.binary_search_by(|f| f.id.cmp(id)).ok()?;
        let fix = self.packed.fixes.get(index)?;
        Some(page_reader::recipe(fix.id, fix.matter.clone(), fix.body))
    }

    /// All recipes, by id.
    pub fn recipes(&self) -> impl Iterator<Item = Recipe> {
        self.packed.fixes.iter().map(|fix| page_reader::recipe(fix.id, fix.matter.clone(), fix.body))
    }

    /// All notices, by id.
    pub fn notices(&self) -> impl Iterator<Item = Notice> {
        self.packed.notices.iter().map(|n| page_reader::notice(n.id, n.matter.clone(), n.body))
    }

    /// The tables of codes.
    pub fn codes(&'static self) -> &'static CodeTable {
        self.codes.get_or_init(|| CodeTable::from_rows(self.packed.codes.iter().map(|t| (t.library, t.rows.clone()))))
    }

    /// The text of `kb/hardware/<stem>.csv`.
    pub fn hardware(&self, stem: &str) -> Option<&'static str> {
        self.packed.hardware.iter().find(|f| f.stem == stem).map(|f| f.text)
    }

    /// The reports that come with the book, as files.
    pub fn reports(&'static self) -> &'static [PackedFile<'static>] {
        &self.packed.reports
    }
}

impl BuiltinFault {
    /// The file's stem.
    pub fn id(self) -> &'static str {
        self.packed.id
    }

    /// The folder.
    pub fn area(self) -> &'static str {
        self.packed.area
    }

    /// Path as shown.
    pub fn path(self) -> &'static str {
        self.packed.path
    }

    /// The markdown after the front matter.
    pub fn body(self) -> &'static str {
        self.packed.body
    }

    /// Physical line of the file at which the body begins.
    pub fn body_line(self) -> u32 {
        self.packed.body_line
    }

    /// The front matter, decoded on the first call.
    pub fn matter(self) -> &'static FrontMatter {
        let decode = || postcard::from_bytes(self.packed.matter).expect("the same build wrote these bytes");
        match self.book.matters.get(self.index) {
            Some(cell) => cell.get_or_init(decode),
            None => unreachable!("one cell was made for each page"),
        }
    }

    /// The page whole, its body read now.
    pub fn page(self) -> FaultPage {
        let shelf = PageLocation { id: self.id(), area: self.area(), path: self.path() };
        page_reader::read_body(shelf, self.matter().clone(), self.body(), &|id| self.book.recipe(id))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    #[expect(clippy::print_stderr, clippy::use_debug, reason = "the times are worth seeing")]
    fn every_page_can_be_read() {
        let start = Instant::now();
        let book = builtin();
        let decoded = start.elapsed();
        let signatures: usize = book.faults().map(|f| f.matter().signatures.len()).sum();
        let matters = start.elapsed();
        let pages: Vec<FaultPage> = book.faults().map(BuiltinFault::page).collect();
        eprintln!(
            "{} bytes: {decoded:?} to decode, {matters:?} with {signatures} signatures, {:?} with all {} pages read",
            BYTES.len(),
            start.elapsed(),
            pages.len()
        );
        for page in &pages {
            assert_eq!(book.fault(&page.id).map(BuiltinFault::path), Some(page.path.as_str()));
            assert!(!page.meaning.is_empty() && !page.example.is_empty(), "{}", page.path);
        }
        assert!(book.fault("no-such-fault").is_none());
        assert_eq!(book.notices().count(), book.packed.notices.len());
        assert_eq!(book.recipes().count(), book.packed.fixes.len());
        assert!(book.codes().iter().count() >= book.packed.codes.len());
    }
}
