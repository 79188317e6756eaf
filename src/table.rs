//! Rows of a CSV file of `kb` whose lines may be comments (`#`). `build.rs` includes this file by path.

use serde::de::DeserializeOwned;

/// The rows of a table, and the broken ones as line and reason.
pub(crate) fn rows<T: DeserializeOwned>(text: &str) -> (Vec<T>, Vec<(u64, String)>) {
    let reader = csv::ReaderBuilder::new().comment(Some(b'#')).trim(csv::Trim::All).from_reader(text.as_bytes());
    let (mut rows, mut failed) = (Vec::new(), Vec::new());
    for row in reader.into_deserialize() {
        match row {
            Ok(row) => rows.push(row),
            Err(error) => failed.push((error.position().map_or(0, csv::Position::line), error.to_string())),
        }
    }
    (rows, failed)
}
