//! Counts over time, for the terminal and as SVG.
//!
//! Drawn here and not by a crate: terminal plotters draw curves on a canvas of their own, and the SVG of the plotting
//! crates has its colours written into every element, so that it cannot follow a dark page. What is drawn is small
//! (bars and words), and what a reader needs of it (a title, words for every bar, both themes) is most of the work.

mod svg;
mod terminal;

pub use svg::{is_ours, svg};
pub use terminal::terminal;

/// Counts in groups of rows over the same periods.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chart {
    /// What is counted, and since when.
    pub title: String,
    /// The periods' names, in order and without gaps: `2025-11`.
    pub periods: Vec<String>,
    /// The groups.
    pub groups: Vec<Group>,
}

/// Rows that share a scale.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Group {
    /// What the rows differ in.
    pub title: String,
    /// The rows, the largest first.
    pub rows: Vec<Row>,
}

/// One kind over time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// One count for each period.
    pub counts: Vec<u32>,
    /// All of them, those without a date included.
    pub total: u32,
}

/// A chart with everything that could break a drawing.
#[cfg(test)]
pub(crate) fn hostile() -> Chart {
    let row =
        |name: &str, counts: &[u32]| Row { name: name.to_owned(), counts: counts.to_vec(), total: counts.iter().sum() };
    Chart {
        title: "Reports <by> \"month\" & more".to_owned(),
        periods: ["2025-10", "2025-11", "2025-12"].map(str::to_owned).to_vec(),
        groups: vec![
            Group {
                title: "Fault".to_owned(),
                rows: vec![
                    row("oom", &[4, 0, 2]),
                    row("</text><script>\u{7}", &[1, 1, 0]),
                    row("요약 요약 요약 요약 요약 요약", &[0, 0, 1]),
                ],
            },
            Group { title: "Cause".to_owned(), rows: Vec::new() },
        ],
    }
}
