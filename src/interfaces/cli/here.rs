//! What this machine adds to a report: it is asked noninteractive, because reports are read by people who cannot ask it.

use crate::facts::Facts;

use super::common::Common;
use super::diagnose::Analysis;

#[cfg(feature = "machine")]
mod asked {
    use crate::reports::draft::software;

    use super::{Analysis, Common, Facts};
    use crate::interfaces::cli::failure::Result;
    use crate::interfaces::cli::probe;

    /// The options with the probe switched on where there is a driver.
    pub(crate) fn with_probe(common: &Common) -> Result<Common> {
        let unsaid = !common.no_probe && common.facts.is_none();
        Ok(Common { probe: common.probe || (unsaid && probe::driver_here(common)?), ..common.clone() })
    }

    /// Whether a log is of a run on this machine.
    pub(crate) fn ran(log: &[u8]) -> bool {
        software::ran_here(log)
    }

    /// What is said of the software, where the devices were not asked.
    pub(crate) fn software(reading: &Analysis, common: &Common) -> Result<Facts> {
        if common.no_probe || common.facts.is_some() || reading.diagnosis.probe.is_some() {
            return Ok(Facts::default());
        }
        Ok(software::of_this_machine(&probe::options(common)?, &reading.incident.facts))
    }
}

#[cfg(not(feature = "machine"))]
#[expect(clippy::unnecessary_wraps, reason = "asking can fail")]
mod asked {
    use super::{Analysis, Common, Facts};
    use crate::interfaces::cli::failure::Result;

    /// Nothing can be switched on.
    pub(crate) fn with_probe(common: &Common) -> Result<Common> {
        Ok(common.clone())
    }

    /// Nobody knows.
    pub(crate) fn ran(_log: &[u8]) -> bool {
        false
    }

    /// Nothing is known.
    pub(crate) fn software(_reading: &Analysis, _common: &Common) -> Result<Facts> {
        Ok(Facts::default())
    }
}

pub(crate) use asked::{ran, software, with_probe};
