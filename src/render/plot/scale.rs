//! Ranges of axes, and the values at which they have a label.

use crate::diagnosis::picture::{Plot, PlotKind, Timeline};

/// A range of values drawn on a range of pixels or cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Range {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Range {
    /// A range that is never empty.
    fn of(low: f64, high: f64) -> Self {
        if !low.is_finite() || !high.is_finite() {
            return Self { low: 0.0, high: 1.0 };
        }
        if high > low { Self { low, high } } else { Self { low, high: low + low.abs().max(1.0) } }
    }

    /// Where a value is, from 0 to 1.
    pub(super) fn share(self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// The places of a plot's readings and of its failure.
pub(super) fn across(plot: &Plot) -> Range {
    let places = plot.curves.iter().flat_map(|curve| &curve.points).map(|point| point.x).chain(plot.failure);
    let (low, high) = ends(places);
    Range::of(low, high)
}

/// The places of a timeline.
pub(super) fn of_timeline(timeline: &Timeline) -> Range {
    Range::of(timeline.start, timeline.end)
}

/// The values of a plot. Amounts begin at zero; a loss begins at its lowest. The GPU's size belongs to it unless the curves
/// would become flat.
pub(super) fn up(plot: &Plot) -> Range {
    let values = plot.curves.iter().flat_map(|curve| &curve.points).filter_map(|point| point.y);
    let (low, high) = ends(values);
    let high = limit(plot).map_or(high, |limit| high.max(limit));
    match plot.kind {
        PlotKind::Loss => {
            let margin = (high - low) * 0.05;
            Range::of(low - margin, high + margin)
        }
        _ => Range::of(low.min(0.0), high * 1.02),
    }
}

/// The limit, where it is drawn.
pub(super) fn limit(plot: &Plot) -> Option<f64> {
    let values = plot.curves.iter().flat_map(|curve| &curve.points).filter_map(|point| point.y);
    let high = values.fold(0.0, f64::max);
    plot.limit.filter(|limit| high * 4.0 >= *limit && *limit * 1.5 >= high)
}

/// At most six round durations inside a range of seconds.
pub(super) fn times(range: Range) -> Vec<f64> {
    const STEPS: [f64; 17] = [
        1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 7200.0, 14_400.0, 43_200.0,
        86_400.0,
    ];
    let span = range.high - range.low;
    let Some(step) = STEPS.into_iter().find(|step| span >= 5.0 && span / step <= 5.0) else {
        return ticks(range, false);
    };
    let first = (range.low / step).ceil();
    (0..7).map(|n| (first + f64::from(n)) * step).take_while(|value| *value <= range.high).collect()
}

fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
}

/// At most six round values inside a range; of bytes, round in MiB or GiB.
pub(super) fn ticks(range: Range, is_bytes: bool) -> Vec<f64> {
    let unit = match range.high {
        high if is_bytes && high >= 1_073_741_824.0 => 1_073_741_824.0,
        high if is_bytes && high >= 1_048_576.0 => 1_048_576.0,
        _ => 1.0,
    };
    let span = (range.high - range.low) / unit;
    let power = 10f64.powf((span / 5.0).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|step| span / step <= 5.0);
    let step = step.unwrap_or(span) * unit;
    let first = (range.low / step).ceil();
    (0..7).map(|n| (first + f64::from(n)) * step).take_while(|value| *value <= range.high).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_values() {
        let of = |low, high| ticks(Range { low, high }, false);
        assert_eq!(of(0.0, 10.0), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(of(0.0, 410.0), [0.0, 100.0, 200.0, 300.0, 400.0]);
        assert_eq!(of(1.9, 2.6).len(), 4);
        let gib = 1_073_741_824.0;
        assert_eq!(ticks(Range { low: 0.0, high: 24.0 * gib }, true), [0.0, 5.0, 10.0, 15.0, 20.0].map(|n| n * gib));
        assert_eq!(Range::of(3.0, 3.0), Range { low: 3.0, high: 6.0 });
        assert_eq!(Range::of(f64::INFINITY, f64::NEG_INFINITY), Range { low: 0.0, high: 1.0 });
    }
}
