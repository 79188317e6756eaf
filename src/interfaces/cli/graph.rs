//! `faultbook graph [ID]`: how the project's reports relate to each other, for Graphviz, Mermaid or programs.

use crate::reports::graph::{Graph, LeftOut, View, dot, mermaid};
use clap::Args;
use serde::Serialize;

use super::common::Common;
use super::exit::Exit;
use super::failure::Result;
use super::format::{Format, FormatArg};
use super::open;
use super::output::{self, Output, json};

#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Show only this report and the reports near it.
    id: Option<String>,

    /// Write Mermaid, which code hosts render inside markdown, instead of Graphviz.
    #[arg(long)]
    mermaid: bool,

    /// How many steps away from ID to go.
    #[arg(long, requires = "id", default_value_t = 1, value_name = "N")]
    steps: usize,

    /// Show all reports, even those that are not related to any other and more than fit on a page.
    #[arg(long, conflicts_with = "id")]
    all: bool,

    #[command(flatten)]
    pub(crate) format: FormatArg<Format>,
}

/// Reports of a drawing that can still be read on one page.
const ON_A_PAGE: usize = 40;

/// The JSON (`faultbook/graph/1`).
#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    reports: Vec<Node<'a>>,
    relations: Vec<Edge<'a>>,
}

#[derive(Serialize)]
struct Node<'a> {
    name: &'a str,
    id: &'a str,
    title: &'a str,
    status: &'a str,
    date: String,
    path: String,
    /// Where copies lie; omitted if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    copies: Vec<String>,
}

#[derive(Serialize)]
struct Edge<'a> {
    from: &'a str,
    to: &'a str,
    relation: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<&'a str>,
}

pub(crate) fn run(args: &Options, common: &Common) -> Result<Exit> {
    let output = &Output::new(common, args.format)?;
    let (project, knowledge) = open::project(common, false)?;
    let told = open::told(&project, &knowledge);
    let view = View { centre: args.id.as_deref(), steps: args.steps, alone: args.all };
    let graph = Graph::new(&told, &view);
    if let Some(id) = &args.id
        && graph.nodes.is_empty()
    {
        return Err(open::no_report(&knowledge, id));
    }
    // Programs get everything.
    let graph = if args.all || output.format == Format::Json { graph } else { graph.fitted(ON_A_PAGE) };
    output.write(&match output.format {
        Format::Json => json(&answer(&graph))?,
        Format::Markdown => format!("```mermaid\n{}```\n", mermaid(&graph)),
        Format::Terminal if args.mermaid => mermaid(&graph),
        Format::Terminal => dot(&graph),
    })?;
    if graph.left_out.reports() > 0 {
        output::remark(&left_out(&graph.left_out));
    }
    if graph.alone > 0 && !args.all {
        let alone = crate::render::words::counted(graph.alone as u64, "report is", "reports are");
        output::remark(&format!("{alone} not related to any other; --all draws these too"));
    }
    Ok(if graph.nodes.is_empty() { Exit::None } else { Exit::Found })
}

/// What was left out of the drawing.
fn left_out(left_out: &LeftOut) -> String {
    const FAULTS: usize = 3;
    let counted = |count: usize, one, many| crate::render::words::counted(count as u64, one, many);
    let by_fault: usize = left_out.faults.iter().map(|(_, count)| count).sum();
    let names: Vec<String> = left_out.faults.iter().take(FAULTS).map(|(id, count)| format!("{id} {count}")).collect();
    let more = if left_out.faults.len() > FAULTS { ", ..." } else { "" };
    let mut parts = Vec::new();
    if left_out.related > 0 {
        parts.push(counted(left_out.related, "older report that others mention", "older reports that others mention"));
    }
    if by_fault > 0 {
        let reports = counted(by_fault, "report related only by its fault", "reports related only by their fault");
        parts.push(format!("{reports} ({}{more})", names.join(", ")));
    }
    format!(
        "left out to fit on a page: {}; `faultbook graph ID` draws the reports near one report, --all draws all",
        parts.join(", ")
    )
}

fn answer(graph: &Graph) -> Answer<'_> {
    let name = |index: usize| graph.nodes.get(index).map_or("", |node| node.name.as_str());
    Answer {
        schema: "faultbook/graph/1",
        reports: graph
            .nodes
            .iter()
            .map(|node| Node {
                name: &node.name,
                id: &node.record.id,
                title: &node.record.title,
                status: &node.record.status,
                date: node.record.day(),
                path: open::shown(&node.record.path),
                copies: node.record.copies.iter().map(|path| open::shown(path)).collect(),
            })
            .collect(),
        relations: graph
            .edges
            .iter()
            .map(|edge| Edge {
                from: name(edge.from),
                to: name(edge.to),
                relation: edge.relation.word(),
                fault: edge.fault.as_deref(),
            })
            .collect(),
    }
}
