//! Where and with what the run happened: systems, GPU vendors, frameworks, launchers and package managers that the text
//! or a fact shows, by the words of `kb/wording/platforms.toml`.
//!
//! What a text does not show stays open. It is ruled out only by something else that it shows: WSL by Kubernetes, an
//! NVIDIA GPU by a HIP error.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::shell;
use super::words::Lexicon;
use crate::facts::{Facts, Source, Value};
use crate::incident::{Incident, Role};
use crate::text::Transcript;
use crate::wording::{self, Platform, PlatformKind, Platforms, Shell, literal};

/// Whether a run is on a platform, as far as its text tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    /// It is, and nothing closer is known.
    Present,
    /// It is, because something closer is: PyTorch below vLLM, Linux below Kubernetes.
    Below,
    /// Nothing is known.
    Open,
    /// It is not.
    RuledOut,
}

/// What shows that a platform is there.
#[derive(Debug, Clone, Copy)]
struct Sighting {
    kind: PlatformKind,
    platform: &'static Platform<&'static str>,
    /// The line (from 1) that shows it; `None` where a fact without one or another platform does.
    line: Option<u32>,
    /// Whether the failure itself shows it.
    in_failure: bool,
    /// Whether only words show it that may be of something else.
    weak: bool,
}

impl Sighting {
    /// How much it weighs against what excludes it.
    fn rank(&self) -> (bool, bool) {
        (!self.weak, self.in_failure)
    }
}

/// The platforms that a text shows.
#[derive(Debug, Default)]
pub(super) struct Situation {
    sightings: BTreeMap<&'static str, Sighting>,
}

impl Situation {
    /// Looks at the beginning of the text, at its errors, and at the facts. `failure` are the lines of the first failure.
    pub(super) fn of(transcript: &Transcript, incident: &Incident, failure: &Range<usize>, facts: &Facts) -> Self {
        const LINES: usize = 400;
        let errors = incident.errors.iter().flat_map(|error| error.lines.clone());
        let lines: BTreeSet<usize> = (0..transcript.len().min(LINES))
            .chain(errors.take(LINES))
            .chain(failure.clone().take(LINES))
            .filter(|line| *line < transcript.len())
            .collect();
        let mut seen = Self::default();
        for index in lines {
            // An answer of ours, advice and listings name what has nothing to do with the run.
            if matches!(incident.roles.get(index), Some(Role::Answer | Role::Advice | Role::Quiet)) {
                continue;
            }
            let line = transcript.line(index);
            seen.read(line.text, line.number, failure.contains(&index));
        }
        let first = failure.clone().next().map(|line| transcript.line(line).number);
        let last = failure.clone().next_back().map(|line| transcript.line(line).number);
        let within = |line: u32| first.is_some_and(|first| first <= line) && last.is_some_and(|last| line <= last);
        for (kind, platform) in wording::platforms().all() {
            if let Some(line) = shown_by_fact(kind, platform, facts) {
                let in_failure = line.is_some_and(within);
                seen.add(Sighting { kind, platform, line, in_failure, weak: false });
            }
        }
        seen.settle();
        seen.imply();
        seen
    }

    /// Adds what a line shows.
    fn read(&mut self, text: &str, number: u32, in_failure: bool) {
        let mut lower: Option<String> = None;
        Lexicon::traces().find(text, |(_, kind, platform), place| {
            let shown = text.get(place.clone()).unwrap_or_default();
            let weak = platform.weak.iter().any(|word| literal(word).eq_ignore_ascii_case(shown));
            let sighting = Sighting { kind, platform, line: Some(number), in_failure, weak };
            if self.sightings.get(platform.name).is_some_and(|old| old.rank() >= sighting.rank()) {
                return;
            }
            let lower = lower.get_or_insert_with(|| text.to_ascii_lowercase());
            if !denied(lower.get(..place.start).unwrap_or_default()) {
                self.add(sighting);
            }
        });
    }

    fn add(&mut self, sighting: Sighting) {
        let old = self.sightings.entry(sighting.platform.name).or_insert(sighting);
        if sighting.rank() > old.rank() {
            *old = sighting;
        }
    }

    /// Removes what others exclude. The failure itself outweighs the rest of the text; of two that exclude each other and
    /// weigh the same, neither stays.
    fn settle(&mut self) {
        let all: Vec<Sighting> = self.sightings.values().copied().collect();
        for one in &all {
            for other in all.iter().filter(|other| one.platform.excludes.contains(&other.platform.name)) {
                let back = other.platform.excludes.contains(&one.platform.name);
                if one.rank() >= other.rank() {
                    self.sightings.remove(other.platform.name);
                }
                let outdone = other.rank() > one.rank();
                if outdone || back && one.rank() == other.rank() {
                    self.sightings.remove(one.platform.name);
                }
            }
        }
    }

    /// Adds what is there because something else is.
    fn imply(&mut self) {
        let mut open: Vec<Sighting> = self.sightings.values().copied().collect();
        while let Some(one) = open.pop() {
            let implied = wording::platforms().all().filter(|(_, other)| one.platform.implies.contains(&other.name));
            for (kind, platform) in implied {
                if !self.sightings.contains_key(platform.name) && !self.excludes(platform) {
                    let sighting = Sighting { kind, platform, ..one };
                    self.sightings.insert(platform.name, sighting);
                    open.push(sighting);
                }
            }
        }
    }

