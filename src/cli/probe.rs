//! `faultbook probe`: what this machine is and whether it works; and the machine's part in a diagnosis.

use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use faultbook::diagnose::{Measured, measurable};
use faultbook::diagnosis::{Diagnosis, Verdict};
use faultbook::facts::Facts;
use faultbook::knowledge::Knowledge;
use faultbook::probe::{self, Level, Options, Outcome, Watch};
use faultbook::render::{probe as render, watch as watched};

use super::args::{Common, Format, ProbeLevel};
use super::exit::Exit;
use super::output::Output;
use super::progress;

/// For `faultbook probe --help`.
pub(crate) const HELP: &str = "\
Exit codes of probe:
  0  a driver answers and nothing is broken
  1  there is no NVIDIA driver, or something is broken
  2  the command line is wrong, or a file could not be written";

/// The longest time that a diagnosis waits for the machine when nobody asked for it.
const BUDGET: Duration = Duration::from_millis(280);

/// The longest time that the machine is asked after a run died: a driver that hangs is itself an answer by then.
const AFTER_DEATH: Duration = Duration::from_secs(2);

/// What a probe was asked for.
pub(crate) struct Asked {
    /// How much is done.
    pub(crate) level: ProbeLevel,
    /// Where the facts go.
    pub(crate) save: Option<PathBuf>,
    /// Seconds for each check of the stress level.
    pub(crate) seconds: u64,
}

/// Answers the hidden subcommand by which the probe calls this program; `None` when it is not that.
pub(crate) fn step() -> Option<ExitCode> {
    let arguments: Vec<_> = std::env::args_os().skip(1).take(4).collect();
    let code = probe::answer_step(&arguments, &mut std::io::stdout())?;
    // A driver's own clean-up at the end of a process may hang or crash: everything was said, so it is left out.
    #[expect(clippy::exit, reason = "this process is a step of a probe and has nothing else to do")]
    std::process::exit(i32::from(code))
}

/// Asks the machine and prints the answer.
pub(crate) fn run(asked: &Asked, common: &Common, output: &Output) -> anyhow::Result<Exit> {
    let level = match asked.level {
        ProbeLevel::Quick => Level::Quick,
        ProbeLevel::Functional => Level::Functional,
        ProbeLevel::Stress => Level::Stress,
    };
    let options = Options { seconds: asked.seconds, ..options(common) };
    let stage = (level > Level::Quick).then(|| progress::stage("asking the machine"));
    let outcome = probe::run(level, &options);
    if let Some(stage) = stage {
        stage.finish_and_clear();
    }
    if let Some(path) = &asked.save {
        probe::save(&outcome, path)?;
    }
    output.write(&match output.format {
        Format::Terminal => render::render(&outcome, output.terminal),
        Format::Markdown => render::markdown(&outcome),
        Format::Json => probe::to_json(&outcome),
    })?;
    Ok(exit(&outcome))
}

/// Looks again and again until the reader goes away or the count is reached.
pub(crate) fn watch(every: f64, count: Option<u64>, common: &Common, output: &Output) -> anyhow::Result<Exit> {
    const HOME_AND_CLEAR: &str = "\u{1b}[H\u{1b}[2J";
    let pause = Duration::try_from_secs_f64(every.clamp(0.1, 3600.0)).unwrap_or(Duration::from_secs(1));
    let in_place = output.format == Format::Terminal && std::io::stdout().is_terminal();
    let mut watch = Watch::new(options(common));
    let mut looks = 0_u64;
    loop {
        let sample = watch.sample();
        let text = match output.format {
            Format::Json => sample.to_json_line() + "\n",
            Format::Terminal | Format::Markdown => watched::render(&watch, output.terminal),
        };
        let mut stdout = std::io::stdout().lock();
        let text = if in_place { format!("{HOME_AND_CLEAR}{text}") } else { text };
        if stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).is_err() {
            // Nobody reads any more.
            return Ok(Exit::Found);
        }
        looks += 1;
        if count.is_some_and(|count| looks >= count) {
            return Ok(Exit::Found);
        }
        std::thread::sleep(pause);
    }
}

/// The machine's part in a diagnosis: saved facts, or an answer of this machine where it was asked for or where it
/// helps and costs nothing that anybody notices.
pub(crate) fn measured(
    diagnosis: &Diagnosis,
    text: &Facts,
    knowledge: &Knowledge,
    common: &Common,
) -> anyhow::Result<Option<Measured>> {
    let outcome = if let Some(path) = &common.facts {
        let mut outcome = probe::load(path)?;
        outcome.level = "saved".to_owned();
        outcome
    } else if common.probe {
        probe::run(Level::Quick, &options(common))
    } else if by_itself(diagnosis, knowledge, common) {
        probe::run(Level::Quick, &Options { budget: Some(BUDGET), ..options(common) })
    } else {
        return Ok(None);
    };
    Ok(Some(related(&outcome, text)))
}

/// What the machine says at this moment: saved facts, or what it was asked because somebody wants that or it has a
/// driver. A run has just died on it.
pub(crate) fn at_death(common: &Common) -> anyhow::Result<Option<Outcome>> {
    if let Some(path) = &common.facts {
        let mut outcome = probe::load(path)?;
        outcome.level = "saved".to_owned();
        return Ok(Some(outcome));
    }
    let options = options(common);
    if common.probe {
        return Ok(Some(probe::run(Level::Quick, &options)));
    }
    let asks = !common.no_probe && probe::driver_here(&options);
    Ok(asks.then(|| probe::run(Level::Quick, &Options { budget: Some(AFTER_DEATH), ..options })))
}

/// What an outcome means for the run that a text tells of.
pub(crate) fn related(outcome: &Outcome, text: &Facts) -> Measured {
    let (facts, summary) = probe::relate(outcome, text);
    Measured { facts, summary: Some(summary) }
}

/// Whether a diagnosis asks the machine unasked: somebody watches, a cause depends on it, and there is a driver.
fn by_itself(diagnosis: &Diagnosis, knowledge: &Knowledge, common: &Common) -> bool {
    !common.no_probe
        && std::io::stdout().is_terminal()
        && diagnosis.verdict == Verdict::KnownFault
        && measurable::asks_the_machine(diagnosis, knowledge)
        && probe::driver_here(&options(common))
}

/// Whether this machine has a driver that a probe could ask.
pub(crate) fn driver_here(common: &Common) -> bool {
    probe::driver_here(&options(common))
}

fn options(common: &Common) -> Options {
    Options { python: common.python.clone(), ..Options::default() }
}

fn exit(outcome: &Outcome) -> Exit {
    if outcome.is_healthy() { Exit::Found } else { Exit::None }
}
