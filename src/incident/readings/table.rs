//! Tables of readings: a line of names, then lines of numbers below them. CSV files of loggers, the tables that
//! notebooks and detectors print, what a monitor prints every few seconds.

use super::names::{Names, Spelled};
use super::scan::{Number, Numbers, bytes_of, is_size};
use crate::wording::Quantity;

/// The names of a table's columns.
#[derive(Debug)]
pub(super) struct Header {
    separator: Separator,
    cells: usize,
    /// The columns that are metrics: their place, what they mean, their name, and the unit in the name.
    columns: Vec<Column>,
}

#[derive(Debug)]
pub(super) struct Column {
    place: usize,
    pub(super) quantity: Quantity,
    pub(super) label: String,
    pub(super) unit: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    Tab,
    Comma,
    Bar,
    Blank,
}

impl Separator {
    fn cells(self, text: &str) -> Vec<&str> {
        match self {
            Separator::Tab => text.split('\t').map(str::trim).collect(),
            Separator::Comma => text.split(',').map(str::trim).collect(),
            Separator::Bar => text.trim().trim_matches('|').split('|').map(str::trim).collect(),
            Separator::Blank => text.split_whitespace().collect(),
        }
    }
}

/// More columns than this are data.
const MOST_COLUMNS: usize = 40;

impl Header {
    /// Reads a line of names; `None` for any other.
    pub(super) fn read(text: &str, names: &Names) -> Option<Self> {
        if text.len() > 600 || !text.contains(['\t', ',', '|', ' ']) || text.contains(['=', '{', ':']) {
            return None;
        }
        let separators = [Separator::Tab, Separator::Comma, Separator::Bar, Separator::Blank];
        separators.into_iter().find_map(|separator| {
            let cells = separator.cells(text);
            let fewest = if separator == Separator::Blank { 3 } else { 2 };
            if !(fewest..=MOST_COLUMNS).contains(&cells.len())
                || cells.iter().any(|cell| cell.starts_with(|c: char| c.is_ascii_digit()))
            {
                return None;
            }
            let column = |(place, cell): (usize, &&str)| {
                let name = Spelled::of(cell)?;
                let quantity = names.of(&name)?;
                Some(Column { place, quantity, label: name.words.join(" "), unit: name.unit })
            };
            let columns: Vec<Column> = cells.iter().enumerate().filter_map(column).collect();
            let metrics = columns.iter().filter(|column| column.quantity > Quantity::BatchSize).count();
            // Of words between blanks, many must be names, or it is a sentence.
            let enough = columns.len() >= 2 && (separator != Separator::Blank || columns.len() * 2 >= cells.len());
            (metrics > 0 && enough).then_some(Header { separator, cells: cells.len(), columns })
        })
    }

    /// The numbers of a row below these names; `None` for a line that is none.
    pub(super) fn row<'t>(&self, text: &'t str) -> Option<Vec<(&Column, Number<'t>)>> {
        let cells = self.separator.cells(text);
        let fits = match self.separator {
            Separator::Blank => cells.len() >= self.cells,
            _ => cells.len() == self.cells,
        };
        let is_row =
            fits && cells.iter().take(self.cells).filter(|cell| is_number(cell)).count() >= self.columns.len().min(2);
        if !is_row {
            return None;
        }
        let number = |column: &'_ Column| -> Option<Number<'t>> {
            let cell = cells.get(column.place).copied().filter(|cell| is_number(cell))?;
            Numbers::of(cell).next()
        };
        let found: Vec<_> =
            self.columns.iter().filter_map(|column| number(column).map(|number| (column, number))).collect();
        (!found.is_empty()).then_some(found)
    }
}

/// Whether a cell is a number, with a unit or not.
fn is_number(cell: &str) -> bool {
    let rest = cell.trim_start_matches(['-', '+']);
    let is_value = rest.starts_with(|c: char| c.is_ascii_digit()) || rest.eq_ignore_ascii_case("nan");
    let unit = rest.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    is_value && (unit.is_empty() || is_size(unit) || unit.len() < 8 && bytes_of(unit).is_none())
}
