//! `faultbook probe`: what this machine is and whether it works; and the machine's facts for a diagnosis.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::diagnosis::{Located, Measured};
use crate::facts::Facts;
use crate::machine::view::probe as render;
use crate::machine::view::watch as watched;
use crate::machine::{self, Level, Options, Outcome, Watch};
use crate::render::safe::Encoding;
use clap::{Args, ValueEnum};

use super::common::Common;
use super::exit::Exit;
use super::failure::{Failure, Result};
use super::format::{Format, FormatArg};
use super::output::{self, Output, remark};
use super::progress;

/// For `faultbook probe --help`.
pub(crate) const HELP: &str = "\
Exit codes of probe:
  0  a driver responds and nothing is broken
  1  there is no GPU driver, or something is broken
  2  the command line is wrong, or a file could not be written";

/// The time budget when a diagnosis probes the machine by default.
const PROBE_BUDGET: Duration = Duration::from_millis(300);

/// Seconds for the functional level of one device.
const TIME: u64 = 10;

/// The time to start and stop a child and read its answer, besides waiting, on a machine that is busy with something else.
const OVERHEAD: Duration = Duration::from_millis(40);

/// The longest probe after a run has died: a driver that hangs for so long is itself a result.
const AFTER_DEATH: Duration = Duration::from_secs(2);

/// The level, as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Depth {
    Quick,
    /// Run small operations on each device and verify every result.
    Functional,
    /// Run the functional level, then memory patterns and matmuls for some time.
    Stress,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct ProbeOptions {
    /// How much to do; `quick` only reads.
    #[arg(long, value_enum, default_value_t = Depth::Quick)]
    level: Depth,

    /// Save the facts to a file, for use elsewhere with `--facts`.
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    /// Sample repeatedly until interrupted; with `--format json`, print one line per sample.
    #[arg(long, conflicts_with_all = ["level", "save"])]
    watch: bool,

    /// Seconds between samples.
    #[arg(long, requires = "watch", default_value_t = 1.0, value_name = "SECONDS")]
    every: f64,

    /// Stop after this many samples.
    #[arg(long, requires = "watch", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    count: Option<u64>,

    /// Seconds for each check that the stress level adds.
    #[arg(long, default_value_t = 20, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86400))]
    seconds: u64,

    /// Time limit for the functional level of one device, not counting the time to wake it [default: 10]. If given, it
    /// also limits each earlier answer from a driver. Checks that are cut off say so.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=3600))]
    time_limit: Option<u64>,

    #[command(flatten)]
    pub(crate) format: FormatArg<Format>,
}

/// If the arguments are the hidden subcommand that the probe uses to call this program, runs it and ends the process.
pub(crate) fn step() {
    let arguments: Vec<_> = std::env::args_os().skip(1).take(4).collect();
    if let Some(code) = machine::answer_step(&arguments, &mut std::io::stdout()) {
        machine::leave(code);
    }
}

/// Probes the machine and prints the result.
pub(crate) fn run(args: &ProbeOptions, common: &Common) -> Result<Exit> {
    let output = &Output::new(common, args.format)?;
    if args.watch {
        return watch(args.every, args.count, common, output);
    }
    let level = match args.level {
        Depth::Quick => Level::Quick,
        Depth::Functional => Level::Functional,
        Depth::Stress => Level::Stress,
    };
    let time = Duration::from_secs(args.time_limit.unwrap_or(TIME));
    let options = options(common)?;
    // A driver that must wake its devices first takes long: only who asks for less gets less.
    let patience = args.time_limit.map_or(options.patience, |_| options.patience.min(time));
    let options = Options { seconds: args.seconds, time, deadline: time.mul_f64(0.8), patience, ..options };
    let stage = (level > Level::Quick).then(|| progress::stage("probing the machine"));
    let outcome = machine::run(level, &options);
    if let Some(stage) = stage {
        stage.finish_and_clear();
    }
    if let Some(path) = &args.save {
        machine::save(&outcome, path)?;
        remark(&format!("saved; `faultbook LOG --facts {}` uses it on any machine", path.display()));
    }
    output.write(&match output.format {
        Format::Terminal => render::render(&outcome, output.terminal),
        Format::Markdown => render::markdown(&outcome),
        Format::Json => machine::to_json(&outcome),
    })?;
    Ok(exit(&outcome))
}

