//! Who wrote when: the first and the last line of each rank, its first failure, and stretches in which nobody wrote.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{Axis, Failing, Finding, Gap, MOST_RANKS, Mark, Moment, Observation, RankSpan, Scene, Timeline};
use crate::amounts::duration;
use crate::incident::{ErrorEvent, Readings};
use crate::text::words::capital;

/// The shortest silence in seconds.
const SILENCE: f64 = 60.0;
/// How many times as long as the usual time between lines a silence is.
const USUAL: f64 = 20.0;
/// Of more writers, as processes that start again and again are, the later ones are only counted.
const MOST_WRITERS: usize = 32_768;
/// The most silences that are kept.
const MOST_GAPS: usize = 5;

/// A rank, or the source of lines without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Writer {
    Rank(u32),
    Source(u32),
}

pub(super) fn read(scene: &Scene<'_>, readings: &Readings) -> Option<Timeline> {
    let times = times(scene);
    let axis = if times.len() >= 2 { Axis::Seconds } else { Axis::Line };
    let start = scene.start.unwrap_or(0.0);
    let (first, last) = ends(scene, axis, &times);
    let (mut spans, undrawn) = spans(scene, axis, start, last);
    let mut failures = failures(scene, axis, start, &spans);
    let steps = readings.last_steps();
    for (writer, span) in &mut spans {
        span.failure = failures.remove(writer);
        span.step = if let Writer::Rank(rank) = writer { steps.get(rank).copied() } else { None };
    }
    let gaps = if axis == Axis::Seconds { gaps(&times) } else { Vec::new() };
    let mut ranks: Vec<RankSpan> = spans.into_values().collect();
    if ranks.len() < 2 {
        ranks.clear();
    }
    if ranks.is_empty() && gaps.is_empty() {
        return None;
    }
    let order = |span: &RankSpan| match &span.failure {
        Some(mark) if mark.is_primary => (0, 0.0),
        Some(mark) => (1, mark.moment.at),
        None => (2, 0.0),
    };
    ranks.sort_by(|a, b| {
        let ((one, when), (other, then)) = (order(a), order(b));
        one.cmp(&other).then(when.total_cmp(&then)).then(a.rank.cmp(&b.rank)).then_with(|| a.name.cmp(&b.name))
    });
    let mut timeline = Timeline { axis, start: first, end: last, gaps, ranks, ..Timeline::default() };
    let behind = straggler(&timeline);
    timeline.shows = shows(&timeline, behind.as_ref().map(|(_, says)| says.clone()), undrawn > 0);
    // The rank that the others waited for is shown below the one that failed first, whatever is left out.
    if let Some((place, _)) = behind {
        let span = timeline.ranks.remove(place);
        let is_first = |first: &RankSpan| first.failure.as_ref().is_some_and(|mark| mark.is_primary);
        let below = usize::from(timeline.ranks.first().is_some_and(is_first));
        timeline.ranks.insert(below, span);
    }
    timeline.more = timeline.ranks.len().saturating_sub(MOST_RANKS) + undrawn;
    timeline.more_failed = timeline.ranks.iter().skip(MOST_RANKS).filter(|span| span.failure.is_some()).count();
    timeline.ranks.truncate(MOST_RANKS);
    Some(timeline)
}

/// The stamped lines: seconds since the first stamp, physical line. Steps back in time are left out, unless what they step
/// back from is a few stamps that the ones after them contradict.
fn times(scene: &Scene<'_>) -> Vec<Moment> {
    const MOST_WRONG: usize = 3;
    let start = scene.start.unwrap_or(0.0);
    let stamped = scene.transcript.lines().filter_map(|line| Some((line.prefix.time? - start, line.number)));
    let mut kept: Vec<Moment> = Vec::new();
    // Stamps in a row before the last one that is kept.
    let mut back: Vec<Moment> = Vec::new();
    for moment in stamped.map(|(at, line)| Moment { at, line }) {
        if kept.last().is_none_or(|last| moment.at >= last.at) {
            back.clear();
            kept.push(moment);
            continue;
        }
        if back.last().is_some_and(|last| moment.at < last.at) {
            back.clear();
        }
        back.push(moment);
        let wrong = kept.iter().rev().take(MOST_WRONG + 1).take_while(|one| one.at > back[0].at).count();
        if back.len() > MOST_WRONG && back.len() > wrong && wrong <= MOST_WRONG {
            kept.truncate(kept.len() - wrong);
            kept.append(&mut back);
        }
    }
    kept
}

fn ends(scene: &Scene<'_>, axis: Axis, times: &[Moment]) -> (f64, f64) {
    match axis {
        Axis::Seconds => (times.first().map_or(0.0, |moment| moment.at), times.last().map_or(0.0, |moment| moment.at)),
        _ => (1.0, f64::from(scene.transcript.physical_lines().max(1))),
    }
}

