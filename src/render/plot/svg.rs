//! The picture as SVG: valid XML without scripts, with text for screen readers, in colours that follow the reader's theme.
//!
//! Every colour is a class of [`style`], so that a page with a strict policy for styles puts them into its own sheet and
//! takes [`figures`]; [`svg`] is one file with the sheet inside.

use std::fmt::Write as _;

use super::colours::style;
use super::scale::{self, Range};
use super::{label, left_out, plot_in_words, timeline_in_words, timeline_title};
use crate::amounts::duration;
use crate::diagnosis::picture::{Axis, Curve, Plot, RunPicture, Timeline, place};
use crate::render::clean;
use crate::render::layout::shorten_end;
use crate::render::xml::{line, words};

/// The left edge of the curves.
const LEFT: f64 = 84.0;
const HEIGHT: f64 = 170.0;
/// From the top of a figure to the top of its curves.
const HEAD: f64 = 52.0;
const FOOT: f64 = 34.0;
/// Height of a rank, and of a line of text.
const LINE: f64 = 20.0;
/// Rows of a timeline.
const MOST_ROWS: usize = 32;
/// Columns of a sentence, of a rank's name.
const SENTENCE: usize = 118;
const RANK: usize = 10;

/// What a picture is drawn on: text keeps its size, so that a narrow column gets a narrow picture.
struct Paper {
    width: usize,
    /// The right edge of the curves, and the left one of the names beside them.
    right: f64,
    legend: f64,
    /// Columns of a name and of an error.
    name: usize,
    error: usize,
    /// Whether a drawing says in a sentence what it shows.
    says: bool,
}

/// A document of its own.
const SHEET: Paper = Paper { width: 860, right: 640.0, legend: 656.0, name: 26, error: 28, says: true };
/// A column of a page that has the sentence below the drawing.
const COLUMN: Paper = Paper { width: 600, right: 424.0, legend: 436.0, name: 19, error: 23, says: false };

/// A drawing for a page that has [`style`] in its sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// Its title: "GPU memory".
    pub title: String,
    /// What it shows, in a sentence; nothing if it shows nothing worth one.
    pub says: Option<String>,
    /// All of it in words, for a reader who sees no picture.
    pub description: String,
    /// The `svg` element; title and description are in it too.
    pub svg: String,
}

/// The picture as one SVG document, its drawings below each other.
pub fn svg(picture: &RunPicture) -> String {
    let parts = parts(picture, &SHEET);
    let height: f64 = parts.iter().map(|part| part.height).sum::<f64>().max(40.0) + 16.0;
    let description: Vec<&str> = parts.iter().map(|part| part.description.as_str()).collect();
    let mut out = open(&SHEET, height, "The run over time", &description.join(" "), "picture");
    let _ = writeln!(
        out,
        "<style>\n{}</style>\n<rect class=\"paper\" width=\"{}\" height=\"{height:.0}\"/>",
        style(),
        SHEET.width
    );
    let mut top = 8.0;
    for part in &parts {
        let _ = writeln!(out, "<g transform=\"translate(0 {top:.0})\">\n{}</g>", part.body);
        top += part.height;
    }
    out.push_str("</svg>\n");
    out
}

/// Whether a file contains a picture drawn here.
pub(crate) fn is_ours(text: &str) -> bool {
    text.starts_with("<svg ") && text.lines().next().is_some_and(|line| line.contains("class=\"run-plot\""))
}

/// The drawings, each by itself, for a column of a page: what they say is [`Figure::says`] alone. `prefix` begins the ids of their titles: letters, other for each picture of a page.
pub fn figures(picture: &RunPicture, prefix: &str) -> Vec<Figure> {
    let id = |number: usize| {
        let prefix: String = prefix.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
        format!("{prefix}-{number}")
    };
    let figure = |(number, part): (usize, Part)| Figure {
        svg: format!(
            "{}{}</svg>\n",
            open(&COLUMN, part.height, &part.title, &part.description, &id(number)),
            part.body
        ),
        title: part.title,
        says: part.says.map(|says| clean::line(&says)),
        description: part.description,
    };
    parts(picture, &COLUMN).into_iter().enumerate().map(figure).collect()
}

/// A drawing without its frame.
struct Part {
    title: String,
    says: Option<String>,
    description: String,
    body: String,
    height: f64,
}

fn parts(picture: &RunPicture, paper: &Paper) -> Vec<Part> {
    let timeline = picture.timeline.iter().map(|one| timeline(one, paper));
    timeline.chain(picture.plots.iter().map(|one| plot(one, paper))).collect()
}

