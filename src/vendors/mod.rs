//! GPU vendors: kb/vendors, decoded on first use.

pub mod description;
mod files;

use std::sync::OnceLock;

use crate::literals::Literals;
pub use description::{CodeFamily, CodeForm, Library, Relatives, Vendor};

static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/vendors.postcard"));

/// All vendors, in the order in which they are tried.
pub(crate) fn all() -> &'static [Vendor] {
    static VENDORS: OnceLock<Vec<Vendor>> = OnceLock::new();
    VENDORS.get_or_init(|| postcard::from_bytes(BYTES).expect("the same build wrote these bytes"))
}

/// What finds the names and the sentences of all vendors' codes, vendor by vendor.
pub(crate) fn code_words() -> Literals<'static> {
    static WORDS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/code_words.postcard"));
    postcard::from_bytes(WORDS).expect("the same build wrote these bytes")
}

/// The vendor with that id.
pub(crate) fn by_id(id: &str) -> Option<&'static Vendor> {
    all().iter().find(|vendor| vendor.id == id)
}

/// Beginnings of the environment variables of all vendors.
pub(crate) fn variables() -> impl Iterator<Item = &'static str> {
    all().iter().flat_map(|vendor| &vendor.variables.prefixes).map(String::as_str)
}

/// Whether a word of a GPU's name is a brand, which says nothing about the model.
pub(crate) fn is_brand(word: &str) -> bool {
    all().iter().any(|vendor| vendor.brands.iter().any(|brand| brand.eq_ignore_ascii_case(word)))
}

/// A GPU's name without the brands before its model.
pub(crate) fn model(name: &str) -> &str {
    match name.split_once(' ') {
        Some((word, rest)) if is_brand(word) => model(rest),
        _ => name,
    }
}

/// Whether a word is a name of a family whose codes are not in capitals: `cudaErrorX`, `ncclXError`.
pub(crate) fn is_code(word: &str) -> bool {
    all().iter().flat_map(|vendor| &vendor.codes.families).any(|family| match family.form {
        CodeForm::Camel => word.starts_with(&family.prefix),
        CodeForm::Listed => word.starts_with(&family.prefix) && word.ends_with("Error"),
        _ => false,
    })
}

/// The library with that stem.
pub(crate) fn library(stem: &str) -> Option<&'static Library> {
    all().iter().flat_map(|vendor| &vendor.libraries).find(|library| library.stem == stem)
}

impl Library {
    /// The major version of the toolkit that ships that major version; `None` where several do.
    pub(crate) fn toolkit_of(&self, major: u32) -> Option<u32> {
        self.toolkit.iter().find(|range| (range.from..=range.to).contains(&major)).map(|range| major + range.plus)
    }
}
