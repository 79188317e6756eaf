//! Cells of braille dots: two across and four down in each character.

/// The dots of a cell by column and row, as Unicode numbers them from U+2800.
const DOTS: [[u32; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

/// Dots that became characters, with the curve that is seen in each.
#[derive(Debug)]
pub(super) struct Canvas {
    columns: usize,
    rows: usize,
    cells: Vec<(u32, Option<usize>)>,
}

impl Canvas {
    pub(super) fn new(columns: usize, rows: usize) -> Self {
        Self { columns, rows, cells: vec![(0, None); columns * rows] }
    }

    /// Draws a line between two places, each from 0 to 1 from the left and from the bottom.
    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), curve: usize) {
        let (wide, high) = ((self.columns * 2 - 1) as f64, (self.rows * 4 - 1) as f64);
        let dot = |(x, y): (f64, f64)| ((x * wide).round(), ((1.0 - y) * high).round());
        let ((x0, y0), (x1, y1)) = (dot(from), dot(to));
        let steps = (x1 - x0).abs().max((y1 - y0).abs()).max(1.0);
        for step in 0..=steps as usize {
            let share = step as f64 / steps;
            self.dot((x1 - x0).mul_add(share, x0), (y1 - y0).mul_add(share, y0), curve);
        }
    }

    fn dot(&mut self, x: f64, y: f64, curve: usize) {
        let (x, y) = (x.round().max(0.0) as usize, y.round().max(0.0) as usize);
        let bit = DOTS.get(x % 2).and_then(|column| column.get(y % 4)).copied().unwrap_or(0);
        if x / 2 < self.columns
            && let Some((dots, seen)) = self.cells.get_mut(y / 4 * self.columns + x / 2)
        {
            *dots |= bit;
            *seen = seen.or(Some(curve));
        }
    }

    /// The characters of a row, each with its curve; a blank where there is no dot.
    pub(super) fn row(&self, row: usize) -> impl Iterator<Item = (char, Option<usize>)> {
        let cells = self.cells.get(row * self.columns..(row + 1) * self.columns).unwrap_or_default();
        cells.iter().map(|(dots, curve)| match dots {
            0 => (' ', None),
            dots => (char::from_u32(0x2800 + dots).unwrap_or(' '), *curve),
        })
    }
}
