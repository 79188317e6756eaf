//! The picture in characters: curves of braille dots with their names at their right ends, rows of ranks.

use anstyle::{AnsiColor, Style};
use textwrap::core::display_width;

use super::canvas::Canvas;
use super::scale::{self, Range};
use super::{label, left_out, timeline_title};
use crate::diagnosis::picture::{Plot, RunPicture, Timeline, place};
use crate::render::clean;
use crate::render::layout::{Paragraph, Piece, Sheet, piece, shorten_end};
use crate::render::style::{AGAINST, COMMAND, FAINT, FOR, NOTABLE, PLAIN, STRONG};

/// Rows of a plot.
const HEIGHT: usize = 8;
/// Columns of the values at the left edge.
const LEFT: usize = 10;
/// Columns of the names at the right edge, in a terminal that has room for them.
const RIGHT: usize = 26;
/// The narrowest terminal with names at the right edge.
const ROOMY: usize = 64;
/// Curves of one plot.
const MOST_CURVES: usize = 4;
/// Rows of a timeline.
const MOST_ROWS: usize = 12;
/// Columns of a rank's name.
const NAME: usize = 16;

const FAILED: char = '✗';
const FOLLOWED: char = '○';

const COLORS: [Style; MOST_CURVES] =
    [COMMAND, NOTABLE, FOR, Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Magenta)))];

/// Draws the picture.
pub(crate) fn draw(picture: &RunPicture, sheet: &mut Sheet) {
    if let Some(timeline) = &picture.timeline {
        sheet.blank();
        draw_timeline(timeline, sheet);
    }
    for plot in &picture.plots {
        sheet.blank();
        draw_plot(plot, sheet);
    }
}

/// The width of the names at the right edge.
fn right(sheet: &Sheet) -> usize {
    if sheet.width() >= ROOMY { RIGHT } else { 0 }
}

fn draw_plot(plot: &Plot, sheet: &mut Sheet) {
    let right = right(sheet);
    let columns = sheet.width().saturating_sub(LEFT + 2 + right).max(4);
    let (across, up) = (scale::across(plot), scale::up(plot));
    let mut canvas = Canvas::new(columns, HEIGHT);
    let drawn = plot.curves.iter().take(MOST_CURVES);
    for (number, curve) in drawn.clone().enumerate() {
        let mut last: Option<(f64, f64)> = None;
        for point in &curve.points {
            let here = point.y.map(|y| (across.share(point.x), up.share(y)));
            if let Some(here) = here {
                canvas.line(last.unwrap_or(here), here, number);
            }
            last = here;
        }
    }
    title(&plot.title, plot.shows.as_ref().map(|shown| shown.says.as_str()), sheet);
    let failure = plot.failure.map(|at| cell(across, at, columns));
    let labels = if right > 0 { labels(plot, up) } else { Vec::new() };
    let limit = scale::limit(plot).map(|limit| row_of(up, limit));
    for row in 0..HEIGHT {
        let value = match row {
            0 => label(up.high, plot),
            row if row + 1 == HEIGHT => label(up.low, plot),
            _ => String::new(),
        };
        let edge = if value.is_empty() { '│' } else { '┤' };
        let mut pieces = vec![(FAINT, format!("{:>LEFT$} {edge}", shorten_end(&value, LEFT)))];
        for (column, (c, curve)) in canvas.row(row).enumerate() {
            pieces.push(match (curve, failure == Some(column), limit == Some(row)) {
                (Some(curve), _, _) => (color(curve), c.to_string()),
                (None, true, _) => (AGAINST, "╎".to_owned()),
                (None, false, true) => (FAINT, "┄".to_owned()),
                _ => (PLAIN, " ".to_owned()),
            });
        }
        if let Some((_, number, words)) = labels.iter().find(|(at, _, _)| *at == row) {
            pieces.push((color(*number), format!(" {words}")));
        } else if limit == Some(row) && right > 0 {
            pieces.push((FAINT, format!(" {} in all", label(plot.limit.unwrap_or(0.0), plot))));
        }
        sheet.line(&joined(pieces));
    }
    axis(&[place(across.low, plot.axis), place(across.high, plot.axis)], failure, columns, sheet);
    if right == 0 {
        for (number, curve) in drawn.enumerate() {
            let last = curve.points.iter().rev().find_map(|point| point.y);
            let last = last.map(|y| format!(", last {}", label(y, plot))).unwrap_or_default();
            let words = shorten_end(&clean::line(&format!("{}{last}", curve.name)), sheet.width().saturating_sub(4));
            sheet.line(&[piece(color(number), "  ⠒ "), piece(PLAIN, words)]);
        }
    }
    let more = plot.curves.len().saturating_sub(MOST_CURVES) + plot.more;
    if more > 0 {
        sheet.line(&[piece(FAINT, format!("  and {more} more"))]);
    }
}

