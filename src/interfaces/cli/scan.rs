//! `faultbook scan FILE|DIR|GLOB...`: every fault in logs of any size, and with `--follow` in logs that are written.

use std::io;
use std::path::{Path, PathBuf};
use std::thread;

use crate::logs::{self, Ended, Event, Input, Listener, Request};
use crate::render::layout::{Paragraph, Sheet};
use crate::render::safe::Encoding;
use crate::render::style::{FAINT, FAULT, HEALTHY, STRONG, UNLISTED};
use crate::render::terminal::Terminal;
use crate::render::words::{counted, thousands};
use crate::reports::knowledge::Knowledge;
use crate::scan::{FaultReport, Finder, Report, SCHEMA, Scanned, Since, Tally, Totals};
use clap::{Args, ValueEnum};
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, Zoned};
use serde::Serialize;

use super::common::Common;
use super::exit::Exit;
use super::failure::{Failure, Result};
use super::format::{FormatArg, Formats};
use super::output::{self, Output, json, remark};
use super::progress::LONG;
use super::{complain, input, open, progress};
use indicatif::ProgressBar;

#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Logs, compressed or not, archives and folders of them, patterns such as 'logs/*/rank-*.log'; `-` is standard input.
    #[arg(value_name = "FILE|DIR|GLOB", required = true)]
    inputs: Vec<PathBuf>,

    /// Go on while the files are written, through rotation and truncation, and print each new fault as it comes; only of
    /// texts, not of what is compressed.
    #[arg(long)]
    follow: bool,

    /// Only lines since then: an age such as 90s, 30m, 12h, 2d, or a time such as 2026-11-21 or 2026-11-21T03:15; lines
    /// without a date count as the last one above them that has one.
    #[arg(long, value_name = "TIME|DURATION")]
    since: Option<String>,

    /// How many threads look for faults [default: as many as there are processors].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,

    #[command(flatten)]
    pub(crate) format: FormatArg<ScanFormat>,
}

/// The formats of `scan`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScanFormat {
    Terminal,
    /// For programs: schema faultbook/scan/1.
    Json,
    /// For programs: each fault of each log on a line of its own, as soon as it is known.
    Jsonl,
}

impl Formats for ScanFormat {
    const TERMINAL: Self = Self::Terminal;

    fn encoding(self) -> Encoding {
        match self {
            Self::Terminal => Encoding::Screen,
            Self::Json | Self::Jsonl => Encoding::Json,
        }
    }
}

/// One line of JSONL.
#[derive(Serialize)]
struct Line<'a> {
    schema: &'static str,
    #[serde(flatten)]
    fault: &'a FaultReport,
}

