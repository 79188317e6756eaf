//! One picture of a watched machine: each device in a few lines with the course of its memory, load, heat and clock; a
//! row per device where that would be taller than the window.

use super::device::{COLUMN, device, devices, lead};
use crate::amounts::size;
use crate::facts::Facts;
use crate::machine::Watch;
use crate::render::layout::{Paragraph, Sheet, piece};
use crate::render::style::{FAINT, PLAIN, STRONG};
use crate::render::terminal::Terminal;

/// Lines of the plot of memory.
const TALL: usize = 4;

/// Columns of a course in the table.
const SHORT: usize = 10;

/// One picture of a watch, no taller than `rows` where that can be.
pub fn render(watch: &Watch, terminal: Terminal, rows: Option<usize>) -> String {
    let large = picture(watch, terminal, devices_in_full);
    match rows {
        Some(rows) if large.lines().count() > rows => picture(watch, terminal, devices_in_a_table),
        _ => large,
    }
}

/// What stands above and below the devices.
fn picture(watch: &Watch, terminal: Terminal, devices: fn(&mut Sheet, &Watch, &Facts)) -> String {
    let mut sheet = Sheet::new(terminal.width, terminal.color);
    let Some(sample) = watch.samples.back() else { return sheet.finish() };
    let facts = &sample.facts;
    let management = &watch.vendor().management;
    if let Some(says) = facts.text(&format!("{}.says", management.facts)) {
        sheet.paragraph(&Paragraph::new(format!("{} does not answer: {says}", management.name)).style(STRONG));
    }
    if facts.number("gpu.installed").is_none() {
        let why = facts.why_unknown("gpu.name").unwrap_or("no device is listed");
        sheet.paragraph(&Paragraph::new(why));
    }
    devices(&mut sheet, watch, facts);
    sheet.finish()
}

fn devices_in_full(sheet: &mut Sheet, watch: &Watch, facts: &Facts) {
    for index in devices(facts) {
        device(sheet, facts, index);
        let name = |name: &str| format!("gpu.{index}.{name}");
        let columns = sheet.width().saturating_sub(COLUMN + 2).min(watch.samples.len());
        let kept = |name: &str| {
            let history = watch.history(name);
            history[history.len() - columns..].to_vec()
        };
        let (memory, total) = (kept(&name("memory.used")), facts.number(&name("memory.total")));
        if let Some(total) = total.filter(|_| memory.iter().any(Option::is_some)) {
            for (line, course) in plot(&memory, total, TALL).into_iter().enumerate() {
                let label = if line == 0 { size(total) } else { String::new() };
                sheet.line(&[piece(FAINT, format!("{label:>width$} ", width = COLUMN - 1)), piece(PLAIN, course)]);
            }
        }
        let clock = facts.number(&name("clock_max"));
        let courses =
            [("load", "utilization", Some(100.0)), ("heat", "temperature", Some(100.0)), ("clock", "clock", clock)];
        for (label, fact, whole) in courses {
            let history = kept(&name(fact));
            if let Some(whole) = whole.filter(|whole| *whole > 0.0 && history.iter().any(Option::is_some)) {
                sheet.line(&[piece(FAINT, lead(label)), piece(PLAIN, plot(&history, whole, 1).concat())]);
            }
        }
        if let Some(axis) = axis(watch, columns) {
            sheet.line(&[piece(FAINT, lead("")), piece(FAINT, axis)]);
        }
    }
}

fn devices_in_a_table(sheet: &mut Sheet, watch: &Watch, facts: &Facts) {
    sheet.line(&[piece(FAINT, format!("GPU  {:>20}  {:<SHORT$}  busy  heat  power    clock  errors", "memory", ""))]);
    for index in devices(facts) {
        let number = |name: &str| facts.number(&format!("gpu.{index}.{name}"));
        if let Some(error) = facts.text(&format!("gpu.{index}.error")) {
            sheet.line(&[piece(STRONG, format!("{index:>3}  {error}"))]);
            continue;
        }
        let history = watch.history(&format!("gpu.{index}.memory.used"));
        let columns = SHORT.min(history.len());
        let total = number("memory.total").unwrap_or(0.0);
        let course = plot(&history[history.len() - columns..], total.max(1.0), 1).concat();
        let memory =
            number("memory.used").map_or_else(String::new, |used| format!("{} of {}", size(used), size(total)));
        let of = |name: &str, unit: &str| number(name).map_or_else(|| "-".to_owned(), |value| format!("{value}{unit}"));
        sheet.line(&[piece(
            PLAIN,
            format!(
                "{index:>3}  {memory:>20}  {course:<SHORT$}  {:>4}  {:>4}  {:>5}  {:>7}  {:>6}",
                of("utilization", "%"),
                of("temperature", "C"),
                of("power", "W"),
                of("clock", "MHz"),
                of("ecc.uncorrected", ""),
            ),
        )]);
    }
}

/// The course of values as so many lines of columns, the highest line first; a column is empty where nothing is known.
fn plot(values: &[Option<f64>], whole: f64, lines: usize) -> Vec<String> {
    const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    #[expect(clippy::cast_precision_loss, reason = "a few lines")]
    let eighths = (lines * HEIGHTS.len()) as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let height = |value: f64| ((value / whole * eighths).round().clamp(1.0, eighths)) as usize;
    let column =
        |value: &Option<f64>, below: usize| match value.map(height).and_then(|height| height.checked_sub(below)) {
            None | Some(0) => ' ',
            Some(rest) => HEIGHTS[rest.min(HEIGHTS.len()) - 1],
        };
    (0..lines).rev().map(|line| values.iter().map(|value| column(value, line * HEIGHTS.len())).collect()).collect()
}

/// "58 s ago" under the first column and "now" under the last; nothing while there is no room for both.
fn axis(watch: &Watch, columns: usize) -> Option<String> {
    let first = watch.samples.get(watch.samples.len() - columns)?;
    let last = watch.samples.back()?;
    let ago = last.taken.duration_since(first.taken).ok()?.as_secs();
    let ago = format!("{ago} s ago");
    let gap = columns.checked_sub(ago.len() + "now".len()).filter(|gap| *gap > 0)?;
    Some(format!("{ago}{}now", " ".repeat(gap)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn courses_have_eight_heights_per_line() {
        let values = [Some(0.0), None, Some(50.0), Some(100.0), Some(500.0)];
        assert_eq!(plot(&values, 100.0, 1), ["▁ ▄██"]);
        assert_eq!(plot(&values, 100.0, 2), ["   ██", "▁ ███"]);
    }
}