fn color(curve: usize) -> Style {
    COLORS.get(curve % COLORS.len()).copied().unwrap_or(PLAIN)
}

/// The title, and below it what the plot shows.
fn title(title: &str, says: Option<&str>, sheet: &mut Sheet) {
    sheet.line(&[piece(STRONG, title)]);
    if let Some(says) = says {
        sheet.paragraph(&Paragraph::new(says).lead(PLAIN, "  "));
    }
}

/// Neighbours of one style as one piece, so that a line has few escapes.
fn joined(cells: Vec<(Style, String)>) -> Vec<Piece> {
    let mut out: Vec<(Style, String)> = Vec::new();
    for (style, words) in cells {
        match out.last_mut() {
            Some((last, text)) if *last == style => text.push_str(&words),
            _ => out.push((style, words)),
        }
    }
    out.into_iter().map(|(style, words)| piece(style, words)).collect()
}

fn cell(range: Range, at: f64, columns: usize) -> usize {
    ((range.share(at) * (columns * 2 - 1) as f64).round() as usize / 2).min(columns - 1)
}

fn row_of(range: Range, value: f64) -> usize {
    (((1.0 - range.share(value)) * (HEIGHT * 4 - 1) as f64).round() as usize / 4).min(HEIGHT - 1)
}

/// The names of the curves with their last values: the row, the curve, the words. No two share a row.
fn labels(plot: &Plot, up: Range) -> Vec<(usize, usize, String)> {
    let mut labels: Vec<(usize, usize, String)> = Vec::new();
    let mut wanted: Vec<(usize, usize, String)> = Vec::new();
    for (number, curve) in plot.curves.iter().take(MOST_CURVES).enumerate() {
        let last = curve.points.iter().rev().find_map(|point| point.y);
        let ends = curve.points.last().is_some_and(|point| point.y.is_none());
        let value = match last {
            Some(_) if ends => "NaN".to_owned(),
            Some(y) => label(y, plot),
            None => "NaN".to_owned(),
        };
        let room = RIGHT.saturating_sub(display_width(&value) + 2);
        let words = format!("{} {value}", shorten_end(&clean::line(&curve.name), room));
        wanted.push((last.map_or(HEIGHT - 1, |y| row_of(up, y)), number, words));
    }
    wanted.sort_by_key(|(row, number, _)| (*row, *number));
    let count = wanted.len();
    for (place, (row, number, words)) in wanted.into_iter().enumerate() {
        let least = labels.last().map_or(0, |(last, _, _)| last + 1);
        // Those below it need a row each.
        labels.push((row.max(least).min(HEIGHT - (count - place)), number, words));
    }
    labels
}

