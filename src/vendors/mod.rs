//! GPU vendors: kb/vendors, decoded on first use.

pub mod description;

use std::sync::OnceLock;

pub use description::{CodeFamily, CodeForm, Library, Vendor};

static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/vendors.postcard"));

/// All vendors, in the order in which they are tried.
pub(crate) fn all() -> &'static [Vendor] {
    static VENDORS: OnceLock<Vec<Vendor>> = OnceLock::new();
    VENDORS.get_or_init(|| postcard::from_bytes(BYTES).expect("the same build wrote these bytes"))
}

/// The vendor with that id.
pub(crate) fn by_id(id: &str) -> Option<&'static Vendor> {
    all().iter().find(|vendor| vendor.id == id)
}

/// Beginnings of the environment variables of all vendors.
pub(crate) fn variables() -> impl Iterator<Item = &'static str> {
    all().iter().flat_map(|vendor| &vendor.variables.prefixes).map(String::as_str)
}

/// Whether a lower-case word of a GPU's name is a brand, which says nothing about the model.
pub(crate) fn is_brand(word: &str) -> bool {
    all().iter().any(|vendor| vendor.brands.iter().any(|brand| brand == word))
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
