//! The machine over time: samples of memory, clocks, errors and processes, for `probe --watch`.
//!
//! The child of the quick level takes the samples, so that a GPU that stops responding does not stop the watch.

use std::collections::{BTreeMap, VecDeque};
use std::time::SystemTime;

use serde_json::Value as Json;

use super::note::Notes;
use super::quick;
use super::save::split;
use super::seat::Seat;
use super::step::MANAGEMENT;
use super::vendor::VENDORS;
use super::{Options, Shared};
use crate::facts::Facts;
use crate::vendors::Vendor;

/// The number of samples in a plot.
const KEPT: usize = 120;

/// One sample of the devices.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    /// When it was taken.
    pub taken: SystemTime,
    /// `gpu.<index>.*`, `driver.*`, `nvml.*`.
    pub facts: Facts,
}

impl Sample {
    /// The sample as one line of JSON, without a newline.
    pub(crate) fn to_json_line(&self) -> String {
        let (facts, unknown) = split(&self.facts);
        let seconds = self.taken.duration_since(SystemTime::UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64());
        let line: BTreeMap<&str, Json> = BTreeMap::from([
            ("schema", Json::from("faultbook/sample/1")),
            ("time", Json::from((seconds * 1000.0).round() / 1000.0)),
            ("facts", serde_json::to_value(facts).unwrap_or_default()),
            ("cannot_tell", serde_json::to_value(unknown).unwrap_or_default()),
        ]);
        serde_json::to_string(&line).unwrap_or_default()
    }
}

/// Takes samples and keeps the most recent ones.
pub(crate) struct Watch {
    shared: Shared,
    /// The samples kept, oldest first.
    pub samples: VecDeque<Sample>,
}

impl Watch {
    /// Prepares a watch without taking a sample.
    pub(crate) fn new(options: Options) -> Self {
        Self { shared: Shared::new(VENDORS, options), samples: VecDeque::new() }
    }

    /// The vendor that is watched.
    fn seat(&self) -> &Seat {
        &self.shared.seats[self.shared.first()]
    }

    pub(crate) fn vendor(&self) -> &'static Vendor {
        self.seat().vendor.description()
    }

    /// Takes a sample.
    pub(crate) fn sample(&mut self) -> &Sample {
        let mut notes = Notes::default();
        let seat = self.seat();
        if seat.present {
            let (answered, end) = quick::ask(&self.shared, seat, MANAGEMENT);
            notes = answered;
            quick::management_end(&end, seat.vendor, &mut notes);
        } else {
            quick::no_driver(seat.vendor, &mut notes);
        }
        if self.samples.len() == KEPT {
            self.samples.pop_front();
        }
        self.samples.push_back(Sample { taken: SystemTime::now(), facts: notes.facts });
        &self.samples[self.samples.len() - 1]
    }

    /// A value of a device over the kept samples; `None` where it is unknown.
    pub(crate) fn history(&self, name: &str) -> Vec<Option<f64>> {
        self.samples.iter().map(|sample| sample.facts.number(name)).collect()
    }
}
