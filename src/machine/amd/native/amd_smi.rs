//! AMD SMI (`libamd_smi.so`, ROCm 6 and later), with the types of amd_smi/amdsmi.h.

use std::ffi::{OsStr, c_int, c_void};

use libloading::Library;

use super::{MOST, Smi, described, text_in};
use crate::machine::native::{CallError, function, open};

/// `AMDSMI_INIT_AMD_GPUS`.
const GPUS: u64 = 2;

/// `AMDSMI_MEM_TYPE_VRAM`.
const VRAM: c_int = 0;

/// Larger than `amdsmi_asic_info_t` of any release; the struct begins with the name.
const ASIC_INFO: usize = 8192;

pub(in crate::machine) struct AmdSmi {
    library: &'static Library,
    /// `amdsmi_processor_handle`.
    devices: Vec<*mut c_void>,
}

fn named(library: &Library, call: &'static str, code: c_int) -> CallError {
    described(library, "amdsmi_status_code_to_string\0", call, code)
}

impl AmdSmi {
    /// Initialises the library and lists the GPUs of all sockets.
    pub(in crate::machine) fn open(path: &OsStr) -> Result<Self, CallError> {
        let library = open(path)?;
        call!(named, library, "amdsmi_init", (u64), (GPUS))?;
        let sockets = handles(|count, places| {
            call!(named, library, "amdsmi_get_socket_handles", (*mut u32, *mut *mut c_void), (count, places))
        })?;
        let mut devices = Vec::new();
        for socket in sockets {
            devices.extend(handles(|count, places| {
                call!(
                    named,
                    library,
                    "amdsmi_get_processor_handles",
                    (*mut c_void, *mut u32, *mut *mut c_void),
                    (socket, count, places)
                )
            })?);
        }
        devices.truncate(MOST);
        Ok(Self { library, devices })
    }

    fn handle(&self, device: u32) -> *mut c_void {
        self.devices.get(device as usize).copied().unwrap_or(std::ptr::null_mut())
    }
}

/// A list of handles: the first call tells their number, the second one fills the places.
fn handles(ask: impl Fn(*mut u32, *mut *mut c_void) -> Result<(), CallError>) -> Result<Vec<*mut c_void>, CallError> {
    let mut count = 0_u32;
    ask(&mut count, std::ptr::null_mut())?;
    let mut places = vec![std::ptr::null_mut(); (count as usize).min(MOST)];
    if places.is_empty() {
        return Ok(places);
    }
    count = u32::try_from(places.len()).unwrap_or(0);
    ask(&mut count, places.as_mut_ptr())?;
    places.truncate(count as usize);
    places.retain(|handle| !handle.is_null());
    Ok(places)
}

impl Smi for AmdSmi {
    fn count(&self) -> u32 {
        u32::try_from(self.devices.len()).unwrap_or(0)
    }

    fn address(&self, device: u32) -> Result<u64, CallError> {
        let mut address = 0_u64;
        let handle = self.handle(device);
        call!(named, self.library, "amdsmi_get_gpu_bdf_id", (*mut c_void, *mut u64), (handle, &mut address))?;
        Ok(address)
    }

    fn name(&self, device: u32) -> Result<String, CallError> {
        // Of 8-byte words, so that it is aligned like the struct.
        let mut buffer = vec![0_u64; ASIC_INFO / 8];
        let place = buffer.as_mut_ptr().cast::<c_void>();
        let handle = self.handle(device);
        call!(named, self.library, "amdsmi_get_gpu_asic_info", (*mut c_void, *mut c_void), (handle, place))?;
        let bytes: Vec<u8> = buffer.iter().take(32).flat_map(|word| word.to_ne_bytes()).collect();
        Ok(text_in(&bytes))
    }

    fn memory(&self, device: u32) -> Result<(u64, u64), CallError> {
        let handle = self.handle(device);
        let (mut total, mut used) = (0_u64, 0_u64);
        call!(
            named,
            self.library,
            "amdsmi_get_gpu_memory_total",
            (*mut c_void, c_int, *mut u64),
            (handle, VRAM, &mut total)
        )?;
        call!(
            named,
            self.library,
            "amdsmi_get_gpu_memory_usage",
            (*mut c_void, c_int, *mut u64),
            (handle, VRAM, &mut used)
        )?;
        Ok((total, used))
    }
}
