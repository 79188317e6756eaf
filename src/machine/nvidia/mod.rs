//! NVIDIA: NVML, the CUDA driver, cuBLAS, cuDNN and NVRTC, called in child processes.

mod arithmetic;
mod checks;
mod devices;
mod findings;
mod native;
mod nvml;
mod nvml_modes;
mod nvml_words;
mod reference;
mod toolkit;
mod xid;

use std::ffi::OsStr;
use std::path::Path;

use native::driver::Driver;

use super::findings::Findings;
use super::native::CallError;
use super::note::Notes;
use super::step::Settings;
use super::vendor::{Bench, Checks, Vendor};
use crate::facts::Facts;
use crate::vendors::Vendor as Description;

pub(super) struct Nvidia;

impl Vendor for Nvidia {
    fn description(&self) -> &'static Description {
        description()
    }

    fn read_system(&self, root: &Path, notes: &mut Notes) {
        devices::read(root, notes);
    }

    fn read_toolkit(&self, root: &Path, conda: Option<&Path>, notes: &mut Notes) {
        toolkit::read(root, conda, notes);
    }

    fn read_kernel_log(&self, log: Result<&str, &str>, uptime: Option<f64>, notes: &mut Notes) {
        xid::read(log, uptime, notes);
    }

    fn read_management(&self, settings: &Settings, tell: &mut dyn FnMut(&Notes)) {
        nvml::read(settings.management.as_deref(), &settings.root, tell);
    }

    /// `cuInit`, the driver's CUDA version, the number of visible devices.
    fn start(&self, library: &OsStr, notes: &mut Notes) -> Result<(), CallError> {
        let driver = Driver::open(library)?;
        driver.init()?;
        let version = driver.version()?;
        notes.text("driver.cuda", format!("{}.{}", version / 1000, version % 1000 / 10));
        let count = driver.device_count()?;
        notes.count("cuda.device_count", u64::try_from(count).unwrap_or(0));
        for ordinal in 0..count {
            if let Ok(pci) = driver.device(ordinal).and_then(|device| device.pci()) {
                notes.text(format!("cuda.{ordinal}.pci"), pci);
            }
        }
        Ok(())
    }

    fn checks(&self) -> Checks {
        Checks { functional: checks::FUNCTIONAL, stress: checks::STRESS }
    }

    fn bench(&self, settings: &Settings) -> Box<dyn Bench> {
        Box::new(checks::CudaBench::new(settings.clone()))
    }

    fn findings(&self, facts: &Facts, findings: &mut Findings) {
        findings::read(facts, findings);
    }
}

fn description() -> &'static Description {
    crate::vendors::by_id("nvidia").expect("kb/vendors describes it")
}