pub(crate) fn run(options: &Options, common: &Common) -> Result<Exit> {
    let output = Output::new(common, options.format)?;
    let since = options.since.as_deref().map(since).transpose()?;
    let knowledge = open::knowledge(common, false)?;
    let library = knowledge.library();
    let threads = options.threads.map_or_else(processors, usize::from);
    let finder = Finder::new(library.signatures);
    let request = Request { library, since, threads };
    if options.follow {
        return follow(options, &output, &finder, &request);
    }
    batch(options, &output, &finder, &request, &knowledge)
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Why a scan ends before its end.
enum Halt {
    /// Who reads the answer has enough.
    Reader,
    Failed(Failure),
}

impl From<Failure> for Halt {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// Reads what is there.
fn batch(
    options: &Options,
    output: &Output<ScanFormat>,
    finder: &Finder,
    request: &Request<'_>,
    knowledge: &Knowledge,
) -> Result<Exit> {
    let book = &knowledge.book;
    let mut report = Report::new();
    let (mut totals, mut tally) = (Totals::default(), Tally::default());
    let mut exits = Vec::new();
    let (mut bar, mut done) = (ProgressBar::hidden(), 0);
    let mut tell = |event: Event| -> Result<(), Halt> {
        match event {
            Event::Progress(bytes) => {
                if done < LONG && done + bytes >= LONG {
                    bar = progress::scan(logs::total(&options.inputs));
                    bar.inc(done);
                }
                done += bytes;
                bar.inc(bytes);
            }
            Event::Log(scanned, flaw) => {
                if let Some(flaw) = flaw {
                    bar.suspend(|| remark(&format!("{}: {}", scanned.file, flaw.note())));
                }
                totals.add(&scanned);
                report.add(&scanned, book);
                let faults = match output.format {
                    ScanFormat::Jsonl => FaultReport::all(&scanned.tally, book),
                    ScanFormat::Terminal | ScanFormat::Json => Vec::new(),
                };
                tally.merge(scanned.tally);
                let lines: String = faults.iter().map(line).collect::<Result<_>>()?;
                if !lines.is_empty() && bar.suspend(|| output.next(&lines))?.is_break() {
                    return Err(Halt::Reader);
                }
            }
            Event::Shrunk(file) => {
                bar.suspend(|| remark(&format!("{file}: it became shorter while it was read")));
            }
            Event::Unpacked(path, outcome) => {
                if let Some(failure) = bar.suspend(|| input::problem(&path, &outcome)) {
                    bar.suspend(|| complain(&failure));
                    exits.push(Exit::Usage);
                }
            }
            Event::Failed(path, error) => {
                bar.suspend(|| complain(&Failure::reading(&path, &error)));
                exits.push(Exit::Usage);
            }
        }
        Ok(())
    };
    let scanned = logs::scan(logs::expand(&options.inputs), finder, request, &mut tell);
    bar.finish_and_clear();
    exits.push(if tally.has_faults() { Exit::Found } else { Exit::None });
    match scanned {
        Err(Halt::Reader) => return Ok(Exit::of_all(exits)),
        Err(Halt::Failed(failure)) => return Err(failure),
        Ok(()) => {}
    }
    report.conclude(totals, &tally, book);
    match output.format {
        ScanFormat::Terminal => output.write(&terminal(&report, output.sheet()))?,
        ScanFormat::Json => output.write(&json(&report)?)?,
        ScanFormat::Jsonl => {}
    }
    Ok(Exit::of_all(exits))
}

/// Reads what comes.
fn follow(options: &Options, output: &Output<ScanFormat>, finder: &Finder, request: &Request<'_>) -> Result<Exit> {
    let mut paths = Vec::new();
    let mut failed = false;
    for input in logs::expand(&options.inputs) {
        match input {
            Input::Stdin => paths.push(PathBuf::from("-")),
            // A file that is named may come later.
            Input::File(path) | Input::Below(path) => paths.push(path),
            Input::Failed(path, error) => {
                complain(&Failure::reading(&path, &error));
                failed = true;
            }
        }
    }
    if paths.is_empty() {
        let failure = Failure::new("there is no file to follow").hint("name one; a file that is named may come later");
        return if failed { Ok(Exit::Usage) } else { Err(failure) };
    }
    let mut live = Live { format: output.format, terminal: output.terminal, has_failed: failed };
    let exit = match logs::follow(&paths, finder, request, &mut live) {
        Ended::Inputs { found: true } | Ended::Reader => Exit::Found,
        Ended::Inputs { found: false } => Exit::None,
    };
    Ok(Exit::of_all([exit].into_iter().chain(live.has_failed.then_some(Exit::Usage))))
}

/// Prints faults as they come.
struct Live {
    format: ScanFormat,
    terminal: Terminal,
    has_failed: bool,
}

impl Listener for Live {
    fn fault(&mut self, fault: &FaultReport) -> io::Result<()> {
        let text = match self.format {
            ScanFormat::Terminal => {
                let mut sheet = Sheet::new(self.terminal.width, self.terminal.color);
                heading(fault, &mut sheet);
                sheet.paragraph(&Paragraph::new(place(&fault.last)).indent(2).lead(FAINT, "  "));
                sheet.paragraph(&Paragraph::new(&fault.text).indent(2).lead(FAINT, "  ").at_most(2));
                sheet.finish()
            }
            ScanFormat::Json | ScanFormat::Jsonl => line(fault).map_err(|_| io::Error::from(io::ErrorKind::Other))?,
        };
        output::live(&self.format.encoding().safe(&text))
    }

    fn remark(&mut self, says: &str) {
        remark(says);
    }

    fn failed(&mut self, path: &Path, error: &io::Error) {
        complain(&Failure::reading(path, error));
        self.has_failed = true;
    }

    fn packed(&mut self, path: &Path) {
        let file = path.display();
        let failure = Failure::new(format!("`{file}` is compressed or no text: it cannot be followed"));
        complain(&failure.hint(format!("`faultbook scan {file}` reads what is compressed")));
        self.has_failed = true;
    }
}

impl Totals {
    fn add(&mut self, scanned: &Scanned) {
        self.logs += 1;
        self.bytes += scanned.bytes;
        self.lines += scanned.lines;
    }
}

fn line(fault: &FaultReport) -> Result<String> {
    let line = serde_json::to_string(&Line { schema: SCHEMA, fault });
    Ok(line.map_err(|error| Failure::new(error.to_string()))? + "\n")
}

/// `30m` before now, `2026-11-21T03:15` on the clock here, `2026-11-21T03:15:00Z`.
fn since(words: &str) -> Result<Since> {
    let wrong = || {
        Failure::new(format!("`{words}` is neither an age nor a time")).hint(
            "an age such as 90s, 30m, 12h, 2d, or a time such as 2026-11-21, 2026-11-21T03:15, 2026-11-21T03:15:00Z",
        )
    };
    let zone = TimeZone::system();
    let words = words.trim();
    let local = |at: DateTime| at.to_zoned(zone.clone()).map_err(|_| wrong());
    let at: Zoned = if let Ok(at) = words.parse::<Timestamp>() {
        at.to_zoned(zone.clone())
    } else if let Ok(at) = words.parse::<DateTime>() {
        local(at)?
    } else if let Ok(day) = words.parse::<Date>() {
        local(day.at(0, 0, 0, 0))?
    } else {
        let span: Span = words.parse().map_err(|_| wrong())?;
        if span.is_negative() || span.is_zero() {
            return Err(wrong());
        }
        Zoned::now().checked_sub(span).map_err(|_| wrong())?
    };
    let utc = at.timestamp().as_second() as f64;
    Ok(Since { utc, local: utc + f64::from(at.offset().seconds()) })
}

/// The answer on a screen.
fn terminal(report: &Report, mut sheet: Sheet) -> String {
    /// Errors without a page that are shown.
    const UNLISTED_SHOWN: usize = 10;
    let read = format!(
        "{}, {} MB, {}",
        counted(report.logs, "log", "logs"),
        thousands(report.bytes.div_ceil(1_000_000)),
        counted(report.lines, "line", "lines")
    );
    sheet.paragraph(&Paragraph::new(read).style(FAINT));
    let (known, unlisted): (Vec<_>, Vec<_>) = report.faults.iter().partition(|fault| fault.fault.is_some());
    if known.is_empty() && unlisted.is_empty() {
        sheet.blank();
        sheet.paragraph(&Paragraph::new("No fault was found.").style(HEALTHY));
    }
    for fault in &known {
        sheet.blank();
        heading(fault, &mut sheet);
        details(fault, report.logs > 1, &mut sheet);
    }
    if !unlisted.is_empty() {
        sheet.blank();
        sheet.paragraph(&Paragraph::new("Errors without a page").style(UNLISTED));
        for fault in unlisted.iter().take(UNLISTED_SHOWN) {
            sheet.paragraph(&Paragraph::new(&fault.title).lead(STRONG, "  ").at_most(1));
            details(fault, report.logs > 1, &mut sheet);
        }
        let more = unlisted.len().saturating_sub(UNLISTED_SHOWN) as u64;
        if more > 0 {
            sheet.paragraph(
                &Paragraph::new(format!("and {} more; `--format json` has all", thousands(more))).lead(FAINT, "  "),
            );
        }
    }
    if let Some(first) = known.first() {
        sheet.blank();
        let file = if first.first.file == "-" { "FILE" } else { &first.first.file };
        let says = format!(
            "`faultbook diagnose {file}` says why, `faultbook show {}` what the page says.",
            first.fault.as_deref().unwrap_or_default()
        );
        sheet.paragraph(&Paragraph::new(says).style(FAINT));
    }
    sheet.finish()
}

fn heading(fault: &FaultReport, sheet: &mut Sheet) {
    let style = if fault.fault.is_some() { FAULT } else { UNLISTED };
    let right = fault.fault.clone().unwrap_or_default();
    sheet.paragraph(&Paragraph::new(&fault.title).style(style).right(FAINT, right));
}

fn details(fault: &FaultReport, is_one_of_several: bool, sheet: &mut Sheet) {
    const NAMED: usize = 8;
    let mut says = Vec::new();
    match fault.primary_in {
        0 if fault.survived => says.push("the run went on".to_owned()),
        0 => {}
        1 if !is_one_of_several => says.push("the primary failure".to_owned()),
        many => says.push(format!("the primary failure of {}", counted(many, "log", "logs"))),
    }
    says.push(counted(fault.count, "line", "lines"));
    if fault.logs > 1 {
        says.push(format!("in {}", counted(fault.logs, "log", "logs")));
    }
    let named = |what: &str, names: Vec<String>| match names.len() {
        0 => None,
        many => {
            let more = if many > NAMED { format!(" and {} more", many - NAMED) } else { String::new() };
            let shown: Vec<String> = names.into_iter().take(NAMED).collect();
            Some(format!("{what} {}{more}", shown.join(", ")))
        }
    };
    says.extend(named("ranks", fault.ranks.iter().map(u32::to_string).collect()));
    says.extend(named("on", fault.nodes.clone()));
    let indented = |words: &str| Paragraph::new(words).lead(FAINT, "  ");
    sheet.paragraph(&indented(&says.join(", ")));
    let first = format!("first {}", place(&fault.first));
    let last = if fault.count > 1 { format!(", last {}", place(&fault.last)) } else { String::new() };
    sheet.paragraph(&indented(&(first + &last)));
    if fault.fault.is_some() {
        sheet.paragraph(&indented(&fault.text).style(FAINT).at_most(2));
    }
}

/// `train.log:1234 (2026-11-21T03:15:22)`.
fn place(place: &crate::scan::Place) -> String {
    let file = if Path::new(&place.file) == Path::new("-") { "standard input" } else { &place.file };
    let time = place.time.as_ref().map(|time| format!(" ({time})")).unwrap_or_default();
    format!("{file}:{}{time}", place.line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_and_ages() {
        assert_eq!(since("2024-01-29T10:02:31Z").expect("a time").utc, 1_706_522_551.0);
        assert_eq!(since("2024-01-29").expect("a day").local % 86_400.0, 0.0);
        let ago = since("2h").expect("an age");
        assert!(Timestamp::now().as_second() as f64 - ago.utc >= 7200.0);
        for words in ["", "yesterday", "-2h", "0s"] {
            assert!(since(words).is_err(), "{words}");
        }
    }
}
