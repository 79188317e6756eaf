//! Where an answer goes: standard output, with colour and width as asked.

use std::io::{self, Write as _};

use crate::render::clean;
use crate::render::layout::Sheet;
use crate::render::markdown;
use crate::render::terminal::Terminal;
use anstream::{AutoStream, ColorChoice};
use serde::Serialize;

use super::common::{Color, Common};
use super::failure::{Failure, Result, reason};
use super::format::{Format, FormatArg, Formats};

/// Columns when nobody says otherwise.
const WIDTH: usize = 80;

/// Wider lines are hard to read; only `--width` goes beyond.
const WIDEST: usize = 120;

/// How the answer of this run is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output<F = Format> {
    /// The format asked for.
    pub(crate) format: F,
    /// What the terminal can show.
    pub(crate) terminal: Terminal,
}

impl<F: Formats> Output<F> {
    /// What the options and the environment ask for.
    pub(crate) fn new(common: &Common, format: FormatArg<F>) -> Result<Self> {
        Ok(Self { format: format.or(common.format)?, terminal: terminal(common) })
    }

    /// An empty page for text made here.
    pub(crate) fn sheet(&self) -> Sheet {
        Sheet::new(self.terminal.width, self.terminal.color)
    }

    /// Writes an answer. A closed pipe means that the reader has what it wanted.
    pub(crate) fn write(&self, text: &str) -> Result<()> {
        let mut stdout = io::stdout().lock();
        let choice = if self.terminal.color { ColorChoice::Always } else { ColorChoice::Never };
        let written = if self.format == F::TERMINAL {
            let mut stream = AutoStream::new(stdout, choice);
            stream.write_all(text.as_bytes()).and_then(|()| stream.flush())
        } else {
            stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush())
        };
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                let says = format!("could not write the answer: {}", reason(&error));
                Err(Failure::new(says))
            }
            _ => Ok(()),
        }
    }
}

/// What the terminal can show.
pub(crate) fn terminal(common: &Common) -> Terminal {
    let color = match common.color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => AutoStream::choice(&io::stdout()) != ColorChoice::Never,
    };
    Terminal { width: common.width.map_or_else(usual_width, usize::from), color }
}

/// The width of the terminal; text for files and pipes gets the usual one.
fn usual_width() -> usize {
    let columns = terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
    columns.map_or(WIDTH, |columns| columns.clamp(20, WIDEST))
}

/// Tells something beside the answer.
pub(crate) fn remark(says: &str) {
    // Where nobody listens there is nobody to tell.
    let _ = writeln!(io::stderr(), "note: {}", clean::line(says));
}

/// A value as indented JSON with a line end.
pub(crate) fn json(value: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_string_pretty(value).map_err(|error| Failure::new(error.to_string()))? + "\n")
}

/// A markdown table.
pub(crate) fn table(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut text = format!("| {} |\n|{}\n", head.join(" | "), " --- |".repeat(head.len()));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| markdown::cell(cell)).collect();
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    text
}
