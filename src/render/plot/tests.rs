//! Drawings of a small picture, and of one that tries to break them.

use expect_test::expect;
use textwrap::core::display_width;

use super::*;
use crate::diagnosis::picture::{Finding, Gap, Mark, Moment, Observation, PlotKind, Point, RankSpan};

const GIB: f64 = 1_073_741_824.0;

fn curve(name: &str, values: &[f64]) -> Curve {
    let point = |(at, y): (usize, &f64)| Point {
        x: at as f64 * 100.0,
        y: Some(*y).filter(|y| y.is_finite()),
        line: at as u32 + 1,
    };
    Curve {
        name: name.to_owned(),
        rank: None,
        readings: values.len(),
        points: values.iter().enumerate().map(point).collect(),
    }
}

fn plot(kind: PlotKind, unit: &str, curves: Vec<Curve>) -> Plot {
    Plot {
        kind,
        title: "GPU memory".to_owned(),
        unit: unit.to_owned(),
        axis: Axis::Step,
        curves,
        more: 0,
        limit: None,
        failure: Some(380.0),
        shows: None,
    }
}

fn small() -> RunPicture {
    let at = |at: f64, line| Moment { at, line };
    let span = |rank: u32, last: f64, failure: Option<(f64, bool)>| RankSpan {
        name: format!("rank {rank}"),
        rank: Some(rank),
        first: at(0.0, 1),
        last: at(last, 9),
        step: None,
        failure: failure.map(|(when, is_primary)| Mark {
            moment: at(when, 40),
            is_primary,
            says: "CUDA out of memory".to_owned(),
        }),
    };
    let timeline = Timeline {
        axis: Axis::Seconds,
        start: 0.0,
        end: 1800.0,
        ranks: vec![span(3, 120.0, Some((120.0, true))), span(0, 1800.0, Some((1800.0, false))), span(1, 100.0, None)],
        more: 2,
        more_failed: 0,
        gaps: vec![Gap { from: at(120.0, 20), to: at(1790.0, 21) }],
        shows: Some(Observation {
            finding: Finding::FirstFailure,
            says: "Rank 3 failed first, one other followed.".to_owned(),
        }),
    };
    let reserved = curve("reserved", &[10.0 * GIB, 14.0 * GIB, 18.0 * GIB, 22.0 * GIB]);
    let allocated = curve("allocated", &[8.0 * GIB, 8.0 * GIB, 8.0 * GIB, 8.0 * GIB]);
    let memory = Plot {
        limit: Some(24.0 * GIB),
        shows: Some(Observation { finding: Finding::Fragmentation, says: "The gap grows.".to_owned() }),
        ..plot(PlotKind::Memory, "bytes", vec![reserved, allocated])
    };
    let loss = curve("loss", &[2.5, 2.25, f64::NAN, f64::NAN]);
    RunPicture {
        timeline: Some(timeline),
        plots: vec![memory, Plot { title: "Loss".to_owned(), ..plot(PlotKind::Loss, "", vec![loss]) }],
    }
}

/// Names and errors that could end an element, a line, a fence.
fn hostile() -> RunPicture {
    let mut picture = small();
    let bad = "</text><script>alert(1)</script>\u{1b}[31m\u{7}\u{202e}```\n# \"'&요약요약";
    for plot in &mut picture.plots {
        plot.title = bad.to_owned();
        plot.unit = bad.to_owned();
        plot.shows = Some(Observation { finding: Finding::Zero, says: bad.repeat(4) });
        plot.curves.iter_mut().for_each(|curve| curve.name = bad.to_owned());
        plot.curves[0].points[0] = Point { x: f64::MAX, y: Some(f64::MIN), line: 0 };
        plot.curves[0].points[1] = Point { x: f64::MIN, y: Some(f64::MAX), line: 0 };
        plot.failure = Some(f64::NAN);
    }
    if let Some(timeline) = &mut picture.timeline {
        for span in &mut timeline.ranks {
            span.name = bad.to_owned();
            span.failure =
                Some(Mark { moment: Moment { at: f64::NAN, line: 0 }, is_primary: true, says: bad.to_owned() });
        }
        timeline.ranks = vec![timeline.ranks[0].clone(); 64];
    }
    picture
}

