//! One picture of a watched machine: a bar per device, and the course of memory, load and heat.

use super::layout::{Paragraph, Sheet, piece};
use super::probe::{COLUMN, device, devices, lead};
use super::style::{FAINT, PLAIN, STRONG};
use super::terminal::Terminal;
use crate::probe::Watch;

/// One picture of a watch: a bar and the course of memory and load per device.
pub fn render(watch: &Watch, terminal: Terminal) -> String {
    let mut sheet = Sheet::new(terminal.width, terminal.color);
    let Some(sample) = watch.samples.back() else { return sheet.finish() };
    let facts = &sample.facts;
    if let Some(says) = facts.text("nvml.says") {
        sheet.paragraph(&Paragraph::new(format!("NVML does not answer: {says}")).style(STRONG));
    }
    if facts.number("gpu.installed").is_none() {
        let why = facts.why_unknown("gpu.name").unwrap_or("no device is listed");
        sheet.paragraph(&Paragraph::new(why));
    }
    for index in devices(facts) {
        device(&mut sheet, facts, index);
        for (label, name, whole) in [
            ("memory", "memory.used", facts.number(&format!("gpu.{index}.memory.total"))),
            ("load", "utilization", Some(100.0)),
            ("heat", "temperature", Some(100.0)),
        ] {
            let history = watch.history(&format!("gpu.{index}.{name}"));
            if let Some(whole) = whole.filter(|_| history.iter().any(Option::is_some)) {
                let columns = terminal.width.saturating_sub(COLUMN + 2).min(history.len());
                let course = course(&history[history.len() - columns..], whole);
                sheet.line(&[piece(FAINT, lead(label)), piece(PLAIN, course)]);
            }
        }
    }
    sheet.finish()
}

/// Eight heights of a column.
fn course(values: &[Option<f64>], whole: f64) -> String {
    const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let height = |value: &Option<f64>| match value {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        Some(value) => HEIGHTS[((value / whole * 7.99).clamp(0.0, 7.0)) as usize],
        None => ' ',
    };
    values.iter().map(height).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn courses_have_eight_heights() {
        assert_eq!(course(&[Some(0.0), None, Some(50.0), Some(100.0), Some(500.0)], 100.0), "▁ ▄██");
    }
}
