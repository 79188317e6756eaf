//! Adds this machine's facts to a report, without asking first: readers of a report cannot probe the machine.

use crate::facts::Facts;

use super::common::Common;
use super::diagnose::Analysis;

#[cfg(feature = "machine")]
mod probed {
    use crate::reports::draft::software;

    use super::{Analysis, Common, Facts};
    use crate::interfaces::cli::failure::Result;
    use crate::interfaces::cli::probe;

    /// The options with the probe enabled if there is a driver.
    pub(crate) fn with_probe(common: &Common) -> Result<Common> {
        let unsaid = !common.no_probe && common.facts.is_none();
        Ok(Common { probe: common.probe || (unsaid && probe::driver_here(common)?), ..common.clone() })
    }

    /// Whether a log comes from a run on this machine.
    pub(crate) fn ran(log: &[u8]) -> bool {
        software::ran_here(log)
    }

    /// The summary of the software, if the devices were not probed.
    pub(crate) fn software(reading: &Analysis, common: &Common) -> Result<Facts> {
        if common.no_probe || common.facts.is_some() || reading.diagnosis.probe.is_some() {
            return Ok(Facts::default());
        }
        Ok(software::of_this_machine(&probe::options(common)?, &reading.incident.facts))
    }
}

#[cfg(not(feature = "machine"))]
#[expect(clippy::unnecessary_wraps, reason = "asking can fail")]
mod probed {
    use super::{Analysis, Common, Facts};
    use crate::interfaces::cli::failure::Result;

    /// Without the feature, there is no probe to enable.
    pub(crate) fn with_probe(common: &Common) -> Result<Common> {
        Ok(common.clone())
    }

    /// Unknown without the probe.
    pub(crate) fn ran(_log: &[u8]) -> bool {
        false
    }

    /// Unknown without the probe.
    pub(crate) fn software(_reading: &Analysis, _common: &Common) -> Result<Facts> {
        Ok(Facts::default())
    }
}

pub(crate) use probed::{ran, software, with_probe};
