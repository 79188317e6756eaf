//! A device's links and modes from NVML: PCIe, NVLink and its fabric, compute mode, slices, persistence, GSP.

use nvml_wrapper::enum_wrappers::device::ComputeMode;
use nvml_wrapper::enum_wrappers::nv_link::ErrorCounter;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::{Device, Nvml};

use super::native::nvml_raw;
use super::nvml::OfDevice;
use super::nvml_words::why;
use crate::amounts::size;

/// More links than any device has.
const LINKS: u32 = 36;

/// The PCIe link and the NVLink links.
pub(super) fn links(device: &Device<'_>, of: &mut OfDevice<'_>) {
    of.count("pcie.generation", device.current_pcie_link_gen().map(u64::from));
    of.count("pcie.max_generation", device.max_pcie_link_gen().map(u64::from));
    of.count("pcie.width", device.current_pcie_link_width().map(u64::from));
    of.count("pcie.max_width", device.max_pcie_link_width().map(u64::from));
    of.count("pcie.replays", device.pcie_replay_counter().map(u64::from));
    let (mut active, mut down, mut errors) = (0_u64, 0_u64, None);
    for index in 0..LINKS {
        let link = device.link_wrapper_for(index);
        match link.is_active() {
            Ok(true) => {
                active += 1;
                let counters = [ErrorCounter::DlCrcFlit, ErrorCounter::DlReplay, ErrorCounter::DlRecovery];
                for count in counters.into_iter().filter_map(|counter| link.error_counter(counter).ok()) {
                    errors = Some(errors.unwrap_or(0) + count);
                }
            }
            Ok(false) => down += 1,
            Err(_) => break,
        }
    }
    if active + down > 0 {
        of.count("nvlink.active", Ok(active));
        of.count("nvlink.inactive", Ok(down));
        // From the fifth generation of NVLink, these counters are elsewhere.
        of.count("nvlink.errors", errors.ok_or(NvmlError::NotSupported));
    } else {
        let name = of.name("nvlink.active");
        of.notes.set_unknown(name, "this device has no NVLink");
    }
}

/// Whether a GPU behind NVSwitches has joined the fabric: until then CUDA returns error 802.
pub(super) fn fabric(nvml: &Nvml, device: &Device<'_>, of: &mut OfDevice<'_>) {
    let word = match nvml_raw::fabric_state(nvml, device) {
        Ok((0, _)) | Err(NvmlError::NotSupported) => {
            let name = of.name("fabric");
            return of.notes.set_unknown(name, "this device is not part of an NVLink fabric");
        }
        Ok((1, _)) => Ok("not started".to_owned()),
        Ok((2, _)) => Ok("in progress".to_owned()),
        // Completed means that the attempt is over; the status says whether it succeeded.
        Ok((3, 0)) => Ok("completed".to_owned()),
        Ok((3, status)) => Ok(format!("failed with NVML's code {status}")),
        Ok((other, _)) => Ok(format!("state {other}")),
        Err(error) => Err(error),
    };
    of.text("fabric", word);
}

/// The MIG slices of a device: the names that CUDA_VISIBLE_DEVICES accepts, and the memory of each.
fn slices(device: &Device<'_>, of: &mut OfDevice<'_>) {
    let all = (0..device.mig_device_count().unwrap_or(0)).filter_map(|index| device.mig_device_by_index(index).ok());
    let (mut names, mut said) = (Vec::new(), Vec::new());
    for slice in all {
        let Ok(name) = slice.uuid() else { continue };
        #[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
        let room = match slice.memory_info() {
            Ok(memory) => format!("{} of {} free", size(memory.free as f64), size(memory.total as f64)),
            Err(error) => why(&error),
        };
        said.push(format!("{name} {room}"));
        names.push(name);
    }
    let (devices, slices) = (of.name("mig_devices"), of.name("mig_slices"));
    of.notes.list(devices, names);
    of.notes.list(slices, said);
}

/// The device's settings: compute mode, slices, persistence, firmware.
pub(super) fn modes(device: &Device<'_>, of: &mut OfDevice<'_>) {
    let mode = device.compute_mode().map(|mode| {
        let word = match mode {
            ComputeMode::Default => "Default",
            ComputeMode::ExclusiveThread => "Exclusive_Thread",
            ComputeMode::Prohibited => "Prohibited",
            ComputeMode::ExclusiveProcess => "Exclusive_Process",
        };
        word.to_owned()
    });
    of.text("compute_mode", mode);
    match device.mig_mode() {
        Ok(mode) => {
            of.flag("mig", Ok(mode.current != 0));
            if mode.current != 0 {
                slices(device, of);
            }
        }
        Err(NvmlError::NotSupported | NvmlError::FailedToLoadSymbol(_)) => of.flag("mig", Ok(false)),
        Err(error) => {
            of.ask::<()>("mig", Err(error));
        }
    }
    #[cfg(target_os = "linux")]
    of.flag("persistence", device.is_in_persistent_mode());
    of.flag("gsp", device.gsp_firmware_mode().map(|mode| mode.enabled));
}
