//! Stacked bars as SVG: valid XML without scripts or embedded fonts, with text for screen readers, in colours that
//! follow the reader's light or dark theme.

use super::{Chart, Group};
use crate::render::clean;
use crate::render::layout::shorten_end;
use crate::render::xml::{escape, line, words};

const WIDTH: usize = 860;
/// The left and right edge of the bars.
const LEFT: usize = 48;
const RIGHT: usize = 610;
/// The left edge of the legend.
const LEGEND: usize = 632;
const HEIGHT: usize = 170;
/// Height of a legend line.
const LINE: usize = 20;
/// Labels under the bars.
const MOST_NAMES: usize = 9;
/// Columns of a legend label.
const NAME: usize = 26;

/// Colours that people with any colour vision can distinguish, on white and on black; the last is for the rest.
const LIGHT: [&str; 9] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b58900", "#56b4e9", "#7b61a8", "#8c564b", "#8b949e"];
const DARK: [&str; 9] =
    ["#4aa3df", "#ff8a3d", "#2fc79a", "#e3a1c6", "#f0c14b", "#8fd0f5", "#b39ddb", "#c49a8a", "#6e7681"];

/// Marks a file as generated here.
const MARK: &str = "aria-labelledby=\"title description\"";

/// The chart as an SVG document.
pub(crate) fn svg(chart: &Chart) -> String {
    let groups: Vec<&Group> = chart.groups.iter().filter(|group| !group.rows.is_empty()).collect();
    let heights: Vec<usize> =
        groups.iter().map(|group| (HEIGHT + 84).max(60 + LINE * (group.rows.len() + 1))).collect();
    let height = 64 + heights.iter().sum::<usize>();
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\" \
         {MARK}>\n<title id=\"title\">{}</title>\n<desc id=\"description\">{}</desc>\n{}\
         <rect class=\"paper\" width=\"{WIDTH}\" height=\"{height}\"/>\n<text class=\"title\" x=\"{LEFT}\" y=\"36\">{}</text>\n",
        words(&chart.title),
        words(&description(&groups)),
        style(),
        words(&chart.title)
    );
    let mut top = 56;
    for (group, height) in groups.iter().zip(heights) {
        draw(&mut out, group, &chart.periods, top);
        top += height;
    }
    out.push_str("</svg>\n");
    out
}

/// Whether a file contains a chart generated here.
pub(crate) fn is_ours(text: &str) -> bool {
    text.starts_with("<svg ") && text.lines().next().is_some_and(|line| line.contains(MARK))
}

/// A description of the chart in words.
fn description(groups: &[&Group]) -> String {
    let group = |group: &&Group| {
        let rows: Vec<String> = group.rows.iter().map(|row| format!("{} {}", row.name, row.total)).collect();
        format!("{}: {}.", group.title, rows.join(", "))
    };
    groups.iter().map(group).collect::<Vec<_>>().join(" ")
}

fn style() -> String {
    let colors = |colors: &[&str]| -> String {
        colors.iter().enumerate().map(|(index, color)| format!(".c{index}{{fill:{color}}}")).collect()
    };
    // `currentColor` would be black in a dark viewer without themes, so both themes paint their own background.
    format!(
        "<style>\ntext{{font-family:system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;font-size:12px;fill:#1f2328}}\n\
         .title{{font-size:18px;font-weight:600}}.group{{font-size:14px;font-weight:600}}.faint{{fill:#59636e}}\n\
         .paper{{fill:#ffffff}}.grid{{stroke:#d1d9e0}}\n{}\n@media (prefers-color-scheme:dark){{\ntext{{fill:#f0f6fc}}.faint{{fill:#9198a1}}\
         .paper{{fill:#0d1117}}.grid{{stroke:#3d444d}}\n{}\n}}\n</style>\n",
        colors(&LIGHT),
        colors(&DARK)
    )
}

