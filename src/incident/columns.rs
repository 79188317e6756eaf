//! Columns of numbers that a run prints without a name: the step and the loss, again and again.

use super::{Incident, Role};
use crate::text::Transcript;

/// So many rows of numbers come before the first one that has none.
const ROWS: usize = 3;

/// So many rows at the end have none: a single one is a value that is missing in a table.
const LOST: usize = 2;

/// More cells are data.
const MOST_CELLS: usize = 12;

/// A column of the rows that are being read.
#[derive(Clone, Copy, Default)]
struct Column {
    /// Its last number has decimal places.
    decimal: bool,
    /// The line since which it shows NaN or infinity, and in how many rows.
    lost: Option<(usize, usize)>,
}

/// The line from which on a column of decimal numbers shows NaN or infinity to the end; lines between rows do not count.
pub(crate) fn no_number(transcript: &Transcript, incident: &Incident) -> Option<usize> {
    let (mut columns, mut rows): (Vec<Column>, usize) = (Vec::new(), 0);
    for line in transcript.lines().filter(|line| incident.roles.get(line.index) != Some(&Role::Code)) {
        let Some(cells) = cells(line.text) else { continue };
        if cells.len() != columns.len() {
            (columns, rows) = (vec![Column::default(); cells.len()], 0);
        }
        for (column, cell) in columns.iter_mut().zip(&cells) {
            match column.lost.as_mut() {
                _ if cell.is_finite() => *column = Column { decimal: cell.fract() != 0.0, lost: None },
                Some((_, count)) => *count += 1,
                None if column.decimal && rows >= ROWS => column.lost = Some((line.index, 1)),
                None => {}
            }
        }
        rows += 1;
    }
    columns.iter().filter_map(|column| column.lost).filter(|(_, count)| *count >= LOST).map(|(line, _)| line).min()
}

/// The cells of a line of numbers; `None` for any other line.
fn cells(text: &str) -> Option<Vec<f64>> {
    let text = text.trim();
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | 'n' | 'N' | 'i' | 'I')) {
        return None;
    }
    let cells = text.split([' ', '\t', ',', ';', '|']).filter(|cell| !cell.is_empty()).take(MOST_CELLS + 1);
    let cells: Vec<f64> = cells.map(|cell| cell.parse().ok()).collect::<Option<_>>()?;
    (1..=MOST_CELLS).contains(&cells.len()).then_some(cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{incident, text};

    #[test]
    fn a_column_that_turns_into_no_number() {
        let at = |text: &str| {
            let transcript = text::read(text.as_bytes());
            no_number(&transcript, &incident::read(&transcript))
        };
        assert_eq!(at("10 2.31\n20 2.29\n30 2.30\nSaving the model\n40 nan\n50 nan\n"), Some(4));
        assert_eq!(at("2.31\n2.29\n2.30\ninf\nnan\n"), Some(3));
        for well in [
            "10 2.3\n20 2.2\n30 2.1\n40 2.0\n",
            "1 nan\n2 nan\n3 nan\n4 nan\n",
            "1 5\n2 6\n3 7\n4 nan\n5 nan\n",
            "2.3\nnan\nnan\n",
            // A table in which values are missing.
            "0 1.5 2.25\n1 2.5 3.25\n2 0.5 NaN\n3 NaN NaN\n4 0.25 1.75\n",
            "0 1.5\n1 2.5\n2 0.5\n3 NaN\n",
        ] {
            assert_eq!(at(well), None, "{well}");
        }
    }
}
