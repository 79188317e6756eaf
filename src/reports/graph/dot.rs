//! The graph in Graphviz's language.

use super::{Graph, Relation};
use crate::render::clean;
use crate::render::layout::shorten_end;
use crate::reports::status::Stage;

/// The graph for `dot -Tsvg`.
pub(crate) fn dot(graph: &Graph) -> String {
    let mut out = String::from(
        "digraph reports {\n  rankdir=LR;\n  node [shape=box, style=\"rounded,filled\", fontname=\"Helvetica\", fontsize=11];\n  \
         edge [fontname=\"Helvetica\", fontsize=9, color=\"#666666\", fontcolor=\"#444444\"];\n",
    );
    for node in &graph.nodes {
        let color = match node.record.stage {
            Some(Stage::Open) => "#ffd9d3",
            Some(Stage::Solved) => "#d5f0d8",
            _ => "#e8e8e8",
        };
        let status = if node.record.status.is_empty() { "no status" } else { node.record.status.as_str() };
        out.push_str(&format!(
            "  {} [label={}, tooltip={}, fillcolor=\"{color}\"];\n",
            quoted(&node.name),
            label(&[&node.name, &shorten_end(&clean::line(&node.record.title), super::mermaid::LONGEST), status]),
            quoted(&node.record.title),
        ));
    }
    for edge in &graph.edges {
        let (Some(from), Some(to)) = (graph.nodes.get(edge.from), graph.nodes.get(edge.to)) else { continue };
        let label = super::mermaid::edge_label(edge);
        let style = match edge.relation {
            Relation::SameFault => ", style=dotted, dir=none",
            Relation::SameId => ", style=bold, dir=none, color=\"#cc0000\"",
            Relation::Duplicates => ", style=bold",
            _ => "",
        };
        out.push_str(&format!("  {} -> {} [label={}{style}];\n", quoted(&from.name), quoted(&to.name), quoted(&label)));
    }
    out.push_str("}\n");
    out
}

/// Words as a string of the language: a backslash would begin one of its escapes.
fn quoted(words: &str) -> String {
    format!("\"{}\"", escaped(words))
}

fn escaped(words: &str) -> String {
    // Graphviz reads `&amp;` and its like as one character.
    clean::line(words).replace('&', "&amp;").replace('\\', "\\\\").replace('"', "\\\"")
}

/// A label of several lines.
fn label(lines: &[&str]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| escaped(line)).collect();
    format!("\"{}\"", lines.join("\\n"))
}
