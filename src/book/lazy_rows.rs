//! A table of the book whose rows are read when somebody asks: most answers need none of them.

use std::sync::OnceLock;

use serde::de::DeserializeOwned;

/// A packed table, and its rows once they are read. Rows that cannot be read are left out; the tests of each table count
/// them.
#[derive(Debug)]
pub(crate) struct LazyRows<T> {
    packed: &'static str,
    rows: OnceLock<Vec<T>>,
}

impl<T: DeserializeOwned> LazyRows<T> {
    /// Keeps the table's text.
    pub(crate) fn new(packed: &'static str) -> Self {
        Self { packed, rows: OnceLock::new() }
    }

    /// All rows in the order of the table.
    pub(crate) fn all(&self) -> &[T] {
        self.rows.get_or_init(|| crate::table::values(self.packed))
    }
}
