//! `faultbook scan FILE|DIR|GLOB...`: every fault in logs of any size, and with `--follow` in logs that are written.

mod screen;

use std::io;
use std::path::{Path, PathBuf};
use std::thread;

use crate::logs::{self, Ended, Event, Listener, Request};
use crate::render::layout::{Paragraph, Sheet};
use crate::render::safe::Encoding;
use crate::render::style::FAINT;
use crate::render::terminal::Terminal;
use crate::reports::knowledge::Knowledge;
use crate::scan::{FaultReport, Finder, Report, SCHEMA, Scanned, Since, Tally, Totals};
use crate::unpack::Outcome;
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
use screen::{heading, not_read, place, terminal};

#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Logs, compressed or not, archives and folders of them, patterns such as 'logs/*/rank-*.log'; `-` is standard input.
    #[arg(value_name = "FILE|DIR|GLOB", required = true)]
    inputs: Vec<PathBuf>,

    /// Go on while the files are written, through rotation and truncation, and print each new fault as it comes; new files
    /// below a folder are found, and what is compressed is read once.
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
    let request = Request { library, finder: &finder, since, threads };
    if options.follow {
        return follow(options, &output, &request);
    }
    batch(options, &output, &request, &knowledge)
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
fn batch(options: &Options, output: &Output<ScanFormat>, request: &Request<'_>, knowledge: &Knowledge) -> Result<Exit> {
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
                    ScanFormat::Jsonl => {
                        let (counted, unread) = scanned.tally.beyond_budget();
                        if let Some(note) = not_read(counted, unread) {
                            bar.suspend(|| remark(&format!("{}: {note}", scanned.file)));
                        }
                        FaultReport::all(&scanned.tally, book)
                    }
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
    let scanned = logs::scan(logs::expand(options.inputs.clone()), request, &mut tell);
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
fn follow(options: &Options, output: &Output<ScanFormat>, request: &Request<'_>) -> Result<Exit> {
    let mut live = Live { format: output.format, terminal: output.terminal, has_failed: false };
    let exit = match logs::follow(&options.inputs, request, &mut live) {
        Ended::Nothing if live.has_failed => Exit::Usage,
        Ended::Nothing => {
            let hint = "name one; a file that is named may come later";
            return Err(Failure::new("there is no file to follow").hint(hint));
        }
        Ended::Inputs { found: true } | Ended::Reader => Exit::Found,
        Ended::Inputs { found: false } => Exit::None,
        Ended::Signal(signal) => {
            #[cfg(unix)]
            logs::repeat(signal);
            // What a shell reports of a process that a signal ended.
            return Ok(Exit::Child(u8::try_from(128 + signal).unwrap_or(u8::MAX)));
        }
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

    fn unpacked(&mut self, path: &Path, outcome: &Outcome) {
        if let Some(failure) = input::problem(path, outcome) {
            complain(&failure);
            self.has_failed = true;
        }
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
