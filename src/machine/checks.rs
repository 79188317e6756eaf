//! The functional level as seen from the parent: it runs the checks and starts a new child after each one that fails.
//!
//! A healthy device needs one child. After a check that fails, crashes or hangs, a new child with its own context runs
//! the rest, so that one failure cannot distort the next result.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use super::child::{self, Call, End};
use super::note::Notes;
use super::save::join;
use super::step::{self, Message, Settings};
use super::strays::Running;
use super::vendor::Checks;
use super::{Check, CheckStatus, Level};
use crate::amounts::seconds;
use crate::facts::Source;

/// Stop testing a device after this many hangs: each one uses up its whole deadline.
const HANGS: usize = 2;

/// Do not start a child with less time than this left.
const SHORTEST: Duration = Duration::from_millis(200);

/// What happens while the checks run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Progress {
    /// A check began: the device, by its runtime number, and the check's name.
    Began(u32, String),
    /// A check ended.
    Ended(Check),
}

/// Takes notice of it; the devices' threads call it at the same time.
pub(crate) type Tell<'t> = dyn Fn(Progress) + Sync + 't;

/// How to start children.
#[derive(Clone, Copy)]
pub(super) struct Start<'a> {
    pub(super) executable: &'a Path,
    pub(super) environment: &'a BTreeMap<OsString, OsString>,
    /// The steps of the probe.
    pub(super) running: &'a Running,
    /// The longest time to wait for a line of output.
    pub(super) deadline: Duration,
    /// The time budget for all checks together.
    pub(super) time: Duration,
    pub(super) tell: &'a Tell<'a>,
}

/// Runs one step and returns its facts.
pub(super) fn ask(start: Start<'_>, step: &str, settings: &Settings) -> (Notes, End) {
    let longest = start.deadline * 2;
    let reply = child::call(&Call {
        executable: start.executable,
        step,
        settings: serde_json::to_string(settings).unwrap_or_default(),
        environment: start.environment,
        deadline: start.deadline,
        // A library may print lines for ever.
        until: Some(Instant::now() + longest),
        running: start.running,
        heard: &|_| {},
    });
    let mut notes = Notes::default();
    for line in &reply.lines {
        if let Ok(Message::Facts(known, unknown)) = serde_json::from_str(line) {
            notes.facts.merge(&join(known, unknown, Source::Probe));
        }
    }
    (notes, if reply.end == End::CutOff { End::TimedOut(longest) } else { reply.end })
}

/// Runs all checks of a level on one device.
pub(super) fn run(start: Start<'_>, offered: Checks, level: Level, settings: &Settings) -> (Vec<Check>, Notes) {
    let mut wanted: Vec<&str> = offered.functional.to_vec();
    let mut start = start;
    if level == Level::Stress {
        wanted.extend(offered.stress);
        start.time += Duration::from_secs(settings.seconds + 2) * u32::try_from(offered.stress.len()).unwrap_or(1);
    }
    let device = u32::try_from(settings.device).unwrap_or(0);
    let until = Instant::now() + start.time;
    let (mut checks, mut notes): (Vec<Check>, Notes) = (Vec::new(), Notes::default());
    let mut rest = wanted.as_slice();
    while let [first, ..] = rest {
        let no_context = checks.first().is_some_and(|check| !check.word.holds());
        let hangs = checks.iter().filter(|check| check.word == CheckStatus::TimedOut).count();
        let why = if no_context {
            Some("there is no usable context".to_owned())
        } else if hangs >= HANGS {
            Some("too many checks have hung".to_owned())
        } else if Instant::now() + SHORTEST > until {
            Some(time_is_up(start.time))
        } else {
            None
        };
        if let Some(why) = why {
            checks.extend(rest.iter().map(|name| check(name, device, CheckStatus::NotReached, why.clone())));
            break;
        }
        let settings = Settings {
            checks: rest.iter().map(ToString::to_string).collect(),
            alive: start.deadline.as_secs().saturating_add(settings.seconds + 1).saturating_mul(rest.len() as u64 + 1),
            ..settings.clone()
        };
        let start = Start { deadline: start.deadline + Duration::from_secs(settings.seconds), ..start };
        let ended = one_child(start, until, &settings, device, &mut notes);
        // A child that prints nothing must not be restarted forever.
        let ended = if ended.is_empty() {
            vec![check(first, device, CheckStatus::Failed, "the child printed nothing".to_owned())]
        } else {
            ended
        };
        rest = rest.get(ended.len()..).unwrap_or_default();
        checks.extend(ended);
    }
    (checks, notes)
}

/// The checks that one child ran; the child may have died during the last one.
fn one_child(start: Start<'_>, until: Instant, settings: &Settings, device: u32, notes: &mut Notes) -> Vec<Check> {
    let reply = child::call(&Call {
        executable: start.executable,
        step: step::CHECKS,
        settings: serde_json::to_string(settings).unwrap_or_default(),
        environment: start.environment,
        deadline: start.deadline,
        until: Some(until),
        running: start.running,
        heard: &|line| match serde_json::from_str(line) {
            Ok(Message::Begin(name)) => (start.tell)(Progress::Began(device, name)),
            Ok(Message::End(layout)) => (start.tell)(Progress::Ended(layout.into_check())),
            _ => {}
        },
    });
    let (mut checks, mut begun) = (Vec::new(), None);
    for line in &reply.lines {
        match serde_json::from_str(line) {
            Ok(Message::Begin(name)) => begun = Some(name),
            Ok(Message::End(layout)) => {
                begun = None;
                checks.push(layout.into_check());
            }
            Ok(Message::Facts(known, unknown)) => notes.facts.merge(&join(known, unknown, Source::Probe)),
            // Libraries may print to stdout too.
            Err(_) => {}
        }
    }
    let died_in = begun.or_else(|| match (&reply.end, checks.is_empty()) {
        (End::Done, _) | (_, false) => None,
        _ => settings.checks.first().cloned(),
    });
    if let Some(name) = died_in {
        let (word, mut says) = match &reply.end {
            End::TimedOut(_) => (CheckStatus::TimedOut, format!("it {}", reply.end.says())),
            End::CutOff => (CheckStatus::NotReached, time_is_up(start.time)),
            End::NotStarted(_) => (CheckStatus::Failed, format!("the child {}", reply.end.says())),
            End::Done | End::Code(_) | End::Signal(_) => {
                (CheckStatus::Crashed, format!("the process {}", reply.end.says()))
            }
        };
        if let Some(line) = reply.complaint.lines().last().filter(|_| word == CheckStatus::Crashed) {
            says = format!("{says}, last output: {}", line.chars().take(200).collect::<String>());
        }
        checks.push(check(&name, device, word, says));
    }
    checks
}

/// Why a check did not finish, when it did not hang either.
fn time_is_up(time: Duration) -> String {
    format!("the {} for this device ran out before the check ended; --time-limit allows more", seconds(time))
}

/// The results for a device whose initialisation hung: nothing is tried twice.
pub(super) fn hung(offered: Checks, device: i32, says: &str) -> Vec<Check> {
    let device = u32::try_from(device).unwrap_or(0);
    let not_reached = "there is no usable context";
    let ended = offered.functional.iter().enumerate().map(|(place, name)| match place {
        0 => check(name, device, CheckStatus::TimedOut, says.to_owned()),
        _ => check(name, device, CheckStatus::NotReached, not_reached.to_owned()),
    });
    ended.collect()
}

fn check(name: &str, device: u32, word: CheckStatus, says: String) -> Check {
    Check { name: name.to_owned(), device, word, says, code: None, milliseconds: 0 }
}
