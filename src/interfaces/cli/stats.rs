//! `faultbook stats`: how many reports there were over time, by fault, cause and status.

use std::path::PathBuf;

use crate::render::chart::{self, Group};
use crate::render::layout::{Paragraph, Sheet};
use crate::render::style::{FAINT, STRONG};
use crate::render::words::counted;
use crate::reports::draft::moment::Moment;
use crate::reports::occurrences::{HOST, Met};
use crate::reports::stats::{Recurring, Stats, Waiting};
use clap::Args;
use serde::Serialize;

use super::common::Common;
use super::exit::Exit;
use super::failure::Result;
use super::filter::Filters;
use super::format::{Format, FormatArg};
use super::output::{Output, json, table};
use super::{open, svg};

#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    #[command(flatten)]
    filters: Filters,

    /// Also write the charts as SVG to this file; `-` prints the charts instead of the answer.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) format: FormatArg<Format>,
}

/// The JSON (`faultbook/stats/1`).
#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    reports: usize,
    undated: usize,
    period: &'static str,
    periods: &'a [String],
    groups: Vec<Counts<'a>>,
    /// How often the failures happened, further occurrences included.
    occurrences: usize,
    /// Reports that happened more than once or came back.
    recurring: &'a [Recurring],
    /// How long open reports have been open.
    waiting: Option<&'a Waiting>,
}

#[derive(Serialize)]
struct Counts<'a> {
    by: String,
    rows: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    total: u32,
    counts: &'a [u32],
}

pub(crate) fn run(args: &Options, common: &Common) -> Result<Exit> {
    let output = &Output::new(common, args.format)?;
    let (project, knowledge) = open::project(common, false)?;
    let filter = args.filters.read(&knowledge.book)?;
    let mut told = open::told(&project, &knowledge);
    told.retain(|one| filter.wants(&one.record));
    let stats = Stats::new(&told, &knowledge.book, Moment::now().date());
    let exit = if stats.reports == 0 { Exit::None } else { Exit::Found };
    if let Some(file) = &args.svg
        && svg::write(file, &chart::svg(&stats.chart), chart::is_ours, output)?
    {
        return Ok(exit);
    }
    output.write(&match output.format {
        Format::Json => json(&answer(&stats))?,
        Format::Markdown => stats.chart.groups.iter().map(|group| markdown(group, &stats.chart.periods)).collect(),
        Format::Terminal => terminal(&stats, output),
    })?;
    Ok(exit)
}

fn answer<'a>(stats: &'a Stats) -> Answer<'a> {
    let row = |row: &'a chart::Row| Row { name: &row.name, total: row.total, counts: &row.counts };
    let counts =
        |group: &'a Group| Counts { by: group.title.to_lowercase(), rows: group.rows.iter().map(row).collect() };
    Answer {
        schema: "faultbook/stats/1",
        reports: stats.reports,
        undated: stats.undated,
        period: stats.period,
        periods: &stats.chart.periods,
        groups: stats.chart.groups.iter().map(counts).collect(),
        occurrences: stats.occurrences,
        recurring: &stats.recurring,
        waiting: stats.waiting.as_ref(),
    }
}

fn markdown(group: &Group, periods: &[String]) -> String {
    let mut head = vec![group.title.as_str(), "All"];
    head.extend(periods.iter().map(String::as_str));
    let row = |row: &chart::Row| {
        let counts = std::iter::once(&row.total).chain(&row.counts).map(u32::to_string);
        std::iter::once(row.name.clone()).chain(counts).collect()
    };
    table(&head, group.rows.iter().map(row)) + "\n"
}

/// The hosts and GPUs, and the versions of which there were several.
fn on(one: &Recurring) -> String {
    const SHOWN: usize = 2;
    let telling = one.met.iter().filter(|met| matches!(met.what.as_str(), HOST | "GPU") || met.values.len() > 1);
    let words: Vec<String> = telling.take(SHOWN).map(Met::words).collect();
    if words.is_empty() { String::new() } else { format!("; {}", words.join(", ")) }
}

/// The reports that happened most often.
fn came_back(stats: &Stats, sheet: &mut Sheet) {
    const SHOWN: usize = 3;
    if stats.recurring.is_empty() {
        return;
    }
    if stats.waiting.is_none() {
        sheet.blank();
    }
    let often = stats.recurring.iter().take(SHOWN).map(|one| {
        let back = if one.returned { ", came back after it was solved" } else { "" };
        format!("{} ({} times, last {}{back}{})", one.id, one.times, one.last_seen, on(one))
    });
    let more = stats.recurring.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let words = format!("{}{more}", often.collect::<Vec<_>>().join(", "));
    sheet.paragraph(&Paragraph::new(words).lead(STRONG, "Again: ").indent(2));
}

fn terminal(stats: &Stats, output: &Output) -> String {
    let mut sheet = output.sheet();
    if stats.reports == 0 {
        sheet.paragraph(&Paragraph::new("No report in this project matches."));
        return sheet.finish();
    }
    // With the lines below it, the chart fits a screen of 24 lines.
    let rows = if stats.recurring.is_empty() && stats.waiting.is_none() { 5 } else { 4 };
    chart::terminal(&stats.chart.shortened(rows), &mut sheet);
    if let Some(waiting) = &stats.waiting {
        sheet.blank();
        let open = counted(waiting.reports as u64, "report is", "reports are");
        let Waiting { median_days, oldest, since, .. } = waiting;
        let half = if waiting.reports > 1 {
            format!(", half of them for more than {median_days} days")
        } else {
            String::new()
        };
        sheet.paragraph(&Paragraph::new(format!("{open} open{half}; the oldest is {oldest}, since {since}.")));
    }
    came_back(stats, &mut sheet);
    if stats.undated > 0 {
        sheet.blank();
        let undated = counted(stats.undated as u64, "report has", "reports have");
        let says = format!("{undated} no readable date and counts only in the totals.");
        sheet.paragraph(&Paragraph::new(says).style(FAINT));
    }
    sheet.finish()
}
