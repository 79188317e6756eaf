//! HIP's initialisation (`libamdhip64.so`), with the types of hip/hip_runtime_api.h.

use std::ffi::{OsStr, c_char, c_int, c_uint};

use libloading::Library;

use super::text_in;
use crate::machine::native::{CallError, function, open, text_at};

/// `hipErrorUnknown`: also what the library calls numbers that it does not know.
const UNKNOWN: c_int = 999;

pub(in crate::machine) struct Hip {
    library: &'static Library,
}

fn named(library: &Library, call: &'static str, code: c_int) -> CallError {
    let of = |teller: &'static str| {
        // SAFETY: `const char* f(hipError_t)` for both functions that are asked.
        let tell = unsafe { function::<unsafe extern "C" fn(c_int) -> *const c_char>(library, teller) }.ok()?;
        // SAFETY: takes any number and returns a static string.
        unsafe { text_at(tell(code)) }
    };
    let name = of("hipGetErrorName\0").filter(|name| code == UNKNOWN || name != "hipErrorUnknown");
    let says = name.as_ref().and_then(|_| of("hipGetErrorString\0"));
    CallError::Status { call, code, name, says }
}

impl Hip {
    pub(in crate::machine) fn open(path: &OsStr) -> Result<Self, CallError> {
        Ok(Self { library: open(path)? })
    }

    /// Initialises the runtime; makes no context.
    pub(in crate::machine) fn init(&self) -> Result<(), CallError> {
        call!(named, self.library, "hipInit", (c_uint), (0))
    }

    /// The version as one number: 60443484 is 6.4.43484.
    pub(in crate::machine) fn version(&self) -> Result<i32, CallError> {
        let mut version = 0;
        call!(named, self.library, "hipRuntimeGetVersion", (*mut c_int), (&mut version))?;
        Ok(version)
    }

    pub(in crate::machine) fn device_count(&self) -> Result<i32, CallError> {
        let mut count = 0;
        call!(named, self.library, "hipGetDeviceCount", (*mut c_int), (&mut count))?;
        Ok(count)
    }

    pub(in crate::machine) fn pci(&self, ordinal: i32) -> Result<String, CallError> {
        let mut buffer = [0_u8; 64];
        let (place, size) = (buffer.as_mut_ptr().cast::<c_char>(), 64);
        call!(named, self.library, "hipDeviceGetPCIBusId", (*mut c_char, c_int, c_int), (place, size, ordinal))?;
        Ok(text_in(&buffer))
    }
}
