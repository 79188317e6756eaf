//! Columns of numbers that a run prints without a name: the step and the loss, again and again.

use super::{Incident, Role};
use crate::text::Transcript;

/// So many rows of numbers come before the first one that has none.
const ROWS: usize = 3;

/// More cells are data.
const MOST_CELLS: usize = 12;

/// The first line in which a column of decimal numbers shows NaN or infinity; the lines between rows do not count.
pub(crate) fn no_number(transcript: &Transcript, incident: &Incident) -> Option<usize> {
    let (mut before, mut rows): (Vec<f64>, usize) = (Vec::new(), 0);
    for line in transcript.lines().filter(|line| incident.roles.get(line.index) != Some(&Role::Code)) {
        let Some(cells) = cells(line.text) else { continue };
        if cells.len() != before.len() {
            (before, rows) = (cells, 1);
            continue;
        }
        let lost = cells.iter().zip(&before).any(|(now, before)| !now.is_finite() && before.fract() != 0.0);
        if lost && rows >= ROWS && before.iter().all(|cell| cell.is_finite()) {
            return Some(line.index);
        }
        (before, rows) = (cells, rows + 1);
    }
    None
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
        assert_eq!(at("2.31\n2.29\n2.30\ninf\n"), Some(3));
        for well in
            ["10 2.3\n20 2.2\n30 2.1\n40 2.0\n", "1 nan\n2 nan\n3 nan\n4 nan\n", "1 5\n2 6\n3 7\n4 nan\n", "2.3\nnan\n"]
        {
            assert_eq!(at(well), None, "{well}");
        }
    }
}
