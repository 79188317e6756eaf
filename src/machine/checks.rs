//! The functional level, seen from the parent: which checks there are, and a fresh child after each one that breaks.
//!
//! A healthy device costs one child. After a check that fails, crashes or hangs, the rest is run by another child
//! with a context of its own, so that one broken check says nothing false about the next.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use super::child::{self, Call, End};
use super::note::Notes;
use super::save::join;
use super::step::{self, Message, Settings};
use super::vendor::Checks;
use super::{Check, Level, Word};
use crate::amounts::seconds;
use crate::facts::Source;

/// After so many hangs on one device the rest is not tried: each costs its whole deadline.
const HANGS: usize = 2;

/// With less time than this left no child is started.
const SHORTEST: Duration = Duration::from_millis(200);

/// How children are started.
#[derive(Clone, Copy)]
pub(super) struct Start<'a> {
    /// This program.
    pub(super) executable: &'a Path,
    /// The environment of the children.
    pub(super) environment: &'a BTreeMap<OsString, OsString>,
    /// The longest time without an answer.
    pub(super) deadline: Duration,
    /// The longest time for all of it.
    pub(super) time: Duration,
}

/// Asks one step for facts.
pub(super) fn ask(start: Start<'_>, step: &str, settings: &Settings) -> (Notes, End) {
    let reply = child::call(&Call {
        executable: start.executable,
        step,
        settings: serde_json::to_string(settings).unwrap_or_default(),
        environment: start.environment,
        deadline: start.deadline,
        until: None,
    });
    let mut notes = Notes::default();
    for line in &reply.lines {
        if let Ok(Message::Facts(known, unknown)) = serde_json::from_str(line) {
            notes.facts.merge(&join(known, unknown, Source::Probe));
        }
    }
    (notes, reply.end)
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
        let hangs = checks.iter().filter(|check| check.word == Word::TimedOut).count();
        let why = if no_context {
            Some("there is no context to do it in".to_owned())
        } else if hangs >= HANGS {
            Some("too many checks hang".to_owned())
        } else if Instant::now() + SHORTEST > until {
            Some(time_is_up(start.time))
        } else {
            None
        };
        if let Some(why) = why {
            checks.extend(rest.iter().map(|name| check(name, device, Word::NotReached, why.clone())));
            break;
        }
        let settings = Settings {
            checks: rest.iter().map(ToString::to_string).collect(),
            alive: start.deadline.as_secs().saturating_add(settings.seconds + 1).saturating_mul(rest.len() as u64 + 1),
            ..settings.clone()
        };
        let start = Start { deadline: start.deadline + Duration::from_secs(settings.seconds), ..start };
        let ended = one_child(start, until, &settings, device, &mut notes);
        // A child that says nothing at all must not be asked for ever.
        let ended = if ended.is_empty() {
            vec![check(first, device, Word::Failed, "the step gave no answer".to_owned())]
        } else {
            ended
        };
        rest = rest.get(ended.len()..).unwrap_or_default();
        checks.extend(ended);
    }
    (checks, notes)
}

/// The checks that one child ran; the last may be the one it died of.
fn one_child(start: Start<'_>, until: Instant, settings: &Settings, device: u32, notes: &mut Notes) -> Vec<Check> {
    let reply = child::call(&Call {
        executable: start.executable,
        step: step::CHECKS,
        settings: serde_json::to_string(settings).unwrap_or_default(),
        environment: start.environment,
        deadline: start.deadline,
        until: Some(until),
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
            // Libraries print what they like on stdout.
            Err(_) => {}
        }
    }
    let died_in = begun.or_else(|| match (&reply.end, checks.is_empty()) {
        (End::Done, _) | (_, false) => None,
        _ => settings.checks.first().cloned(),
    });
    if let Some(name) = died_in {
        let (word, mut says) = match &reply.end {
            End::TimedOut(_) => (Word::TimedOut, format!("it {}", reply.end.says())),
            End::CutOff => (Word::NotReached, time_is_up(start.time)),
            End::NotStarted(_) => (Word::Failed, format!("the step {}", reply.end.says())),
            End::Done | End::Code(_) | End::Signal(_) => (Word::Crashed, format!("the process {}", reply.end.says())),
        };
        if let Some(line) = reply.complaint.lines().last().filter(|_| word == Word::Crashed) {
            says = format!("{says}, last words: {}", line.chars().take(200).collect::<String>());
        }
        checks.push(check(&name, device, word, says));
    }
    checks
}

/// Why a check did not end although nothing says that it hangs.
fn time_is_up(time: Duration) -> String {
    format!("the {} for this device were spent before it ended; --time-limit gives more", seconds(time))
}

/// The checks of a device on which initialising hung: nothing is tried a second time.
pub(super) fn hung(offered: Checks, device: i32, says: &str) -> Vec<Check> {
    let device = u32::try_from(device).unwrap_or(0);
    let not_reached = "there is no context to do it in";
    let ended = offered.functional.iter().enumerate().map(|(place, name)| match place {
        0 => check(name, device, Word::TimedOut, says.to_owned()),
        _ => check(name, device, Word::NotReached, not_reached.to_owned()),
    });
    ended.collect()
}

fn check(name: &str, device: u32, word: Word, says: String) -> Check {
    Check { name: name.to_owned(), device, word, says, code: None, milliseconds: 0 }
}
