//! AMD: what the kernel's files show, the names that only AMD SMI or ROCm SMI knows, and HIP's initialisation.
//!
//! The kernel's files hold nearly everything (devices, gfx targets, memory, processes, errors, permissions), so they are
//! read first and a library that hangs or crashes costs little.

mod device;
mod findings;
mod kfd;
mod names;
mod native;
mod nodes;
mod smi;

use std::ffi::OsStr;
use std::path::Path;

use native::hip::Hip;

use super::CheckStatus;
use super::findings::Findings;
use super::native::CallError;
use super::note::Notes;
use super::step::Settings;
use super::vendor::{Bench, Checks, Ended, Vendor};
use crate::facts::Facts;
use crate::vendors::Vendor as Description;

pub(super) struct Amd;

impl Vendor for Amd {
    fn description(&self) -> &'static Description {
        description()
    }

    fn read_system(&self, root: &Path, notes: &mut Notes) {
        nodes::read(root, notes);
    }

    fn read_toolkit(&self, root: &Path, _conda: Option<&Path>, notes: &mut Notes) {
        let version = std::fs::read_to_string(root.join("opt/rocm/.info/version")).ok();
        notes.flag("toolkit.present", version.is_some() || root.join("opt/rocm/bin/hipcc").exists());
        match version {
            Some(version) => notes.text("toolkit.version", version.trim()),
            None => notes.set_unknown("toolkit.version", "no ROCm under /opt/rocm"),
        }
    }

    fn read_kernel_log(&self, _log: Result<&str, &str>, _uptime: Option<f64>, _notes: &mut Notes) {}

    fn read_management(&self, settings: &Settings, tell: &mut dyn FnMut(&Notes)) {
        let devices = device::read(&settings.root, tell);
        smi::read(settings.management.as_deref(), &devices, tell);
    }

    /// `hipInit`, the version of HIP, the number of visible devices.
    fn start(&self, library: &OsStr, notes: &mut Notes) -> Result<(), CallError> {
        let hip = Hip::open(library)?;
        hip.init()?;
        if let Ok(version) = hip.version() {
            // HIP_VERSION is major * 10000000 + minor * 100000 + patch.
            notes.text("driver.hip", format!("{}.{}", version / 10_000_000, version / 100_000 % 100));
        }
        let count = hip.device_count()?;
        notes.count("hip.device_count", u64::try_from(count).unwrap_or(0));
        for ordinal in 0..count.clamp(0, 256) {
            if let Ok(pci) = hip.pci(ordinal) {
                notes.text(format!("hip.{ordinal}.pci"), pci);
            }
        }
        Ok(())
    }

    fn checks(&self) -> Checks {
        Checks { functional: &[], stress: &[] }
    }

    fn bench(&self, _settings: &Settings) -> Box<dyn Bench> {
        Box::new(NoBench)
    }

    fn findings(&self, facts: &Facts, findings: &mut Findings) {
        findings::read(facts, findings);
    }
}

fn description() -> &'static Description {
    crate::vendors::by_id("amd").expect("kb/vendors describes it")
}

/// AMD has no functional checks yet.
struct NoBench;

impl Bench for NoBench {
    fn run(&mut self, _check: &str) -> Ended {
        Ended { word: CheckStatus::Skipped, says: "there is no such check for this vendor".to_owned(), code: None }
    }

    fn take_notes(&mut self) -> Notes {
        Notes::default()
    }
}