fn draw(out: &mut String, group: &Group, periods: &[String], top: usize) {
    let base = top + 40 + HEIGHT;
    line(out, format_args!("<text class=\"group\" x=\"{LEFT}\" y=\"{}\">{}</text>", top + 24, words(&group.title)));
    let stacks: Vec<u32> =
        (0..periods.len()).map(|period| group.rows.iter().filter_map(|row| row.counts.get(period)).sum()).collect();
    let step = step(stacks.iter().copied().max().unwrap_or(0));
    let most = stacks.iter().copied().max().unwrap_or(0).div_ceil(step).max(1) * step;
    let y = |count: u32| base - HEIGHT * count as usize / most as usize;
    for tick in (0..=most).step_by(step as usize) {
        let y = y(tick);
        line(out, format_args!("<line class=\"grid\" x1=\"{LEFT}\" y1=\"{y}.5\" x2=\"{RIGHT}\" y2=\"{y}.5\"/>"));
        line(
            out,
            format_args!("<text class=\"faint\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{tick}</text>", LEFT - 8, y + 4),
        );
    }
    // Tenths of a pixel, so that many narrow bars still fill the width.
    let slot = (RIGHT - LEFT) * 10 / periods.len().max(1);
    let wide = (slot * 3 / 4).clamp(4, 360);
    let px = |tenths: usize| format!("{}.{}", tenths / 10, tenths % 10);
    for (index, period) in periods.iter().enumerate() {
        let x = LEFT * 10 + index * slot + (slot - wide.min(slot)) / 2;
        let mut below = 0;
        for (color, row) in group.rows.iter().enumerate() {
            let count = row.counts.get(index).copied().unwrap_or(0);
            if count == 0 {
                continue;
            }
            let (from, to) = (y(below), y(below + count));
            below += count;
            line(
                out,
                format_args!(
                    "<rect class=\"c{}\" x=\"{}\" y=\"{to}\" width=\"{}\" height=\"{}\"><title>{}, {}: {count}</title></rect>",
                    color.min(LIGHT.len() - 1),
                    px(x),
                    px(wide),
                    (from - to).max(1),
                    words(&row.name),
                    words(period)
                ),
            );
        }
    }
    let every = periods.len().div_ceil(MOST_NAMES).max(1);
    for (index, period) in periods.iter().enumerate().step_by(every) {
        let x = px(LEFT * 10 + index * slot + slot / 2);
        line(
            out,
            format_args!(
                "<text class=\"faint\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                base + 18,
                words(period)
            ),
        );
    }
    for (index, row) in group.rows.iter().enumerate() {
        let y = top + 40 + index * LINE;
        let color = index.min(LIGHT.len() - 1);
        line(
            out,
            format_args!("<rect class=\"c{color}\" x=\"{LEGEND}\" y=\"{y}\" width=\"12\" height=\"12\" rx=\"2\"/>"),
        );
        let name = shorten_end(&clean::line(&row.name), NAME);
        line(
            out,
            format_args!("<text x=\"{}\" y=\"{}\">{} ({})</text>", LEGEND + 18, y + 11, escape(&name), row.total),
        );
    }
}

/// The distance of the grid lines: 1, 2, 5, 10, 20, ... so that there are at most five.
fn step(most: u32) -> u32 {
    let mut step = 1_u32;
    let mut factors = [2, 5, 10].into_iter().cycle();
    let mut ten = 1_u32;
    while most.div_ceil(step) > 5 {
        let factor = factors.next().unwrap_or(10);
        step = ten.saturating_mul(factor);
        if factor == 10 {
            ten = ten.saturating_mul(10);
        }
        if step == u32::MAX {
            break;
        }
    }
    step
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;
    use crate::render::chart::{Row, hostile};

    #[test]
    fn it_is_xml_with_words_for_everything() {
        let chart = hostile();
        let text = svg(&chart);
        let doc = roxmltree::Document::parse(&text).unwrap();
        let root = doc.root_element();
        assert_eq!(root.tag_name().namespace(), Some("http://www.w3.org/2000/svg"));
        assert_eq!(
            root.children().find(|node| node.has_tag_name("title")).and_then(|node| node.text()),
            Some(chart.title.as_str())
        );
        let bars: Vec<&str> = doc
            .descendants()
            .filter(|node| node.has_tag_name("rect"))
            .filter_map(|node| node.first_element_child()?.text())
            .collect();
        assert_eq!(
            bars,
            [
                "oom, 2025-10: 4",
                "</text><script>, 2025-10: 1",
                "</text><script>, 2025-11: 1",
                "oom, 2025-12: 2",
                "요약 요약 요약 요약 요약 요약, 2025-12: 1"
            ]
        );
        let texts: Vec<&str> =
            doc.descendants().filter(|node| node.has_tag_name("text")).filter_map(|node| node.text()).collect();
        for label in ["Fault", "2025-11", "5", "oom (6)"] {
            assert!(texts.contains(&label), "{label}: {texts:?}");
        }
        assert!(text.contains("prefers-color-scheme:dark"));
    }

    #[test]
    fn any_numbers_stay_inside_the_picture() {
        for (periods, count) in [(0, 0), (1, 1), (1, u32::MAX / 64), (500, 3), (7, 1_000_000)] {
            let row = |n: usize| Row { name: format!("row {n}"), counts: vec![count; periods], total: count };
            let chart = Chart {
                title: String::new(),
                periods: (0..periods).map(|n| n.to_string()).collect(),
                groups: vec![Group { title: "Fault".to_owned(), rows: (0..12).map(row).collect() }],
            };
            let text = svg(&chart);
            let doc = roxmltree::Document::parse(&text).unwrap();
            for node in doc.descendants().filter(|node| node.has_tag_name("rect")) {
                let number = |name: &str| node.attribute(name).map_or(0.0, |value| value.parse::<f64>().unwrap());
                assert!(number("x") + number("width") <= WIDTH as f64 && number("y") >= 0.0, "{periods} {count}");
            }
        }
        assert_eq!([0, 5, 6, 25, 26, 60, 4_000_000_000].map(step), [1, 1, 2, 5, 10, 20, 1_000_000_000]);
    }
}
