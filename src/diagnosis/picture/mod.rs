//! A picture of the run: who failed first and who followed, and what the log says of memory, loss and throughput over
//! time, with the failure marked.
//!
//! Made only when somebody asks for it: [`RunPicture::of`] reads the text once more, in linear time. What it holds is
//! bounded ([`MOST_POINTS`], [`MOST_CURVES`], [`MOST_RANKS`]), however long the log is. A plot says in a sentence what
//! it shows only if a rule of [`Finding`] finds it; most curves show nothing. `render::plot` draws it.

mod plots;
mod shows;
#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod tests;
mod timeline;

use serde::Serialize;

use super::Diagnosis;
use crate::amounts::{duration, size, thousands};
use crate::incident::{Incident, readings};
use crate::text::Transcript;

/// The most points of a curve; of more, each stretch of the curve keeps its lowest and its highest.
pub const MOST_POINTS: usize = 400;
/// The most curves of a plot.
pub const MOST_CURVES: usize = 8;
/// The most ranks of a timeline.
pub const MOST_RANKS: usize = 256;

/// What a log shows of a run over time.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunPicture {
    /// Who wrote when; `null` where the log shows neither ranks nor a silence.
    pub timeline: Option<Timeline>,
    /// What was printed over time: memory first, then loss, throughput, gradient norm, learning rate.
    pub plots: Vec<Plot>,
}

/// When each rank wrote, and when it failed.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Timeline {
    /// `seconds` since the first time stamp, or `line` in a log without time stamps.
    pub axis: Axis,
    /// Where the axis begins and ends.
    pub start: f64,
    /// Where the axis ends.
    pub end: f64,
    /// The ranks: the one that failed first, the one that the sentence calls late, those that failed in their order, then
    /// the others.
    pub ranks: Vec<RankSpan>,
    /// How many ranks more the log has.
    pub more: usize,
    /// How many of them failed.
    pub more_failed: usize,
    /// Stretches in which nobody wrote, the longest five, in their order.
    pub gaps: Vec<Gap>,
    /// What it shows.
    pub shows: Option<Observation>,
}

/// The lines of one rank.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RankSpan {
    /// "rank 3", or the name of a pod or a process.
    pub name: String,
    /// Its number, where known.
    pub rank: Option<u32>,
    /// Its first line.
    pub first: Moment,
    /// Its last line.
    pub last: Moment,
    /// The last step that it printed.
    pub step: Option<f64>,
    /// Its first failure.
    pub failure: Option<Mark>,
}

/// A place in the log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Moment {
    /// On the timeline's axis.
    pub at: f64,
    /// Physical line.
    pub line: u32,
}

/// A failure on a timeline.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Mark {
    /// When.
    pub moment: Moment,
    /// Whether it is the primary failure.
    pub is_primary: bool,
    /// The error in a few words.
    pub says: String,
}

/// A stretch of silence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Gap {
    /// The last line before it.
    pub from: Moment,
    /// The first line after it.
    pub to: Moment,
}

/// One or several curves over one axis.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Plot {
    /// What is drawn.
    pub kind: PlotKind,
    /// The same for readers: "GPU memory".
    pub title: String,
    /// `bytes`, `steps/s`, `tokens/s`, `samples/s`; empty for plain numbers.
    pub unit: String,
    /// What the curves are drawn over.
    pub axis: Axis,
    /// The curves; memory in the order used, reserved, allocated, free.
    pub curves: Vec<Curve>,
    /// How many curves more the log has.
    pub more: usize,
    /// What memory can reach: the GPU's size, where the log says it.
    pub limit: Option<f64>,
    /// Where on the axis the primary failure is.
    pub failure: Option<f64>,
    /// What it shows.
    pub shows: Option<Observation>,
}

/// What a plot draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PlotKind {
    /// Memory of the GPU.
    Memory,
    /// Memory of the processes on the host.
    HostMemory,
    /// Loss, of training and of validation.
    Loss,
    /// Steps, tokens or samples per second.
    Throughput,
    /// The norm of the gradient.
    GradientNorm,
    /// The learning rate.
    LearningRate,
}

/// What curves are drawn over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// Optimizer steps as the log counts them.
    Step,
    /// Epochs.
    Epoch,
    /// Seconds since the first time stamp of the log.
    Seconds,
    /// Physical lines.
    #[default]
    Line,
}

/// One curve.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Curve {
    /// The name in the log, with the rank or the GPU where there are several.
    pub name: String,
    /// Whose it is.
    pub rank: Option<u32>,
    /// How many readings it was made from.
    pub readings: usize,
    /// At most 400, in order: of more readings, each stretch keeps its lowest and its highest.
    pub points: Vec<Point>,
}

/// One reading.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Point {
    /// On the axis.
    pub x: f64,
    /// In the plot's unit; `null` for NaN and infinity.
    pub y: Option<f64>,
    /// Physical line.
    pub line: u32,
}

/// What a plot shows, and by which rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Observation {
    /// The rule.
    pub finding: Finding,
    /// In a sentence.
    pub says: String,
}

/// The rules by which a plot shows something. Trends are taken from the medians of at most forty stretches of a curve, so
/// that single readings do not count, and the first quarter is skipped as warm-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Finding {
    /// Memory rises by more than 12 % of its last value, in four of five stretches, and still in the second half: a leak
    /// rises like this.
    RisingMemory,
    /// What is reserved and not allocated became half as much again, and is at least a tenth of what is reserved and
    /// 512 MiB; or the failed allocation was smaller than that: fragmentation.
    Fragmentation,
    /// The last reading of memory is a third above the median of those before it, and a tenth above all of them.
    MemoryJump,
    /// A value is NaN or infinite, and remains so to the end.
    NotFinite,
    /// The last three readings or more are exactly zero after others that are not.
    Zero,
    /// The last two stretches are three times as high as the lowest before them (ten times for the gradient norm), and
    /// half as high again as the median of all.
    Diverging,
    /// The median of the last fifth is at most 70 % of that of the fifth after the warm-up.
    Slowdown,
    /// One rank's median is at most 80 % of the median of all ranks, of which there are three or more; or its last step is
    /// two or more behind that of every other rank; or, where no step tells, it did not fail first and wrote its last line
    /// a minute or more before every other of three or more ranks.
    Straggler,
    /// One rank failed first, and others after it.
    FirstFailure,
    /// Nobody wrote for a minute or more, and for twenty times the median time between lines.
    Silence,
}

