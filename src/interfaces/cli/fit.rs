//! `faultbook fit --from GPU --to GPU --batch N`: how to move a run to another GPU and keep its effective batch size.

use crate::book::Book;
use crate::book::hardware::Gpu;
use crate::diagnosis::capacity::{self, Load, Move, Split};
use crate::render::layout::{Paragraph, piece};
use crate::render::style::{FAINT, PLAIN, STRONG};
use clap::Args;
use serde::Serialize;

use super::common::Common;
use super::exit::Exit;
use super::failure::{Failure, Result};
use super::format::{Format, FormatArg};
use super::output::{Output, json, table};

#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// The GPU that the run uses now, as users or drivers write its name.
    #[arg(long, value_name = "GPU")]
    from: String,

    /// The GPU that the run should move to.
    #[arg(long, value_name = "GPU")]
    to: String,

    /// Samples per step on the old GPU.
    #[arg(long, value_name = "N")]
    batch: u32,

    /// The share of memory that does not depend on the batch size.
    #[arg(long, value_name = "PERCENT", default_value = "20%", value_parser = percent)]
    overhead: f64,

    /// The peak memory that the run used on the old GPU, if you know it: `9.5GiB`.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    used: Option<f64>,

    #[command(flatten)]
    pub(crate) format: FormatArg<Format>,
}

/// The JSON (`faultbook/fit/1`).
#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    estimate: bool,
    from: &'a str,
    to: &'a str,
    effective_batch: u32,
    proposal: Piece,
    fallback: Option<Piece>,
    warning: Option<&'a str>,
    comparison: Vec<Row<'a>>,
    assumptions: &'a [String],
    checklist: &'a [String],
}

#[derive(Serialize)]
struct Piece {
    batch: u32,
    accumulation: u32,
}

#[derive(Serialize)]
struct Row<'a> {
    property: &'a str,
    from: &'a str,
    to: &'a str,
    factor: &'a str,
}

pub(crate) fn run(args: &Options, common: &Common) -> Result<Exit> {
    let output = &Output::new(common, args.format)?;
    let load = Load { batch: args.batch, overhead: args.overhead, used: args.used };
    let book = Book::new(!common.no_builtin);
    let (from, to) = (find_gpu(&book, &args.from)?, find_gpu(&book, &args.to)?);
    let answer = capacity::fit(from, to, load).map_err(|why| Failure::new(why.to_string()))?;
    output.write(&match output.format {
        Format::Terminal => terminal(from, to, &answer, output),
        Format::Markdown => markdown(from, to, &answer),
        Format::Json => json(&shape(from, to, &answer))?,
    })?;
    Ok(Exit::Found)
}

/// Finds a GPU by name.
pub(crate) fn find_gpu<'b>(book: &'b Book, name: &str) -> Result<&'b Gpu> {
    if let Some(gpu) = book.hardware.gpu(name) {
        return Ok(gpu);
    }
    let meant = book.hardware.gpus_named(name);
    match meant.as_slice() {
        [] => Err(Failure::new(format!("no GPU in the catalog is named `{name}`"))
            .hint("write the name as its driver does: \"RTX 3090\", \"A100-SXM4-80GB\", \"Tesla T4\""))?,
        [first, rest @ ..] if rest.iter().all(|gpu| gpu.memory_gib == first.memory_gib) => Ok(first),
        several => {
            let names: Vec<String> = several.iter().map(|gpu| format!("\"{}\"", gpu.name)).collect();
            Err(Failure::new(format!("`{name}` may be one of several GPUs with different memory"))
                .hint(format!("name one of them: {}", names.join(", "))))?
        }
    }
}

fn terminal(from: &Gpu, to: &Gpu, answer: &Move, output: &Output) -> String {
    let mut sheet = output.sheet();
    sheet.paragraph(&Paragraph::new(format!("From {} to {}", from.name, to.name)).style(STRONG));
    for [name, old, new, factor] in &answer.comparison {
        let words = format!("{old:<18}  {new:<18}  {factor}");
        sheet.line(&[piece(FAINT, format!("  {name:<20}")), piece(PLAIN, words)]);
    }
    sheet.blank();
    let words = format!("{} keeps the effective batch size of {}", split(answer.proposal), answer.effective);
    sheet.paragraph(&Paragraph::new(words).lead(STRONG, "Start with   ").style(STRONG));
    if let Some(fallback) = answer.fallback {
        sheet.paragraph(
            &Paragraph::new(format!("{}, if that runs out of memory", split(fallback))).lead(PLAIN, "Fall back to "),
        );
    }
    if let Some(warning) = &answer.warning {
        sheet.paragraph(&Paragraph::new(warning).lead(STRONG, "Warning      "));
    }
    for assumption in &answer.assumptions {
        sheet.paragraph(&Paragraph::new(assumption).lead(FAINT, "  estimate   ").style(FAINT));
    }
    sheet.blank();
    sheet.paragraph(&Paragraph::new("Before you move").style(STRONG));
    for (number, item) in (1..).zip(&answer.checklist) {
        sheet.paragraph(&Paragraph::new(item).lead(PLAIN, format!("  {number}. ")));
    }
    sheet.finish()
}

