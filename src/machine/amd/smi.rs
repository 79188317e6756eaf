//! What AMD SMI, or ROCm SMI where that is all there is, adds to the kernel's files: names, and memory where its files
//! are hidden.

use std::ffi::OsStr;
use std::path::Path;

use super::description;
use super::device::{Device, close};
use super::kfd::address;
use super::native::Smi;
use super::native::amd_smi::AmdSmi;
use super::native::rocm_smi::RocmSmi;
use crate::machine::native::CallError;
use crate::machine::note::Notes;

/// Opens the library only if something is open: it hangs and crashes more often than the kernel's files.
pub(super) fn read(library: Option<&Path>, devices: &[Device], tell: &mut dyn FnMut(&Notes)) {
    let mut notes = Notes::default();
    if devices.iter().any(|device| device.fallback.is_some() || device.open.contains(&"memory")) {
        let name = library.map_or(OsStr::new(description().driver.management.here()), Path::as_os_str);
        match open(name) {
            Ok(smi) => ask(smi.as_ref(), devices, &mut notes),
            // Without the library, the kernel's files are what there is.
            Err(CallError::NotLoaded(_)) if library.is_none() => {}
            Err(trouble) => {
                notes.text("amdsmi.error", trouble.word());
                notes.text("amdsmi.says", trouble.says());
            }
        }
    }
    close(devices, &mut notes);
    tell(&notes);
}

fn open(name: &OsStr) -> Result<Box<dyn Smi>, CallError> {
    let file = Path::new(name).file_name().unwrap_or_default().to_string_lossy();
    if file.starts_with(description().driver.older_management.stem()) {
        return Ok(Box::new(RocmSmi::open(name)?));
    }
    Ok(Box::new(AmdSmi::open(name)?))
}

fn ask(smi: &dyn Smi, devices: &[Device], notes: &mut Notes) {
    for number in 0..smi.count() {
        let Ok(place) = smi.address(number).map(|place| address(place >> 32, place & 0xffff)) else { continue };
        for device in devices.iter().filter(|device| device.pci.as_deref() == Some(place.as_str())) {
            let name = |name: &str| format!("gpu.{}.{name}", device.index);
            if device.fallback.is_some()
                && let Ok(said) = smi.name(number)
                && !said.is_empty()
            {
                notes.text(name("name"), said);
            }
            if device.open.contains(&"memory")
                && let Ok((total, used)) = smi.memory(number)
                && total > 0
                && used <= total
            {
                notes.count(name("memory.total"), total);
                notes.count(name("memory.used"), used);
                notes.count(name("memory.free"), total - used);
            }
        }
    }
}