impl RunPicture {
    /// The picture of a run. `original` is the text from which the transcript was made: of a progress bar, a transcript
    /// has only the last state. Nothing where the log has no time, no rank and no readings.
    pub fn of(
        transcript: &Transcript,
        incident: &Incident,
        diagnosis: &Diagnosis,
        original: &[u8],
    ) -> Option<RunPicture> {
        let readings = readings(transcript, incident, original);
        let scene = Scene::of(transcript, incident, diagnosis);
        let picture = RunPicture { timeline: timeline::read(&scene, &readings), plots: plots::read(&scene, &readings) };
        (picture.timeline.is_some() || !picture.plots.is_empty()).then_some(picture)
    }

    /// What its parts show, in their order.
    pub fn shown(&self) -> impl Iterator<Item = &Observation> {
        let timeline = self.timeline.iter().filter_map(|timeline| timeline.shows.as_ref());
        timeline.chain(self.plots.iter().filter_map(|plot| plot.shows.as_ref()))
    }
}

/// What the parts of a picture are made from.
struct Scene<'a> {
    transcript: &'a Transcript,
    incident: &'a Incident,
    diagnosis: &'a Diagnosis,
    /// The primary failure: physical line, writer, time.
    failure: Option<Failing>,
    /// The first time stamp.
    start: Option<f64>,
}

#[derive(Debug, Clone, Copy)]
struct Failing {
    line: u32,
    rank: Option<u32>,
    source: Option<u32>,
    time: Option<f64>,
}

impl<'a> Scene<'a> {
    fn of(transcript: &'a Transcript, incident: &'a Incident, diagnosis: &'a Diagnosis) -> Self {
        let start = transcript
            .lines()
            .filter_map(|line| line.prefix.time)
            .fold(None, |least: Option<f64>, time| Some(least.map_or(time, |least| least.min(time))));
        let fault = diagnosis.fault.as_ref().map(|fault| (fault.span, fault.rank));
        let place = fault.or(diagnosis.error.as_ref().map(|error| (error.span, error.rank)));
        let failure = place.map(|(span, rank)| {
            let index = index_of(transcript, span.start.line);
            let prefix = (index < transcript.len()).then(|| transcript.line(index).prefix);
            let error = incident.errors.iter().find(|error| error.lines.contains(&index));
            let rank = rank.or(prefix.and_then(|prefix| prefix.rank));
            Failing {
                line: span.start.line,
                rank: rank.or(error.and_then(|error| error.rank)),
                source: prefix.and_then(|prefix| prefix.source),
                time: prefix
                    .and_then(|prefix| prefix.time)
                    .or(error.and_then(|error| error.time))
                    .or_else(|| time_before(transcript, index, prefix.and_then(|prefix| prefix.rank))),
            }
        });
        Self { transcript, incident, diagnosis, failure, start }
    }
}

/// The index of the first clean line of a physical line.
fn index_of(transcript: &Transcript, line: u32) -> usize {
    let (mut low, mut high) = (0, transcript.len());
    while low < high {
        let middle = usize::midpoint(low, high);
        if transcript.line(middle).number < line { low = middle + 1 } else { high = middle }
    }
    low
}

/// The time of the last stamped line of a rank above a line; the lines of a traceback have none.
fn time_before(transcript: &Transcript, index: usize, rank: Option<u32>) -> Option<f64> {
    const REACH: usize = 1000;
    let lines = (index.saturating_sub(REACH)..index.min(transcript.len())).rev().map(|at| transcript.line(at));
    lines.filter(|line| line.prefix.rank == rank).find_map(|line| line.prefix.time)
}

/// An amount in a plot's unit, in words.
pub(crate) fn amount(value: f64, unit: &str) -> String {
    match unit {
        "bytes" => size(value),
        "" => figure(value),
        unit => format!("{} {unit}", figure(value)),
    }
}

/// A number with three digits that count.
pub(crate) fn figure(value: f64) -> String {
    let magnitude = value.abs();
    if !value.is_finite() {
        return "NaN".to_owned();
    }
    if magnitude != 0.0 && !(1e-3..1e6).contains(&magnitude) {
        return format!("{value:.1e}");
    }
    let digits = match magnitude {
        m if m >= 100.0 => 0,
        m if m >= 10.0 => 1,
        m if m >= 1.0 => 2,
        m if m >= 0.1 => 3,
        _ => 4,
    };
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A place on an axis in words: "step 410", "line 12", "29 min".
pub(crate) fn place(at: f64, axis: Axis) -> String {
    match axis {
        Axis::Step => format!("step {}", count(at)),
        Axis::Epoch => format!("epoch {}", figure(at)),
        Axis::Seconds => duration(at),
        Axis::Line => format!("line {}", count(at)),
    }
}

/// A whole number with commas between its thousands, from 10,000 on.
fn count(value: f64) -> String {
    match value.abs() {
        many if many >= 10_000.0 => format!("{}{}", if value < 0.0 { "-" } else { "" }, thousands(many.round() as u64)),
        _ => format!("{value:.0}"),
    }
}
