//! What a plot shows, in a sentence: the rules of [`Finding`], and silence where none of them fits.

use super::plots::Line;
use super::{Axis, Finding, Observation, PlotKind, Scene, amount, count, figure, place};
use crate::amounts::size;
use crate::incident::growth::rises;
use crate::incident::{Readings, Series};
use crate::text::words::capital;
use crate::wording::Quantity;

/// Fewer readings are no trend.
const FEWEST: usize = 6;
/// The most stretches that a trend is taken from.
const STRETCHES: usize = 40;
const MIB_512: f64 = 512.0 * 1_048_576.0;

/// The sentence, and the rank that it is about.
pub(super) type Found = (Observation, Option<u32>);

/// What the curves of a plot show.
pub(super) fn of(
    kind: PlotKind,
    unit: &str,
    axis: Axis,
    lines: &[Line<'_>],
    scene: &Scene<'_>,
    readings: &Readings,
) -> Option<Found> {
    match kind {
        PlotKind::Memory | PlotKind::HostMemory => memory(axis, lines, scene, readings),
        PlotKind::Loss => {
            lines.iter().find_map(|line| not_finite(line, axis).or_else(|| zero(line, axis))).or_else(|| {
                let trained = lines.iter().filter(|line| line.series.quantity == Quantity::Loss);
                trained.into_iter().find_map(|line| diverging(line, axis, 3.0))
            })
        }
        PlotKind::GradientNorm => {
            lines.iter().find_map(|line| not_finite(line, axis).or_else(|| diverging(line, axis, 10.0)))
        }
        PlotKind::Throughput => {
            straggler(lines, unit).or_else(|| lines.iter().find_map(|line| slowdown(line, axis, unit)))
        }
        PlotKind::LearningRate => None,
    }
}

/// A curve as the medians of its stretches.
struct Trend {
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Trend {
    fn of(x: &[f64], y: &[f64]) -> Option<Self> {
        let finite: Vec<(f64, f64)> = x.iter().copied().zip(y.iter().copied()).filter(|(_, y)| y.is_finite()).collect();
        if finite.len() < FEWEST {
            return None;
        }
        let count = finite.len().min(STRETCHES);
        let mut trend = Self { x: Vec::with_capacity(count), y: Vec::with_capacity(count) };
        for at in 0..count {
            let part = finite.get(at * finite.len() / count..(at + 1) * finite.len() / count)?;
            trend.x.push(part.get(part.len() / 2)?.0);
            trend.y.push(median(part.iter().map(|(_, y)| *y))?);
        }
        Some(trend)
    }

    /// Without the first quarter.
    fn warm(&self) -> (&[f64], &[f64]) {
        let from = self.y.len() / 4;
        (self.x.get(from..).unwrap_or_default(), self.y.get(from..).unwrap_or_default())
    }
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

fn memory(axis: Axis, lines: &[Line<'_>], scene: &Scene<'_>, readings: &Readings) -> Option<Found> {
    let rising = |line: &&Line<'_>| Trend::of(&line.x, &line.y).is_some_and(|trend| rises(&trend.y));
    let of = |quantity: Quantity| move |line: &&Line<'_>| line.series.quantity == quantity;
    if let Some(jump) = lines.iter().find_map(|line| jump(line, axis)) {
        return Some(jump);
    }
    if let Some(line) = lines.iter().filter(of(Quantity::Allocated)).find(rising) {
        return leak(line, axis, lines, readings);
    }
    fragmentation(axis, lines, scene).or_else(|| {
        let other = lines.iter().filter(|line| line.series.quantity != Quantity::Free);
        leak(other.into_iter().find(rising)?, axis, lines, readings)
    })
}

/// "Allocated memory of rank 3".
fn subject(line: &Line<'_>, lines: &[Line<'_>]) -> String {
    let noun = match line.series.quantity {
        Quantity::Allocated => "Allocated memory",
        Quantity::Reserved => "Reserved memory",
        Quantity::Host => "Host memory",
        Quantity::Free => "Free memory",
        _ => "Memory in use",
    };
    match line.series.rank {
        Some(rank) if lines.iter().any(|other| other.series.rank != line.series.rank) => {
            format!("{noun} of rank {rank}")
        }
        _ => noun.to_owned(),
    }
}

fn leak(line: &Line<'_>, axis: Axis, lines: &[Line<'_>], readings: &Readings) -> Option<Found> {
    let trend = Trend::of(&line.x, &line.y)?;
    let (x, y) = trend.warm();
    let (first, last) = (*y.first()?, *y.last()?);
    let span = x.last()? - x.first()?;
    let per = pace((last - first) / span, span, axis).map(|pace| format!(" by {pace}")).unwrap_or_default();
    let batch = match readings.batch_sizes.as_slice() {
        [] => String::new(),
        [one] => format!(", at a batch size of {}", figure(*one)),
        [first, .., last] => format!(", while the batch size goes from {} to {}", figure(*first), figure(*last)),
    };
    let like = if readings.batch_sizes.len() > 1 { "" } else { ": a leak rises like this" };
    let says = format!("{} rises{per}, from {} to {}{batch}{like}.", subject(line, lines), size(first), size(last));
    Some((Observation { finding: Finding::RisingMemory, says }, line.series.rank))
}

/// "1.2 GiB every 100 steps".
fn pace(slope: f64, span: f64, axis: Axis) -> Option<String> {
    if !slope.is_finite() {
        return None;
    }
    match axis {
        Axis::Step => {
            // The largest power of ten that the curve holds three times.
            let every = 10f64.powf((span / 3.0).log10().floor()).max(1.0);
            let steps = if every > 1.0 { format!("every {} steps", count(every)) } else { "per step".to_owned() };
            Some(format!("{} {steps}", size(slope * every)))
        }
        Axis::Epoch => Some(format!("{} per epoch", size(slope))),
        Axis::Seconds if span > 10_800.0 => Some(format!("{} per hour", size(slope * 3600.0))),
        Axis::Seconds => Some(format!("{} per minute", size(slope * 60.0))),
        Axis::Line => None,
    }
}

fn fragmentation(axis: Axis, lines: &[Line<'_>], scene: &Scene<'_>) -> Option<Found> {
    let facts = &scene.diagnosis.environment;
    let is_peak = |series: &Series| ["max", "peak"].iter().any(|word| series.label.contains(word));
    let fits = |one: &Series, other: &Series| {
        (one.rank, one.source, one.device, is_peak(one)) == (other.rank, other.source, other.device, is_peak(other))
    };
    let pairs = lines.iter().filter(|line| line.series.quantity == Quantity::Reserved).filter_map(|reserved| {
        let allocated =
            |line: &&Line<'_>| line.series.quantity == Quantity::Allocated && fits(line.series, reserved.series);
        Some((reserved, lines.iter().find(allocated)?))
    });
    for (reserved, allocated) in pairs {
        let (x, gap): (Vec<f64>, Vec<f64>) = gaps(reserved, allocated).into_iter().unzip();
        let Some(trend) = Trend::of(&x, &gap) else { continue };
        let (x, gap) = trend.warm();
        let (first, last) = (*gap.first()?, *gap.last()?);
        let all = *reserved.y.last()?;
        if last >= 1.5 * first && last >= 0.1 * all && last >= MIB_512 {
            let (from, to) = (place(*x.first()?, axis), place(*x.last()?, axis));
            let says = format!(
                "What is reserved and not allocated grows from {} at {from} to {} at {to}: fragmentation.",
                size(first),
                size(last)
            );
            return Some((Observation { finding: Finding::Fragmentation, says }, reserved.series.rank));
        }
        if let (Some(unused), Some(asked)) = (facts.number("oom.reserved_unallocated"), facts.number("oom.requested"))
            && unused >= asked
            && asked > 0.0
        {
            let says = format!(
                "At the failure {} were reserved and not allocated, more than the {} asked for: fragmentation.",
                size(unused),
                size(asked)
            );
            return Some((Observation { finding: Finding::Fragmentation, says }, reserved.series.rank));
        }
    }
    None
}

/// The differences of two curves on the lines that have both.
fn gaps(reserved: &Line<'_>, allocated: &Line<'_>) -> Vec<(f64, f64)> {
    let mut others = allocated.series.values.iter().peekable();
    let mut gaps = Vec::new();
    for ((row, value), x) in reserved.series.values.iter().zip(&reserved.x) {
        while others.next_if(|(other, _)| other < row).is_some() {}
        if let Some((other, used)) = others.peek()
            && other == row
        {
            gaps.push((*x, (value - used).max(0.0)));
        }
    }
    gaps
}

fn jump(line: &Line<'_>, axis: Axis) -> Option<Found> {
    let (last, before) = line.y.split_last()?;
    if before.len() + 1 < FEWEST || line.series.quantity == Quantity::Free {
        return None;
    }
    let usual = median(before.iter().copied())?;
    let highest = before.iter().copied().fold(f64::MIN, f64::max);
    if *last < usual * 4.0 / 3.0 || *last < highest * 1.1 || rises(before) {
        return None;
    }
    let says = format!(
        "The last reading, at {}, is {}; those before it are around {}.",
        place(*line.x.last()?, axis),
        size(*last),
        size(usual)
    );
    Some((Observation { finding: Finding::MemoryJump, says }, line.series.rank))
}

fn not_finite(line: &Line<'_>, axis: Axis) -> Option<Found> {
    let last_finite = line.y.iter().rposition(|y| y.is_finite());
    let from = last_finite.map_or(0, |at| at + 1);
    let x = place(*line.x.get(from)?, axis);
    let name = capital(&line.name);
    let says = match last_finite.and_then(|at| Some((line.y.get(at)?, line.x.get(at)?))) {
        Some((y, before)) => {
            format!("{name} is not finite from {x} on; it was {} at {}.", figure(*y), place(*before, axis))
        }
        None => format!("{name} is not finite from its first reading on, {x}."),
    };
    Some((Observation { finding: Finding::NotFinite, says }, line.series.rank))
}

fn zero(line: &Line<'_>, axis: Axis) -> Option<Found> {
    let zeros = line.y.iter().rev().take_while(|y| **y == 0.0).count();
    let from = line.y.len() - zeros;
    if zeros < 3 || from == 0 {
        return None;
    }
    let says = format!("{} is exactly zero from {} on.", capital(&line.name), place(*line.x.get(from)?, axis));
    Some((Observation { finding: Finding::Zero, says }, line.series.rank))
}

fn diverging(line: &Line<'_>, axis: Axis, times: f64) -> Option<Found> {
    let trend = Trend::of(&line.x, &line.y)?;
    let (end, before) = trend.y.split_at_checked(trend.y.len() - 2).map(|(before, end)| (end, before))?;
    let lowest = before.iter().copied().enumerate().min_by(|(_, a), (_, b)| a.total_cmp(b))?;
    let usual = median(trend.y.iter().copied())?;
    let is_high = |y: &f64| *y >= times * lowest.1 && *y >= 1.5 * usual;
    if lowest.1 <= 0.0 || !end.iter().all(is_high) {
        return None;
    }
    let says = format!(
        "{} rises from {} at {} to {} at {}: it diverges.",
        capital(&line.name),
        figure(lowest.1),
        place(*trend.x.get(lowest.0)?, axis),
        figure(*end.last()?),
        place(*trend.x.last()?, axis)
    );
    Some((Observation { finding: Finding::Diverging, says }, line.series.rank))
}

fn slowdown(line: &Line<'_>, axis: Axis, unit: &str) -> Option<Found> {
    let trend = Trend::of(&line.x, &line.y)?;
    let (x, y) = trend.warm();
    let fifth = (y.len() / 5).max(1);
    let first = median(y.get(..fifth)?.iter().copied())?;
    let last = median(y.get(y.len() - fifth..)?.iter().copied())?;
    if last > 0.7 * first {
        return None;
    }
    let says = format!(
        "Throughput falls from {} at {} to {} at {}.",
        amount(first, unit),
        place(*x.first()?, axis),
        amount(last, unit),
        place(*x.last()?, axis)
    );
    Some((Observation { finding: Finding::Slowdown, says }, line.series.rank))
}

fn straggler(lines: &[Line<'_>], unit: &str) -> Option<Found> {
    let label = &lines.first()?.series.label;
    let of_rank =
        |line: &Line<'_>| Some((line.series.rank?, median(line.y.iter().copied().filter(|y| y.is_finite()))?));
    let ranks: Vec<(u32, f64)> = lines.iter().filter(|line| line.series.label == *label).filter_map(of_rank).collect();
    if ranks.len() < 3 {
        return None;
    }
    let usual = median(ranks.iter().map(|(_, rate)| *rate))?;
    let (rank, slowest) = ranks.iter().copied().min_by(|(_, a), (_, b)| a.total_cmp(b))?;
    if slowest > 0.8 * usual {
        return None;
    }
    let says = format!(
        "Rank {rank} makes {}, the median of the {} ranks is {}: a straggler.",
        amount(slowest, unit),
        ranks.len(),
        figure(usual)
    );
    Some((Observation { finding: Finding::Straggler, says }, Some(rank)))
}
