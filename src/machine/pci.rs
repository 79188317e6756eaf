//! GPUs on the PCI bus, from sysfs: works even if the driver hangs.

use std::path::Path;

use super::note::Notes;

/// One device on the bus.
pub(super) struct PciDevice {
    /// `0000:65:00.0`.
    pub(super) address: String,
    /// The class as sysfs writes it: `0x030200`.
    pub(super) class: String,
    /// The driver that it is bound to.
    pub(super) driver: Option<String>,
    /// Its registers read as all ones: it no longer responds.
    pub(super) lost: bool,
}

impl PciDevice {
    /// A display controller.
    pub(super) fn is_display(&self) -> bool {
        self.class.starts_with("0x03")
    }

    /// A display controller, or a processing accelerator: AMD's data-centre GPUs are the latter. Of other vendors, neural
    /// processing units are accelerators too.
    pub(super) fn is_gpu(&self) -> bool {
        self.is_display() || self.class.starts_with("0x12")
    }
}

/// The devices of a vendor (`0x10de`), by address; `None` if the bus cannot be read.
pub(super) fn devices(root: &Path, vendor: &str) -> Option<Vec<PciDevice>> {
    let entries = std::fs::read_dir(root.join("sys/bus/pci/devices")).ok()?;
    let mut folders: Vec<_> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    folders.sort();
    let of_vendor = folders.into_iter().filter_map(|folder| {
        let word = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap_or_default().trim().to_owned();
        if word("vendor") != vendor {
            return None;
        }
        let driver = std::fs::read_link(folder.join("driver")).ok();
        Some(PciDevice {
            address: folder.file_name()?.to_string_lossy().into_owned(),
            class: word("class"),
            driver: driver.and_then(|link| Some(link.file_name()?.to_string_lossy().into_owned())),
            lost: std::fs::read(folder.join("config")).is_ok_and(|bytes| bytes.starts_with(&[0xff, 0xff, 0xff, 0xff])),
        })
    });
    Some(of_vendor.collect())
}

/// Records `pci.*` and returns the vendor's devices.
pub(super) fn read(root: &Path, vendor: &str, notes: &mut Notes) -> Option<Vec<PciDevice>> {
    let Some(devices) = devices(root, vendor) else {
        notes.set_unknown("pci.gpus", "/sys/bus/pci/devices cannot be read");
        return None;
    };
    let gpus = || devices.iter().filter(|device| device.is_gpu());
    let shown = |device: &PciDevice| format!("{} {}", device.address, device.driver.as_deref().unwrap_or("no driver"));
    notes.count("pci.gpu_count", gpus().count() as u64);
    notes.list("pci.gpus", gpus().map(shown).collect());
    notes.list("pci.lost", gpus().filter(|device| device.lost).map(|device| device.address.clone()).collect());
    Some(devices)
}