fn markdown(from: &Gpu, to: &Gpu, answer: &Move) -> String {
    let rows = answer.comparison.iter().map(|row| row.to_vec());
    let mut text = format!("## From {} to {}\n\n", from.name, to.name);
    text.push_str(&table(&["Property", &from.name, &to.name, "Factor"], rows));
    text.push_str(&format!(
        "\nStart with **{}**, which keeps the effective batch size of {}.\n",
        split(answer.proposal),
        answer.effective
    ));
    if let Some(fallback) = answer.fallback {
        text.push_str(&format!("If that runs out of memory: {}.\n", split(fallback)));
    }
    if let Some(warning) = &answer.warning {
        text.push_str(&format!("\n**Warning:** {warning}.\n"));
    }
    text.push_str("\nThis is an estimate:\n\n");
    text.extend(answer.assumptions.iter().map(|item| format!("- {item}\n")));
    text.push_str("\nBefore you move:\n\n");
    text.extend((1..).zip(&answer.checklist).map(|(number, item)| format!("{number}. {item}\n")));
    text
}

fn shape<'a>(from: &'a Gpu, to: &'a Gpu, answer: &'a Move) -> Answer<'a> {
    let piece = |split: Split| Piece { batch: split.batch, accumulation: split.accumulation };
    let row = |[property, from, to, factor]: &'a [String; 4]| Row { property, from, to, factor };
    Answer {
        schema: "faultbook/fit/1",
        estimate: true,
        from: &from.name,
        to: &to.name,
        effective_batch: answer.effective,
        proposal: piece(answer.proposal),
        fallback: answer.fallback.map(piece),
        warning: answer.warning.as_deref(),
        comparison: answer.comparison.iter().map(row).collect(),
        assumptions: &answer.assumptions,
        checklist: &answer.checklist,
    }
}

fn split(split: Split) -> String {
    match split.accumulation {
        1 => format!("batch {}", split.batch),
        times => format!("batch {} with {times} accumulation steps", split.batch),
    }
}

/// Parses "20%", "20" or "0.2" as a share.
pub(crate) fn percent(text: &str) -> Result<f64, String> {
    let wrong = || "a share such as 20% or 0.2, below 95%".to_owned();
    let (number, marked) = match text.trim().strip_suffix('%') {
        Some(number) => (number, true),
        None => (text.trim(), false),
    };
    let number: f64 = number.trim().parse().map_err(|_| wrong())?;
    let share = if marked || number > 1.0 { number / 100.0 } else { number };
    if (0.0..0.95).contains(&share) { Ok(share) } else { Err(wrong()) }
}

/// Parses "9.5GiB", "9500 MiB" or "9.5G" as bytes.
pub(crate) fn size(text: &str) -> Result<f64, String> {
    let wrong = || "a size such as 9.5GiB or 9500MiB".to_owned();
    let text = text.trim();
    let unit = text.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(wrong)?;
    let (number, unit) = text.split_at(unit);
    let factor = match unit.to_ascii_lowercase().as_str() {
        "gib" | "gb" | "g" => 1024.0 * 1024.0 * 1024.0,
        "mib" | "mb" | "m" => 1024.0 * 1024.0,
        _ => return Err(wrong()),
    };
    let number: f64 = number.trim().parse().map_err(|_| wrong())?;
    if number > 0.0 && number.is_finite() { Ok(number * factor) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_in_every_spelling() {
        for text in ["20%", "20", "0.2", " 20 % "] {
            assert_eq!(percent(text), Ok(0.2), "{text}");
        }
        for text in ["", "all", "100%", "-1%", "NaN"] {
            assert!(percent(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_need_a_unit() {
        assert_eq!(size("1.5GiB"), Ok(1.5 * 1024.0 * 1024.0 * 1024.0));
        assert_eq!(size("512 MB"), Ok(512.0 * 1024.0 * 1024.0));
        for text in ["", "9.5", "GiB", "-1GiB", "9TB"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