/// When each of the first writers wrote, and of the one whose failure is the primary one; how many others there are.
fn spans(scene: &Scene<'_>, axis: Axis, start: f64, end: f64) -> (BTreeMap<Writer, RankSpan>, usize) {
    let has_ranks = scene.transcript.streams().iter().any(|stream| stream.rank.is_some());
    let primary = scene.failure.and_then(|failing| writer_of(failing.rank, failing.source));
    let (mut spans, mut others): (BTreeMap<Writer, RankSpan>, _) = (BTreeMap::new(), HashSet::new());
    for line in scene.transcript.lines() {
        let writer = match (line.prefix.rank, line.prefix.source) {
            (Some(rank), _) => Writer::Rank(rank),
            (None, Some(source)) if !has_ranks => Writer::Source(source),
            _ => continue,
        };
        let at = match axis {
            Axis::Seconds => line.prefix.time.map(|time| time - start),
            _ => Some(f64::from(line.number)),
        };
        // A stamp beyond the axis is one that the others contradict.
        let Some(at) = at.filter(|at| *at <= end) else { continue };
        let moment = Moment { at, line: line.number };
        if spans.len() >= MOST_WRITERS && primary != Some(writer) && !spans.contains_key(&writer) {
            others.insert(writer);
            continue;
        }
        let span = spans.entry(writer).or_insert_with(|| RankSpan {
            name: name(scene, writer),
            rank: if let Writer::Rank(rank) = writer { Some(rank) } else { None },
            first: moment,
            last: moment,
            ..RankSpan::default()
        });
        if at >= span.last.at {
            span.last = moment;
        }
    }
    (spans, others.len())
}

fn name(scene: &Scene<'_>, writer: Writer) -> String {
    match writer {
        Writer::Rank(rank) => format!("rank {rank}"),
        Writer::Source(source) => scene.transcript.sources().get(source as usize).cloned().unwrap_or_default(),
    }
}

/// The first failure of each writer that is drawn; of the one that failed first, the primary failure.
fn failures(scene: &Scene<'_>, axis: Axis, start: f64, drawn: &BTreeMap<Writer, RankSpan>) -> HashMap<Writer, Mark> {
    let mut failures: HashMap<Writer, Mark> = HashMap::new();
    let primary = scene.failure.and_then(|failing| Some((writer_of(failing.rank, failing.source)?, failing)));
    if let Some((writer, Failing { line, time, .. })) = primary {
        let at = if axis == Axis::Seconds { time.map(|time| time - start) } else { Some(f64::from(line)) };
        let error = scene.diagnosis.error.as_ref();
        let fault = scene.diagnosis.fault.as_ref().map(|fault| fault.title.clone());
        let says = fault.or(error.map(|error| short(&error.type_name, &error.message))).unwrap_or_default();
        if let Some(at) = at {
            failures.insert(writer, Mark { moment: Moment { at, line }, is_primary: true, says });
        }
    }
    for error in scene.incident.errors.iter().filter(|error| error.fatal) {
        let line = scene.transcript.line(error.headline);
        let Some(writer) = writer_of(error.rank.or(line.prefix.rank), line.prefix.source) else { continue };
        if failures.contains_key(&writer) || !drawn.contains_key(&writer) {
            continue;
        }
        let at = match axis {
            Axis::Seconds => time_of(scene, error).map(|time| time - start),
            _ => Some(f64::from(line.number)),
        };
        if let Some(at) = at {
            let says = short(&error.type_name, &error.message);
            failures.insert(writer, Mark { moment: Moment { at, line: line.number }, is_primary: false, says });
        }
    }
    failures
}

fn time_of(scene: &Scene<'_>, error: &ErrorEvent) -> Option<f64> {
    let line = scene.transcript.line(error.headline);
    let above = || super::time_before(scene.transcript, error.headline, line.prefix.rank);
    error.time.or(line.prefix.time).or_else(above)
}

fn writer_of(rank: Option<u32>, source: Option<u32>) -> Option<Writer> {
    rank.map(Writer::Rank).or(source.map(Writer::Source))
}

/// An error in a few words.
fn short(type_name: &str, message: &str) -> String {
    const MOST: usize = 80;
    let line = message.lines().next().unwrap_or_default();
    let words = match (type_name, line) {
        ("", line) => line.to_owned(),
        (name, "") => name.to_owned(),
        (name, line) if line.starts_with(name) => line.to_owned(),
        (name, line) => format!("{name}: {line}"),
    };
    if words.chars().count() <= MOST { words } else { words.chars().take(MOST - 3).chain("...".chars()).collect() }
}

