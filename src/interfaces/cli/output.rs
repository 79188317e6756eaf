//! Writes an answer to standard output, with the requested colour and width.

use std::io::{self, IsTerminal as _, Write as _};
use std::ops::ControlFlow;

use crate::render::clean;
use crate::render::layout::Sheet;
use crate::render::markdown;
use crate::render::safe::{Encoding, Safe};
use crate::render::terminal::Terminal;
use anstream::{AutoStream, ColorChoice};
use serde::Serialize;

use super::common::{Color, Common};
use super::failure::{Failure, Result, reason};
use super::format::{Format, FormatArg, Formats};
use super::pager;

/// The default width in columns.
const WIDTH: usize = 80;

/// Wider lines are hard to read; only `--width` exceeds this.
const WIDEST: usize = 120;

/// How this run writes its answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output<F = Format> {
    pub(crate) format: F,
    pub(crate) terminal: Terminal,
}

/// Where an answer is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Screen {
    pub(crate) terminal: Terminal,
    /// Every item of its lists.
    pub(crate) in_full: bool,
}

impl<F: Formats> Output<F> {
    /// From the options and the environment.
    pub(crate) fn new(common: &Common, format: FormatArg<F>) -> Result<Self> {
        Ok(Self { format: format.of(common)?, terminal: terminal(common) })
    }

    /// Where an answer is shown, and whether all of it.
    pub(crate) fn screen(&self, common: &Common) -> Screen {
        Screen { terminal: self.terminal, in_full: common.verbose }
    }

    /// An empty page for text composed here.
    pub(crate) fn sheet(&self) -> Sheet {
        Sheet::new(self.terminal.width, self.terminal.color)
    }

    /// Writes an answer, through the user's pager where it is longer than the terminal.
    pub(crate) fn page(&self, text: &str, common: &Common) -> Result<()> {
        let text = &self.format.encoding().safe(text);
        let rows = terminal_size::terminal_size_of(io::stdout()).map(|(_, height)| usize::from(height.0));
        let is_long = rows.is_some_and(|rows| text.as_str().lines().count() >= rows);
        if is_long && self.format == F::TERMINAL && !common.no_pager && pager::show(text) {
            return Ok(());
        }
        self.send(text.as_str())
    }

    /// Writes a document of the user's: it has no colours, whatever the format.
    pub(crate) fn document(&self, text: &str) -> Result<()> {
        self.send(Encoding::Plain.safe(text).as_str())
    }

    /// Writes what a program reads (a path, a patch, a script): its exact bytes, except on a terminal.
    pub(crate) fn verbatim(&self, text: &str) -> Result<()> {
        if io::stdout().is_terminal() { self.document(text) } else { self.send(text) }
    }

    /// Writes an answer. A closed pipe means that the reader has what it needs.
    pub(crate) fn write(&self, text: &str) -> Result<()> {
        self.send(self.format.encoding().safe(text).as_str())
    }

    /// Writes one of many answers. Where the reader wants no more, there is nothing more to find out.
    pub(crate) fn next(&self, text: &str) -> Result<ControlFlow<()>> {
        self.sent(self.format.encoding().safe(text).as_str())
    }

    fn send(&self, text: &str) -> Result<()> {
        self.sent(text).map(drop)
    }

    /// The only way out: everything above makes its text safe, or has a program for a reader.
    fn sent(&self, text: &str) -> Result<ControlFlow<()>> {
        let mut stdout = io::stdout().lock();
        let choice = if self.terminal.color { ColorChoice::Always } else { ColorChoice::Never };
        let written = if self.format == F::TERMINAL {
            let mut stream = AutoStream::new(stdout, choice);
            stream.write_all(text.as_bytes()).and_then(|()| stream.flush())
        } else {
            stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush())
        };
        match written {
            Ok(()) => Ok(ControlFlow::Continue(())),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ControlFlow::Break(())),
            Err(error) => Err(Failure::new(format!("could not write the answer: {}", reason(&error)))),
        }
    }
}

/// Writes one of many answers of a command that goes on.
pub(crate) fn live(text: &Safe<'_>) -> io::Result<()> {
    flushed(text.as_str())
}

/// Makes room for pictures: the previous content of the window scrolls up and stays readable.
pub(crate) fn scroll(rows: usize) {
    // A window that is gone shows nothing.
    let _ = flushed(&"\n".repeat(rows));
}

/// Draws a picture over the previous one, as much of it as there are rows, and a hint below it.
pub(crate) fn redraw(picture: &Safe<'_>, rows: usize, hint: &Safe<'_>) -> io::Result<()> {
    const HOME: &str = "\u{1b}[H";
    const REST_OF_LINE: &str = "\u{1b}[K";
    const ALL_BELOW: &str = "\u{1b}[J";
    let mut text = HOME.to_owned();
    for line in picture.as_str().lines().take(rows) {
        text.push_str(&format!("{line}{REST_OF_LINE}\n"));
    }
    text.push_str(&format!("{}{REST_OF_LINE}{ALL_BELOW}\r", hint.as_str()));
    flushed(&text)
}

fn flushed(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush())
}

pub(crate) fn terminal(common: &Common) -> Terminal {
    let color = match common.color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => AutoStream::choice(&io::stdout()) != ColorChoice::Never,
    };
    Terminal { width: common.width.map_or_else(usual_width, usize::from), color }
}

/// The width of the terminal; a default for files and pipes.
fn usual_width() -> usize {
    let columns = terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
    columns.map_or(WIDTH, |columns| columns.clamp(20, WIDEST))
}

/// Prints a remark to standard error.
pub(crate) fn remark(says: &str) {
    aside(&format!("note: {}\n", clean::line(says)));
}

/// Prints to standard error what belongs to no answer.
pub(crate) fn aside(text: &str) {
    // If standard error is closed, nobody reads it.
    let _ = io::stderr().lock().write_all(Encoding::Plain.safe(text).as_str().as_bytes());
}

/// Prints an answer in colours to standard error.
pub(crate) fn answer_aside(text: &str, encoding: Encoding, choice: ColorChoice) {
    let mut stream = AutoStream::new(io::stderr().lock(), choice);
    let _ = stream.write_all(encoding.safe(text).as_str().as_bytes()).and_then(|()| stream.flush());
}

/// Prints what is wrong with the arguments, or the help that they asked for.
pub(crate) fn usage(error: &clap::Error) {
    let rendered = error.render();
    // An argument may bring colours of its own: then there are none.
    let hostile = std::env::args_os().any(|argument| argument.to_string_lossy().chars().any(char::is_control));
    let text = if hostile { rendered.to_string() } else { rendered.ansi().to_string() };
    let encoding = if hostile { Encoding::Plain } else { Encoding::Screen };
    if error.use_stderr() {
        return answer_aside(&text, encoding, AutoStream::choice(&io::stderr()));
    }
    let stdout = io::stdout();
    let mut stream = AutoStream::auto(stdout.lock());
    // A closed pipe while printing help is not an error.
    let _ = stream.write_all(encoding.safe(&text).as_str().as_bytes()).and_then(|()| stream.flush());
}

/// A value as indented JSON with a final newline.
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
