//! The pages of a folder that is laid out as kb/ is.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::codes::CodeTable;
use super::page::{Notice, Recipe};
use super::problem::Problem;
use super::schema::FrontMatter;

/// What a folder holds.
#[derive(Debug, Default)]
pub struct Pages {
    /// Fault pages, by path.
    pub faults: Vec<PageFile>,
    /// Recipes by id.
    pub recipes: BTreeMap<String, Recipe>,
    /// Notices, by path.
    pub notices: Vec<Notice>,
    /// Tables of codes.
    pub codes: CodeTable,
    /// Pages that are wrong, with every mistake.
    pub broken: Vec<(PathBuf, Vec<Problem>)>,
}

/// A sound fault page as its file has it: front matter read, body left for later.
#[derive(Debug)]
pub struct PageFile {
    /// The file's stem.
    pub id: String,
    /// The folder's name.
    pub area: String,
    pub path: PathBuf,
    /// The front matter.
    pub matter: FrontMatter,
    /// The markdown after the front matter.
    pub body: String,
}
