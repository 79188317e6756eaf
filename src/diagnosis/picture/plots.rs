//! From series of readings to plots: which belong together, what they are drawn over, how many points are kept.

use std::collections::BTreeMap;

use super::{Axis, Curve, Failing, MOST_CURVES, MOST_POINTS, Plot, PlotKind, Point, Scene, shows};
use crate::incident::{Readings, Row, Series};
use crate::wording::Quantity;

/// Fewer readings are no curve.
const FEWEST: usize = 3;

/// A plot's kind and unit.
type Group = (PlotKind, &'static str);

/// One curve before it is thinned out: all readings.
pub(super) struct Line<'r> {
    pub(super) series: &'r Series,
    pub(super) name: String,
    pub(super) x: Vec<f64>,
    pub(super) y: Vec<f64>,
    pub(super) lines: Vec<u32>,
}

pub(super) fn read(scene: &Scene<'_>, readings: &Readings) -> Vec<Plot> {
    let mut groups: BTreeMap<Group, Vec<&Series>> = BTreeMap::new();
    for series in readings.series.iter().filter(|series| series.values.len() >= FEWEST) {
        if let Some(group) = group(series.quantity) {
            groups.entry(group).or_default().push(series);
        }
    }
    let mut plots = Vec::new();
    for (group, series) in groups {
        let dropped = readings.dropped(FEWEST).filter(|quantity| self::group(*quantity) == Some(group)).count();
        let plot = plot(scene, readings, group, series);
        plots.extend(plot.map(|plot| Plot { more: plot.more + dropped, ..plot }));
    }
    plots
}

fn group(quantity: Quantity) -> Option<Group> {
    Some(match quantity {
        Quantity::Allocated | Quantity::Reserved | Quantity::Used | Quantity::Free => (PlotKind::Memory, "bytes"),
        Quantity::Host => (PlotKind::HostMemory, "bytes"),
        Quantity::Loss | Quantity::ValidationLoss => (PlotKind::Loss, ""),
        Quantity::StepsPerSecond => (PlotKind::Throughput, "steps/s"),
        Quantity::TokensPerSecond => (PlotKind::Throughput, "tokens/s"),
        Quantity::SamplesPerSecond => (PlotKind::Throughput, "samples/s"),
        Quantity::GradientNorm => (PlotKind::GradientNorm, ""),
        Quantity::LearningRate => (PlotKind::LearningRate, ""),
        _ => return None,
    })
}

fn plot(scene: &Scene<'_>, readings: &Readings, (kind, unit): Group, mut all: Vec<&Series>) -> Option<Plot> {
    let failing = scene.failure.as_ref();
    all.sort_by_key(|series| (!is_of(failing, series), order(series.quantity), series.rank, series.device));
    // Where one name is printed far more often than another, the other is a remark beside the curve.
    let most = all.iter().map(|series| series.values.len()).max()?;
    if kind != PlotKind::Loss {
        all.retain(|series| series.values.len() * 20 >= most);
    }
    let axis = axis(&all, &readings.rows, scene);
    let names = names(&all, scene);
    let mut lines: Vec<Line<'_>> =
        all.iter().zip(names).map(|(series, name)| line(series, name, &axis, &readings.rows)).collect();
    let shows = shows::of(kind, unit, axis.axis, &lines, scene, readings);
    // A straggler is drawn, whatever its place in the order.
    if let Some((_, Some(rank))) = &shows {
        lines.sort_by_key(|line| line.series.rank != Some(*rank) && !is_of(failing, line.series));
    }
    let more = lines.len().saturating_sub(MOST_CURVES);
    lines.truncate(MOST_CURVES);
    if kind != PlotKind::Loss {
        lines.sort_by_key(|line| (order(line.series.quantity), line.series.rank, line.series.device));
    }
    let place = |failing: &Failing| {
        let before = lines.iter().filter_map(|line| {
            let at = line.lines.partition_point(|number| *number <= failing.line).checked_sub(1)?;
            line.x.get(at).copied()
        });
        match axis.axis {
            Axis::Line => Some(f64::from(failing.line)),
            Axis::Seconds => failing.time.map(|time| time - scene.start.unwrap_or(0.0)),
            Axis::Step | Axis::Epoch => {
                before.fold(None, |most: Option<f64>, x| Some(most.map_or(x, |most| most.max(x))))
            }
        }
    };
    Some(Plot {
        kind,
        title: title(kind, unit).to_owned(),
        unit: unit.to_owned(),
        axis: axis.axis,
        failure: failing.and_then(place),
        curves: lines.iter().map(curve).collect(),
        more,
        limit: (kind == PlotKind::Memory).then(|| limit(scene, readings)).flatten(),
        shows: shows.map(|(shown, _)| shown),
    })
}

fn title(kind: PlotKind, unit: &str) -> &'static str {
    match (kind, unit) {
        (PlotKind::Memory, _) => "GPU memory",
        (PlotKind::HostMemory, _) => "Host memory",
        (PlotKind::Loss, _) => "Loss",
        (PlotKind::Throughput, "tokens/s") => "Tokens per second",
        (PlotKind::Throughput, "samples/s") => "Samples per second",
        (PlotKind::Throughput, _) => "Steps per second",
        (PlotKind::GradientNorm, _) => "Gradient norm",
        (PlotKind::LearningRate, _) => "Learning rate",
    }
}

fn order(quantity: Quantity) -> usize {
    let order = [Quantity::Used, Quantity::Reserved, Quantity::Allocated, Quantity::Free];
    order.iter().position(|known| *known == quantity).unwrap_or(order.len())
}

