//! One vendor in a probe: what its files on this machine show before anything is asked.

use super::loader::{self, Loader};
use super::note::Notes;
use super::vendor::Vendor;
use super::{Options, pci};

/// A vendor and the traces of its driver and GPUs.
pub(super) struct Seat {
    pub(super) vendor: &'static dyn Vendor,
    pub(super) driver: Driver,
    /// Whether its driver shows.
    pub(super) present: bool,
    /// Whether the PCI bus lists a GPU of it.
    pub(super) on_bus: bool,
}

impl Seat {
    pub(super) fn new(vendor: &'static dyn Vendor, options: &Options, loader: &Loader) -> Self {
        let driver = Driver::find(vendor, options, loader);
        let devices = pci::devices(&options.root, &vendor.description().driver.pci).unwrap_or_default();
        let on_bus = devices.iter().any(pci::PciDevice::is_gpu);
        Self { vendor, present: driver.is_some(), driver: driver.unwrap_or_default(), on_bus }
    }

    /// Whether frameworks bring the runtime's library.
    pub(super) fn is_bundled(&self) -> bool {
        !self.vendor.description().driver.bundled.is_empty()
    }
}

/// The paths of a driver's two libraries.
#[derive(Default)]
pub(super) struct Driver {
    pub(super) library: Option<loader::Found>,
    pub(super) management: Option<loader::Found>,
}

impl Driver {
    /// The libraries of a vendor with a trace of its driver on this machine.
    pub(super) fn find(vendor: &dyn Vendor, options: &Options, loader: &Loader) -> Option<Self> {
        let files = &vendor.description().driver;
        let find = |name: &str| loader.find(name).filter(|_| !name.is_empty());
        let found = Self {
            library: find(files.library.here()),
            management: find(files.management.here()).or_else(|| find(files.older_management.here())),
        };
        let traced = || files.traces.iter().any(|path| options.root.join(path).exists());
        // A runtime that frameworks bring is installed on machines without a device too.
        let by_library = files.bundled.is_empty() && (found.library.is_some() || found.management.is_some());
        (by_library || traced()).then_some(found)
    }

    pub(super) fn write(&self, vendor: &dyn Vendor, notes: &mut Notes) {
        let watcher = &vendor.description().management;
        write_place(self.management.as_ref(), &watcher.library_fact, &watcher.library_by_fact, notes);
        if vendor.description().driver.bundled.is_empty() {
            write_runtime(self.library.as_ref(), vendor, notes);
        }
    }
}

fn write_place(found: Option<&loader::Found>, name: &str, by: &str, notes: &mut Notes) {
    match found {
        Some(found) => {
            notes.text(name, found.path.display().to_string());
            notes.text(by, found.by.word());
        }
        None => notes.set_unknown(name, "not found by the loader"),
    }
}

/// Records where the runtime's library is, and its version.
pub(super) fn write_runtime(found: Option<&loader::Found>, vendor: &dyn Vendor, notes: &mut Notes) {
    write_place(found, "driver.library", "driver.library_by", notes);
    // libcuda.so.1 is a link to libcuda.so.580.95.05.
    let version = found.and_then(|found| {
        let real = std::fs::canonicalize(&found.path).ok()?;
        let version = real.file_name()?.to_str()?.split_once(".so.")?.1.to_owned();
        version.contains('.').then_some(version)
    });
    match version {
        Some(version) => notes.text("driver.library_version", version),
        None => {
            let why = format!("the name of {} has no version", vendor.description().driver.library.stem());
            notes.set_unknown("driver.library_version", why);
        }
    }
}
