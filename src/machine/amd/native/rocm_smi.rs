//! ROCm SMI (`librocm_smi64.so`), with the types of rocm_smi/rocm_smi.h.

use std::ffi::{OsStr, c_char, c_int};

use libloading::Library;

use super::{MOST, Smi, described, text_in};
use crate::machine::native::{CallError, function, open};

/// `RSMI_MEM_TYPE_VRAM`.
const VRAM: c_int = 0;

pub(in crate::machine) struct RocmSmi {
    library: &'static Library,
    count: u32,
}

fn named(library: &Library, call: &'static str, code: c_int) -> CallError {
    described(library, "rsmi_status_string\0", call, code)
}

impl RocmSmi {
    pub(in crate::machine) fn open(path: &OsStr) -> Result<Self, CallError> {
        let library = open(path)?;
        call!(named, library, "rsmi_init", (u64), (0))?;
        let mut count = 0_u32;
        call!(named, library, "rsmi_num_monitor_devices", (*mut u32), (&mut count))?;
        Ok(Self { library, count: count.min(u32::try_from(MOST).unwrap_or(0)) })
    }
}

impl Smi for RocmSmi {
    fn count(&self) -> u32 {
        self.count
    }

    fn address(&self, device: u32) -> Result<u64, CallError> {
        let mut address = 0_u64;
        call!(named, self.library, "rsmi_dev_pci_id_get", (u32, *mut u64), (device, &mut address))?;
        Ok(address)
    }

    fn name(&self, device: u32) -> Result<String, CallError> {
        let mut buffer = [0_u8; 256];
        let (place, size) = (buffer.as_mut_ptr().cast::<c_char>(), buffer.len());
        call!(named, self.library, "rsmi_dev_name_get", (u32, *mut c_char, usize), (device, place, size))?;
        Ok(text_in(&buffer))
    }

    fn memory(&self, device: u32) -> Result<(u64, u64), CallError> {
        let (mut total, mut used) = (0_u64, 0_u64);
        let library = self.library;
        call!(named, library, "rsmi_dev_memory_total_get", (u32, c_int, *mut u64), (device, VRAM, &mut total))?;
        call!(named, library, "rsmi_dev_memory_usage_get", (u32, c_int, *mut u64), (device, VRAM, &mut used))?;
        Ok((total, used))
    }
}
