//! The machine over time: one sample after another of memory, clocks, errors and processes, for `probe --watch`.
//!
//! Samples are taken by the same child as the quick level, so that a card that stops answering does not stop the watch.

use std::collections::{BTreeMap, VecDeque};
use std::time::SystemTime;

use serde_json::Value as Json;

use super::note::Notes;
use super::quick::{self, Part};
use super::save::split;
use super::vendor::VENDORS;
use super::{Options, Shared};
use crate::facts::Facts;
use crate::vendors::Vendor;

/// How many samples a plot shows.
const KEPT: usize = 120;

/// One look at the devices.
#[derive(Debug, Clone)]
pub struct Sample {
    /// When.
    pub taken: SystemTime,
    /// `gpu.<index>.*`, `driver.*`, `nvml.*`.
    pub facts: Facts,
}

impl Sample {
    /// The sample as one line of JSON, without a newline.
    pub fn to_json_line(&self) -> String {
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

/// Takes samples and remembers the last of them.
pub struct Watch {
    shared: Shared,
    /// The last samples, oldest first.
    pub samples: VecDeque<Sample>,
}

impl Watch {
    /// Prepares; asks nothing yet.
    pub fn new(options: Options) -> Self {
        Self { shared: Shared::new(VENDORS, options), samples: VecDeque::new() }
    }

    /// The vendor that is watched.
    pub fn vendor(&self) -> &'static Vendor {
        self.shared.vendor.description()
    }

    /// Takes a sample.
    pub fn sample(&mut self) -> &Sample {
        let mut notes = Notes::default();
        if self.shared.present {
            if let Part::Management(answered, end) = quick::ask_management(&self.shared) {
                notes = answered;
                quick::management_end(&end, self.shared.vendor, &mut notes);
            }
        } else {
            quick::no_driver(self.shared.vendor, &mut notes);
        }
        if self.samples.len() == KEPT {
            self.samples.pop_front();
        }
        self.samples.push_back(Sample { taken: SystemTime::now(), facts: notes.facts });
        &self.samples[self.samples.len() - 1]
    }

    /// A number of a device over the kept samples; `None` where it was not known.
    pub fn history(&self, name: &str) -> Vec<Option<f64>> {
        self.samples.iter().map(|sample| sample.facts.number(name)).collect()
    }
}
