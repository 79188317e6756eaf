//! The graph in Mermaid's language, which GitHub and GitLab draw inside markdown.

use super::{Edge, Graph, Relation};
use crate::render::clean;
use crate::render::layout::shorten_end;
use crate::reports::status::Stage;

/// Columns of a title inside of a box.
pub(super) const LONGEST: usize = 44;

/// The graph as a flowchart.
pub(crate) fn mermaid(graph: &Graph) -> String {
    let mut out = String::from("flowchart LR\n");
    for (index, node) in graph.nodes.iter().enumerate() {
        let class = match node.record.stage {
            Some(Stage::Open) => "open",
            Some(Stage::Solved) => "solved",
            _ => "other",
        };
        let title = shorten_end(&clean::line(&node.record.title), LONGEST);
        let status = if node.record.status.is_empty() { "no status" } else { node.record.status.as_str() };
        out.push_str(&format!(
            "  n{index}[\"{}<br/>{}<br/>{}\"]:::{class}\n",
            escaped(&node.name),
            escaped(&title),
            escaped(status)
        ));
    }
    for edge in &graph.edges {
        let arrow = match edge.relation {
            Relation::SameFault => "-.-",
            Relation::SameId => "===",
            Relation::Duplicates => "==>",
            _ => "-->",
        };
        out.push_str(&format!("  n{} {arrow}|\"{}\"| n{}\n", edge.from, escaped(&edge_label(edge)), edge.to));
    }
    // Fill and text together, so that it can be read on a light and on a dark page.
    out.push_str("  classDef open fill:#ffd9d3,stroke:#b3402e,color:#1f1f1f\n");
    out.push_str("  classDef solved fill:#d5f0d8,stroke:#3a7d44,color:#1f1f1f\n");
    out.push_str("  classDef other fill:#e8e8e8,stroke:#777777,color:#1f1f1f\n");
    out
}

/// An edge's label.
pub(super) fn edge_label(edge: &Edge) -> String {
    match &edge.fault {
        Some(fault) => format!("{}: {fault}", edge.relation.word()),
        None => edge.relation.word().to_owned(),
    }
}

/// Words inside of quotes: everything that could end them or begin markup becomes a numbered character.
fn escaped(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    for c in clean::line(words).chars() {
        match c {
            '"' => out.push_str("#quot;"),
            '<' => out.push_str("#lt;"),
            '>' => out.push_str("#gt;"),
            '&' => out.push_str("#amp;"),
            '#' | ';' | '`' | '\\' | '%' | '{' | '}' | '|' | '*' | '_' => out.push_str(&format!("#{};", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}
