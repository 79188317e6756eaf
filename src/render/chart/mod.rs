//! Counts over time, for the terminal and as SVG.
//!
//! Drawn here instead of by a crate: terminal plotters draw curves on a canvas, and the plotting crates write fixed
//! colours into every SVG element, so that the chart cannot follow a dark theme. The drawing is small (bars and text);
//! most of the work is what readers need around it: a title, text for every bar, both themes.

mod svg;
mod terminal;

pub(crate) use svg::{is_ours, svg};
pub(crate) use terminal::terminal;

/// Counts per period, in groups of rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Chart {
    /// What is counted, and since when.
    pub title: String,
    /// The names of the periods, in order and without gaps: `2025-11`.
    pub periods: Vec<String>,
    pub groups: Vec<Group>,
}

/// Rows that share a scale.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Group {
    /// What distinguishes the rows.
    pub title: String,
    /// The rows, the largest first.
    pub rows: Vec<Row>,
}

/// One row over time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Row {
    pub name: String,
    /// One count for each period.
    pub counts: Vec<u32>,
    /// The total, including those without a date.
    pub total: u32,
}

impl Chart {
    /// The chart with so many rows in a group, small ones together, and none without a bar.
    pub(crate) fn shortened(&self, rows: usize) -> Self {
        let group = |group: &Group| {
            let drawn = |row: &&Row| row.counts.iter().any(|count| *count > 0);
            let mut kept: Vec<Row> = group.rows.iter().filter(drawn).cloned().collect();
            if kept.len() > rows {
                let rest = kept.split_off(rows.saturating_sub(1));
                let mut others = Row { name: "others".to_owned(), counts: vec![0; self.periods.len()], total: 0 };
                for row in rest {
                    others.total += row.total;
                    others.counts.iter_mut().zip(&row.counts).for_each(|(sum, count)| *sum += count);
                }
                kept.push(others);
            }
            Group { title: group.title.clone(), rows: kept }
        };
        Self { groups: self.groups.iter().map(group).collect(), ..self.clone() }
    }
}

/// A chart with values that could break a drawing.
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