/// The longest silences, in their order.
fn gaps(times: &[Moment]) -> Vec<Gap> {
    let mut between: Vec<f64> =
        times.windows(2).map(|pair| pair[1].at - pair[0].at).filter(|seconds| *seconds > 0.0).collect();
    between.sort_by(f64::total_cmp);
    let usual = between.get(between.len() / 2).copied().unwrap_or(0.0);
    // Of two times between lines, the median says nothing.
    let least = if between.len() < 4 { SILENCE } else { SILENCE.max(USUAL * usual) };
    let mut gaps: Vec<Gap> = times
        .windows(2)
        .filter(|pair| pair[1].at - pair[0].at >= least)
        .map(|pair| Gap { from: pair[0], to: pair[1] })
        .collect();
    gaps.sort_by(|a, b| (b.to.at - b.from.at).total_cmp(&(a.to.at - a.from.at)));
    gaps.truncate(MOST_GAPS);
    gaps.sort_by(|a, b| a.from.at.total_cmp(&b.from.at));
    gaps
}

fn shows(timeline: &Timeline, behind: Option<String>, has_more: bool) -> Option<Observation> {
    let first = first_failure(timeline, has_more);
    let silence = silence(timeline);
    let finding = match (&first, &behind) {
        (_, Some(_)) => Finding::Straggler,
        (Some(_), None) => Finding::FirstFailure,
        (None, None) => Finding::Silence,
    };
    let says: Vec<String> = [first, behind, silence].into_iter().flatten().collect();
    (!says.is_empty()).then(|| Observation { finding, says: says.join(" ") })
}

/// `has_more`: whether there are writers that the timeline does not have.
fn first_failure(timeline: &Timeline, has_more: bool) -> Option<String> {
    let first = timeline.ranks.iter().find(|span| span.failure.as_ref().is_some_and(|mark| mark.is_primary))?;
    let mark = first.failure.as_ref()?;
    let others: Vec<f64> = timeline
        .ranks
        .iter()
        .filter_map(|span| span.failure.as_ref())
        .filter(|other| !other.is_primary)
        .map(|other| other.moment.at)
        .collect();
    let last = others.iter().copied().fold(mark.moment.at, f64::max);
    let within = match timeline.axis {
        Axis::Seconds if last > mark.moment.at => format!(" within {}", duration(last - mark.moment.at)),
        _ => String::new(),
    };
    let name = capital(&first.name);
    match others.len() {
        0 => None,
        count if has_more => Some(format!("{name} failed first, at least {count} others followed{within}.")),
        1 => Some(format!("{name} failed first, one other followed{within}.")),
        count => Some(format!("{name} failed first, {count} others followed{within}.")),
    }
}

/// The place of the rank that stopped before all others, and the sentence about it.
fn straggler(timeline: &Timeline) -> Option<(usize, String)> {
    let place = |span: &RankSpan| timeline.ranks.iter().position(|other| other == span);
    let steps: Vec<(&RankSpan, f64)> = timeline.ranks.iter().filter_map(|span| Some((span, span.step?))).collect();
    if steps.len() >= 2 {
        let (span, least) = steps.iter().copied().min_by(|(_, a), (_, b)| a.total_cmp(b))?;
        let next = steps.iter().filter(|(other, _)| *other != span).map(|(_, step)| *step).fold(f64::MAX, f64::min);
        if next >= least + 2.0 {
            let others = if steps.len() > 2 { "the others" } else { "the other" };
            let (least, next) = (super::count(least), super::count(next));
            let says = format!("{}'s last step is {least}, {others} reached {next}.", capital(&span.name));
            return Some((place(span)?, says));
        }
    }
    if timeline.axis != Axis::Seconds || timeline.ranks.len() < 3 {
        return None;
    }
    let span = timeline.ranks.iter().min_by(|a, b| a.last.at.total_cmp(&b.last.at))?;
    let is_first = span.failure.as_ref().is_some_and(|mark| mark.is_primary);
    let next = timeline.ranks.iter().filter(|other| *other != span).map(|other| other.last.at).fold(f64::MAX, f64::min);
    if is_first || next - span.last.at < SILENCE {
        return None;
    }
    let earlier = duration(next - span.last.at);
    Some((place(span)?, format!("{} wrote its last line {earlier} before any other.", capital(&span.name))))
}

fn silence(timeline: &Timeline) -> Option<String> {
    let longest = timeline.gaps.iter().max_by(|a, b| (a.to.at - a.from.at).total_cmp(&(b.to.at - b.from.at)))?;
    let long = duration(longest.to.at - longest.from.at);
    Some(format!("Nobody wrote for {long} after line {}.", longest.from.line))
}
