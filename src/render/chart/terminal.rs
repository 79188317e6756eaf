//! One line per row: its name, a bar for each period, its total.

use textwrap::core::display_width;

use super::{Chart, Group, Row};
use crate::render::clean;
use crate::render::layout::{Paragraph, Sheet, piece, shorten_end};
use crate::render::style::{COMMAND, FAINT, PLAIN, STRONG};

/// From one eighth to the full height of a line.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// A period with a count of zero.
const NONE: char = '·';
const NAME: usize = 28;
/// Columns of a total, with the spaces before it.
const TOTAL: usize = 7;

/// The chart as lines; if there are more periods than columns, the latest are drawn.
pub(crate) fn terminal(chart: &Chart, sheet: &mut Sheet) {
    sheet.paragraph(&Paragraph::new(&chart.title).style(STRONG));
    let rows = || chart.groups.iter().flat_map(|group| &group.rows);
    let name = rows().map(|row| display_width(&clean::line(&row.name))).max().unwrap_or(0).min(NAME);
    let name = name.min(sheet.width() / 2);
    let room = sheet.width().saturating_sub(2 + name + 2 + TOTAL).max(1);
    let skipped = chart.periods.len().saturating_sub(room);
    let periods = chart.periods.get(skipped..).unwrap_or_default();
    // With few periods, bars are wider.
    let wide = (room / periods.len().max(1)).clamp(1, 3);
    for group in chart.groups.iter().filter(|group| !group.rows.is_empty()) {
        // A row that has nothing in the periods drawn says nothing.
        let drawn = |row: &&Row| row.counts.iter().skip(skipped).any(|count| *count > 0);
        if skipped > 0 && !group.rows.iter().any(|row| drawn(&row)) {
            continue;
        }
        sheet.blank();
        let axis = axis(periods, wide, room);
        sheet.line(&[piece(STRONG, format!("{:<1$}", group.title, name + 4)), piece(FAINT, axis)]);
        let most = most(group, skipped);
        for row in group.rows.iter().filter(|row| skipped == 0 || drawn(row)) {
            let words = shorten_end(&clean::line(&row.name), name);
            let blanks = " ".repeat(name.saturating_sub(display_width(&words)) + 2);
            let bars: String = row.counts.iter().skip(skipped).map(|count| bar(*count, most, wide)).collect();
            let total = piece(PLAIN, row.total.to_string());
            sheet.at_right_edge(&[piece(PLAIN, format!("  {words}{blanks}")), piece(COMMAND, bars)], &total);
        }
    }
    if skipped > 0 {
        sheet.blank();
        let says = format!(
            "The bars show the last {} of {} periods; the totals are of all.",
            periods.len(),
            chart.periods.len()
        );
        sheet.paragraph(&Paragraph::new(says).style(FAINT));
    }
}

/// The largest count in the chart.
fn most(group: &Group, skipped: usize) -> u32 {
    let counts = |row: &Row| row.counts.iter().skip(skipped).copied().max().unwrap_or(0);
    group.rows.iter().map(counts).max().unwrap_or(0)
}

/// A bar some columns wide; any count above zero is visible.
fn bar(count: u32, most: u32, wide: usize) -> String {
    let eighths = (u64::from(count) * 8).div_ceil(u64::from(most.max(1)));
    let index = usize::try_from(eighths).unwrap_or(8).checked_sub(1);
    let c = index.and_then(|index| BARS.get(index)).copied().unwrap_or(NONE);
    match (count, wide) {
        (0, _) => format!("{NONE:<wide$}"),
        (_, 1) => c.to_string(),
        _ => format!("{}{}", c.to_string().repeat(wide - 1), " "),
    }
}

/// The names of the first and the last period, if they fit above the bars.
fn axis(periods: &[String], wide: usize, room: usize) -> String {
    let (Some(first), Some(last)) = (periods.first(), periods.last()) else { return String::new() };
    let columns = periods.len() * wide;
    match (periods.len(), columns > first.len() + last.len()) {
        (1, _) => first.clone(),
        (_, true) => format!("{first}{}{last}", " ".repeat(columns - first.len() - last.len())),
        (_, false) if first.len() + last.len() + 4 <= room => format!("{first} to {last}"),
        (_, false) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(chart: &Chart, width: usize) -> String {
        let mut sheet = Sheet::new(width, false);
        terminal(chart, &mut sheet);
        sheet.finish()
    }

    #[test]
    fn bars_have_one_scale_in_a_group() {
        let expected = "\
Reports <by> \"month\" & more

Fault                           2025-10 to 2025-12
  oom                           ██ ·  ▄▄                   6
  </text><script>               ▂▂ ▂▂ ·                    2
  요약 요약 요약 요약 요약 ...  ·  ·  ▂▂                   1
";
        let seen = drawn(&super::super::hostile(), 60);
        assert_eq!(seen, expected, "{seen}");
    }

    #[test]
    fn more_periods_than_columns() {
        let periods: Vec<String> = (1..=90).map(|n| format!("{:04}-01", 1900 + n)).collect();
        let row = Row { name: "oom".to_owned(), counts: vec![1; 90], total: 95 };
        let chart =
            Chart { periods, groups: vec![Group { title: "Fault".to_owned(), rows: vec![row] }], ..Chart::default() };
        for width in [20, 40, 80, 200] {
            let seen = drawn(&chart, width);
            assert!(seen.lines().all(|line| display_width(line) <= width), "{seen}");
            assert_eq!(seen.contains("of 90 periods") || seen.contains("The bars"), width < 200, "{seen}");
        }
        assert_eq!(drawn(&Chart::default(), 40).trim(), "");
    }
}