/// The line below a drawing, with the mark of the failure, and the labels of its ends.
fn axis(ends: &[String; 2], failure: Option<usize>, columns: usize, sheet: &mut Sheet) {
    let line = |from: usize, to: usize| "─".repeat(to.saturating_sub(from));
    let mut pieces = vec![piece(FAINT, format!("{} └", " ".repeat(LEFT)))];
    match failure {
        Some(at) => pieces.extend([
            piece(FAINT, line(0, at)),
            piece(AGAINST, FAILED.to_string()),
            piece(FAINT, line(at + 1, columns)),
            piece(AGAINST, if right(sheet) > 0 { format!(" {FAILED} failure") } else { String::new() }),
        ]),
        None => pieces.push(piece(FAINT, line(0, columns))),
    }
    sheet.line(&pieces);
    let [first, last] = ends;
    let gap = columns.saturating_sub(display_width(first) + display_width(last));
    let words = if gap > 0 { format!("{first}{}{last}", " ".repeat(gap)) } else { format!("{first} to {last}") };
    sheet.line(&[piece(FAINT, format!("{}{words}", " ".repeat(LEFT + 2)))]);
}

fn draw_timeline(timeline: &Timeline, sheet: &mut Sheet) {
    title(timeline_title(timeline), timeline.shows.as_ref().map(|shown| shown.says.as_str()), sheet);
    if timeline.ranks.is_empty() {
        return;
    }
    let rows = || timeline.ranks.iter().take(MOST_ROWS);
    let room = NAME.min(sheet.width() / 4);
    let name = rows().map(|span| display_width(&clean::line(&span.name))).max().unwrap_or(0).min(room);
    let right = if sheet.width() >= ROOMY { sheet.width() * 2 / 5 } else { 0 };
    let columns = sheet.width().saturating_sub(name + 4 + right).max(4);
    let range = scale::of_timeline(timeline);
    let silent: Vec<bool> = (0..columns)
        .map(|column| {
            let inside = |at: f64| cell(range, at, columns);
            timeline.gaps.iter().any(|gap| inside(gap.from.at) < column && column < inside(gap.to.at))
        })
        .collect();
    for span in rows() {
        let words = shorten_end(&clean::line(&span.name), name);
        let blanks = " ".repeat(name.saturating_sub(display_width(&words)));
        let (first, last) = (cell(range, span.first.at, columns), cell(range, span.last.at, columns));
        let mark = span.failure.as_ref().map(|mark| (cell(range, mark.moment.at, columns), mark));
        let mut pieces = vec![(PLAIN, format!("  {words}{blanks} "))];
        for column in 0..columns {
            let is_quiet = silent.get(column).copied().unwrap_or(false);
            pieces.push(match mark {
                Some((at, mark)) if at == column && mark.is_primary => (AGAINST, FAILED.to_string()),
                Some((at, _)) if at == column => (NOTABLE, FOLLOWED.to_string()),
                _ if !(first..=last).contains(&column) => (PLAIN, " ".to_owned()),
                _ if is_quiet => (FAINT, "·".to_owned()),
                _ => (COMMAND, "━".to_owned()),
            });
        }
        if right > 0
            && let Some((_, mark)) = mark
        {
            let words = format!("line {}: {}", mark.moment.line, mark.says);
            let words = shorten_end(&clean::line(&words), right.saturating_sub(1));
            pieces.push((if mark.is_primary { AGAINST } else { PLAIN }, format!(" {words}")));
        }
        sheet.line(&joined(pieces));
    }
    let (first, last) = (place(range.low, timeline.axis), place(range.high, timeline.axis));
    let gap = columns.saturating_sub(display_width(&first) + display_width(&last)).max(1);
    sheet.line(&[piece(FAINT, format!("{}{first}{}{last}", " ".repeat(name + 3), " ".repeat(gap)))]);
    if let Some(rest) = left_out(timeline, MOST_ROWS) {
        sheet.line(&[piece(FAINT, format!("  {rest}"))]);
    }
    let marks = [(true, FAILED, "failed first"), (false, FOLLOWED, "failed after it")];
    let told = marks.iter().filter(|(primary, _, _)| {
        rows().any(|span| span.failure.as_ref().is_some_and(|mark| mark.is_primary == *primary))
    });
    let mut told: Vec<String> = told.map(|(_, mark, words)| format!("{mark} {words}")).collect();
    if silent.contains(&true) {
        told.push("· nobody wrote".to_owned());
    }
    if !told.is_empty() {
        sheet.line(&[piece(FAINT, format!("  {}", told.join("   ")))]);
    }
}
