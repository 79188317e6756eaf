//! Reads a table of codes from CSV; a broken row costs only itself. `build.rs` includes this file by path.

use std::borrow::Cow;

use super::packed::CodeRow;

/// The rows of a table, and the broken ones as line and reason.
pub(crate) fn read(text: &str) -> (Vec<CodeRow<'static>>, Vec<(u64, String)>) {
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).trim(csv::Trim::All).from_reader(text.as_bytes());
    let (mut rows, mut failed) = (Vec::new(), Vec::new());
    let headers = match reader.headers() {
        Ok(headers) => headers.clone(),
        Err(error) => return (rows, vec![(1, error.to_string())]),
    };
    for record in reader.into_records() {
        let row = record.and_then(|r| r.deserialize::<CodeRow<'_>>(Some(&headers)).map(owned));
        match row {
            Ok(row) => rows.push(row),
            Err(error) => failed.push((error.position().map_or(0, csv::Position::line), error.to_string())),
        }
    }
    (rows, failed)
}

fn owned(row: CodeRow<'_>) -> CodeRow<'static> {
    let own = |value: Cow<'_, str>| Cow::Owned(value.into_owned());
    CodeRow {
        value: own(row.value),
        name: own(row.name),
        message: own(row.message),
        meaning: own(row.meaning),
        since: own(row.since),
        until: own(row.until),
        sticky: own(row.sticky),
        fault: own(row.fault),
        in_use: own(row.in_use),
        immediate: own(row.immediate),
        investigate: own(row.investigate),
    }
}