#[test]
fn in_a_terminal() {
    expect![[r#"
        Ranks over time
          Rank 3 failed first, one other followed.
          rank 3 ━━✗                                    line 40: CUDA out of memory
          rank 0 ━━━··································○ line 40: CUDA out of memory
          rank 1 ━━━
                 0 s                             30 min
          and 2 more
          ✗ failed first   ○ failed after it   · nobody wrote

        GPU memory
          The gap grows.
          24.5 GiB ┤┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄⣀⡀┄┄┄┄┄┄┄╎ reserved 22.0 GiB
                   │                       ⢀⣀⡠⠤⠤⠒⠒⠉⠉         ╎
                   │              ⢀⣀⣀⠤⠤⠒⠒⠉⠉⠁                 ╎
                   │      ⣀⣀⠤⠤⠒⠒⠊⠉⠁                          ╎
                   │⠤⠔⠒⠊⠉⠉                                   ╎
                   │⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠂       ╎ allocated 8.0 GiB
                   │                                         ╎
               0 B ┤                                         ╎
                   └─────────────────────────────────────────✗ ✗ failure
                    step 0                            step 380

        Loss
              2.51 ┤⠢⡀                                       ╎
                   │ ⠑⢄                                      ╎
                   │  ⠈⠢⡀                                    ╎
                   │    ⠑⢄                                   ╎
                   │     ⠈⠢⡀                                 ╎
                   │       ⠑⢄                                ╎
                   │        ⠈⠢⡀                              ╎
              2.24 ┤          ⠑⠄                             ╎ loss NaN
                   └─────────────────────────────────────────✗ ✗ failure
                    step 0                            step 380
    "#]]
    .assert_eq(&terminal(&small(), Terminal { width: 80, color: false }));
}

#[test]
fn in_a_narrow_terminal() {
    expect![[r#"
        Ranks over time
          Rank 3 failed first, one other
          followed.
          rank 3 ━━✗
          rank 0 ━━━··························○
          rank 1 ━━
                 0 s                     30 min
          and 2 more
          ✗ failed first   ○ failed after it ...

        GPU memory
          The gap grows.
          24.5 GiB ┤┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄⣀┄┄┄┄┄╎
                   │               ⢀⣀⠤⠔⠊⠉      ╎
                   │         ⢀⣀⠤⠔⠒⠉⠁           ╎
                   │    ⣀⠤⠔⠒⠉⠁                 ╎
                   │⠤⠒⠊⠉                       ╎
                   │⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒     ╎
                   │                           ╎
               0 B ┤                           ╎
                   └───────────────────────────✗
                    step 0              step 380
          ⠒ reserved, last 22.0 GiB
          ⠒ allocated, last 8.0 GiB

        Loss
              2.51 ┤⢆                          ╎
                   │⠈⢆                         ╎
                   │ ⠈⢆                        ╎
                   │  ⠈⢆                       ╎
                   │   ⠈⢆                      ╎
                   │    ⠈⢆                     ╎
                   │     ⠈⢆                    ╎
              2.24 ┤      ⠈⠆                   ╎
                   └───────────────────────────✗
                    step 0              step 380
          ⠒ loss, last 2.25
    "#]]
    .assert_eq(&terminal(&small(), Terminal { width: 40, color: false }));
}

#[test]
fn no_line_is_wider_than_the_terminal_and_no_escape_gets_through() {
    for width in [20, 27, 40, 63, 64, 80, 200] {
        for picture in [small(), hostile(), RunPicture::default()] {
            let text = terminal(&picture, Terminal { width, color: false });
            assert!(text.lines().all(|line| display_width(line) <= width), "{width}:\n{text}");
            assert!(!text.chars().any(|c| c.is_control() && c != '\n' || c == '\u{202e}'), "{text:?}");
        }
    }
    let colored = terminal(&small(), Terminal { width: 80, color: true });
    assert_eq!(
        anstream::adapter::strip_str(&colored).to_string(),
        terminal(&small(), Terminal { width: 80, color: false })
    );
}

#[test]
fn as_svg_it_is_xml_with_words_for_everything() {
    for picture in [small(), hostile(), RunPicture::default()] {
        let text = svg(&picture);
        assert!(is_ours(&text));
        let document = roxmltree::Document::parse(&text).unwrap();
        let ids: Vec<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
        assert_eq!(ids, ["picture-title", "picture-description"]);
        let allowed = ["svg", "title", "desc", "style", "rect", "g", "text", "line", "path"];
        for node in document.descendants().filter(roxmltree::Node::is_element) {
            assert!(allowed.contains(&node.tag_name().name()), "{}", node.tag_name().name());
            for attribute in node.attributes() {
                assert!(!attribute.name().starts_with("on") && !attribute.value().contains("NaN"), "{attribute:?}");
                let is_color = ["fill", "stroke", "style"].contains(&attribute.name());
                assert!(!is_color, "a colour outside of the style sheet: {attribute:?}");
            }
        }
    }
    let figures = figures(&small(), "a\"b");
    assert_eq!(
        figures.iter().map(|figure| figure.title.as_str()).collect::<Vec<_>>(),
        ["Ranks over time", "GPU memory", "Loss"]
    );
    for (number, figure) in figures.iter().enumerate() {
        let document = roxmltree::Document::parse(&figure.svg).unwrap();
        let described =
            document.root_element().children().find(|node| node.has_tag_name("desc")).and_then(|node| node.text());
        assert_eq!(described, Some(figure.description.as_str()));
        assert!(figure.svg.contains(&format!("aria-labelledby=\"ab-{number}-title ab-{number}-description\"")));
        assert!(!figure.svg.contains("<style"));
    }
    let expected = "The gap grows. The failure is at step 380. reserved: 10.0 GiB at step 0, 22.0 GiB at step 300, lowest 10.0 GiB, \
                    highest 22.0 GiB. allocated: 8.0 GiB at step 0, 8.0 GiB at step 300, lowest 8.0 GiB, highest 8.0 GiB.";
    assert_eq!(figures[1].description, expected);
    assert_eq!(figures[1].says.as_deref(), Some("The gap grows."));
    assert!(
        !figures[1].svg.contains(">The gap grows.<") && svg(&small()).contains(">The gap grows.<"),
        "once on a page"
    );
}

#[test]
fn both_themes_have_every_colour() {
    let style = style();
    for class in [".c0", ".c7", ".l0", ".l7", ".bad", ".bad-line", ".grid", ".edge", ".gap", ".paper", ".faint"] {
        assert_eq!(
            style.matches(&format!("{class}{{")).count(),
            4 + usize::from(matches!(class, ".edge" | ".gap" | ".bad-line" | ".l0" | ".l7")),
            "{class}"
        );
    }
    assert!(style.contains("prefers-color-scheme:dark") && style.contains("[data-theme=dark]"));
}

#[test]
fn many_ranks_are_counted() {
    let text = terminal(&hostile(), Terminal { width: 80, color: false });
    assert!(text.contains("and 54 more, 52 of them failed too"), "{text}");
    assert!(svg(&hostile()).len() < 100_000);
}

#[test]
fn failures_of_ranks_that_are_not_shown_are_counted() {
    let timeline = Timeline { more: 700, more_failed: 650, ..small().timeline.unwrap_or_default() };
    assert_eq!(left_out(&timeline, 3).as_deref(), Some("and 700 more, 650 of them failed too"));
    assert_eq!(left_out(&timeline, 1).as_deref(), Some("and 702 more, 651 of them failed too"));
}