fn open(paper: &Paper, height: f64, title: &str, description: &str, id: &str) -> String {
    let width = paper.width;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"run-plot\" viewBox=\"0 0 {width} {height:.0}\" width=\"{width}\" \
         height=\"{height:.0}\" role=\"img\" aria-labelledby=\"{id}-title {id}-description\">\n<title id=\"{id}-title\">{}</title>\n\
         <desc id=\"{id}-description\">{}</desc>\n",
        words(title),
        words(description)
    )
}

/// Text at a place; `end` is `start`, `middle` or `end`.
fn text(out: &mut String, class: &str, x: f64, y: f64, end: &str, said: &str) {
    let anchor = if end == "start" { String::new() } else { format!(" text-anchor=\"{end}\"") };
    line(out, format_args!("<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\"{anchor}>{}</text>", words(said)));
}

/// Title and sentence; the height that they take.
fn head(out: &mut String, title: &str, says: Option<&str>) -> f64 {
    text(out, "title", LEFT, 22.0, "start", title);
    let Some(says) = says else { return HEAD - 12.0 };
    let lines = textwrap::wrap(&clean::line(says), SENTENCE).into_iter().map(String::from).collect::<Vec<_>>();
    for (number, part) in lines.iter().enumerate() {
        text(out, "says", LEFT, LINE.mul_add(number as f64, 42.0), "start", part);
    }
    LINE.mul_add(lines.len() as f64, HEAD - 10.0)
}

/// Where a value is between the left and the right edge.
fn across(paper: &Paper, range: Range, at: f64) -> f64 {
    range.share(at).mul_add(paper.right - LEFT, LEFT)
}

/// The values below a drawing, and what they count.
fn below(out: &mut String, paper: &Paper, range: Range, axis: Axis, base: f64) {
    let (ticks, unit) = match axis {
        Axis::Seconds => (scale::times(range), ""),
        Axis::Step => (scale::ticks(range, false), "step"),
        Axis::Epoch => (scale::ticks(range, false), "epoch"),
        Axis::Line => (scale::ticks(range, false), "line"),
    };
    text(out, "faint", LEFT - 8.0, base + 18.0, "end", unit);
    let mut right_edge = 0.0;
    for tick in ticks {
        let (at, label) = (across(paper, range, tick), place(tick, axis));
        let label = label.strip_prefix(unit).unwrap_or(&label).trim_start();
        // Long labels leave one out, and so does the name of the axis.
        if at >= right_edge {
            text(out, "faint", at, base + 18.0, "middle", label);
            right_edge = at + 7.0 * (label.chars().count() + 2) as f64;
        }
    }
}

fn plot(plot: &Plot, paper: &Paper) -> Part {
    let mut out = String::new();
    let (right, legend) = (paper.right, paper.legend);
    let top = head(&mut out, &plot.title, plot.shows.as_ref().filter(|_| paper.says).map(|shown| shown.says.as_str()));
    let base = top + HEIGHT;
    let (wide, high) = (scale::across(plot), scale::up(plot));
    let y = |value: f64| high.share(value).mul_add(-HEIGHT, base);
    for tick in scale::ticks(high, plot.unit == "bytes") {
        let at = y(tick);
        line(
            &mut out,
            format_args!("<line class=\"grid\" x1=\"{LEFT}\" y1=\"{at:.1}\" x2=\"{right}\" y2=\"{at:.1}\"/>"),
        );
        text(&mut out, "faint", LEFT - 8.0, at + 4.0, "end", &label(tick, plot));
    }
    below(&mut out, paper, wide, plot.axis, base);
    if let Some(limit) = scale::limit(plot) {
        let at = y(limit);
        line(
            &mut out,
            format_args!("<line class=\"edge\" x1=\"{LEFT}\" y1=\"{at:.1}\" x2=\"{right}\" y2=\"{at:.1}\"/>"),
        );
        text(&mut out, "faint", LEFT + 4.0, at - 4.0, "start", &format!("{} in all", label(limit, plot)));
    }
    for (number, one) in plot.curves.iter().enumerate() {
        curve(&mut out, number, one, plot, |at| across(paper, wide, at), y);
    }
    if let Some(at) = plot.failure {
        let x = across(paper, wide, at);
        let (end, shift) = if x > right - 60.0 { ("end", 2.0) } else { ("start", -2.0) };
        line(
            &mut out,
            format_args!(
                "<line class=\"bad-line\" x1=\"{x:.1}\" y1=\"{top:.1}\" x2=\"{x:.1}\" y2=\"{base:.1}\"><title>the failure, {}</title></line>",
                words(&place(at, plot.axis))
            ),
        );
        text(&mut out, "bad", x + shift, top - 4.0, end, "failure");
    }
    let mut rows = plot.curves.len();
    for (number, one) in plot.curves.iter().enumerate() {
        let at = LINE.mul_add(number as f64, top + 12.0);
        line(
            &mut out,
            format_args!(
                "<line class=\"curve l{number}\" x1=\"{legend}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
                at - 4.0,
                legend + 20.0,
                at - 4.0
            ),
        );
        text(&mut out, "name", legend + 26.0, at, "start", &shorten_end(&clean::line(&one.name), paper.name));
    }
    if plot.more > 0 {
        text(
            &mut out,
            "faint",
            legend,
            LINE.mul_add(rows as f64, top + 12.0),
            "start",
            &format!("and {} more", plot.more),
        );
        rows += 1;
    }
    Part {
        title: plot.title.clone(),
        says: plot.shows.as_ref().map(|shown| shown.says.clone()),
        description: clean::line(&plot_in_words(plot)),
        body: out,
        height: (base + FOOT).max(LINE.mul_add(rows as f64, top + 12.0)),
    }
}