/// Whether a series is of the writer that failed first.
fn is_of(failing: Option<&Failing>, series: &Series) -> bool {
    failing.is_some_and(|failing| {
        failing.rank.is_some() && failing.rank == series.rank
            || failing.source.is_some() && failing.source == series.source
    })
}

/// The GPU's memory, as the log gives it.
fn limit(scene: &Scene<'_>, readings: &Readings) -> Option<f64> {
    let totals = readings.series.iter().filter(|series| series.quantity == Quantity::Total);
    let printed = totals.flat_map(|series| &series.values).map(|(_, value)| *value).fold(0.0, f64::max);
    scene.diagnosis.environment.number("oom.total").or((printed > 0.0).then_some(printed))
}

/// The names of curves: as printed, and whose they are where there are several.
fn names(all: &[&Series], scene: &Scene<'_>) -> Vec<String> {
    let differ = |of: fn(&Series) -> Option<u32>| all.iter().any(|series| of(series) != of(all[0]));
    let (ranks, devices) = (differ(|series| series.rank), differ(|series| series.device));
    let sources = !ranks && differ(|series| series.source);
    let one_label = all.iter().all(|series| series.label == all[0].label);
    let label = |series: &Series| {
        let source = |at: u32| scene.transcript.sources().get(at as usize).cloned();
        let parts = [
            // The title says it where all have one.
            Some(series.label.clone()).filter(|_| !(one_label && (ranks || sources))),
            series.rank.filter(|_| ranks).map(|rank| format!("rank {rank}")),
            series.device.filter(|_| devices).map(|device| format!("GPU {device}")),
            series.source.filter(|_| sources).and_then(source),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    };
    all.iter().map(|series| label(series)).collect()
}

/// What a plot is drawn over, and how a row's place on it is found.
struct Scale {
    axis: Axis,
    /// The steps of an epoch and the first epoch, where steps begin again in each epoch.
    epochs: Option<f64>,
    start: f64,
}

impl Scale {
    fn place(&self, row: &Row) -> f64 {
        match (self.axis, self.epochs) {
            (Axis::Step, Some(first)) => (row.epoch - first).mul_add(row.steps, row.step),
            (Axis::Step, None) => row.step,
            (Axis::Epoch, _) => row.epoch,
            (Axis::Seconds, _) => row.time - self.start,
            (Axis::Line, _) => f64::from(row.line),
        }
    }
}

/// The first axis on which every curve goes to the right: steps, steps over epochs, epochs, time, and always lines.
fn axis(all: &[&Series], rows: &[Row], scene: &Scene<'_>) -> Scale {
    let start = scene.start.unwrap_or(0.0);
    let first = all.iter().filter_map(|series| rows.get(series.values.first()?.0 as usize)).map(|row| row.epoch);
    let first = first.fold(f64::NAN, f64::min);
    let scales = [
        Scale { axis: Axis::Step, epochs: None, start },
        Scale { axis: Axis::Step, epochs: Some(first), start },
        Scale { axis: Axis::Epoch, epochs: None, start },
        Scale { axis: Axis::Seconds, epochs: None, start },
    ];
    let goes_right = |scale: &Scale| {
        all.iter().all(|series| {
            let (mut last, mut distinct) = (f64::NEG_INFINITY, 0);
            for (row, _) in &series.values {
                let x = rows.get(*row as usize).map_or(f64::NAN, |row| scale.place(row));
                if !x.is_finite() || x < last {
                    return false;
                }
                distinct += usize::from(x > last);
                last = x;
            }
            distinct * 2 >= series.values.len()
        })
    };
    scales.into_iter().find(goes_right).unwrap_or(Scale { axis: Axis::Line, epochs: None, start })
}

fn line<'r>(series: &'r Series, name: String, scale: &Scale, rows: &[Row]) -> Line<'r> {
    let found = || series.values.iter().filter_map(|(row, value)| Some((rows.get(*row as usize)?, *value)));
    Line {
        series,
        name,
        x: found().map(|(row, _)| scale.place(row)).collect(),
        y: found().map(|(_, value)| value).collect(),
        lines: found().map(|(row, _)| row.line).collect(),
    }
}

/// The curve with at most [`MOST_POINTS`] points: the first and the last, and of each stretch between them the lowest and
/// the highest, or the first that is not finite.
fn curve(line: &Line<'_>) -> Curve {
    let count = line.y.len();
    let mut kept: Vec<usize> = Vec::new();
    if count <= MOST_POINTS {
        kept.extend(0..count);
    } else {
        let buckets = (MOST_POINTS - 2) / 2;
        kept.push(0);
        for bucket in 0..buckets {
            let range = bucket * count / buckets..(bucket + 1) * count / buckets;
            let of = |at: &usize| line.y.get(*at).copied().unwrap_or(f64::NAN);
            if let Some(broken) = range.clone().find(|at| !of(at).is_finite()) {
                kept.push(broken);
                continue;
            }
            let lowest = range.clone().min_by(|a, b| of(a).total_cmp(&of(b)));
            let highest = range.max_by(|a, b| of(a).total_cmp(&of(b)));
            let mut pair = [lowest, highest].into_iter().flatten().collect::<Vec<_>>();
            pair.sort_unstable();
            kept.extend(pair);
        }
        kept.push(count - 1);
        kept.sort_unstable();
        kept.dedup();
    }
    let point = |at: usize| {
        let y = line.y.get(at).copied().filter(|y| y.is_finite());
        Some(Point { x: *line.x.get(at)?, y, line: *line.lines.get(at)? })
    };
    Curve {
        name: line.name.clone(),
        rank: line.series.rank,
        readings: count,
        points: kept.into_iter().filter_map(point).collect(),
    }
}
