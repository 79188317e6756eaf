//! How the built-in book travels from `build.rs` into the binary: checked front matter, and bodies as they are.
//!
//! `build.rs` includes this file by path, so it depends on serde and its neighbour `schema` alone. Strings are
//! borrowed from the binary where the front matter allows it. Bodies are the bulk of the book and most of them are never
//! looked at in one run, so that they are bytes, which need no check that they are text.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// Everything under kb/.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Packed<'a> {
    /// kb/faults, by id.
    #[serde(borrow)]
    pub faults: Vec<PackedFault<'a>>,
    /// kb/fixes, by id.
    #[serde(borrow)]
    pub fixes: Vec<PackedPage<'a>>,
    /// kb/notices, by id.
    #[serde(borrow)]
    pub notices: Vec<PackedPage<'a>>,
    /// kb/codes/*.csv, each a [`PackedTable`] in postcard.
    #[serde(borrow)]
    pub codes: Vec<&'a [u8]>,
    /// kb/reports/*.md.
    #[serde(borrow)]
    pub reports: Vec<PackedFile<'a>>,
}

/// A fault page, its front matter packed.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct PackedFault<'a> {
    /// The folder.
    pub area: &'a str,
    /// `kb/faults/cudnn/cudnn-no-engine.md`.
    pub path: &'a str,
    #[serde(borrow)]
    pub page: PackedPage<'a>,
    #[serde(borrow)]
    pub summary: Summary<'a>,
}

/// What a run asks of all pages.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Summary<'a> {
    /// Whether the page is kept for its history only.
    pub withdrawn: bool,
    /// If it knows operations that fail without a message: the packages that it is bound to, separated by spaces.
    pub silent: Option<&'a str>,
    /// Whether it knows a conflict between versions.
    pub conflicting: bool,
    /// Former ids, separated by spaces.
    pub aliases: &'a str,
}

/// A page: a run needs the front matter and the bodies of a few.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct PackedPage<'a> {
    /// The file's stem.
    pub id: &'a str,
    /// The front matter in postcard.
    pub matter: &'a [u8],
    /// The markdown after the front matter.
    pub body: &'a [u8],
}

/// A file of the book that is not a page.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct PackedFile<'a> {
    /// `kb/reports/2024-03-11-hang.md`.
    pub path: &'a str,
    pub text: &'a [u8],
}

/// A table of codes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PackedTable<'a> {
    /// The file's stem: `cuda-runtime`.
    pub library: &'a str,
    /// Its rows.
    #[serde(borrow)]
    pub rows: Vec<CodeRow<'a>>,
}

/// One row of a table of codes. Columns that a table does not have are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodeRow<'a> {
    /// The number as written; empty where there is none.
    #[serde(borrow, default)]
    pub value: Cow<'a, str>,
    /// `cudaErrorIllegalAddress`.
    #[serde(borrow, default)]
    pub name: Cow<'a, str>,
    /// The library's own message for it: `an illegal memory access was encountered`.
    #[serde(borrow, default)]
    pub message: Cow<'a, str>,
    /// What it means, in our words.
    #[serde(borrow, default)]
    pub meaning: Cow<'a, str>,
    /// First version that has it.
    #[serde(borrow, default)]
    pub since: Cow<'a, str>,
    /// Last version that has it.
    #[serde(borrow, default)]
    pub until: Cow<'a, str>,
    /// `yes` where every later call of the process fails with it too.
    #[serde(borrow, default)]
    pub sticky: Cow<'a, str>,
    /// The fault page; empty where none fits.
    #[serde(borrow, default)]
    pub fault: Cow<'a, str>,
    /// Xid only: whether current drivers print it.
    #[serde(borrow, default)]
    pub in_use: Cow<'a, str>,
    /// Xid only: the immediate action that NVIDIA recommends.
    #[serde(borrow, default)]
    pub immediate: Cow<'a, str>,
    /// Xid only: the investigation that NVIDIA recommends.
    #[serde(borrow, default)]
    pub investigate: Cow<'a, str>,
}
