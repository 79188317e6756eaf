//! Colours and dashes of the SVG, for light and dark pages.

use std::fmt::Write as _;

/// Colours on one background.
struct Theme {
    ink: &'static str,
    faint: &'static str,
    paper: &'static str,
    grid: &'static str,
    bad: &'static str,
    gap: &'static str,
    /// Those that people with any colour vision can distinguish, as in [`crate::render::chart`].
    curves: [&'static str; 8],
}

const LIGHT: Theme = Theme {
    ink: "#1f2328",
    faint: "#59636e",
    paper: "#ffffff",
    grid: "#d1d9e0",
    bad: "#c62828",
    gap: "#e4e8ec",
    curves: ["#0072b2", "#d55e00", "#009e73", "#b5478c", "#8a6d00", "#2b7bb9", "#7b61a8", "#8c564b"],
};
const DARK: Theme = Theme {
    ink: "#f0f6fc",
    faint: "#9198a1",
    paper: "#0d1117",
    grid: "#3d444d",
    bad: "#ff7b72",
    gap: "#262c36",
    curves: ["#4aa3df", "#ff8a3d", "#2fc79a", "#e3a1c6", "#f0c14b", "#8fd0f5", "#b39ddb", "#c49a8a"],
};
/// How the curves are dashed, for those who do not see their colours.
const DASHES: [&str; 8] = ["none", "6 3", "2 3", "8 3 2 3", "none", "6 3", "2 3", "8 3 2 3"];

/// The style sheet of the drawings. A page with a switch of its own sets `data-theme` of its root to `dark` or `light`.
pub fn style() -> String {
    let mut out = String::from(
        ".run-plot text{font-family:system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;font-size:12px}\n\
         .run-plot .title{font-size:14px;font-weight:600}.run-plot .curve{fill:none;stroke-width:1.6;stroke-linejoin:round}\n\
         .run-plot .edge{stroke-dasharray:2 3}.run-plot .gap{fill-opacity:.8}.run-plot .bad-line{stroke-width:1.4}\n",
    );
    for (number, dash) in DASHES.iter().enumerate() {
        let _ = write!(out, ".run-plot .l{number}{{stroke-dasharray:{dash}}}");
    }
    let _ = write!(
        out,
        "\n{}@media (prefers-color-scheme:dark){{\n{}}}\n",
        LIGHT.rules(".run-plot"),
        DARK.rules(".run-plot")
    );
    out.push_str(&LIGHT.rules(":root[data-theme=light] .run-plot"));
    out.push_str(&DARK.rules(":root[data-theme=dark] .run-plot"));
    out
}

impl Theme {
    /// Its rules, all inside of `scope`.
    fn rules(&self, scope: &str) -> String {
        let Theme { ink, faint, paper, grid, bad, gap, curves } = self;
        let mut out = format!(
            "{scope} text{{fill:{ink}}}{scope} .faint{{fill:{faint}}}{scope} .paper{{fill:{paper}}}{scope} .grid{{stroke:{grid}}}\n\
             {scope} .edge{{stroke:{faint}}}{scope} .bad{{fill:{bad}}}{scope} .bad-line{{stroke:{bad}}}{scope} .gap{{fill:{gap}}}\n"
        );
        for (number, color) in curves.iter().enumerate() {
            let _ = write!(out, "{scope} .c{number}{{fill:{color}}}{scope} .l{number}{{stroke:{color}}}");
        }
        out.push('\n');
        out
    }
}
