//! Rows of a CSV file of `kb` whose lines may be comments (`#`), and small tables as the binary has them.
//!
//! `build.rs` includes this file by path.

use csv::StringRecord;
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

/// What is between two cells of a packed table. Its rows are lines, and the first one names the columns. To set up a
/// reader of CSV takes longer than to read a small table that way.
const BETWEEN_CELLS: char = '\u{1f}';

/// A CSV file as a packed table; of a file with a broken row, the line and the reason.
#[allow(dead_code, reason = "only a build asks, and tests")]
pub(crate) fn packed(csv: &str) -> Result<String, (u64, String)> {
    let rows = csv::ReaderBuilder::new().has_headers(false).from_reader(csv.as_bytes()).into_records();
    let line = |row: StringRecord| row.iter().collect::<Vec<_>>().join(&BETWEEN_CELLS.to_string()) + "\n";
    let broken = |error: csv::Error| (error.position().map_or(0, csv::Position::line), error.to_string());
    rows.map(|row| row.map(line).map_err(broken)).collect()
}

/// The rows of a packed table.
#[allow(dead_code, reason = "a build asks for none")]
pub(crate) fn records(packed: &str) -> impl Iterator<Item = StringRecord> {
    packed.lines().skip(1).map(record)
}

/// The same as values; rows that do not fit are left out.
#[allow(dead_code, reason = "a build asks for none")]
pub(crate) fn values<T: DeserializeOwned>(packed: &str) -> Vec<T> {
    let columns = packed.lines().next().map(record).unwrap_or_default();
    records(packed).filter_map(|row| row.deserialize(Some(&columns)).ok()).collect()
}

fn record(line: &str) -> StringRecord {
    line.split(BETWEEN_CELLS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_another_length_is_named() {
        assert_eq!(packed("a,b\n1,2\n").map(|table| records(&table).count()), Ok(1));
        let (line, reason) = packed("a,b\n1,2\n3\n4,5\n").expect_err("a cell is missing");
        assert!(line == 3 && reason.contains("found record with 1 fields"), "{line}: {reason}");
    }
}