/// Samples until the reader closes the pipe or the count is reached.
fn watch(every: f64, count: Option<u64>, common: &Common, output: &Output) -> Result<Exit> {
    let pause = Duration::try_from_secs_f64(every.clamp(0.1, 3600.0)).unwrap_or(Duration::from_secs(1));
    let in_place = output.format == Format::Terminal && std::io::stdout().is_terminal();
    let mut watch = Watch::new(options(common)?);
    let mut looks = 0_u64;
    if in_place {
        output::scroll(terminal_size::terminal_size().map_or(0, |(_, rows)| usize::from(rows.0)));
    }
    loop {
        let sample = watch.sample();
        let written = match output.format {
            Format::Json => output::live(&Encoding::Json.safe(&(sample.to_json_line() + "\n"))),
            Format::Terminal | Format::Markdown if in_place => in_window(&watch, pause, common),
            Format::Terminal | Format::Markdown => {
                output::live(&Encoding::Screen.safe(&watched::render(&watch, output.terminal, None)))
            }
        };
        if written.is_err() {
            // The reader closed the pipe.
            return Ok(Exit::Found);
        }
        looks += 1;
        if count.is_some_and(|count| looks >= count) {
            return Ok(Exit::Found);
        }
        std::thread::sleep(pause);
    }
}

/// Draws a screen over the previous one; the window may have been resized.
fn in_window(watch: &Watch, pause: Duration, common: &Common) -> std::io::Result<()> {
    let rows = terminal_size::terminal_size().map(|(_, rows)| usize::from(rows.0));
    let terminal = output::terminal(common);
    // One line below is left for the hint on how to stop it.
    let rows = rows.map(|rows| rows.saturating_sub(2));
    let picture = watched::render(watch, terminal, rows);
    let hint = format!("every {} s, press Ctrl-C to stop", pause.as_secs_f64());
    output::redraw(&Encoding::Screen.safe(&picture), rows.unwrap_or(usize::MAX), &Encoding::Plain.safe(&hint))
}

/// The machine's facts for a diagnosis: saved facts, or a probe of this machine if it was requested, or if it is useful
/// and too fast to be noticed.
pub(crate) fn measured(located: &Located<'_>, text: &Facts, common: &Common) -> Result<Option<Measured>> {
    let outcome = if let Some(path) = &common.facts {
        saved(path, common)?
    } else if common.probe {
        machine::run(Level::Quick, &options(common)?)
    } else if by_itself(located, common)? {
        machine::run(Level::Quick, &Options { budget: Some(PROBE_BUDGET - OVERHEAD), ..options(common)? })
    } else {
        return Ok(None);
    };
    Ok(Some(related(&outcome, text)))
}

/// Saved facts. What the failing process recorded is completed by a quick probe if that is requested: it still lives.
fn saved(path: &Path, common: &Common) -> Result<Outcome> {
    let mut outcome = machine::load(path)?;
    if !outcome.is_inside() {
        if common.probe {
            return Err(Failure::new(format!(
                "{} has the facts of a probe: `--probe` adds nothing to them",
                path.display()
            ))
            .hint("leave out `--probe` or `--facts`"));
        }
        outcome.level = "saved".to_owned();
    } else if common.probe {
        outcome.complete(&machine::run(Level::Quick, &Options { budget: Some(AFTER_DEATH), ..options(common)? }));
    }
    Ok(outcome)
}

/// The machine's state right after a run died: saved facts, or a probe, if it was requested or there is a driver.
pub(crate) fn at_death(common: &Common) -> Result<Option<Outcome>> {
    if let Some(path) = &common.facts {
        return saved(path, common).map(Some);
    }
    let options = options(common)?;
    if common.probe {
        return Ok(Some(machine::run(Level::Quick, &options)));
    }
    let asks = !common.no_probe && machine::driver_here(&options);
    Ok(asks.then(|| machine::run(Level::Quick, &Options { budget: Some(AFTER_DEATH), ..options })))
}

/// The facts of a probe that apply to the run in a text.
pub(crate) fn related(outcome: &Outcome, text: &Facts) -> Measured {
    let (facts, summary) = machine::relate(outcome, text);
    // A process that recorded nothing remarkable about its machine needs no paragraph.
    let summary = Some(summary).filter(|summary| !outcome.is_inside() || !summary.findings.is_empty());
    Measured { facts, summary }
}

/// Whether a diagnosis probes by default: on a terminal, if a cause depends on it and there is a driver.
fn by_itself(located: &Located<'_>, common: &Common) -> Result<bool> {
    Ok(!common.no_probe
        && std::io::stdout().is_terminal()
        && located.asks_the_machine()
        && machine::driver_here(&options(common)?))
}

/// Whether this machine has a driver to probe.
pub(crate) fn driver_here(common: &Common) -> Result<bool> {
    Ok(machine::driver_here(&options(common)?))
}

/// The options of a probe.
pub(crate) fn options(common: &Common) -> Result<Options> {
    if let Some(path) = common.python.as_ref().filter(|path| !path.exists()) {
        return Err(Failure::new(format!("there is no `{}`", path.display()))
            .hint("--python takes an interpreter, or the folder of an environment"));
    }
    Ok(Options { python: common.python.clone(), ..Options::default() })
}

fn exit(outcome: &Outcome) -> Exit {
    if outcome.is_healthy() { Exit::Found } else { Exit::None }
}
