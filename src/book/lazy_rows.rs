//! A table of the book whose rows are read when somebody asks: most answers need none of them.

use std::sync::OnceLock;

use serde::de::DeserializeOwned;

/// The text of a CSV table, and its rows once they are read. Rows that cannot be read are left out; the tests of each
/// table count them.
#[derive(Debug)]
pub(crate) struct LazyRows<T> {
    csv: &'static str,
    rows: OnceLock<Vec<T>>,
}

impl<T: DeserializeOwned> LazyRows<T> {
    /// Keeps the table's text.
    pub(crate) fn new(csv: &'static str) -> Self {
        Self { csv, rows: OnceLock::new() }
    }

    /// All rows in the order of the table.
    pub(crate) fn all(&self) -> &[T] {
        self.rows.get_or_init(|| crate::table::rows(self.csv).0)
    }
}