/// One curve, interrupted where it is not finite.
fn curve(out: &mut String, number: usize, one: &Curve, plot: &Plot, x: impl Fn(f64) -> f64, y: impl Fn(f64) -> f64) {
    let mut path = String::new();
    let mut is_open = false;
    for point in &one.points {
        if let Some(value) = point.y {
            let _ = write!(path, "{}{:.1} {:.1}", if is_open { 'L' } else { 'M' }, x(point.x), y(value));
        }
        is_open = point.y.is_some();
    }
    let title = words(&super::in_words(one, plot));
    line(out, format_args!("<path class=\"curve l{number}\" d=\"{path}\"><title>{title}</title></path>"));
    let broken =
        one.points.iter().zip(one.points.iter().skip(1)).find(|(known, next)| known.y.is_some() && next.y.is_none());
    if let Some((known, _)) = broken {
        text(out, "bad", x(known.x) + 3.0, y(known.y.unwrap_or(0.0)) - 4.0, "start", "NaN");
    }
}

fn timeline(timeline: &Timeline, paper: &Paper) -> Part {
    let mut out = String::new();
    let title = timeline_title(timeline);
    let says = timeline.shows.as_ref().map(|shown| shown.says.as_str());
    let top = head(&mut out, title, says.filter(|_| paper.says));
    let range = scale::of_timeline(timeline);
    let rows = timeline.ranks.len().min(MOST_ROWS);
    let base = LINE.mul_add(rows.max(1) as f64, top);
    for (row, span) in timeline.ranks.iter().take(rows).enumerate() {
        let y = LINE.mul_add(row as f64, top + 10.0);
        text(&mut out, "name", LEFT - 8.0, y + 4.0, "end", &shorten_end(&clean::line(&span.name), RANK));
        let (from, to) = (across(paper, range, span.first.at), across(paper, range, span.last.at));
        line(
            &mut out,
            format_args!(
                "<rect class=\"c0\" x=\"{from:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"6\" rx=\"2\"><title>{}: lines {} to \
                 {}</title></rect>",
                y - 3.0,
                (to - from).max(1.0),
                words(&span.name),
                span.first.line,
                span.last.line
            ),
        );
    }
    for gap in &timeline.gaps {
        let (from, to) = (across(paper, range, gap.from.at), across(paper, range, gap.to.at));
        line(
            &mut out,
            format_args!(
                "<rect class=\"gap\" x=\"{from:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>nobody wrote for {} after \
                 line {}</title></rect>",
                (to - from).max(1.0),
                base - top,
                words(&duration(gap.to.at - gap.from.at)),
                gap.from.line
            ),
        );
    }
    for (row, span) in timeline.ranks.iter().take(rows).enumerate() {
        let y = LINE.mul_add(row as f64, top + 10.0);
        let Some(mark) = &span.failure else { continue };
        let x = across(paper, range, mark.moment.at);
        let (class, size) = if mark.is_primary { ("bad", 6.0) } else { ("c1", 4.0) };
        line(
            &mut out,
            format_args!(
                "<path class=\"{class}\" d=\"M{x:.1} {:.1}l{size} {size}l-{size} {size}l-{size} -{size}z\"><title>line {}: \
                 {}</title></path>",
                y - size,
                mark.moment.line,
                words(&mark.says)
            ),
        );
        let told = shorten_end(&clean::line(&mark.says), paper.error);
        text(&mut out, if mark.is_primary { "bad" } else { "faint" }, paper.legend, y + 4.0, "start", &told);
    }
    below(&mut out, paper, range, timeline.axis, base);
    let mut height = base + FOOT;
    if let Some(rest) = left_out(timeline, MOST_ROWS) {
        text(&mut out, "faint", LEFT, height, "start", &rest);
        height += LINE;
    }
    Part {
        title: title.to_owned(),
        says: says.map(str::to_owned),
        description: clean::line(&timeline_in_words(timeline, MOST_ROWS)),
        body: out,
        height,
    }
}
