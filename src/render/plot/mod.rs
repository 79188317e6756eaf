//! The picture of a run ([`RunPicture`]), for the terminal and as SVG.
//!
//! Drawn here, as the counts of [`super::chart`] are and for the same reasons. Crates were looked at again: `poloto`
//! leaves colours to CSS and draws curves, but no rows of ranks, no mark of a failure, no text alternative, and it skips
//! NaN, which is what a curve of the loss is often about; `textplots` draws one canvas of dots without names at the curves
//! and without a width that follows the terminal. What is drawn is decided in `diagnosis::picture`: nothing here leaves a
//! finding out or adds one.

mod canvas;
mod colours;
mod scale;
mod svg;
mod terminal;
#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod tests;

use super::layout::Sheet;
use super::terminal::Terminal;
use crate::diagnosis::picture::{Axis, Curve, Plot, RunPicture, Timeline, amount, place};

pub use colours::style;
pub(crate) use svg::is_ours;
pub use svg::{Figure, figures, svg};
pub(crate) use terminal::draw;

/// Columns of a drawing in a document.
const DOCUMENT: usize = 78;

/// The picture as text for a terminal, within its width; without colour nothing but characters.
pub fn terminal(picture: &RunPicture, terminal: Terminal) -> String {
    let mut sheet = Sheet::new(terminal.width, terminal.color);
    draw(picture, &mut sheet);
    sheet.finish()
}

/// The picture as lines for a fence of markdown.
pub fn text(picture: &RunPicture) -> String {
    terminal(picture, Terminal { width: DOCUMENT, color: false })
}

/// A curve in words: "reserved: 12.0 GiB at step 10, 23.4 GiB at step 410, lowest 12.0 GiB, highest 23.4 GiB".
fn in_words(curve: &Curve, plot: &Plot) -> String {
    let known = || curve.points.iter().filter_map(|point| Some((point.x, point.y?)));
    let (Some(first), Some(last)) = (known().next(), known().next_back()) else {
        return format!("{}: not finite", curve.name);
    };
    let lowest = known().map(|(_, y)| y).fold(f64::MAX, f64::min);
    let highest = known().map(|(_, y)| y).fold(f64::MIN, f64::max);
    let amount = |value| amount(value, &plot.unit);
    format!(
        "{}: {} at {}, {} at {}, lowest {}, highest {}",
        curve.name,
        amount(first.1),
        place(first.0, plot.axis),
        amount(last.1),
        place(last.0, plot.axis),
        amount(lowest),
        amount(highest)
    )
}

/// What a plot shows and its curves, in words.
fn plot_in_words(plot: &Plot) -> String {
    let shown = plot.shows.iter().map(|shown| shown.says.clone());
    let curves = plot.curves.iter().map(|curve| format!("{}.", in_words(curve, plot)));
    let more = (plot.more > 0).then(|| format!("And {} more.", plot.more));
    let failure = plot.failure.map(|at| format!("The failure is at {}.", place(at, plot.axis)));
    shown.chain(failure).chain(curves).chain(more).collect::<Vec<_>>().join(" ")
}

/// A timeline in words: `rows` ranks of it.
fn timeline_in_words(timeline: &Timeline, rows: usize) -> String {
    let shown = timeline.shows.iter().map(|shown| shown.says.clone());
    let ranks = timeline.ranks.iter().take(rows).map(|span| {
        let failure = span.failure.as_ref().map(|mark| {
            let how = if mark.is_primary { "failed first" } else { "failed" };
            format!(", {how} at {} (line {})", place(mark.moment.at, timeline.axis), mark.moment.line)
        });
        let (first, last) = (place(span.first.at, timeline.axis), place(span.last.at, timeline.axis));
        format!("{}: {first} to {last}{}.", span.name, failure.unwrap_or_default())
    });
    let rest = left_out(timeline, rows).map(|rest| format!("{rest}."));
    shown.chain(ranks).chain(rest).collect::<Vec<_>>().join(" ")
}

/// "and 52 more ranks", of which so many failed.
fn left_out(timeline: &Timeline, rows: usize) -> Option<String> {
    let rest = timeline.ranks.len().saturating_sub(rows) + timeline.more;
    let shown = timeline.ranks.iter().skip(rows).filter(|span| span.failure.is_some()).count();
    let failed = shown + timeline.more_failed;
    let failed = if failed > 0 { format!(", {failed} of them failed too") } else { String::new() };
    (rest > 0).then(|| format!("and {rest} more{failed}"))
}

/// The title of a timeline.
fn timeline_title(timeline: &Timeline) -> &'static str {
    match (timeline.ranks.is_empty(), timeline.axis) {
        (true, _) => "Silence",
        (false, Axis::Line) => "Ranks, over the lines of the log",
        (false, _) => "Ranks over time",
    }
}

/// A value at an axis or a curve; a rate has its unit in the title.
fn label(value: f64, plot: &Plot) -> String {
    amount(value, if plot.unit == "bytes" { "bytes" } else { "" })
}