    /// Records the closest of each group.
    pub(super) fn record(&self, facts: &mut Facts) {
        let groups = [
            ("run.platform", PlatformKind::System),
            ("gpu.vendor", PlatformKind::Vendor),
            ("run.framework", PlatformKind::Framework),
            ("run.package_manager", PlatformKind::PackageManager),
        ];
        for (fact, kind) in groups {
            // What an image is named after does not exist beside a platform that lacks it: Docker in Kubernetes.
            let lacking = |name: &str| self.present().any(|platform| platform.absent.contains(&name));
            let found = self.sightings.values().filter(|one| one.kind == kind && !lacking(one.platform.name));
            let closest = found
                .min_by_key(|one| (self.presence(one.platform.name) != Presence::Present, !one.in_failure, one.line));
            if let Some(closest) = closest {
                facts.add(fact, Value::Text(closest.platform.name.to_owned()), Source::Text, closest.line);
            }
        }
        // A Windows that is named beside its Linux is the one around it.
        if facts.text("run.platform").is_some_and(|platform| platform.starts_with("wsl")) {
            facts.retain(|name| name != "os.windows");
        }
    }

    /// Whether the run is on the platform of that name.
    pub(super) fn presence(&self, name: &str) -> Presence {
        if self.sightings.contains_key(name) {
            let above = self.present().any(|one| one.implies.contains(&name));
            return if above { Presence::Below } else { Presence::Present };
        }
        let Some((kind, platform)) = wording::platforms().all().find(|(_, platform)| platform.name == name) else {
            return Presence::Open;
        };
        // A program has one framework, its parts, and a GPU of one vendor: whoever names another one has not this one.
        let mut known = self.sightings.values().filter(|one| one.kind == kind);
        let other = match kind {
            PlatformKind::Framework => known.any(|one| !platform.implies.contains(&one.platform.name)),
            PlatformKind::Vendor => known.next().is_some(),
            _ => false,
        };
        if self.excludes(platform) || other { Presence::RuledOut } else { Presence::Open }
    }

    /// Whether the run can be on one of `only`, and is on none of `not`.
    pub(super) fn allows(&self, only: &[String], not: &[String]) -> bool {
        let possible = only.is_empty() || only.iter().any(|name| self.presence(name) != Presence::RuledOut);
        possible && !not.iter().any(|name| self.sightings.contains_key(name.as_str()))
    }

    /// Whether the text shows one of `only`; `None` if that is empty.
    pub(super) fn shows_one_of(&self, only: &[String]) -> Option<bool> {
        (!only.is_empty()).then(|| only.iter().any(|name| self.sightings.contains_key(name.as_str())))
    }

    /// Whether a line of commands cannot work there.
    pub(super) fn forbids(&self, line: &str) -> bool {
        if self.sightings.is_empty() {
            return false;
        }
        let mut forbidden = false;
        Lexicon::never().find(line, |(_, _, platform), _| forbidden |= self.sightings.contains_key(platform.name));
        forbidden || shell::programs(line).any(|program| self.present().any(|one| one.absent.contains(&program)))
    }

    /// How variables are set there, if not as in a Unix shell.
    pub(super) fn shell(&self) -> Option<Shell> {
        self.present().find_map(|platform| platform.shell)
    }

    /// The recipe that comes before all others for a fault of that area.
    pub(super) fn first_recipe(&self, area: &str) -> Option<&'static str> {
        let mut firsts = self.present().filter_map(|platform| platform.first.as_ref());
        firsts.find(|first| first.areas.contains(&area)).map(|first| first.recipe)
    }

    fn excludes(&self, platform: &Platform<&str>) -> bool {
        self.present().any(|one| one.excludes.contains(&platform.name) || platform.excludes.contains(&one.name))
    }

    fn present(&self) -> impl Iterator<Item = &'static Platform<&'static str>> {
        self.sightings.values().map(|sighting| sighting.platform)
    }
}

/// The line of the fact that shows a platform: one that it names, or a GPU whose name begins as its vendor's do.
fn shown_by_fact(kind: PlatformKind, platform: &Platform<&str>, facts: &Facts) -> Option<Option<u32>> {
    let shows = |condition: &&str| {
        let (name, wanted) = condition.split_once('=').unwrap_or((condition, "true"));
        let fact = facts.get(name)?;
        let value = match &fact.value {
            Value::Bool(value) => value.to_string(),
            Value::Number(value) => value.to_string(),
            Value::Text(value) => value.clone(),
            Value::List(_) => return None,
        };
        (value == wanted).then_some(fact.line)
    };
    let by_name = || {
        let fact = facts.get("gpu.name").filter(|_| kind == PlatformKind::Vendor)?;
        let Value::Text(name) = &fact.value else { return None };
        let starts = &crate::vendors::by_id(platform.name)?.gpus.starts;
        starts.iter().any(|start| name.starts_with(start.as_str())).then_some(fact.line)
    };
    platform.facts.iter().find_map(shows).or_else(by_name)
}

/// Whether the words before a name deny or only suppose it: "no Docker", "not in a container", "if you are on Colab".
fn denied(before: &str) -> bool {
    let Platforms { denials, suppositions, fillers, .. } = wording::platforms();
    let clause = before.rsplit(['.', ',', ';', ':', '(', '"']).next().unwrap_or_default();
    if clause.split_whitespace().any(|word| suppositions.contains(&word)) {
        return true;
    }
    let mut words = clause.split_whitespace().rev().skip_while(|word| fillers.contains(word));
    clause.ends_with(char::is_whitespace) && words.next().is_some_and(|word| denials.contains(&word))
}
